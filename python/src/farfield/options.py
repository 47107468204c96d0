"""Options as keyword arguments: their signature and documentation, from the list that the library has."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from . import _core

_Documented = TypeVar("_Documented", bound=Callable[..., Any])


def table() -> str:
    """A line for each option."""
    lines = []
    for option in _core.options():
        values = " | ".join(option.words) if option.words else option.type
        lines.append(f"    {option.name} = {option.initial!r}: {option.help}{' ' if option.help else ''}[{values}]")
    return "\n".join(lines)


def with_options(callable_: _Documented, leave_out: str = "") -> _Documented:
    """Puts all options into the signature, in the place of **options."""
    signature = inspect.signature(callable_)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    taken = {p.name for p in own} | {leave_out}
    more = [inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=option.initial)
            for option in _core.options() if option.name not in taken]
    callable_.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    return callable_
