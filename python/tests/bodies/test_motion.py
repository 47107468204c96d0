"""Motion under gravity, beside the command line and beside Kepler."""
import pathlib
import subprocess

import numpy as np
import pytest

import farfield as ff

command = pathlib.Path(ff.__file__).parent / "bin" / "farfield"


@pytest.mark.skipif(not command.exists(), reason="the package was built without the command line")
def test_energies_of_the_command_line(tmp_path):
    stars = ff.generate("plummer", 400, seed=3)
    stars.columns.update(zip(("vx", "vy", "vz"), 0.1 * np.random.default_rng(3).standard_normal((3, 400))))
    ff.write(tmp_path / "stars.npz", stars)
    words = ["simulate", "stars.npz", "--dt", "0.01", "--steps", "20", "--softening", "0.05", "--tolerance", "1e-6",
             "--gravity", "2", "--energies", "5", "-o", "motion"]
    done = subprocess.run([command, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = np.genfromtxt(tmp_path / "motion" / "energy.csv", delimiter=",", names=True)
    moved = ff.simulate(stars, dt=0.01, steps=20, softening=0.05, tolerance=1e-6, gravity=2.0)
    own = moved.history
    assert own.step.tolist() == list(range(21)) and rows["step"].tolist() == own.step.tolist()
    for name in ("time", "kinetic", "potential", "total"):
        assert np.allclose(rows[name], getattr(own, name), rtol=1e-12), name
    snapshot = ff.read(max((tmp_path / "motion").glob("*.npz")))
    assert np.array_equal(snapshot.positions, moved.positions)
    assert np.array_equal(snapshot.velocities, moved.velocities)
    assert snapshot.numbers["time"] == pytest.approx(moved.time)


def test_a_circular_orbit():
    """Two bodies of mass 1/2 at distance 1 turn once in 2 pi."""
    positions, velocities = np.array([[0.5, 0, 0], [-0.5, 0, 0]]), np.array([[0, 0.5, 0], [0, -0.5, 0]])
    steps = 1000
    moved = ff.simulate(positions, [0.5, 0.5], velocities, dt=2 * np.pi / steps, steps=steps, tolerance=1e-12)
    assert np.abs(moved.positions - positions).max() < 2e-4  # of order dt^2
    history = moved.history
    assert np.abs(history.energy_change).max() < 1e-8 and np.allclose(history.total, -0.125)
    assert np.allclose(history.angular_momentum, [0, 0, 0.25]) and np.allclose(history.momentum, 0)
    assert np.allclose(history.virial_ratio, 1, atol=1e-4) and np.allclose(history.centre, 0)
    assert moved.potential == pytest.approx([-0.5, -0.5], rel=1e-4)


def test_steps_one_by_one_and_lengths_of_bodies(rng):
    positions, masses = rng.random((300, 3)), rng.random(300)
    options = {"dt": 0.001, "softening": np.full(300, 0.05)}
    once, often = ff.Simulation(positions, masses, **options), ff.Simulation(positions, masses, **options)
    once.step(6, energies=4)
    for _ in range(6):
        often.step()
    assert np.array_equal(once.positions, often.positions) and once.time == often.time == pytest.approx(0.006)
    assert once.history.step.tolist() == [0, 4, 6] and np.array_equal(once.history.total, often.history.total[[0, 4, 6]])
    assert once.history.kinetic[-1] > 0 == once.history.kinetic[0]
    assert once.report.kernel == "laplace3d" and "energy" in repr(once)


def test_what_is_wrong_is_said(points):
    for arguments, sentence in (((points, None), "no masses"), ((points, np.ones(5)), "masses have shape"),
                                ((points, np.ones(600), points[:5]), "velocities have shape")):
        with pytest.raises(ff.InputError, match=sentence):
            ff.Simulation(*arguments, dt=0.1)
    with pytest.raises(ff.UsageError, match="time step"):
        ff.Simulation(points, np.ones(600), dt=-1)
    with pytest.raises(ff.UsageError, match="no option speed"):
        ff.Simulation(points, np.ones(600), dt=1, speed=2)
