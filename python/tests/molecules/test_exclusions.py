"""Pairs that bonds connect: water, fractions, images across the border, and what is refused."""
import os
import pathlib

import numpy as np
import pytest
from systems import four, neutral

import farfield as ff

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


def test_the_tolerance_is_that_of_what_is_left():
    """Tight dipoles, whose own pairs are nearly all: the plan that was too loose for the rest is made again, once."""
    places = np.repeat(four, 2, axis=0)
    places[1::2] += [0.02, 0, 0]
    plan = ff.Coulomb([1, -1] * 4, cell=[1, 1, 1], exclusions=np.arange(8).reshape(4, 2), tolerance=1e-6)
    asked = [choice.value for _ in range(3) for choice in plan.evaluate(places).report.choices if choice.name == "tolerance"]
    assert len(asked) == 3 and len(set(asked)) == 1 and 1e-12 < float(asked[0]) < 1e-9


def test_bonds():
    """A chain: 1-2, 1-3 and 1-4 are what LAMMPS calls special."""
    bonded = ff.exclusions_of_bonds(4, [[0, 1], [2, 1], [2, 3]], keep=(0, 0.25, 0.5))
    keep = {(0, 1): 0.0, (1, 2): 0.0, (2, 3): 0.0, (0, 2): 0.25, (1, 3): 0.25, (0, 3): 0.5}
    sides = sorted((i, j, value) for pair, value in keep.items() for i, j in (pair, pair[::-1]))
    rows = np.searchsorted([i for i, _, _ in sides], range(5)), [j for _, j, _ in sides], [value for *_, value in sides]
    assert ff.coulomb(four, neutral, exclusions=bonded).energy == ff.coulomb(four, neutral, exclusions=rows).energy
    assert len(bonded) == 6


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
