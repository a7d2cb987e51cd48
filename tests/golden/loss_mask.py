"""loss_mask.jsonl: kg-advantage --void-mask. A masked row is one that is in no group (group_size 0)."""
from golden import differ

VOID = ("error", "async_timeout")


def kind(case):
    c = case["config"]
    if not c["mask_void_turn"] and c["finish_reason"] in VOID:
        return "excluded", "how a rollout ended is looked at under --void-mask only"
    return "default", ""


def plan(case):
    c = case["config"]
    argv = ["kg-advantage", "-q"] + (["--void-mask"] if c["mask_void_turn"] else [])
    rows = [{"uid": "p", "traj": 0, "turn": r["turn"], "reward": r["reward"],
             "finish_reason": c["finish_reason"]} for r in case["records"]]
    return [(argv, rows)]


def judge(case, answers):
    out = []
    if len(answers[0]) != len(case["expect"]):
        return ["not one answer a record"]
    for i, (want, got) in enumerate(zip(case["expect"], answers[0])):
        out += differ(f"record {i}", int(got["group_size"] > 0), want["mask"])
        if case["config"]["mask_void_turn"]:
            out += differ(f"record {i} mask", got["mask"], want["mask"])
    return out
