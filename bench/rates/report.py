#!/usr/bin/env python3
"""Makes docs/performance-gpu.md and its figure from the lines of scripts/gpu's stage bench:

bench/rates/report.py out/gpu/bench.jsonl
"""

import argparse
import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)

BENCH = Path(__file__).resolve().parents[1]
sys.path += [str(BENCH / "papers"), str(BENCH / "compare")]
from figure import OUR_COLOUR, PEER_COLOURS  # noqa: E402
from lines import error, number, table  # noqa: E402

CLOUDS = ("uniform", "sphere", "plummer", "galaxies")
# (error, precision, tolerance asked beside it): the rows of the first table
GOALS = ((1e-3, "single"), (1e-5, "single"), (1e-6, "single"), (1e-9, "double"), (1e-12, "double"))
# pairs per second of prototypes by mean (Poisson) points per leaf: potential and gradient, and potential
P2P_CEILING = {
    ("single", True): {8: 0.66, 12: 0.98, 16: 1.12, 24: 1.30, 32: 1.30, 48: 1.43, 64: 1.54, 96: 1.60, 128: 1.63},
    ("single", False): {8: 0.88, 12: 1.37, 16: 1.63, 24: 2.00, 32: 1.91, 48: 2.13, 64: 2.43, 96: 2.39, 128: 2.49},
    ("double", True): {64: 0.71, 128: 0.71},
}
# 1e9 translations per second of prototypes on full grids of 64^3 boxes, by degree. Single: one term over all coefficients
# (1063, 202, 85 at degrees 3, 5, 7), from degree 5 on and three over 16 of them (444). Double: one matrix per translation.
M2L_CEILING = {("single", 3): 1063, ("single", 5): 139, ("single", 7): 71, ("double", 15): 0.35}
SORT_CEILING = 3 * 2**24 / 0.42e-3  # keys and passes per second: CUB alone sorts 24 bits of 2^24 keys in 0.42 ms


def read(files):
    lines = [json.loads(text) for file in files for text in Path(file).read_text().splitlines() if text[:1] == "{"]
    return [line for line in lines if "error" not in line]


def whole(lines, **wanted):
    """Lines of gpu_fmm; of a case that was measured twice the last."""
    rows = {}
    for line in lines:
        if "given_degree" in line and all(line[k] == v for k, v in wanted.items()):
            rows[tuple(line[k] for k in ("cloud", "log2_n", "precision", "tolerance", "given_degree", "mixed"))] = line
    return list(rows.values())


def rate(line):
    return number(line["particles_per_second"] / 1e9) if line else "-"


def by_error(lines):
    """The fastest given degree that reaches each error, and the rate at the tolerance with mixed strengths."""
    rows = []
    for goal, precision in GOALS:
        row = [f"{goal:.0e}".replace("e-0", "e-"), precision]
        for log2_n in (24, 27):
            cases = whole(lines, cloud="uniform", log2_n=log2_n, precision=precision)
            reach = [c for c in cases if c["given_degree"] >= 0 and not c["mixed"] and c["error_potential"] <= goal]
            best = max(reach, key=lambda c: c["particles_per_second"], default=None)
            asked = [c for c in cases if c["given_degree"] < 0 and c["mixed"] and c["tolerance"] == goal]
            row += [rate(best), f"{best['degree']}; {error(best['error_potential'])}" if best else "-"]
            row += [rate(asked[-1]) if asked else "-", f"{asked[-1]['degree']}; {error(asked[-1]['error_potential'])}"
                    if asked else "-"]  # fmt: skip
        rows.append(row)
    head = ["error", "precision"]
    for log2_n in (24, 27):
        head += [f"2^{log2_n}: rate", "degree; error", "asked: rate", "degree; error"]
    return table(head, rows)


def sizes(lines):
    return [c for c in whole(lines) if c["cloud"] in CLOUDS and float(c["log2_n"]).is_integer() and c["log2_n"] % 2 == 0
            and (c["given_degree"] in (5, 14) and not c["mixed"] or c["given_degree"] < 0 and c["tolerance"] == 1e-5)]  # fmt: skip


