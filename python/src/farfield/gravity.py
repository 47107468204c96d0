"""Gravity as users of pytreegrav write it: accelerations and potentials of masses, softened by the cubic spline.

Names and arguments are those of pytreegrav 1.5; `tolerance` is the relative L2 error allowed. `theta`, `quadrupole` and
`parallel` have no effect: what they steer there, the tolerance settles here. A softening is the radius of support of
the spline, one number or one for each particle; beyond it masses are points, and the longer one of a pair counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import plan as _plan
from .arrays import Array
from .errors import UsageError
from .result import Result

#: pytreegrav's softening is the radius from which on a mass is a point; Farfield's (and GADGET's) is this many times less.
_support = 2.8
_methods = {"adaptive": "auto", "tree": "auto", "bruteforce": "direct"}


def Accel(pos: Array, m: Array, softening: Array | None = None, G: float = 1.0, theta: float = 0.7, tree: None = None,
          return_tree: bool = False, parallel: bool = False, method: str = "adaptive", quadrupole: bool = False, *,
          tolerance: float = 1e-3, **options: Any) -> Array:
    """(N, 3): the acceleration of each particle by all others."""
    return -_sum(pos, None, m, softening, None, G, tree, return_tree, method, tolerance, True, options).gradient


def Potential(pos: Array, m: Array, softening: Array | None = None, G: float = 1.0, theta: float = 0.7,
              tree: None = None, return_tree: bool = False, parallel: bool = False, method: str = "adaptive",
              quadrupole: bool = False, *, tolerance: float = 1e-3, **options: Any) -> Array:
    """(N,): the potential of all others at each particle."""
    return _sum(pos, None, m, softening, None, G, tree, return_tree, method, tolerance, False, options).potential


def AccelTarget(pos_target: Array, pos_source: Array, m_source: Array, softening_target: Array | None = None,
                softening_source: Array | None = None, G: float = 1.0, theta: float = 0.7, tree: None = None,
                return_tree: bool = False, parallel: bool = False, method: str = "adaptive", quadrupole: bool = False, *,
                tolerance: float = 1e-3, **options: Any) -> Array:
    """(M, 3): the acceleration at targets of their own."""
    return -_sum(pos_source, pos_target, m_source, softening_source, softening_target, G, tree, return_tree, method,
                 tolerance, True, options).gradient


def PotentialTarget(pos_target: Array, pos_source: Array, m_source: Array, softening_target: Array | None = None,
                    softening_source: Array | None = None, G: float = 1.0, theta: float = 0.7, tree: None = None,
                    return_tree: bool = False, parallel: bool = False, method: str = "adaptive",
                    quadrupole: bool = False, *, tolerance: float = 1e-3, **options: Any) -> Array:
    """(M,): the potential at targets of their own."""
    return _sum(pos_source, pos_target, m_source, softening_source, softening_target, G, tree, return_tree, method,
                tolerance, False, options).potential


def _sum(sources: Array, targets: Array | None, masses: Array, softening: Array | None, target_softening: Array | None,
         G: float, tree: None, return_tree: bool, method: str, tolerance: float, gradient: bool,
         options: dict[str, Any]) -> Result:
    if tree is not None or return_tree:
        raise UsageError("trees are not passed around here; farfield.Plan keeps one for many sums")
    if method not in _methods:
        raise UsageError(f'method is {method!r}; pass one of "{", ".join(_methods)}"')
    options = {"method": _methods[method], **options}
    if method == "bruteforce":
        options = {"precision": "double", **options}
    if softening is not None or target_softening is not None:
        options = {**options, "softening_kind": "spline", "softening": _lengths(softening, sources)}
        if targets is not None:
            options["target_softening"] = _lengths(target_softening, targets)
    return _plan.evaluate(sources, masses, targets, scale=-G, tolerance=tolerance, gradient=gradient,
                          **options)


def _lengths(softening: Array | None, points: Array) -> Array:
    """One for each point; 0 where none was given."""
    lengths = np.asarray(0.0 if softening is None else softening, dtype=float) / _support
    return lengths if lengths.ndim else np.full(len(points), lengths)
