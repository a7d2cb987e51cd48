#!/usr/bin/env python3
"""Rollouts with token arrays, about 100 KB a record, for benchmarks: rollouts.py MB [--small]

16 trajectories of 3 turns a prompt; verdicts, speedups and coverages as a judge would leave them. The
numbers are drawn once into a pool of arrays, since it is the programs that are to be measured.
--small: without token arrays, about 300 bytes a record.
"""
import random
import sys

TOKENS, POOL, TRAJS, TURNS = 2300, 48, 16, 3
rng = random.Random(7)


def arrays():
    old, rollout, mask = [], [], []
    for j in range(TOKENS):
        x = -rng.expovariate(1.5)
        old.append(repr(x))
        rollout.append(repr(x + rng.gauss(0, 0.002)))
        mask.append("1" if j < TOKENS - 100 else "0")
    return ('"old_log_probs":[%s],"rollout_log_probs":[%s],"response_mask":[%s],'
            % (",".join(old), ",".join(rollout), ",".join(mask)))


def result():
    kind = rng.random()
    if kind < 0.6:
        s, c = rng.uniform(0.5, 4), rng.random()
        return ('"status":"PASSED","compiled":true,"correctness":true,"decoy_kernel":false,"speedup":%r,'
                '"profile":{"ok":true,"speedup":%r,"speedup_lo":%r,"speedup_hi":%r,'
                '"coverage":{"time":%r,"count":0.5,"replaced":%r},"emulated":false}'
                % (s, s, s * 0.98, s * 1.02, c, min(1, c + 0.1)))
    if kind < 0.98:
        return ('"status":"COMPILE_ERROR","error_code":"COMPILATION_ERROR","compiled":false,'
                '"correctness":false,"decoy_kernel":false,"speedup":null')
    return '"status":"JUDGE_FAULT","compiled":null,"correctness":null,"decoy_kernel":null,"speedup":null'


def main():
    limit = float(sys.argv[1]) * 1e6
    pool = [""] if "--small" in sys.argv else [arrays() for _ in range(POOL)]
    out, written, prompt, n = sys.stdout, 0, 0, 0
    while written < limit:
        for traj in range(TRAJS):
            for turn in range(1, TURNS + 1):
                line = '{"uid":"p%d","traj":%d,"turn":%d,"done":%s,%s%s}\n' % (
                    prompt, traj, turn, "true" if turn == TURNS else "false", pool[n % len(pool)],
                    result())
                out.write(line)
                written += len(line)
                n += 1
        prompt += 1


main()
