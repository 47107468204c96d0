"""Energies, forces and pressures of one configuration against LAMMPS' own Ewald sums and against known values."""
import gzip
import shutil

import numpy
import pytest

import boxes
from conftest import rms

two_charge_force = 332.06371  # kcal/mol/Angstrom, of unit charges 1 Angstrom apart: what accuracies are relative to
#: ewald's erfc is a fit, good to about 1e-7 of each pair's force
fit = 3e-7


def solve(lammps, data, kspace, modify=None, **read):
    lmp = lammps()
    boxes.read(lmp, data, **read)
    lmp.command(f"kspace_style {kspace}")
    if modify:
        lmp.command(f"kspace_modify {modify}")
    return boxes.outcome(lmp)


def assert_close(found, wanted, accuracy):
    """Forces to the accuracy asked for, in the norm of the promise; energies and pressures to what such forces allow."""
    assert rms(found.forces - wanted.forces) <= (accuracy + fit) * two_charge_force
    loose = 100 * (accuracy + fit)  # the sums of many pairs: bounded by experience, and it shrinks with the accuracy
    assert found.energy == pytest.approx(wanted.energy, rel=loose)
    assert found.atom_energy == pytest.approx(wanted.atom_energy, abs=loose * abs(wanted.atom_energy).max())
    assert found.pressure == pytest.approx(wanted.pressure, abs=loose * abs(wanted.pressure).max())


@pytest.mark.parametrize("accuracy", [1e-4, 1e-6])
@pytest.mark.parametrize("style", [boxes.with_charges, boxes.without_charges], ids=["coul/long", "zero"])
def test_water_as_ewald_sums_it(lammps, tmp_path, accuracy, style):
    positions, charges, box = boxes.water()
    boxes.write_data(tmp_path / "water", positions, charges, box, molecules=True)
    wanted = solve(lammps, tmp_path / "water", "ewald 1e-10", water=True)
    found = solve(lammps, tmp_path / "water", f"farfield {accuracy}", water=True, style=style)
    assert_close(found, wanted, accuracy)


def test_special_pairs_count_in_part(lammps, tmp_path):
    positions, charges, box = boxes.water()
    boxes.write_data(tmp_path / "water", positions, charges, box, molecules=True)
    scaled = dict(water=True, special="0.25 0.5 1")
    wanted = solve(lammps, tmp_path / "water", "ewald 1e-10", **scaled)
    for style in (boxes.with_charges, boxes.without_charges):
        assert_close(solve(lammps, tmp_path / "water", "farfield 1e-6", style=style, **scaled), wanted, 1e-6)


def test_rock_salt_has_its_madelung_constant(lammps, tmp_path):
    positions, charges, box = boxes.ions(edge_count=4, spacing=2.0, jitter=0)
    boxes.write_data(tmp_path / "salt", positions, charges, box)
    found = solve(lammps, tmp_path / "salt", "farfield 1e-9", style=boxes.without_charges)
    madelung = 1.747564594633182  # OEIS A085469: of a pair of ions at distance 1
    assert found.energy == pytest.approx(-madelung * len(charges) / 2 * two_charge_force / 2.0, rel=1e-8)
    assert abs(found.forces).max() < 1e-6


def test_the_water_of_gromacs(lammps, tmp_path, shared_data):
    positions, box = boxes.read_gro(shared_data("spc216.gro"))
    boxes.write_data(tmp_path / "spc", positions, numpy.tile([-0.82, 0.41, 0.41], 216), box, molecules=True)
    exact = -8.1015360301402 * two_charge_force  # Ewald sums in double with two splits, bonded pairs left out
    for style in (boxes.with_charges, boxes.without_charges):
        found = solve(lammps, tmp_path / "spc", "farfield 1e-8", water=True, style=style)
        assert found.energy == pytest.approx(exact, rel=1e-9)
    assert_close(found, solve(lammps, tmp_path / "spc", "ewald 1e-9", water=True), 1e-8)


def rhodopsin(lammps, data, kspace):
    """LAMMPS' benchmark: 32,000 atoms of a protein in membrane and water."""
    lmp = lammps()
    for command in (*boxes.rhodopsin, "pair_modify table 0", f"read_data {data}", f"kspace_style {kspace}"):
        lmp.command(command)
    found = boxes.outcome(lmp)
    return found, lmp.get_thermo("ecoul") + lmp.get_thermo("elong")


def test_rhodopsin(lammps, tmp_path, shared_data):
    with gzip.open(shared_data("data.rhodo.gz")) as packed, open(tmp_path / "rhodo", "wb") as data:
        shutil.copyfileobj(packed, data)
    wanted, pppm = rhodopsin(lammps, tmp_path / "rhodo", "pppm 1e-7")
    found, coulomb = rhodopsin(lammps, tmp_path / "rhodo", "farfield 1e-6")
    assert coulomb == pytest.approx(pppm, rel=3e-6)  # pppm's erfc is a fit: of spc216 its energy is 1.4e-6 off
    assert rms(found.forces - wanted.forces) <= 1.2e-6 * two_charge_force
    assert found.pressure == pytest.approx(wanted.pressure, abs=1e-4 * abs(wanted.pressure).max())