def by_size(lines):
    cases = sizes(lines)
    rows = []
    for kind, wanted in (
        ("single, degree 5", lambda c: c["given_degree"] == 5),
        ("single, 1e-5 asked, mixed", lambda c: c["given_degree"] < 0),
        ("double, degree 14", lambda c: c["given_degree"] == 14),
    ):
        for log2_n in sorted({c["log2_n"] for c in cases}):
            found = {c["cloud"]: c for c in cases if wanted(c) and c["log2_n"] == log2_n}
            if not found:
                continue
            row = [kind, f"2^{log2_n:.0f}"]
            for cloud in CLOUDS:
                c = found.get(cloud)
                row.append(f"{number(1e3 * c['seconds'])} ms, {rate(c)}, {error(c['error_potential'])}" if c else "-")
            uniform = found.get("uniform")
            rows.append(row + [number(uniform["memory_bytes"] / 1e9) if uniform else "-"])
    return table(["", "N", *CLOUDS, "GB (uniform)"], rows)


def octaves(lines):
    found = {c["log2_n"]: c for c in whole(lines, cloud="uniform", precision="single", given_degree=5, mixed=False)
             if 22 <= c["log2_n"] <= 25}  # fmt: skip
    times = {n: 1e12 * c["seconds"] / 2**n for n, c in sorted(found.items())}
    rows = [["ps per point"] + [number(t) for t in times.values()]]
    spread = max(times.values()) / min(times.values()) - 1 if times else 0
    return table(["log2 N"] + [f"{n:g}" for n in times], rows), f"{100 * spread:.0f} %"


def stages(lines):
    names = ("tree", "p2m", "m2m", "m2l", "l2l", "l2p", "p2p", "scatter", "others", "sum", "wall", "new strengths")
    tree = ("keys*", "sort*", "boxes*", "gather*", "lists*", "rows*")
    rows = []
    order = lambda c: (c["precision"] == "double", c["given_degree"] < 0, c["degree"])  # noqa: E731
    for c in sorted(whole(lines, cloud="uniform", log2_n=24), key=order):
        ms = c["stages_ms"]
        known = {name: ms.get(name, 0) for name in names} | {"tree": sum(ms.get(n, 0) for n in tree)}
        known["sum"] = sum(ms.values())
        known["others"] = known["sum"] - sum(known[n] for n in names[:8])
        known["wall"], known["new strengths"] = 1e3 * c["seconds"], 1e3 * c["again"]
        what = f"{c['precision']}, " + (f"{c['tolerance']:g} asked" if c["given_degree"] < 0 else f"degree {c['degree']}")
        rows.append([what, number(2**24 / c["leaves"], 2)] + [number(known[n], 2) for n in names])
    return table(["", "per leaf", *names], rows)


def pairs(lines):
    rows = []
    for (precision, gradient), ceilings in P2P_CEILING.items():
        for mean, ceiling in ceilings.items():
            found = [x for x in lines if x.get("measured") == "p2p" and x["form"] == "p2p" and x["mean"] == mean
                     and x["precision"] == precision and x["gradient"] == gradient]  # fmt: skip
            if found:
                reached = found[-1]["pairs_per_second"] / 1e12
                what = "potential, gradient" if gradient else "potential"
                rows.append([precision, what, mean, number(reached), number(ceiling), f"{100 * reached / ceiling:.0f} %"])
    return table(["precision", "computed", "points per leaf", "1e12 pairs/s", "prototype", "share"], rows)


def whole_m2l(lines):
    """m2l of whole evaluations at N = 2^24: what is counted are the pairs of boxes with points."""
    rows = []
    for (precision, degree), ceiling in M2L_CEILING.items():
        for c in whole(lines, cloud="uniform", log2_n=24, precision=precision, given_degree=degree, mixed=False)[-1:]:
            reached = c["m2l_boxes"] / c["stages_ms"]["m2l"] * 1e-6
            rows.append([precision, degree, number(c["m2l_boxes"] / 1e6), number(c["stages_ms"]["m2l"]), number(reached),
                         number(ceiling), f"{100 * reached / ceiling:.0f} %"])  # fmt: skip
    return table(["precision", "degree", "1e6 translations", "ms", "1e9/s", "prototype", "share"], rows)


