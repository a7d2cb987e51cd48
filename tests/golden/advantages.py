"""Files whose answers are returns and advantages, through kg-advantage.

Rows of turns that are not there (turn -1) are left out; their own answer must be 0. A file that
groups by trajectory alone gets one uid for all.
"""
from golden import differ, number, run

ESTIMATOR = {"turn_independent_grpo": "turn-grpo", "erloo_norm": "erloo-norm", "grpo_std": "grpo",
             "grpo_no_std": "grpo", "rloo_vectorized": "rloo"}
UPSTREAM_ONLY = {"opo": "length-weighted baselines are not offered",
                 "reinforce_plus_plus_baseline": "whitening over tokens is not offered"}
LARGE = 1e6  # what rewards near 1e6 do to the rounding


def is_nan(x):
    x = number(x)
    return isinstance(x, float) and x != x


def kind(case):
    config = case["config"]
    if config.get("reward_shaping") is not None or "unbiased_shaping" in config:
        return "excluded", "reward shaping is not offered"
    if config.get("estimator") in UPSTREAM_ONLY:
        return "excluded", UPSTREAM_ONLY[config["estimator"]]
    if any(is_nan(r.get("reward", 0)) for r in case["records"]):
        return "excluded", "a NaN reward reaches a program as null and spoils no other row"
    if "advantages" in case["records"][0]:
        return "excluded", "standardisation of token-level advantages is not offered"
    if case.get("oddity") and config.get("batch_std"):
        return "excluded", "an error of the reference's batch_std, which no policy repeats"
    return ("released", "") if is_released(case) else ("default", "")


def is_released(case):
    """The reference divides by whatever std there is; by default one below 1e-6 counts as 1."""
    tiny = case["config"].get("estimator") == "erloo_norm" and case["case"] == "tiny_rewards"
    return case.get("oddity", False) or tiny


def argv(case):
    config = case["config"]
    est = config.get("estimator", "trloo")
    out = ["kg-advantage", "-q", "--estimator", ESTIMATOR.get(est, est),
           "--gamma", repr(config.get("gamma", 1.0))]
    if is_released(case):
        out += ["-p", "drkernel-released", "-D", "advantage.void_mask=false"]
    if est == "grpo_std" or "epsilon" in config:
        out += ["--std"]
    if est == "rloo_vectorized":
        out += ["--singleton", "zero"]
    if config.get("batch_std"):
        out += ["--batch-std"]
    return out


def present(case):
    return [r for r in case["records"] if r.get("turn", 1) != -1]


def record(r):
    out = {"uid": r.get("uid", "p"), "traj": r.get("traj", 0), "turn": r.get("turn", 1),
           "reward": r["reward"]}
    if "mask" in r:
        out["mask"] = r["mask"]
    return out


def plan(case):
    if "error" in case["expect"][0]:
        return []
    return [(argv(case), [record(r) for r in present(case)])]


def refuses(case):
    try:
        run(argv(case), [record(r) for r in present(case)])
    except RuntimeError:
        return []
    return ["the reference refuses this input, kg-advantage does not"]


def tolerance(case):
    if case["case"] == "large_offset" or case["case"].startswith("large"):
        return 1e-9 * LARGE
    return 1e-6 if case["config"].get("batch_std") else 1e-9


def judge(case, answers):
    if "error" in case["expect"][0]:
        return refuses(case)
    out, got = [], iter(answers[0])
    if len(answers[0]) != len(present(case)):
        return [f"{len(answers[0])} answers to {len(present(case))} records"]
    for i, (r, want) in enumerate(zip(case["records"], case["expect"])):
        row = {"return": 0, "advantage": 0} if r.get("turn", 1) == -1 else next(got)
        for key in ("advantage", "return"):
            if key in want:
                out += differ(f"record {i} {key}", row[key], want[key], tolerance(case))
    return out
