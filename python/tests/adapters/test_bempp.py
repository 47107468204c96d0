"""Operators of bempp-cl by Farfield's sums beside its dense ones."""
import numpy as np
import pytest

import farfield as ff
from conftest import relative
from farfield.adapters import bempp

api = pytest.importorskip("bempp_cl.api", reason="bempp-cl is not installed")


def test_points(rng):
    y, x, q = rng.random((300, 3)), rng.random((40, 3)), rng.standard_normal(300)
    found = bempp.interface(tolerance=1e-8)(y, x, "modified_helmholtz", wavenumber=2.0).evaluate(q)
    exact = ff.direct_sum(y, q, x, kernel="yukawa3d", kappa=2.0, gradient=True, scale=1 / (4 * np.pi))
    assert found.shape == (40, 4) and relative(found[:, 0], exact.potential) < 1e-7
    assert relative(found[:, 1:], exact.gradient) < 1e-7
    with pytest.raises(ff.UsageError, match="mode helmholtz"):
        bempp.interface()(y, x, "helmholtz", wavenumber=1.0)


def test_operators(rng, monkeypatch):
    from bempp_cl.api.assembly import assembler
    from bempp_cl.api.fmm import exafmm

    monkeypatch.setattr(exafmm, "ExafmmInterface", exafmm.ExafmmInterface)
    monkeypatch.setattr(assembler, "check_for_fmm", getattr(assembler, "check_for_fmm", None), raising=False)
    monkeypatch.setattr(api, "check_for_fmm", api.check_for_fmm)
    bempp.install(tolerance=1e-8)
    grid = api.shapes.regular_sphere(2)
    space = api.function_space(grid, "P", 1)
    vector = rng.standard_normal(space.global_dof_count)
    for operator in (api.operators.boundary.laplace.single_layer, api.operators.boundary.laplace.double_layer):
        dense = operator(space, space, space, assembler="dense", device_interface="numba").weak_form() @ vector
        fast = operator(space, space, space, assembler="fmm", device_interface="numba").weak_form() @ vector
        assert relative(fast, dense) < 1e-6
