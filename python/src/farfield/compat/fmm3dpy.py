"""FMM3D's Python interface for Laplace: `import farfield.compat.fmm3dpy as fmm` in the place of `import fmm3dpy as fmm`.

Names, shapes and formulas are those of fmm3dpy 2.1: sources (3, n), charges (n) or (nd, n), dipvec (3, n) or (nd, 3, n),
results (n), (3, n), (6, n) or with nd before. The kernel is 1/(4 pi r); scale="1/r" is that of fmm3dpy 1. Where
fmm3dpy prints or stops, this raises farfield.Error. Of Helmholtz's sums there are the screened ones, hfmm3d with an imaginary
wave number.

Programs that are to stay as they are find this module under the name fmm3dpy after

    import farfield.compat.fmm3dpy
    farfield.compat.fmm3dpy.install()               # install(scale="1/r"): written for fmm3dpy 1, as SimNIBS and SARKAS are
"""

from __future__ import annotations

import sys
from functools import partial
from math import pi
from types import ModuleType
from typing import Any

import numpy as np

from .. import plan as _plan
from ..arrays import Array
from ..errors import InputError, UsageError
from ..report import Report

_scales = {"1/4pi": 1 / (4 * pi), "1/r": 1.0}
#: Points nearer than this to each other are told apart by l3ddir, whatever its argument thresh.
_least_threshold = 1e-14


class Output:
    """What was computed; None: what was not."""

    pot: Array = None
    grad: Array = None
    hess: Array = None
    pottarg: Array = None
    gradtarg: Array = None
    hesstarg: Array = None
    ier: int = 0
    report: Report | None = None  #: of Farfield: how, how long, how exactly


def lfmm3d(*, eps: float, sources: Array, charges: Array | None = None, dipvec: Array | None = None,
           targets: Array | None = None, pg: int = 0, pgt: int = 0, nd: int = 1, scale: str = "1/4pi",
           **options: Any) -> Output:
    """Sums by the fast multipole method; pg at the sources, pgt at the targets: 1 potential, 2 and gradient, 3 and
    Hessian. `eps` is an upper bound of the relative L2 error of each. Further options are those of farfield.Plan."""
    order = _order(pg, pgt, targets, 3)
    result = _plan.evaluate(
        _points("sources", sources), _densities("charges", charges, nd, 1), _points("targets", targets) if pgt else None,
        dipoles=_densities("dipvec", dipvec, nd, 2), tolerance=eps, gradient=order > 1, hessian=order > 2,
        at_sources=bool(pg and pgt), scale=_scale(scale), **options)
    return _output(result, pg, pgt)


def hfmm3d(*, eps: float, zk: complex, sources: Array, charges: Array | None = None, dipvec: Array | None = None,
           targets: Array | None = None, pg: int = 0, pgt: int = 0, nd: int = 1, scale: str = "1/4pi",
           **options: Any) -> Output:
    """exp(i zk r) in the place of 1, of imaginary zk = i kappa: exp(-kappa r). Charges may be complex, and results are, as
    fmm3dpy's; pg and pgt 1 or 2. Real wave numbers and dipoles raise NotImplementedError."""
    zk = complex(zk)
    if zk.real != 0 or zk.imag < 0 or dipvec is not None:
        raise NotImplementedError(f"hfmm3d of zk = {zk}{' with dipoles' if dipvec is not None else ''}: of Helmholtz's sums Farfield "
                                  "has those of charges with an imaginary wave number, zk = 1j * kappa")
    order = _order(pg, pgt, targets, 2)
    given = _densities("charges", charges, nd, 1)
    if given is None:
        raise UsageError("charges were not given; pass them")
    split = np.iscomplexobj(given)
    carried = np.concatenate([np.atleast_2d(given.real), np.atleast_2d(given.imag)]) if split else given  # as densities
    result = _plan.evaluate(
        _points("sources", sources), carried, _points("targets", targets) if pgt else None, kernel="yukawa3d", kappa=zk.imag,
        tolerance=eps, gradient=order > 1, at_sources=bool(pg and pgt), scale=_scale(scale), **options)
    out = _output(result, pg, pgt)
    for name in ("pot", "grad", "pottarg", "gradtarg"):
        parts = getattr(out, name)
        if parts is not None:
            setattr(out, name, _together(parts, given.ndim > 1) if split else parts + 0j)
    return out


def _together(parts: Array, several: bool) -> Array:
    """Real parts of all densities, then imaginary ones, as complex numbers."""
    half = len(parts) // 2
    numbers = parts[:half] + 1j * parts[half:]
    return numbers if several else numbers[0]


