"""prs_prob.jsonl and pipeline.jsonl: the probability of keeping a turn, and the order of the trainer.

In geometric mode the reference takes the mean over failed turns too: 'released' where there are any.
"""
import json
import os
import tempfile

from golden import differ, run

KEY = {"time_coverage": "time", "num_coverage": "count"}


def kind(case):
    c = case["config"]
    if c.get("factor") is not None and c["factor"] < 0:
        return "excluded", "a negative ramp is refused"
    failed = any(not r.get("correct", True) for r in case["records"])
    if c["coverage_rs"] == "geometric" and failed:
        return "released", ""
    return "default", ""


def result(correct, decoy, speedup, time, count):
    return {"status": "completed", "compiled": True, "correctness": correct, "decoy_kernel": decoy,
            "speedup": speedup,
            "profile": {"coverage": {"time": time, "count": count, "replaced": None}}}


def options(case):
    c = case["config"]
    out = ["--prs-key", KEY[c["coverage_rs_key"]], "--threshold", repr(c["threshold"]),
           "--ramp", repr(c["factor"] or 0.0)]
    if c.get("speedup_threshold") is not None:
        out += ["--prs-speedup", repr(c["speedup_threshold"])]
    if kind(case)[0] == "released":
        out += ["-p", "drkernel-released", "-D", "prs.round=-1"]
    return out


def is_pipeline(case):
    return "rollout_rs" in case["config"]


def plan(_case):
    return []


def probabilities(case):
    c, rows = case["config"], []
    for i, r in enumerate(case["records"]):
        row = {"uid": r["uid"], "traj": r["traj"], "turn": 1 + i % c["max_turns"],
               "response_mask": [r["valid"]]}
        row.update(result(r["correct"], False, r["speedup"], r["time_coverage"], r["num_coverage"]))
        rows.append(row)
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "summary.json")
        argv = ["kg-sample", "-q", "--mark", "--prs", c["coverage_rs"], "--summary", path]
        answers = run(argv + options(case), rows)
        with open(path, encoding="utf-8") as f:
            summary = json.load(f)
    out = []
    for i, (want, got) in enumerate(zip(case["expect"], answers)):
        s = got["sampling"]
        out += differ(f"record {i} p", s["p"], want["p"])
        out += differ(f"record {i} keep", s["keep"], s["u"] < s["p"])
    for name, w in case.get("metrics", {}).items():
        key = {"mean": "mean_coverage", "min": "min_coverage", "max": "max_coverage"}.get(
            name.replace("coverage_rs_", "").replace("_coverage", ""))
        if key:
            out += differ(name, summary["prs"][key], w)
    return out + ([] if len(answers) == len(rows) else ["not one answer a record"])


def pipeline(case):
    """kg-sample --mark | kg-advantage: rejected rows stay in the baselines, as in the release."""
    c, rows = case["config"], []
    for r in case["records"]:
        if r["turn"] == -1:
            continue
        info = r["info"]
        row = {"uid": r["uid"], "traj": r["traj"], "turn": r["turn"], "mask": r["loss_mask"],
               "reward": r["reward"], "old_log_probs": r["train"], "rollout_log_probs": r["rollout"],
               "response_mask": r["mask"]}
        row.update(result(info.get("correctness", False), info.get("decoy_kernel", False),
                          info.get("performance", 0.0), info.get("time_coverage", 0.0),
                          info.get("num_coverage", 0.0)))
        rows.append(row)
    sample = ["kg-sample", "-q", "--mark", "--weights", "--upper", repr(c["upper"]), "--lower",
              repr(c["lower"])] + options(case)
    advantage = ["kg-advantage", "-q", "--estimator", c["estimator"], "--gamma", repr(c["gamma"])]
    answers, out = iter(run(advantage, run(sample, rows))), []
    for i, (r, want) in enumerate(zip(case["records"], case["expect"])):
        nothing = {"response_mask": [0] * len(r["mask"]), "keep": False, "p": None}
        got = {"sampling": nothing, "advantage": 0} if r["turn"] == -1 else next(answers)
        s = got["sampling"]
        mask = s.get("response_mask", nothing["response_mask"])
        if mask != want["mask"]:
            out.append(f"record {i} mask: got {mask}, want {want['mask']}")
        if r["loss_mask"] and r["turn"] != -1:
            out += differ(f"record {i} p", s["p"], want["p"])
        out += differ(f"record {i} kept", s["keep"] and any(mask), want["kept"])
        out += differ(f"record {i} advantage", got["advantage"], want["advantage"])
    return out


def judge(case, _answers):
    return pipeline(case) if is_pipeline(case) else probabilities(case)
