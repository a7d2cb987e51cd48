#!/usr/bin/env python3
"""What a script of json and numpy does for the same answer: estimator.py advantage|sample < rewards.jsonl

advantage: turn-level leave-one-out over discounted returns. sample: the geometric mean of the ratio and
the veto of each rollout's tokens. Records are parsed, changed and written again.
"""
import json
import sys
from collections import defaultdict

import numpy as np


def advantage(rows):
    trajs, groups = defaultdict(list), defaultdict(list)
    for r in rows:
        trajs[r["uid"], r["traj"]].append(r)
    for turns in trajs.values():
        g = 0.0
        for r in sorted(turns, key=lambda r: -r["turn"]):
            g = (np.nan if r["reward"] is None else r["reward"]) + g
            r["return"] = g
            groups[r["uid"], r["turn"]].append(r)
    for members in groups.values():
        g = np.array([r["return"] for r in members])
        ok = ~np.isnan(g)
        n, s = ok.sum(), g[ok].sum()
        a = (n * g - s) / (n - 1) if n > 1 else g
        for r, x in zip(members, a):
            r["advantage"] = None if np.isnan(x) else float(x)
            r["return"] = None if np.isnan(r["return"]) else float(r["return"])


def sample(rows):
    trajs = defaultdict(list)
    for r in rows:
        d = np.array(r["old_log_probs"]) - np.array(r["rollout_log_probs"])
        d = d[np.array(r["response_mask"]) != 0]
        r["sampling"] = {"veto": bool((d < np.log(1e-4)).any())}
        trajs[r["uid"], r["traj"]].append((r, d))
    for turns in trajs.values():
        w = float(np.exp(np.mean(np.concatenate([d for _, d in turns]))))
        for r, _ in turns:
            r["sampling"]["keep"] = 0.999 <= w <= 1.001 and not r["sampling"]["veto"]


def main():
    rows = [json.loads(line) for line in sys.stdin]
    {"advantage": advantage, "sample": sample}[sys.argv[1]](rows)
    for r in rows:
        sys.stdout.write(json.dumps(r) + "\n")


main()
