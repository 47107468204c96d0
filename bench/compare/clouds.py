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


# What is asked for: number of densities, with dipoles, with the Hessian.
TASKS = {"gradient": (1, False, False), "dipoles": (1, True, False), "hessian": (1, False, True),
         "densities": (3, False, False)}  # fmt: skip
AXES = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]  # of a Hessian


def _block(d, strengths, dipoles, hessian):
    """The sums over one block of sources of charge (vectors, n) and dipole (n, 3) or None at distances d (3, n)."""
    square = np.einsum("ij,ij->j", d, d)
    with np.errstate(divide="ignore"):
        inverse = np.where(square > 0, 1 / np.sqrt(square), 0.0)
    cube = inverse**3
    sums = [strengths @ inverse, -(strengths * cube) @ d.T]
    if dipoles is not None:
        along = np.einsum("ji,ij->j", dipoles, d)
        sums[0] = sums[0] + along @ cube
        sums[1] = sums[1] + cube @ dipoles - 3 * d @ (along * cube * inverse**2)
    if hessian:
        fifth = 3 * strengths * cube * inverse**2
        trace = (strengths * cube).sum()
        sums.append(np.stack([fifth @ (d[a] * d[b]) - (trace if a == b else 0) for a, b in AXES], axis=1))
    return [s.ravel() for s in sums]


def direct(points, strengths, targets, dipoles=None, hessian=False, threads=2, block=4096):
    """Potentials sum q/r + p.d/r^3 of each vector, their gradients and perhaps the Hessian, at points[targets], in
    double precision, block by block: arrays (targets, vectors), (targets, 3 vectors), (targets, 6)."""
    columns = np.ascontiguousarray(points.T)

    def one(target):
        sums = None
        for start in range(0, len(points), block):
            part = slice(start, start + block)
            d = points[target][:, None] - columns[:, part]
            found = _block(d, strengths[:, part], None if dipoles is None else dipoles[part], hessian)
            sums = found if sums is None else [a + b for a, b in zip(sums, found)]
        return sums

    with ThreadPoolExecutor(threads) as pool:
        sums = list(pool.map(one, targets))
    return [np.array(kind) for kind in zip(*sums)]


class Cloud:
    """Points and what they carry in a file that contenders read: 3 n coordinates, then n strengths for each density, then
    3 n numbers of dipoles, raw doubles."""

    def __init__(self, name: str, n: int, sign: str, scratch: Path, task: str = "gradient"):
        self.name, self.n, self.sign, self.task = name, n, sign, task
        self.vectors, self.with_dipoles, self.with_hessian = TASKS[task]
        special = "" if task == "gradient" else f"-{task}"
        self.path = (scratch / f"{name}-{sign}-{n}{special}.bin").resolve()
        exact = self.path.with_suffix(".npz")
        if not self.path.exists():
            self._make()
        if not exact.exists():
            self._sum(exact)
        kept = np.load(exact)
        self.targets = kept["targets"]
        self.exact = {kind: kept[kind] for kind in ("potential", "gradient", "hessian") if kind in kept}

    def _make(self):
        random = np.random.default_rng(SEED)
        points = KINDS[self.name](random, self.n)
        strengths = random.uniform(0, 1, self.vectors * self.n) - (0.5 if self.sign == "mixed" else 0.0)
        dipoles = random.uniform(-0.5, 0.5, 3 * self.n if self.with_dipoles else 0)
        np.concatenate([points.ravel(), strengths, dipoles]).tofile(self.path)

    def _sum(self, path):
        data = np.fromfile(self.path)
        points, charged = data[: 3 * self.n].reshape(-1, 3), (3 + self.vectors) * self.n
        strengths = data[3 * self.n : charged].reshape(self.vectors, self.n)
        dipoles = data[charged:].reshape(-1, 3) if self.with_dipoles else None
        targets = np.random.default_rng(SEED + 1).choice(self.n, min(SAMPLES, self.n), replace=False)
        sums = direct(points, strengths, targets, dipoles, self.with_hessian)
        np.savez(path, targets=targets, **dict(zip(("potential", "gradient", "hessian"), sums)))

    def errors(self, output: Path):
        """Relative L2 errors of each result over the sampled targets and all densities, as error_potential, ...; None where
        not computed (NaN)."""
        results, found, begin = np.memmap(output, dtype=np.float64, mode="r"), {}, 0
        for kind, width in (("potential", 1), ("gradient", 3), ("hessian", 6)):
            if kind not in self.exact:
                continue
            end = begin + width * self.vectors * self.n
            # (vectors, n, width) as (targets, vectors * width)
            here = results[begin:end].reshape(self.vectors, self.n, width)[:, self.targets]
            here = here.transpose(1, 0, 2).reshape(len(self.targets), -1)
            found["error_" + kind], begin = _relative(here, self.exact[kind].reshape(here.shape)), end
        return found


def _relative(computed, exact):
    error = float(np.linalg.norm(computed - exact) / np.linalg.norm(exact))
    return None if math.isnan(error) else error
