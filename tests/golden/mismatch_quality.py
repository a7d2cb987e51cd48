"""mismatch_quality.jsonl: kg-report's 'sampling' object.

A row that had tokens and lost all of them is one that kg-sample marks with keep: false; a row that
was empty before counts as kept, as in the reference. Rows without any info take no part; one whose
info holds no result counts as wrong there, so it goes in as a failed one.
"""
import metrics
from golden import differ

FAST = metrics.FAST


def plan(case):
    records = []
    for i, row in enumerate(case["records"]):
        if row["info"]:
            r = metrics.record(dict(row, turn=1), i)
            r["status"] = r["status"] or "failed"
            r["sampling"] = {"keep": not (row["before"] > 0 and row["after"] == 0)}
            records.append(r)
    return [(["kg-report", "-q", "--json", "--average", "sample"], records)]


def side(pre, s, out):
    out[pre + "count"] = s["count"]
    if not s["count"]:
        return
    out[pre + "correct_count"], out[pre + "incorrect_count"] = s["correct"], s["count"] - s["correct"]
    out[pre + "correct_rate"] = s["correct_rate"]
    out[pre + "mean_performance"] = s["speedup"]["mean"] if s["speedup"]["n"] else 0.0
    out[pre + "max_performance"], out[pre + "min_performance"] = s["speedup"]["max"], s["speedup"]["min"]
    out[pre + "mean_performance_in_all"] = s["speedup_in_all"]["mean"]
    for p in FAST:
        out[f"{pre}fast@{p}"], out[f"{pre}fast@{p}_in_all"] = s["fast_of_correct"][p], s["fast"][p]


def judge(case, answers):
    want, q, got, out = case["expect"][0], answers[0][0].get("sampling"), {}, []
    if q is None:
        return [f"no sampling in the report, want {k}" for k, v in want.items() if v]
    side("masked/", q["of_rejected"], got)
    side("non_masked/", q["of_kept"], got)
    got["overall_mask_rate"] = q["rejected_rate"]
    # a share of nothing is 0 in the reference and null here
    got["correct/mask_rate"] = q["rejected_rate_of_correct"] or 0.0
    got["incorrect/mask_rate"] = q["rejected_rate_of_incorrect"] or 0.0
    for p in FAST:
        rate = q["rejected_rate_of_fast"][p] or 0.0
        got[f"fast@{p}/mask_rate"] = got[f"fast@{p}_in_all/mask_rate"] = rate
    for key, value in want.items():
        out += differ(key, got.get(key), value) if key in got else [f"{key}: not in the report"]
    return out
