"""Files of log-probabilities, through kg-sample: importance weights, rejection, metrics, the pipeline.

The reference pads each rollout to max_turns; such rows have no token. They stay in, with their place
in the rollout as turn, because the released metrics count them (then the case runs under that policy
and is 'released'). The reference divides by n + 1e-8, kg by n: 1e-6, and 2e-4 for its _std.
"""
import json
import os
import tempfile

from golden import differ, near, number, run

MISMATCH = {"training_ppl", "training_log_ppl", "rollout_ppl", "rollout_log_ppl", "kl", "k3_kl",
            "log_ppl_diff", "log_ppl_abs_diff", "log_ppl_diff_max", "log_ppl_diff_min", "ppl_ratio",
            "chi2_token", "chi2_seq"}
OTHER_NAMES = {"ratio_fraction_high": "fraction_high", "ratio_fraction_low": "fraction_low",
               "eff_sample_size": "eff_sample_fraction"}
VETO = {"rollout_is_veto_fraction": "row_fraction",
        "rollout_is_catastrophic_token_fraction": "token_fraction"}


def has_empty(case):
    return any(not any(r["mask"]) for r in case["records"])


def kind(case):
    c, name = case["config"], case["case"]
    if name == "no_rollout_logprobs":
        return "excluded", "without rollout log-probabilities there is no ratio to measure"
    if name in ("turn_needs_turns", "turn_geo_needs_turns"):
        return "excluded", "kg takes the levels of turns for rollouts of one turn as well"
    if name == "veto_not_positive":
        return "excluded", "--veto 0 switches the veto off"
    if name == "empty_mask":
        return "excluded", "a batch without a token is no error"
    if has_empty(case) and case.get("metrics") or name.startswith("mismatch") and has_empty(case):
        return "released", ""
    return "default", ""


def records(case):
    """Rows with their place in the rollout as turn."""
    out, place = [], {}
    for r in case["records"]:
        key = (r.get("uid"), r["traj"])
        place[key] = place.get(key, 0) + 1
        out.append({"uid": r.get("uid", "p"), "traj": r["traj"], "turn": place[key],
                    "old_log_probs": r["train"], "rollout_log_probs": r["rollout"],
                    "response_mask": r["mask"]})
    return out


def argv(case, summary):
    c = case["config"]
    out = ["kg-sample", "-q", "--mark", "--weights", "--summary", summary,
           "--rs", (c.get("rollout_rs") or "none").replace("_", "-")]
    if kind(case)[0] == "released":
        out += ["-p", "drkernel-released"]
    if c.get("rollout_is"):
        out += ["--is", c["rollout_is"], "--is-upper", repr(c.get("rollout_is_threshold", 2.0))]
    if c.get("rollout_rs"):
        out += ["--upper", repr(c.get("upper", 2.0))]
        if c.get("lower") is not None:
            out += ["--lower", repr(c["lower"])]
    veto = c.get("veto", c.get("rollout_token_veto_threshold"))
    if veto is not None:
        out += ["--veto", repr(veto)]
    return out


def execute(case):
    """Answers and summary of one run."""
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "summary.json")
        answers = run(argv(case, path), records(case))
        with open(path, encoding="utf-8") as f:
            return answers, json.load(f)


def plan(_case):
    return []


def compare_rows(case, answers):
    out = []
    for i, (r, want, got) in enumerate(zip(case["records"], case["expect"], answers)):
        s = got["sampling"]
        if "mask" in want:
            out += [] if s["response_mask"] == want["mask"] else [
                f"record {i} mask: got {s['response_mask']}, want {want['mask']}"]
        for j, w in enumerate(want.get("is", [])):
            if not r["mask"][j]:
                w = 0.0  # the reference has NaN * 0 there in one case
            out += differ(f"record {i} token {j} weight", s["is_weights"][j], w)
    return out


def find(summary, name):
    """The summary's number for a metric of the reference; None when it has none."""
    if name in VETO:
        return summary.get("veto", {}).get(VETO[name], 0.0)
    for prefix, part in (("mismatch_", "mismatch"), ("rollout_is_", "is"), ("rollout_rs_", "rs")):
        if name.startswith(prefix):
            key = name[len(prefix):]
            return summary.get(part, {}).get(OTHER_NAMES.get(key, key))
    return None


def compare_metrics(want, summary):
    out = []
    for name, w in want.items():
        got = find(summary, name)
        if got is None:
            out.append(f"{name}: not in the summary")
        elif name.endswith("_std"):
            out += [] if abs(got - w) <= 2e-4 else [f"{name}: got {got!r}, want {w!r}"]
        elif not near(got, number(w), 1e-6):
            out.append(f"{name}: got {got!r}, want {w!r}")
    return out


def judge(case, _answers):
    if "error" in case["expect"][0]:
        try:
            execute(case)
        except RuntimeError:
            return []
        return ["the reference refuses this input, kg-sample does not"]
    answers, summary = execute(case)
    if len(answers) != len(case["records"]):
        return [f"{len(answers)} answers to {len(case['records'])} records"]
    if "train" in case["records"][0] and "mismatch_training_ppl" in case["expect"][0]:
        return compare_metrics(case["expect"][0], summary)
    return compare_rows(case, answers) + compare_metrics(case.get("metrics", {}), summary)
