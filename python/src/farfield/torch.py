"""Sums of torch's tensors with derivatives: an operator for autograd and torch.compile.

    import farfield.torch
    field = farfield.torch.evaluate(sources, charges, targets, tolerance=1e-6, gradient=True)
    field.potential.sum().backward()
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from . import autograd
from .arrays import Array
from .autograd import Field, checked, encode, forget, pull_back

__all__ = ["Field", "evaluate", "forget"]

torch: Any = import_module("torch")  # as Any: mypy must pass where torch is missing, too

_inputs = ("sources", "targets", "strengths", "dipoles")


def _compute(sources: Any, targets: Any, strengths: Any, dipoles: Any, options: str, gradient: bool,
             hessian: bool) -> tuple[Any, Any, Any]:
    y, x, q, p = (None if tensor is None else tensor.detach() for tensor in (sources, targets, strengths, dipoles))
    if q is not None and 0 in q.stride():  # one number for many, which a plan does not read
        q = q.contiguous()
    if p is not None and (p.stride(-1) != 1 or 0 in p.stride()):
        p = p.contiguous()
    field = autograd.sums(options, y, x, q, p, gradient, hessian)
    none = field.potential.new_empty  # each its own: outputs of an operator share no memory
    return field.potential, field.gradient if gradient or hessian else none(0), field.hessian if hessian else none(0)


_sums = torch.library.custom_op(
    "farfield::sums", _compute, mutates_args=(),
    schema="(Tensor sources, Tensor? targets, Tensor? strengths, Tensor? dipoles, str options, bool gradient, bool hessian)"
           " -> (Tensor, Tensor, Tensor)")


def _shapes(sources: Any, targets: Any, strengths: Any, dipoles: Any, options: str, gradient: bool,
            hessian: bool) -> tuple[Any, Any, Any]:
    carried = dipoles if strengths is None else strengths
    shape = (carried.shape[0], (sources if targets is None else targets).shape[0])
    return (carried.new_empty(shape), carried.new_empty((*shape, 3) if gradient or hessian else 0),
            carried.new_empty((*shape, 6) if hessian else 0))


def _asked(sources: Any, targets: Any, strengths: Any, dipoles: Any, options: str, gradient: bool, hessian: bool) -> Field:
    potential, first, second = _sums(sources, targets, strengths, dipoles, options, gradient, hessian)
    return Field(potential, first if gradient or hessian else None, second if hessian else None)


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
    ctx.save_for_backward(*inputs[:4])
    ctx.options = inputs[4]
    ctx.computed = True, inputs[5] or inputs[6], inputs[6]
    ctx.set_materialize_grads(False)  # zeros would cost sums of dipoles, and ask for third derivatives


def _backward(ctx: Any, *incoming: Any) -> tuple[Any, ...]:
    sources, targets, strengths, dipoles = ctx.saved_tensors
    wanted = {name for name, needed in zip(_inputs, ctx.needs_input_grad) if needed}

    def sums(y: Any, x: Any, q: Any, p: Any, gradient: bool, hessian: bool) -> Field:
        return _asked(y, x, q, p, ctx.options, gradient, hessian)

    a, w, third = (part if computed else None for part, computed in zip(incoming, ctx.computed))
    found = pull_back(torch, sums, ctx.options, (sources, targets), (strengths, dipoles), (a, w, third), wanted)
    return (*(found.get(name) if name in wanted else None for name in _inputs), None, None, None)


_sums.register_fake(_shapes)
_sums.register_autograd(_backward, setup_context=_save)
_constant_encode = torch.compiler.assume_constant_result(encode)


def evaluate(sources: Array, strengths: Array | None = None, targets: Array | None = None, *, dipoles: Array | None = None,
             gradient: bool = False, hessian: bool = False, **options: Any) -> Field:
    """farfield.evaluate of tensors of one type, with derivatives of potential and gradient.

    sources (N, 3); strengths (N,) or (nd, N); targets (M, 3), None: the sources; dipoles (N, 3) or (nd, N, 3).
    """
    checked((sources, targets), strengths, dipoles)
    carried: Any = dipoles if strengths is None else strengths
    several = carried.ndim > (2 if strengths is None else 1)
    if not several:
        strengths = None if strengths is None else strengths[None]
        dipoles = None if dipoles is None else dipoles[None]
    field = _asked(sources, targets, strengths, dipoles, _constant_encode(**options), gradient, hessian)
    return field if several else Field(*(None if part is None else part[0] for part in field))
