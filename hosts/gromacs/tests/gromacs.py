"""A GROMACS built with Farfield: its input files, runs, and what they give."""
import itertools
import os
import struct
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import numpy

#: charges and constants of SPC water as GROMACS' spc216.gro has it: names, charges in e, masses in u
water_names, water_charges, water_masses = ("OW", "HW1", "HW2"), (-0.82, 0.41, 0.41), (15.9994, 1.008, 1.008)
#: bonds of type 5 have no force; atoms two of them apart are excluded
bonds_of_water = "[ bonds ]\n1 2 5\n1 3 5\n"
settles_of_water = "[ settles ]\n1 1 0.1 0.16330\n[ exclusions ]\n1 2 3\n2 1 3\n3 1 2\n"
#: Lennard-Jones c6 and c12 of the oxygen of SPC
attraction, repulsion = 0.26173456e-2, 0.26345562e-5
#: fudgeQQ: what stays of the Coulomb interaction of [ pairs ]
fraction_of_pairs = 0.5

by_farfield = {"coulombtype": "FMM", "fmm-backend": "farfield"}
by_pme = {"coulombtype": "PME", "fourierspacing": 0.05, "pme-order": 8, "ewald-rtol": 1e-6}
#: a single point; the radii only have to fit the box where there is no Lennard-Jones
plain = {"integrator": "md", "nsteps": 0, "nstlist": 1, "verlet-buffer-tolerance": -1, "rlist": 0.9, "rcoulomb": 0.9,
         "rvdw": 0.9, "nstfout": 1, "nstxout": 1, "nstenergy": 1, "nstcalcenergy": 1, "nstlog": 1, "continuation": "yes"}


@dataclass
class System:
    """Positions in nm, rows of the cell, and molecules of one kind: their charges and all else of a topology."""

    positions: numpy.ndarray
    cell: numpy.ndarray
    names: tuple = water_names
    charges: tuple = water_charges
    masses: tuple = water_masses
    interactions: str = bonds_of_water
    lennard_jones: tuple = (0.0, 0.0)
    bonds_excluded: int = 2

    @property
    def molecules(self):
        return len(self.positions) // len(self.names)

    @property
    def all_charges(self):
        return numpy.tile(self.charges, self.molecules)

    @property
    def pairs_in_molecules(self):
        n = len(self.names)
        return [(n * m + i, n * m + j) for m in range(self.molecules) for i in range(n) for j in range(i + 1, n)]


class Failed(RuntimeError):
    """A program of GROMACS gave up; the text is what it said."""


def file_of_water():
    """GROMACS' 216 molecules of water, spc216.gro, or None."""
    installed = Path(os.environ["FARFIELD_GMX"]).parents[1] / "share/gromacs/top"
    places = [Path(os.environ.get("FARFIELD_TEST_DATA", ".")), installed]
    return next((place / "spc216.gro" for place in places if (place / "spc216.gro").is_file()), None)


def read_water(path):
    lines = path.read_text().splitlines()
    positions = [[float(line[20 + 8 * k : 28 + 8 * k]) for k in range(3)] for line in lines[2:-1]]
    return System(numpy.array(positions), numpy.diag([float(word) for word in lines[-1].split()]))


def repeat(system, copies):
    """The same system so many times along each of its three vectors, one copy after another."""
    images = numpy.array(list(itertools.product(range(copies), repeat=3))) @ system.cell
    positions = (system.positions + images[:, None]).reshape(-1, 3)
    return replace(system, positions=positions, cell=copies * system.cell)


def gmx(folder, *arguments, standard_input=None):
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"} | {"GMX_MAXBACKUP": "-1"}
    done = subprocess.run([os.environ["FARFIELD_GMX"], *map(str, arguments)], cwd=folder, input=standard_input, text=True,
                          capture_output=True, env=environment, check=False)
    if done.returncode != 0:
        raise Failed(" ".join((done.stdout + done.stderr).split()))
    return done.stdout


