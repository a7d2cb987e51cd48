# A record of kg's as KernelGYM's server answers it: what did not compile or crashed is "failed".
#   jq -c -f kernelgym.jq judged.jsonl
(.status // "") as $s
| {
    task_id: (.id // .task_id // .uid),
    status: (if .compiled and (.error_code | . == null or . == "CORRECTNESS_ERROR") then "completed" else "failed" end),
    compiled: (.compiled // false),
    correctness: (.correctness // false),
    decoy_kernel: (.decoy_kernel // false),
    reference_runtime: .reference_runtime_ms,
    kernel_runtime: .kernel_runtime_ms,
    speedup: (if .correctness then (.speedup // 0) else 0 end),
    metadata: {
      kg_status: $s,
      num_custom_kernels: ([.profile.kernels[]? | select(.class == "custom") | .launches // 1] | add // 0),
      num_total_kernels: ([.profile.kernels[]? | select(.class != "judge") | .launches // 1] | add // 0),
      custom_kernel_cuda_time_in_profiling_us:
        ([.profile.kernels[]? | select(.class == "custom") | .device_us] | add // 0),
      total_kernel_run_time_in_profiling_us:
        ([.profile.kernels[]? | select(.class != "judge") | .device_us] | add // 0)
    },
    error_message: .error_message,
    error_code: .error_code
  }
