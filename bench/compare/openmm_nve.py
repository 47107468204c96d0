#!/usr/bin/env python3
"""Conserved energy of rigid SPC/E water in OpenMM, with its own particle-mesh Ewald and with Farfield: drift, figure.

    openmm_nve.py run spc216.gro nve.jsonl --sum pme:1e-6 --ps 10         # a line is added to the file
    openmm_nve.py run spc216.gro nve.jsonl --sum farfield:1e-3 --ps 10
    openmm_nve.py show nve.jsonl --figure nve.png                         # table, and the figure

Steps of 2 fs, no thermostat, after 4 ps with one at 300 K; the same start for every sum of as many molecules. Slopes are
those of straight lines through the total energy, in kT/ns (300 K) per degree of freedom, with the standard error of slopes
of eight parts of the run. Errors of forces: relative L2 norm at the start, against Farfield at 1e-10.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
import waters

KT = 0.00831446261815324 * 300  # kJ/mol
CUTOFF = 0.9
EVERY = 10  # steps between energies


def make(mm, positions, lengths, method, tolerance):
    """Rigid SPC/E: 216 molecules or copies of them."""
    system, force = mm.System(), mm.NonbondedForce()
    system.setDefaultPeriodicBoxVectors(*(mm.Vec3(*row) for row in np.diag(lengths)))
    for i in range(len(positions)):
        oxygen = i % 3 == 0
        system.addParticle(15.9994 if oxygen else 1.008)
        force.addParticle(-0.8476 if oxygen else 0.4238, 0.316557 if oxygen else 0.1, 0.650194 if oxygen else 0.0)
    for i in range(0, len(positions), 3):
        for a, b, length in ((0, 1, 0.1), (0, 2, 0.1), (1, 2, 0.1632980861845)):
            system.addConstraint(i + a, i + b, length)
            force.addException(i + a, i + b, 0.0, 0.1, 0.0)
    force.setNonbondedMethod(mm.NonbondedForce.PME)
    force.setCutoffDistance(CUTOFF)
    force.setUseSwitchingFunction(True)
    force.setSwitchingDistance(CUTOFF - 0.15)
    force.setUseDispersionCorrection(False)
    force.setEwaldErrorTolerance(tolerance if method == "pme" else 1e-4)
    system.addForce(force)
    return system


def replaced(system, tolerance, **options):
    from farfield.adapters.openmm import replace_coulomb

    replace_coulomb(system, tolerance=tolerance, **options)
    return system


def started(mm, positions, lengths, arguments):
    """Positions and velocities after 4 ps with a thermostat, kept beside the results: all sums start from the same."""
    file = Path(f"{arguments.results}.start-{len(positions)}.npz")
    if not file.exists():
        integrator = mm.LangevinMiddleIntegrator(300, 10, 0.001)
        integrator.setRandomNumberSeed(1)
        fast = mm.Platform.getPlatformByName("CPU" if arguments.platform == "Reference" else arguments.platform)
        context = mm.Context(make(mm, positions, lengths, "pme", 5e-4), integrator, fast)
        context.setPositions(positions)
        context.applyConstraints(1e-8)
        context.setVelocitiesToTemperature(300, 2)
        integrator.step(4000)
        state = context.getState(getPositions=True, getVelocities=True)
        np.savez(file, positions=state.getPositions(asNumpy=True)._value, velocities=state.getVelocities(asNumpy=True)._value)
    kept = np.load(file)
    return kept["positions"], kept["velocities"]


def context_of(mm, system, arguments, positions):
    integrator = mm.VerletIntegrator(0.002)
    integrator.setConstraintTolerance(1e-10)
    given = {"Precision": arguments.precision} if arguments.platform == "CUDA" else {}
    context = mm.Context(system, integrator, mm.Platform.getPlatformByName(arguments.platform), given)
    context.setPositions(positions)
    return context


def forces_of(context):
    return context.getState(getForces=True).getForces(asNumpy=True)._value


def error_at_start(mm, system, lengths, arguments, positions):
    """Of all forces; those of Lennard-Jones are alike."""
    exact = context_of(mm, replaced(make(mm, positions, lengths, "farfield", 0), 1e-10), arguments, positions)
    wanted = forces_of(exact)
    return float(np.linalg.norm(forces_of(context_of(mm, system, arguments, positions)) - wanted) / np.linalg.norm(wanted))


def run(arguments):
    import openmm as mm

    x, lengths = waters.read_gro(arguments.gro)
    positions = waters.repeated(x, lengths, 3 * (arguments.copies,))
    lengths = lengths * arguments.copies
    method, tolerance = arguments.sum.split(":")
    positions, velocities = started(mm, positions, lengths, arguments)
    system = make(mm, positions, lengths, method, float(tolerance))
    if method == "farfield":
        replaced(system, float(tolerance), backend=arguments.backend)
    row = {"sum": arguments.sum, "molecules": len(positions) // 3, "platform": arguments.platform, "fs": 2.0}
    if arguments.error:
        row["error"] = error_at_start(mm, system, lengths, arguments, positions)
    context = context_of(mm, system, arguments, positions)
    context.setVelocities(velocities)
    energies, start = [], time.perf_counter()
    for _ in range(int(round(arguments.ps / 0.002 / EVERY))):
        context.getIntegrator().step(EVERY)
        state = context.getState(getEnergy=True)
        energies.append((state.getPotentialEnergy() + state.getKineticEnergy())._value)
        if time.perf_counter() - start > arguments.seconds:
            break
    row.update(seconds=time.perf_counter() - start, every_fs=2.0 * EVERY, energies=[round(e, 7) for e in energies])
    with open(arguments.results, "a") as file:
        file.write(json.dumps(row) + "\n")
    if len(energies) >= 16:
        print(line_of(row), flush=True)


def slope(row):
    """kT/ns per degree of freedom, and its standard error from eight parts."""
    energies = np.array(row["energies"]) / KT / (6 * row["molecules"] - 3)
    ns = 1e-6 * row["every_fs"] * np.arange(len(energies))
    parts = [np.polyfit(t, e, 1)[0] for t, e in zip(np.array_split(ns, 8), np.array_split(energies, 8))]
    return np.polyfit(ns, energies, 1)[0], np.std(parts, ddof=1) / np.sqrt(len(parts))


def line_of(row):
    steps = EVERY * len(row["energies"])
    found, spread = slope(row)
    error = f"{row['error']:.1e}" if "error" in row else "-"
    return (f"| {row['sum']} | {row['molecules']} | {row['platform']} | {error} | {0.002 * steps:g} | {found:.2g} ± {spread:.1g} "
            f"| {np.std(row['energies']) / KT:.2g} | {1e3 * row['seconds'] / steps:.3g} |")


def show(arguments):
    rows = [json.loads(line) for line in Path(arguments.results).read_text().splitlines()]
    print("| sum | molecules | platform | error of forces | ps | slope, kT/ns per degree of freedom | spread, kT | ms per step |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        print(line_of(row))
    if not arguments.figure:
        return
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    for row in rows:
        energies = np.array(row["energies"]) / KT
        label = f"{row['sum']}, force error {row['error']:.0e}" if "error" in row else row["sum"]
        axes.plot(1e-3 * row["every_fs"] * np.arange(len(energies)), energies - energies[:20].mean(), lw=0.8, label=label)
    axes.set(xlabel="time, ps", ylabel="total energy less its start, kT")
    axes.legend(frameon=False)
    figure.savefig(arguments.figure, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    tasks = parser.add_subparsers(dest="task", required=True)
    to_run = tasks.add_parser("run")
    to_run.add_argument("gro", help="spc216.gro of GROMACS")
    to_run.add_argument("results")
    to_run.add_argument("--sum", required=True, help="pme:TOLERANCE or farfield:TOLERANCE")
    to_run.add_argument("--copies", type=int, default=1, help="of the box along each axis: 5 for 27,000 molecules")
    to_run.add_argument("--ps", type=float, default=20.0)
    to_run.add_argument("--seconds", type=float, default=1e9, help="after which the run ends early")
    to_run.add_argument("--platform", default="Reference", help="Reference is in double")
    to_run.add_argument("--precision", default="single", help="of CUDA")
    to_run.add_argument("--backend", default="auto", help="of Farfield")
    to_run.add_argument("--error", action="store_true", help="measure the error of the forces at the start")
    to_show = tasks.add_parser("show")
    to_show.add_argument("results")
    to_show.add_argument("--figure")
    arguments = parser.parse_args()
    (run if arguments.task == "run" else show)(arguments)


if __name__ == "__main__":
    sys.exit(main())