def sort_rate(lines):
    """Milliseconds of the sort at N = 2^24, passes per second over its keys, and their share of CUB's own."""
    c = whole(lines, cloud="uniform", log2_n=24, precision="single", given_degree=5, mixed=False)[-1]
    ms = c["stages_ms"]["sort*"]
    rate = 4 * 2**24 / ms * 1e3  # keys of 30 bits: four passes
    return {"sort_ms": number(ms), "sort_share": f"{100 * rate / SORT_CEILING:.0f} %"}


def direct_sums(lines):
    found = {}
    for x in lines:
        if x.get("measured") == "direct" and "cloud" in x:
            found[x["cloud"], x["precision"], x["gradient"]] = x
    rows = [[x["cloud"], x["precision"], "potential, gradient" if x["gradient"] else "potential", f"{x['n']:,}",
             number(x["ms"]), number(x["pairs_per_second"] / 1e12)] for _, x in sorted(found.items())]  # fmt: skip
    return table(["points", "precision", "computed", "N", "ms", "1e12 pairs/s"], rows)


def translations(lines):
    found = {}
    for x in lines:
        if "translations_per_second" in x and x["engine"] != "warp":
            found[x["cloud"], x["log2_n"], x["leaf_size"], x["degree"], x["engine"]] = x
    rows = [["double" if x["engine"] in ("rotation", "mirrors") else "single", x["degree"], f"2^{x['log2_n']}",
             x["leaf_size"], number(x["ms"]), number(x["translations_per_second"] / 1e9), number(x["tflops"]), x["engine"],
             error(x["difference"])] for x in found.values()]  # fmt: skip
    head = ["precision", "degree", "N", "leaf size", "ms", "1e9 translations/s", "Tflop/s", "by", "difference"]
    return table(head, sorted(rows, key=lambda row: row[:4] + row[7:8]))


def trees(lines):
    theirs = {3: 7.7, 4: 13.9, 5: 13.0, 6: 34.6, 7: 70.8, 8: 124.9}
    ours = {x["depth"]: x["stages_ms"]["all"] for x in lines
            if x.get("measured") == "tree" and x["targets_apart"] and "depth" in x}  # fmt: skip
    rows = [["2011, GTX 480, ms", *theirs.values()],
            ["Farfield, ms"] + [number(ours[d]) if d in ours else "-" for d in theirs],
            ["ratio"] + [number(t / ours[d], 2) if d in ours else "-" for d, t in theirs.items()]]  # fmt: skip
    return table(["depth", *theirs], rows)


def draw(lines, path):
    canvas, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.2))
    colours = (OUR_COLOUR, *PEER_COLOURS)
    for axes, degree, title in ((left, 5, "single, degree 5"), (right, 14, "double, degree 14")):
        for cloud, colour in zip(CLOUDS, colours):
            found = sorted((c["log2_n"], c["particles_per_second"] / 1e9) for c in sizes(lines)
                           if c["cloud"] == cloud and c["given_degree"] == degree)  # fmt: skip
            axes.plot(*zip(*found) if found else ([], []), color=colour, marker="o", markersize=4, label=cloud)
        axes.set(title=title, xlabel="log2 N", ylabel="1e9 points per second, tree included", ylim=(0, None))
        axes.grid(True, alpha=0.25)
        axes.legend(fontsize=8)
    canvas.tight_layout()
    canvas.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="JSON lines of scripts/gpu bench")
    parser.add_argument("--docs", type=Path, default=BENCH.parent / "docs")
    parser.add_argument("--when", default="November 2026")
    a = parser.parse_args()
    lines = read(a.files)
    row, spread = octaves(lines)
    page = (Path(__file__).parent / "page.md.in").read_text().format(
        when=a.when, by_error=by_error(lines), by_size=by_size(lines), octaves=row, spread=spread,
        stages=stages(lines), pairs=pairs(lines), whole_m2l=whole_m2l(lines), translations=translations(lines),
        direct=direct_sums(lines), trees=trees(lines), **sort_rate(lines))  # fmt: skip
    (a.docs / "performance-gpu.md").write_text(page)
    draw(lines, a.docs / "figures" / "rates.png")


if __name__ == "__main__":
    main()
