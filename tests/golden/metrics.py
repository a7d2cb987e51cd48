"""metrics.jsonl: kg-report --json against the trainer's metrics.

A sample of the reference is a uid there and a trajectory here. An absent speedup or coverage counts
as 0 in the reference and as unknown in kg, so the records get the 0 in writing. A row without any
result has no status and counts as not judged here, as abnormal there.
"""
from golden import differ

FAST = ("1", "1.2", "1.5", "2", "3")
QUARTERS = ("top_25", "p25_50", "p50_75", "p75_100")
SPREAD = (("mean", "mean"), ("max", "max"), ("min", "min"))
RESULT = ("correctness", "performance", "compilation", "success")


def record(row, traj=0):
    info = row["info"]
    out = {"uid": row["uid"], "traj": traj, "turn": row["turn"]}
    if any(k in info for k in RESULT):
        out.update(status="completed", correctness=info.get("correctness", False),
                   compiled=info.get("compilation", False), decoy_kernel=info.get("decoy_kernel", False),
                   speedup=info.get("performance", 0.0),
                   metadata={"custom_kernel_cuda_time_in_profiling_us": info.get("time_coverage") or 0.0,
                             "total_kernel_run_time_in_profiling_us": 1,
                             "num_custom_kernels": info.get("num_coverage") or 0.0, "num_total_kernels": 1})
    else:
        out["status"] = None
    return out


def plan(case):
    return [(["kg-report", "-q", "--json", "--average", "sample"], [record(r) for r in case["records"]])]


def spread(pre, suffix, what, s, out):
    if s["n"]:
        for theirs, ours in SPREAD:
            out[f"{pre}{theirs}_{what}{suffix}"] = s[ours]


def fast_and_quarters(pre, suffix, fast, s, out):
    if not s["n"]:
        return
    for p in FAST:
        out[f"{pre}fast@{p}{suffix}"] = fast[p]
    for name, v in zip(QUARTERS, s["quarters"]):
        out[f"{pre}performance_percentile{suffix}/{name}"] = v


def family(pre, s, out):
    """What turn_t and best_by_turn_t share."""
    out[pre + "correctness_rate"], out[pre + "count"] = s["correct_rate"], s["count"]
    out[pre + "mean_performance"] = s["speedup"]["mean"] if s["speedup"]["n"] else 0.0
    out[pre + "max_performance"] = s["speedup"]["max"]
    out[pre + "mean_performance_in_all"] = s["speedup_in_all"]["mean"]
    fast_and_quarters(pre, "", s["fast_of_correct"], s["speedup"], out)
    fast_and_quarters(pre, "_in_all", s["fast"], s["speedup_in_all"], out)


def theirs(report, case):
    """The reference's names for the report's numbers."""
    d, out = report["denominators"], {}
    rows = [r for r in case["records"] if r["turn"] != -1]
    actual = d["records"] - d["padding"]
    out.update({"data/total_actual_turns": actual, "data/filtered_abnormal_turns": d["not_judged"],
                "data/valid_turns": d["judged"], "data/has_keys_count": d["judged"],
                "data/abnormal_turns_rate": d["not_judged"] / actual, "data/valid_turns_rate": d["judged"] / actual,
                "data/padding_turns": d["padding"], "data/unique_samples": d["samples"]})
    # what only the reference's own fields tell: counted from the case, not claimed for kg-report
    late = sum(r["info"].get("status") == "timeout" for r in rows)
    out.update({"data/empty_dict_count": sum(not r["info"] for r in rows), "data/total_timeout_turns": late,
                "data/timeout_turns_rate": late / actual})
    for s in report["turns"]:
        pre = f"turn_{s['turn']}/"
        family(pre, s, out)
        if not s["count"]:
            continue
        out[pre + "compilation_rate"], out[pre + "min_performance"] = s["compiled_rate"], s["speedup"]["min"]
        for what, ours in (("time_coverage", "time_coverage"), ("num_coverage", "count_coverage")):
            spread(pre, "", what, s[ours], out)
            spread(pre, "_in_all", what, s[ours + "_in_all"], out)
    for s in report["best_by_turn"]:
        family(f"best_by_turn_{s['turn']}/", s, out)
    out["final/correctness_rate"] = report["final"]["correct_rate"]
    out["final/mean_performance"] = report["final"]["speedup"]["mean"]
    i = report["improvement"]
    out.update({"improvement/first_turn_correct_rate": i["first_correct_rate"],
                "improvement/last_turn_correct_rate": i["last_correct_rate"],
                "improvement/improved_samples": i["improved"], "improvement/regressed_samples": i["regressed"],
                "improvement/net_improvement": i["improved"] - i["regressed"]})
    return out


def judge(case, answers):
    want, report = case["expect"][0], answers[0][0]
    if not want:
        return differ("judged", report["denominators"]["judged"], 0)
    got, out = theirs(report, case), []
    for key, value in want.items():
        out += differ(key, got.get(key), value) if key in got else [f"{key}: not in the report"]
    return out
