"""Runs of rigid water: total energy, the same paths as with GROMACS' PME, constant pressure."""
import numpy
import pytest

import gromacs

run_of_water = {"nsteps": 200, "dt": 0.002, "nstlist": 5, "rlist": 0.92, "nstfout": 0, "nstxout": 20, "nstenergy": 1,
                "vdw-modifier": "potential-shift", "continuation": "no", "gen-vel": "yes", "gen-temp": 300, "gen-seed": 4711,
                "nstcalcenergy": 1}
by_farfield = gromacs.by_farfield | {"fmm-farfield-tolerance": 1e-4}


@pytest.fixture
def liquid(water):
    water.interactions = gromacs.settles_of_water
    water.lennard_jones = (gromacs.attraction, gromacs.repulsion)
    return water


def drift(series):
    """From the first to the last step, of a straight line."""
    return float(numpy.polyfit(numpy.linspace(0, 1, len(series)), series, 1)[0])


def test_200_steps_of_constant_energy(single_point, liquid):
    conserved, kinetic = {}, {}
    for name, options in (("pme", gromacs.by_pme), ("farfield", by_farfield)):
        folder = single_point(liquid, run_of_water | options)
        kinetic[name], conserved[name] = gromacs.energies(folder, "Kinetic-En.", "Total-Energy").T
        assert len(conserved[name]) == 201
    for name, series in conserved.items():
        print(f"{name}: total energy {series[0]:.3f} to {series[-1]:.3f} kJ/mol, line {drift(series):.3f}, "
              f"rms about it {numpy.std(series):.3f}; kinetic {kinetic[name].mean():.1f}")
    assert conserved["farfield"][0] == pytest.approx(conserved["pme"][0], abs=0.5)
    assert abs(drift(conserved["farfield"])) < abs(drift(conserved["pme"])) + 1.0  # of a kinetic energy of 1600
    assert numpy.ptp(conserved["farfield"]) < 1.5 * numpy.ptp(conserved["pme"])
    assert kinetic["farfield"][:50] == pytest.approx(kinetic["pme"][:50], abs=0.5)


def test_constant_pressure(single_point, liquid):
    """A barostat that starts at 2000 bar: the box shrinks with Farfield's virial as with that of PME."""
    barostat = {"tcoupl": "v-rescale", "tc-grps": "system", "tau-t": 0.5, "ref-t": 300, "ld-seed": 4711, "pcoupl": "C-rescale",
                "tau-p": 1, "compressibility": 4.5e-5, "ref-p": 2000, "nstcalcenergy": 5, "nsttcouple": 5, "nstpcouple": 5,
                "nsteps": 100, "nstlist": 5, "rlist": 0.9, "rvdw": 0.88, "rcoulomb": 0.88}
    edges = []
    for options in (gromacs.by_pme, by_farfield):
        folder = single_point(liquid, run_of_water | options | barostat)
        edges.append(gromacs.energies(folder, "Box-X")[:, 0])
    print(f"edge of the box, nm: {edges[0][0]:.5f} to {edges[0][-1]:.5f} (pme), {edges[1][-1]:.5f} (farfield)")
    assert abs(edges[0][-1] - edges[0][0]) > 1e-3  # it has moved
    assert edges[1] == pytest.approx(edges[0], abs=2e-5)
