"""Tables of Hu et al. 2011, of Kohnke et al. 2021, and of other codes: their time beside ours."""

from lines import error, milliseconds, number, ratio, scaled, stage, table
from published import HU_2, HU_3, KOHNKE, PEAKS

TESLA, FERMI, PASCAL = "Tesla S1070, one of 4", "Tesla C2050", "GeForce GTX 1080 Ti"


def hu_performance(lines):
    rows = []
    for n, theirs in HU_2.items():
        for gradient, t in zip((True, False), theirs):
            found = lines.find(paper="hu", table="2", n=n, gradient=gradient)
            uniform = min((x for x in found if x["setting"] == "uniform"), key=lambda x: x["seconds"], default=None)
            own = next((x for x in reversed(found) if x["setting"] == "own"), None)
            if own and uniform:
                rows.append(
                    [
                        f"{n:,}",
                        "potential, force" if gradient else "potential",
                        milliseconds(t),
                        uniform["depth"],
                        milliseconds(uniform["seconds"]),
                        milliseconds(own["seconds"]),
                        ratio(t, uniform["seconds"]),
                        scaled(t, uniform["seconds"], TESLA),
                        ratio(t, own["seconds"]),
                        scaled(t, own["seconds"], TESLA),
                        error(own["error_potential"]),
                        error(own["error_gradient"]),
                    ]
                )
    return table(
        [
            "N",
            "computed",
            "2011, ms",
            "best l_max",
            "today, ms",
            "today, own tree, ms",
            "ratio",
            "scaled",
            "own: ratio",
            "scaled",
            "error potential",
            "error gradient",
        ],
        rows,
    )


def hu_precision(lines):
    rows = []
    for (precision, p), (t, their_error) in HU_3.items():
        found = lines.find(paper="hu", table="3", precision=precision, p=p)
        uniform = min((x for x in found if x["setting"] == "uniform"), key=lambda x: x["seconds"], default=None)
        own = next((x for x in reversed(found) if x["setting"] == "own"), None)
        if own and uniform:
            double = precision == "double"
            rows.append(
                [
                    precision,
                    p,
                    milliseconds(t),
                    error(their_error),
                    uniform["depth"],
                    milliseconds(uniform["seconds"]),
                    error(uniform["error_potential"]),
                    milliseconds(own["seconds"]),
                    error(own["error_potential"]),
                    ratio(t, uniform["seconds"]),
                    scaled(t, uniform["seconds"], FERMI, double),
                ]
            )
    return table(
        [
            "precision",
            "p",
            "2011, ms",
            "error",
            "best l_max",
            "today, ms",
            "error",
            "own tree, ms",
            "error",
            "ratio",
            "scaled",
        ],
        rows,
    )


VARIANTS = ("memory bound", "compute bound", "naive", "dynamic", "persistent", "symmetric")


def farfield_m2l(lines, depth, p, setting):
    """Farfield's m2l scaled to 8^depth x 189 transformations, in seconds."""
    line = lines.one(paper="kohnke", setting=setting, depth=depth, p=p)
    return stage(line, "m2l") * 189 * 8**depth / line["m2l_boxes"] if line else None


def kohnke_times(lines):
    rows = []
    for depth in (3, 4):
        for p in (2, 4, 6, 8, 10, 12, 16, 20):
            lab = [(lines.one(paper="kohnke", variant=v, depth=depth, p=p) or {}).get("seconds") for v in VARIANTS]
            ours = [farfield_m2l(lines, depth, p, s) for s in ("chosen", "dense", "rotation")]
            best = min(filter(None, ours), default=None)
            rows.append([depth, p, *map(milliseconds, lab), *map(milliseconds, ours), ratio(lab[-1], best)])
    return table(
        ["depth", "p", *VARIANTS, "Farfield, chosen", "dense", "rotation", "symmetric / best of Farfield"], rows
    )


def kohnke_rates(lines):
    rows = []
    for variant, (p, theirs, words) in KOHNKE.items():
        line = lines.one(paper="kohnke", variant=variant, depth=3, p=p)
        if line:
            ours = line["flops_per_second"] / 1e9
            share = PEAKS["NVIDIA H200"][0] / PEAKS[PASCAL][0]
            rows.append(
                [
                    variant,
                    p,
                    words,
                    number(theirs),
                    number(ours),
                    number(ours / theirs, 2),
                    number(ours / theirs / share, 2),
                    number(100 * ours / PEAKS["NVIDIA H200"][0], 2) + " %",
                ]
            )
    return table(
        [
            "variant, depth 3",
            "p",
            "the paper says",
            "2021, Gflop/s",
            "today, Gflop/s",
            "ratio",
            "scaled",
            "of today's peak",
        ],
        rows,
    )


CODES = (
    "code",
    "setting",
    "ms",
    "1e6 points/s",
    "error gradient",
    "error potential",
    "first call, ms",
    "time over Farfield's",
    "which is",
)
SAMPLING = 1.1  # errors of 2,000 targets that are this close count as equal


def _peer_row(x, ours):
    """(how many times Farfield's time at an error that is no larger, cells)."""
    level = x["error_gradient"]
    equal = [o for o in ours if level and o["error_gradient"] <= SAMPLING * level]
    best = min(equal, key=lambda o: o["seconds"], default=None)
    factor = x["seconds"] / best["seconds"] if best and x["code"] != "Farfield, GPU" else None
    spoken = lambda setting: setting.replace("degree", "degree ").replace("=", " = ")  # noqa: E731
    return factor, [
        x["code"],
        spoken(x["setting"]),
        milliseconds(x["seconds"]),
        number(1e-6 * x["points_per_second"]),
        error(level) if level else "no numbers",
        error(x["error_potential"]),
        milliseconds(x["first_s"]),
        number(factor, 2),
        spoken(best["setting"]) if factor else "-",
    ]


def peers(lines):
    """The lost rows, then a table per cloud and size."""
    found = [line for line in lines.all if "code" in line and "n" in line]
    lost, parts = [], []
    for n, _, cloud in sorted({(line["n"], line["cloud"] != "uniform", line["cloud"]) for line in found}):
        here = [line for line in found if (line["cloud"], line["n"]) == (cloud, n)]
        ours = [x for x in here if x["code"] == "Farfield, GPU"]
        rows = sorted((_peer_row(x, ours) for x in here), key=lambda r: (r[0] is None, r[0] or 0))
        lost += [[cloud, f"{n:,}", *cells] for factor, cells in rows if factor and factor < 1]
        parts.append(f"{cloud}, N = {n:,}:\n\n" + table(CODES, [cells for _, cells in rows]))
    first = "Rows that Farfield lost:\n\n" + table(["points", "N", *CODES], lost) if lost else "Farfield lost no row."
    return "\n\n".join([first, *parts])
