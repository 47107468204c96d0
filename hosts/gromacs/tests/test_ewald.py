"""The oracle itself, against numbers of others; needs no GROMACS."""
import numpy
import pytest

import ewald
import slab


def test_rock_salt():
    """Madelung's constant, OEIS A085469."""
    corners = numpy.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], dtype=float)
    charges = (-1.0) ** corners.sum(axis=1)
    sums = ewald.coulomb(corners, charges, 2 * numpy.eye(3))
    assert sums.energy / ewald.coulomb_constant / 4 == pytest.approx(-1.7475645946331822, rel=1e-12)


def test_forces_and_virial_are_derivatives():
    rng = numpy.random.default_rng(4711)
    cell = numpy.array([[1.0, 0, 0], [0.3, 1.1, 0], [-0.4, 0.25, 0.9]])
    x, q, pairs = rng.random((6, 3)) @ cell, numpy.array([1, -2, 1.5, -0.5, 1, -0.5]), [(0, 1), (2, 5)]
    sums, step = ewald.coulomb(x, q, cell, pairs), 1e-5
    for axis in range(3):
        shift = numpy.zeros((6, 3))
        shift[3, axis] = step
        up, down = (ewald.coulomb(at, q, cell, pairs).energy for at in (x + shift, x - shift))
        assert sums.forces[3, axis] == pytest.approx((down - up) / (2 * step), rel=1e-6, abs=1e-4)
    strains = [numpy.eye(3) + sign * step * numpy.array([[0, 0.5, 0], [0.5, 0, 0], [0, 0, 1]]) for sign in (1, -1)]
    up, down = (ewald.coulomb(x @ strain, q, cell @ strain, pairs).energy for strain in strains)
    assert sums.virial[0, 1] + sums.virial[2, 2] == pytest.approx((down - up) / (2 * step), rel=1e-6)
    assert numpy.trace(sums.virial) == pytest.approx(sums.energy, rel=1e-12)


def test_layer_of_rock_salt():
    """One layer, OEIS A088537."""
    corners = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
    energy = slab.energy(corners, numpy.array([1.0, -1, -1, 1]), 2 * numpy.eye(2))
    assert energy / ewald.coulomb_constant / 2 == pytest.approx(-1.615542626712825, rel=1e-12)
