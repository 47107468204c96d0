"""Kernel density estimates: the command line's `kde`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core as _typed
from ..arrays import Array, Host
from ..bodies.files import files
from ..bodies.numbers import as_path, fitting, host
from ..errors import InputError, UsageError
from ..options import with_options
from ..report import Report

if TYPE_CHECKING:
    from os import PathLike

    from typing_extensions import Unpack

    from .._options import SumOptions

_core: Any = _typed


@dataclass(slots=True, repr=False)
class Density:
    """density: (M,) at the places, or on a grid (NY, NX) and the like, the last axis x; its integral is 1 over the whole,
    on the sphere per steradian. places: (M, d), those of a grid with x fastest. axes: of a grid, the places along x, y, ...
    bandwidth: the matrix H (d, d) of the kernels, on the sphere degrees. rule: that found it, or None. sources: points that
    were summed, with their images along periodic axes.
    """

    density: Host
    places: Host
    axes: tuple[Host, ...] | None
    bandwidth: Any
    rule: str | None
    sources: int
    sphere: bool
    report: Report
    _grid: Any = None

    @property
    def integral(self) -> float:
        """Of a grid, over all of it."""
        return float(self._whole("integral").integral(self.density.ravel()))

    def draw(self, path: str | PathLike[str], *, title: str = "", coast: str | PathLike[str] = "") -> None:
        """A PNG of a density on a grid of a line, the plane, or the globe. coast: TopoJSON or GeoJSON to draw over it."""
        grid = self._whole("draw")
        axes = self.axes or ()
        if len(axes) > 2:
            raise UsageError("a grid in space cannot be drawn; farfield.draw takes points and their density")
        files().draw_density(as_path(path), self.density, axes[0], grid.limits(), self.sphere, title, as_path(coast))

    def _whole(self, name: str) -> Any:
        if self._grid is None:
            raise UsageError(f"{name} needs a density on a grid; pass grid=")
        return self._grid

    def __repr__(self) -> str:
        return f"farfield.Density: {self.density.shape}, bandwidth {self.bandwidth}\n{self.report!r}"


def _sample(points: Array, weights: Array | None) -> tuple[Host, Host]:
    sample = host("points", points)
    if sample.ndim == 1:
        sample = sample[:, None]
    if sample.ndim != 2 or sample.shape[1] not in (1, 2, 3):
        raise InputError(f"points have shape {sample.shape}; pass (N,), (N, 2) or (N, 3)")
    given = fitting("weights", weights, (len(sample),))
    return sample, np.ones(len(sample)) if given is None else given


def _periods(periodic: Sequence[float | None] | float | None, dimension: int) -> list[float]:
    lengths: list[float | None] = [None] if periodic is None else list(np.atleast_1d(np.asarray(periodic, dtype=object)))
    if len(lengths) > dimension:
        raise InputError(f"periodic has {len(lengths)} lengths, and the points {dimension} coordinates; give one for each, "
                         "None for those that are not periodic")
    cell = [0.0 if length is None else float(length) for length in lengths]
    if any(given is not None and not 0 < length < np.inf for given, length in zip(lengths, cell)):
        raise InputError(f"periodic is {periodic}; a period must be a finite number above 0")
    return cell + [0.0] * (3 - len(cell))


def _factor(bandwidth: Any, dimension: int) -> Host:
    """L of H = L L^T."""
    given = np.asarray(bandwidth, dtype=float)
    if given.ndim == 2 and given.shape == (dimension, dimension):
        try:
            return np.ascontiguousarray(np.linalg.cholesky(given))
        except np.linalg.LinAlgError:
            raise InputError("bandwidth is no positive definite matrix; pass H, the covariance of a kernel") from None
    if given.shape not in ((), (1,), (dimension,)):
        raise InputError(f"bandwidth has shape {given.shape}; pass one number, ({dimension},) of them, a matrix "
                         f"({dimension}, {dimension}), or a rule")
    return np.diag(np.broadcast_to(given, (dimension,)).astype(float))


class _Line:
    """Points with open or periodic axes."""

    def __init__(self, points: Host, weights: Host, bandwidth: Any, cell: list[float]) -> None:
        self.points, self.weights, self.cell = points, weights, cell
        dimension = points.shape[1]
        by_rule = isinstance(bandwidth, str)
        self.factor = (_core.bandwidth_factor(bandwidth, points, weights, cell) if by_rule
                       else _factor(bandwidth, dimension))
        self.bandwidth: Any = self.factor @ self.factor.T

    def grid(self, counts: list[int]) -> Any:
        return _core.grid_around(self.points, self.weights, self.factor, self.cell, counts + [1] * (3 - len(counts)))

    def at(self, targets: Host | None, options: dict[str, Any], report: Report) -> Any:
        return _core.density(self.points, self.weights, targets, self.factor, self.cell, options, report)


class _Sphere:
    """Longitudes and latitudes."""

    def __init__(self, points: Host, weights: Host, bandwidth: Any) -> None:
        self.points, self.weights = points, weights
        self.bandwidth: Any = (_core.bandwidth_on_sphere(bandwidth, points, weights) if isinstance(bandwidth, str)
                               else float(bandwidth))

    def grid(self, counts: list[int]) -> Any:
        return _core.grid_of_globe(*counts)

    def at(self, targets: Host | None, options: dict[str, Any], report: Report) -> Any:
        return _core.density_on_sphere(self.points, self.weights, targets, self.bandwidth, options, report)


def _counts(grid: Sequence[int] | int, dimension: int) -> list[int]:
    counts = [int(count) for count in np.atleast_1d(grid)]
    if len(counts) != dimension or min(counts) < 1:
        raise InputError(f"grid is {grid}; pass {dimension} number(s) of places, 1 or more, for points of {dimension} "
                         "coordinate(s)")
    return counts


def kde(points: Array, weights: Array | None = None, targets: Array | None = None, *, bandwidth: Any = "silverman",
        grid: Sequence[int] | int | None = None, periodic: Sequence[float | None] | float | None = None,
        sphere: bool = False, **options: Unpack[SumOptions]) -> Density:
    """p(x) = sum_j w_j exp(-(x - y_j)^T H^-1 (x - y_j) / 2) / (sum_j w_j sqrt(det(2 pi H))).

    points: (N,), (N, 1), (N, 2) or (N, 3); with sphere (N, 2): longitude and latitude in degrees.
    weights: (N,), none below 0; None: each point counts 1.
    targets: (M, d), where the density is wanted; None: at the points themselves.
    grid: how many places along x, y, ... of a grid around the points, or of the globe; instead of targets.
    bandwidth: standard deviation of the kernels (on the sphere in degrees), one for each axis, the matrix H (d, d), or a
        rule: scott, silverman, isj (Botev, Grotowski & Kroese 2010).
    periodic: the period of each axis, None for an open one.
    tolerance and the other options are those of a Plan; the error is relative to the L2 norm of all densities.
    """
    sample, counted = _sample(points, weights)
    dimension = sample.shape[1]
    if grid is not None and targets is not None:
        raise UsageError("grid and targets both say where; give one of them")
    if sphere and (dimension != 2 or periodic is not None):
        raise InputError("points on the sphere are (N, 2), longitude and latitude, and have no periodic axes")
    asked: Any = (_Sphere(sample, counted, bandwidth) if sphere
                  else _Line(sample, counted, bandwidth, _periods(periodic, dimension)))
    whole = None if grid is None else asked.grid(_counts(grid, dimension))
    where = None
    if whole is not None:
        where = whole.points()
    elif targets is not None:
        where = fitting("targets", np.reshape(host("targets", targets), (-1, dimension)), (-1, dimension))
    report = Report()
    found, sources = asked.at(where, dict(options), report)
    axes = None
    if whole is not None:
        axes = tuple(whole.places(axis) for axis in range(dimension))
        found = found.reshape([len(axis) for axis in reversed(axes)])
    return Density(found, sample if where is None else where, axes, asked.bandwidth,
                   bandwidth if isinstance(bandwidth, str) else None, sources, sphere, report, whole)


with_options(kde)
