"""What ranks have around them: uniform points in a cube, cut in Morton order into equal pieces as
src/distributed/partition/coarse.cpp and cuts.cpp do it, on a grid of cells that are equally full."""

from dataclasses import dataclass, field

import numpy as np

PIECES = 20  # partition/pieces.cpp: boxes of more than so many parts of a rank's share are divided
COARSEST = 2  # methods/fmm.hpp: the first level with multipoles
LEAST_CELLS = 200  # of a rank, in the grid
PER_HOST = 8  # GPUs
OFFSETS = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]


@dataclass
class Surroundings:
    """Means over ranks. Rows: boxes of others that a rank gets."""

    level: int  # of the grid's cells
    rows: dict = field(default_factory=dict)  # by level
    largest: float = 0  # of a rank's rows, over their mean
    touching: dict = field(default_factory=dict)  # ranks that send it boxes of a level
    top: int = 0  # boxes whose multipoles go to all ranks, of all of them
    divided: int = 0  # boxes of which all ranks count the points of children
    heaviest: float = 1  # points of a rank, over their mean
    outside: float = 1  # of the rows those from another host, of eight GPUs each

    def peers(self, leaf_level):
        """Beyond the grid no fewer."""
        return self.touching[min(self.level, int(leaf_level))]

    def rows_at(self, level):
        """Beyond the grid's level as surfaces and edges grow: a 4^level + b 2^level, through its last two levels."""
        if level <= self.level:
            return self.rows.get(level, 0)
        last, before, up = self.rows[self.level], self.rows[self.level - 1], level - self.level
        surface = 2 * (last - 2 * before)
        return surface * 4**up + (last - surface) * 2**up

    def rows_to(self, leaf_level):
        """Of all levels down to the leaves'; beyond the grid that level may lie between two."""
        rows = sum(self.rows.get(level, 0) for level in range(COARSEST, min(self.level, int(leaf_level)) + 1))
        while leaf_level > self.level:
            rows += self.rows_at(leaf_level)
            leaf_level -= 1
        return rows


def spread(x):
    """Bits of x, each followed by two zeros."""
    key = np.zeros_like(x)
    for bit in range(20):
        key |= (x >> bit & 1) << 3 * bit
    return key


class Grid:
    """2^level cells along an axis, of which points fill the share `filled`."""

    def __init__(self, ranks, filled, level):
        self.ranks, self.level = ranks, level
        self.side = int(np.ceil(filled * 2**level - 1e-9))
        line = np.arange(self.side)
        full, key = np.minimum(1.0, filled * 2**level - line), spread(line)
        keys = (key[:, None, None] << 2 | key[None, :, None] << 1 | key[None, None, :]).ravel()
        self.order = np.argsort(keys)
        self.keys = keys[self.order]
        weight = (full[:, None, None] * full[None, :, None] * full[None, None, :]).ravel()[self.order]
        self.weight = weight / weight.sum()
        self.cut()

    def cut(self):
        """The owner of each cell: that of the box of the coarse tree which it is in."""
        limit, begins, self.divided = 1 / (PIECES * self.ranks), np.zeros(len(self.keys), bool), 0
        growing = np.ones(len(self.keys), bool)
        for level in range(self.level + 1):
            box = self.keys >> 3 * (self.level - level)
            first = np.flatnonzero(np.r_[True, box[1:] != box[:-1]])
            begins[first[growing[first]]] = True
            count = np.repeat(np.add.reduceat(self.weight, first), np.diff(np.r_[first, len(box)]))
            growing &= count > limit * (1 + 1e-9)
            self.divided += int(growing[first].sum())
        first = np.flatnonzero(begins)
        count = np.add.reduceat(self.weight, first)
        middle = np.cumsum(count) - count / 2
        owner = np.minimum(self.ranks - 1, (middle * self.ranks).astype(np.int64))
        self.heaviest = self.ranks * np.bincount(owner, weights=count).max()
        cells = np.empty(len(self.keys), np.int64)
        cells[self.order] = np.repeat(owner, np.diff(np.r_[first, len(self.keys)]))
        self.owners = cells.reshape(3 * (self.side,))

    def ranks_of(self, level):
        """The first and the last rank in each box of a level."""
        step = 2 ** (self.level - level)
        side = -(-self.side // step)
        pad = [(0, side * step - self.side)] * 3
        blocks = (side, step, side, step, side, step)
        low = np.pad(self.owners, pad, constant_values=self.ranks).reshape(blocks).min(axis=(1, 3, 5))
        return low, np.pad(self.owners, pad, constant_values=-1).reshape(blocks).max(axis=(1, 3, 5))


def near(low, high, ranks):
    """Pairs (box, rank), as one number, of boxes that touch a box in which the rank has points."""
    side = len(low)
    count = (high - low + 1).ravel()
    box = np.repeat(np.arange(side**3), count)
    rank = low.ravel()[box] + np.arange(len(box)) - np.repeat(np.cumsum(count) - count, count)
    place = np.stack(np.unravel_index(box, low.shape))
    found = []
    for offset in OFFSETS:
        to = place + np.array(offset)[:, None]
        inside = ((to >= 0) & (to < side)).all(axis=0)
        beside, of = to[:, inside], rank[inside]
        other = (low[tuple(beside)] != of) | (high[tuple(beside)] != of)
        found.append(np.unique(np.ravel_multi_index(beside[:, other], low.shape) * ranks + of[other]))
    return np.unique(np.concatenate(found))


def children_for_others(pairs, shape, low, high, ranks):
    """(owner, rank) of every child that one rank sends to another."""
    box, rank = np.divmod(pairs, ranks)
    place = np.stack(np.unravel_index(box, shape))
    owners, others = [], []
    for octant in range(8):
        child = 2 * place + np.array([octant >> 2, octant >> 1 & 1, octant & 1])[:, None]
        there = (child < len(low)).all(axis=0)
        at, of = tuple(child[:, there]), rank[there]
        sent = (low[at] == high[at]) & (low[at] != of)
        owners.append(low[at][sent]), others.append(of[sent])
    return np.concatenate(owners), np.concatenate(others)


def surroundings(ranks, filled, level=None):
    """level: of the grid; by default one of 200 cells for each rank."""
    if level is None:
        level = max(5, int(np.ceil(np.log2((LEAST_CELLS * ranks) ** (1 / 3) / filled))))
    grid = Grid(ranks, filled, level)
    found = Surroundings(level, divided=grid.divided, heaviest=grid.heaviest)
    parents = grid.ranks_of(0)
    for below in range(1, level + 1):
        low, high = grid.ranks_of(below)
        parent_shared = parents[0] != parents[1]
        owners, others = children_for_others(near(*parents, ranks), parents[0].shape, low, high, ranks)
        found.touching[below] = len(np.unique(owners * ranks + others)) / ranks
        if below >= COARSEST:
            found.rows[below] = len(owners) / ranks
        if below > COARSEST:
            shared = np.kron(parent_shared, np.ones((2, 2, 2), bool))[tuple(slice(n) for n in low.shape)]
            found.top += int((shared & (low == high)).sum())
        parents = low, high
    of_rank = np.bincount(others, minlength=ranks)
    found.largest = of_rank.max() / max(1, of_rank.mean())
    found.outside = float((owners // PER_HOST != others // PER_HOST).mean()) if len(owners) else 0.0
    return found
