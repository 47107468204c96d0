"""Tin-foil sums of a few charges by Ewald's method in NumPy, slowly: 0 to 3 periodic axes."""
from itertools import product
from math import erf, erfc

import numpy as np

import sums

_erf, _erfc = np.vectorize(erf, otypes=[float]), np.vectorize(erfc, otypes=[float])


def _lattice(vectors, reach):
    """All whole combinations at most `reach` long."""
    dual = np.linalg.pinv(vectors)
    most = [range(-n, n + 1) for n in np.floor(reach * np.linalg.norm(dual, axis=0)).astype(int)]
    found = np.array(list(product(*most))) @ vectors
    return found[(found**2).sum(1) <= reach**2]


def _near(d, images, alpha):
    """sum erfc(alpha r) / r over images and its gradient, summed over sources with weights later: (N, N), (N, N, 3)."""
    value, slope = np.zeros(d.shape[:2]), np.zeros(d.shape)
    for image in images:
        x = d + image
        r = np.sqrt((x**2).sum(-1))
        here = (r > 0) & (alpha * r < 6.5)
        s = r[here]
        if s.size:
            screened = _erfc(alpha * s) / s
            value[here] += screened
            slope[here] -= ((screened + 2 * alpha / np.sqrt(np.pi) * np.exp(-(alpha * s) ** 2)) / s**2)[:, None] * x[here]
    return value, slope


def _waves(x, q, vectors, alpha):
    """Of three axes: potential and gradient of the smooth part, with the background."""
    volume = abs(np.linalg.det(vectors))
    k = _lattice(2 * np.pi * np.linalg.inv(vectors).T, 13 * alpha)
    k = k[(k**2).sum(1) > 0]
    k2 = (k**2).sum(1)
    phase = np.exp(1j * x @ k.T)
    amplitude = 4 * np.pi / volume * np.exp(-k2 / (4 * alpha**2)) / k2 * (q @ phase.conj())
    return (phase @ amplitude).real - np.pi * q.sum() / (volume * alpha**2), (phase @ (1j * amplitude[:, None] * k)).real


def _sheets(d, vectors, alpha):
    """Of two axes: kernel of the smooth part for all pairs, and its gradient."""
    normal = np.cross(*vectors)
    area = np.linalg.norm(normal)
    normal /= area
    z = d @ normal
    e, g = _erf(alpha * z), np.exp(-(alpha * z) ** 2) / alpha
    value = -2 * np.sqrt(np.pi) / area * (g + np.sqrt(np.pi) * z * e)
    slope = (-2 * np.pi / area * e)[..., None] * normal
    for k in _lattice(2 * np.pi * np.linalg.pinv(vectors).T, 13 * alpha):
        size = np.linalg.norm(k)
        if size == 0:
            continue
        up, down = (np.exp(s * size * z) * _erfc(size / (2 * alpha) + s * alpha * z) for s in (1, -1))
        value += np.pi / area * np.cos(d @ k) / size * (up + down)
        slope += np.pi / area * ((np.cos(d @ k) * (up - down))[..., None] * normal
                                 - (np.sin(d @ k) * (up + down) / size)[..., None] * k)
    return value, slope


def _rows(d, vector, count=2000):
    """Of one axis: images +n and -n together less 2 / n, and the first term of what the rest adds, of order 1e-14."""
    length = np.linalg.norm(vector)
    axis = vector / length
    r = np.sqrt((d**2).sum(-1))
    inverse = np.divide(1, r, out=np.zeros_like(r), where=r > 0)
    value, slope = inverse.copy(), -(inverse**3)[..., None] * d
    for n in range(1, count + 1):
        for x in (d + n * vector, d - n * vector):
            s = 1 / np.sqrt((x**2).sum(-1))
            value += s - 1 / (n * length)
            slope -= (s**3)[..., None] * x
    rest = (1 / (2 * count**2) - 1 / (2 * count**3)) / length**3  # sum of n^-3 beyond count
    z = d @ axis
    return value + rest * (3 * z**2 - r**2), slope + rest * (6 * z[..., None] * axis - 2 * d)


def ewald(positions, charges, vectors, alpha=None):
    """Potential (N,) and its gradient (N, 3); vectors: (0 to 3, 3)."""
    x, q, vectors = np.asarray(positions, float), np.asarray(charges, float), np.asarray(vectors, float).reshape(-1, 3)
    if not len(vectors):
        return sums.coulomb(x, x, q, skip_self=True)
    if len(vectors) == 1:
        value, slope = _rows(sums.displacements(x, x), vectors[0])
        return value @ q, np.einsum("ijk,j->ik", slope, q)
    spread = 2.0 * np.cbrt(max(1.0, len(q) / 20))  # fewer images of many charges
    alpha = alpha or spread * np.sqrt(np.linalg.det(vectors @ vectors.T)) ** (-1 / len(vectors))
    d = sums.displacements(x, x)
    if len(vectors) == 3:  # near zero, where fewer images reach
        d -= np.rint(d @ np.linalg.inv(vectors)) @ vectors
    far = np.sqrt((d**2).sum(-1).max(initial=0))
    value, slope = _near(d, _lattice(vectors, far + 6.5 / alpha), alpha)
    if len(vectors) == 2:
        more = _sheets(d, vectors, alpha)
        value, slope = value + more[0], slope + more[1]
    potential, gradient = value @ q - 2 * alpha / np.sqrt(np.pi) * q, np.einsum("ijk,j->ik", slope, q)
    if len(vectors) == 3:
        more = _waves(x, q, vectors, alpha)
        potential, gradient = potential + more[0], gradient + more[1]
    return potential, gradient
