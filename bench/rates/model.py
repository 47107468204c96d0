"""Seconds of a step on many GPUs, from what is counted over loopback and measured on one host. What is measured is read from
ranks.csv, what is assumed stands in NETWORK; docs/scaling.md says what neither knows."""

import csv
import functools
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ranges import PER_HOST, surroundings

HERE = Path(__file__).resolve().parent
WORD = 256  # bytes, distributed/ranks.hpp: what each rank says in every collective
BITMAP = 2**18  # bytes of the occupied cells that a survey joins
COLLECTIVES_OF_MOVE = 39  # counted, of 64 ranks (rank_counts.csv); 30 of one
COLLECTIVES_OF_MEASURED_MOVE = 54  # of the code that ranks.csv was measured with
COLLECTIVES_OF_SUM = 17  # on devices, as src/distributed/cuda calls them: keep-order. On the CPU judging adds 2 per rank
DEGREE = 11  # at 1e-5: 10 or 11 in all rows of ranks.csv, and 11 in the largest
PER_LEAF = 32  # points: what plans on a device have, 30 to 33, for trees of 5, 6.5 or 8 boxes times a power of 2
FILLED = 0.8125  # of the root, beyond one host
FILLS = (0.625, 0.8125, 1.0)  # these trees' sides over the next power of 2
NEAR_BORDERS = 0.1  # of the boxes at the top, partition/cuts.cpp: ends where borders may lie in keep-order
NUMBERS = 24 + 544  # bytes that each rank tells each other one in a move: of points, and of boxes by level
MIGRANTS = 0.01  # of the points, in a step of a simulation


@dataclass
class Network:
    """Between hosts. Nothing of this was measured."""

    rate: float = 50e9  # bytes/s of a GPU's own link of 400 Gbit/s
    hop: float = 5e-6  # s, of a collective of few bytes: one of log2(ranks)
    message: float = 2e-6  # s, of a message among many


NETWORK = Network()


def measured():
    with (HERE / "ranks.csv").open() as table:
        rows = [row for row in csv.DictReader(table) if row["cloud"] == "uniform"]
    return [{**row, "points": int(row["points"]), "devices": int(row["devices"]), "sent_bytes": int(row["sent_bytes"]),
             "move": 1e-3 * float(row["move_ms"] or "nan"), "evaluate": 1e-3 * float(row["evaluate_ms"])} for row in rows]  # fmt: skip


@functools.cache
def alone():
    """{points: (move, evaluate)} of one GPU, means where a row was measured twice."""
    found = {}
    for row in measured():
        if row["way"] == "one":
            found.setdefault(row["points"], []).append((row["move"], row["evaluate"]))
    return {points: tuple(np.mean(times, axis=0)) for points, times in sorted(found.items())}


@functools.cache
def per_point():
    """Seconds of an evaluation for each point, by degree: what else the size changes is 4 %."""
    found = {}
    for row in measured():
        if row["way"] == "one":
            found.setdefault(int(row["degree"]), []).append(row["evaluate"] / row["points"])
    return {degree: float(np.mean(times)) for degree, times in found.items()}


def of_one(points, degree=DEGREE):
    """Move and evaluation of one GPU. The move: between its sizes by their logarithms, above in proportion, below as the least
    of them, which is launches."""
    sizes, moves = list(alone()), [move for move, _ in alone().values()]
    inside = min(max(points, sizes[0]), sizes[-1])
    move = math.exp(np.interp(math.log(inside), np.log(sizes), np.log(moves))) * max(1, points / inside)
    return move, per_point()[degree] * points


@functools.cache
def around(ranks, filled):
    return surroundings(ranks, filled)


def tree_of(points):
    """(leaves along a side over the next power of 2, level of the leaves)."""
    side = (points / PER_LEAF) ** (1 / 3)
    level = math.ceil(math.log2(side) - 1e-9)
    filled = min((f * s for f in FILLS for s in (0.5, 1)), key=lambda f: abs(math.log(f * 2**level / side)))
    return (filled, level) if filled > 0.5 else (2 * filled, level - 1)


def bytes_of(degree):
    """Of a multipole in single."""
    return 4 * (degree + 1) ** 2


@dataclass
class Sent:
    """Of a rank, to all others, in one evaluation: what it sends and what it gets is the same in the mean."""

    ghosts: float  # points of others that it holds
    rows: float  # multipoles of ghosts
    top: float  # multipoles of the shared top: it sends a part of them to all, and gets the others' parts

    def bytes(self, degree=DEGREE):
        return 4 * self.ghosts + bytes_of(degree) * (self.rows + self.top)


def sent_by(ranks, per_leaf, filled, level):
    """Leaves of few sources go with their siblings: at the degrees here nearly all leaves are such."""
    a = around(ranks, filled)
    return Sent(a.rows_at(level) * per_leaf, a.rows_to(level), (ranks - 1) * a.top / ranks)


def on_device(ranks, per_gpu):
    filled, level = tree_of(ranks * per_gpu)
    return sent_by(ranks, ranks * per_gpu / (filled * 2**level) ** 3, filled, level)


def of_many(ranks, per_gpu):
    """Of a tree that fills FILLED of its root: to pick the tree of each number of points would make steps of some percent."""
    level = math.log2((ranks * per_gpu / PER_LEAF) ** (1 / 3) / FILLED)
    return sent_by(ranks, PER_LEAF, FILLED, level), around(ranks, FILLED)


def fit(lines):
    """Least squares of relative errors; no cost below 0. A line: the factors of the costs, what they make up, the time it is part of."""
    scaled = np.array([np.array(line[:-1]) / line[-1] for line in lines])
    return np.maximum(0, np.linalg.lstsq(scaled[:, :-1], scaled[:, -1], rcond=None)[0])


