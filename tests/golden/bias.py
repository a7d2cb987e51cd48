"""bias.jsonl: the exact expected gradient. Every outcome of N rollouts is a group of its own, weighted
by its probability; all of them go through kg-advantage in one run. To 1e-12.

The released void mask is not taken from the records but computed by --void-mask.
"""
import math

from golden import near, run

TOLERANCE = 1e-12


def plan(_case):
    return []


def advantages(case, estimator, void):
    argv = ["kg-advantage", "-q", "--estimator", estimator, "--gamma", repr(case["config"]["gamma"])]
    rows = [{k: r[k] for k in ("uid", "traj", "turn", "reward")} for r in case["records"]]
    return run(argv + (["--void-mask"] if void else []), rows)


def gradient(case, answers, turn, key="advantage"):
    terms = [r["weight"] * r["score"] * a[key]
             for r, a in zip(case["records"], answers) if r["turn"] == turn]
    return math.fsum(terms) / case["config"]["N"]


def truth(case):
    rewards = [r["reward"] for r in case["records"]]
    p = case["config"]["p"]
    return p * (1 - p) * (max(rewards) - min(rewards))


def value(case, key):
    if key == "true_gradient":
        return truth(case)
    if key == "grpo_over_true":
        return gradient(case, advantages(case, "grpo", False), 1) / truth(case)
    if key in ("trloo", "grpo"):
        return gradient(case, advantages(case, key, False), 1)
    turn = int(key[-1])
    if key.startswith("true_turn"):
        return gradient(case, advantages(case, "trloo", False), turn, "return")
    return gradient(case, advantages(case, key.split("_")[0], "void" in key), turn)


def judge(case, _answers):
    out = []
    for key, want in case["expect"][0].items():
        got = value(case, key)
        if not near(got, want, TOLERANCE):
            out.append(f"{key}: got {got!r}, want {want!r}")
    return out
