"""The figure: seconds of one evaluation over the gradient error reached, one panel per cloud and kind of strengths."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)

PEER_COLOURS = ["#4477aa", "#228833", "#ccbb44", "#aa3377", "#66ccee", "#bbbbbb"]
OUR_COLOUR = "#d03020"
STRENGTHS = {"positive": "strengths in (0,1)", "mixed": "strengths of mixed sign"}


def _styles(codes):
    """Ours in red, solid in double and dashed in single; peers in other colours, single dashed beside double."""
    styles, peers = {}, {}
    for code, kind in codes.items():
        family = code.removesuffix(" single")
        colour = OUR_COLOUR if kind["ours"] else PEER_COLOURS[peers.setdefault(family, len(peers)) % len(PEER_COLOURS)]
        styles[code] = {"color": colour, "linestyle": "--" if kind["precision"] == "single" else "-",
                        "linewidth": 2.4 if kind["ours"] else 1.3, "marker": "o", "markersize": 4}  # fmt: skip
    return styles


def _panel(axes, rows, case, errors, styles):
    for code, style in styles.items():
        best = {id(r): r for target in errors if (r := rows.best(case, code, target))}
        points = sorted((r["error_gradient"], r["evaluate"]) for r in best.values())
        if points:
            axes.plot(*zip(*points), label=code, **style)
    axes.set(xscale="log", yscale="log", title=f"{case[0]}, {STRENGTHS[case[1]]}")
    axes.invert_xaxis()
    axes.grid(True, which="both", alpha=0.25)


def draw(rows, errors, path: Path):
    cases = rows.cases()
    clouds = list(dict.fromkeys(c for c, _ in cases))
    signs = list(dict.fromkeys(s for _, s in cases))
    styles = {c: s for c, s in _styles(rows.codes).items() if c != "Farfield"}
    size = (4.6 * len(clouds) + 1.6, 3.6 * len(signs) + 0.6)
    canvas, grid = plt.subplots(len(signs), len(clouds), figsize=size, squeeze=False, sharex=True)
    handles = {}
    for row, sign in zip(grid, signs):
        for axes, cloud in zip(row, clouds):
            _panel(axes, rows, (cloud, sign), errors, styles)
            handles.update(dict(zip(*reversed(axes.get_legend_handles_labels()))))
        row[0].set_ylabel("seconds for one evaluation")
    for axes in grid[-1]:
        axes.set_xlabel("relative L2 error of the gradient")
    canvas.suptitle(f"N = {rows.n:,}, {rows.threads} threads, potential and gradient, tree included", fontsize=11)
    canvas.legend(handles.values(), handles.keys(), loc="center right", fontsize=9)
    canvas.tight_layout(rect=(0, 0, 1 - 1.6 / size[0], 1))
    canvas.savefig(path, dpi=110)
