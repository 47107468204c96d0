"""Pairs that bonds connect: water, fractions, images across the border, and what is refused."""
import os
import pathlib

import numpy as np
import pytest
from ewald import SlowPlan
from systems import four, neutral

import farfield as ff
from farfield.molecules import plan as plans
from farfield.molecules.cell import Cell

water = pathlib.Path(os.environ.get("FARFIELD_TEST_DATA", "../shared/data")) / "spc216.gro"


def molecules(count):
    """The pairs of three atoms that follow each other."""
    first = 3 * np.arange(count)[:, None, None]
    return (first + [[0, 1], [0, 2], [1, 2]]).reshape(-1, 2)


@pytest.mark.skipif(not water.exists(), reason=f"{water} is not there (FARFIELD_TEST_DATA)")
def test_water():
    lines = water.read_text().splitlines()
    places = np.array([[float(line[20 + 8 * i:28 + 8 * i]) for i in range(3)] for line in lines[2:650]])
    charges, cell = np.tile([-0.82, 0.41, 0.41], 216), [float(edge) for edge in lines[650].split()]
    whole = ff.coulomb(places, charges, cell=cell, tolerance=1e-11)
    net = ff.coulomb(places, charges, cell=cell, exclusions=molecules(216), tolerance=1e-11, virial=True)
    assert whole.energy == pytest.approx(-1311.0435618364, abs=2e-8)
    assert net.energy - whole.energy == pytest.approx(1230.0282015349, abs=2e-8)
    assert net.energy == pytest.approx(-81.015360301402, abs=1e-9)
    assert np.abs(net.net_force).max() < 1e-8
    expected = [[-24.69859648, 2.22673033, 0.65404897], [2.22673033, -27.99032455, 0.84269199],
                [0.65404897, 0.84269199, -28.32643927]]
    assert net.virial == pytest.approx(np.array(expected), rel=0, abs=6e-9)


@pytest.mark.parametrize("cell", [None, [1, 1, 1], [[1, 0, 0], [.45, 1.1, 0], [-.4, .5, .9]]])
def test_fractions(rng, cell):
    """A pair with keep = 0.3 counts 0.3 of what it counts without exclusions, at its shortest image."""
    keep = {(0, 1): 0.3, (0, 3): 0.0, (1, 2): 0.6, (2, 3): 1.0}
    sides = sorted((i, j, value) for pair, value in keep.items() for i, j in (pair, pair[::-1]))
    ptr = np.searchsorted([i for i, _, _ in sides], range(5))
    found, whole = (ff.coulomb(four, neutral, cell=cell, tolerance=1e-10, exclusions=exclusions)
                    for exclusions in ((ptr, [j for _, j, _ in sides], [value for *_, value in sides]), None))
    potential, forces = whole.potential.copy(), whole.forces.copy()
    steps = np.array(np.meshgrid(*[range(-3, 4)] * 3)).reshape(3, -1).T
    rows = np.zeros((3, 3)) if cell is None else np.diag(cell) if np.ndim(cell) == 1 else np.array(cell)
    for (i, j), value in keep.items():
        images = four[i] - four[j] + steps @ rows
        d = images[np.argmin((images**2).sum(1))]
        r = np.linalg.norm(d)
        potential[[i, j]] -= (1 - value) / r * np.array(neutral)[[j, i]]
        pull = (1 - value) * neutral[i] * neutral[j] / r**3 * d
        forces[i] -= pull
        forces[j] += pull
    assert np.allclose(found.potential, potential, rtol=0, atol=1e-8)
    assert np.allclose(found.forces, forces, rtol=0, atol=1e-7)
    assert found.energy == pytest.approx(potential @ neutral / 2, rel=1e-8)


def test_shortest_images(rng):
    """Beside a search among many images, in cells that rounding coordinates alone gets wrong."""
    steps = np.array(np.meshgrid(*[range(-6, 7)] * 3)).reshape(3, -1).T
    wrong = 0
    for pbc in (True, [True, True, False], [False, True, False]):
        for _ in range(5):
            rows = np.eye(3) + np.triu(rng.uniform(-1, 1, (3, 3)), 1)
            d = rng.uniform(-1, 1, (200, 3)) @ rows
            found = Cell(rows, pbc).shortest_images(d)
            images = d[:, None] + (steps * np.broadcast_to(pbc, 3)) @ rows
            assert np.allclose(np.linalg.norm(found, axis=1), np.sqrt((images**2).sum(-1)).min(axis=1))
            whole = (found - d) @ np.linalg.inv(rows)
            assert np.allclose(whole, np.rint(whole)) and np.allclose(whole[:, ~np.broadcast_to(pbc, 3)], 0)
            rounded = d - np.rint(d @ np.linalg.inv(rows)) @ rows
            wrong += np.sum((rounded**2).sum(1) > (found**2).sum(1) + 1e-9) if pbc is True else 0
    assert wrong > 0


def test_the_tolerance_is_that_of_what_is_left(monkeypatch):
    """Tight dipoles, whose own pairs are nearly all: the plan that was too loose for the rest is made again, once."""
    monkeypatch.setattr(plans, "Plan", SlowPlan)
    monkeypatch.setattr(SlowPlan, "made", [])
    places = np.repeat(four, 2, axis=0)
    places[1::2] += [0.001, 0, 0]
    plan = ff.Coulomb([1, -1] * 4, cell=[1, 1, 1], exclusions=np.arange(8).reshape(4, 2), tolerance=1e-6)
    for _ in range(3):
        plan.evaluate(places)
    asked = [options["tolerance"] for options in SlowPlan.made]
    assert len(asked) == 2 and asked[0] == 1e-6 and asked[1] < 1e-9


@pytest.mark.parametrize("exclusions, sentence", [
    ([[0, 4]], "pair 0 names particle 4; there are 4, counted from 0"),
    ([[0, 1], [-1, 2]], "pair 1 names particle -1"),
    ([[2, 2]], "particle 2 with itself"),
    ([0, 1], r"exclusions have shape \(2,\); pass pairs"),
    ([[0.5, 1]], "pairs are of type float64, not whole numbers"),
    (([0, 1, 1, 1, 1], [1]), "particle 0 excludes 1, and 1 does not exclude 0; put the pair in both rows"),
    (([0, 1, 2, 2, 2], [1, 0], [0.5, 0.6]), "another keep"),
    (([0, 1, 2, 2, 2], [1, 0], [0.5, 1.5]), "numbers from 0 to 1"),
    (([0, 1, 2, 2, 2], [7, 0]), "pair 0 names particle 7"),
    (([0, 1], [1]), r"ptr has shape \(2,\) and idx \(1,\); of 4 particles ptr has 5"),
    (([0], [1], [2], [3]), "a tuple of 4"),
])
def test_what_is_refused(exclusions, sentence):
    with pytest.raises(ff.InputError, match=sentence):
        ff.Coulomb(neutral, exclusions=exclusions)


def test_pairs_in_either_order_count_once():
    one = ff.coulomb(four, neutral, exclusions=[[0, 1]], tolerance=1e-12)
    for again in ([[1, 0]], [[0, 1], [1, 0], [0, 1]], ([0, 1, 2, 2, 2], [1, 0])):
        assert ff.coulomb(four, neutral, exclusions=again, tolerance=1e-12).energy == one.energy
