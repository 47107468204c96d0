#!/usr/bin/env python3
"""Does counters.py read what Nsight Compute prints, and do claims.py's shares and ratios follow? Against a stand-in for ncu, which prints
random numbers in the form of `ncu --csv --page raw` and knows one metric less than it is asked for.
"""

import contextlib
import io
import json
import os
import random
import sys
import tempfile
from pathlib import Path

import claims
import counters

UNKNOWN = counters.CLASSES["communication"]
STAND_IN = """#!{python}
import random, sys
arguments = sys.argv[1:]
if arguments == ["--query-metrics"]:
    sys.exit(print(*(f"{{m.split('.')[0]}}   Counter   inst" for m in {known}), sep="\\n"))
after = lambda flag: arguments[arguments.index(flag) + 1]
metrics = after("--metrics").split(",")
if {unknown!r} in metrics:
    sys.exit(print("==ERROR== Failed to find metric {unknown}") or 1)
variants, degrees = (arguments[-i].split(",") for i in (4, 2))
in_kernels = "app-range" not in arguments
draw = random.Random({seed})
with open(after("--log-file"), "w") as log:
    print("==PROF== Connected", file=log)
    print(*(f'"{{c}}"' for c in ["ID", "Kernel Name", *metrics]), sep=",", file=log)
    print(*(f'"{{c}}"' for c in ["", "", *("ns" if "time" in m else "" for m in metrics)]), sep=",", file=log)
    for variant in variants:
        for _ in range(len(degrees) * (32 if in_kernels and variant == "symmetric" else 1)):
            print('"0","kernel"', *(f'"{{draw.randrange(1000, 9999):,}}.5"' for m in metrics), sep=",", file=log)
"""


def expect(condition, sentence):
    if not condition:
        sys.exit(sentence)


def measured(folder, seed, run):
    """Lines of one run with the stand-in first on the PATH, and what was said of missing metrics."""
    known = [m for m in (*counters.INSTRUCTIONS.values(), *counters.UTILISATION.values()) if m != UNKNOWN]
    stand_in = folder / "ncu"
    stand_in.write_text(STAND_IN.format(python=sys.executable, known=known, unknown=UNKNOWN, seed=seed))
    stand_in.chmod(0o755)
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        lines = counters.measure("kohnke", folder, *run)
    return lines, said.getvalue()


def check_instructions(folder, seed):
    run = ("instructions", "kernels", ("naive", "symmetric"), (2, 20))
    lines, said = measured(folder, seed, run)
    found = [(x["variant"], x["p"]) for x in lines]
    expect(found == [("naive", 2), ("naive", 20), ("symmetric", 2), ("symmetric", 20)], f"lines are out of order: {found}")
    expect(f"no {UNKNOWN}" in said, "the metric that the device does not have is not named")
    draw, names = random.Random(seed), [n for n, m in counters.INSTRUCTIONS.items() if m != UNKNOWN]
    for line, kernels in zip(lines, (1, 1, 32, 32)):
        sums = dict.fromkeys(names, 0)
        for _ in range(kernels):
            for name in names:
                sums[name] += draw.randrange(1000, 9999) + 0.5
        expect(line["counters"] == sums, f"{line['variant']}, p = {line['p']}: the sums over {kernels} kernels are wrong")
    return lines


def check_utilisation(folder, seed, over, *variants):
    lines, said = measured(folder, seed, ("utilisation", over, variants, (4, 8)))
    expect(not said, f"nothing is missing, but it says: {said}")
    draw = random.Random(seed)
    for line in lines:
        for name in counters.UTILISATION:
            value = draw.randrange(1000, 9999) + 0.5
            ours = line["counters"][name] / (1e-9 if name == "seconds" else 1)
            expect(abs(ours / value - 1) < 1e-12, f"{name} is {ours} instead of {value}")
    return lines


def check_failure():
    """A result too few ends in a sentence."""
    try:
        counters.joined([{}] * 33, "instructions", "kernels", ("symmetric",), (2, 4))
    except counters.Failure as failure:
        expect("33 results instead of 64" in str(failure), f"not clear: {failure}")
    else:
        sys.exit("half of the kernels are missing, and nobody says so")


def check_claims(folder, lines):
    times = {"dynamic": 8e-3, "children": 2e-3, "launches": 6e-3, "symmetric": 1e-3, "apart": 3e-3, "compute bound": 2e-4,
             "groups of 8": 1e-4, "groups of 8 apart": 4e-4}  # fmt: skip
    lines = lines + [{"paper": "kohnke", "variant": v, "depth": 3, "p": 2, "seconds": s} for v, s in times.items()]
    file = folder / "lines.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    read = claims.KohnkeLines([file])
    near = lambda found, wanted: abs(found / wanted - 1) < 1e-12  # noqa: E731
    expect(all(map(near, claims.launching(read, 3, 2), (75, 75))), "shares of launching are wrong")
    expect(near(claims.speedup(read, 8, 3, 2), 4) and near(claims.speedup(read, 0, 3, 2), 3), "speed-ups are wrong")
    expect(near(claims.of_bound(read, 3, 2), 20), "the share of the bound is wrong")
    c, shares = read.counters("instructions", "naive", 2), read.shares("naive", 2)
    expect(near(shares["integer"], 100 * c["integer"] / (32 * c["of warps"])), "shares of instructions are wrong")
    expect(near(shares["no operation"], 100 - 100 * c["of threads"] / (32 * c["of warps"])), "threads that rest are miscounted")
    u = read.counters("utilisation", "children", 4)
    rate = read.rate("children", 4, "shared wavefronts", claims.WAVEFRONT)
    expect(near(rate, 128e-9 * u["shared wavefronts"] / u["seconds"]), "the rate of shared memory is wrong")
    for made in (claims.beside, claims.instructions, claims.utilisation, claims.times):
        rows = made(read).splitlines()
        expect(len(rows) > 2 and len({r.count("|") for r in rows}) == 1, f"the table of {made.__name__} is not even")


def main():
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
        lines = check_instructions(folder, seed) + check_utilisation(folder, seed, "kernels", "children")
        check_utilisation(folder, seed, "ranges", "symmetric", "dynamic")
        check_failure()
        check_claims(folder, lines)
    print("counters are read as they are printed")


if __name__ == "__main__":
    main()
