"""farfield.gravity against sums with the cubic spline written out in NumPy."""
import numpy as np
import pytest
import sums
from conftest import relative

import farfield as ff
from farfield.gravity import Accel, AccelTarget, Potential, PotentialTarget


def spline_potential(r, support):
    """Of a unit mass, Springel, Yoshida & White 2001, equation 71; the point's from r = support on."""
    u = r / support
    inner = 16 / 3 * u**2 - 48 / 5 * u**4 + 32 / 5 * u**5 - 14 / 5
    outer = 1 / (15 * np.where(u > 0, u, 1)) + 32 / 3 * u**2 - 16 * u**3 + 48 / 5 * u**4 - 32 / 15 * u**5 - 16 / 5
    softened = np.where(u < 0.5, inner, outer) / support
    return np.where(u < 1, softened, -1 / np.where(r > 0, r, 1))


def expected_potential(targets, sources, masses, longer, leave_out_self):
    r = np.sqrt((sums.displacements(targets, sources) ** 2).sum(-1))
    pairs = spline_potential(r, longer)
    if leave_out_self:
        np.fill_diagonal(pairs, 0)
    return pairs @ masses


def test_softened(rng, points):
    masses, h = rng.random(600), 0.05 + 0.2 * rng.random(600)
    potential = Potential(points, masses, h, tolerance=1e-8)
    longer = np.maximum(h[:, None], h[None])
    assert relative(potential, expected_potential(points, points, masses, longer, True)) < 1e-8
    step = 1e-4
    shifted = [PotentialTarget(points + d, points, masses, softening_source=h, softening_target=h, G=2.0,
                               method="bruteforce") for d in (np.array([step, 0, 0]), np.array([-step, 0, 0]))]
    acceleration = Accel(points, masses, h, G=2.0, method="bruteforce")
    assert relative(acceleration[:, 0], -(shifted[0] - shifted[1]) / (2 * step)) < 1e-4  # of the difference quotient


def test_points_and_targets(rng, points):
    masses, targets = rng.random(600), rng.random((30, 3))
    potential, gradient = sums.coulomb(targets, points, masses)
    assert relative(PotentialTarget(targets, points, masses, G=3.0, tolerance=1e-6), -3 * potential) < 1e-6
    assert relative(AccelTarget(targets, points, masses, tolerance=1e-6), gradient) < 1e-6
    soft = PotentialTarget(targets, points, masses, softening_source=0.1)
    expected = expected_potential(targets, points, masses, 0.1, False)
    assert relative(soft, expected) < 1e-3


def test_what_is_refused(points):
    with pytest.raises(ff.UsageError, match="farfield.Plan keeps one"):
        Accel(points, np.ones(600), return_tree=True)
    with pytest.raises(ff.UsageError, match="method is 'gpu'"):
        Accel(points, np.ones(600), method="gpu")
