"""Pairs that bonds connect, and what is taken off the Coulomb sum for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Host
from ..errors import InputError
from .cell import Cell

_hint = "pass pairs (M, 2), or a tuple (ptr, idx) or (ptr, idx, keep) of compressed rows"


class Exclusions:
    """first, second: (M,), each pair once; less: (M,), the fraction of the pair that is taken off, 1 - keep."""

    def __init__(self, exclusions: Any, count: int) -> None:
        rows = isinstance(exclusions, tuple)
        first, second, keep = _of_rows(exclusions, count) if rows else _of_pairs(exclusions)
        for side in (first, second):
            outside = np.flatnonzero((side < 0) | (side >= count))
            if outside.size:
                raise InputError(f"exclusions: pair {outside[0]} names particle {side[outside[0]]}; there are {count}, "
                                 "counted from 0")
        own = np.flatnonzero(first == second)
        if own.size:
            raise InputError(f"exclusions: pair {own[0]} is particle {first[own[0]]} with itself; a particle never acts on "
                             "itself, leave it out")
        if rows:
            _require_both_sides(first, second, keep, count)
        low, high = np.minimum(first, second), np.maximum(first, second)
        _, once = np.unique(low * count + high, return_index=True)
        self.first, self.second, self.less = low[once], high[once], 1 - keep[once]

    def take_off(self, positions: Host, charges: Host, cell: Cell, potential: Host, force: Host) -> Host:
        """Of the potential (N,) and the forces (N, 3), in place: (1 - keep) q q / r at the shortest image. Returns what
        is to be taken off the virial, (3, 3)."""
        i, j = self.first, self.second
        d = cell.shortest_images(positions[i] - positions[j])
        r2 = (d**2).sum(axis=1)
        # Two particles at the same place have nothing in the sum either.
        inverse = np.sqrt(np.divide(1, r2, out=np.zeros_like(r2), where=r2 > 0))
        shared = self.less * inverse
        count = len(charges)
        potential -= np.bincount(i, shared * charges[j], count) + np.bincount(j, shared * charges[i], count)
        pull = (shared * inverse**2 * charges[i] * charges[j])[:, None] * d
        for axis in range(3):
            force[:, axis] -= np.bincount(i, pull[:, axis], count) - np.bincount(j, pull[:, axis], count)
        virial: Host = d.T @ pull  # of pulls along d symmetric, to rounding
        return 0.5 * (virial + virial.T)


def _whole(name: str, array: Any) -> Host:
    numbers = np.asarray(array)
    if numbers.size == 0:
        numbers = numbers.astype(np.int64)
    if numbers.dtype.kind not in "iu":
        raise InputError(f"exclusions: {name} are of type {numbers.dtype}, not whole numbers; {_hint}")
    return numbers.astype(np.int64)


def _of_pairs(pairs: Any) -> tuple[Host, Host, Host]:
    numbers = _whole("pairs", pairs)
    if numbers.size == 0:
        numbers = numbers.reshape(0, 2)
    if numbers.ndim != 2 or numbers.shape[1] != 2:
        raise InputError(f"exclusions have shape {numbers.shape}; {_hint}")
    return numbers[:, 0], numbers[:, 1], np.zeros(len(numbers))


def _of_rows(rows: tuple[Any, ...], count: int) -> tuple[Host, Host, Host]:
    if len(rows) not in (2, 3):
        raise InputError(f"exclusions are a tuple of {len(rows)}; {_hint}")
    ptr, idx = _whole("ptr", rows[0]), _whole("idx", rows[1])
    if ptr.shape != (count + 1,) or ptr[0] != 0 or (np.diff(ptr) < 0).any() or idx.shape != (ptr[-1],):
        raise InputError(f"exclusions: ptr has shape {ptr.shape} and idx {idx.shape}; of {count} particles ptr has "
                         f"{count + 1} numbers that rise from 0 to the length of idx")
    keep = np.zeros(len(idx)) if len(rows) == 2 else np.asarray(rows[2], dtype=float)
    if keep.shape != idx.shape or not ((keep >= 0) & (keep <= 1)).all():
        raise InputError(f"exclusions: keep has to be {len(idx)} numbers from 0 to 1, the fraction of each pair that stays")
    return np.repeat(np.arange(count), np.diff(ptr)), idx, keep


def _require_both_sides(first: Host, second: Host, keep: Host, count: int) -> None:
    """Each pair stands in the rows of both its particles, with the same fraction."""
    there, back = first * count + second, second * count + first
    there_order, back_order = np.argsort(there, kind="stable"), np.argsort(back, kind="stable")
    single = np.flatnonzero(~np.isin(there, back))
    if single.size:
        i, j = first[single[0]], second[single[0]]
        raise InputError(f"exclusions: particle {i} excludes {j}, and {j} does not exclude {i}; put the pair in both rows, "
                         "or pass pairs (M, 2)")
    if not np.array_equal(there[there_order], back[back_order]) or not np.array_equal(keep[there_order], keep[back_order]):
        raise InputError("exclusions: a pair stands twice in a row, or with another keep in the row of its other particle; "
                         "give it once in both rows, with one keep")