def write_structure(path, system):
    """gro, with six decimals: what GROMACS reads are the floats next to the positions."""
    a, b, c = system.cell
    lines = ["made by a test", f"{len(system.positions)}"]
    for i, (x, y, z) in enumerate(system.positions):
        molecule, name = i // len(system.names) + 1, system.names[i % len(system.names)]
        lines.append(f"{molecule % 100000:5d}{'MOL':<5s}{name:>5s}{(i + 1) % 100000:5d}{x:11.6f}{y:11.6f}{z:11.6f}")
    lines.append(" ".join(f"{v:.6f}" for v in (a[0], b[1], c[2], a[1], a[2], b[0], b[2], c[0], c[1])))
    path.write_text("\n".join(lines) + "\n")


def write_topology(path, system):
    c6, c12 = system.lennard_jones
    types = "".join(f"{name} {mass} 0 A {c6 if k == 0 else 0:.8e} {c12 if k == 0 else 0:.8e}\n"
                    for k, (name, mass) in enumerate(zip(system.names, system.masses)))
    atoms = "".join(f"{k + 1} {name} 1 MOL {name} 1 {q} {mass}\n"
                    for k, (name, q, mass) in enumerate(zip(system.names, system.charges, system.masses)))
    path.write_text(f"[ defaults ]\n1 1 no 1 {fraction_of_pairs}\n[ atomtypes ]\n{types}[ moleculetype ]\nMOL {system.bonds_excluded}\n[ atoms ]\n{atoms}"
                    f"{system.interactions}[ system ]\ntest\n[ molecules ]\nMOL {system.molecules}\n")


def prepare(folder, system, options):
    """grompp: run.tpr in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_structure(folder / "conf.gro", system)
    write_topology(folder / "topol.top", system)
    (folder / "grompp.mdp").write_text("".join(f"{k} = {v}\n" for k, v in {**plain, **options}.items()))
    gmx(folder, "grompp", "-f", "grompp.mdp", "-c", "conf.gro", "-p", "topol.top", "-o", "run.tpr", "-maxwarn", 9)


def simulate(folder, *more, ranks=1):
    gmx(folder, "mdrun", "-s", "run.tpr", "-deffnm", "run", "-ntmpi", ranks, "-ntomp", 2 // ranks, "-nb", "cpu", "-notunepme",
        *more)
    return folder


def energies(folder, *terms):
    """Columns of run.edr, one row for each frame, in more digits than the log has."""
    gmx(folder, "energy", "-f", "run.edr", "-o", "run.xvg", "-dp", standard_input="\n".join(terms) + "\n\n")
    rows = [line.split()[1:] for line in (folder / "run.xvg").read_text().splitlines() if line[0] not in "#@"]
    return numpy.array(rows, dtype=float)


def frames(path):
    """Of a trr file: box, positions and forces of each frame that has all of them, by global atom number."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        _, _, text_length = struct.unpack_from(">3i", data, at)  # magic number, length and length of "GMX_trn_file"
        at += 12 + (text_length + 3) // 4 * 4
        sizes, count = struct.unpack_from(">10i", data, at), struct.unpack_from(">i", data, at + 40)[0]
        width = sizes[7] // (3 * count)  # of positions: 4 or 8 bytes a number
        at += 52 + 2 * width  # sizes, atoms, step, energies, then time and lambda
        parts = []
        for size in sizes:
            parts.append(numpy.frombuffer(data, f">f{width}", size // width, at).reshape(-1, 3).astype(float))
            at += size
        if sizes[2] and sizes[7] and sizes[9]:
            yield parts[2], parts[7], parts[9]


def virial(folder):
    """Sum of d F over pairs in the last frame, from GROMACS' virial, which is -1/2 of it."""
    terms = [f"Vir-{a}{b}" for a in "XYZ" for b in "XYZ"]
    return -2 * energies(folder, *terms)[-1].reshape(3, 3)