@functools.cache
def on_host():
    """What sharing costs on one host: seconds per collective and doubling of the ranks, and per byte, that fit the strong rows of
    ranks.csv best. In keep-order beside 1/P of one GPU's time for as many points; any-order beside keep-order; a move, too."""
    rows = {(r["order"], r["devices"], r["points"]): r for r in measured() if r["way"] == "strong" and r["points"] in alone()}
    keep, any_order, move = [], [], []
    for (order, devices, points), row in rows.items():
        (one_move, one_sum), doublings = alone()[points], math.log2(devices)
        if order == "keep":
            own, time = row["sent_bytes"] / devices, row["evaluate"]
            keep.append((COLLECTIVES_OF_SUM * doublings, own, time - one_sum / devices, time))
            continue
        beside, migrants = rows["keep", devices, points], points / devices * (1 - 1 / devices)
        more = (row["sent_bytes"] - beside["sent_bytes"]) / devices
        any_order.append((more, row["evaluate"] - beside["evaluate"], row["evaluate"]))
        move.append((COLLECTIVES_OF_MEASURED_MOVE * doublings, 12 * migrants, row["move"] - one_move / devices, row["move"]))
    return {"sum": fit(keep), "any": fit(any_order), "move": fit(move)}


def step_on_host(devices, per_gpu, degree):
    """Evaluations in keep-order and any-order, and a move of points that lie anywhere, as gpu_ranks measures them."""
    one, c, doublings = of_one(per_gpu, degree), on_host(), math.log2(devices)
    migrants = per_gpu * (1 - 1 / devices)
    sent = on_device(devices, per_gpu).bytes(degree)
    keep = one[1] + c["sum"][0] * COLLECTIVES_OF_SUM * doublings + c["sum"][1] * sent
    move = one[0] + c["move"][0] * COLLECTIVES_OF_MEASURED_MOVE * doublings + c["move"][1] * 12 * migrants
    return {"keep": keep, "any": keep + c["any"][0] * 20 * migrants, "move": move}  # a strength; potential and gradient


def same_of_both(around, per_gpu):
    one, c = of_one(per_gpu), on_host()
    doublings = math.log2(PER_HOST)
    return {
        "p2p and far field": one[1],
        "tree and lists": one[0],
        "imbalance": (around.heaviest - 1) * sum(one),
        "collectives in a host": doublings * (c["move"][0] * COLLECTIVES_OF_MOVE + c["sum"][0] * COLLECTIVES_OF_SUM),
    }


def bytes_around(sent, around):
    """Of the rank with the largest surface, which the others wait for: in the sum, and the ghosts' positions and boxes in the move."""
    return around.largest * (4 * sent.ghosts + bytes_of(DEGREE) * sent.rows + 12 * sent.ghosts + 40 * sent.rows)


def per_byte(around):
    """Seconds of a byte that goes from GPU to GPU, over NVLink inside a host."""
    return around.outside / NETWORK.rate + (1 - around.outside) * on_host()["sum"][1]


def reduced(sent, around):
    """Bytes of numbers in a move that become one over all ranks: cells, counts of children, points on the wrong side of borders in
    keep-order, and sums of the shared boxes."""
    return BITMAP + 64 * around.divided + 8 * NEAR_BORDERS * 7 * around.divided + 32 * sent.top


def told(ranks):
    """Seconds in which all ranks tell all others NUMBERS bytes, in log2 P steps of half of all each."""
    return math.log2(ranks) * (NETWORK.hop + ranks / 2 * NUMBERS / NETWORK.rate)


def step_of_code(ranks, per_gpu):
    """A step of a simulation in keep-order, a process of MPI for each GPU, with the code as it is: rows go from GPU to GPU, the top to
    all ranks; each rank has a word for all in every collective; sums over ranks are reductions."""
    sent, a = of_many(ranks, per_gpu)
    words = NETWORK.hop * math.log2(ranks) + WORD * ranks / NETWORK.rate
    return {
        **same_of_both(a, per_gpu),
        "ghosts": per_byte(a) * bytes_around(sent, a) + 4 * a.peers(a.level) * NETWORK.message,
        "top": bytes_of(DEGREE) * sent.top / NETWORK.rate + (ranks - 1) * NETWORK.message,
        "collectives of hosts": (COLLECTIVES_OF_MOVE + COLLECTIVES_OF_SUM) * words + told(ranks) + 2 * reduced(sent, a) / NETWORK.rate,
        "migrants": 12 * MIGRANTS * per_gpu / NETWORK.rate + 2 * a.peers(a.level) * NETWORK.message,
    }


def step_of_large(ranks, per_gpu):
    """The same with what thousands of ranks would gain from: of the top each rank gets on every level what its own boxes there need,
    208 boxes of 26 peers; words are a reduction; numbers go to peers alone."""
    sent, a = of_many(ranks, per_gpu)
    level = 208 * bytes_of(DEGREE) / NETWORK.rate + 26 * NETWORK.message + NETWORK.hop
    latency = (COLLECTIVES_OF_MOVE + COLLECTIVES_OF_SUM) * NETWORK.hop * math.log2(ranks)
    return {
        **step_of_code(ranks, per_gpu),
        "top": math.log2(ranks) / 3 * level,
        "collectives of hosts": latency + 2 * a.peers(a.level) * NETWORK.message + 2 * reduced(sent, a) / NETWORK.rate,
    }


def any_order(per_gpu):
    """What it adds to a step: a position, a strength, a potential and a gradient."""
    return (12 + 4 + 16) * per_gpu / NETWORK.rate


def efficiency(step, ranks, per_gpu, reference):
    """Of points per second and GPU, over those of one GPU that has `reference` points."""
    return per_gpu / sum(step.values()) / (reference / sum(of_one(reference)))
