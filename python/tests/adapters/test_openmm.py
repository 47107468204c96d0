"""Farfield in the place of OpenMM's sums over charges."""
import copy
import sys
from pathlib import Path

import numpy as np
import pytest

import farfield as ff
from conftest import relative
from farfield.adapters.openmm import coulomb_constant, replace_coulomb

mm = pytest.importorskip("openmm", reason="openmm is not installed")
if not hasattr(mm, "PythonForce"):
    pytest.skip("openmm is older than 8.5 and has no PythonForce", allow_module_level=True)
sys.path.insert(0, str(Path(__file__).parents[1] / "molecules"))
import ewald  # noqa: E402

triclinic = np.array([[2.5, 0, 0], [0.5, 3.0, 0], [0.7, 0.9, 3.5]])  # that of OpenMM's testTriclinic
asked = 1e-8
#: OpenMM's own sums: what it calls tolerance is an estimate of the error of a force, met within a factor of ten
near_asked = 10.0
#: the oracle's own error beside a tolerance of 1e-8
oracle = 1e-11


def water(random, edge_count=4, spacing=0.31):
    """Rigid SPC/E on a lattice, each turned at random: positions, charges and cell; some molecules cross its border."""
    half = np.radians(109.47 / 2)
    sides = 0.1 * np.array([[0, 0, 0], [np.sin(half), np.cos(half), 0], [-np.sin(half), np.cos(half), 0]])
    places = spacing * np.stack(np.meshgrid(*3 * [np.arange(edge_count)], indexing="ij"), axis=-1).reshape(-1, 3)
    turns = [np.linalg.qr(random.normal(size=(3, 3)))[0] for _ in places]
    positions = np.concatenate([place + sides @ turn.T for place, turn in zip(places, turns)])
    return positions, np.tile([-0.8476, 0.4238, 0.4238], len(places)), spacing * edge_count * np.eye(3)


def in_molecules(count):
    return [(i + a, i + b) for i in range(0, count, 3) for a, b in ((0, 1), (0, 2), (1, 2))]


def a_system(charges, cell=None, method="PME", pairs=(), own_tolerance=1e-6, cutoff=0.6, masses=None):
    """Charges alone. pairs: those that are left out, (i, j) or (i, j, chargeProd)."""
    system, force = mm.System(), mm.NonbondedForce()
    if cell is not None:
        system.setDefaultPeriodicBoxVectors(*(mm.Vec3(*row) for row in np.asarray(cell, float)))
    force.setNonbondedMethod(getattr(mm.NonbondedForce, method))
    force.setCutoffDistance(cutoff)
    force.setEwaldErrorTolerance(own_tolerance)
    for i, charge in enumerate(charges):
        system.addParticle(10.0 if masses is None else masses[i])
        force.addParticle(charge, 0.1, 0.0)
    for i, j, *product in pairs:
        force.addException(i, j, *(product or [0.0]), 0.1, 0.0)
    system.addForce(force)
    return system


def a_context(system, positions, platform="Reference", step=0.002):
    integrator = mm.VerletIntegrator(step)
    integrator.setConstraintTolerance(1e-10)
    context = mm.Context(system, integrator, mm.Platform.getPlatformByName(platform))
    context.setPositions(positions)
    return context


def sums_of(context):
    state = context.getState(getEnergy=True, getForces=True)
    return state.getPotentialEnergy()._value, state.getForces(asNumpy=True)._value


def evaluated(system, positions, platform="Reference"):
    return sums_of(a_context(system, positions, platform))


def exact(positions, charges, cell, pairs):
    """By the slow Ewald sum: energy and forces, pairs left out at their shortest image or, with a product, replaced."""
    potential, gradient = ewald.ewald(positions, charges, [] if cell is None else cell)
    energy, forces = 0.5 * charges @ potential, -charges[:, None] * gradient
    for i, j, *product in pairs:
        d = positions[i] - positions[j]
        if cell is not None:
            images = d + np.array([[a, b, c] for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]) @ cell
            d = images[np.argmin((images**2).sum(1))]
        r, more = np.linalg.norm(d), (product[0] if product else 0.0) - charges[i] * charges[j]
        energy += more / r
        forces[i] += more * d / r**3
        forces[j] -= more * d / r**3
    return coulomb_constant * energy, coulomb_constant * forces


