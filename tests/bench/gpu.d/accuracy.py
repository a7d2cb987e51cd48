"""accuracy.py FOLDER: the table of tests/bench/gpu accuracy from what its runs left in FOLDER."""
import csv
import json
import os
import statistics
import sys

UNITS = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3, "s": 1e6, "second": 1e6}


def profiles(path):
    with open(path, encoding="utf-8") as f:
        records = [json.loads(line) for line in f]
    return {r["id"]: r["profile"] for r in records if r.get("status") == "PASSED" and "profile" in r}


def ncu(folder, how):
    """Median microseconds by name, or {} with a word why not."""
    try:
        with open(os.path.join(folder, f"ncu_{how}.names"), encoding="utf-8") as f:
            names = [line.split()[1] for line in f if line.startswith("replay ")]
        with open(os.path.join(folder, f"ncu_{how}.csv"), encoding="utf-8") as f:
            lines = [line for line in f if line.startswith('"')]
    except OSError:
        return {}
    times = []
    for row in csv.DictReader(lines):
        if row.get("Metric Name") == "gpu__time_duration.sum":
            value = float(row["Metric Value"].replace(",", ""))
            times.append(value * UNITS[row["Metric Unit"]])
    if len(times) != len(names):
        print(f"ncu --cache-control {how}: {len(times)} kernels for {len(names)} calls")
        return {}
    found = {}
    for name, us in zip(names, times):
        found.setdefault(name, []).append(us)
    return {name: statistics.median(v) for name, v in found.items()}


def events(folder):
    found = {}
    try:
        with open(os.path.join(folder, "events.txt"), encoding="utf-8") as f:
            for line in f:
                name, net, _ = line.split()
                found.setdefault(name, []).append(float(net))
    except OSError:
        pass
    return {name: statistics.median(v) for name, v in found.items()}


def percent(a, b):
    return f"{100 * (a / b - 1):+.2f}" if a and b else "-"


def number(x):
    return f"{x:.2f}" if x else "-"


def main():
    folder = sys.argv[1]
    first = profiles(os.path.join(folder, "accuracy_1.jsonl"))
    again = profiles(os.path.join(folder, "accuracy_2.jsonl"))
    cold, ours, pairs = ncu(folder, "all"), ncu(folder, "none"), events(folder)
    head = ["kernel", "kg us", "again us", "repeat %", "p10-p90 %", "pairs", "ncu us", "kg/ncu %",
            "ncu our flush us", "kg/ncu %", "events us", "kg/events %"]
    rows, worst = [], {"repeat": 0.0, "ncu": 0.0, "ours": 0.0, "events": 0.0}
    for name in sorted(first, key=lambda n: first[n]["kernel_us"]["median"]):
        k, a = first[name]["kernel_us"], again.get(name, {}).get("kernel_us", {})
        us, us2 = k["median"], a.get("median")
        rows.append([name, number(us), number(us2), percent(us2, us),
                     f"{100 * (k['p90'] - k['p10']) / us:.2f}", str(k["n"]),
                     number(cold.get(name)), percent(us, cold.get(name)),
                     number(ours.get(name)), percent(us, ours.get(name)),
                     number(pairs.get(name)), percent(us, pairs.get(name))])
        if us >= 20:
            for key, other in (("repeat", us2), ("ncu", cold.get(name)), ("ours", ours.get(name)),
                               ("events", pairs.get(name))):
                if other:
                    worst[key] = max(worst[key], abs(us / other - 1))
    with open(os.path.join(folder, "accuracy.tsv"), "w", encoding="utf-8") as f:
        for row in [head] + rows:
            f.write("\t".join(row) + "\n")
    width = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    for row in [head] + rows:
        print("  ".join(x.ljust(w) if i == 0 else x.rjust(w) for i, (x, w) in enumerate(zip(row, width))))
    print("from 20 us up, largest difference: repeat {repeat:.2%} (bar 0.5 %), ncu {ncu:.2%} (bar 1 %), "
          "ncu with our flush {ours:.2%}, events {events:.2%}".format(**worst))


if __name__ == "__main__":
    main()
