"""Snapshots of pynbody beside its own direct sum."""
import numpy as np
import pytest

from conftest import relative
from farfield.adapters import pynbody as fast

pynbody = pytest.importorskip("pynbody", reason="pynbody is not installed")


@pytest.fixture
def snapshot(rng):
    f = pynbody.new(dm=600)
    f["pos"], f["mass"] = rng.standard_normal((600, 3)), rng.random(600)
    f["pos"].units, f["mass"].units = "kpc", "1e10 Msol"
    f["eps"] = pynbody.array.SimArray(0.02 + 0.05 * rng.random(600), "kpc")
    return f


@pytest.mark.parametrize("eps", [None, 0.1, "100 pc"])
def test_direct(snapshot, rng, eps):
    for at in (rng.standard_normal((70, 3)), np.asarray(snapshot["pos"]), rng.standard_normal((5, 3)).astype(np.float32)):
        theirs, own = pynbody.gravity.direct(snapshot, at, eps), fast.direct(snapshot, at, eps, tolerance=1e-8)
        for one, other in zip(own, theirs):
            assert one.units == other.units and one.dtype == other.dtype and one.shape == other.shape
            assert relative(one, np.asarray(other, float)) < (1e-7 if at.dtype == np.float64 else 1e-6)


def test_installed(snapshot, monkeypatch):
    theirs = pynbody.gravity.direct(snapshot, np.asarray(snapshot["pos"]))
    monkeypatch.setattr(pynbody.gravity, "direct", pynbody.gravity.direct)
    fast.install()
    pynbody.gravity.all_direct(snapshot)
    assert relative(snapshot["phi"], np.asarray(theirs[0])) < 1e-5 and relative(snapshot["acc"], np.asarray(theirs[1])) < 1e-5
