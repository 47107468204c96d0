"""Coulomb sums of molecules with arrays on a CUDA device: seen with fakes; and with torch and CuPy where there is a GPU."""
import copy

import numpy as np
import pytest
from test_device import Fake, on_gpu

import farfield as ff
from farfield.device import DeviceArray

charges = np.tile([-0.82, 0.41, 0.41], 60)
bonds = np.arange(180).reshape(-1, 3)[:, [[0, 1], [0, 2], [1, 2]]].reshape(-1, 2)
options = {"cell": [2, 2, 2], "exclusions": bonds, "tolerance": 1e-7, "coulomb_constant": 138.9, "virial": True}


@pytest.fixture
def atoms(rng):
    return 2 * rng.random((60, 1, 3)).repeat(3, 1).reshape(180, 3) + 0.05 * rng.standard_normal((180, 3))


def test_passed_on_without_a_look(atoms, monkeypatch):
    monkeypatch.setattr("farfield.device._core", type("Core", (), {"built_with_cuda": staticmethod(lambda: True)}))
    monkeypatch.setattr(DeviceArray, "empty", lambda self, shape: DeviceArray("r", Fake(np.empty(shape, self.dtype))))
    expected = ff.coulomb(atoms, charges, backend="cpu", **options)
    places, q = Fake(atoms), Fake(charges)
    run = ff.Coulomb(q, backend="cpu", **options)
    found = run.evaluate(places)
    assert places.streams == [1] == q.streams
    for name in ("potential", "forces", "energies"):
        assert isinstance(getattr(found, name), Fake)
        assert np.array_equal(getattr(found, name).array, getattr(expected, name))
    assert found.energy == expected.energy and np.array_equal(found.virial, expected.virial)
    run.set_charges(charges)
    run.set_cell([2, 2, 2.1])
    single = run.evaluate(Fake(atoms.astype(np.float32)))
    assert single.forces.dtype == np.float32 and "180 particles" in repr(single)
    with pytest.raises(ff.InputError, match="positions have shape"):
        run.evaluate(Fake(atoms[1:]))
    with pytest.raises(ff.InputError, match="charges have shape"):
        run.set_charges(Fake(charges[1:]))


def test_without_cuda_one_sentence(atoms):
    if ff.built_with_cuda():
        pytest.skip("built with CUDA")
    with pytest.raises(ff.DeviceError, match="positions are on a device, and this farfield was built without CUDA"):
        ff.coulomb(Fake(atoms), charges)


@pytest.mark.skipif(not on_gpu, reason="no GPU, or built without CUDA")
@pytest.mark.parametrize("package", ["torch", "cupy"])
def test_on_a_gpu(package, atoms):
    module = pytest.importorskip(package, reason=f"{package} is not installed")
    to_device = (lambda a: module.from_numpy(a).cuda()) if package == "torch" else module.asarray
    to_host = (lambda a: a.cpu().numpy()) if package == "torch" else module.asnumpy
    run = ff.Coulomb(charges, **options)
    for step in range(3):
        moved = atoms + 0.001 * step
        expected = ff.coulomb(moved, charges, backend="cpu", **options)
        if step == 2:
            run.set_charges(to_device(charges))
        found = run.evaluate(to_device(moved))
        assert found.report.backend == "cuda" and type(found.forces) is type(to_device(moved))
        for name in ("potential", "forces", "energies"):
            exact = getattr(expected, name)
            assert np.linalg.norm(to_host(getattr(found, name)) - exact) < 2e-7 * np.linalg.norm(exact)
        assert found.energy == pytest.approx(expected.energy, rel=1e-5)
        assert np.allclose(found.virial, expected.virial, rtol=0, atol=1e-4 * abs(expected.energy))
    single = copy.copy(run).evaluate(to_device(atoms.astype(np.float32)))
    assert str(single.forces.dtype).endswith("float32")
    host = ff.coulomb(atoms, charges, backend="cuda", **options)
    assert type(host.forces) is np.ndarray and host.report.backend == "cuda"
    with pytest.raises(ff.InputError, match="the charges add up to 3"):
        ff.coulomb(to_device(atoms), to_device(charges + 1 / 60), cell=[2, 2, 2], background="error")
