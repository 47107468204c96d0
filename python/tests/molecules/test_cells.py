"""Cells, surfaces and charges that have no meaning: a sentence each."""
import numpy as np
import pytest
from systems import charged, four, neutral

import farfield as ff


@pytest.mark.parametrize("given, sentence", [
    ({"cell": [1, 2]}, r"cell has shape \(2,\); pass three lengths"),
    ({"cell": "cube"}, "cell is no array of numbers"),
    ({"cell": [1, 1, 0]}, "vector c has length 0; give a vector along each periodic axis"),
    ({"cell": [1, np.nan, 1]}, "vector b has a component y that is no finite number"),
    ({"cell": [[1, 0, 0], [2, 0, 0], [0, 0, 1]]}, "vectors a, b and c lie in one plane, so that it has no volume"),
    ({"cell": [[1, 0, 0], [2, 0, 0], [0, 0, 1]], "pbc": [True, True, False]}, "vectors a and b are parallel"),
    ({"pbc": True}, "there is no cell"),
    ({"cell": [1, 1, 1], "pbc": [True, False]}, r"pbc is \[True, False\]; pass True, False, or three"),
    ({"cell": [1, 1, 1], "pbc": "xy"}, "pbc is 'xy'"),
    ({"cell": [1, 1, 1], "surface": "water"}, "surface is 'water'"),
    ({"cell": [1, 1, 1], "surface": -1}, "surface is -1"),
    ({"cell": [1, 1, 1], "surface": None}, "surface is None"),
    ({"cell": [1, 1, 1], "pbc": [True, True, False], "surface": "vacuum"}, "surface needs three periodic axes"),
    ({"surface": "vacuum"}, "surface needs three periodic axes, and there are 0"),
    ({"cell": [1, 1, 1], "background": "ignore"}, "background is 'ignore'"),
    ({"cell": [1, 1, 1], "background": "error", "charges": charged}, "the charges add up to 1; neutralise them"),
    ({"cell": [1, 1, 1], "surface": "vacuum", "charges": charged}, "depends on the origin"),
    ({"cell": [1, 1, 1], "pbc": [True, False, False], "charges": charged}, "with 1 periodic axes"),
    ({"cell_x": 1.0}, "cell_x is settled by Coulomb sums"),
    ({"kernel": "gauss"}, "kernel is settled"),
    ({"charges": [[1, 2]]}, r"charges have shape \(1, 2\); pass \(N,\)"),
])
def test_what_is_refused(given, sentence):
    with pytest.raises(ff.Error, match=sentence) as caught:
        ff.coulomb(four, **{"charges": neutral, **given})
    assert isinstance(caught.value, ValueError)


def test_what_is_refused_later():
    plan = ff.Coulomb(neutral, cell=[1, 1, 1], pbc=[True, True, False])
    with pytest.raises(ff.InputError, match=r"positions have shape \(3, 3\), not \(4, 3\)"):
        plan.evaluate(four[:3])
    with pytest.raises(ff.InputError, match="the charges add up to 1; with 2"):
        plan.set_charges(charged)
    with pytest.raises(ff.InputError, match="this plan is of 4 particles"):
        plan.set_charges([1, -1])
    with pytest.raises(ff.UsageError, match="there is no cell"):
        plan.set_cell(None)
    with pytest.raises(ff.InputError, match="nan"):
        ff.coulomb(np.full((4, 3), np.nan), neutral)


def test_rows_of_open_axes_are_not_read():
    one = ff.coulomb(four, neutral, cell=[1, 1, np.nan], pbc=[True, True, False])
    assert one.energy == ff.coulomb(four, neutral, cell=[1, 1, 7], pbc=[True, True, False]).energy
