#!/usr/bin/env python3
"""Makes docs/scaling.md and its figure: the model of model.py beside what was counted over loopback (rank_counts.csv, which is
first made of the lines of rank_counts where files of these are named) and measured on one host (ranks.csv). About two minutes.

bench/rates/model_report.py [out/rank_counts.jsonl ...]
"""

import csv
import json
import math
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)
import model  # noqa: E402
from model_check import COUNTS, MOST, agree, counted, foretold, on_one_host  # noqa: E402

BENCH = Path(__file__).resolve().parents[1]
sys.path.append(str(BENCH / "papers"))
from lines import number, table  # noqa: E402

DOCS = BENCH.parent / "docs"
COLUMNS = ("cloud", "points", "ranks", "degree", "leaf_size", "levels", "boxes", "leaves", "owned_max", "held_mean", "held_max",
           "held_boxes_mean", "held_boxes_max", "plan_collectives", "plan_gathered_mean", "plan_reduced_mean", "plan_exchanges", "plan_messages_mean",
           "plan_bytes_mean", "keep_collectives", "keep_messages_mean", "keep_bytes_mean", "any_collectives", "any_messages_mean",
           "any_bytes_mean", "strengths_messages_mean", "strengths_bytes_mean", "ghosts_messages_mean", "ghosts_messages_max",
           "ghosts_bytes_mean", "multipoles_messages_mean", "multipoles_bytes_mean")  # fmt: skip
GPUS = (64, 256, 1024, 4096, 10000)


def take(files):
    lines = [json.loads(text) for file in files for text in Path(file).read_text().splitlines() if text[:1] == "{"]
    with COUNTS.open("w", newline="") as to:
        writer = csv.DictWriter(to, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


NAMES = {
    "held_mean": "ghosts", "multipoles_bytes_mean": "bytes of multipoles", "ghosts_messages_mean": "messages: strengths of ghosts",
    "multipoles_messages_mean": "multipoles", "strengths_messages_mean": "strengths to owners", "strengths_bytes_mean": "their bytes",
    "keep_collectives": "collectives of a sum", "plan_reduced_mean": "bytes into reductions of a plan",
}  # fmt: skip


def counts(pairs):
    rows = []
    for row, said in pairs:
        cells = [f"{row['points']:,.0f}", int(row["ranks"])]
        for key in NAMES:
            ratio = agree("counts", f"{key} of {cells}", said[key], row[key])
            cells.append(f"{number(row[key])} ({ratio:.2f})")
        rows.append(cells)
    return table(["points", "ranks", *NAMES.values()], rows)


def of_plummer():
    """Over those of as many uniform points."""
    uniform = {(row["points"], row["ranks"]): row for row in counted("uniform")}
    rows = []
    for row in counted("plummer"):
        if row["points"] == 4e6:
            beside = uniform[row["points"], row["ranks"]]
            rows.append([int(row["ranks"]), number(row["held_mean"]), number(row["held_max"]), number(row["ghosts_messages_mean"], 2),
                         number(row["multipoles_bytes_mean"])]
                        + [number(row[k] / beside[k], 2) for k in ("held_mean", "ghosts_messages_mean", "multipoles_bytes_mean")])  # fmt: skip
    return table(["ranks", "ghosts", "most", "messages: strengths of ghosts", "bytes of multipoles", "over uniform: ghosts", "messages",
                  "multipoles"], rows)  # fmt: skip


def times(rows):
    lines = []
    for keep, other, said in rows:
        pairs = [(said["keep"], keep["evaluate"]), (said["any"], other["evaluate"]), (said["move"], other["move"])]
        name = [keep["devices"], f"2^{math.log2(keep['points']):.0f}", keep["way"], keep["degree"]]
        cells = [f"{number(1e3 * theirs)} ({agree('times', str(name), ours, theirs):.2f})" for ours, theirs in pairs]
        ratio = agree("counts", f"bytes of {name}", said["bytes"], keep["sent_bytes"])
        lines.append([*name, *cells, f"{number(1e-6 * keep['sent_bytes'])} ({ratio:.2f})"])
    return table(["GPUs", "points", "row", "degree", "sum, keep-order, ms", "any-order", "move", "sent in keep-order, MB"], lines)


WAYS = {"the code as it is": model.step_of_code, "with what thousands need": model.step_of_large}


def weak(step, gpus, size):
    return model.efficiency(step(gpus, size), gpus, size, size)


def strong(step, gpus, size):
    """As many points as 64 GPUs have at this size."""
    return model.efficiency(step(gpus, 64 * size / gpus), gpus, 64 * size / gpus, size)


def percent(x):
    return f"{100 * x:.0f} %" if x >= 0.01 else "< 1 %"


def efficiencies():
    rows = []
    for size in (2**26, 2**28):
        for kind, of in (("weak", weak), ("strong", strong)):
            for name, step in WAYS.items():
                rows.append([f"2^{math.log2(size):.0f}", kind, name] + [percent(of(step, g, size)) for g in GPUS])
    return table(["points per GPU (of 64)", "scaling", "", *(f"{g:,} GPUs" for g in GPUS)], rows)


def shares(size):
    """Ghosts over a GPU's own points, least and most of the numbers of GPUs."""
    found = [100 * model.of_many(gpus, size)[0].ghosts / size for gpus in GPUS]
    return f"{min(found):.0f} to {max(found):.0f} %"


def draw_agreement(axes, pairs, rows):
    for key, marker in (("held_mean", "o"), ("multipoles_bytes_mean", "s"), ("ghosts_messages_mean", "^")):
        axes.loglog([row[key] for row, _ in pairs], [said[key] for _, said in pairs], marker, color="#1f77b4", markersize=4,
                    fillstyle="none", label=f"counted: {NAMES[key]}")  # fmt: skip
    axes.loglog([1e6 * keep["evaluate"] for keep, _, _ in rows], [1e6 * said["keep"] for _, _, said in rows], "D", color="#d62728",
                markersize=4, label="measured: us of a sum, keep-order")  # fmt: skip
    axes.loglog([1e6 * other["move"] for _, other, _ in rows], [1e6 * said["move"] for _, _, said in rows], "v", color="#d62728",
                markersize=4, fillstyle="none", label="measured: us of a move")  # fmt: skip
    axes.axline((1, 1), (10, 10), color="#888888", linewidth=0.8)
    axes.set(title="Model against counts and times", xlabel="counted or measured", ylabel="model")


def draw_efficiency(axes, of, title):
    for name, step in WAYS.items():
        for size, line in ((2**26, "--"), (2**28, "-")):
            colour = "#d62728" if step is model.step_of_code else "#1f77b4"
            axes.semilogx(GPUS, [100 * of(step, g, size) for g in GPUS], line, color=colour, marker="o", markersize=4,
                          label=f"2^{math.log2(size):.0f} points per GPU{' of 64' * (of is strong)}, {name}")  # fmt: skip
    axes.set(title=title, xlabel="GPUs", ylabel="percent of one GPU's rate", ylim=(0, 105))


def draw_phases(axes, name, size):
    steps = [WAYS[name](gpus, size) for gpus in GPUS]
    base = [0.0] * len(GPUS)
    for k, phase in enumerate(steps[0]):
        heights = [1e3 * step[phase] for step in steps]
        axes.bar(range(len(GPUS)), heights, bottom=base, label=phase, color=plt.cm.tab10(k))
        base = [a + b for a, b in zip(base, heights)]
    axes.set_xticks(range(len(GPUS)), [f"{g:,}" for g in GPUS])
    axes.set(title=f"2^{math.log2(size):.0f} per GPU: {name}", xlabel="GPUs", ylabel="ms of a step",
             ylim=(0, 1.6 * sorted(base)[-2]))  # fmt: skip
    for place, top in enumerate(base):
        if top > axes.get_ylim()[1]:
            axes.text(place, 0.93 * axes.get_ylim()[1], f"{top:,.0f}", ha="center", fontsize=8, backgroundcolor="white")


def draw(pairs, rows, path):
    figure, grid = plt.subplots(2, 3, figsize=(17, 9.4), layout="constrained")
    draw_agreement(grid[0, 0], pairs, rows)
    draw_efficiency(grid[0, 1], weak, "Model: weak scaling of a step, keep-order")
    draw_efficiency(grid[0, 2], strong, "Model: strong scaling, from 64 GPUs on")
    draw_phases(grid[1, 0], "the code as it is", 2**26)
    draw_phases(grid[1, 1], "the code as it is", 2**28)
    draw_phases(grid[1, 2], "with what thousands need", 2**28)
    for axes in grid.flat:
        axes.legend(fontsize=7, frameon=False, loc="best", handlelength=3)
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=90)
    plt.close(figure)


