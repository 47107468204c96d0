#!/usr/bin/env python3
"""Draws docs/figures/ranks.png, sums that several GPUs share, from ranks.csv, which is first made of the lines of scripts/gpu's
stage ranks, those of gpu_ranks, where files of these are named:

bench/rates/ranks.py [--name ranks-h200] [out/gpu/ranks.jsonl ...]
"""

import argparse
import csv
import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)

HERE = Path(__file__).resolve().parent
COLUMNS = "cloud,way,order,devices,points,degree,move_ms,evaluate_ms,sent_bytes,ghosts,imbalance".split(",")
COLOURS = {1: "#888888", 2: "#1f77b4", 4: "#d62728"}
STYLES = {"uniform": "-", "plummer": "--", "sphere": ":", "galaxies": "-."}


def line_of(text):
    line = json.loads(text)
    milliseconds = {f"{what}_ms": f"{1e3 * line[what]:.3f}" if line[what] else "" for what in ("move", "evaluate")}
    return {**line, **milliseconds}


def take(files, table):
    """Sums to 1e-5, whose degrees are 10 and 11: those of degree 5 beside them stand in the text."""
    texts = [text for file in files for text in Path(file).read_text().splitlines()]
    lines = [line for line in (line_of(text) for text in texts if text[:1] == "{" and '"cloud"' in text) if line["degree"] > 5]
    with table.open("w", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def curves(rows, order):
    """Milliseconds by points, of each cloud and number of GPUs, where `order` says how arrays lie."""
    found = {}
    for row in rows:
        devices = int(row["devices"])
        if devices == 1 or row["order"] == order:
            found.setdefault((row["cloud"], devices), {})[int(row["points"])] = float(row["evaluate_ms"])
    return found


def draw_times(axes, found):
    for (cloud, devices), times in sorted(found.items()):
        points = sorted(times)
        axes.loglog(points, [times[n] for n in points], STYLES[cloud], color=COLOURS[devices], marker="o", markersize=3,
                    label=f"{cloud}, {devices} GPU{'s' * (devices > 1)}")
    axes.set(xlabel="points together", ylabel="ms of an evaluation, keep-order")


def draw_efficiency(axes, found, style):
    """Of points that one GPU has summed, too."""
    for (cloud, devices), times in sorted(found.items()):
        alone = found.get((cloud, 1), {})
        points = [n for n in sorted(times) if n in alone]
        if devices > 1 and len(points) > 1:
            axes.semilogx(points, [100 * alone[n] / times[n] / devices for n in points], STYLES[cloud], color=COLOURS[devices],
                          marker=style, markersize=4, fillstyle="none" if style == "s" else "full")
    axes.set(xlabel="points together", ylabel="percent of 2 or 4 times one GPU", ylim=(50, 105))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", default="ranks", help="of the table and of the figure")
    parser.add_argument("files", nargs="*")
    a = parser.parse_args()
    table = HERE / f"{a.name}.csv"
    if a.files:
        take(a.files, table)
    with table.open() as lines:
        rows = list(csv.DictReader(lines))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    draw_times(left, curves(rows, "keep"))
    left.legend(fontsize=7, frameon=False)
    draw_efficiency(right, curves(rows, "keep"), "o")
    draw_efficiency(right, curves(rows, "any"), "s")
    right.set_title("full marks: keep-order; open: any-order", fontsize=9)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(HERE.parents[1] / "docs" / "figures" / f"{a.name}.png", dpi=110)


if __name__ == "__main__":
    main()
