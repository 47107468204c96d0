"""Vortex particles: the velocity that they induce, and how it stretches them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core
from .arrays import Array, Intake, kind_of
from .device import beside, for_core, stream_of
from .errors import InputError
from .options import with_options
from .report import Report

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import DirectOptions


@dataclass(slots=True, repr=False)
class VortexField:
    """velocity (M, 3); with the option hessian velocity_gradient (M, 3, 3), the derivative of component i along axis j
    in element [i, j], and, where the targets are the particles, stretching (N, 3) = (alpha . grad) u."""

    velocity: Array
    velocity_gradient: Array
    stretching: Array
    report: Report

    def __repr__(self) -> str:
        return f"farfield.VortexField: velocity {tuple(self.velocity.shape)}\n{self.report!r}"


class BiotSavart:
    """u(x) = sum_j alpha_j x (x - y_j) / (4 pi |x - y_j|^3); the option softening regularises as Rosenhead and Moore.

    particles: (N, 3); targets: (M, 3), None: the particles. Options are those of Plan, with kernel laplace3d.
    """

    def __init__(self, particles: Array, targets: Array | None = None, **options: Unpack[DirectOptions]) -> None:
        intake = Intake()
        self._options: dict[str, Any] = dict(options)
        self._given = (particles, targets)
        points = _points(intake, particles, targets)
        with beside(*points):
            stream = stream_of(*points)
            self._core = _core.BiotSavart(for_core(points[0], stream), for_core(points[1], stream), self._options, stream)
        self._count = len(points[0])
        self._copies = tuple(intake.copies)

    def move(self, particles: Array, targets: Array | None = None) -> None:
        """For the next time step, as Plan.move."""
        intake = Intake()
        points = _points(intake, particles, targets)
        with beside(*points):
            stream = stream_of(*points)
            self._core.move(for_core(points[0], stream), for_core(points[1], stream), stream)
        self._given = (particles, targets)
        self._count = len(points[0])
        self._copies = tuple(intake.copies)

    def evaluate(self, strengths: Array) -> VortexField:
        """strengths: (N, 3), a particle's vorticity times its volume."""
        intake = Intake()
        alpha = intake.contiguous("strengths", intake.dipoles("strengths", strengths, self._count))
        if alpha.ndim != 2:
            raise InputError(f"strengths have shape {alpha.shape}; {self._count} particles need ({self._count}, 3)")
        report = Report()
        field = self._core.evaluate(alpha, report)
        report.copies = (*self._copies, *intake.copies)
        convert = kind_of(strengths)
        velocity, gradient, stretching = (convert(a) if convert and a is not None else a for a in field)
        return VortexField(velocity, gradient, stretching, report)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (*self._given, self._options)


def _points(intake: Intake, particles: Array, targets: Array | None) -> tuple[Any, Any]:
    return (intake.points("particles", particles),
            None if targets is None else intake.points("targets", targets))


def _again(particles: Array, targets: Array | None, options: dict[str, Any]) -> BiotSavart:
    return BiotSavart(particles, targets, **options)


with_options(BiotSavart, leave_out="dipoles")
