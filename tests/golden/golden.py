"""What the converters of golden cases share.

A converter NAME.py turns a case of NAME.jsonl into runs of kg's programs and judges their answers:

    plan(case)            -> list of (argv, records): argv[0] is a program, records its input lines
    judge(case, answers)  -> list of complaints; answers holds the output objects of each run
    kind(case)            -> ("default" | "released" | "excluded", reason); optional, default "default"

'python3 tests/golden/golden.py NAME ...' runs the files named, with the programs of $KG_BIN or PATH.
"""
import importlib
import json
import math
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class Raw(str):
    """A number with a spelling of its own: 1e999 is how JSON says infinity."""


def number(x):
    """A number of a golden file as Python has it."""
    return WORDS.get(x, x) if isinstance(x, str) else x


def text(record):
    """One line of strict JSON: NaN as null, infinities as 1e999."""
    def plain(v):
        if isinstance(v, dict):
            return {k: plain(x) for k, x in v.items()}
        if isinstance(v, list):
            return [plain(x) for x in v]
        v = number(v)
        if isinstance(v, float) and math.isnan(v):
            return None
        if isinstance(v, float) and math.isinf(v):
            return "\x00inf" if v > 0 else "\x00-inf"
        return v
    line = json.dumps(plain(record), allow_nan=False)
    return line.replace('"\\u0000inf"', "1e999").replace('"\\u0000-inf"', "-1e999")


def near(got, want, tol=1e-9):
    got, want = number(got), number(want)
    if isinstance(want, bool) or want is None or isinstance(want, str):
        return got == want
    if got is None or isinstance(got, (bool, str)):
        return False
    if math.isnan(want) or math.isinf(want):
        return got == want or (math.isnan(want) and math.isnan(got))
    return abs(got - want) <= tol * max(1.0, abs(want))


def differ(where, got, want, tol=1e-9):
    """A list of no or one complaint."""
    return [] if near(got, want, tol) else [f"{where}: got {got!r}, want {want!r}"]


def run(argv, records):
    """The output objects of one run; a program that fails is an error."""
    program = os.path.join(os.environ["KG_BIN"], argv[0]) if os.environ.get("KG_BIN") else argv[0]
    lines = "".join(text(r) + "\n" for r in records)
    p = subprocess.run([program] + argv[1:], input=lines.encode(), capture_output=True, check=False)
    if p.returncode:
        raise RuntimeError(f"{' '.join(argv)}: exit status {p.returncode}: {p.stderr.decode().strip()}")
    return [json.loads(x) for x in p.stdout.decode().splitlines()]


def check(name, path=None):
    """Runs a file: a list of (case, kind, reason, complaints)."""
    module = importlib.import_module(name)
    out = []
    with open(path or os.path.join(HERE, name + ".jsonl"), encoding="utf-8") as f:
        for line in f:
            case = json.loads(line)
            kind, reason = module.kind(case) if hasattr(module, "kind") else ("default", "")
            complaints = []
            if kind != "excluded":
                try:
                    answers = [run(argv, records) for argv, records in module.plan(case)]
                    complaints = module.judge(case, answers)
                except (RuntimeError, KeyError, IndexError, TypeError) as e:
                    complaints = [f"{type(e).__name__}: {e}"]
            out.append((case["case"], kind, reason, complaints))
    return out


def main(names):
    bad = 0
    for name in names:
        results = check(name)
        count = {k: sum(1 for r in results if r[1] == k) for k in ("default", "released", "excluded")}
        for case, _, _, complaints in results:
            for c in complaints[:3]:
                print(f"not ok {name} {case}: {c}")
            bad += bool(complaints)
        print(f"{name}: " + ", ".join(f"{v} {k}" for k, v in count.items() if v))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.path.insert(0, HERE)
    sys.exit(main(sys.argv[1:]))
