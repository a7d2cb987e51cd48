"""turn_info.jsonl: reward and two-decimal coverage of the answer that stands.

Judging again above the clip is the trainer's business: the second result is handed in where the
reference asked for it. Coverage is read as the reward of policies that pay nothing else.
"""
import rewards
from golden import differ


def standing(case):
    out = []
    for record, want in zip(case["records"], case["expect"]):
        results = record["results"]
        out.append(results[min(want["evaluations"], len(results)) - 1])
    return out


def plan(case):
    records = standing(case)
    base = ["kg-reward", "-q", "--ungated", "--missing", "zero"]
    only = ["-D", "reward.correct=0", "-D", "reward.speedup=0", "-D", "reward.coverage=1", "-D", "coverage.round=2"]
    return [(base + rewards.policy(case["config"]), records),
            (base + only + ["-D", "coverage.key=time"], records),
            (base + only + ["-D", "coverage.key=count"], records)]


def judge(case, answers):
    out = []
    for i, want in enumerate(case["expect"]):
        # it went through a float32 tensor
        out += differ(f"record {i} reward", answers[0][i]["reward"], want["reward"], 1e-6)
        out += differ(f"record {i} time_coverage", answers[1][i]["reward"], want["time_coverage"])
        out += differ(f"record {i} num_coverage", answers[2][i]["reward"], want["num_coverage"])
    return out
