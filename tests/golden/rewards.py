"""rewards.jsonl: kg-reward on KernelGYM's results, by every function and weight of the case.

Two runs a case. By kg's own rules a right result with all its numbers and every failure earn what they
earn in the reference, a wrong result is paid no speedup, and a right one that lacks a number has no
reward. With --ungated --missing zero everything is the reference's: it does not gate, and takes what
is missing for 0. Two inputs have no answer to compare: a NaN speedup, which reaches a program as null
(0, where the reference answers NaN), and those on which the reference itself fails (error_type).
"""
import math

from golden import differ, number

FUNCTIONS = {"calculate_reward_speedup": "speedup", "calculate_reward_weighted": "weighted"}


def policy(config):
    """The -D options for a config of the reference."""
    p = config["penalties"]
    settings = {
        "reward.function": FUNCTIONS.get(config["function"], "like-kernel"),
        "reward.correct": config["correct_weight"],
        "reward.speedup": config["performance_weight"],
        "reward.coverage": config["coverage_weight"] if config["coverage_enable"] else 0,
        "reward.speedup_eps": config["speedup_eps"],
        "reward.speedup_upper": config["speedup_upper"],
        "reward.speedup_lower": config["speedup_lower"],
        "reward.failure": p.get("penalty_score", 0.0),
        "reward.compile_fail": p.get("compilation_fail", -0.5),
        "reward.incorrect": p.get("correctness_fail", -0.3),
        "reward.degraded": p.get("perf_degrade", -0.1),
        "coverage.key": "time" if config["coverage_type"] == "time_coverage" else "count",
    }
    return [x for k, v in settings.items() for x in ("-D", f"{k}={v}")]


def plan(case):
    options = policy(case["config"])
    return [(["kg-reward", "-q", "--ungated", "--missing", "zero"] + options, case["records"]),
            (["kg-reward", "-q"] + options, judged(case))]


def judged(case):
    """The records that kg takes without --missing zero: those with a status."""
    return [r for r in case["records"] if "status" in r]


def finite(x):
    x = number(x)
    return isinstance(x, (int, float)) and math.isfinite(x)


def numbers(record, kind):
    """Has a result all numbers that the coverage needs?"""
    meta = record.get("metadata") or {}
    keys = ((("custom_kernel_cuda_time_in_profiling_us",), ("total_kernel_run_time_in_profiling_us",))
            if kind == "time_coverage" else
            (("num_custom_kernels", "num_custom_kernel"), ("num_total_kernels", "num_total_kernel")))
    for names in keys:
        found = [d[n] for n in names for d in (meta, record) if n in d]
        if not found or found[0] is None:
            return False
    return True


def expected(config, record, want):
    """The reward by kg's own rules."""
    done = record["status"] == "completed" and not record.get("decoy_kernel")
    like = config["function"] not in FUNCTIONS
    if not done or (like and not (record.get("compiled") and record.get("correctness"))):
        return want["reward"]
    if not record.get("correctness"):
        return 0.0
    if not finite(record.get("speedup")):
        return None
    if not like and config["coverage_enable"] and not numbers(record, config["coverage_type"]):
        return None
    return want["reward"]


def comparable(record, want):
    if "error_type" in want:
        return False
    speedup = number(record.get("speedup", 0))
    nan_in = isinstance(speedup, float) and math.isnan(speedup)
    return not (nan_in and isinstance(number(want["reward"]), float) and math.isnan(number(want["reward"])))


def judge(case, answers):
    out = []
    if len(answers[0]) != len(case["records"]):
        return [f"{len(answers[0])} answers to {len(case['records'])} records"]
    for i, (record, want, got) in enumerate(zip(case["records"], case["expect"], answers[0])):
        if comparable(record, want):
            out += differ(f"record {i} reward", got["reward"], want["reward"])
            terms = got["reward_terms"]
            out += differ(f"record {i} sum of terms", sum(terms.values()), got["reward"])
        elif got["reward"] is None:
            out.append(f"record {i}: null under --missing zero")
    wants = [w for r, w in zip(case["records"], case["expect"]) if "status" in r]
    for i, (record, want, got) in enumerate(zip(judged(case), wants, answers[1])):
        out += differ(f"judged record {i} by default", got["reward"], expected(case["config"], record, want))
    return out
