"""Energy, forces and virial that GROMACS gets from Farfield, against Ewald's sums in double, without Lennard-Jones."""
import numpy
import pytest

import ewald
import gromacs
import slab

#: what GROMACS' floats leave of positions that its domain decomposition wraps, relative to the strongest forces
rounding = 2e-6

triclinic = numpy.array([[2.0, 0, 0], [0.5, 2.2, 0], [-0.7, 0.9, 2.1]])
#: GROMACS' rhombic dodecahedron, of edge 2.4
dodecahedron = 2.4 * numpy.array([[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0.70711]])


def ions(cell, count=60, seed=4711):
    """As many of charge 1 as of -1, anywhere in three cells each way: nothing is wrapped."""
    print(f"seed {seed}")
    rng = numpy.random.default_rng(seed)
    x = rng.uniform(-1, 2, (count, 3)) @ cell
    while crowded(x, cell):
        x = rng.uniform(-1, 2, (count, 3)) @ cell
    return gromacs.System(numpy.round(x, 6), cell, ("NA", "CL"), (1.0, -1.0), (22.98977, 35.45300), "")


def crowded(x, cell):
    distance = numpy.linalg.norm(ewald.shortest(x[:, None] - x[None, :], cell), axis=-1) + numpy.eye(len(x))
    return distance.min() < 0.01


def exact(system, pairs=()):
    return ewald.coulomb(system.positions.astype(numpy.float32).astype(float), system.all_charges, system.cell, pairs)


def error(found, wanted):
    return float(numpy.linalg.norm(found - wanted) / numpy.linalg.norm(wanted))


def found(folder):
    (_, _, forces), = gromacs.frames(folder / "run.trr")
    return ewald.Sums(gromacs.energies(folder, "Coul.-recip.")[-1, 0], forces, gromacs.virial(folder))


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
def test_the_water_of_gromacs(single_point, water, tolerance):
    """The energy is that of two Ewald sums in double, docs/molecules.md."""
    sums = found(single_point(water, gromacs.by_farfield | {"fmm-farfield-tolerance": tolerance}))
    wanted = exact(water, water.pairs_in_molecules)
    assert wanted.energy == pytest.approx(-11255.90616, rel=1e-6)  # of the positions in double
    print(f"energy {sums.energy:.5f}, exact {wanted.energy:.5f}; error of the forces {error(sums.forces, wanted.forces):.1e}, "
          f"of the virial {error(sums.virial, wanted.virial):.1e}")
    assert sums.energy == pytest.approx(wanted.energy, rel=tolerance)
    assert error(sums.forces, wanted.forces) < tolerance + rounding
    assert error(sums.virial, wanted.virial) < 10 * tolerance  # distances in the cell over those of neighbours
    assert numpy.trace(sums.virial) == pytest.approx(sums.energy, rel=10 * tolerance)


def test_copies_of_the_water(single_point, water):
    """5,184 atoms, for which Farfield does use multipoles, with the exact forces of 648."""
    once, eight = exact(water, water.pairs_in_molecules), 8
    wanted = ewald.Sums(eight * once.energy, numpy.tile(once.forces, (eight, 1)), eight * once.virial)
    for tolerance in (1e-2, 1e-3, 1e-4):
        folder = single_point(gromacs.repeat(water, 2), gromacs.by_farfield | {"fmm-farfield-tolerance": tolerance})
        assert "method fmm" in (folder / "run.log").read_text()
        sums = found(folder)
        print(f"asked {tolerance:.0e}: energy {sums.energy:.3f}, exact {wanted.energy:.3f}; error of the forces "
              f"{error(sums.forces, wanted.forces):.1e}, of the virial {error(sums.virial, wanted.virial):.1e}")
        assert sums.energy == pytest.approx(wanted.energy, rel=tolerance)
        assert error(sums.forces, wanted.forces) < tolerance + rounding
        assert error(sums.virial, wanted.virial) < 10 * tolerance


@pytest.mark.parametrize("cell", [triclinic, dodecahedron], ids=["triclinic", "dodecahedron"])
def test_oblique_boxes(single_point, cell):
    system, tolerance = ions(cell), 1e-5
    sums = found(single_point(system, gromacs.by_farfield | {"fmm-farfield-tolerance": tolerance}))
    wanted = exact(system)
    print(f"energy {sums.energy:.5f}, exact {wanted.energy:.5f}; error of the forces {error(sums.forces, wanted.forces):.1e}, "
          f"of the virial {error(sums.virial, wanted.virial):.1e}")
    assert sums.energy == pytest.approx(wanted.energy, rel=10 * tolerance)
    assert error(sums.forces, wanted.forces) < tolerance + rounding
    assert error(sums.virial, wanted.virial) < 10 * tolerance


