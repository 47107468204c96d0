"""Energy of charges that repeat along x and y alone, by Parry's Ewald sum (Surf. Sci. 49 (1975) 433), in double."""
import itertools
import math

import numpy

from ewald import coulomb_constant, digits, erfc, plane_spacing, shortest

erf = numpy.frompyfunc(math.erf, 1, 1)


def near(between, q, cell, alpha):
    """Images nearer than 1.5 times the spacing of the cell's rows."""
    energy = 0.0
    for image in itertools.product((-1, 0, 1), repeat=2):
        r = numpy.linalg.norm(between + numpy.array([*(numpy.array(image) @ cell), 0]), axis=-1)
        r[r == 0] = numpy.inf
        energy += 0.5 * float(q @ (erfc(alpha * r).astype(float) / r) @ q)
    return energy


def far(between, q, cell, alpha):
    reciprocal, longest, z, energy = 2 * math.pi * numpy.linalg.inv(cell).T, 2 * alpha * digits, between[..., 2], 0.0
    counts = [int(longest * numpy.linalg.norm(row) / (2 * math.pi)) + 1 for row in cell]
    for n in itertools.product(*(range(-count, count + 1) for count in counts)):
        wave = numpy.array(n) @ reciprocal
        k = numpy.linalg.norm(wave)
        if 0 < k < longest:
            decay = sum(numpy.exp(s * k * z) * erfc(k / (2 * alpha) + s * alpha * z).astype(float) for s in (1, -1))
            energy += float(q @ (numpy.cos(between[..., :2] @ wave) * decay) @ q) / k
    flat = z * erf(alpha * z).astype(float) + numpy.exp(-((alpha * z) ** 2)) / (alpha * math.sqrt(math.pi))
    return math.pi / abs(numpy.linalg.det(cell)) * (energy / 2 - float(q @ flat @ q))


def energy(x, q, cell):
    """Neutral charges q in e at x in nm, in kJ/mol; cell: the vectors a, b in the plane."""
    between = x[:, None] - x[None, :]
    between[..., :2] = shortest(between[..., :2], cell)
    alpha = digits / (1.5 * plane_spacing(cell))
    itself = -alpha / math.sqrt(math.pi) * float(q @ q)
    return coulomb_constant * (near(between, q, cell, alpha) + far(between, q, cell, alpha) + itself)
