"""Clouds of points with strengths, their exact sums on a sample of targets, and the errors of results against them."""

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

SAMPLES = 2500
SEED = 20


def _directions(random, n):
    z, angle = random.uniform(-1, 1, n), random.uniform(0, 2 * math.pi, n)
    s = np.sqrt(1 - z * z)
    return np.stack([s * np.cos(angle), s * np.sin(angle), z], axis=1)


def _plummer(random, n, cut=100.0):
    """Plummer's star cluster of scale radius 1: the mass within r is (1 + 1/r^2)^(-3/2)."""
    mass = random.uniform(0, (1 + 1 / cut**2) ** -1.5, n)
    return _directions(random, n) / np.sqrt(mass ** (-2 / 3) - 1)[:, None]


KINDS = {
    "uniform": lambda random, n: random.uniform(size=(n, 3)),
    "sphere": _directions,
    "plummer": _plummer,
}


def direct(points, strengths, targets, threads=2, block=4096):
    """Potentials sum q/r and their gradients at points[targets], in double precision, block by block."""
    columns = np.ascontiguousarray(points.T)

    def one(target):
        sums = np.zeros(4)
        for start in range(0, len(strengths), block):
            part = slice(start, start + block)
            d = points[target][:, None] - columns[:, part]
            square = np.einsum("ij,ij->j", d, d)
            with np.errstate(divide="ignore"):
                inverse = np.where(square > 0, 1 / np.sqrt(square), 0.0)
            weight = strengths[part] * inverse
            sums[0] += weight.sum()
            sums[1:] -= (d * (weight * inverse * inverse)).sum(axis=1)
        return sums

    with ThreadPoolExecutor(threads) as pool:
        sums = np.array(list(pool.map(one, targets)))
    return sums[:, 0], sums[:, 1:]


class Cloud:
    """Points and strengths in a file that contenders read: 3 n coordinates, then n strengths, raw doubles."""

    def __init__(self, name: str, n: int, sign: str, scratch: Path):
        self.name, self.n, self.sign = name, n, sign
        self.path = (scratch / f"{name}-{sign}-{n}.bin").resolve()
        exact = self.path.with_suffix(".npz")
        if not self.path.exists():
            self._make()
        if not exact.exists():
            self._sum(exact)
        kept = np.load(exact)
        self.targets, self.potential, self.gradient = kept["targets"], kept["potential"], kept["gradient"]

    def _make(self):
        random = np.random.default_rng(SEED)
        points = KINDS[self.name](random, self.n)
        strengths = random.uniform(0, 1, self.n) - (0.5 if self.sign == "mixed" else 0.0)
        np.concatenate([points.ravel(), strengths]).tofile(self.path)

    def _sum(self, path):
        data = np.fromfile(self.path)
        points, strengths = data[: 3 * self.n].reshape(-1, 3), data[3 * self.n :]
        targets = np.random.default_rng(SEED + 1).choice(self.n, min(SAMPLES, self.n), replace=False)
        potential, gradient = direct(points, strengths, targets)
        np.savez(path, targets=targets, potential=potential, gradient=gradient)

    def errors(self, output: Path):
        """Relative L2 errors of potential and gradient over the sampled targets; None where not computed (NaN)."""
        results = np.memmap(output, dtype=np.float64, mode="r", shape=(4 * self.n,))
        potential = results[: self.n][self.targets]
        gradient = results[self.n :].reshape(-1, 3)[self.targets]
        return _relative(potential, self.potential), _relative(gradient, self.gradient)


def _relative(computed, exact):
    error = float(np.linalg.norm(computed - exact) / np.linalg.norm(exact))
    return None if math.isnan(error) else error