def test_broken_molecules(single_point, water, monkeypatch):
    """Excluded pairs are taken off at their shortest image, whichever images of its atoms a molecule consists of. Domain
    decomposition would refuse bonds as long as these."""
    monkeypatch.setenv("GMX_DD_SINGLE_RANK", "0")
    options = gromacs.by_farfield | {"fmm-farfield-tolerance": 1e-5}
    whole = found(single_point(water, options))
    shift = numpy.random.default_rng(1).integers(-1, 2, water.positions.shape) @ water.cell
    water.positions = numpy.round(water.positions + shift, 6)
    broken = found(single_point(water, options))
    assert broken.energy == pytest.approx(whole.energy, rel=1e-5)
    assert error(broken.forces, whole.forces) < 1e-5 + 4 * rounding  # positions of up to two boxes, in floats


def test_order_of_atoms(single_point, water, monkeypatch):
    """Domain decomposition sorts the atoms of one rank; without it they keep their order."""
    options = gromacs.by_farfield | {"fmm-farfield-tolerance": 1e-5}
    sorted_ = found(single_point(water, options))
    monkeypatch.setenv("GMX_DD_SINGLE_RANK", "0")
    unsorted = found(single_point(water, options))
    assert error(unsorted.forces, sorted_.forces) < 1e-5 + 2 * rounding


def test_pairs_of_chains(single_point):
    """Of four atoms in a chain Farfield leaves out all pairs; GROMACS adds the ends, times fudgeQQ, as listed forces."""
    rng = numpy.random.default_rng(4711)
    cell = 2.5 * numpy.eye(3)
    chain = numpy.array([[0, 0, 0], [0.12, 0.05, 0], [0.15, 0.17, 0.04], [0.28, 0.2, 0]])
    x = (rng.random((20, 1, 3)) @ cell + chain + rng.uniform(-0.01, 0.01, (20, 4, 3))).reshape(-1, 3)
    system = gromacs.System(numpy.round(x, 6), cell, ("C1", "C2", "C3", "C4"), (0.5, -0.4, 0.2, -0.3), (12.0, 12.0, 12.0, 12.0),
                            "[ bonds ]\n1 2 5\n2 3 5\n3 4 5\n[ pairs ]\n1 4 1 0 0\n", bonds_excluded=3)
    folder = single_point(system, gromacs.by_farfield | {"fmm-farfield-tolerance": 1e-5})
    left_out = exact(system, system.pairs_in_molecules)
    ends = ewald.excluded(system.positions, system.all_charges, cell, [(4 * m, 4 * m + 3) for m in range(20)])
    factor = -gromacs.fraction_of_pairs * ewald.coulomb_constant
    sums = found(folder)
    assert sums.energy == pytest.approx(left_out.energy, rel=1e-4)
    assert gromacs.energies(folder, "Coulomb-14")[-1, 0] == pytest.approx(factor * ends.energy, rel=1e-5)
    assert error(sums.forces, left_out.forces + factor * ends.forces) < 1e-5 + rounding


def test_net_charge(single_point):
    """A uniform background, as GROMACS' own sums have it."""
    system = ions(triclinic)
    system.charges = (1.0, -0.5)
    sums = found(single_point(system, gromacs.by_farfield | {"fmm-farfield-tolerance": 1e-5}))
    wanted = exact(system)
    assert sums.energy == pytest.approx(wanted.energy, rel=1e-4)
    assert error(sums.forces, wanted.forces) < 1e-5 + rounding


def test_same_as_pme(single_point, water):
    """GROMACS' own sum in the same program: total forces with Lennard-Jones, and the pressure."""
    water.lennard_jones, pressures, forces = (gromacs.attraction, gromacs.repulsion), [], []
    for options in (gromacs.by_pme, gromacs.by_farfield | {"fmm-farfield-tolerance": 1e-5}):
        folder = single_point(water, options)
        forces.append(found(folder).forces)
        pressures.append(gromacs.energies(folder, "Pressure")[-1, 0])
    assert error(forces[1], forces[0]) < 1e-4  # pme's own error
    assert pressures[1] == pytest.approx(pressures[0], abs=2)  # bar, of thousands


def test_slab(single_point):
    """pbc = xy between two walls without forces: nothing repeats along z, whatever ewald-geometry says."""
    system = ions(numpy.diag([2.0, 2.2, 2.5]), count=24)
    system.positions = numpy.round(system.positions @ numpy.diag([1, 1, 0.25]) + numpy.array([0, 0, 0.8]), 6)
    walls = {"pbc": "xy", "nwall": 2, "wall-atomtype": "CL CL", "wall-type": "12-6", "ewald-geometry": "3dc", "wall-ewald-zfac": 3}
    sums = found(single_point(system, gromacs.by_farfield | walls | {"fmm-farfield-tolerance": 1e-5}))
    x, step = system.positions.astype(numpy.float32).astype(float), 1e-4
    assert sums.energy == pytest.approx(slab.energy(x, system.all_charges, system.cell[:2, :2]), rel=1e-5)
    for atom, axis in ((0, 0), (3, 1), (5, 2), (10, 2)):
        shift = numpy.zeros_like(x)
        shift[atom, axis] = step
        up, down = (slab.energy(at, system.all_charges, system.cell[:2, :2]) for at in (x + shift, x - shift))
        largest = abs(sums.forces).max()
        assert sums.forces[atom, axis] == pytest.approx((down - up) / (2 * step), abs=1e-4 * largest)
