"""The lattice whose images a periodic sum adds, from what users write: three lengths or three rows, and which repeat."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ..arrays import Host
from ..errors import UsageError

_flattest = 1e-12  # volume over the product of lengths: below, rounding decides which vectors are meant


def rows_of(cell: Any) -> Host:
    try:
        rows = np.asarray(cell, dtype=float)
    except (TypeError, ValueError):
        raise UsageError("cell is no array of numbers; pass three lengths, or the vectors a, b, c as rows (3, 3)") from None
    if rows.shape == (3,):
        rows = np.diag(rows)
    if rows.shape != (3, 3):
        raise UsageError(f"cell has shape {rows.shape}; pass three lengths, or the vectors a, b, c as rows (3, 3)")
    return rows


def _axes(pbc: Any, cell: Any) -> tuple[bool, bool, bool]:
    given = np.asarray(cell is not None if pbc is None else pbc)
    if given.dtype != bool or given.shape not in ((), (3,)):
        raise UsageError(f"pbc is {pbc!r}; pass True, False, or three of them, one for each vector of the cell")
    a, b, c = (bool(axis) for axis in np.broadcast_to(given, (3,)))
    return a, b, c


def _less_whole(vector: Host, others: Host) -> Host:
    """The shortest of `vector` minus whole multiples of `others`, which are reduced."""
    whole = np.rint(np.linalg.lstsq(others.T, vector, rcond=None)[0])
    near = vector - (whole + list(product((-1, 0, 1), repeat=len(others)))) @ others
    shortest: Host = near[np.argmin((near**2).sum(axis=1))]
    return shortest


def _reduced(vectors: Host) -> Host:
    """The same lattice by its shortest vectors: Semaev's reduction, which is Minkowski's up to three dimensions."""
    vectors = vectors[np.argsort((vectors**2).sum(axis=1), kind="stable")]
    for i in range(1, len(vectors)):
        shorter = _less_whole(vectors[i], vectors[:i])
        if shorter @ shorter < (1 - 1e-14) * (vectors[i] @ vectors[i]):
            return _reduced(np.concatenate([vectors[:i], shorter[None], vectors[i + 1:]]))
    return vectors


class Cell:
    """`rows`: a, b, c, those of open axes 0; `periodic`: which repeat; `measure`: volume, area or length."""

    def __init__(self, cell: Any, pbc: Any) -> None:
        self.periodic = _axes(pbc, cell)
        self.count = sum(self.periodic)
        if self.count and cell is None:
            raise UsageError("pbc names periodic axes and there is no cell; pass cell, three lengths or rows (3, 3)")
        self.rows = np.zeros((3, 3)) if cell is None else np.where(np.array(self.periodic)[:, None], rows_of(cell), 0.0)
        vectors = self.rows[list(self.periodic)]
        self._check(vectors)
        self.measure = float(np.sqrt(np.linalg.det(vectors @ vectors.T))) if self.count else 0.0
        self._vectors = _reduced(vectors)
        self._dual = np.linalg.pinv(self._vectors) if self.count else np.zeros((3, 0))
        self._steps = np.array(list(product((-1, 0, 1), repeat=self.count))) @ self._vectors if self.count else None

    def _check(self, vectors: Host) -> None:
        names = [name for name, repeats in zip("abc", self.periodic) if repeats]
        for name, vector in zip(names, vectors):
            if not np.isfinite(vector).all():
                raise UsageError(f"the cell's vector {name} is {vector.tolist()}; give three finite numbers")
            if not vector.any():
                raise UsageError(f"the cell's vector {name} has length 0; give a vector along each periodic axis, or make "
                                 "the axis open")
        lengths = np.linalg.norm(vectors, axis=1)
        unit = vectors / lengths[:, None]
        if self.count > 1 and np.linalg.svd(unit, compute_uv=False).prod() < _flattest:
            lie, of = ("are parallel", "area") if self.count == 2 else ("lie in one plane", "volume")
            raise UsageError(f"the cell's vectors {', '.join(names)} {lie}, so that it has no {of}; give vectors that do "
                             "not, or fewer periodic axes")

    def options(self) -> dict[str, Any]:
        """Of a plan."""
        if not self.count:
            return {}
        words = {"periodic": "".join(axis for axis, repeats in zip("xyz", self.periodic) if repeats)}
        lengths = {f"cell_{axis}": self.rows[i, i] for i, axis in enumerate("xyz")}
        tilts = {f"cell_{row}{axis}": self.rows[i, k] for i, row in enumerate("abc") for k, axis in enumerate("xyz")
                 if i != k and self.rows[i, k]}
        return {**words, **{name: float(value) for name, value in {**lengths, **tilts}.items()}}

    def shortest_images(self, d: Host) -> Host:
        """(M, 3): of each displacement the shortest of its images."""
        if self._steps is None:
            return d
        d = d - np.rint(d @ self._dual) @ self._vectors
        length2 = (d**2).sum(axis=1)
        # Within half the shortest vector of the lattice nothing is shorter; of a reduced lattice neighbours suffice.
        far = np.flatnonzero(4 * length2 > (self._vectors[0] ** 2).sum())
        start, best = d[far], length2[far]
        for step in self._steps:
            image = start + step
            squared = (image**2).sum(axis=1)
            shorter = squared < best
            d[far[shorter]] = image[shorter]
            best[shorter] = squared[shorter]
        return d
