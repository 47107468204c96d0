"""The table of docs/hosts/gromacs.md: error of the forces and time per step of boxes of water, by PME and by Farfield.

    FARFIELD_GMX=gmx FARFIELD_TEST_DATA=share/gromacs/top python hosts/gromacs/bench.py [--copies 3] [--steps 50] \
        [--drift 0] "pme 0.9 0.12 4 1e-5" "farfield 1e-3" ...

pme: radius in nm, spacing of the grid in nm, order, ewald-rtol. Copies of spc216.gro along each axis are warmed for 200
steps, so that they differ. Errors are those of the forces on atoms against Farfield at 1e-7, Lennard-Jones being the same.
--drift N: also the slope of the total energy over N steps, in kT/ns for each degree of freedom, and its own error.
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
    system = gromacs.repeat(gromacs.read_water(gromacs.file_of_water()), copies)
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


def milliseconds(folder, system, words, steps):
    """Per step, of the second half of a run, by GROMACS' own clock: all; pairs; PME's mesh or all of Farfield."""
    gromacs.prepare(folder, system, motion | options_of(words) | {"nsteps": 2 * steps})
    log = (gromacs.simulate(folder, "-resethway") / "run.log").read_text()
    total = float(re.search(r"^Performance:(?:\s+\S+){2}\s+(\S+)", log, re.MULTILINE).group(1))
    rows = (re.search(rf"^ (?:{name})(?:\s+\d+){{2}}\s+(\d+)\s+(\S+)", log, re.MULTILINE) for name in ("Force", "PME mesh|fmm"))
    return total, *(1e3 * float(row.group(2)) / int(row.group(1)) for row in rows)


def drift(folder, system, words, steps):
    """Mean of the slopes of eight parts of a run, and its standard error."""
    gromacs.prepare(folder, system, motion | options_of(words) | {"nsteps": steps, "nstenergy": 10, "nstcalcenergy": 10,
                                                                   "verlet-buffer-tolerance": 1e-4, "nstlist": 10})
    energy, temperature = gromacs.energies(gromacs.simulate(folder), "Total-Energy", "Temperature").T
    degrees, kt = 6 * system.molecules - 3, 0.0083144626 * temperature.mean()
    slopes = [numpy.polyfit(2e-5 * numpy.arange(len(part)), part, 1)[0] for part in numpy.array_split(energy, 8)]
    return numpy.array([numpy.mean(slopes), numpy.std(slopes, ddof=1) / numpy.sqrt(len(slopes))]) / (degrees * kt)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sums", nargs="+")
    parser.add_argument("--copies", type=int, default=3)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--drift", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        system = warm_water(folder / "warm", arguments.copies)
        exact = forces(folder / "exact", system, "farfield 1e-7")
        print(f"{len(system.positions)} atoms, rms force {numpy.sqrt((exact**2).sum(axis=1).mean()):.0f} kJ/mol/nm", flush=True)
        for k, words in enumerate(arguments.sums):
            error = numpy.linalg.norm(forces(folder / f"error{k}", system, words) - exact) / numpy.linalg.norm(exact)
            total, pairs, rest = milliseconds(folder / f"time{k}", system, words, arguments.steps)
            print(f"{words:24s} error {error:.1e}   ms/step {total:7.1f}   pairs {pairs:7.1f}   mesh or Farfield {rest:7.1f}",
                  flush=True)
            if arguments.drift:
                mean, uncertain = drift(folder / f"drift{k}", system, words, arguments.drift)
                print(f"{'':24s} drift {mean:.4f} +- {uncertain:.4f} kT/ns per degree of freedom", flush=True)


if __name__ == "__main__":
    main()