def l3ddir(*, sources: Array, targets: Array, charges: Array | None = None, dipvec: Array | None = None, pgt: int = 0,
           nd: int = 1, thresh: float = 1e-16, scale: str = "1/4pi") -> Output:
    """Direct sums at targets; pairs at distance zero are left out."""
    if pgt not in (1, 2, 3):
        raise UsageError(f"pgt is {pgt}; pass 1, 2 or 3")
    if thresh > _least_threshold:
        raise UsageError(f"thresh is {thresh}; only pairs at distance zero can be left out, so pass at most "
                         f"{_least_threshold}")
    result = _plan.direct_sum(
        _points("sources", sources), _densities("charges", charges, nd, 1), _points("targets", targets),
        dipoles=_densities("dipvec", dipvec, nd, 2), gradient=pgt > 1, hessian=pgt > 2, scale=_scale(scale))
    return _output(result, 0, pgt)


def comperr(*, ntest: int, out: Any, outex: Any, pg: int = 0, pgt: int = 0, nd: int = 1) -> float:
    """Relative L2 error over all results at the first `ntest` sources and targets."""
    error = norm = 0.0
    for suffix, order in (("", pg), ("targ", pgt)):
        for name in ("pot", "grad", "hess")[:order]:
            exact = np.asarray(getattr(outex, name + suffix))[..., :ntest]
            computed = np.asarray(getattr(out, name + suffix))[..., :ntest]
            error += float(np.sum((exact.ravel() - computed.ravel()) ** 2))
            norm += float(np.sum(exact**2))
    return float(np.sqrt(error / norm))


def install(scale: str = "1/4pi") -> ModuleType:
    """`import fmm3dpy` and `from fmm3dpy import lfmm3d`, from now on and anywhere, mean this module, with this constant."""
    _scale(scale)
    module = ModuleType("fmm3dpy", __doc__)
    vars(module).update({call.__name__: partial(call, scale=scale) for call in (lfmm3d, hfmm3d, l3ddir)})
    vars(module).update({one.__name__: one for one in (Output, comperr, emfmm3d, stfmm3d, h3ddir, em3ddir, st3ddir)})
    sys.modules["fmm3dpy"] = module
    return module


def _order(pg: int, pgt: int, targets: Array | None, most: int) -> int:
    order = max(pg, pgt)
    if order not in range(1, most + 1) or min(pg, pgt) < 0:
        raise UsageError(f"pg is {pg} and pgt is {pgt}; pass {'1, 2 or 3' if most == 3 else '1 or 2'} for at least one of them")
    if pgt and targets is None:
        raise UsageError("pgt was given without targets; pass them, or pg for results at the sources")
    return order


def _points(name: str, array: Array) -> Array:
    """(3, n), or (3,) for one, as (n, 3)."""
    array = np.asarray(array)
    if array.ndim not in (1, 2) or array.shape[0] != 3:
        raise InputError(f"{name} have shape {array.shape}; fmm3dpy takes (3, n)")
    return array.reshape(3, -1).T


def _densities(name: str, array: Array | None, nd: int, dimensions: int) -> Array | None:
    """(n) or (3, n), with nd before if that is above 1, as Farfield takes them; copied where x y z of a dipole stand apart."""
    if array is None:
        return None
    array = np.asarray(array)
    if nd == 1:
        array = array.reshape((3, -1) if dimensions == 2 else -1)
    elif array.ndim != dimensions + 1 or array.shape[0] != nd:
        raise InputError(f"{name} have shape {array.shape}; nd = {nd} needs ({nd}, {'3, ' if dimensions == 2 else ''}n)")
    return array.swapaxes(-1, -2) if dimensions == 2 else array


def _scale(scale: str) -> float:
    if scale not in _scales:
        raise UsageError(f'scale is {scale!r}; pass "1/4pi", the constant of fmm3dpy 2, or "1/r", that of fmm3dpy 1')
    return _scales[scale]


def _output(result: Any, pg: int, pgt: int) -> Output:
    out = Output()
    out.report = result.report
    _place(out, "", result, "source_" if pg and pgt else "", pg)
    _place(out, "targ", result, "", pgt)
    return out


def _place(out: Output, suffix: str, result: Any, place: str, order: int) -> None:
    names = (("pot", "potential"), ("grad", "gradient"), ("hess", "hessian"))
    for name, own in names[:order]:
        array = getattr(result, place + own)
        setattr(out, name + suffix, array if own == "potential" else array.swapaxes(-1, -2))


def _missing(name: str) -> Any:
    def raises(**_: Any) -> None:
        raise NotImplementedError(f"{name} has no counterpart in Farfield")

    raises.__name__ = name
    return raises


emfmm3d = _missing("emfmm3d")
stfmm3d = _missing("stfmm3d")
h3ddir = _missing("h3ddir")
em3ddir = _missing("em3ddir")
st3ddir = _missing("st3ddir")
