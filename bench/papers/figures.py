"""One figure per paper and one of the peers, in the style of bench/compare/figure.py: ours in red."""

import math
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)
from matplotlib.ticker import MaxNLocator, NullFormatter  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
from figure import OUR_COLOUR, PEER_COLOURS  # noqa: E402
from lines import stage  # noqa: E402
from published import GUMEROV_1, HU_2, HU_3, KOHNKE, PEAKS  # noqa: E402
from tables import farfield_m2l  # noqa: E402

BLUE, GREEN, YELLOW, PURPLE, CYAN, GREY = PEER_COLOURS
OURS = {"color": OUR_COLOUR, "linewidth": 2.2, "marker": "o", "markersize": 4}
THEIRS = {"color": BLUE, "linewidth": 1.3, "marker": "o", "markersize": 4}


def panel(axes, title, x, y, x_log=True):
    axes.set(title=title, xlabel=x, ylabel=y, yscale="log", xscale="log" if x_log else "linear")
    if not x_log:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(True, which="major", alpha=0.25)


def legend(axes, **more):
    if axes.get_legend_handles_labels()[1]:
        axes.legend(fontsize=8, **more)


def save(canvas, path):
    canvas.tight_layout()
    canvas.savefig(path, dpi=80)
    plt.close(canvas)


def gumerov(lines, path):
    canvas, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.2))
    panel(left, "Table 1: direct sum, potential", "N sources and targets", "seconds")
    left.plot(list(GUMEROV_1), [t[0] for t in GUMEROV_1.values()], label="2008, GeForce 8800 GTX", **THEIRS)
    ours = lines.find(paper="gumerov", table="1", gradient=False)
    left.plot([o["n"] for o in ours], [o["evaluation_seconds"] for o in ours], label="Farfield, H200", **OURS)
    panel(right, "Figure 10: error of a grid of N sources at 729 targets", "N", "relative L2 error of the potential")
    kinds = [("fmm", p, {**OURS, "alpha": a}, f"FMM, p = {p}") for p, a in ((4, 0.35), (8, 0.65), (12, 1.0))]
    kinds += [
        ("direct", 0, {**THEIRS, "color": GREEN}, "direct sum, single"),
        ("running sum", 0, {**THEIRS, "color": GREY}, "one running sum, single"),
    ]
    for what, p, style, label in kinds:
        found = lines.find(paper="gumerov", table="figure 10", what=what, p=p)
        right.plot([f["n"] for f in found], [f["error_potential"] for f in found], label=label, **style)
    legend(left), legend(right, ncols=2, loc="upper left")
    right.set_ylim(3e-8, 3e-2)
    save(canvas, path)


def hu(lines, path):
    canvas, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.2))
    panel(left, "Table 2: p = 8, one GPU, whole calls", "N sources, N targets", "seconds")
    for i, (gradient, dash, what) in enumerate(((True, "-", "potential and force"), (False, "--", "potential"))):
        left.plot(
            list(HU_2), [t[i] for t in HU_2.values()], label=f"2011, Tesla S1070, {what}", linestyle=dash, **THEIRS
        )
        ours = {o["n"]: o for o in lines.find(paper="hu", table="2", setting="own", gradient=gradient)}.values()
        left.plot(
            [o["n"] for o in ours],
            [o["seconds"] for o in ours],
            label=f"Farfield, H200, {what}",
            linestyle=dash,
            **OURS,
        )
    panel(right, "Table 3: N = 2^20, potential, p = 4, 8, 12, 16", "relative L2 error of the potential", "seconds")
    for precision, dash in (("single", "--"), ("double", "-")):
        theirs = [HU_3[precision, p] for p in (4, 8, 12, 16)]
        right.plot(
            [t[1] for t in theirs],
            [t[0] for t in theirs],
            label=f"2011, Tesla C2050, {precision}",
            linestyle=dash,
            **THEIRS,
        )
        ours = [lines.one(paper="hu", table="3", setting="own", precision=precision, p=p) for p in (4, 8, 12, 16)]
        ours = [o for o in ours if o]
        right.plot(
            [o["error_potential"] for o in ours],
            [o["seconds"] for o in ours],
            label=f"Farfield, H200, {precision}",
            linestyle=dash,
            **OURS,
        )
    right.invert_xaxis()
    legend(left), legend(right)
    save(canvas, path)


def _bounds(lines, depth):
    """Milliseconds by p of the bound by arithmetic and of that by memory."""
    return [
        {line["p"]: 1e3 * line["seconds"] for line in lines.find(paper="kohnke", variant=v, depth=depth)}
        for v in ("compute bound", "memory bound")
    ]


LAB = (("naive", BLUE), ("dynamic", GREEN), ("persistent", CYAN), ("symmetric", PURPLE))


