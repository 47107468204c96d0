"""Arrays on a CUDA device: what Python does with them, seen with fakes; and with torch and CuPy where there is a GPU."""
import ctypes
import importlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import farfield as ff
from farfield import _core
from farfield.device import DeviceArray, on_device

on_gpu = ff.built_with_cuda() and bool(ff.devices())


class Fake:
    """Says that it is on a device; its memory is the host's, and it hands that to whoever asks on the legacy stream."""

    def __init__(self, array, device=2):
        self.array, self.device_type, self.streams = array, device, []
        self.shape, self.dtype, self.flags = array.shape, array.dtype, array.flags
        self.__cuda_array_interface__ = array.__array_interface__

    def __dlpack_device__(self):
        return self.device_type, 0

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__()


def test_without_cuda_one_sentence(points):
    if ff.built_with_cuda():
        pytest.skip("built with CUDA")
    with pytest.raises(ff.DeviceError, match="strengths are on a device, and this farfield was built without CUDA"):
        ff.evaluate(points, Fake(np.ones(600)))
    with pytest.raises(ff.DeviceError, match="DLPack's type 8"):
        ff.Plan(Fake(points, device=8))


def test_passed_on_without_a_look(points, charges, monkeypatch):
    monkeypatch.setattr("farfield.device._core", type("Core", (), {"built_with_cuda": staticmethod(lambda: True)}))
    monkeypatch.setattr(DeviceArray, "empty", lambda self, shape: DeviceArray("r", Fake(np.empty(shape, self.dtype))))
    sources, strengths, out = Fake(points), Fake(charges), Fake(np.empty(600))
    plan = ff.Plan(sources)
    result = plan.evaluate(strengths)
    assert sources.streams == [1] == strengths.streams
    assert isinstance(result.potential, Fake) and result.report.copies == ()
    assert np.array_equal(result.potential.array, ff.evaluate(points, charges).potential)
    assert plan.evaluate(strengths, out=out).potential is out
    assert np.array_equal(out.array, result.potential.array)
    virial = ff.Plan(sources, virial=True).evaluate(strengths).virial
    assert type(virial) is np.ndarray and np.array_equal(virial, ff.evaluate(points, charges, virial=True).virial)
    with pytest.raises(ff.InputError, match="overlaps the strengths"):
        plan.evaluate(strengths, out=strengths)
    with pytest.raises(ff.InputError, match="not contiguous"):
        plan.evaluate(strengths, out=Fake(np.empty(1200)[::2]))
    with pytest.raises(ff.InputError, match="strengths are of type int64"):
        plan.evaluate(Fake(np.ones(600, int)))
    with pytest.raises(ff.InputError, match="softening is on a device"):
        ff.Plan(sources, softening=Fake(np.ones(600)))


def test_dipoles_of_a_device_have_to_be_contiguous(points):
    plan = _core.Plan(points, None, None, None, {"dipoles": True})
    with pytest.raises(ff.InputError, match="x y z of a dipole do not follow each other"):
        plan.evaluate(None, np.ones((3, 600)).T, _core.Outputs(np.empty(600)), ff.Report())


def test_of_torch_by_its_own_calls(points, charges, monkeypatch):
    """Tensors of the host stand for those of a device: what is asked of torch is the same."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    device = importlib.import_module("farfield.device")
    monkeypatch.setattr(device._core, "built_with_cuda", lambda: True)
    plan, core = ff.Plan(points), _core.Plan(points, None, None, None, {})
    q = device.on_device("q", torch.from_numpy(charges))
    results = q.empty((600,))
    monkeypatch.setattr(device, "_stream_of", lambda torch, tensor: 0)
    core.evaluate(q.capsule(0), None, _core.Outputs(results.capsule(0)), ff.Report())
    assert np.array_equal(results.source.numpy(), plan.evaluate(charges).potential)
    with pytest.raises(ff.InputError, match="detach"):
        device.on_device("q", torch.ones(3, requires_grad=True)).capsule(0)
    whole = torch.ones(20, dtype=torch.float64)
    odd, even, last = (device.on_device("q", part) for part in (whole[1:19:2], whole[:19:2], whole[19:]))
    assert odd.overlaps(even) and not even.overlaps(last) and last.contiguous() and not odd.contiguous()


class Waiting:
    """What is on another stream than the call's has to be waited for, and what is made for the call has not."""

    def __init__(self):
        self.streams, self.dtype, self.shape = [], np.dtype(float), (3,)

    def __dlpack__(self, stream=None):
        self.streams.append(stream)


