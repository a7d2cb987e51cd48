"""rewards.jsonl: kg-reward on KernelGYM's results, by every function and weight of the case.

The reference does not gate the speedup by correctness and takes what is missing for 0: --ungated
--missing zero. Two inputs have no answer to compare: a NaN speedup, which reaches a program as null
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
    argv = ["kg-reward", "-q", "--ungated", "--missing", "zero"] + policy(case["config"])
    return [(argv, case["records"])]


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
    return out
