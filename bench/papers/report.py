#!/usr/bin/env python3
"""Makes docs/performance-papers.md and its figures from the lines of scripts/gpu's stages papers and peers:

bench/papers/report.py out/gpu/papers.jsonl out/gpu/peers.jsonl
"""

import argparse
from pathlib import Path

import figures
import gumerov_tables
import tables
from lines import Lines, table
from published import GUMEROV_4, GUMEROV_6, PEAKS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="JSON lines of scripts/gpu papers and peers")
    parser.add_argument("--docs", type=Path, default=Path(__file__).resolve().parents[2] / "docs")
    parser.add_argument("--when", default="November 2026")
    parser.add_argument("--cores", default="16")
    a = parser.parse_args()
    lines = Lines(a.files)
    near, expansions = gumerov_tables.stages(lines)
    stencils = {line["stencil"] for line in lines.find(paper="gumerov", table="4-7")}
    page = (Path(__file__).parent / "page.md.in").read_text()
    page = page.format(
        device=next((x["device"] for x in lines.all if x.get("device")), "GPU"),
        when=a.when,
        cores=a.cores,
        peaks=table(
            ["device", "single, Gflop/s", "double", "source"], [[d, s, x or "-", w] for d, (s, x, w) in PEAKS.items()]
        ),
        gumerov_1=gumerov_tables.direct(lines),
        gumerov_2=near,
        gumerov_3=expansions,
        gumerov_4=gumerov_tables.translations(lines, GUMEROV_4, "m2m"),
        gumerov_6=gumerov_tables.translations(lines, GUMEROV_6, "m2l", "l2l"),
        stencil="189 times" if stencils == {"full"} else "119 or 189 times, as it chooses",
        gumerov_8=gumerov_tables.profile(lines),
        gumerov_10=gumerov_tables.errors(lines),
        gumerov_11=gumerov_tables.totals(lines),
        hu_2=tables.hu_performance(lines),
        hu_3=tables.hu_precision(lines),
        kohnke_16=tables.kohnke_times(lines),
        kohnke_18=tables.kohnke_rates(lines),
        peers=tables.peers(lines),
    )
    (a.docs / "performance-papers.md").write_text(page)
    (a.docs / "figures").mkdir(exist_ok=True)
    for draw in (figures.gumerov, figures.hu, figures.kohnke, figures.peers):
        draw(lines, a.docs / "figures" / f"{draw.__name__}.png")


if __name__ == "__main__":
    main()
