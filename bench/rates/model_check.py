#!/usr/bin/env python3
"""Is the model of model.py what was counted over loopback (rank_counts.csv) and measured on one host (ranks.csv)? Exit status 1 where
they differ by more than MOST, 77 without NumPy.
"""

import csv
import math
import sys
from pathlib import Path

try:
    import model
except ImportError as error:
    print(error)
    sys.exit(77)

COUNTS = Path(__file__).parent / "rank_counts.csv"
MOST = {"counts": 1.1, "times": 1.3}  # ratios of model and what was counted or measured


def counted(cloud):
    with COUNTS.open() as of:
        rows = [row for row in csv.DictReader(of) if row["cloud"] == cloud and int(row["ranks"]) > 1]
    return [{k: v if k == "cloud" else float(v) for k, v in row.items()} for row in rows]


def agree(kind, what, ours, theirs):
    """Their ratio, which ends the program if it is too far from 1."""
    ratio = ours / theirs
    if not 1 / MOST[kind] <= ratio <= MOST[kind]:
        sys.exit(f"{what}: the model says {ours:g}, but it is {theirs:g}, more than a factor of {MOST[kind]} away")
    return ratio


def foretold(row):
    """What the model says of a row of uniform points, by column."""
    ranks, points = int(row["ranks"]), row["points"]
    side = round(row["leaves"] ** (1 / 3))
    level = math.ceil(math.log2(side))
    around = model.around(ranks, side / 2**level)
    sent = model.sent_by(ranks, points / side**3, side / 2**level, level)
    return {
        "held_mean": sent.ghosts,
        "multipoles_bytes_mean": model.bytes_of(row["degree"]) * (sent.rows + sent.top),
        "ghosts_messages_mean": around.peers(level),
        "multipoles_messages_mean": ranks - 1,
        "strengths_messages_mean": ranks - 1,
        "strengths_bytes_mean": 4 * points / ranks * (1 - 1 / ranks),
        "keep_collectives": 29 + 2 * ranks,
        "plan_reduced_mean": model.BITMAP + 64 * around.divided,
    }


def on_one_host():
    """(row in keep-order, row in any-order, what the model says)"""
    rows = {(r["order"], r["way"], r["devices"], r["points"]): r for r in model.measured()}
    for (order, way, devices, points), row in rows.items():
        if order == "keep":
            said = model.step_on_host(devices, points / devices, int(row["degree"]))
            said["bytes"] = devices * model.on_device(devices, points / devices).bytes(int(row["degree"]))
            yield row, rows["any", way, devices, points], said


def ratios():
    """The model's numbers over the others, all of them."""
    for row in counted("uniform"):
        for key, said in foretold(row).items():
            yield agree("counts", f"{key} of {row['points']:,.0f} points on {row['ranks']:.0f} ranks", said, row[key])
    for keep, other, said in on_one_host():
        name = f"{keep['points']:,} points on {keep['devices']} GPUs, {keep['way']}"
        yield agree("counts", f"bytes of {name}", said["bytes"], keep["sent_bytes"])
        for what, theirs in (("keep", keep["evaluate"]), ("any", other["evaluate"]), ("move", other["move"])):
            yield agree("times", f"{what} of {name}", said[what], theirs)


if __name__ == "__main__":
    found = list(ratios())
    print(f"{len(found)} numbers of the model are {min(found):.2f} to {max(found):.2f} times what was counted or measured")
