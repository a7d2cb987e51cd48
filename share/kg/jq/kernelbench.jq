# KernelBench's eval_results.json ({problem: {sample: result}} or {problem: [result]}) as records
# that kg-reward and kg-report take. Speedups need the baseline's times:
#   jq -c -f kernelbench.jq --argjson baseline '{"1": 2.5}' eval_results.json      (ms by problem)
#   jq -c -f kernelbench.jq --argjson baseline '{}' eval_results.json
to_entries[]
| .key as $problem
| (.value | if type == "array" then . else [to_entries[] | .value + {sample_id: (.value.sample_id // .key)}] end)
| to_entries[]
| .value as $r
| ($baseline[$problem]) as $base
| {
    task_id: $problem,
    traj: ($r.sample_id // .key | tostring),
    turn: 1,
    status: (if $r.compiled == null then "failed" else "completed" end),
    compiled: ($r.compiled // false),
    correctness: ($r.correctness // false),
    decoy_kernel: false,
    speedup: (if $base and $r.correctness and (($r.runtime // -1) > 0) then $base / $r.runtime else null end),
    reference_runtime_ms: $base,
    kernel_runtime_ms: (if ($r.runtime // -1) > 0 then $r.runtime else null end),
    metadata: ($r.metadata // {})
  }
