"""Numbers of others as the doubles, one after another, that files, motions and densities take."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..arrays import Array, Host, Intake
from ..device import DeviceArray
from ..errors import DeviceError, InputError


def host(name: str, array: Array) -> Host:
    """float64 in host memory."""
    taken = Intake()._numbers(name, array)
    if isinstance(taken, DeviceArray):
        raise DeviceError(f"{name} are on a device; pass them in host memory, as by .cpu() or .get()")
    return np.ascontiguousarray(taken, dtype=np.float64)


def points(name: str, array: Array) -> Host:
    """(N, 3); a missing z is 0."""
    given = host(name, array)
    if given.ndim != 2 or given.shape[1] not in (2, 3):
        raise InputError(f"{name} have shape {given.shape}; pass (N, 3), or (N, 2) in the plane")
    return given if given.shape[1] == 3 else np.pad(given, ((0, 0), (0, 1)))


def fitting(name: str, array: Array | None, *shapes: tuple[int, ...]) -> Host | None:
    """Of one of these shapes, or none."""
    return None if array is None else shaped(name, array, *shapes)


def shaped(name: str, array: Array, *shapes: tuple[int, ...]) -> Host:
    """Of one of these shapes; -1: any number of densities."""
    given = host(name, array)
    if not any(len(shape) == given.ndim and all(w in (-1, n) for w, n in zip(shape, given.shape)) for shape in shapes):
        wanted = " or ".join(str(shape).replace("-1", "nd") for shape in shapes)
        raise InputError(f"{name} have shape {given.shape}, not {wanted}")
    return given


def as_path(path: Any) -> str:
    """str or os.PathLike."""
    return str(os.fspath(path))
