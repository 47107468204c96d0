"""Pairs that bonds connect, as arrays or by the bonds themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..arrays import Array, Host
from ..errors import InputError

_hint = "pass pairs (M, 2), or a tuple (ptr, idx) or (ptr, idx, keep) of compressed rows"


def exclusions_of_bonds(count: int, bonds: Array, keep: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> _core.Exclusions:
    """What `bonds` (M, 2) make neighbours among `count` particles: of pairs one, two and three bonds apart, by the shortest
    way, the fractions `keep` stay. For the argument exclusions of coulomb and Coulomb; LAMMPS' special_bonds."""
    first, second, third = (float(fraction) for fraction in keep)
    return _core.Exclusions.of_bonds(count, _pairs(bonds), first, second, third)


def taken(exclusions: Any, count: int) -> _core.Exclusions:
    """Of `count` particles; what is wrong with them is told here or by the library."""
    if exclusions is None:
        return _core.Exclusions()
    if isinstance(exclusions, _core.Exclusions):
        return exclusions
    if not isinstance(exclusions, tuple):
        return _core.Exclusions.of_pairs(count, _pairs(exclusions), None)
    if len(exclusions) not in (2, 3):
        raise InputError(f"exclusions are a tuple of {len(exclusions)}; {_hint}")
    ptr, idx = _whole("ptr", exclusions[0]), _whole("idx", exclusions[1])
    if ptr.shape != (count + 1,) or idx.ndim != 1:
        raise InputError(f"exclusions: ptr has shape {ptr.shape} and idx {idx.shape}; of {count} particles ptr has "
                         f"{count + 1} numbers that rise from 0 to the length of idx")
    keep = None if len(exclusions) == 2 else np.ascontiguousarray(exclusions[2], dtype=float)
    return _core.Exclusions.of_rows(ptr, idx, keep)


def _whole(name: str, array: Any) -> Host:
    numbers = np.asarray(array)
    if numbers.size == 0:
        numbers = numbers.astype(np.int64)
    if numbers.dtype.kind not in "iu":
        raise InputError(f"exclusions: {name} are of type {numbers.dtype}, not whole numbers; {_hint}")
    return np.ascontiguousarray(numbers, dtype=np.int64)


def _pairs(pairs: Any) -> Host:
    numbers = _whole("pairs", pairs)
    if numbers.size == 0:
        numbers = numbers.reshape(0, 2)
    if numbers.ndim != 2 or numbers.shape[1] != 2:
        raise InputError(f"exclusions have shape {numbers.shape}; {_hint}")
    return numbers
