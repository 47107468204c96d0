"""The table of docs/hosts/gromacs.md: error of the forces and time per step of boxes of water, by PME and by Farfield.

    FARFIELD_GMX=gmx FARFIELD_TEST_DATA=share/gromacs/top python hosts/gromacs/bench.py [--copies 4] [--steps 40] \
        "pme 0.9 0.12 4 1e-5" "farfield 1e-3" ...

pme: radius in nm, spacing of the grid in nm, order, ewald-rtol. Copies of spc216.gro along each axis are warmed for 200
steps, so that they differ. Errors are those of the forces on atoms against Farfield at 1e-7, Lennard-Jones being the same.
"""
import argparse
import re
import sys
import tempfile
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).parent / "tests"))
import gromacs  # noqa: E402

lennard_jones_radius = 0.9
motion = {"dt": 0.002, "nstlist": 20, "verlet-buffer-tolerance": 0.005, "rvdw": lennard_jones_radius,
          "rcoulomb": lennard_jones_radius, "nstfout": 0, "nstxout": 0, "nstenergy": 100, "nstcalcenergy": 100, "nstlog": 100,
          "vdw-modifier": "potential-shift", "continuation": "no", "gen-vel": "yes", "gen-seed": 4711}


def options_of(words):
    kind, *numbers = words.split()
    if kind == "farfield":
        return gromacs.by_farfield | {"fmm-farfield-tolerance": numbers[0]}
    return {"coulombtype": "PME"} | dict(zip(("rcoulomb", "fourierspacing", "pme-order", "ewald-rtol"), numbers))


def warm_water(folder, copies):
    system = gromacs.read_water(gromacs.file_of_water())
    shifts = numpy.stack(numpy.meshgrid(*3 * [range(copies)], indexing="ij"), axis=-1).reshape(-1, 1, 3) @ system.cell
    system.positions, system.cell = (system.positions + shifts).reshape(-1, 3), copies * system.cell
    system.interactions = gromacs.settles_of_water
    system.lennard_jones = (gromacs.attraction, gromacs.repulsion)
    gromacs.prepare(folder, system, motion | options_of("pme 0.9 0.12 4 1e-5") | {"nsteps": 200, "nstxout": 200, "nstfout": 200})
    *_, (_, positions, _) = gromacs.frames(gromacs.simulate(folder) / "run.trr")
    system.positions = numpy.round(positions, 6)
    return system


def forces(folder, system, words):
    gromacs.prepare(folder, system, motion | options_of(words) | {"nsteps": 0, "continuation": "yes", "gen-vel": "no",
                                                                   "nstfout": 1, "nstxout": 1})
    return next(gromacs.frames(gromacs.simulate(folder) / "run.trr"))[2]


def milliseconds_per_step(folder, system, words, steps):
    """Of the second half of a run, the first half warms caches and makes plans."""
    gromacs.prepare(folder, system, motion | options_of(words) | {"nsteps": 2 * steps})
    log = (gromacs.simulate(folder, "-resethway") / "run.log").read_text()
    wall = float(re.search(r"^\s+Time:\s+\S+\s+(\S+)", log, re.MULTILINE).group(1))
    return 1e3 * wall / steps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sums", nargs="+")
    parser.add_argument("--copies", type=int, default=4)
    parser.add_argument("--steps", type=int, default=40)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        system = warm_water(folder / "warm", arguments.copies)
        exact = forces(folder / "exact", system, "farfield 1e-7")
        print(f"{len(system.positions)} atoms, rms force {numpy.sqrt((exact**2).sum(axis=1).mean()):.0f} kJ/mol/nm", flush=True)
        for k, words in enumerate(arguments.sums):
            error = numpy.linalg.norm(forces(folder / f"error{k}", system, words) - exact) / numpy.linalg.norm(exact)
            time = milliseconds_per_step(folder / f"time{k}", system, words, arguments.steps)
            print(f"{words:24s} error {error:.1e}   {time:8.1f} ms/step", flush=True)


if __name__ == "__main__":
    main()
