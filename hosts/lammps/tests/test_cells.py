"""Cells of every kind: oblique, with one, two or no periodic axes, charged, changed by LAMMPS between two evaluations."""
import numpy
import pytest

import boxes
from test_sums import assert_close, solve, two_charge_force

oblique = [16.8, 16.0, 17.5, 4.0, -3.0, 5.5]


def salt(tmp_path, box=None, charge=0.0):
    """Ions in a data file; box: lengths and tilts to which the cube is deformed."""
    positions, charges, cube = boxes.ions()
    if box is not None:
        x, y, z, xy, xz, yz = box
        positions = positions / cube @ numpy.array([[x, 0, 0], [xy, y, 0], [xz, yz, z]])
    charges[0] += charge
    boxes.write_data(tmp_path / "salt", positions, charges, cube if box is None else box)
    return tmp_path / "salt"


def test_oblique_cell(lammps, tmp_path):
    data = salt(tmp_path, oblique)
    assert_close(solve(lammps, data, "farfield 1e-6"), solve(lammps, data, "ewald 1e-10"), 1e-6)


def test_net_charge_has_its_background(lammps, tmp_path):
    """Energies and forces as LAMMPS has them."""
    data = salt(tmp_path, charge=0.5)
    wanted, found = solve(lammps, data, "ewald 1e-10"), solve(lammps, data, "farfield 1e-6")
    assert found.energy == pytest.approx(wanted.energy, rel=1e-5)
    assert abs(found.forces - wanted.forces).max() < 1e-3


def test_two_axes_are_the_limit_of_empty_space(lammps, tmp_path):
    """kspace_modify slab 6: copies of the layer five thicknesses apart, their dipoles corrected for."""
    data = salt(tmp_path)
    read = dict(boundary="p p f")
    wanted = solve(lammps, data, "ewald 1e-10", modify="slab 6.0", **read)
    found = solve(lammps, data, "farfield 1e-6", **read)
    assert abs(found.energy - wanted.energy) < 3e-6 * abs(wanted.energy)
    assert abs(found.forces - wanted.forces).max() < 1e-5 * two_charge_force
    assert found.pressure == pytest.approx(wanted.pressure, abs=1e-4 * abs(wanted.pressure).max())


def test_one_axis_does_not_depend_on_how_the_cell_is_repeated(lammps, tmp_path):
    lmp = lammps()
    boxes.read(lmp, salt(tmp_path), boundary="f p f")
    lmp.command("kspace_style farfield 1e-7")
    once = boxes.outcome(lmp)
    other = lammps()
    boxes.read(other, tmp_path / "salt", boundary="f p f")
    for command in ("replicate 1 2 1", "kspace_style farfield 1e-7"):
        other.command(command)
    twice = boxes.outcome(other)
    assert twice.energy == pytest.approx(2 * once.energy, rel=1e-6)
    assert abs(twice.forces[: len(once.forces)] - once.forces).max() < 1e-5 * two_charge_force


def test_a_row_of_ions_has_its_madelung_constant(lammps, tmp_path):
    boxes.write_data(tmp_path / "row", [[0.5, 4, 4], [2.5, 4, 4]], [1, -1], [4, 8, 8])
    found = solve(lammps, tmp_path / "row", "farfield 1e-9", boundary="p f f", style=boxes.without_charges)
    assert found.energy == pytest.approx(-2 * numpy.log(2) * two_charge_force / 2.0, rel=1e-8)


def test_open_space_is_the_sum_of_all_pairs(lammps, tmp_path):
    data = salt(tmp_path, charge=0.5)
    lmp = lammps()
    boxes.read(lmp, data, boundary="f f f", style=["pair_style coul/cut 60", "pair_coeff * *"])
    wanted = boxes.outcome(lmp)
    found = solve(lammps, data, "farfield 1e-7", boundary="f f f")
    assert_close(found, wanted, 1e-7)


@pytest.mark.parametrize("change", ["x scale 1.07 y scale 0.96 remap", "triclinic xy final 3.5 remap"])
def test_a_box_that_changes(lammps, tmp_path, change):
    """The same LAMMPS before and after, as under a barostat."""
    outcomes = []
    for kspace in ("ewald 1e-10", "farfield 1e-6"):
        lmp = lammps()
        boxes.read(lmp, salt(tmp_path))
        lmp.command(f"kspace_style {kspace}")
        boxes.outcome(lmp)
        words = change.split()
        if words[0] == "triclinic":
            lmp.command("change_box all triclinic")
            words = words[1:]
        for command in (f"change_box all {' '.join(words)}", "run 0"):
            lmp.command(command)
        pressure = numpy.array(lmp.numpy.extract_compute("pressures", 0, 1))
        outcomes.append((lmp.get_thermo("epair"), pressure))
    (energy, pressure), (found, found_pressure) = outcomes
    assert found == pytest.approx(energy, rel=1e-5)
    assert found_pressure == pytest.approx(pressure, abs=1e-4 * abs(pressure).max())
