"""FMM3D's Python interface for Laplace: `import farfield.compat.fmm3dpy as fmm` in the place of `import fmm3dpy as fmm`.

Names, shapes and formulas are those of fmm3dpy 2.1: sources (3, n), charges (n) or (nd, n), dipvec (3, n) or (nd, 3, n),
results (n), (3, n), (6, n) or with nd before. The kernel is 1/(4 pi r); scale="1/r" is that of fmm3dpy 1. Where
fmm3dpy prints or stops, this raises farfield.Error.
"""

from __future__ import annotations

from math import pi
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
    order = max(pg, pgt)
    if order not in (1, 2, 3) or min(pg, pgt) < 0:
        raise UsageError(f"pg is {pg} and pgt is {pgt}; pass 1, 2 or 3 for at least one of them")
    if pgt and targets is None:
        raise UsageError("pgt was given without targets; pass them, or pg for results at the sources")
    where = _points("targets", targets) if pgt else None
    result = _plan.evaluate(
        _points("sources", sources), _densities("charges", charges, nd, 1), where, dipoles=_densities("dipvec", dipvec, nd, 2),
        tolerance=eps, gradient=order > 1, hessian=order > 2, at_sources=bool(pg and pgt), scale=_scale(scale), **options)
    out = Output()
    out.report = result.report
    at_sources = "source_" if pg and pgt else ""
    _place(out, "", result, at_sources, pg, nd)
    _place(out, "targ", result, "", pgt, nd)
    return out


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
    out = Output()
    out.report = result.report
    _place(out, "targ", result, "", pgt, nd)
    return out


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


def _place(out: Output, suffix: str, result: Any, place: str, order: int, nd: int) -> None:
    names = (("pot", "potential"), ("grad", "gradient"), ("hess", "hessian"))
    for name, own in names[:order]:
        array = getattr(result, place + own)
        setattr(out, name + suffix, array if own == "potential" else array.swapaxes(-1, -2))


def _missing(name: str, hint: str = "") -> Any:
    def raises(**_: Any) -> None:
        raise NotImplementedError(f"{name} has no counterpart in Farfield{hint}")

    raises.__name__ = name
    return raises


hfmm3d = _missing("hfmm3d", "; of an imaginary wave number i kappa it is farfield.Plan(..., kernel='yukawa3d', kappa=kappa)")
emfmm3d = _missing("emfmm3d")
stfmm3d = _missing("stfmm3d")
h3ddir = _missing("h3ddir")
em3ddir = _missing("em3ddir")
st3ddir = _missing("st3ddir")
