"""What the paper says of its figures 17 and 19 to 23 beside the same today, and the tables behind today's pictures.

Lines are those of counters.py and of build/gpu/lab/kohnke.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from counters import CLASSES  # noqa: E402
from lines import Lines, number, table  # noqa: E402

WARP, WAVEFRONT = 32, 128  # threads; bytes that shared memory moves at a time
GROUPS = (2, 4, 8)


class KohnkeLines(Lines):
    def degrees(self, what, variant):
        return sorted(line["p"] for line in self.find(paper="kohnke counters", what=what, variant=variant))

    def counters(self, what, variant, p):
        return (self.one(paper="kohnke counters", what=what, variant=variant, p=p) or {}).get("counters", {})

    def shares(self, variant, p):
        """Percent of 32 threads for each instruction of a warp, by class; no operation: threads that are switched off."""
        c = self.counters("instructions", variant, p)
        if not c:
            return {}
        places = WARP * c["of warps"]
        found = {name: 100 * c[name] / places for name in CLASSES if name in c}
        working = 100 * c["of threads"] / places
        return found | {"other": max(working - sum(found.values()), 0), "no operation": 100 - working}

    def busy(self, variant, p, *names):
        """Percent of the peak, of each counter."""
        c = self.counters("utilisation", variant, p)
        return [c.get(name) for name in names]

    def rate(self, variant, p, name, size=1):
        """GB/s of a counter of things of `size` bytes."""
        c = self.counters("utilisation", variant, p)
        return 1e-9 * size * c[name] / c["seconds"] if name in c and "seconds" in c else None

    def seconds(self, variant, depth, p):
        return (self.one(paper="kohnke", variant=variant, depth=depth, p=p) or {}).get("seconds")

    def quotient(self, above, below, depth, p):
        """Of two variants' times."""
        a, b = (self.seconds(v, depth, p) for v in (above, below))
        return a / b if a and b else None


def launching(lines, depth, p):
    """Percent of the dynamic variant's time: launching children that do nothing; what it takes over their blocks in one grid."""
    alone, blocks = (lines.quotient(v, "dynamic", depth, p) for v in ("launches", "children"))
    return [None if alone is None else 100 * alone, None if blocks is None else 100 * (1 - blocks)]


def speedup(lines, size, depth, p):
    """Of the symmetry of groups of `size`; of 0, of the whole variant."""
    above, below = (f"groups of {size} apart", f"groups of {size}") if size else ("apart", "symmetric")
    return lines.quotient(above, below, depth, p)


def of_bound(lines, depth, p):
    """Figure 23, percent."""
    ratio = lines.quotient("compute bound", "symmetric", depth, p)
    return None if ratio is None else 100 * ratio


def span(values, unit=" %"):
    """Their range, in words."""
    values = [v for v in values if v is not None]
    if not values:
        return "-"
    low, high = number(min(values), 2), number(max(values), 2)
    return (low if low == high else f"{low} to {high}") + unit


def at(values, unit=" %"):
    """{p: value} in words."""
    return "; ".join(f"p = {p}: {number(v, 2)}{unit}" for p, v in values.items() if v is not None) or "-"


def pairs(values):
    """{p: (first, second)} in words, percent."""
    known = {p: pair for p, pair in values.items() if None not in pair}
    return "; ".join(f"p = {p}: {number(a, 2)} and {number(b, 2)} %" for p, (a, b) in known.items()) or "-"


def of_naive(lines):
    """Figure 17 and the text about it: figure, what, the paper, today."""
    ps = lines.degrees("utilisation", "naive")
    memory, compute, occupancy = (span(lines.busy("naive", p, name)[0] for p in ps) for name in ("memory", "compute", "occupancy"))
    counted = [lines.shares("naive", p).get("floating point") for p in lines.degrees("instructions", "naive")]
    return [
        ["17 (a)", "naive: floating point instructions", '"much less than 10%"', span(counted)],
        ["17 (b)", "naive: memory; compute", '"roughly 50%" of both', f"{memory}; {compute}"],
        ["text", "naive: occupancy", "46 % of at most 50 %", occupancy],
        ["text", "naive: throughput of the local cache", "3,500 GB/s, near the most", span((lines.rate("naive", p, "L1 bytes") for p in ps), " GB/s")],
    ]  # fmt: skip


