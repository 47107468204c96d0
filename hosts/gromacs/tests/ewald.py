"""Ewald's sum of charges in any periodic cell, in double and pair by pair: what the tests compare GROMACS with."""
import itertools
import math
from dataclasses import dataclass

import numpy

erfc = numpy.frompyfunc(math.erfc, 1, 1)
#: erfc(5.8) is 2e-16
digits = 5.8
#: 1/(4 pi epsilon_0) of CODATA 2018, kJ/mol nm/e^2
coulomb_constant = 138.93545764438198


@dataclass
class Sums:
    """Energy in kJ/mol, forces in kJ/mol/nm, virial sum of d F over pairs."""

    energy: float
    forces: numpy.ndarray
    virial: numpy.ndarray

    def __add__(self, other):
        return Sums(self.energy + other.energy, self.forces + other.forces, self.virial + other.virial)


def plane_spacing(cell):
    return min(1 / numpy.linalg.norm(row) for row in numpy.linalg.inv(cell).T)


def shortest(difference, cell):
    """Within half a cell along each vector; of pairs nearer than half the spacing of its planes the shortest image."""
    return difference - numpy.round(difference @ numpy.linalg.inv(cell)) @ cell


def near(x, q, cell, alpha):
    """Pairs and images nearer than 1.5 times the spacing of the cell's planes, each pair in both directions."""
    forces, virial, energy = numpy.zeros_like(x), numpy.zeros((3, 3)), 0.0
    between = shortest(x[:, None] - x[None, :], cell)
    for image in itertools.product((-1, 0, 1), repeat=3):
        d = between + numpy.array(image) @ cell
        r = numpy.linalg.norm(d, axis=-1)
        i, j = numpy.nonzero((r > 0) & (alpha * r < digits))
        d, r, qq = d[i, j], r[i, j], q[i] * q[j]
        screened = erfc(alpha * r).astype(float) / r
        f = (qq * (screened + 2 * alpha / math.sqrt(math.pi) * numpy.exp(-((alpha * r) ** 2))) / r**2)[:, None] * d
        energy += 0.5 * float(qq @ screened)
        numpy.add.at(forces, i, f)
        virial += 0.5 * d.T @ f
    return Sums(energy, forces, virial)


def waves(cell, alpha):
    """Half of the vectors k other than 0 with exp(-k^2/4 alpha^2) above 2e-16."""
    reciprocal, longest = 2 * math.pi * numpy.linalg.inv(cell).T, 2 * alpha * digits
    counts = [int(longest * numpy.linalg.norm(row) / (2 * math.pi)) + 1 for row in cell]
    ranges = [range(counts[0] + 1), *(range(-n, n + 1) for n in counts[1:])]
    k = numpy.array([n for n in itertools.product(*ranges) if n > (0, 0, 0)]) @ reciprocal
    return k[numpy.linalg.norm(k, axis=1) < longest]


def far(x, q, cell, alpha):
    volume, forces, virial, energy = abs(numpy.linalg.det(cell)), numpy.zeros_like(x), numpy.zeros((3, 3)), 0.0
    for k in numpy.array_split(waves(cell, alpha), max(1, len(x) // 20)):
        k2 = (k**2).sum(axis=1)
        weight = 4 * math.pi / volume * numpy.exp(-k2 / (4 * alpha**2)) / k2  # k and -k together
        phase = numpy.exp(1j * (x @ k.T))
        structure = q @ phase
        each = weight * abs(structure) ** 2
        energy += each.sum()
        virial += each.sum() * numpy.eye(3) - 2 * (k.T * (each * (1 / k2 + 1 / (4 * alpha**2)))) @ k
        forces += 2 * q[:, None] * ((phase * (structure.conj() * weight)).imag @ k)
    background = -math.pi / (2 * volume * alpha**2) * q.sum() ** 2
    itself = -alpha / math.sqrt(math.pi) * float(q @ q)
    return Sums(energy + itself + background, forces, virial + background * numpy.eye(3))


def excluded(x, q, cell, pairs):
    forces = numpy.zeros_like(x)
    i, j = numpy.array(pairs, dtype=int).reshape(-1, 2).T
    d = shortest(x[i] - x[j], cell)
    r = numpy.linalg.norm(d, axis=1)
    f = -(q[i] * q[j] / r**3)[:, None] * d
    numpy.add.at(forces, i, f)
    numpy.add.at(forces, j, -f)
    return Sums(-float((q[i] * q[j] / r).sum()), forces, d.T @ f)


def coulomb(x, q, cell, pairs=()):
    """Tin-foil sum of charges q in e at x in nm, excluded pairs (i, j) taken off. cell: rows a, b, c."""
    alpha = digits / (1.5 * plane_spacing(cell))
    sums = near(x, q, cell, alpha) + far(x, q, cell, alpha) + excluded(x, q, cell, pairs)
    return Sums(*(coulomb_constant * part for part in (sums.energy, sums.forces, sums.virial)))
