"""Derivatives of sums, for farfield.torch and farfield.jax: the formulas, and the sums of which they are made.

With charges q and dipoles p at y, u(x) = sum_j (q_j + p_j . grad_y) K(x, y_j) and g = grad u at x. Incoming numbers a of u and
vectors w of g act as charges and dipoles at x, since K is symmetric: v(y) = sum_i (a_i + w_i . grad_x) K(x_i, y). Then

    of q: v(y_j)    of p: grad v(y_j)    of y: q_j grad v(y_j) + H_v(y_j) p_j    of x: a_i grad u(x_i) + H_u(x_i) w_i

which are sums again and are differentiated by the same lines. Where the targets are the sources, u and v are two densities
of one plan. docs/autograd.md has it at length.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from .arrays import Array
from .errors import UsageError
from .plan import Plan


class Field(NamedTuple):
    """potential (N,) or (nd, N); gradient (N, 3) and hessian (N, 6), of several densities with nd before; None: not
    asked for."""

    potential: Array
    gradient: Array = None
    hessian: Array = None


Sums = Callable[..., Field]  #: (sources, targets, strengths, dipoles, gradient, hessian)

_refused = {
    "at_sources": "sums at targets and sources at once have no derivatives here; call once for each",
    "virial": "virials have no derivatives here; take them from farfield.Plan",
    "dipoles": "pass dipoles as arrays, not as an option",
    "target_softening": "softening lengths of points themselves have no derivatives here; pass one length",
}
_kernels = ("laplace3d", "yukawa3d", "gauss", "laplace2d")


def encode(**options: Any) -> str:
    """Options as a word, which compiled programs can carry."""
    for name, why in _refused.items():
        if options.get(name) is not None and options[name] is not False:
            raise UsageError(f"{name}: {why}")
    plain = {name: value.item() if getattr(value, "shape", None) == () else value for name, value in options.items()}
    if len(getattr(plain.get("softening"), "shape", ())) > 0:
        raise UsageError(f"softening: {_refused['target_softening']}")
    kernel = plain.get("kernel", "laplace3d")
    if kernel not in _kernels:
        raise UsageError(f"kernel {kernel} has no derivatives here; {', '.join(_kernels)} have")
    return json.dumps(plain, sort_keys=True)


@lru_cache(maxsize=64)
def _decoded(options: str) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(options)
    return decoded


def pull_back(xp: Any, sums: Sums, options: str, points: tuple[Array, Array | None], sources: tuple[Array, Array],
              incoming: tuple[Array, Array, Array], wanted: set[str]) -> dict[str, Array]:
    """Derivatives by the names of `wanted` from those of potential, gradient and Hessian; what is None is zero.

    xp: torch or jax.numpy. sources: strengths (nd, N) and dipoles (nd, N, 3). Names: sources, targets, strengths, dipoles.
    """
    a, w, third = incoming
    if third is not None:
        raise UsageError("third derivatives are not offered: a Hessian, the second derivative of a potential, cannot be "
                         "differentiated")
    if a is None and w is None:
        return {}
    kernel = _decoded(options).get("kernel", "laplace3d")
    if w is not None and kernel != "laplace3d":
        raise UsageError(f"kernel {kernel} has no second derivatives here, which take dipoles and Hessians; laplace3d has")
    if points[1] is None and "sources" in wanted:
        return _of_moving_points(xp, sums, points[0], sources, (a, w))
    return _of_each(xp, sums, points, sources, (a, w), wanted)


def _of_each(xp: Any, sums: Sums, points: tuple[Array, Array | None], sources: tuple[Array, Array],
             incoming: tuple[Array, Array], wanted: set[str]) -> dict[str, Array]:
    """Sources and targets apart, or points that are held."""
    (y, x), (q, p), (a, w) = points, sources, incoming
    found = {}
    if wanted & {"sources", "strengths", "dipoles"}:
        moving = "sources" in wanted
        there = (y, None) if x is None else (x, y)
        v = sums(*there, a, w, moving or "dipoles" in wanted, moving and p is not None)
        found = {"strengths": v.potential, "dipoles": v.gradient}
        if moving:
            found["sources"] = _force(xp, v, q, p, y)
    if "targets" in wanted:
        u = sums(y, x, q, p, True, w is not None)
        found["targets"] = _force(xp, u, a, w, x)
    return {name: found[name] for name in wanted}


def _of_moving_points(xp: Any, sums: Sums, points: Array, sources: tuple[Array, Array],
                      incoming: tuple[Array, Array]) -> dict[str, Array]:
    """Of points that are sources and targets: u and v over one tree."""
    (q, p), (a, w) = sources, incoming
    both = sums(points, None, _one_after_another(xp, q, a), _one_after_another(xp, p, w), True, p is not None or w is not None)
    count = len(both.potential) // 2
    u, v = (Field(*(None if part is None else part[half] for part in both)) for half in (slice(count), slice(count, None)))
    return {"sources": _force(xp, u, a, w, points) + _force(xp, v, q, p, points), "strengths": v.potential,
            "dipoles": v.gradient}


def _one_after_another(xp: Any, first: Array, second: Array) -> Array:
    if first is None and second is None:
        return None
    return xp.concatenate([xp.zeros_like(second) if first is None else first,
                           xp.zeros_like(first) if second is None else second])


def _force(xp: Any, field: Field, charges: Array, dipoles: Array, points: Array) -> Array:
    """What a field does to charges and dipoles, added over the densities: charges grad + Hessian dipoles."""
    total: Any = 0
    if charges is not None:
        total = total + charges[..., None] * field.gradient
    if dipoles is not None:
        xx, yy, zz, xy, xz, yz = (field.hessian[..., i] for i in range(6))
        px, py, pz = (dipoles[..., i] for i in range(3))
        total = total + xp.stack([xx * px + xy * py + xz * pz, xy * px + yy * py + yz * pz, xz * px + yz * py + zz * pz], -1)
    return total.sum(0)[:, :points.shape[1]]


class _Plans:
    """The last plans, so that a step that moves no point plans nothing. One in use is not among them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: list[tuple[Any, Array, Array, Plan]] = []

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()

    def evaluate(self, options: dict[str, Any], points: tuple[Array, Array], sources: tuple[Array, Array]) -> Field:
        key = (tuple(sorted(options.items())), type(points[0]))
        entry = self._take(key, points)
        if entry is None:
            entry = self._planned(key, points, options)
        result = entry[3].evaluate(*sources)
        with self._lock:
            self._kept.insert(0, entry)
            del self._kept[self._most:]
        return Field(result.potential, result.gradient, result.hessian)

    def _take(self, key: Any, points: tuple[Array, Array]) -> tuple[Any, Array, Array, Plan] | None:
        with self._lock:
            for i, entry in enumerate(self._kept):
                if entry[0] == key and _same(entry[1], points[0]) and _same(entry[2], points[1]):
                    return self._kept.pop(i)
        return None

    def _planned(self, key: Any, points: tuple[Array, Array], options: dict[str, Any]) -> tuple[Any, Array, Array, Plan]:
        """Of copies: who changes points in place later gets another plan. Where no more are kept, one of these options that
        was not used for longest is moved, which on a device takes less than a new one."""
        sources, targets = (None if array is None else array.clone() if hasattr(array, "clone") else array.copy()
                            for array in points)
        old = self._oldest(key)
        if old is None:
            return key, sources, targets, Plan(sources, targets, **options)
        old.move(sources, targets)
        return key, sources, targets, old

    def _oldest(self, key: Any) -> Plan | None:
        with self._lock:
            if len(self._kept) == self._most:
                for i in reversed(range(self._most)):
                    if self._kept[i][0] == key:
                        return self._kept.pop(i)[3]
        return None


