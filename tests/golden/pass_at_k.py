"""pass_at_k.jsonl: kg-report --pass K against the trainer's unbiased estimate.

A problem is a task, a score a sample of one turn that is right from the threshold on. The answer of
main_grading (any of n as soon as k pass) is not reproduced.
"""
from golden import differ


def plan(case):
    c = case["config"]
    records = [{"uid": i, "traj": j, "turn": 1, "status": "completed", "compiled": True,
                "correctness": s >= c["threshold"], "speedup": s}
               for i, r in enumerate(case["records"]) for j, s in enumerate(r["scores"])]
    return [(["kg-report", "-q", "--json", "--pass", str(c["k"])], records)]


def judge(case, answers):
    p = answers[0][0]["pass_at_k"][0]
    want = case["expect"][0]["trainer"]
    return (differ("pass@k", p["final"], want) + differ("pass@k by the best turn", p["best"], want)
            + differ("tasks", p["tasks"], len(case["records"])))
