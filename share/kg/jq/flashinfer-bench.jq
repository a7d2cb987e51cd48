# Traces of flashinfer-bench (a line each) as records that kg-reward and kg-report take.
#   jq -c -f flashinfer-bench.jq traces.jsonl
select(.evaluation != null)
| .evaluation as $e
| {
    task_id: .definition,
    uid: (.definition + "/" + (.workload.uuid // "")),
    traj: (if .solution | type == "object" then .solution.name else .solution end),
    status: ({
        PASSED: "PASSED", COMPILE_ERROR: "COMPILE_ERROR", RUNTIME_ERROR: "RUNTIME_ERROR", TIMEOUT: "TIMEOUT",
        INCORRECT_SHAPE: "INCORRECT_SHAPE", INCORRECT_DTYPE: "INCORRECT_DTYPE",
        INCORRECT_NUMERICAL: "INCORRECT_NUMERICAL"
      }[$e.status] // "JUDGE_FAULT"),
    speedup: $e.performance.speedup_factor,
    kernel_runtime_ms: $e.performance.latency_ms,
    reference_runtime_ms: $e.performance.reference_latency_ms
  }