def of_dynamic(lines):
    """Figures 19 and 20."""
    alone = {p: launching(lines, 3, p)[0] for p in (2, 10, 20)}
    floating = {p: [lines.shares(v, p).get("floating point") for v in ("children", "naive")] for p in (2, 4, 12, 20)}
    moved = {p: lines.rate("children", p, "shared wavefronts", WAVEFRONT) for p in (8, 14, 20)}
    units = {p: lines.busy("children", p, "compute", "shared") for p in (8, 14, 20)}
    return [
        ["19 (a)", "dynamic: launching alone, of its time, depth 3", '"irrelevant only for large p"', at(alone)],
        ["19 (b)", "dynamic's blocks and naive: floating point", '"significantly larger" from p ≈ 3 on', pairs(floating)],
        ["20 (a)", "dynamic's blocks: shared memory's throughput", "6,000 GB/s for p > 15", at(moved, " GB/s")],
        ["20 (b)", "dynamic's blocks: compute and shared memory", "compute-bound below p = 12, in balance up to 15, then bound by shared memory", pairs(units)],
    ]  # fmt: skip


def of_symmetric(lines):
    """Figures 21 to 23."""
    units = {p: lines.busy("symmetric", p, "compute", "memory") for p in (2, 8, 14, 20)}
    occupancy = span(lines.busy("symmetric", p, "occupancy")[0] for p in lines.degrees("utilisation", "symmetric"))
    counted = {p: lines.shares("symmetric", p) for p in lines.degrees("instructions", "symmetric")}
    return [
        *(["21", f"symmetry in groups of {n}, depth 3", "the more, the larger the groups", at({p: speedup(lines, n, 3, p) for p in (4, 10, 20)}, "")]
          for n in GROUPS),
        ["22 (a)", "symmetric: compute and memory", "compute-bound at nearly every p", pairs(units)],
        ["22 (b)", "symmetric: floating point", '"significantly larger" than both others', span(s.get("floating point") for s in counted.values())],
        ["22 (b)", "symmetric: no operation, p > 6", "negligible", span(s.get("no operation") for p, s in counted.items() if p > 6)],
        ["text", "symmetric: occupancy", "50 % of at most 57 %", occupancy],
        *(["23", f"symmetric, of the bound by arithmetic, depth {d}, p = 3 to 20", '"roughly 30%"', span(of_bound(lines, d, p) for p in range(3, 21))]
          for d in (3, 4)),
    ]  # fmt: skip


def beside(lines):
    """The paper's words and numbers, and ours."""
    return table(["figure", "what", "the paper", "today"], of_naive(lines) + of_dynamic(lines) + of_symmetric(lines))


SPOKEN = {"children": "dynamic's blocks"}


def percent(values):
    return [number(v, 2) for v in values]


def instructions(lines):
    rows = []
    for variant in ("naive", "children", "persistent", "symmetric"):
        for p in lines.degrees("instructions", variant):
            shares = lines.shares(variant, p)
            rows.append([SPOKEN.get(variant, variant), p, *percent(shares.get(name) for name in (*CLASSES, "other", "no operation"))])
    return table(["variant", "p", *CLASSES, "other", "no operation"], rows)


BUSY = ("compute", "fma", "issue", "memory", "device memory", "L2", "L1", "shared", "occupancy")


def utilisation(lines):
    rows = []
    for variant in ("naive", "dynamic", "children", "persistent", "symmetric"):
        for p in lines.degrees("utilisation", variant):
            shared = lines.rate(variant, p, "shared wavefronts", WAVEFRONT)
            rows.append([SPOKEN.get(variant, variant), p, *percent(lines.busy(variant, p, *BUSY)), number(shared)])
    return table(["variant", "p", *BUSY, "shared, GB/s"], rows)


def times(lines):
    rows = []
    for depth in (3, 4):
        for p in (1, 2, 4, 6, 8, 10, 12, 16, 20):
            cells = [speedup(lines, n, depth, p) for n in (*GROUPS, 0)]
            rows.append([depth, p, *percent(launching(lines, depth, p)), *percent(cells), number(of_bound(lines, depth, p), 2)])
    head = ["depth", "p", "19 (a): launching alone, %", "over the blocks alone, %", *(f"21: groups of {n}" for n in GROUPS),
            "whole variant", "23: of the bound, %"]  # fmt: skip
    return table(head, rows)
