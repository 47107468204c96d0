#!/usr/bin/env python3
"""Makes docs/performance-hu.md and its figure from hu_ranks.csv, which is first made of the lines of paper_hu_ranks where
files of these are named; without rows the page has what the paper prints alone:

bench/papers/hu_report.py [out/gpu/hu_ranks.jsonl ...]
"""

import csv
import json
import sys
from pathlib import Path

import figures
from hu_published import FIGURE_9, LARGEST, TABLE_2, TABLE_4
from lines import error, milliseconds, number, ratio, table

HERE = Path(__file__).resolve().parent
ROWS, DOCS = HERE / "hu_ranks.csv", HERE.parents[1] / "docs"
COLUMNS = ("table", "setting", "gpus", "n", "p", "depth", "gradient", "levels", "seconds", "evaluation_seconds",
           "partition_seconds", "error_potential", "error_gradient", "ghosts", "sent_bytes", "imbalance", "device",
           "parallel_seconds")  # fmt: skip
PARALLEL = ("p2m", "m2m", "m2l", "l2l", "l2p", "p2p", "m2p", "p2l")  # what the paper's cores and GPUs do side by side


def take(files):
    rows = [json.loads(text) for file in files for text in Path(file).read_text().splitlines() if text[:1] == "{"]
    for row in rows:
        row["parallel_seconds"] = f"{1e-3 * sum(row['stages_ms'].get(name, 0) for name in PARALLEL):.6f}"
    with ROWS.open("w", newline="") as to:
        writer = csv.DictWriter(to, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read():
    texts = ("table", "setting", "device", "gradient")
    with ROWS.open() as of:
        rows = [{k: v if k in texts else float(v) for k, v in row.items()} for row in csv.DictReader(of)]
    for row in rows:
        row["gradient"] = row["gradient"] in ("True", "true")
    return rows


class Rows:
    def __init__(self, rows):
        self.rows = rows
        self.gpus = sorted({int(row["gpus"]) for row in rows})

    def find(self, **wanted):
        return [row for row in self.rows if all(row[k] == v for k, v in wanted.items())]

    def best(self, setting=None, **wanted):
        found = [row for row in self.find(**wanted) if setting in (None, row["setting"])]
        return min(found, key=lambda row: row["seconds"], default=None)


def of(row, key="seconds"):
    return row[key] if row else None


def both(row):
    """Milliseconds with the best uniform tree and with Farfield's own."""
    return [milliseconds(of(row("uniform"))), milliseconds(of(row("own")))]


def table_2(rows):
    head = ["N", "computed", "2011: 1 GPU", "2 GPUs", "ratio"]
    for gpus in rows.gpus:
        head += [f"today: {gpus} GPU{'s' * (gpus > 1)}, best l_max", "own tree"]
    head += [f"1 over {gpus}, own" for gpus in rows.gpus if gpus > 1] + ["2011: partition"]
    head += [f"today: partition, {gpus}" for gpus in rows.gpus if gpus > 1] + ["error"] * bool(rows.gpus)
    lines = []
    for n, (with_force, alone, partition) in TABLE_2.items():
        for gradient, theirs in ((True, with_force), (False, alone)):
            find = lambda gpus, setting: rows.best(setting, table="2", n=n, gradient=gradient, gpus=gpus)  # noqa: E731, B023
            line = [f"{n:,}", "potential, force" if gradient else "potential", *map(milliseconds, theirs), ratio(*theirs)]
            for gpus in rows.gpus:
                line += both(lambda setting: find(gpus, setting))  # noqa: B023
            own = {gpus: find(gpus, "own") for gpus in rows.gpus}
            several = [gpus for gpus in rows.gpus if gpus > 1]
            line += [ratio(of(own.get(1)), of(own[gpus])) for gpus in several] + [milliseconds(partition)]
            line += [milliseconds(of(own[gpus], "partition_seconds")) for gpus in several]
            if rows.gpus:
                line.append(error(of(own[rows.gpus[-1]], "error_gradient" if gradient else "error_potential")))
            lines.append(line)
    return table(head, lines)


def weak(rows, setting=None):
    """Of each number of GPUs the row of 2^23 sources for each."""
    return {gpus: row for gpus in rows.gpus if (row := rows.best(setting, table="4", gpus=gpus))}


def table_4(rows):
    head = ["N / 2^23", "2011, nodes", "side by side: 1, 2 GPUs each", "overhead", "total run", "efficiency"]
    head += ["today, GPUs", "best l_max", "own tree: near and far field", "rest", "total", "efficiency"] * bool(rows.gpus)
    own, uniform = weak(rows, "own"), weak(rows, "uniform")
    lines = []
    for nodes, (parallel, overhead, total) in TABLE_4.items():
        pair = lambda two: f"{milliseconds(two[0])}, {milliseconds(two[1])}"  # noqa: E731
        share = ", ".join(f"{100 * TABLE_4[1][2][i] / total[i]:.0f} %" for i in (0, 1))
        line = [nodes, nodes, pair(parallel), pair(overhead), pair(total), share]
        if rows.gpus:
            row = own.get(nodes)
            near_and_far = min(row["parallel_seconds"], row["seconds"]) if row else None
            line += [nodes if row else "-", milliseconds(of(uniform.get(nodes))), milliseconds(near_and_far),
                     milliseconds(row["seconds"] - near_and_far) if row else "-", milliseconds(of(row)),
                     f"{100 * own[1]['seconds'] / row['seconds']:.0f} %" if row and 1 in own else "-"]  # fmt: skip
        lines.append(line)
    return table(head, lines)


HERE_OF = {
    5: ("potential by N on one node with 1 and 2 GPUs", "table 2", "yes: a node is a host. The CPU's part does not exist"),
    6: ("side by side and overhead of 1 to 16 nodes of 2 GPUs", "table 4", "the GPUs of one host, as so many nodes"),
    7: ("N = 2^23 on 1 to 16 nodes", "1 node: table 4; else drawn alone", "1 node; the GPUs of one host beside it"),
    8: ("N to 2^30 on 32 nodes", "drawn alone, but for N = 2^30 in the text", "not: the GPUs of one host beside that point"),
    9: ("p = 10, 1, 4 and 16 GPUs, and Hamada's of 2009", "drawn alone, but for one point in the text",
        "the GPUs of one host; not 2009's sums of vortices"),
}  # fmt: skip


def which():
    return table(["figure", "what it shows", "its values", "repeated on one host"], [[k, *v] for k, v in HERE_OF.items()])


COLOURS = {1: figures.PURPLE, 2: figures.OUR_COLOUR, 4: figures.YELLOW, 8: figures.GREEN}
THEIRS = {1: figures.GREY, 2: figures.BLUE}


def draw_curves(axes, rows, wanted, label):
    for gpus in rows.gpus:
        found = sorted({row["n"]: row["seconds"] for row in rows.find(gpus=gpus, setting="own", **wanted)}.items())
        if found:
            style = {**figures.OURS, "color": COLOURS[gpus]}
            axes.plot(*zip(*found), label=f"{label}, {gpus} GPU{'s' * (gpus > 1)}", **style)


def figure_5(axes, rows, today):
    figures.panel(axes, "Figure 5: potential, one node", "N", "seconds")
    for gpus in (1, 2):
        axes.plot(list(TABLE_2), [t[1][gpus - 1] for t in TABLE_2.values()], label=f"2011, {gpus} GPU{'s' * (gpus > 1)}",
                  **{**figures.THEIRS, "color": THEIRS[gpus]})  # fmt: skip
    draw_curves(axes, rows, {"table": "2", "gradient": False}, today)


def figure_6(axes, rows, today):
    """Stacked: the paper's seconds by nodes, and ours, a thousandth of them, in milliseconds beside."""
    axes.set(title="Figure 6: N / P = 2^23, potential", xlabel="P: nodes of 2 GPUs; today GPUs", ylabel="seconds (2011)")
    places = list(range(len(TABLE_4)))
    parallel, overhead = ([t[i][1] for t in TABLE_4.values()] for i in (0, 1))
    axes.bar(places, parallel, 0.35, color=figures.BLUE, label="2011: side by side")
    axes.bar(places, overhead, 0.35, bottom=parallel, color=figures.BLUE, alpha=0.45, label="2011: overhead")
    axes.set_xticks(places, list(TABLE_4))
    own = weak(rows, "own")
    if own:
        beside = axes.twinx()
        at = [list(TABLE_4).index(gpus) + 0.37 for gpus in own]
        near_and_far = [1e3 * min(row["parallel_seconds"], row["seconds"]) for row in own.values()]
        rest = [1e3 * row["seconds"] - x for row, x in zip(own.values(), near_and_far)]
        axes.bar([0], [0], color=figures.OUR_COLOUR, label=f"{today}: near and far field, ms")
        axes.bar([0], [0], color=figures.OUR_COLOUR, alpha=0.45, label=f"{today}: the rest, ms")
        beside.bar(at, near_and_far, 0.35, color=figures.OUR_COLOUR)
        beside.bar(at, rest, 0.35, bottom=near_and_far, color=figures.OUR_COLOUR, alpha=0.45)
        beside.set(ylabel="milliseconds (today)", ylim=(0, 1.6 * max(a + b for a, b in zip(near_and_far, rest))))
    axes.set_ylim(0, 1.6 * max(a + b for a, b in zip(parallel, overhead)))


def figure_7(axes, rows, today):
    figures.panel(axes, "Figure 7: N = 2^23, potential", "GPUs", "seconds")
    theirs = TABLE_4[1][2]
    axes.plot((1, 2), theirs, label="2011, one node", **figures.THEIRS)
    axes.plot((1, 16), (theirs[0], theirs[0] / 16), "--", color=figures.GREY, label="1/P")
    ours = {gpus: row["seconds"] for gpus in rows.gpus if (row := rows.best("own", table="2", n=2**23, gpus=gpus, gradient=False))}
    if ours:
        axes.plot(list(ours), list(ours.values()), label=today, **figures.OURS)
        axes.plot((1, 16), (min(ours) * ours[min(ours)], min(ours) * ours[min(ours)] / 16), "--", color=figures.GREY)
    axes.set_xticks((1, 2, 4, 8, 16), (1, 2, 4, 8, 16))


def figure_8(axes, rows, today):
    figures.panel(axes, "Figure 8: N as large as it fits, potential", "N", "seconds")
    n, gpus, parallel, total = LARGEST
    axes.plot([n], [total], label=f"2011, {gpus} GPUs: total", **{**figures.THEIRS, "linestyle": ""})
    axes.plot([n], [parallel], label="side by side", **{**figures.THEIRS, "linestyle": "", "fillstyle": "none"})
    large = [{**row, "table": "8"} for row in rows.rows if row["table"] in ("2", "figure 8") and not row["gradient"]]
    draw_curves(axes, Rows(large), {}, today)


def figure_9(axes, rows, today):
    figures.panel(axes, "Figure 9: potential and force, p = 10", "N", "seconds")
    n, gpus, seconds = FIGURE_9
    axes.plot([n], [seconds], label=f"2011, {gpus} GPUs: about", **{**figures.THEIRS, "linestyle": ""})
    draw_curves(axes, rows, {"table": "figure 9"}, today)


def draw(rows, path):
    panels = (figure_5, figure_6, figure_7, figure_8, figure_9) if rows.rows else (figure_5, figure_6, figure_7)
    lines = -(-len(panels) // 3)
    canvas, grid = figures.plt.subplots(lines, 3, figsize=(15, 4.2 * lines))
    for axes, panel in zip(grid.flat, panels):
        panel(axes, rows, device_of(rows))
        figures.legend(axes)
    for axes in grid.flat[len(panels) :]:
        axes.axis("off")
    figures.save(canvas, path)


def device_of(rows):
    return rows.rows[0]["device"].removeprefix("NVIDIA ").split()[0] if rows.rows else ""


def measured(rows):
    if not rows.rows:
        return ("No row of today stands here yet: they need a host with two GPUs. Those of one GPU are among\n"
                "[the papers' tables](performance-papers.md#hu-gumerov--duraiswami-2011).")  # fmt: skip
    gpus = ", ".join(map(str, rows.gpus))
    return (f"Today: {gpus} {device_of(rows)} of one host, medians of five runs, milliseconds as everywhere on this page.\n"
            "*Best l_max* is the best of two uniform trees, as the paper chose its own of each row; *own tree* leaves it to Farfield.\n"
            "The error is that of the own tree on the most GPUs, relative L2 norm on 1,000 targets; the paper's is below 1e-5.")  # fmt: skip


def main():
    if sys.argv[1:]:
        take(sys.argv[1:])
    rows = Rows(read())
    page = (HERE / "hu.md.in").read_text().format(
        measured=measured(rows), which=which(), table_2=table_2(rows), table_4=table_4(rows),
        rate=number(1e-6 * LARGEST[0] / LARGEST[3] / LARGEST[1], 2))  # fmt: skip
    (DOCS / "performance-hu.md").write_text(page)
    draw(rows, DOCS / "figures" / "hu-ranks.png")


if __name__ == "__main__":
    main()
