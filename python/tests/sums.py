"""Direct sums by NumPy, from the formulas of docs/mathematics."""
import numpy as np


def displacements(targets, sources):
    return np.asarray(targets, float)[:, None] - np.asarray(sources, float)[None]


def _weights(distance, power):
    with np.errstate(divide="ignore"):
        return np.where(distance > 0, distance ** -power, 0)


def coulomb(targets, sources, charges, softening=0.0, skip_self=False):
    """sum q / sqrt(r^2 + softening^2) and its gradient."""
    d = displacements(targets, sources)
    distance = np.sqrt((d**2).sum(-1) + softening**2)
    if skip_self:
        np.fill_diagonal(distance, 0)
    potential = _weights(distance, 1.0) @ charges
    gradient = -np.einsum("ij,ijk,j->ik", _weights(distance, 3.0), d, charges)
    return potential, gradient


def dipoles(targets, sources, moments):
    """sum p . (x - y) / r^3."""
    d = displacements(targets, sources)
    return np.einsum("ijk,jk,ij->i", d, moments, _weights(np.sqrt((d**2).sum(-1)), 3.0))


def hessian(targets, sources, charges):
    """xx yy zz xy xz yz of sum q / r."""
    d = displacements(targets, sources)
    r = np.sqrt((d**2).sum(-1))
    w3, w5 = _weights(r, 3.0), _weights(r, 5.0)
    columns = []
    for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        columns.append((3 * d[..., a] * d[..., b] * w5 - (a == b) * w3) @ charges)
    return np.stack(columns, axis=1)


def logarithm(targets, sources, charges):
    r = np.sqrt((displacements(targets, sources) ** 2).sum(-1))
    return -np.log(np.where(r > 0, r, 1)) @ charges


def gauss(targets, sources, charges, bandwidth):
    return np.exp(-(displacements(targets, sources) ** 2).sum(-1) / (2 * bandwidth**2)) @ charges


def yukawa(targets, sources, charges, kappa):
    r = np.sqrt((displacements(targets, sources) ** 2).sum(-1))
    return (np.exp(-kappa * r) * _weights(r, 1.0)) @ charges


def cauchy(targets, sources, charges):
    """(Re, Im) of sum q / (z - z_j)."""
    d = displacements(targets, sources)
    z = d[..., 0] + 1j * d[..., 1]
    total = np.where(z != 0, 1 / np.where(z != 0, z, 1), 0) @ charges
    return np.stack([total.real, total.imag], axis=1)


def vortex(targets, sources, strengths):
    """(u, v): u - iv = sum strength / (2 pi i (z - z_j))."""
    field = cauchy(targets, sources, strengths)
    total = (field[:, 0] + 1j * field[:, 1]) / (2j * np.pi)
    return np.stack([total.real, -total.imag], axis=1)


def biot_savart(targets, particles, alpha):
    d = displacements(targets, particles)
    w = _weights(np.sqrt((d**2).sum(-1)), 3.0)
    return np.einsum("ij,ijk->ik", w, np.cross(alpha[None], d)) / (4 * np.pi)