def test_water(rng):
    """The oracle, and OpenMM's own two sums at 1e-6."""
    positions, charges, cell = water(rng)
    pairs = in_molecules(len(charges))
    energy, forces = exact(positions, charges, cell, pairs)
    own = {method: evaluated(a_system(charges, cell, method, pairs), positions) for method in ("Ewald", "PME")}
    system = a_system(charges, cell, "PME", pairs)
    force = replace_coulomb(system, tolerance=asked)
    found = evaluated(system, positions)
    assert relative(found[1], forces) < asked + oracle and found[0] == pytest.approx(energy, rel=asked)
    assert force.sum.report.tolerance <= asked and force.sum.calls == 1
    for name, (own_energy, own_forces) in own.items():
        print(f"{name} at 1e-6: error of the forces {relative(own_forces, forces):.1e}")
        assert relative(found[1], own_forces) < 1e-6 * near_asked and found[0] == pytest.approx(own_energy, rel=1e-6 * near_asked)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 1e-7])
def test_tolerances(rng, tolerance):
    positions, charges, cell = water(rng)
    pairs = in_molecules(len(charges))
    system = a_system(charges, cell, "PME", pairs)
    replace_coulomb(system, tolerance=tolerance)
    assert relative(evaluated(system, positions)[1], exact(positions, charges, cell, pairs)[1]) < tolerance + oracle


def test_triclinic_water(rng):
    positions, charges, _ = water(rng)
    cell = triclinic / 2.5 * 1.24
    pairs = in_molecules(len(charges))
    energy, forces = exact(positions, charges, cell, pairs)
    system = a_system(charges, cell, "PME", pairs)
    own = evaluated(system, positions)
    replace_coulomb(system, tolerance=asked)
    found = evaluated(system, positions)
    assert relative(found[1], forces) < asked + oracle and found[0] == pytest.approx(energy, rel=asked)
    assert relative(found[1], own[1]) < 1e-6 * near_asked


def test_eight_ions_in_a_triclinic_cell(rng):
    places = rng.random((8, 3)) @ triclinic
    charges = np.array([1.0, -1.0] * 4)
    system = a_system(charges, triclinic)
    replace_coulomb(system, tolerance=asked)
    energy, forces = exact(places, charges, triclinic, [])
    found = evaluated(system, places)
    assert relative(found[1], forces) < asked + oracle and found[0] == pytest.approx(energy, rel=asked)


def chain(rng):
    """Five atoms bonded in a row across the border of the cell, and eight free ions; 1-4 pairs have 0.8333 of their product."""
    bonded = np.array([[0, 0, 0], [0.12, 0.08, 0], [0.25, 0.02, 0.05], [0.36, 0.1, 0.02], [0.5, 0.05, 0]]) - [0.2, 0.03, 0.01]
    corners = np.array([[x, y, z] for x in (0.3, 0.9) for y in (0.4, 0.9) for z in (0.4, 0.9)])
    charges = np.array([0.4, -0.6, 0.5, -0.2, -0.1, *[1.0, -1.0] * 4])
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5) if j - i < 3]
    pairs += [(i, i + 3, 0.8333 * charges[i] * charges[i + 3]) for i in (0, 1)]
    return np.concatenate([bonded, corners + rng.uniform(-0.05, 0.05, corners.shape)]), charges, pairs


@pytest.mark.parametrize("cell", [np.diag([1.3, 1.4, 1.5]), triclinic / 2.5 * 1.3, None], ids=["box", "triclinic", "open"])
def test_scaled_pairs(rng, cell):
    positions, charges, pairs = chain(rng)
    system = a_system(charges, cell, "NoCutoff" if cell is None else "PME", pairs)
    own = evaluated(system, positions)
    replace_coulomb(system, tolerance=asked)
    energy, forces = exact(positions, charges, cell, pairs)
    found = evaluated(system, positions)
    assert relative(found[1], forces) < asked + oracle and found[0] == pytest.approx(energy, rel=asked)
    assert relative(found[1], own[1]) < 1e-6 * near_asked


