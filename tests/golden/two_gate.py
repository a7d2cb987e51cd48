"""two_gate.jsonl: kg-sample's gates. Batch statistics of the reference's filter are not compared."""
from golden import differ


def plan(case):
    c = case["config"]
    argv = ["kg-sample", "-q", "--mark", "--rs", "none"]
    if c["enable_gate1"]:
        argv += ["--gate-drift", repr(c["bias_epsilon"])]
    if c["enable_gate2"] and any("top" in r for r in case["records"]):
        argv += ["--gate-extreme", repr(c["instability_threshold"])]
    rows = []
    for i, r in enumerate(case["records"]):
        row = {"uid": "p", "traj": i, "old_log_probs": r["train"], "rollout_log_probs": r["rollout"],
               "response_mask": r["mask"]}
        if "top" in r:
            row["top_log_probs"] = r["top"]
        rows.append(row)
    return [(argv, rows)]


def judge(case, answers):
    out = []
    for i, (want, got) in enumerate(zip(case["expect"], answers[0])):
        s = got["sampling"]
        out += differ(f"record {i} keep", s["keep"], want["keep"])
        if "bias" in want:
            out += differ(f"record {i} drift", abs(s["log_ratio"]), want["bias"], 1e-6)
        if "min_diff" in want and "extreme" in s:
            got_min = float("inf") if s["extreme"] is None else s["extreme"]
            out += differ(f"record {i} extreme", got_min, want["min_diff"])
    return out + ([] if len(answers[0]) == len(case["records"]) else ["not one answer a record"])
