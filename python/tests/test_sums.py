"""What Plan, evaluate, direct_sum and BiotSavart compute, against NumPy."""
import numpy as np
import pytest
import sums
from conftest import relative

import farfield as ff

exact = 1e-12  # double sums of a few hundred terms, in two orders of summation


def test_potential_and_gradient(points, charges):
    result = ff.Plan(points, gradient=True).evaluate(charges)
    potential, gradient = sums.coulomb(points, points, charges)
    assert relative(result.potential, potential) < 1e-6
    assert relative(result.gradient, gradient) < 1e-6
    assert result.hessian is None and result.source_potential is None


@pytest.mark.parametrize("method", ["fmm", "treecode", "direct"])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-9])
def test_methods_keep_the_tolerance(rng, method, tolerance):
    points, charges = rng.random((4000, 3)), rng.random(4000)
    result = ff.evaluate(points, charges, points[:50], method=method, tolerance=tolerance, leaf_size=40)
    assert result.report.method == method
    assert relative(result.potential, sums.coulomb(points[:50], points, charges)[0]) < tolerance


def test_separate_targets_and_sources_too(rng, points, charges):
    targets = rng.random((70, 3))
    result = ff.evaluate(points, charges, targets, gradient=True, at_sources=True)
    assert result.potential.shape == (70,) and result.source_gradient.shape == (600, 3)
    assert relative(result.potential, sums.coulomb(targets, points, charges)[0]) < 1e-6
    assert relative(result.source_potential, sums.coulomb(points, points, charges)[0]) < 1e-6


def test_densities_dipoles_hessians(rng, points):
    charges, moments = rng.standard_normal((2, 600)), rng.standard_normal((2, 600, 3))
    plan = ff.Plan(points, hessian=True, dipoles=True)
    result = plan.evaluate(charges, moments)
    assert result.potential.shape == (2, 600) and result.hessian.shape == (2, 600, 6)
    for v in range(2):
        expected = sums.coulomb(points, points, charges[v])[0] + sums.dipoles(points, points, moments[v])
        assert relative(result.potential[v], expected) < 1e-6
    alone = ff.evaluate(points, dipoles=moments[0])
    assert relative(alone.potential, sums.dipoles(points, points, moments[0])) < 1e-6
    second = ff.evaluate(points, charges[0], hessian=True).hessian
    assert relative(second, sums.hessian(points, points, charges[0])) < 1e-6


def test_direct_sum_is_exact(points, charges):
    result = ff.direct_sum(points, charges, gradient=True)
    potential, gradient = sums.coulomb(points, points, charges)
    assert relative(result.potential, potential) < exact
    assert relative(result.gradient, gradient) < exact


def test_kernels_in_space(points, charges):
    gauss = ff.direct_sum(points, charges, kernel="gauss", bandwidth=0.1).potential
    assert relative(gauss, sums.gauss(points, points, charges, 0.1)) < exact
    yukawa = ff.direct_sum(points, charges, kernel="yukawa3d", kappa=3.0).potential
    assert relative(yukawa, sums.yukawa(points, points, charges, 3.0)) < exact
    assert (ff.evaluate(points, np.ones(600), kernel="count").potential == 600).all()


def test_kernels_of_the_plane(rng, charges):
    plane = rng.random((600, 2))
    logarithm = ff.evaluate(plane, charges, kernel="laplace2d", tolerance=1e-9).potential
    assert relative(logarithm, sums.logarithm(plane, plane, charges)) < 1e-9
    cauchy = ff.evaluate(plane, charges, kernel="cauchy", tolerance=1e-9)
    assert relative(cauchy.gradient[:, :2], sums.cauchy(plane, plane, charges)) < 1e-9
    vortex = ff.evaluate(plane, charges, kernel="vortex", tolerance=1e-9, stream_function=True)
    assert relative(vortex.velocity, sums.vortex(plane, plane, charges)) < 1e-9
    assert vortex.potential.shape == (600,)
    with pytest.raises(AttributeError, match="only kernel vortex"):
        cauchy.velocity


def test_every_kernel_is_reachable(rng):
    """A kernel of kernels.h has its formula here, and an evaluation of it gives something."""
    needs = {"gauss": {"bandwidth": 0.2}, "yukawa3d": {"kappa": 1.0}}
    for kernel in ff.kernels():
        points = rng.random((50, 2 if kernel in ("laplace2d", "vortex", "cauchy") else 3))
        result = ff.evaluate(points, rng.random(50), kernel=kernel, **needs.get(kernel, {}))
        assert result.report.kernel == kernel


def test_softening(points, charges):
    one = ff.evaluate(points, charges, softening=0.05, tolerance=1e-8).potential
    expected = sums.coulomb(points, points, charges, 0.05, skip_self=True)[0]
    assert relative(one, expected) < 1e-8
    each = ff.evaluate(points, charges, softening=np.full(600, 0.05), tolerance=1e-8).potential
    assert relative(each, expected) < 1e-8
    apart = ff.evaluate(points, charges, points[:9], softening=np.full(600, 0.05), target_softening=np.full(9, 0.05),
                        tolerance=1e-8).potential
    assert relative(apart, sums.coulomb(points[:9], points, charges, 0.05)[0]) < 1e-8


def test_move(rng, points, charges):
    plan = ff.Plan(points)
    moved = rng.random((80, 3))
    plan.move(moved)
    assert (plan.source_count, plan.target_count) == (80, 80)
    assert relative(plan.evaluate(charges[:80]).potential, sums.coulomb(moved, moved, charges[:80])[0]) < 1e-6
    plan.move(moved, points)
    assert relative(plan.evaluate(charges[:80]).potential, sums.coulomb(points, moved, charges[:80])[0]) < 1e-6


def test_biot_savart(rng, points):
    alpha = rng.standard_normal((600, 3))
    field = ff.BiotSavart(points, hessian=True).evaluate(alpha)
    assert relative(field.velocity, sums.biot_savart(points, points, alpha)) < 1e-6
    assert field.velocity_gradient.shape == (600, 3, 3)
    expected = np.einsum("nij,nj->ni", field.velocity_gradient, alpha)
    assert relative(field.stretching, expected) < exact
    vortices = ff.BiotSavart(points, points[:7])
    apart = vortices.evaluate(alpha)
    assert apart.velocity.shape == (7, 3) and apart.velocity_gradient is None
    vortices.move(points[:20])
    assert vortices.evaluate(alpha[:20]).velocity.shape == (20, 3)


def test_memory_bound_and_devices():
    assert ff.memory_bound(10_000) < ff.memory_bound(100_000, gradient=True)
    assert isinstance(ff.devices(), list) and isinstance(ff.built_with_cuda(), bool)