def test_broken_molecules(rng):
    """Atoms that were put into the cell one by one, as OpenMM may."""
    positions, charges, cell = water(rng)
    system = a_system(charges, cell, "PME", in_molecules(len(charges)))
    replace_coulomb(system, tolerance=asked)
    whole = evaluated(system, positions)
    broken = evaluated(system, positions - np.floor(positions @ np.linalg.inv(cell)) @ cell)
    assert relative(broken[1], whole[1]) < 2 * asked and broken[0] == pytest.approx(whole[0], rel=2 * asked)


def test_net_charge(rng):
    """The uniform background is OpenMM's, too."""
    places, charges = rng.random((20, 3)) @ triclinic, rng.standard_normal(20)
    charges += 0.2 - charges.mean()
    system = a_system(charges, triclinic)
    own = evaluated(system, places)
    replace_coulomb(system, tolerance=asked)
    found = evaluated(system, places)
    assert charges.sum() == pytest.approx(4) and relative(found[1], own[1]) < 1e-6 * near_asked
    assert found[0] == pytest.approx(own[0], rel=1e-6 * near_asked)


def test_rock_salt():
    """Madelung's constant, twice: 8 ions of one cell, and 1,000."""
    for edge, cutoff in ((2, 0.2), (10, 1.2)):
        places = np.stack(np.meshgrid(*3 * [np.arange(edge)], indexing="ij"), axis=-1).reshape(-1, 3)
        charges = 1.0 - 2.0 * (places.sum(axis=1) % 2)
        system = a_system(charges, 0.282 * edge * np.eye(3), cutoff=cutoff)
        replace_coulomb(system, tolerance=asked)
        wanted = -1.747564594633182 * edge**3 / 2 * coulomb_constant / 0.282
        assert evaluated(system, 0.282 * places)[0] == pytest.approx(wanted, rel=asked)


@pytest.mark.parametrize("method", ["NoCutoff", "CutoffNonPeriodic"])
def test_open_space(rng, method):
    positions, charges, _ = water(rng)
    pairs = in_molecules(len(charges))
    own = evaluated(a_system(charges, None, "NoCutoff", pairs), positions)
    system = a_system(charges, None, method, pairs)
    force = replace_coulomb(system, tolerance=asked)
    found = evaluated(system, positions)
    assert not force.usesPeriodicBoundaryConditions() and relative(found[1], own[1]) < asked
    assert found[0] == pytest.approx(own[0], rel=asked)


def liquid(random):
    """27 rigid SPC/E with their Lennard-Jones part, warmed by OpenMM's own PME: system, positions, velocities."""
    positions, charges, cell = water(random, 3)
    system = a_system(charges, cell, "PME", in_molecules(len(charges)), 1e-3, 0.45, [15.9994, 1.008, 1.008] * 27)
    force = system.getForce(0)
    for i in range(0, len(charges), 3):
        force.setParticleParameters(i, charges[i], 0.3166, 0.6502)
        for j, k, length in ((0, 1, 0.1), (0, 2, 0.1), (1, 2, 0.1632980861845)):
            system.addConstraint(i + j, i + k, length)
    force.setUseSwitchingFunction(True)
    force.setSwitchingDistance(0.35)
    integrator = mm.LangevinMiddleIntegrator(300, 50, 0.0005)  # slow, since some molecules start too near
    integrator.setRandomNumberSeed(7)
    context = mm.Context(system, integrator, mm.Platform.getPlatformByName("Reference"))
    context.setPositions(positions)
    context.applyConstraints(1e-8)
    integrator.step(200)
    force.setEwaldErrorTolerance(1e-5)
    state = context.getState(getPositions=True, getVelocities=True)
    return system, state.getPositions(asNumpy=True)._value, state.getVelocities(asNumpy=True)._value


