"""The lattice whose images a periodic sum adds, from what users write: three lengths or three rows, and which repeat."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Host
from ..errors import UsageError


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


class Cell:
    """`rows`: a, b, c, those of open axes 0; `periodic`: which repeat. What they span is the library's to judge."""

    def __init__(self, cell: Any, pbc: Any) -> None:
        self.periodic = _axes(pbc, cell)
        if any(self.periodic) and cell is None:
            raise UsageError("pbc names periodic axes and there is no cell; pass cell, three lengths or rows (3, 3)")
        self.rows = np.zeros((3, 3)) if cell is None else np.where(np.array(self.periodic)[:, None], rows_of(cell), 0.0)

    def options(self) -> dict[str, Any]:
        """Of a plan."""
        if not any(self.periodic):
            return {}
        words = {"periodic": "".join(axis for axis, repeats in zip("xyz", self.periodic) if repeats)}
        lengths = {f"cell_{axis}": self.rows[i, i] for i, axis in enumerate("xyz")}
        tilts = {f"cell_{row}{axis}": self.rows[i, k] for i, row in enumerate("abc") for k, axis in enumerate("xyz")
                 if i != k and self.rows[i, k]}
        return {**words, **{name: float(value) for name, value in {**lengths, **tilts}.items()}}