def _variants(axes, lines, depth):
    panel(axes, f"Figure 16: 8^{depth} x 189 transformations", "p", "milliseconds", x_log=False)
    low, high = _bounds(lines, depth)
    xs = [p for p in low if p in high]
    axes.fill_between(
        xs,
        [low[x] for x in xs],
        [high[x] for x in xs],
        color=GREY,
        alpha=0.35,
        linewidth=0,
        label="bounds of figure 15",
    )
    for name, colour in LAB:
        found = lines.find(paper="kohnke", variant=name, depth=depth)
        axes.plot(
            [f["p"] for f in found],
            [1e3 * f["seconds"] for f in found],
            color=colour,
            linewidth=1.3,
            label=name,
            marker="o",
            markersize=3,
        )
    ps = sorted({f["p"] for f in lines.find(paper="kohnke", setting="chosen", depth=depth)})
    axes.plot(
        ps, [1e3 * farfield_m2l(lines, depth, p, "chosen") for p in ps], label="Farfield", **{**OURS, "markersize": 3}
    )


def kohnke(lines, path):
    canvas, ((bounds, rates), (three, four)) = plt.subplots(2, 2, figsize=(10.4, 8))
    panel(bounds, "Figure 15: bounding microkernels", "p", "milliseconds", x_log=False)
    for depth, dash in ((3, "-"), (4, "--")):
        for values, colour, name in zip(_bounds(lines, depth), (GREEN, YELLOW), ("arithmetic", "memory")):
            bounds.plot(
                list(values),
                list(values.values()),
                color=colour,
                linestyle=dash,
                marker="o",
                markersize=3,
                linewidth=1.3,
                label=f"{name}, depth {depth}",
            )
    panel(rates, "Figure 18: rate of the kernels, depth 3", "p", "Gflop/s", x_log=False)
    for name, colour in LAB:
        found = lines.find(paper="kohnke", variant=name, depth=3)
        rates.plot(
            [f["p"] for f in found],
            [1e-9 * f["flops_per_second"] for f in found],
            color=colour,
            label=name,
            marker="o",
            markersize=3,
            linewidth=1.3,
        )
        if name in KOHNKE:
            rates.plot(*KOHNKE[name][:2], color=colour, marker="*", markersize=11, linestyle="")
    found = lines.find(paper="kohnke", setting="dense", depth=3)
    rates.plot(
        [f["p"] for f in found],
        [1e-9 * 2 * (f["p"] + 1) ** 4 * f["m2l_boxes"] / stage(f, "m2l") for f in found],
        label="Farfield, dense",
        **{**OURS, "markersize": 3},
    )
    rates.plot([], [], color="black", marker="*", markersize=9, linestyle="", label="the paper's, GTX 1080 Ti")
    rates.axhline(PEAKS["NVIDIA H200"][0], color="black", linewidth=0.8, linestyle=":", label="peak, single")
    _variants(three, lines, 3), _variants(four, lines, 4)
    for axes in (three, four):
        axes.set_ylim(top=axes.get_ylim()[1] * 30)  # room for the legend
    for axes in (bounds, rates, three, four):
        legend(axes, loc="lower right" if axes in (rates, bounds) else "upper left", ncols=1 if axes is bounds else 2)
    save(canvas, path)


def peers(lines, path):
    found = [line for line in lines.all if "code" in line and line.get("error_gradient")]
    cases = sorted({(line["n"], line["cloud"] != "uniform", line["cloud"]) for line in found})
    if not cases:
        return
    columns = min(len(cases), 4)  # two clouds of two sizes
    canvas, grid = plt.subplots(
        -(-len(cases) // columns),
        columns,
        squeeze=False,
        figsize=(3.6 * columns + 0.6, 3.4 * -(-len(cases) // columns) + 0.7),
    )
    colours = {"Farfield, GPU": OUR_COLOUR, "Farfield, CPU": YELLOW, "jz-fmm": BLUE, "PyTorch": GREEN}
    for axes, (n, _, cloud) in zip(grid.flat, cases):
        panel(axes, f"{cloud}, N = {n:,}", "relative L2 error of the gradient", "seconds")
        for code, colour in colours.items():
            here = [x for x in found if (x["n"], x["cloud"], x["code"]) == (n, cloud, code)]
            here.sort(key=lambda x: x["error_gradient"])
            line = "-" if code.startswith("Farfield") else ""
            here = [x for x in here if not (code == "Farfield, GPU" and not x["setting"].startswith("degree"))]
            axes.plot(
                [x["error_gradient"] for x in here],
                [x["seconds"] for x in here],
                color=colour,
                marker="o",
                markersize=5,
                linestyle=line,
                linewidth=2.2 if colour == OUR_COLOUR else 1.3,
                label=code,
            )
        axes.invert_xaxis()
        low, high = axes.get_ylim()
        axes.set_ylim(10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high)))  # whole decades
    for axes in grid.flat[len(cases) :]:
        axes.axis("off")
    legend(grid[0][0])
    save(canvas, path)
