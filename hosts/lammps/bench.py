"""The tables of docs/hosts/lammps.md: error of the forces and time per step of LAMMPS' rhodopsin, by pppm and by Farfield.

    mpiexec -n 2 python hosts/lammps/bench.py data.rhodo.gz [--copies 2] [--steps 10] "pppm 1e-4" "farfield 1e-3" ...

Forces are compared with those of "farfield 1e-9". --copies 2 repeats the box twice along each axis: 256,000 atoms.
Prints a line per style: rms error over the force of two unit charges 1 Angstrom apart, Coulomb energy in kcal/mol, and
ms per step in all, in pairs and in kspace, as LAMMPS' own timers say on average over the ranks.
"""
import argparse
import gzip
import re
import shutil
import sys
import tempfile
from pathlib import Path

import numpy
from mpi4py import MPI

sys.path.insert(0, str(Path(__file__).resolve().parent / "tests"))
import boxes  # noqa: E402
from conftest import open_lammps, rms  # noqa: E402

two_charge_force = 332.06371  # kcal/mol/Angstrom


def system(data, copies, style, log):
    """LAMMPS with the protein, ready for its first step."""
    lmp = open_lammps("-log", log)
    for command in (*boxes.rhodopsin, f"read_data {data}", f"replicate {copies} {copies} {copies}" if copies > 1 else "",
                    f"kspace_style {style}", "neighbor 2.0 bin", "neigh_modify delay 5 every 1",
                    "thermo_style custom step ecoul elong", "timestep 2.0", "fix motion all nve"):
        if command:
            lmp.command(command)
    return lmp


def forces_and_energy(data, copies, style, folder):
    """Of all atoms in the order of their numbers; Coulomb energy."""
    lmp = system(data, copies, style, f"{folder}/none")
    lmp.command("run 0")
    forces = numpy.array(lmp.gather_atoms("f", 1, 3)).reshape(-1, 3)
    energy = lmp.get_thermo("ecoul") + lmp.get_thermo("elong")
    lmp.close()
    return forces, energy


def milliseconds(data, copies, style, steps, folder):
    """Per step: in all, in pairs, in kspace."""
    log = f"{folder}/log"
    lmp = system(data, copies, style, log)
    lmp.command(f"run {steps}")
    lmp.close()
    MPI.COMM_WORLD.barrier()  # the first rank writes the log
    text = Path(log).read_text()
    total = float(re.search(r"Loop time of ([0-9.e+-]+)", text)[1])
    parts = [float(re.search(rf"^{part} *\|[^|]*\| *([0-9.e+-]+)", text, re.M)[1]) for part in ("Pair", "Kspace")]
    return [1e3 * seconds / steps for seconds in (total, *parts)]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("data")
    words.add_argument("styles", nargs="+")
    words.add_argument("--copies", type=int, default=1)
    words.add_argument("--steps", type=int, default=10)
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = MPI.COMM_WORLD.bcast(folder)
        data = f"{folder}/data"
        if MPI.COMM_WORLD.rank == 0:
            with gzip.open(given.data) as packed, open(data, "wb") as plain:
                shutil.copyfileobj(packed, plain)
        MPI.COMM_WORLD.barrier()
        exact, energy = forces_and_energy(data, given.copies, "farfield 1e-9", folder)
        if MPI.COMM_WORLD.rank == 0:
            print(f"{len(exact)} atoms, Coulomb energy {energy:.3f} kcal/mol", flush=True)
        for style in given.styles:
            forces, energy = forces_and_energy(data, given.copies, style, folder)
            total, pair, kspace = milliseconds(data, given.copies, style, given.steps, folder)
            if MPI.COMM_WORLD.rank == 0:
                print(f"{style:16} error {rms(forces - exact) / two_charge_force:.2g}, energy {energy:.3f}, "
                      f"ms per step {total:.0f}, pair {pair:.0f}, kspace {kspace:.0f}", flush=True)
        MPI.COMM_WORLD.barrier()


if __name__ == "__main__":
    main()
