"""What a user writes to have potential and gradient of masses under 1/r, each left out of its own sum, with each package: a function
here is exactly that, and peers.py counts its lines. Nothing of the packages is part of this repository.

points (N, 3) and masses (N,) are NumPy's; on a GPU torch's there or JAX's, where a package takes such.
"""
import inspect
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np


def farfield(points, masses, tolerance):
    import farfield as ff

    result = ff.evaluate(points, masses, tolerance=tolerance, gradient=True)
    return result.potential, result.gradient


def farfield_direct(points, masses, _):
    import farfield as ff

    result = ff.direct_sum(points, masses, gradient=True)
    return result.potential, result.gradient


def fmm3dpy(points, masses, tolerance):
    import fmm3dpy as fmm

    out = fmm.lfmm3d(eps=tolerance, sources=points.T, charges=masses, pg=2)
    return 4 * np.pi * out.pot, 4 * np.pi * out.grad.T


def pytreegrav(points, masses, theta):
    from pytreegrav import Accel, Potential

    gradient, tree = Accel(points, masses, theta=theta, method="tree", parallel=True, return_tree=True)
    return -Potential(points, masses, theta=theta, method="tree", parallel=True, tree=tree), gradient


def pytreegrav_cuda(points, masses, theta):
    from pytreegrav import Accel, Potential

    gradient, tree = Accel(points, masses, theta=theta, method="tree", device="cuda", return_tree=True)
    return -Potential(points, masses, theta=theta, method="tree", device="cuda", tree=tree), gradient


def keops(points, masses, _):
    from pykeops.numpy import LazyTensor

    x, y, m = LazyTensor(points[:, None, :]), LazyTensor(points[None, :, :]), LazyTensor(masses[None, :, None])
    d = y - x
    inverse = (d**2).sum(-1).rsqrt()  # of 0 it is 0
    sums = (m * inverse).concat(m * inverse**3 * d).sum(1)
    return sums[:, 0], sums[:, 1:]


def keops_cuda(points, masses, _):
    from pykeops.torch import LazyTensor

    x, y, m = LazyTensor(points[:, None, :]), LazyTensor(points[None, :, :]), LazyTensor(masses[None, :, None])
    d = y - x
    inverse = (d**2).sum(-1).rsqrt()
    sums = (m * inverse).concat(m * inverse**3 * d).sum(1)
    return sums[:, 0], sums[:, 1:]


def jzfmm(points, masses, setting):
    from jzfmm.config import FMMConfig, OpeningByAngle, PlummerKernel
    from jzfmm.fmm import fast_multipole_method
    from jztree.data import PosMass

    p, theta = setting
    kernel = PlummerKernel(softening=1e-6 * len(masses) ** (-1 / 3))  # of 0 sums are not numbers
    config = FMMConfig(kernel=kernel, p=p, opening=OpeningByAngle(theta=theta))
    values = fast_multipole_method.jit(PosMass(pos=points, mass=masses), config, result="loc").values
    return -values[:, 0], -values[:, 1:4]


def torch_arrays(array):
    import torch

    return torch.from_numpy(array).cuda()


def jax_arrays(array):
    import jax.numpy

    return jax.numpy.asarray(array)


@dataclass
class Contender:
    name: str
    package: str  #: what has to be importable
    call: Callable[..., Any]
    settings: dict[str, Any]  #: by what the table says
    types: tuple[str, ...] = ("float64",)
    gpu: bool = False  #: runs there; of the CPU's all the others
    on_gpu: Callable[..., Any] | None = None  #: arrays go there before the clock starts

    @property
    def lines(self) -> int:
        """Of user code: without the first one, comments alone and blank ones."""
        written = [line.strip() for line in inspect.getsource(self.call).splitlines()[1:]]
        return sum(bool(line) and not line.startswith("#") for line in written)


_tolerances = {f"tolerance {t:g}": t for t in (1e-3, 1e-6, 1e-9, 1e-12)}
_angles = {f"theta {theta}": theta for theta in (0.7, 0.4)}
_direct = {"all pairs": None}
contenders = [
    Contender("farfield", "farfield", farfield, _tolerances),
    Contender("farfield, single", "farfield", farfield, {"tolerance 0.001": 1e-3, "tolerance 1e-05": 1e-5}, ("float32",)),
    Contender("farfield.direct_sum", "farfield", farfield_direct, _direct, ("float64", "float32")),
    Contender("fmm3dpy", "fmm3dpy", fmm3dpy, {f"eps {t:g}": t for t in (1e-3, 1e-6, 1e-9)}),
    Contender("pytreegrav", "pytreegrav", pytreegrav, _angles),
    Contender("KeOps", "pykeops", keops, _direct, ("float64", "float32")),
    Contender("farfield", "farfield", farfield, _tolerances, gpu=True, on_gpu=torch_arrays),
    Contender("farfield, single", "farfield", farfield, {"tolerance 0.001": 1e-3, "tolerance 1e-05": 1e-5}, ("float32",), True,
              torch_arrays),
    Contender("farfield.direct_sum", "farfield", farfield_direct, _direct, ("float64", "float32"), True, torch_arrays),
    Contender("pytreegrav, cuda", "pytreegrav", pytreegrav_cuda, _angles, gpu=True),
    Contender("KeOps", "pykeops", keops_cuda, _direct, ("float64", "float32"), True, torch_arrays),
    Contender("jz-fmm", "jzfmm", jzfmm, {f"p {p} theta {theta}": (p, theta) for p, theta in ((3, 0.8), (5, 0.6))},
              ("float32",), True, jax_arrays),
]
