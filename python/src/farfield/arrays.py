"""Arrays of others as NumPy arrays that the library can read where they lie; what has to be copied is counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .device import DeviceArray, cuda, on_device
from .errors import DeviceError, InputError

Array = Any  #: np.ndarray, or whatever offers __dlpack__ (torch, jax, cupy, ...)
Host = np.ndarray[Any, Any]
Taken = Any  #: Host or DeviceArray

_cpu = (1, 3)  # DLPack's device types of the host: kDLCPU, kDLCUDAHost


def _by_dlpack(name: str, array: Array) -> Taken:
    """The same memory as a NumPy array, or as one of a device."""
    kind = cuda[0] if getattr(array, "is_cuda", False) is True else int(array.__dlpack_device__()[0])
    if kind in cuda:
        return on_device(name, array)
    if kind not in _cpu:
        raise DeviceError(f"{name} are on a device of DLPack's type {kind}; pass arrays in host memory or on a CUDA device")
    try:
        return np.from_dlpack(array)
    except (BufferError, RuntimeError, TypeError) as error:
        raise InputError(f"{name} cannot be read where they lie ({error}); pass a plain array, as by .detach()") from None


def kind_of(array: Array) -> Callable[[Host], Array] | None:
    """What turns a NumPy array into one of the kind of `array`; None: it stays as it is."""
    if array is None or isinstance(array, np.ndarray) or not hasattr(array, "__dlpack__"):
        return None
    if hasattr(array, "__array_namespace__"):
        namespace = array.__array_namespace__()
    else:
        import sys

        namespace = sys.modules[type(array).__module__.partition(".")[0]]
    convert = getattr(namespace, "from_dlpack", None)
    return convert if convert is not np.from_dlpack else None


class Intake:
    """The arrays of one call, and a line for each that had to be copied."""

    __slots__ = ("copies",)

    def __init__(self) -> None:
        self.copies: list[str] = []

    def points(self, name: str, array: Array) -> Taken:
        """(N, 3), or (N, 2) of the plane; any strides that a view of the library can have."""
        host = self._numbers(name, array)
        if host.ndim != 2 or host.shape[1] not in (2, 3):
            hint = "; pass .T, which copies nothing" if host.ndim == 2 and host.shape[0] in (2, 3) else ""
            raise InputError(f"{name} have shape {host.shape}, not (N, 3), or (N, 2) in the plane{hint}")
        return self._laid(name, host, 1)

    def strengths(self, name: str, array: Array, count: int, dtype: Any = None) -> Taken:
        """(N,), or (nd, N)."""
        host = self._numbers(name, array, dtype)
        if host.ndim not in (1, 2) or host.shape[-1] != count:
            raise InputError(f"{name} have shape {host.shape}; {count} sources need ({count},) or (nd, {count})")
        return self._laid(name, host, host.ndim)

    def dipoles(self, name: str, array: Array, count: int, dtype: Any = None) -> Taken:
        """(N, 3), or (nd, N, 3)."""
        host = self._numbers(name, array, dtype)
        if host.ndim not in (2, 3) or host.shape[-2:] != (count, 3):
            raise InputError(f"{name} have shape {host.shape}; {count} sources need ({count}, 3) or (nd, {count}, 3)")
        if isinstance(host, np.ndarray) and host.strides[-1] != host.itemsize and host.size:
            return self._copied(name, host, host.dtype, "x y z do not follow each other")
        return self._laid(name, host, host.ndim - 1)

    def lengths(self, name: str, array: Array, count: int) -> Host:
        """(N,) of doubles, one after another in host memory: softening lengths."""
        host: Host = self._numbers(name, array)
        if isinstance(host, DeviceArray):
            raise InputError(f"{name} is on a device; pass softening lengths in host memory")
        if host.shape != (count,):
            raise InputError(f"{name} has shape {host.shape}; {count} points need one number or ({count},)")
        if host.dtype != np.float64 or not host.flags.c_contiguous:
            return self._copied(name, host, np.dtype(np.float64), "softening lengths are doubles, one after another")
        return host

    def contiguous(self, name: str, taken: Taken) -> Host:
        if isinstance(taken, DeviceArray):
            raise DeviceError(f"{name} are on a device; pass them in host memory")
        host: Host = taken
        if host.flags.c_contiguous:
            return host
        return self._copied(name, host, host.dtype, "they do not follow each other")

    def _numbers(self, name: str, array: Array, dtype: Any = None) -> Taken:
        """float32 or float64 in the machine's order; `dtype`: that of the array that goes with this one."""
        if isinstance(array, np.ndarray):
            host = array
        elif hasattr(array, "__dlpack_device__"):
            host = _by_dlpack(name, array)
            if isinstance(host, DeviceArray):
                return _of_type(name, host, dtype)
        else:
            host = self._from_sequence(name, array)
        wanted = host.dtype
        if wanted.char not in "fd" or not wanted.isnative:
            if wanted.kind not in "iuf" or wanted.itemsize > 8:
                raise InputError(f"{name} are of type {wanted}; pass float64 or float32, or integers to be converted")
            wanted = np.dtype(np.float32 if wanted.char == "f" else np.float64)
        if dtype is not None:
            wanted = np.dtype(dtype)
        if wanted != host.dtype:
            return self._copied(name, host, wanted, f"{host.dtype} made {wanted}")
        return host

    def _from_sequence(self, name: str, array: Array) -> Host:
        try:
            host = np.asarray(array)
        except ValueError as error:
            raise InputError(f"{name} are no array of numbers ({error})") from None
        if isinstance(array, (list, tuple)):
            self.copies.append(f"{name}: a {type(array).__name__}, not an array")
        return host

    def _laid(self, name: str, host: Taken, forward: int) -> Taken:
        """Views count in whole numbers, and along the first `forward` axes forward; of a device the library looks."""
        if isinstance(host, DeviceArray):
            return host
        size, strides = host.itemsize, host.strides[:forward]
        if host.size < 2 or (host.flags.aligned and all(s > 0 and s % size == 0 for s in strides)
                             and all(s % size == 0 for s in host.strides)):
            return host
        return self._copied(name, host, host.dtype, f"strides {host.strides} of {host.dtype} are not whole and forward")

    def _copied(self, name: str, host: Host, dtype: Any, why: str) -> Host:
        self.copies.append(f"{name}: {why}")
        return np.array(host, dtype=dtype, order="C", copy=True)


def _of_type(name: str, array: DeviceArray, dtype: Any) -> DeviceArray:
    if dtype is not None and array.dtype != dtype:
        raise InputError(f"{name} are of type {array.dtype}, and what goes with them of {dtype}; pass one type on a device")
    return array