def test_200_steps_of_constant_energy(rng):
    """The same path as with PME, and as good an energy."""
    system, positions, velocities = liquid(rng)
    paths, energies = [], []
    for ours in (False, True):
        if ours:
            replace_coulomb(system, tolerance=1e-6)
        context = a_context(system, positions, step=0.001)
        context.setVelocities(velocities)
        series = []
        for _ in range(20):
            context.getIntegrator().step(10)
            state = context.getState(getEnergy=True)
            series.append((state.getPotentialEnergy() + state.getKineticEnergy())._value)
        energies.append(np.array(series))
        paths.append(context.getState(getPositions=True).getPositions(asNumpy=True)._value)
    own, found = energies
    print(f"total energy, kJ/mol: PME {np.ptp(own):.4f} from top to bottom, Farfield {np.ptp(found):.4f}; path {abs(paths[1] - paths[0]).max():.1e} nm")
    # PME's error, 1e-5 of some 1,000 kJ/mol/nm on a hydrogen, moves it by 2e-4 nm in 0.2 ps; the total is -1,000 kJ/mol.
    assert abs(paths[1] - paths[0]).max() < 1e-3 and abs(found - own).max() < 0.1 and np.ptp(found) < 1.5 * np.ptp(own)


def test_barostat(rng):
    """The cell changes on the way, and the energy at the end is that of the new one."""
    system, positions, velocities = liquid(rng)
    force = replace_coulomb(system, tolerance=1e-5)
    force.setForceGroup(3)
    barostat = mm.MonteCarloBarostat(1.0, 300.0, 5)
    barostat.setRandomNumberSeed(5)
    system.addForce(barostat)
    context = a_context(system, positions, step=0.001)
    context.setVelocities(velocities)
    before = context.getState().getPeriodicBoxVolume()._value
    context.getIntegrator().step(50)
    state = context.getState(getEnergy=True, getPositions=True, groups={3})
    cell = np.array([list(row) for row in state.getPeriodicBoxVectors()._value])
    assert state.getPeriodicBoxVolume()._value != before and np.isfinite(state.getPositions(asNumpy=True)._value).all()
    sums = ff.coulomb(state.getPositions(asNumpy=True)._value, force.sum.charges, cell=cell, tolerance=1e-9,
                      exclusions=force.sum.exclusions, coulomb_constant=coulomb_constant)
    assert state.getPotentialEnergy()._value == pytest.approx(sums.energy, rel=1e-5)


def test_virtual_sites(rng):
    """Four-point water: forces on the site of the charge are handed on by OpenMM."""
    positions, charges, cell = water(rng, 3)
    molecules = positions.reshape(-1, 3, 3)
    site = 0.7 * molecules[:, 0] + 0.15 * (molecules[:, 1] + molecules[:, 2])
    places = np.concatenate([molecules, site[:, None]], axis=1).reshape(-1, 3)
    charges = np.tile([0.0, 0.5564, 0.5564, -1.1128], len(molecules))
    pairs = [(i + a, i + b) for i in range(0, len(charges), 4) for a in range(4) for b in range(a + 1, 4)]
    system = a_system(charges, cell, "PME", pairs, cutoff=0.46, masses=[16.0, 1.0, 1.0, 0.0] * len(molecules))
    for i in range(0, len(charges), 4):
        system.setVirtualSite(i + 3, mm.ThreeParticleAverageSite(i, i + 1, i + 2, 0.7, 0.15, 0.15))
    own = evaluated(system, places)
    replace_coulomb(system, tolerance=asked)
    found = evaluated(system, places)
    moving = charges >= 0
    assert relative(found[1][moving], own[1][moving]) < 1e-6 * near_asked and found[0] == pytest.approx(own[0], rel=1e-5)


def test_the_fast_platform(rng):
    """Forces in single precision: OpenMM's own rounding."""
    positions, charges, cell = water(rng)
    pairs = in_molecules(len(charges))
    system = a_system(charges, cell, "PME", pairs)
    replace_coulomb(system, tolerance=1e-5)
    assert relative(evaluated(system, positions, "CPU")[1], exact(positions, charges, cell, pairs)[1]) < 1e-5 + 1e-6


