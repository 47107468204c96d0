"""Potential and acceleration of pynbody's snapshots, in place of pynbody.gravity.direct.

    import farfield.adapters.pynbody as fast
    potential, acceleration = fast.direct(snapshot, positions)   # as pynbody.gravity.direct
    fast.install()                                               # or for all of pynbody: all_direct, rotation curves
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ..plan import Plan

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import DirectOptions


def _softening(f: Any, eps: Any) -> Any:
    """pynbody's order: the argument, the array, the property; in the unit of the positions."""
    units: Any = import_module("pynbody").units
    if eps is None:
        try:
            eps = f["eps"]
        except KeyError:
            eps = f.properties["eps"]
    if isinstance(eps, str):
        eps = units.Unit(eps)
    if isinstance(eps, units.UnitBase) or units.has_units(eps):
        eps = eps.in_units(f["pos"].units, **f.conversion_context())
    lengths = np.asarray(eps, dtype=float)
    return np.ascontiguousarray(lengths) if lengths.ndim else float(lengths)


def direct(f: Any, ipos: Any, eps: Any = None, num_threads: int | None = None, **options: Unpack[DirectOptions]) -> tuple[Any, Any]:
    """pynbody.gravity.direct to the tolerance asked for (1e-6): potential and acceleration at ipos, with units.

    A particle at a place of ipos counts there with its softened potential, as in pynbody.
    """
    pynbody: Any = import_module("pynbody")
    at = np.asarray(ipos)
    softening = _softening(f, eps)
    keywords: dict[str, Any] = {"gradient": True, "softening": softening, "threads": max(num_threads or 0, 0), **options}
    if np.ndim(softening):  # here a pair has the root of the mean square of its two lengths, in pynbody the source's alone
        keywords.update(softening=np.sqrt(2) * softening, target_softening=np.zeros(len(at)))
    plan = Plan(np.asarray(f["pos"]), np.ascontiguousarray(at), **keywords)
    sums = plan.evaluate(np.asarray(f["mass"], dtype=float))
    mass, length = f["mass"].units, f["pos"].units
    return (pynbody.array.SimArray(-sums.potential.astype(at.dtype), units=mass / length * pynbody.units.G),
            pynbody.array.SimArray(sums.gradient.astype(at.dtype), units=mass / length**2 * pynbody.units.G))


def install() -> None:
    """Puts `direct` in the place of pynbody's, for all that calls it."""
    gravity: Any = import_module("pynbody.gravity")
    gravity.direct = direct
