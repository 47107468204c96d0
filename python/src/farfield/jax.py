"""Sums of JAX's arrays with derivatives in reverse mode; in jit, and by vmap over densities.

    import farfield.jax
    loss = lambda q: farfield.jax.evaluate(sources, q, targets, tolerance=1e-6).potential.sum()
    jax.grad(loss)(charges)

XLA calls the library by its foreign function interface, where the module was built with the headers of jaxlib: on the CPU,
and on a CUDA device where the library has CUDA. Elsewhere it calls back into Python and host memory.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from . import _core, autograd
from .arrays import Array
from .autograd import Field, checked, encode, pull_back

__all__ = ["Field", "evaluate", "forget", "platforms"]

jax: Any = import_module("jax")  # as Any: mypy must pass where jax is missing, too
_SymbolicZero: Any = import_module("jax.custom_derivatives").SymbolicZero

_inputs = ("sources", "targets", "strengths", "dipoles")
_Static = tuple[str, bool, bool]  # options, gradient, hessian


def _forward(static: _Static, sources: Array, targets: Array, strengths: Array, dipoles: Array) -> Field:
    options, gradient, hessian = static
    carried = dipoles if strengths is None else strengths
    count = (sources if targets is None else targets).shape[0]
    shapes: list[Any] = [(), (3,)][:1 + (gradient or hessian)] + [(6,)] * hessian
    results = tuple(jax.ShapeDtypeStruct((carried.shape[0], count, *shape), carried.dtype) for shape in shapes)
    given = (sources, targets, strengths, dipoles)
    by_callback = partial(_by_callback, static, results)
    if not platforms:
        return Field(*by_callback(*given))
    native = partial(_by_handler, _attributes(static, given), results)
    ways = {platform.lower(): native for platform in platforms}
    return Field(*jax.lax.platform_dependent(*given, **ways, default=by_callback))


# Strengths that vmap maps over become densities: with one length along its axis, points are the same for all.
_batched = "expand_dims"


def _attributes(static: _Static, given: tuple[Array, ...]) -> dict[str, Any]:
    """Options as XLA carries them, by their types, and which arrays there are."""
    options, gradient, hessian = static
    attributes = _core.jax_attributes(autograd.asked(options, gradient, hessian, given[3] is not None))
    whole = {name: np.int64(value) if type(value) is int else value for name, value in attributes.items()}
    return {**whole, "targets": given[1] is not None, "strengths": given[2] is not None}


def _by_handler(attributes: dict[str, Any], results: Any, *given: Array) -> Any:
    call = jax.ffi.ffi_call(_target, results, vmap_method=_batched)
    return call(*(array for array in given if array is not None), **attributes)


def _by_callback(static: _Static, results: Any, *given: Array) -> Any:
    return jax.pure_callback(partial(_host, static), results, *given, vmap_method=_batched)


def _host(static: _Static, *given: Any) -> tuple[Any, ...]:
    """NumPy's arrays, with the axes of vmap before their own."""
    own = (2, 2, 2, 3)
    arrays: list[Any] = [None if array is None else np.asarray(array) for array in given]
    leads: list[Any] = [() if array is None else array.shape[:array.ndim - axes] for array, axes in zip(arrays, own)]
    lead = np.broadcast_shapes(*leads)
    if not lead:
        return _computed(static, *arrays)
    if all(size == 1 for size in (*leads[0], *leads[1])):
        return _as_densities(static, lead, arrays, own)
    spread = [None if array is None else np.broadcast_to(array, lead + array.shape[len(lead):]) for array in arrays]
    each = [_computed(static, *(None if array is None else array[i] for array in spread)) for i in np.ndindex(lead)]
    return tuple(np.stack(parts).reshape(lead + parts[0].shape) for parts in zip(*each))


def _as_densities(static: _Static, lead: tuple[int, ...], arrays: list[Any], own: tuple[int, ...]) -> tuple[Any, ...]:
    points = [None if array is None else array.reshape(array.shape[-2:]) for array in arrays[:2]]
    carried = [None if array is None else np.broadcast_to(array, lead + array.shape[-axes:])
               for array, axes in zip(arrays[2:], own[2:])]
    vectors = next(array for array in carried if array is not None).shape[:len(lead) + 1]
    flat = [None if array is None else array.reshape(-1, *array.shape[len(vectors):]) for array in carried]
    return tuple(part.reshape(vectors + part.shape[1:]) for part in _computed(static, *points, *flat))


def _computed(static: _Static, sources: Any, targets: Any, strengths: Any, dipoles: Any) -> tuple[Any, ...]:
    options, gradient, hessian = static
    field = autograd.sums(options, sources, targets, strengths, dipoles, gradient, hessian)
    return tuple(part for part in field if part is not None)


def _saved(static: _Static, *primals: Any) -> tuple[Field, Any]:
    """Names of what moves are keys, since a residual holds arrays alone."""
    wanted = {name: () for name, primal in zip(_inputs, primals) if primal is not None and primal.perturbed}
    values = tuple(None if primal is None else primal.value for primal in primals)
    return _sums(static, *values), (values, wanted)


def _backward(static: _Static, saved: Any, incoming: Field) -> tuple[Any, ...]:
    (sources, targets, strengths, dipoles), wanted = saved

    def sums(y: Any, x: Any, q: Any, p: Any, gradient: bool, hessian: bool) -> Field:
        found: Field = _sums((static[0], gradient, hessian), y, x, q, p)
        return found

    moved: Any = tuple(None if isinstance(part, _SymbolicZero) else part for part in incoming)
    found = pull_back(jax.numpy, sums, static[0], (sources, targets), (strengths, dipoles), moved, set(wanted))
    return tuple(found.get(name) if name in wanted else None for name in _inputs)


def forget() -> None:
    """Frees the plans that are kept for the next call, four at most."""
    autograd.forget()
    if platforms:
        _core.jax_forget()


_target = "farfield_sums"
#: where XLA calls the library itself: "cpu", "CUDA"
platforms: tuple[str, ...] = ()
if hasattr(_core, "jax_handlers"):
    for _platform, _handler in _core.jax_handlers().items():
        try:
            jax.ffi.register_ffi_target(_target, _handler, platform=_platform)
        except RuntimeError:  # a JAX whose interface is of another version than the headers
            continue
        platforms += (_platform,)

_sums = jax.custom_vjp(_forward, nondiff_argnums=(0,))
_sums.defvjp(_saved, _backward, symbolic_zeros=True)


def evaluate(sources: Array, strengths: Array | None = None, targets: Array | None = None, *, dipoles: Array | None = None,
             gradient: bool = False, hessian: bool = False, **options: Any) -> Field:
    """farfield.evaluate of arrays of one type, with derivatives of potential and gradient.

    sources (N, 3); strengths (N,) or (nd, N); targets (M, 3), None: the sources; dipoles (N, 3) or (nd, N, 3).
    """
    points: Any = tuple(None if array is None else jax.numpy.asarray(array) for array in (sources, targets))
    charges: Any
    moments: Any
    charges, moments = (None if array is None else jax.numpy.asarray(array) for array in (strengths, dipoles))
    checked(points, charges, moments)
    several = (moments[..., 0] if charges is None else charges).ndim > 1
    if not several:
        charges, moments = (None if array is None else array[None] for array in (charges, moments))
    field: Field = _sums((encode(**options), gradient, hessian), *points, charges, moments)
    return field if several else Field(*(None if part is None else part[0] for part in field))
