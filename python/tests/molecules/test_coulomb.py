"""farfield.coulomb beside constants of crystals and small systems in cells of every kind."""
import copy
import pickle

import numpy as np
import pytest
import systems
from ewald import ewald
from systems import charged, four, neutral

import farfield as ff

tolerance = 1e-11


def allowed(found, charges, digits=2e-12):
    """Of the energy, by the promise for the potential; and the digits of the references."""
    return 0.5 * tolerance * np.linalg.norm(charges) * np.linalg.norm(found.potential) + digits * abs(found.energy)


@pytest.mark.parametrize("name", systems.crystals)
def test_crystals(name):
    places, charges, units, length, constant = systems.crystals[name]
    found = ff.coulomb(places + [.013, .27, -.4], charges, cell=[1, 1, 1], tolerance=tolerance)
    assert found.energy * length / units == pytest.approx(constant, rel=0, abs=allowed(found, charges))
    assert np.abs(found.forces).max() < 20 * tolerance
    if name == "fluorite":
        assert found.potential == pytest.approx([-7.56585220817156] * 4 + [4.07072301890519] * 8, rel=2 * tolerance)


@pytest.mark.parametrize("name", systems.cells)
@pytest.mark.parametrize("with_charge", [False, True])
def test_four_charges(name, with_charge):
    cell, pbc, *energies = systems.cells[name]
    charges, energy = (charged if with_charge else neutral), energies[with_charge]
    if energy is None:
        if name != "open":
            with pytest.raises(ff.InputError, match="the charges add up to 1; with . periodic axes"):
                ff.coulomb(four, charges, cell=cell, pbc=pbc)
        return
    found = ff.coulomb(four, charges, cell=cell, pbc=pbc, tolerance=tolerance)
    assert found.energy == pytest.approx(energy, rel=0, abs=allowed(found, charges) + 1e-12)
    assert found.energies.sum() == pytest.approx(found.energy, rel=1e-14)
    assert np.allclose(found.net_force, 0, atol=1e-9) and found.charge == pytest.approx(sum(charges))
    if name == "cube" and not with_charge:
        assert np.allclose(found.forces[0], (6.00290017463, -2.4760152461, -5.23728605939), rtol=0, atol=3e-10)


@pytest.mark.parametrize("name", systems.cells)
def test_forces_are_derivatives(name):
    cell, pbc, *_ = systems.cells[name]
    step, at = 1e-4, [four.copy() for _ in range(4)]
    for places, times in zip(at, (-2, -1, 1, 2)):
        places[2, 1] += times * step
    e = [ff.coulomb(places, neutral, cell=cell, pbc=pbc, tolerance=tolerance).energy for places in at]
    slope = (e[0] - 8 * e[1] + 8 * e[2] - e[3]) / (12 * step)
    assert ff.coulomb(four, neutral, cell=cell, pbc=pbc).forces[2, 1] == pytest.approx(-slope, rel=2e-6)


@pytest.mark.parametrize("name", ["cube", "triclinic", "two axes, hexagonal", "one axis"])
def test_translations_and_images_change_nothing(rng, name):
    cell, pbc, *_ = systems.cells[name]
    rows = np.diag(cell) if np.ndim(cell) == 1 else np.array(cell)
    whole = rng.integers(-3, 4, (4, 3)) * np.broadcast_to(pbc, 3)
    pairs = np.array([[0, 1], [2, 0]])
    one = ff.coulomb(four, neutral, cell=cell, pbc=pbc, exclusions=pairs, tolerance=1e-10)
    two = ff.coulomb(four + whole @ rows + rng.standard_normal(3), neutral, cell=cell, pbc=pbc, exclusions=pairs,
                     tolerance=1e-10)
    assert np.allclose(one.potential, two.potential, rtol=0, atol=1e-8)
    assert np.allclose(one.forces, two.forces, rtol=0, atol=1e-8)


def test_the_same_lattice_by_other_vectors():
    rows = np.array(systems.cells["triclinic"][0])
    energy = ff.coulomb(four, neutral, cell=rows, tolerance=1e-10).energy
    for whole in ([[1, 0, 0], [3, 1, 0], [-2, 5, 1]], [[0, 1, 0], [1, 0, 0], [0, 0, 1]]):
        again = ff.coulomb(four, neutral, cell=np.array(whole) @ rows, exclusions=[[0, 3]], tolerance=1e-10)
        kept = ff.coulomb(four, neutral, cell=rows, exclusions=[[0, 3]], tolerance=1e-10)
        assert ff.coulomb(four, neutral, cell=np.array(whole) @ rows, tolerance=1e-10).energy == pytest.approx(energy, rel=1e-9)
        assert again.energy == pytest.approx(kept.energy, rel=1e-9)


