"""Runs of flexible water: the same path as with LAMMPS' Ewald sums, conserved energy, constant pressure."""
import numpy
import pytest

import boxes

#: SPC's Lennard-Jones part of oxygen beside the charges; bonds and angles are springs
spc = ["pair_style lj/cut/coul/long 6.0 6.0", "pair_coeff 1 1 0.1553 3.166", "pair_coeff 1 2 0 1", "pair_coeff 2 2 0 1",
       "pair_modify table 0"]
springs = ["bond_style harmonic", "angle_style harmonic"]
spring_constants = ["bond_coeff * 450 1.0", "angle_coeff * 55 109.47"]


def liquid(lammps, path):
    """64 molecules, turned at random, relaxed and warmed by LAMMPS alone; as a data file."""
    positions, charges, box = boxes.water()
    boxes.write_data(path / "water", positions, charges, box, molecules=True)
    lmp = start(lammps, path / "water", "pppm 1e-5")
    for command in ("minimize 0 1e-3 100 1000", "velocity all create 300 4711", "fix 1 all nve", "fix 2 all langevin 300 300 20 4712",
                    "timestep 0.5", "run 200", f"write_data {path}/liquid nocoeff"):
        lmp.command(command)
    return path / "liquid"


def start(lammps, data, kspace):
    lmp = lammps()
    for command in ("units real", "atom_style full", "special_bonds lj/coul 0 0 0", *springs, f"read_data {data}",
                    *spring_constants, *spc, f"kspace_style {kspace}", "thermo_modify norm no"):
        lmp.command(command)
    return lmp


def energies(lmp, steps, every=10):
    """Total energy at every tenth step of a run."""
    series = []
    for _ in range(0, steps, every):
        lmp.command(f"run {every} post no")
        series.append(lmp.get_thermo("etotal"))
    return numpy.array(series)


def positions_of(lmp):
    order = numpy.argsort(lmp.numpy.extract_atom("id")[: lmp.extract_setting("nlocal")])
    return numpy.array(lmp.numpy.extract_atom("x")[: len(order)])[order]


def test_200_steps_of_constant_energy(lammps, tmp_path):
    data, paths, series = liquid(lammps, tmp_path), [], []
    for kspace in ("ewald 1e-8", "farfield 1e-6"):
        lmp = start(lammps, data, kspace)
        for command in ("fix 1 all nve", "timestep 0.5", "run 0"):
            lmp.command(command)
        series.append(energies(lmp, 200))
        paths.append(positions_of(lmp))
    wanted, found = series
    print(f"total energy, kcal/mol: ewald {numpy.ptp(wanted):.4f} from top to bottom, farfield {numpy.ptp(found):.4f}")
    assert abs(found - wanted).max() < 1e-3  # of 900 kcal/mol; integration itself moves it by a hundred times as much
    difference = paths[1] - paths[0]
    box = numpy.array([12.4, 12.4, 12.4])
    assert abs(difference - box * numpy.round(difference / box)).max() < 1e-3


def test_constant_pressure(lammps, tmp_path):
    """100 steps of a barostat that changes each axis by itself: the box follows that of Ewald sums."""
    data, lengths, pressures = liquid(lammps, tmp_path), [], []
    for kspace in ("ewald 1e-8", "farfield 1e-6"):
        lmp = start(lammps, data, kspace)
        for command in ("fix 1 all npt temp 300 300 50 aniso 1 1 100", "timestep 0.5", "run 100"):
            lmp.command(command)
        low, high = lmp.extract_box()[:2]
        lengths.append(numpy.subtract(high, low))
        pressures.append([lmp.get_thermo(word) for word in ("pxx", "pyy", "pzz")])
    assert abs(lengths[0] - 12.4).max() > 0.01  # the box has moved
    assert lengths[1] == pytest.approx(lengths[0], rel=1e-6)
    assert pressures[1] == pytest.approx(pressures[0], rel=1e-3, abs=5)


def test_net_force_stays_small(lammps, tmp_path):
    """Forces of an FMM are not exactly opposite in pairs: their sum is below the accuracy times the root of the number."""
    lmp = start(lammps, liquid(lammps, tmp_path), "farfield 1e-4")
    lmp.command("run 0")
    forces = numpy.array(lmp.numpy.extract_atom("f")[: lmp.extract_setting("nlocal")])
    assert abs(forces.sum(axis=0)).max() < 1e-4 * 332.06371 * numpy.sqrt(len(forces))
