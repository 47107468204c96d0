"""Readers, writers and generators of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import _core
from ..arrays import Array, Host
from ..errors import UsageError
from ..result import Result
from .numbers import as_path, fitting, points

if TYPE_CHECKING:
    from os import PathLike


@dataclass(slots=True, repr=False)
class Bodies:
    """What a file holds of N bodies, all float64; None: it has none of it.

    positions (N, 3); strengths (N,) or (nd, N); dipoles (N, 3) or (nd, N, 3); potential (N,), gradient (N, 3) and
    hessian (N, 6), as others have computed them; columns: further numbers by name, (N,) each, such as vx, vy, vz; numbers:
    of the whole, such as time; description: one line; warnings: what was passed over, and why.
    """

    positions: Host
    strengths: Host | None = None
    dipoles: Host | None = None
    potential: Host | None = None
    gradient: Host | None = None
    hessian: Host | None = None
    columns: dict[str, Host] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)
    description: str = ""
    warnings: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def velocities(self) -> Host | None:
        """(N, 3) from the columns vx, vy and vz; None where one of them is missing."""
        import numpy as np

        if not all(name in self.columns for name in ("vx", "vy", "vz")):
            return None
        return np.stack([self.columns[name] for name in ("vx", "vy", "vz")], axis=1)

    def __repr__(self) -> str:
        held = [name for name in ("strengths", "dipoles", "potential", "gradient", "hessian")
                if getattr(self, name) is not None]
        return f"farfield.Bodies: {len(self):,} bodies with {', '.join([*held, *self.columns])}\n  {self.description}"


def files() -> Any:
    """_core, where it has the readers and writers."""
    if not hasattr(_core, "read"):
        raise UsageError("this farfield was built without files and pictures; install CLI11, fmt, nlohmann-json, zlib and "
                         "libpng, and the package again")
    return _core


def read(path: str | PathLike[str], *, format: str = "", delimiter: str = "",
         columns: Mapping[str, str] | None = None) -> Bodies:
    """Bodies of a file: csv, npy, npz, obj, ply, xyz, LAMMPS data, GADGET snapshot or ScaFaCoS xml, each also within gzip.

    format: one of `input_formats()`; else the first bytes or the extension tell.
    delimiter, columns: of csv; columns names x, y, z and q, as {"x": "ra", "q": "1"}.
    """
    return Bodies(**files().read(as_path(path), True, format, delimiter, list((columns or {}).items()), False, False))


def read_points(path: str | PathLike[str], *, format: str = "", delimiter: str = "",
                columns: Mapping[str, str] | None = None, line: bool = False, globe: bool = False) -> Bodies:
    """The same for targets and samples: strengths may be missing.

    line: of csv, y may be missing as z may; globe: columns named longitude and latitude stand for x and y.
    """
    return Bodies(**files().read(as_path(path), False, format, delimiter, list((columns or {}).items()), line, globe))


def write(path: str | PathLike[str], bodies: Bodies | Array, strengths: Array | None = None, *,
          dipoles: Array | None = None, result: Result | None = None, columns: Mapping[str, Array] | None = None,
          format: str = "") -> None:
    """Writes npz, csv or npy, as the command line does; a file appears whole or not at all.

    bodies: `Bodies`, or positions (N, 3) with strengths (N,) or (nd, N) and dipoles (N, 3) or (nd, N, 3).
    result: potential, gradient and Hessian of these bodies; those of `Bodies` where it is not given.
    columns: further numbers by name, (N,) each; read again they are `Bodies.columns`.
    format: npz, csv or npy; else the extension tells.
    """
    if not isinstance(bodies, Bodies):
        bodies = Bodies(bodies, strengths, dipoles)
    held: Any = bodies if result is None else result
    positions = points("positions", bodies.positions)
    n = len(positions)
    more = {**bodies.columns, **(columns or {})}
    files().write(as_path(path), format, positions, fitting("strengths", bodies.strengths, (n,), (-1, n)),
                  fitting("dipoles", bodies.dipoles, (n, 3), (-1, n, 3)),
                  [(name, fitting(name, values, (n,))) for name, values in more.items()],
                  fitting("potential", held.potential, (n,), (-1, n)),
                  fitting("gradient", held.gradient, (n, 3), (-1, n, 3)),
                  fitting("hessian", held.hessian, (n, 6), (-1, n, 6)))


def generate(kind: str, n: int, *, seed: int = 1, strengths: str = "natural", dipoles: bool = False) -> Bodies:
    """n bodies of one of `generator_kinds()`: galaxies, plummer, uniform, ...; same seed, same bodies.

    strengths: natural (masses for plummer and galaxies, else positive), unit, positive or mixed.
    dipoles: with components uniform in (-1/2, 1/2).
    """
    return Bodies(**files().generate(kind, n, seed, strengths, dipoles))


def generator_kinds() -> dict[str, str]:
    """Every kind with a line on it."""
    kinds: dict[str, str] = files().generator_kinds()
    return kinds


def input_formats() -> list[str]:
    """What `read` knows."""
    formats: list[str] = files().input_formats()
    return formats
