#!/usr/bin/env python3
"""OpenMM's particle-mesh Ewald on boxes of SPC water: seconds per step with and without its integrator, and the error.

    openmm_pme.py reference spc216.gro forces.npz           # forces of 2,000 atoms in double, by Farfield at 1e-10
    openmm_pme.py time spc216.gro forces.npz --systems 'box 81000,slab'   # JSON lines, then a table

OpenMM (pip install openmm openmm-cuda-13) is not part of this repository. Charges and excluded pairs alone. Atoms stay where
they are (steps of 1e-9 ps), so that its neighbour list is never made again, which is to its advantage. A step is timed in
runs, from the difference of two; `forces` is what it takes more than a step of the same atoms without any force.
Errors are relative L2 norms over 2,000 atoms of the net forces, excluded pairs left out.
"""

import argparse
import copy
import json
import sys
import time

import numpy as np
import waters

SAMPLES = 2000
#: Relative error of the forces aimed at: (OpenMM's tolerance, cutoff in nm, precision) to try, the fastest that meets it counts
#: (its errors are 0.1 to 1.5 times its tolerance, least where most of the cell is empty; there, and at small errors, long cutoffs
#: are fastest)
SETTINGS = {5e-4: [(3.8e-4, 0.9, "single"), (5.5e-4, 1.35, "single"), (2e-3, 1.8, "single")],
            1e-5: [(7.5e-6, 1.4, "single"), (9e-6, 1.4, "single"),
                   (1.1e-5, 1.8, "single"), (1.2e-5, 2.1, "single"), (9e-5, 2.6, "single")],
            1e-6: [(6e-7, 1.2, "single"), (8e-7, 1.5, "double")]}
#: What stands in the place of a precision for Farfield's sum in the place of PME, and its options
FARFIELD = {"farfield": {}, "forces": {"tolerance_for": "gradient", "skin": 0.06}}


def sampled(count):
    return np.sort(np.random.default_rng(2).choice(count, min(SAMPLES, count), replace=False))


def reference(arguments):
    """Of each system the forces, e^2/nm^2, of the sampled atoms; computed in the unit cell, since all units are alike."""
    import farfield

    found = {}
    for name in arguments.systems.split(","):
        water, start = waters.systems(arguments.gro)[name](), time.perf_counter()
        n = len(water.positions)
        sums = farfield.coulomb(water.positions, waters.charges(n), cell=water.lengths, exclusions=waters.bonded(n),
                                tolerance=arguments.tolerance, backend="cpu")
        atoms = sampled(water.count)
        found[name] = sums.forces[atoms % n]
        print(f"{name}: {water.count} atoms, unit of {n}, {time.perf_counter() - start:.1f} s, energy of a unit {sums.energy:.12g}",
              flush=True)
        np.savez(arguments.forces, **found)


def make(mm, water):
    """A System with its NonbondedForce, and one without; positions."""
    positions, lengths = water.whole()
    charges, system, bare, force = waters.charges(len(positions)), mm.System(), mm.System(), mm.NonbondedForce()
    for each in (system, bare):
        each.setDefaultPeriodicBoxVectors(*(mm.Vec3(*row) for row in np.diag(lengths)))
        for _ in charges:
            each.addParticle(16.0)
    for charge in charges.tolist():
        force.addParticle(charge, 0.3, 0.0)
    for i, j in waters.bonded(len(positions)).tolist():
        force.addException(i, j, 0.0, 0.3, 0.0)
    force.setNonbondedMethod(mm.NonbondedForce.PME)
    system.addForce(force)
    return system, bare, force, positions


def stepping(mm, with_energy):
    """An integrator of velocities and positions; `with_energy`: which asks for the energy of each step beside the forces."""
    if not with_energy:
        return mm.VerletIntegrator(1e-9)
    integrator = mm.CustomIntegrator(1e-9)
    integrator.addGlobalVariable("e", 0)
    integrator.addUpdateContextState()
    integrator.addComputePerDof("v", "v+dt*f/m")
    integrator.addComputeGlobal("e", "energy")
    integrator.addComputePerDof("x", "x+dt*v")
    return integrator


def context_of(mm, system, positions, platform, precision, with_energy=False):
    given = {"Precision": "single" if precision in FARFIELD else precision} if platform in ("CUDA", "OpenCL", "HIP") else {}
    context = mm.Context(system, stepping(mm, with_energy), mm.Platform.getPlatformByName(platform), given)
    context.setPositions(positions)
    return context


def with_farfield(system, tolerance, options):
    """A copy whose charges farfield.adapters.openmm sums."""
    from farfield.adapters.openmm import replace_coulomb

    changed = copy.deepcopy(system)
    replace_coulomb(changed, tolerance=tolerance, **options)
    return changed


