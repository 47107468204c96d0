#!/usr/bin/env python3
"""Conserved energy of rigid SPC/E water in OpenMM, with its own particle-mesh Ewald and with Farfield.

    openmm_nve.py run spc216.gro nve.jsonl --sum pme:1e-6 --ps 10         # a line is added to the file
    openmm_nve.py run spc216.gro nve.jsonl --sum farfield:1e-3 --ps 10
    openmm_nve.py show nve.jsonl                                          # a table
    openmm_nve.py csv nve.jsonl nve.csv                                   # what nve_figure.py draws

Steps of 2 fs, no thermostat, after 4 ps with one at 300 K; the same start for every sum of as many molecules. Slopes are
those of straight lines through the total energy, in kT/ns (300 K) per degree of freedom (nve_figure.py). Errors of forces:
relative L2 norm at the start, of the charges alone, against Farfield at 1e-12.
"""

import argparse
import csv
import json
import sys
import time
from pathlib import Path

import nve_figure
import numpy as np
import waters

CUTOFF = 0.9
NAMES = {"farfield": "Farfield", "pme": "PME", "ewald": "Ewald"}


def make(mm, positions, lengths, method, tolerance, charges_alone=False):
    """Rigid SPC/E: 216 molecules or copies of them."""
    system, force = mm.System(), mm.NonbondedForce()
    system.setDefaultPeriodicBoxVectors(*(mm.Vec3(*row) for row in np.diag(lengths)))
    for i in range(len(positions)):
        oxygen = i % 3 == 0
        system.addParticle(15.9994 if oxygen else 1.008)
        force.addParticle(-0.8476 if oxygen else 0.4238, 0.316557 if oxygen else 0.1,
                          0.650194 if oxygen and not charges_alone else 0.0)
    for i in range(0, len(positions), 3):
        for a, b, length in ((0, 1, 0.1), (0, 2, 0.1), (1, 2, 0.1632980861845)):
            system.addConstraint(i + a, i + b, length)
            force.addException(i + a, i + b, 0.0, 0.1, 0.0)
    force.setNonbondedMethod(mm.NonbondedForce.Ewald if method == "ewald" else mm.NonbondedForce.PME)
    force.setCutoffDistance(CUTOFF)
    force.setUseSwitchingFunction(True)
    force.setSwitchingDistance(CUTOFF - 0.15)
    force.setUseDispersionCorrection(False)
    if "/" in tolerance:
        alpha, mesh = tolerance.split("/")
        force.setPMEParameters(float(alpha), *3 * (int(mesh),))
    else:
        force.setEwaldErrorTolerance(1e-4 if method == "farfield" else float(tolerance))
    system.addForce(force)
    return system


def summed(mm, positions, lengths, arguments, charges_alone=False):
    """The system with the sum that was asked for."""
    method, tolerance = arguments.sum.split(":")
    system = make(mm, positions, lengths, method, tolerance, charges_alone)
    if method == "farfield":
        from farfield.adapters.openmm import replace_coulomb

        replace_coulomb(system, tolerance=float(tolerance), backend=arguments.backend, tolerance_for=arguments.tolerance_for,
                        precision=arguments.sum_precision, skin=arguments.skin)
    return system


def started(mm, positions, lengths, arguments):
    """Positions and velocities after 4 ps with a thermostat, kept beside the results: all sums start from the same."""
    file = Path(f"{arguments.results}.start-{len(positions)}.npz")
    if not file.exists():
        integrator = mm.LangevinMiddleIntegrator(300, 10, 0.001)
        integrator.setRandomNumberSeed(1)
        fast = mm.Platform.getPlatformByName("CPU" if arguments.platform == "Reference" else arguments.platform)
        context = mm.Context(make(mm, positions, lengths, "pme", "5e-4"), integrator, fast)
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


