"""What an evaluation gives back, and where it puts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from .arrays import Array, Host, Taken
from .device import DeviceArray, cuda, on_device
from .errors import InputError
from .report import Report

#: numbers at each point; Hessians are xx yy zz xy xz yz
components: dict[str, tuple[int, ...]] = {"potential": (), "gradient": (3,), "hessian": (6,)}


@dataclass(slots=True, repr=False)
class Result:
    """Arrays in the order of the points, of the kind of the strengths; None: not asked for.

    potential (N,) or (nd, N); gradient (N, 3) or (nd, N, 3); hessian (N, 6) or (nd, N, 6) as xx yy zz xy xz yz; the
    same at the sources with the option at_sources. Of kernel vortex `gradient` holds the velocity (u, v, 0), of cauchy
    (Re, Im, 0). virial (6,) or (nd, 6) as xx yy zz xy xz yz, with the option virial, always float64 and in host memory,
    of arrays on a device a NumPy array.
    """

    potential: Array = None
    gradient: Array = None
    hessian: Array = None
    source_potential: Array = None
    source_gradient: Array = None
    source_hessian: Array = None
    report: Report | None = None
    virial: Array = None

    def __repr__(self) -> str:
        held = [f"{name} {tuple(getattr(self, name).shape)}" for name in self.__slots__
                if name != "report" and getattr(self, name) is not None]
        return f"farfield.Result: {', '.join(held)}\n{self.report!r}"

    @property
    def velocity(self) -> Array:
        """(N, 2) of kernel vortex."""
        if self.report is None or self.report.vector != "velocity":
            raise AttributeError("only kernel vortex gives velocities; see Result.gradient")
        return self.gradient[..., :2]


class Wanted:
    """Names, shapes and type of the results of one evaluation."""

    def __init__(self, orders: list[str], counts: dict[str, int], leading: tuple[int, ...], dtype: Any) -> None:
        self.dtype = dtype
        self.shapes = {place + order: (*leading, count, *components[order])
                       for place, count in counts.items() for order in orders}

    def arrays(self, out: Any, inputs: list[Taken]) -> dict[str, Taken]:
        """New arrays, or those of `out`, which have to fit."""
        if out is None and isinstance(inputs[0], DeviceArray):
            return {name: inputs[0].empty(shape) for name, shape in self.shapes.items()}
        if out is None:
            return {name: np.empty(shape, self.dtype) for name, shape in self.shapes.items()}
        given = self._named(out)
        for name, array in given.items():
            self._require_fit(name, array)
        for name, array in given.items():
            if any(_overlap(array, other) for other in inputs):
                raise InputError(f"out: {name} overlaps the strengths or dipoles; pass memory of its own")
        for (name, one), (other, two) in combinations(given.items(), 2):
            if _overlap(one, two):
                raise InputError(f"out: {name} overlaps {other}; pass memory of its own")
        return given

    def _named(self, out: Any) -> dict[str, Taken]:
        """An array alone is the first result; a mapping or a Result has names."""
        if isinstance(out, Result):
            out = {name: getattr(out, name) for name in self.shapes}
        if not isinstance(out, Mapping):
            out = {next(iter(self.shapes)): out}
        given = {name: array for name, array in out.items() if array is not None}
        for name in given:
            if name not in self.shapes:
                raise InputError(f"out: {name} is not computed here; this plan gives {', '.join(self.shapes)}")
        return {name: _writable(name, array) for name, array in given.items()}

    def _require_fit(self, name: str, array: Taken) -> None:
        if array.shape != self.shapes[name] or array.dtype != self.dtype:
            raise InputError(f"out: {name} is {array.dtype} of shape {array.shape}; pass {np.dtype(self.dtype)} of shape "
                             f"{self.shapes[name]}")
        on_device = isinstance(array, DeviceArray)
        contiguous = array.contiguous() if on_device else array.flags.c_contiguous
        if not contiguous or not (on_device or array.flags.writeable):
            raise InputError(f"out: {name} is {'read-only' if contiguous else 'not contiguous'}; pass an array that can be "
                             "filled in order")


def _overlap(one: Taken, two: Taken) -> bool:
    if isinstance(one, DeviceArray) and isinstance(two, DeviceArray):
        return one.overlaps(two)
    if isinstance(one, DeviceArray) or isinstance(two, DeviceArray):
        return False
    return bool(np.may_share_memory(one, two))


def _writable(name: str, array: Array) -> Taken:
    if isinstance(array, np.ndarray):
        return array
    if not hasattr(array, "__dlpack__"):
        raise InputError(f"out: {name} is a {type(array).__name__}; pass an array")
    if getattr(array, "is_cuda", False) is True or int(array.__dlpack_device__()[0]) in cuda:
        return on_device(f"out: {name}", array)
    try:
        return np.from_dlpack(array)
    except (BufferError, RuntimeError, TypeError) as error:
        raise InputError(f"out: {name} cannot be written where it lies ({error})") from None


def as_kind(arrays: dict[str, Taken], convert: Callable[[Host], Array] | None) -> dict[str, Array]:
    """Of the kind of the strengths."""
    return {name: array.source if isinstance(array, DeviceArray) else convert(array) if convert else array
            for name, array in arrays.items()}
