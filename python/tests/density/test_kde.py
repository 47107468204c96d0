"""Densities beside SciPy, formulas and the command line."""
import pathlib
import subprocess

import numpy as np
import pytest

import farfield as ff
from conftest import relative

command = pathlib.Path(ff.__file__).parent / "bin" / "farfield"


def exact(targets, points, weights, matrix):
    d = np.asarray(targets)[:, None] - np.asarray(points)[None]
    inner = np.einsum("ijk,kl,ijl->ij", d, np.linalg.inv(matrix), d)
    return np.exp(-inner / 2) @ weights / (weights.sum() * np.sqrt(np.linalg.det(2 * np.pi * np.asarray(matrix))))


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("rule", ["scott", "silverman", "isj"])
def test_rules_and_targets(rng, dimension, rule):
    points, weights = rng.standard_normal((800, dimension)), rng.random(800) + 0.5
    targets = rng.standard_normal((150, dimension))
    found = ff.kde(points, weights, targets, bandwidth=rule, tolerance=1e-8)
    assert found.density.shape == (150,) and found.bandwidth.shape == (dimension, dimension) and found.rule == rule
    assert relative(found.density, exact(targets, points, weights, found.bandwidth)) < 1e-7
    if rule == "scott":
        stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
        theirs = stats.gaussian_kde(points.T, weights=weights)
        assert np.allclose(found.bandwidth, theirs.covariance)
        assert relative(found.density, theirs(targets.T)) < 1e-7


@pytest.mark.parametrize("bandwidth", [0.3, [0.2, 0.5], [[0.2, 0.1], [0.1, 0.3]]])
def test_bandwidths_that_are_given(rng, bandwidth):
    points = rng.standard_normal((500, 2))
    found = ff.kde(points, bandwidth=bandwidth, tolerance=1e-8)
    given = np.asarray(bandwidth)
    matrix = given if given.ndim == 2 else np.diag(np.broadcast_to(given, 2) ** 2)
    assert np.allclose(found.bandwidth, matrix)
    assert relative(found.density, exact(points, points, np.ones(500), matrix)) < 1e-7


def test_grid_in_the_plane(rng):
    points = rng.standard_normal((2000, 2)) * [1, 3]
    found = ff.kde(points, grid=(60, 90), tolerance=1e-6)
    assert found.density.shape == (90, 60) and [len(axis) for axis in found.axes] == [60, 90]
    assert found.integral == pytest.approx(1, abs=5e-3)
    x, y = np.meshgrid(*found.axes)
    assert np.allclose(found.places, np.stack([x.ravel(), y.ravel()], axis=1))
    assert relative(found.density.ravel(), exact(found.places, points, np.ones(2000), found.bandwidth)) < 1e-5


def test_a_periodic_axis(rng):
    """The sum over three images on each side is the whole."""
    angles = rng.vonmises(3.0, 2.0, 1000) % (2 * np.pi)
    found = ff.kde(angles, bandwidth=0.2, periodic=2 * np.pi, grid=100, tolerance=1e-9)
    images = np.concatenate([angles + 2 * np.pi * k for k in range(-3, 4)])[:, None]
    wanted = 7 * exact(found.places, images, np.ones(7000), [[0.04]])
    assert relative(found.density, wanted) < 1e-8 and found.integral == pytest.approx(1) and found.sources > 1000


def test_the_sphere(rng):
    points = np.stack([rng.uniform(-180, 180, 500), rng.uniform(-90, 90, 500)], axis=1)
    found = ff.kde(points, bandwidth=10.0, sphere=True, grid=(90, 45), tolerance=1e-7)
    assert found.integral == pytest.approx(1, abs=1e-3)

    def vectors(degrees):
        lon, lat = np.radians(degrees).T
        return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)

    kappa = 1 / np.radians(10.0) ** 2
    cosines = vectors(found.places) @ vectors(points).T
    wanted = np.exp(kappa * (cosines - 1)).mean(axis=1) * kappa / (2 * np.pi * -np.expm1(-2 * kappa))
    assert relative(found.density.ravel(), wanted) < 1e-6
    assert 0 < ff.kde(points, sphere=True, bandwidth="isj").bandwidth <= 180


@pytest.mark.skipif(not command.exists(), reason="the package was built without the command line")
def test_as_the_command_line(tmp_path, rng):
    points = rng.standard_normal((700, 2))
    np.savetxt(tmp_path / "points.csv", points, "%.17g", ",", header="x,y", comments="")
    words = ["kde", "points.csv", "--bandwidth", "isj", "--grid", "40,30", "-o", "density.npz"]
    done = subprocess.run([command, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    theirs, own = np.load(tmp_path / "density.npz"), ff.kde(points, bandwidth="isj", grid=(40, 30))
    assert np.array_equal(theirs["density"], own.density) and np.array_equal(theirs["x"], own.axes[0])
    assert np.array_equal(theirs["bandwidth"], own.bandwidth)
    own.draw(tmp_path / "plane.png", title="points")
    ff.kde(points[:, 0], grid=50).draw(tmp_path / "line.png")
    ff.kde(points, sphere=True, grid=(36, 18), bandwidth=5).draw(tmp_path / "globe.png")
    sizes = {(tmp_path / f"{name}.png").stat().st_size for name in ("plane", "line", "globe")}
    assert len(sizes) == 3 and min(sizes) > 2000


def test_what_is_wrong_is_said(points):
    plane = points[:, :2]
    for arguments, sentence in (({"bandwidth": "best"}, "scott, silverman or isj"), ({"bandwidth": -1}, "above 0"),
                                ({"bandwidth": [1, 2, 3]}, "bandwidth has shape"), ({"grid": 5}, "grid is 5"),
                                ({"bandwidth": [[1, 2], [2, 1]]}, "no positive definite"), ({"periodic": -2}, "a period"),
                                ({"weights": -np.ones(600)}, "weight"), ({"sphere": True, "periodic": 2}, "sphere"),
                                ({"grid": (2, 2), "targets": plane}, "both say where")):
        with pytest.raises(ff.Error, match=sentence):
            ff.kde(plane, **arguments)