def error_at_start(mm, positions, lengths, arguments):
    """Of the forces of the charges; those of Lennard-Jones are alike."""
    import farfield
    from farfield.adapters.openmm import coulomb_constant

    charges = np.tile((-0.8476, 0.4238, 0.4238), len(positions) // 3)
    wanted = farfield.coulomb(positions, charges, cell=lengths, exclusions=waters.bonded(len(positions)), tolerance=1e-12,
                              coulomb_constant=coulomb_constant).forces
    context = context_of(mm, summed(mm, positions, lengths, arguments, charges_alone=True), arguments, positions)
    found = context.getState(getForces=True).getForces(asNumpy=True)._value
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


def run(arguments):
    import openmm as mm

    x, lengths = waters.read_gro(arguments.gro)
    positions = waters.repeated(x, lengths, 3 * (arguments.copies,))
    lengths = lengths * arguments.copies
    positions, velocities = started(mm, positions, lengths, arguments)
    row = {"sum": arguments.sum, "molecules": len(positions) // 3, "platform": arguments.platform, "fs": 2.0}
    if arguments.sum.startswith("farfield"):
        row.update(tolerance_for=arguments.tolerance_for, skin=arguments.skin, precision=arguments.sum_precision)
    if arguments.error:
        row["error"] = error_at_start(mm, positions, lengths, arguments)
    context = context_of(mm, summed(mm, positions, lengths, arguments), arguments, positions)
    context.setVelocities(velocities)
    energies, start = [], time.perf_counter()
    for _ in range(int(round(arguments.ps / 0.002 / arguments.every))):
        context.getIntegrator().step(arguments.every)
        state = context.getState(getEnergy=True)
        energies.append((state.getPotentialEnergy() + state.getKineticEnergy())._value)
        if time.perf_counter() - start > arguments.seconds:
            break
    row.update(seconds=time.perf_counter() - start, every_fs=2.0 * arguments.every, energies=[round(e, 7) for e in energies])
    with open(arguments.results, "a") as file:
        file.write(json.dumps(row) + "\n")
    print(line_of(row), flush=True)


def times_of(row):
    """ps"""
    return 1e-3 * row["every_fs"] * (1 + np.arange(len(row["energies"])))


def line_of(row):
    ps = times_of(row)
    enough = len(ps) >= nve_figure.BLOCKS
    found = "{:.2g} ± {:.1g}".format(*nve_figure.drift(ps, row["energies"], row["molecules"])) if enough else "too short"
    error = f"{row['error']:.2e}" if "error" in row else "-"
    return (f"| {row['sum']} | {row['molecules']} | {row['platform']} | {error} | {ps[-1]:g} | {found} "
            f"| {np.std(row['energies']) / nve_figure.KT:.2g} | {2e-3 * row['seconds'] / ps[-1] * 1e3:.3g} |")


def rows_of(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def show(arguments):
    print("| sum | molecules | platform | error of forces | ps | slope, kT/ns per degree of freedom | spread, kT | ms per step |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in rows_of(arguments.results):
        print(line_of(row))


def name_of(row):
    method, given = row["sum"].split(":")
    if "/" in given:
        given = "α {}/nm, mesh {}³".format(*given.split("/"))
    if row.get("tolerance_for", "all") != "all":
        given += " of forces"
    return f"{NAMES[method]} {given}, force error {row['error']:.2e}"


def write_csv(arguments):
    """The energies less the mean of their first twenty, kJ/mol; runs whose forces are as accurate side by side."""
    rows = sorted(rows_of(arguments.results), key=lambda row: (-round(np.log10(row["error"])), row["sum"]))
    if len({row["every_fs"] for row in rows}) != 1 or not all("error" in row for row in rows):
        sys.exit(f"the runs of {arguments.results} differ in --every, or one has no --error")
    longest = max(map(times_of, rows), key=len)
    with open(arguments.csv, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["ps", *map(name_of, rows)])
        for k, ps in enumerate(longest):
            energies = (row["energies"] for row in rows)
            writer.writerow([f"{ps:g}", *(f"{e[k] - np.mean(e[:20]):.4f}" if k < len(e) else "" for e in energies)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    tasks = parser.add_subparsers(dest="task", required=True)
    to_run = tasks.add_parser("run")
    to_run.add_argument("gro", help="spc216.gro of GROMACS")
    to_run.add_argument("results")
    to_run.add_argument("--sum", required=True, help="pme:TOLERANCE, pme:ALPHA/MESH (1/nm, points along an edge), farfield:TOLERANCE or "
                        "ewald:TOLERANCE")
    to_run.add_argument("--copies", type=int, default=1, help="of the box along each axis: 5 for 27,000 molecules")
    to_run.add_argument("--ps", type=float, default=20.0)
    to_run.add_argument("--every", type=int, default=10, help="steps between energies, each of which takes a step's time")
    to_run.add_argument("--seconds", type=float, default=1e9, help="after which the run ends early")
    to_run.add_argument("--platform", default="Reference", help="Reference is in double")
    to_run.add_argument("--precision", default="single", help="of CUDA")
    to_run.add_argument("--backend", default="auto", help="of Farfield")
    to_run.add_argument("--sum-precision", default="auto", help="of Farfield: auto, single or double")
    to_run.add_argument("--tolerance-for", default="all", help="of Farfield: all or gradient")
    to_run.add_argument("--skin", type=float, default=0.0, help="of Farfield, nm")
    to_run.add_argument("--error", action="store_true", help="measure the error of the forces at the start")
    to_show = tasks.add_parser("show")
    to_show.add_argument("results")
    to_csv = tasks.add_parser("csv")
    to_csv.add_argument("results")
    to_csv.add_argument("csv")
    arguments = parser.parse_args()
    {"run": run, "show": show, "csv": write_csv}[arguments.task](arguments)


if __name__ == "__main__":
    sys.exit(main())
