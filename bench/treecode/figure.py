#!/usr/bin/env python3
"""Draws docs/figures/treecode.png from lines of cpu_treecode:

build/release/bench/cpu_treecode > targets.jsonl; bench/treecode/figure.py targets.jsonl
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)

sys.path += [str(Path(__file__).resolve().parents[1] / "compare")]
from figure import OUR_COLOUR, PEER_COLOURS  # noqa: E402

STYLE = {"fmm": (OUR_COLOUR, "o-"), "treecode": (PEER_COLOURS[0], "s-"), "direct": (PEER_COLOURS[1], "^-")}


def main():
    lines = [json.loads(line) for path in sys.argv[1:] for line in open(path)]
    tolerances = sorted({line["tolerance"] for line in lines}, reverse=True)
    figure, axes = plt.subplots(1, len(tolerances), figsize=(4.6 * len(tolerances), 3.6), squeeze=False)
    for panel, tolerance in zip(axes[0], tolerances):
        for method, (colour, style) in STYLE.items():
            own = sorted(
                (line["targets"] / line["sources"], line["seconds"], line["again"])
                for line in lines
                if line["method"] == method and line["tolerance"] == tolerance
            )
            if not own:
                continue
            x = [row[0] for row in own]
            panel.loglog(x, [row[1] for row in own], style, color=colour, label=method)
            panel.loglog(x, [row[2] for row in own], style[0] + ":", color=colour)
        panel.set_title(f"relative error {tolerance:g}, {lines[0]['sources']:,} sources")
        panel.set_xlabel("targets / sources")
        panel.grid(True, which="major", alpha=0.3)
    axes[0][0].set_ylabel("seconds (dotted: without the plan)")
    axes[0][0].legend()
    figure.tight_layout()
    figure.savefig(Path(__file__).resolve().parents[2] / "docs" / "figures" / "treecode.png", dpi=120)


if __name__ == "__main__":
    main()
