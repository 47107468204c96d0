"""Arrays in the memory of a CUDA device, of torch, CuPy or whoever offers DLPack: passed on, never copied."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from . import _core
from .errors import DeviceError, InputError

#: DLPack's device types kDLCUDA, kDLCUDAManaged
cuda = (2, 13)
# A call works on the current stream of the package whose arrays it gets, so that nothing has to be waited for; other
# packages' arrays are ordered before it by DLPack. It returns when its results are there.
#: DLPack's number for CUDA's legacy default stream, which CUDA itself calls 0
_legacy_stream = 1
_no_wait = -1
_nothing = nullcontext()


def on_device(name: str, source: Any) -> DeviceArray:
    """Of torch by its own calls, which take a tenth of the time of DLPack's."""
    torch = sys.modules.get("torch")
    return (TorchArray if torch and isinstance(source, torch.Tensor) else DeviceArray)(name, source)


class DeviceArray:
    """What the library needs to know of one."""

    __slots__ = ("source", "shape", "dtype", "fresh")

    def __init__(self, name: str, source: Any, fresh: bool = False) -> None:
        """fresh: allocated for the call that it goes to, beside an array that is waited for there."""
        if not _core.built_with_cuda():
            raise DeviceError(f"{name} are on a device, and this farfield was built without CUDA; pass arrays in host "
                              "memory, as by .cpu() or .get()")
        kind = str(source.dtype).rpartition(".")[2]
        if kind not in ("float32", "float64"):
            raise InputError(f"{name} are of type {kind}; pass float64 or float32")
        self.source, self.shape, self.dtype, self.fresh = source, tuple(source.shape), np.dtype(kind), fresh

    def __len__(self) -> int:
        return int(self.shape[0])

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def stream(self) -> int:
        """On which whoever made it works now, as CUDA's number."""
        cupy = sys.modules.get("cupy")
        return int(cupy.cuda.get_current_stream().ptr) if cupy and isinstance(self.source, cupy.ndarray) else 0

    def beside(self) -> AbstractContextManager[Any]:
        """Its device is the current one."""
        device: Any = getattr(self.source, "device", None)
        found: AbstractContextManager[Any] = device if hasattr(device, "__enter__") else _nothing
        return found

    def capsule(self, stream: int) -> Any:
        """DLPack's, good for one call, which works on `stream`."""
        try:
            return self.source.__dlpack__(stream=_no_wait if self.fresh else stream or _legacy_stream)
        except (BufferError, RuntimeError) as error:
            raise InputError(f"an array cannot be read where it lies ({error}); pass a plain one, as by .detach()") from None

    def contiguous(self) -> bool:
        return bool(self.source.flags.c_contiguous)

    def overlaps(self, other: DeviceArray) -> bool:
        """Within the bounds of both."""
        (first, last), (other_first, other_last) = self._bounds(), other._bounds()
        return first < other_last and other_first < last

    def _bounds(self) -> tuple[int, int]:
        memory = self.source.__cuda_array_interface__
        first = int(memory["data"][0])
        if 0 in self.shape:
            return first, first
        strides = memory.get("strides") or np.empty(self.shape, np.bool_).strides
        if not memory.get("strides"):
            strides = tuple(s * self.dtype.itemsize for s in strides)
        last = sum((extent - 1) * stride for extent, stride in zip(self.shape, strides))
        return first, first + last + self.dtype.itemsize

    def empty(self, shape: tuple[int, ...]) -> DeviceArray:
        """New memory of the same kind beside this one."""
        module = sys.modules[type(self.source).__module__.partition(".")[0]]
        if module.__name__ == "cupy":
            with self.source.device:
                made = module.empty(shape, dtype=self.dtype)
        else:
            instead = ", or call farfield.jax.evaluate" if module.__name__.startswith("jax") else ""
            raise DeviceError(f"results cannot be written into arrays of {module.__name__} on a device; pass those of torch "
                              f"or cupy{instead}")
        return DeviceArray("results", made, fresh=True)


class TorchArray(DeviceArray):
    """A tensor. What fills it runs on torch's current stream; where the call works on that, nothing is waited for."""

    __slots__ = ()

    def stream(self) -> int:
        return _stream_of(sys.modules["torch"], self.source)

    def beside(self) -> AbstractContextManager[Any]:
        torch, index = sys.modules["torch"], self.source.get_device()
        if index < 0 or torch.cuda.current_device() == index:
            return _nothing
        device: AbstractContextManager[Any] = torch.cuda.device(index)
        return device

    def capsule(self, stream: int) -> Any:
        tensor, torch = self.source, sys.modules["torch"]
        plain = not tensor.requires_grad and tensor.layout is torch.strided
        if plain and (self.fresh or _stream_of(torch, tensor) == stream):
            return torch.utils.dlpack.to_dlpack(tensor)
        return super().capsule(stream)

    def contiguous(self) -> bool:
        return bool(self.source.is_contiguous())

    def _bounds(self) -> tuple[int, int]:
        tensor, first = self.source, int(self.source.data_ptr())
        if 0 in self.shape:
            return first, first
        last = sum((extent - 1) * stride for extent, stride in zip(self.shape, tensor.stride()))
        return first, first + (last + 1) * self.dtype.itemsize

    def empty(self, shape: tuple[int, ...]) -> DeviceArray:
        return TorchArray("results", self.source.new_empty(shape), fresh=True)


def _stream_of(torch: Any, tensor: Any) -> int:
    """The current stream of its device, as CUDA's number; torch's public function takes ten times as long."""
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    device = tensor.get_device()
    return int(raw(device) if raw else torch.cuda.current_stream(device).cuda_stream)


def stream_of(*arrays: Any) -> int:
    """Where a call on these arrays works: where the first of those on a device was made."""
    for array in arrays:
        if isinstance(array, DeviceArray):
            return array.stream()
    return 0


def beside(*arrays: Any) -> AbstractContextManager[Any]:
    """The device of the first of those on one is the current one."""
    for array in arrays:
        if isinstance(array, DeviceArray):
            return array.beside()
    return _nothing


def for_core(array: Any, stream: int = 0) -> Any:
    """As the module takes it."""
    return array.capsule(stream) if isinstance(array, DeviceArray) else array