@pytest.mark.parametrize("surface, outside", [("vacuum", 1), (80.0, 80)])
def test_surfaces(surface, outside):
    rows = np.array(systems.cells["triclinic"][0])
    moment, volume = neutral @ four, np.linalg.det(rows)
    tinfoil = ff.coulomb(four, neutral, cell=rows, surface="tinfoil")
    found = ff.coulomb(four, neutral, cell=rows, surface=surface, dipole=moment)
    strength = 4 * np.pi / ((2 * outside + 1) * volume)
    assert found.energy - tinfoil.energy == pytest.approx(strength * moment @ moment / 2, rel=1e-9)
    assert np.allclose(found.forces - tinfoil.forces, -strength * np.outer(neutral, moment))
    assert np.allclose(found.potential - tinfoil.potential, strength * four @ moment)
    assert found.energies.sum() == pytest.approx(found.energy) and np.array_equal(found.dipole, moment)
    with pytest.warns(UserWarning, match="whole molecules"):
        assert ff.coulomb(four, neutral, cell=rows, surface=surface).energy == pytest.approx(found.energy)
    assert ff.coulomb(four, neutral, cell=rows, surface=np.inf).energy == tinfoil.energy


def test_a_run(rng):
    """One plan for all steps, whatever changes; units."""
    plan = ff.Coulomb(neutral, cell=[1, 1, 1], tolerance=1e-9, coulomb_constant=332.06371)
    for step in range(4):
        places, cell, charges = four + 0.1 * rng.standard_normal((4, 3)), [1, 1, 1 + step / 10], rng.permutation(neutral)
        plan.set_cell(cell)
        plan.set_charges(charges)
        found = plan.evaluate(places)
        potential, gradient = ewald(places, charges, np.diag(cell))
        assert np.allclose(found.potential, 332.06371 * potential, rtol=1e-7)
        assert np.allclose(found.forces, -332.06371 * charges[:, None] * gradient, atol=1e-5)


def test_net_force(rng):
    """Of a sum by expansions, whose errors do not cancel in pairs."""
    places, charges = rng.random((3000, 3)), np.tile([1.0, -1.0], 1500)
    given = {"cell": [1, 1, 1], "coulomb_constant": 2, "tolerance": 1e-3, "method": "fmm"}
    kept, removed = (ff.coulomb(places, charges, **given, remove_net_force=remove) for remove in (False, True))
    assert np.array_equal(kept.net_force, removed.net_force) and np.abs(kept.net_force).max() > 1e-9 * kept.rms_force
    assert np.allclose(kept.forces.sum(axis=0), kept.net_force) and np.abs(removed.forces.sum(axis=0)).max() < 1e-9 * kept.rms_force
    assert np.allclose(kept.forces - removed.forces, kept.net_force / 3000)
    assert kept.rms_force == pytest.approx(np.sqrt((kept.forces**2).sum() / 3000))


def test_accuracy_of_lammps(rng):
    """The rms error of forces over that of two unit charges 1 Angstrom apart."""
    places, charges, constant = 20 * rng.random((1000, 3)), np.tile([1.0, -1.0], 500), 332.06371
    exact = ff.coulomb(places, charges, cell=[20, 20, 20], tolerance=1e-11, coulomb_constant=constant)
    found = ff.coulomb(places, charges, cell=[20, 20, 20], tolerance=1e-4, coulomb_constant=constant, two_charge_force=constant)
    assert np.sqrt(((found.forces - exact.forces)**2).sum() / 1000) <= 1e-4 * constant
    with pytest.raises(ff.UsageError, match="two_charge_force is -1"):
        ff.Coulomb(charges, two_charge_force=-1)


def test_copies():
    plan = ff.Coulomb(neutral, cell=[1, 1, 1], exclusions=[[0, 3]])
    energy = plan.evaluate(four).energy
    for again in (copy.copy(plan), pickle.loads(pickle.dumps(plan))):
        assert again.evaluate(four).energy == energy


def test_none_and_one():
    for cell in (None, [2, 2, 2]):
        none = ff.coulomb(np.zeros((0, 3)), [], cell=cell, exclusions=[])
        assert none.energy == 0 and none.forces.shape == (0, 3) and none.potential.shape == (0,)
        one = ff.coulomb([[5.0, 1, 2]], [3.0], cell=cell, tolerance=1e-10)
        assert one.energy == pytest.approx(0 if cell is None else -2.837297479480620 * 9 / 4, rel=1e-10)
        assert np.abs(one.forces).max() < 1e-8
