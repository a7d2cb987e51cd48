"""coverage.jsonl: the quotients of the reference's four numbers.

kg measures coverage by where code came from, never by names, so the matching of names (the first
half of these cases) has no counterpart; what kg-reward shares with the reference is that it takes
the four numbers of a result and divides them.
"""
from golden import differ

NUMBERS = ("num_custom_kernels", "num_total_kernels", "total_kernel_run_time_in_profiling_us",
           "custom_kernel_cuda_time_in_profiling_us")


def plan(case):
    want = case["expect"][0]
    record = {"status": "completed", "compiled": True, "correctness": True, "speedup": 1.0,
              "metadata": {k: want[k] for k in NUMBERS}}
    base = ["kg-reward", "-q", "-D", "reward.correct=0", "-D", "reward.speedup=0", "-D", "reward.coverage=1"]
    return [(base + ["-D", "coverage.key=time"], [record]), (base + ["-D", "coverage.key=count"], [record])]


def judge(case, answers):
    want = case["expect"][0]
    return (differ("time_coverage", answers[0][0]["reward"], want["time_coverage"])
            + differ("num_coverage", answers[1][0]["reward"], want["num_coverage"]))
