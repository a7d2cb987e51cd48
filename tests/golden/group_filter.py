"""group_filter.jsonl: kg-sample's group filter, one record a rollout."""


def kind(case):
    c = case["config"]
    if c.get("sample_selection_strategy") == "efficiency_stochastic":
        return "excluded", "draws by efficiency are not offered (uniform and efficiency are)"
    if "error" in case["expect"][0]:
        return "excluded", "kg-sample does not tie --min-group to --per-group"
    if c.get("reward_threshold") is not None:
        return "excluded", "a threshold on rewards is not offered: jq does it"
    if c.get("remove_clip"):
        return "excluded", "a limit on the response's length is not offered: jq does it"
    return "default", ""


def plan(case):
    c = case["config"]
    argv = ["kg-sample", "-q", "--mark", "--min-group", str(c["min_group_size"]),
            "--per-group", str(c["target_group_size"]), "--by", "efficiency"]
    if c.get("reject_low_variance_groups", True):
        argv += ["--drop-flat", "1e-3"]
    if c.get("target_num_groups") is not None:
        argv += ["--groups", str(c["target_num_groups"])]
    rows = [{"uid": r["uid"], "traj": i, "reward": r["reward"],
             "log_ratio": {"n": r["tokens"], "sum": 0, "min": 0}} for i, r in enumerate(case["records"])]
    return [(argv, rows)]


def judge(case, answers):
    got = [i for i, a in enumerate(answers[0]) if a["sampling"]["keep"]]
    want = case["expect"][0]["selected"]
    return [] if got == want else [f"kept {got}, want {want}"]
