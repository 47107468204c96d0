"""The picture of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..arrays import Array
from .files import Bodies, files
from .numbers import as_path, fitting, points

if TYPE_CHECKING:
    from os import PathLike


def draw(path: str | PathLike[str], bodies: Bodies | Array, values: Array | None = None, *, title: str = "",
         label: str = "potential", size: tuple[int, int] = (1200, 900), axis: str = "",
         limits: tuple[float, float, float, float] | None = None) -> None:
    """Draws bodies, or positions (N, 3), as a PNG: brightness shows their number, colour the values.

    values: (N,), such as a potential; None: colour follows brightness. label: what they are.
    axis: look along x, y or z; else along that of the least extent.
    limits: left, right, low, high of what is shown at least.
    """
    positions = points("positions", bodies.positions if isinstance(bodies, Bodies) else bodies)
    if not title and isinstance(bodies, Bodies):
        title = bodies.description
    files().draw(as_path(path), positions, fitting("values", values, (len(positions),)), title, label, list(size), axis,
                 limits)