def per_step(context, seconds):
    """Seconds of a step, from runs of n and of 3 n steps, both of which wait in the same way. Every 250 steps OpenMM sorts the
    atoms anew on the host (0.2 s for 810,000), which is no part of a force: of short runs the quickest count."""
    def run(steps):
        start = time.perf_counter()
        context.getIntegrator().step(steps)
        context.getState(getEnergy=True)
        return time.perf_counter() - start

    run(1)
    once = max(run(2) / 3, 1e-6)
    steps = int(min(max(seconds / once / 24, 1), 20))
    short, long = (min(run(count * steps) for _ in range(6)) for count in (1, 3))
    return (long - short) / (2 * steps)


def per_call(context):
    """Seconds of asking for the forces, which come to the host."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        context.getState(getForces=True).getForces(asNumpy=True)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def time_system(mm, name, arguments, aims):
    start = time.perf_counter()
    water = waters.systems(arguments.gro)[name]()
    system, bare, force, positions = make(mm, water)
    exact = 138.93545764438198 * np.load(arguments.forces)[name]
    atoms = sampled(water.count)
    empty = {}
    print(f"# {name}: {water.count} atoms made in {time.perf_counter() - start:.1f} s", flush=True)
    for aim, settings in aims.items():
        for tolerance, cutoff, precision in settings:
            row = {"system": name, "atoms": water.count, "aim": aim, "tolerance": tolerance, "cutoff": cutoff,
                   "precision": precision}
            try:
                if precision not in empty:
                    empty[precision] = per_step(
                        context_of(mm, bare, positions, arguments.platform, precision, arguments.energy), arguments.seconds)
                force.setEwaldErrorTolerance(tolerance)
                force.setCutoffDistance(cutoff)
                tried = with_farfield(system, tolerance, FARFIELD[precision]) if precision in FARFIELD else system
                start = time.perf_counter()
                context = context_of(mm, tried, positions, arguments.platform, precision, arguments.energy)
                forces = context.getState(getForces=True).getForces(asNumpy=True)._value[atoms]
                row["first_s"] = time.perf_counter() - start
                row["error"] = float(np.linalg.norm(forces - exact) / np.linalg.norm(exact))
                row["mesh"] = [] if precision in FARFIELD else force.getPMEParametersInContext(context)[1:]
                row["step_ms"] = 1e3 * per_step(context, arguments.seconds)
                row["forces_ms"] = row["step_ms"] - 1e3 * empty[precision]
                row["call_ms"] = 1e3 * per_call(context)
                del context
            except Exception as error:  # a mesh that does not fit, a precision that a platform lacks
                row["failed"] = str(error)[:200]
            print(json.dumps(row), flush=True)
            yield row


def table(rows):
    print("\n| system | atoms | error aimed at | tolerance, cutoff, precision, mesh | error | step, ms | forces alone, ms |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, aim in dict.fromkeys((row["system"], row["aim"]) for row in rows):
        met = [row for row in rows if (row["system"], row["aim"]) == (name, aim) and row.get("error", 1) <= aim]
        if not met:
            print(f"| {name} | | {aim:g} | no setting meets it | | | |")
            continue
        best = min(met, key=lambda row: row["step_ms"])
        mesh = "x".join(map(str, best["mesh"]))
        print(f"| {name} | {best['atoms']} | {aim:g} | {best['tolerance']:g}, {best['cutoff']}, {best['precision']}, {mesh} "
              f"| {best['error']:.2g} | {best['step_ms']:.3g} | {best['forces_ms']:.3g} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("reference", "time"))
    parser.add_argument("gro", help="spc216.gro of GROMACS")
    parser.add_argument("forces", help="file of the reference forces, .npz")
    parser.add_argument("--systems", default="box 81000,box 1119744,1:1:10,slab,droplet,aerosol,coarse aerosol",
                        help="of bench/compare/waters.py, separated by commas")
    parser.add_argument("--aims", default="5e-4,1e-5,1e-6", help="relative errors of the forces")
    parser.add_argument("--settings", help="tolerance/cutoff/precision, separated by commas, in place of those tried; "
                        "precision farfield: its sum in the place of PME, where the package is installed; "
                        "forces: of a tolerance for forces alone, the tree kept until an atom has gone 0.06 nm")
    parser.add_argument("--tolerance", type=float, default=1e-10, help="of the reference")
    parser.add_argument("--platform", default="CUDA")
    parser.add_argument("--energy", action="store_true", help="of each step, beside the forces")
    parser.add_argument("--seconds", type=float, default=0.5, help="that the timing of a setting takes, about")
    arguments = parser.parse_args()
    if arguments.task == "reference":
        return reference(arguments)
    import openmm as mm

    aims = {float(word): SETTINGS.get(float(word), []) for word in arguments.aims.split(",")}
    if arguments.settings:
        words = [setting.split("/") for setting in arguments.settings.split(",")]
        aims = {aim: [(float(t), float(cut), precision) for t, cut, precision in words] for aim in aims}
    print(f"# OpenMM {mm.__version__}, {arguments.platform}", flush=True)
    table([row for name in arguments.systems.split(",") for row in time_system(mm, name, arguments, aims)])


if __name__ == "__main__":
    sys.exit(main())
