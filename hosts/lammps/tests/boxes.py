"""Systems for the tests: ions and SPC water as LAMMPS data files, and what LAMMPS finds for them."""
import gzip
from dataclasses import dataclass

import numpy

#: LAMMPS' pair style for Ewald sums without van der Waals, and one without charges; tables are good to 1e-6 only
with_charges = ["pair_style coul/long 9.0", "pair_coeff * *", "pair_modify table 0"]
without_charges = ["pair_style zero 9.0", "pair_coeff * *"]
#: commands before read_data for LAMMPS' benchmark, a protein in membrane and water
rhodopsin = ("units real", "atom_style full", "bond_style harmonic", "angle_style charmm", "dihedral_style charmm",
             "improper_style harmonic", "special_bonds charmm", "pair_style lj/charmm/coul/long 8.0 10.0",
             "pair_modify mix arithmetic")


@dataclass
class Outcome:
    """Energies in kcal/mol, forces by atom in kcal/mol/Angstrom, pressures in atm as xx yy zz xy xz yz."""

    energy: float
    forces: numpy.ndarray
    pressure: numpy.ndarray
    atom_energy: numpy.ndarray


def outcome(lmp):
    """Run 0. The energy is that of the pairs, Coulomb alone where the pair style has no other part."""
    for command in ("compute energies all pe/atom pair kspace", "compute pressures all pressure NULL virial",
                    "compute energy all reduce sum c_energies", "thermo_modify norm no",
                    "thermo_style custom step epair ecoul elong c_energy c_pressures[1]", "run 0"):
        lmp.command(command)
    pressure = numpy.array(lmp.numpy.extract_compute("pressures", 0, 1))
    by_identity = numpy.argsort(lmp.numpy.extract_atom("id")[: lmp.extract_setting("nlocal")])
    forces = numpy.array(lmp.numpy.extract_atom("f")[: lmp.extract_setting("nlocal")])[by_identity]
    energies = numpy.array(lmp.numpy.extract_compute("energies", 1, 1))[by_identity]
    return Outcome(lmp.get_thermo("epair"), forces, pressure, energies)


def write_data(path, positions, charges, box, molecules=None):
    """A data file of atom_style full. box: lengths, then tilts xy xz yz. molecules: True for water, three atoms each."""
    n = len(positions)
    water = range(n // 3) if molecules else []
    header = [f"{n} atoms", "2 atom types"]
    if molecules:
        header += [f"{2 * len(water)} bonds", "1 bond types", f"{len(water)} angles", "1 angle types"]
    header += [f"0 {length:.15g} {axis}lo {axis}hi" for axis, length in zip("xyz", box)]
    if len(box) == 6:
        header.append("{:.15g} {:.15g} {:.15g} xy xz yz".format(*box[3:]))
    atoms = [f"{i + 1} {i // 3 + 1} {1 if q < 0 else 2} {q:.15g} {x:.15g} {y:.15g} {z:.15g}"
             for i, (q, (x, y, z)) in enumerate(zip(charges, positions))]
    sections = [("Masses", ["1 15.9994", "2 1.008"]), ("Atoms # full", atoms)]
    if molecules:
        bonds = [f"{2 * m + h} 1 {3 * m + 1} {3 * m + 1 + h}" for m in water for h in (1, 2)]
        sections += [("Bonds", bonds), ("Angles", [f"{m + 1} 1 {3 * m + 2} {3 * m + 1} {3 * m + 3}" for m in water])]
    text = "\n".join(["Farfield test", "", *header, ""])
    path.write_text(text + "".join(f"\n{title}\n\n" + "\n".join(lines) + "\n" for title, lines in sections))


def read(lmp, path, boundary="p p p", style=with_charges, water=False, special="0 0 0"):
    """The commands up to the pair style, which stand before kspace_style."""
    commands = ["units real", "atom_style full", f"boundary {boundary}", f"special_bonds lj/coul {special}"]
    if water:
        commands += ["bond_style zero", "angle_style zero"]
    commands += [f"read_data {path}", *(["bond_coeff *", "angle_coeff *"] if water else []), *style]
    for command in commands:
        lmp.command(command)


def read_gro(path):
    """Positions in Angstrom and box of a GROMACS file."""
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as file:
        lines = file.read().splitlines()
    n = int(lines[1])
    positions = numpy.array([[float(line[20 + 8 * a:28 + 8 * a]) for a in range(3)] for line in lines[2:2 + n]])
    return 10 * positions, 10 * numpy.array([float(word) for word in lines[2 + n].split()[:3]])


def ions(edge_count=6, spacing=2.8, jitter=0.4, seed=1):
    """Rock salt with every ion moved at random: positions, charges, box."""
    print(f"seed {seed}")
    places = numpy.stack(numpy.meshgrid(*3 * [numpy.arange(edge_count)], indexing="ij"), axis=-1).reshape(-1, 3)
    random = numpy.random.default_rng(seed)
    positions = spacing * (places + 0.5) + random.uniform(-jitter, jitter, places.shape)
    return positions, 1.0 - 2.0 * (places.sum(axis=1) % 2), numpy.array(3 * [spacing * edge_count])


def water(edge_count=4, seed=2):
    """SPC molecules on a lattice, each turned at random; some cross the border of the box."""
    print(f"seed {seed}")
    random = numpy.random.default_rng(seed)
    spacing, half_angle = 3.1, numpy.radians(109.47 / 2)
    places = numpy.stack(numpy.meshgrid(*3 * [numpy.arange(edge_count)], indexing="ij"), axis=-1).reshape(-1, 3)
    sides = numpy.array([[0, 0, 0], [numpy.sin(half_angle), numpy.cos(half_angle), 0],
                         [-numpy.sin(half_angle), numpy.cos(half_angle), 0]])
    molecules = []
    for place in places:
        turn, _ = numpy.linalg.qr(random.normal(size=(3, 3)))
        molecules.append(spacing * place + sides @ turn.T)
    return numpy.concatenate(molecules), numpy.tile([-0.82, 0.41, 0.41], len(places)), numpy.array(3 * [spacing * edge_count])
