"""The lines that the programs print, by what they are of, and the cells of tables."""

import json
import math
from pathlib import Path

from published import PEAKS


IDENTITY = ("paper", "table", "what", "variant", "groups", "threads", "code", "cloud", "setting", "n", "p", "depth",
            "precision", "gradient")  # fmt: skip


class Lines:
    """All lines; of a row that was measured twice the last."""

    def __init__(self, files):
        rows = {}
        for file in files:
            for text in Path(file).read_text().splitlines():
                line = json.loads(text) if text.startswith("{") else {}
                rows[tuple(line.get(key) for key in IDENTITY)] = line
        self.all = list(rows.values())

    def find(self, **wanted):
        """All lines with these values."""
        return [line for line in self.all if all(line.get(k) == v for k, v in wanted.items())]

    def one(self, **wanted):
        found = self.find(**wanted)
        return found[-1] if found else None


def stage(line, *names):
    """Seconds of stages of an evaluation."""
    return 1e-3 * sum(line["stages_ms"].get(name, 0.0) for name in names) if line else None


def number(x, digits=3):
    """As many figures, without an exponent where a reader can do without."""
    if x is None:
        return "-"
    if x == 0 or 1e-2 <= abs(x) < 1e6:
        decimals = digits - 1 - math.floor(math.log10(abs(x))) if x else 0
        return f"{x:,.{max(decimals, 0)}f}"
    mantissa, exponent = f"{x:.{digits - 1}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def milliseconds(x):
    return "-" if x is None else number(1e3 * x)


def error(x):
    return "-" if not x else number(x, 2)


def ratio(theirs, ours):
    return "-" if not theirs or not ours else number(theirs / ours, 2)


def scaled(theirs, ours, device, double=False, today="NVIDIA H200"):
    """The ratio of times over the ratio of peak rates."""
    if not theirs or not ours:
        return "-"
    return number(theirs / ours / (PEAKS[today][double] / PEAKS[device][double]), 2)


def table(head, rows):
    line = lambda cells: "| " + " | ".join(str(c) for c in cells) + " |"  # noqa: E731
    return "\n".join([line(head), line(["---"] * len(head))] + [line(r) for r in rows])