def test_lennard_jones_stays(rng):
    """With charges of 0 the sums are OpenMM's, whatever the method."""
    positions, _, cell = water(rng)
    for method in ("PME", "LJPME", "CutoffPeriodic"):
        system = a_system(np.zeros(len(positions)), cell, method, in_molecules(len(positions)))
        for i in range(0, len(positions), 3):
            system.getForce(0).setParticleParameters(i, 0.0, 0.3166, 0.6502)
        own = evaluated(system, positions)
        replace_coulomb(system)
        found = evaluated(system, positions)
        assert found[0] == pytest.approx(own[0], rel=1e-12) and np.allclose(found[1], own[1], rtol=1e-10, atol=1e-10)


def test_copies(rng):
    """By XML, and by copy: the same numbers. A context that runs at the same time has its own cell."""
    positions, charges, cell = water(rng, 2)
    system = a_system(charges, cell, "PME", in_molecules(len(charges)), cutoff=0.3)
    replace_coulomb(system, tolerance=1e-6)
    first = a_context(system, positions)
    energy, forces = sums_of(first)
    read = mm.XmlSerializer.deserialize(mm.XmlSerializer.serialize(system))
    for other in (read, copy.deepcopy(system)):
        again = evaluated(other, positions)
        assert again[0] == energy and np.array_equal(again[1], forces)
    second = a_context(system, positions)
    second.setPeriodicBoxVectors(*(mm.Vec3(*row) for row in 1.2 * cell))
    assert sums_of(second)[0] != pytest.approx(energy, rel=1e-3)
    assert sums_of(first)[0] == pytest.approx(energy, rel=1e-6)


def test_charges_that_follow_a_parameter(rng):
    positions, charges, cell = water(rng, 2)
    pairs = in_molecules(len(charges))
    system = a_system(charges * np.array([0.5, 1, 1] * 8), cell, "PME", pairs, cutoff=0.3)
    force = system.getForce(0)
    force.addGlobalParameter("lambda", 0.25)
    for i in range(0, len(charges), 3):
        force.addParticleParameterOffset("lambda", i, 0.5 * charges[i], 0, 0)
    replace_coulomb(system, tolerance=asked)
    context = a_context(system, positions)
    for value in (0.25, 1.0):
        context.setParameter("lambda", value)
        now = charges * np.array([0.5 + 0.5 * value, 1, 1] * 8)
        energy, forces = exact(positions, now, cell, pairs)
        found = sums_of(context)
        assert relative(found[1], forces) < asked + oracle and found[0] == pytest.approx(energy, rel=asked)


def test_force_groups(rng):
    positions, charges, cell = water(rng, 2)
    for reciprocal, wanted in ((-1, 2), (5, 5)):
        system = a_system(charges, cell, cutoff=0.3)
        system.getForce(0).setForceGroup(2)
        system.getForce(0).setReciprocalSpaceForceGroup(reciprocal)
        force = replace_coulomb(system)
        assert force.getForceGroup() == wanted and force.getName() == "FarfieldCoulomb"
        state = a_context(system, positions).getState(getEnergy=True, groups={wanted})
        assert state.getPotentialEnergy()._value != 0


def test_what_is_refused(rng):
    positions, charges, cell = water(rng, 2)
    with pytest.raises(ff.UsageError, match="0 NonbondedForces"):
        replace_coulomb(mm.System())
    two = a_system(charges, cell)
    two.addForce(copy.deepcopy(two.getForce(0)))
    with pytest.raises(ff.UsageError, match="2 NonbondedForces; pass nonbonded"):
        replace_coulomb(two)
    system = a_system(charges, cell, cutoff=0.3)
    for name in ("cell", "surface", "exclusions"):
        with pytest.raises(ff.UsageError, match=f"{name} is .*; leave it out"):
            replace_coulomb(system, **{name: None})
    with pytest.raises(ff.InputError, match="background"):
        replace_coulomb(a_system(charges + 1, cell), background="error")
    assert system.getForce(0).getParticleParameters(0)[0]._value == charges[0] and system.getNumForces() == 1
    replace_coulomb(system)
    with pytest.raises(Exception, match="nan|finite|number"):
        evaluated(system, np.where(np.arange(len(positions))[:, None] == 3, np.nan, positions))
    assert np.isfinite(evaluated(system, positions)[0])
