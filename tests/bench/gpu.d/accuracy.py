"""accuracy.py FOLDER: the tables of tests/bench/gpu accuracy from what its runs left in FOLDER.

gpu__time_duration of ncu starts before a kernel's first block does and ends after its last one: a
constant part that CUPTI's kernel records do not hold. It is taken from the kernels under 20 us and
shown beside the plain difference, so that a reader sees both.
"""
import csv
import json
import os
import statistics
import sys

UNITS = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3, "s": 1e6, "second": 1e6}
HERTZ = {"hz": 1e-6, "Hz": 1e-6, "cycle/second": 1e-6, "Ghz": 1e3, "Mhz": 1}


def profiles(path):
    with open(path, encoding="utf-8") as f:
        records = [json.loads(line) for line in f]
    return {r["id"]: r["profile"] for r in records if r.get("status") == "PASSED" and "profile" in r}


def ncu(folder, how):
    """Median microseconds and median MHz by name; empty, with a word why, when they do not fit."""
    try:
        with open(os.path.join(folder, f"ncu_{how}.names"), encoding="utf-8") as f:
            names = [line.split()[1] for line in f if line.startswith("replay ")]
        with open(os.path.join(folder, f"ncu_{how}.csv"), encoding="utf-8") as f:
            rows = list(csv.DictReader(line for line in f if line.startswith('"')))
    except OSError:
        return {}, {}
    times, clocks = [], []
    for row in rows:
        value = float(row["Metric Value"].replace(",", ""))
        if row["Metric Name"] == "gpu__time_duration.sum":
            times.append(value * UNITS[row["Metric Unit"]])
        else:
            clocks.append(value * HERTZ.get(row["Metric Unit"], 1e-6))
    if len(times) != len(names):
        print(f"ncu {how}: {len(times)} kernels for {len(names)} calls")
        return {}, {}
    return by_name(names, times), by_name(names, clocks)


def by_name(names, values):
    found = {}
    for name, value in zip(names, values):
        found.setdefault(name, []).append(value)
    return {name: statistics.median(v) for name, v in found.items()}


def events(folder):
    try:
        with open(os.path.join(folder, "events.txt"), encoding="utf-8") as f:
            lines = [line.split() for line in f]
    except OSError:
        return {}
    return by_name([x[0] for x in lines], [float(x[1]) for x in lines])


def percent(a, b):
    return f"{100 * (a / b - 1):+.2f}" if a and b else "-"


def number(x, digits=2):
    return f"{x:.{digits}f}" if x else "-"


def constant(times, us):
    """What 'times' holds more than kernel_us, from the kernels under 20 us."""
    more = [times[n] - us[n] for n in us if us[n] < 20 and n in times]
    return statistics.median(more) if more else 0.0


def show(folder, head, rows):
    with open(os.path.join(folder, "accuracy.tsv"), "w", encoding="utf-8") as f:
        for row in [head] + rows:
            f.write("\t".join(row) + "\n")
    width = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    for row in [head] + rows:
        print("  ".join(x.ljust(w) if i == 0 else x.rjust(w) for i, (x, w) in enumerate(zip(row, width))))


def main():
    folder = sys.argv[1]
    first = profiles(os.path.join(folder, "accuracy_1.jsonl"))
    again = profiles(os.path.join(folder, "accuracy_2.jsonl"))
    us = {n: p["kernel_us"]["median"] for n, p in first.items()}
    us2 = {n: p["kernel_us"]["median"] for n, p in again.items()}
    (cold, clock), (cold2, _), (ours, _) = ncu(folder, "all"), ncu(folder, "again"), ncu(folder, "ours")
    pairs = events(folder)
    part, part_ours = constant(cold, us), constant(ours, us)
    head = ["kernel", "kg us", "repeat %", "p10-p90 %", "pairs", "MHz", "ncu us", "repeat %", "MHz",
            "kg/ncu %", "less constant", "ncu our flush us", "kg/ncu %", "less constant", "events us",
            "kg/events %"]
    rows, worst = [], {}
    for name in sorted(us, key=us.get):
        k, t = first[name]["kernel_us"], us[name]
        less = cold[name] - part if name in cold else None
        less_ours = ours[name] - part_ours if name in ours else None
        rows.append([name, number(t), percent(us2.get(name), t),
                     f"{100 * (k['p90'] - k['p10']) / t:.2f}", str(k["n"]),
                     number(first[name]["device"]["sm_clock_mhz"], 0),
                     number(cold.get(name)), percent(cold2.get(name), cold.get(name)),
                     number(clock.get(name), 0), percent(t, cold.get(name)), percent(t, less),
                     number(ours.get(name)), percent(t, ours.get(name)), percent(t, less_ours),
                     number(pairs.get(name)), percent(t, pairs.get(name))])
        if t >= 20:
            for key, a, b in (("kg run to run", us2.get(name), t),
                              ("ncu run to run", cold2.get(name), cold.get(name)),
                              ("against ncu", t, cold.get(name)), ("less its constant", t, less),
                              ("against ncu with our flush", t, ours.get(name)),
                              ("less its constant ", t, less_ours), ("against events", t, pairs.get(name))):
                if a and b:
                    worst.setdefault(key, []).append(abs(a / b - 1))
    show(folder, head, rows)
    print(f"constant part of ncu's times: {part:.2f} us, with our flush {part_ours:.2f} us")
    print("from 20 us up, largest and median difference: "
          + ", ".join(f"{key.strip()} {max(v):.2%} {statistics.median(v):.2%}" for key, v in worst.items()))


if __name__ == "__main__":
    main()