def main():
    if sys.argv[1:]:
        take(sys.argv[1:])
    pairs, rows = [(row, foretold(row)) for row in counted("uniform")], list(on_one_host())
    network, host = model.NETWORK, model.on_host()
    at_10000 = model.of_many(10000, 2**28)
    page = (Path(__file__).parent / "model.md.in").read_text().format(
        counts=counts(pairs), plummer=of_plummer(), times=times(rows), efficiencies=efficiencies(), most_counts=MOST["counts"],
        most_times=MOST["times"], rate=f"{1e-9 * network.rate:g}", hop=f"{1e6 * network.hop:g}",
        message=f"{1e6 * network.message:g}", degree=model.DEGREE, share=shares(2**28), any_order=number(1e3 * model.any_order(2**28)),
        per_point=" and ".join(f"{1e9 * t:.2f} ns at degree {d}" for d, t in model.per_point().items()),
        least=number(1e3 * min(model.alone().values())[0], 2),
        sum_hop=number(1e6 * host["sum"][0], 2), move_hop=number(1e6 * host["move"][0], 2),
        sum_rate=number(1e-9 / host["sum"][1], 2), any_rate=number(1e-9 / host["any"][0], 2), move_rate=number(1e-9 / host["move"][1], 2),
        top=number(at_10000[0].top), reduced=number(1e-6 * model.reduced(*at_10000), 2),
        collectives=model.COLLECTIVES_OF_MOVE + model.COLLECTIVES_OF_SUM)  # fmt: skip
    (DOCS / "scaling.md").write_text(page)
    draw(pairs, rows, DOCS / "figures" / "scaling.png")


if __name__ == "__main__":
    main()