def _same(one: Array, two: Array) -> bool:
    if one is None or two is None:
        return one is two
    return bool(one.shape == two.shape and one.dtype == two.dtype
                and getattr(one, "device", None) == getattr(two, "device", None) and (one == two).all())


_plans = _Plans(4)


def forget() -> None:
    """Frees the plans that are kept for the next call, four at most."""
    _plans.clear()


def asked(options: str, gradient: bool, hessian: bool, dipoles: bool) -> dict[str, Any]:
    """All options of a plan."""
    return {**_decoded(options), "gradient": gradient or hessian, "hessian": hessian, "dipoles": dipoles}


def sums(options: str, sources: Array, targets: Array | None, strengths: Array | None, dipoles: Array | None,
         gradient: bool, hessian: bool) -> Field:
    """The sums themselves, of arrays that Plan takes."""
    wanted = asked(options, gradient, hessian, dipoles is not None)
    return _plans.evaluate(wanted, (sources, targets), (strengths, dipoles))


def checked(points: tuple[Array, Array | None], strengths: Array | None, dipoles: Array | None) -> None:
    """Derivatives are of the type of what they are derivatives of: all have one."""
    if strengths is None and dipoles is None:
        raise UsageError("neither strengths nor dipoles were given; pass one of them")
    types = {array.dtype for array in (*points, strengths, dipoles) if array is not None}
    if len(types) > 1:
        raise UsageError(f"points, strengths and dipoles are of types {', '.join(sorted(map(str, types)))}; pass one type")