@pytest.mark.parametrize(("fresh", "of_call", "stream"), [(False, 0, 1), (False, 77, 77), (True, 77, -1)])
def test_what_is_waited_for(fresh, of_call, stream, monkeypatch):
    monkeypatch.setattr("farfield.device._core", type("Core", (), {"built_with_cuda": staticmethod(lambda: True)}))
    source = Waiting()
    DeviceArray("q", source, fresh).capsule(of_call)
    assert source.streams == [stream]


def test_calls_work_where_the_strengths_were_made(points, charges, monkeypatch):
    """The stream of the first array on a device, for the points as for the strengths; others are ordered before it."""
    monkeypatch.setattr("farfield.device._core", type("Core", (), {"built_with_cuda": staticmethod(lambda: True)}))
    monkeypatch.setattr(DeviceArray, "empty", lambda self, shape: DeviceArray("r", Fake(np.empty(shape, self.dtype)), True))
    monkeypatch.setattr(DeviceArray, "stream", lambda self: 77)
    sources, strengths, out = Fake(points), Fake(charges), Fake(np.empty(600))
    plan = ff.Plan(sources)
    made = plan.evaluate(strengths).potential
    plan.evaluate(strengths, out=out)
    plan.move(sources)
    assert (sources.streams, strengths.streams, out.streams, made.streams) == ([77, 77], [77, 77], [77], [-1])
    assert np.array_equal(made.array, out.array)


class Lying(ctypes.Structure):
    """DLPack's DLManagedTensor, which says of a NumPy array that it lies on a device."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]

    def __init__(self, array, device):
        self.array, self.sizes = array, (ctypes.c_int64 * array.ndim)(*array.shape)
        super().__init__(array.ctypes.data, 2, device, array.ndim, 2, 8 * array.itemsize, 1, ctypes.addressof(self.sizes))

    def capsule(self):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self), b"dltensor", None)


def test_memories_that_are_mixed(points, charges):
    """All arrays of one view lie in one memory."""
    plan = _core.Plan(points, None, None, None, {"dipoles": True, "gradient": True})
    q, g = Lying(charges, 0), Lying(np.empty((600, 3)), 0)
    with pytest.raises(ff.InputError, match="strengths and dipoles lie in different memories; pass all of them in host memory"):
        plan.evaluate(q.capsule(), points, _core.Outputs(np.empty(600)), ff.Report())
    with pytest.raises(ff.InputError, match="the arrays of out lie in different memories"):
        plan.evaluate(charges, None, _core.Outputs(np.empty(600), g.capsule()), ff.Report())
    with pytest.raises(ff.DeviceError, match="strengths are in device memory, but this plan keeps its arrays on the host"):
        plan.evaluate(q.capsule(), None, _core.Outputs(np.empty(600)), ff.Report())


@pytest.mark.skipif(not on_gpu, reason="no GPU, or built without CUDA")
def test_strengths_of_another_device(points, charges):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    plan = _core.Plan(on_device("points", torch.from_numpy(points).cuda(0)).capsule(0), None, None, None, {})
    q = Lying(charges, 1)
    with pytest.raises(ff.DeviceError, match="strengths are on device 1, and the points of the plan on 0; pass both on one"):
        plan.evaluate(q.capsule(), None, _core.Outputs(np.empty(600)), ff.Report())


@pytest.mark.skipif(not on_gpu, reason="no GPU, or built without CUDA")
@pytest.mark.parametrize("package", ["torch", "cupy"])
def test_on_a_gpu(package, rng):
    """In, out and back, and a producer on a stream of its own that is late."""
    module = pytest.importorskip(package, reason=f"{package} is not installed")
    points, charges = rng.random((20_000, 3)), rng.standard_normal(20_000)
    expected = ff.evaluate(points, charges, gradient=True, backend="cpu")
    to_device = (lambda a: module.from_numpy(a).cuda()) if package == "torch" else module.asarray
    to_host = (lambda a: a.cpu().numpy()) if package == "torch" else module.asnumpy
    x, q = to_device(points), to_device(charges)
    plan = ff.Plan(x, gradient=True)
    assert plan.report.backend == "cuda"
    result = plan.evaluate(q)
    assert type(result.potential) is type(q) and result.report.copies == ()
    for name in ("potential", "gradient"):
        exact = getattr(expected, name)
        assert np.linalg.norm(to_host(getattr(result, name)) - exact) < 2e-6 * np.linalg.norm(exact)
    virial, exact = ff.Plan(x, virial=True).evaluate(q).virial, ff.evaluate(points, charges, virial=True, backend="cpu")
    size = np.linalg.norm(charges) * (np.linalg.norm(exact.potential) + 2 * np.linalg.norm(expected.gradient)) / 2
    assert type(virial) is np.ndarray and np.linalg.norm(virial - exact.virial) < 2e-6 * size
    stream = module.cuda.Stream(non_blocking=True) if package == "cupy" else module.cuda.Stream()
    with (stream if package == "cupy" else module.cuda.stream(stream)):
        late = to_device(np.zeros(20_000))
        work = to_device(rng.random((6000, 6000)))
        for _ in range(20):
            work = work @ work / 6000
        late += q + 0 * work[0, 0]
        delayed = plan.evaluate(late)
    assert np.array_equal(to_host(delayed.potential), to_host(result.potential))
    assert plan.evaluate(q, out=result) is result


@pytest.mark.skipif(not on_gpu, reason="no GPU, or built without CUDA")
def test_threads_with_plans_and_streams_of_their_own(rng):
    """More threads than there is room for, each behind its own producer: the bits of one alone."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    y, q = (torch.from_numpy(a).cuda() for a in (rng.random((5000, 3)), rng.standard_normal((4, 5000))))
    expected = [ff.Plan(y, gradient=True, tolerance=1e-5).evaluate(charges).gradient.cpu() for charges in q]
    torch.cuda.synchronize()

    def work(k):
        with torch.cuda.stream(torch.cuda.Stream()):
            plan = ff.Plan(y, gradient=True, tolerance=1e-5)
            return all(torch.equal(plan.evaluate(2 * q[k % 4]).gradient.cpu(), 2 * expected[k % 4]) for _ in range(10))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))


