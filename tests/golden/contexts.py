"""select_turns.jsonl and multi_iter.jsonl: which turns go into the next prompt, by kg-sample --context.

In multi_iter.jsonl every iteration asks kg-sample about all turns so far; its loss mask is that of
kg-advantage --void-mask.
"""
from golden import run

MODE = {"best": "window", "last": "last"}
METRIC = {"reward": "reward", "performance": "speedup", "time_coverage": "coverage",
          "time_coverage_reward": "coverage-reward"}


def rows(records):
    return [{"uid": "p", "traj": 0, "turn": i + 1, "status": "PASSED", "reward": r["reward"],
             "speedup": r["performance"],
             "profile": {"coverage": {"time": r["time_coverage"], "count": None, "replaced": None}}}
            for i, r in enumerate(records)]


def argv(case):
    c = case["config"]
    return ["kg-sample", "-q", "--context", MODE[c["iteration_method"]], "-w", str(c["remain_turns"]),
            "--metric", METRIC[c["best_selection_metric"]]]


def select(case, n):
    return [a["turn"] - 1 for a in run(argv(case), rows(case["records"][:n]))]


def plan(_case):
    return []


def iterations(case):
    c, by, context, total, kept = case["config"], [], [], 0, 0
    for i in range(c["max_iterations"]):
        new = max(1, c["max_user_turns"] - kept)
        by.append(list(range(total, total + new)))
        total += new
        if i + 1 < c["max_iterations"]:
            turns = select(case, total)
            kept = len(turns)
            context.append({"iteration": i + 1, "context": turns, "first_new_turn": total,
                            "messages": [s for t in turns for s in (f"turn {t}", f"feedback {t}")]})
    mask = [a["mask"] for a in run(["kg-advantage", "-q", "--void-mask"], rows(case["records"][:total]))]
    return {"turns_by_iteration": by, "next_context": context, "turns": total, "loss_mask": mask}


def judge(case, _answers):
    if "selected" in case["expect"][0]:
        got = {"selected": select(case, len(case["records"]))}
    else:
        got = iterations(case)
    want = case["expect"][0]
    return [f"{k}: got {got[k]}, want {want[k]}" for k in want if got[k] != want[k]]
