#!/usr/bin/env python3
"""Makes docs/performance-kohnke.md and its figure from the lines of scripts/gpu's stage papers:

bench/papers/kohnke/counters_report.py out/gpu/papers.jsonl
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import claims  # noqa: E402
import figures  # noqa: E402
from counters import CLASSES  # noqa: E402

LAB = dict(figures.LAB)
STACK = dict(zip((*CLASSES, "other", "no operation"),
                 ("#d03020", "#4477aa", "#ccbb44", "#228833", "#66ccee", "#aa3377", "#999933", "#777777", "#dddddd")))  # fmt: skip
DASHES = {3: "-", 4: "--"}
LINE = {"marker": "o", "markersize": 3, "linewidth": 1.3}


def panel(axes, title, y):
    figures.panel(axes, title, "p", y, x_log=False)
    axes.set_yscale("linear")


def series(axes, degrees, value, **style):
    points = [(p, value(p)) for p in degrees]
    points = [(p, y) for p, y in points if y is not None]
    if points:
        axes.plot(*zip(*points), **{**LINE, **style})


def mix(axes, lines, variant, title):
    """A picture of instructions: shares on top of each other."""
    panel(axes, title, "% of the threads' places")
    degrees = lines.degrees("instructions", variant)
    shares = [lines.shares(variant, p) for p in degrees]
    names = [name for name in STACK if any(s.get(name, 0) >= 0.5 for s in shares)]
    if degrees:
        axes.stackplot(degrees, [[s.get(n, 0) for s in shares] for n in names], labels=names, colors=[STACK[n] for n in names])
    axes.set_ylim(0, 100)


def busy(axes, lines, variant, title, names):
    panel(axes, title, "% of the peak")
    colours = (figures.OUR_COLOUR, figures.BLUE, figures.GREEN, figures.PURPLE)
    for (name, label), colour in zip(names.items(), colours):
        series(axes, lines.degrees("utilisation", variant), lambda p, n=name: lines.busy(variant, p, n)[0], color=colour, label=label)
    axes.set_ylim(0, 100)


def of_paper(axes, value, label):
    axes.axhline(value, color="black", linewidth=0.8, linestyle=":", label=label)


def latencies(axes, lines):
    panel(axes, "Figure 19 (a): dynamic, launching", "% of the time")
    for depth, dash in DASHES.items():
        for i, (what, colour) in enumerate((("launching alone", figures.OUR_COLOUR), ("over the blocks alone", figures.BLUE))):
            series(axes, range(1, 21), lambda p, d=depth, i=i: claims.launching(lines, d, p)[i], color=colour, linestyle=dash,
                   label=f"{what}, depth {depth}")  # fmt: skip
    axes.set_ylim(0)


def shared(axes, lines):
    panel(axes, "Figure 20 (a): shared memory", "GB/s")
    for variant, label in (("children", "dynamic's blocks"), ("persistent", "persistent")):
        series(axes, lines.degrees("utilisation", variant), lambda p, v=variant: lines.rate(v, p, "shared wavefronts", claims.WAVEFRONT),
               color=LAB["dynamic" if variant == "children" else variant], label=label)  # fmt: skip
    of_paper(axes, 6000, "the paper's most, GTX 1080 Ti")
    axes.set_ylim(0)


def symmetry(axes, lines):
    panel(axes, "Figure 21: speed-up by symmetry", "times as fast")
    for size, colour in ((2, figures.BLUE), (4, figures.GREEN), (8, figures.OUR_COLOUR), (0, "black")):
        for depth, dash in DASHES.items():
            label = (f"groups of {size}" if size else "whole variant") if depth == 3 else None
            series(axes, range(1, 21), lambda p, s=size, d=depth: claims.speedup(lines, s, d, p), color=colour, linestyle=dash, label=label)
    axes.axhline(1, color=figures.CYAN, linewidth=1.3, label="without symmetry")
    axes.plot([], [], color="black", linestyle="--", label="depth 4")
    axes.set_ylim(0)


def bound(axes, lines):
    panel(axes, "Figure 23: symmetric, of the bound by arithmetic", "%")
    for depth, dash in DASHES.items():
        series(axes, range(1, 21), lambda p, d=depth: claims.of_bound(lines, d, p), color=LAB["symmetric"], linestyle=dash, label=f"depth {depth}")
    of_paper(axes, 30, "the paper's, roughly")
    axes.set_ylim(0)


def draw(lines, path):
    canvas, grid = figures.plt.subplots(3, 4, figsize=(17, 11.4))
    places = grid.flat
    units = {"compute": "compute", "memory": "memory", "fma": "floating point units", "occupancy": "occupancy"}
    mix(next(places), lines, "naive", "Figure 17 (a): naive, instructions")
    busy(next(places), lines, "naive", "Figure 17 (b): naive", units)
    latencies(next(places), lines)
    mix(next(places), lines, "children", "Figure 19 (b): dynamic's blocks, instructions")
    shared(next(places), lines)
    with_shared = {"compute": "compute", "shared": "shared memory", "fma": "floating point units"}
    busy(next(places), lines, "children", "Figure 20 (b): dynamic's blocks", with_shared)
    symmetry(next(places), lines)
    busy(next(places), lines, "symmetric", "Figure 22 (a): symmetric", units)
    mix(next(places), lines, "symmetric", "Figure 22 (b): symmetric, instructions")
    bound(next(places), lines)
    of_paper(grid.flat[1], 50, "the paper's compute and memory, roughly")
    for axes in grid.flat[:10]:
        figures.legend(axes)
    for axes in grid.flat[10:]:
        axes.axis("off")
    figures.save(canvas, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="JSON lines of build/gpu/lab/kohnke and of counters.py")
    parser.add_argument("--docs", type=Path, default=Path(__file__).resolve().parents[3] / "docs")
    parser.add_argument("--device", default="NVIDIA H200")
    parser.add_argument("--when", default="November 2026")
    a = parser.parse_args()
    lines = claims.KohnkeLines(a.files)
    page = (Path(__file__).parent / "page.md.in").read_text()
    tables = {made.__name__: made(lines) for made in (claims.beside, claims.instructions, claims.utilisation, claims.times)}
    (a.docs / "performance-kohnke.md").write_text(page.format(device=a.device, when=a.when, **tables))
    draw(lines, a.docs / "figures" / "kohnke-counters.png")


if __name__ == "__main__":
    main()