@pytest.mark.skipif(not on_gpu, reason="no GPU, or built without CUDA")
def test_of_jax_on_a_gpu(points, charges):
    jax = pytest.importorskip("jax", reason="jax is not installed")
    if jax.default_backend() != "gpu":
        pytest.skip("jax has no GPU")
    plan = ff.Plan(jax.numpy.asarray(points, dtype="float32"))
    with pytest.raises(ff.DeviceError, match="pass those of torch or cupy, or call farfield.jax.evaluate"):
        plan.evaluate(jax.numpy.asarray(charges, dtype="float32"))


forking = """
import os
import numpy as np
import farfield as ff

points = np.random.default_rng(1).random((600, 3))
plan = ff.Plan(points, backend="cuda")
expected = plan.evaluate(points[:, 0]).potential
child = os.fork()
if child == 0:
    for attempt in (lambda: plan.evaluate(points[:, 0]), lambda: ff.Plan(points, backend="cuda")):
        try:
            attempt()
        except ff.DeviceError as error:
            print(error, flush=True)
    there = ff.Plan(points, backend="cpu").evaluate(points[:, 0]).potential
    os._exit(0 if np.allclose(there, expected, rtol=1e-4) else 1)
print(os.waitpid(child, 0)[1], np.array_equal(plan.evaluate(points[:, 0]).potential, expected))
"""


@pytest.mark.skipif(not on_gpu, reason="no GPU, or built without CUDA")
def test_fork_after_cuda():
    """A sentence each for the parent's plan and for a new one; the CPU serves the child, and the parent goes on."""
    done = subprocess.run([sys.executable, "-c", forking], capture_output=True, text=True, timeout=120)
    plan, anew, parent = done.stdout.splitlines()
    assert "built on a CUDA device before this process was forked" in plan
    assert "forked from one that had used CUDA" in anew
    assert parent == "0 True"


@pytest.mark.skipif(not on_gpu, reason="no GPU, or built without CUDA")
def test_overlap_on_a_gpu(points, charges):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    memory = torch.from_numpy(np.concatenate([charges, charges])).cuda()
    with pytest.raises(ff.InputError, match="potential overlaps the strengths"):
        ff.Plan(torch.from_numpy(points).cuda()).evaluate(memory[:600], out=memory[300:900])
