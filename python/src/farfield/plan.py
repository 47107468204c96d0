"""Plan: set the points once, evaluate for as many strengths as wanted, move the points."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .arrays import Array, Intake, Taken, kind_of
from .device import DeviceArray, beside, for_core, stream_of
from .errors import DeviceError, InputError, UsageError
from .options import with_options
from .report import Report
from .result import Result, Wanted, as_kind, components

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import DirectOptions, Options


class _Points:
    """Sources and targets of a plan, as the library reads them."""

    __slots__ = ("sources", "softening", "targets", "target_softening")

    def __init__(self, intake: Intake, sources: Array, targets: Array | None, softening: Array | None,
                 target_softening: Array | None) -> None:
        self.sources = intake.points("sources", sources)
        self.targets = None if targets is None else intake.points("targets", targets)
        self.softening = _lengths(intake, "softening", softening, self.sources)
        self.target_softening = _lengths(intake, "target_softening", target_softening, self.targets)

    def arguments(self, stream: int) -> tuple[Any, Any, Any, Any]:
        return for_core(self.sources, stream), self.softening, for_core(self.targets, stream), self.target_softening

    def stream(self) -> int:
        return stream_of(self.sources, self.targets)

    def beside(self) -> AbstractContextManager[Any]:
        return beside(self.sources, self.targets)


def _lengths(intake: Intake, name: str, lengths: Array | None, points: Taken | None) -> Taken | None:
    if lengths is None:
        return None
    if points is None:
        raise UsageError(f"{name} was given without targets; pass softening for the sources")
    return intake.lengths(name, lengths, len(points))


class Plan:
    """Everything that does not depend on strengths: tree, lists, translation tables.

    sources: (N, 3), or (N, 2) for kernels of the plane; float64 or float32. Strided, transposed and read-only arrays
        are read where they lie; what has to be copied stands in `report.copies`.
    targets: (M, 3) of their own; None: the sources, each left out of its own sum.
    softening: a length, or one for each source, (N,); those of targets are `target_softening`, (M,).
    devices: numbers of GPUs that sum together, as [0, 1], with the bits of one; arrays are in host memory then. With
        backend="cpu" the numbers name nothing: as many ranks share the processors. None: one device, or the CPU.
    options: see help(farfield.options) or docs/python.md.

    Plans may run at the same time; one plan is used from one thread at a time. A plan that is pickled or copied is its
    points and options, and is planned again: it keeps references to the arrays of the caller, no copies.
    """

    def __init__(self, sources: Array, targets: Array | None = None, *, target_softening: Array | None = None,
                 devices: Sequence[int] | None = None, **options: Unpack[Options]) -> None:
        intake = Intake()
        keywords: dict[str, Any] = dict(options)
        softening = keywords.get("softening")
        if _is_array(softening):
            del keywords["softening"]
        else:
            softening = None
        points = _Points(intake, sources, targets, softening, target_softening)
        self._options = keywords
        self._devices = None if devices is None else _numbers_of(devices)
        self._cell: dict[str, float] = {}  # of the next move, where that is another
        self._require_host(points.sources, points.targets)
        with points.beside():
            stream = points.stream()
            self._core = _core.Plan(*points.arguments(stream), keywords, stream, self._devices)
        self._settle(intake, (sources, targets, softening, target_softening), points)

    def _settle(self, intake: Intake, given: tuple[Any, ...], points: _Points) -> None:
        """After points were set: what was given is the state of a pickled plan."""
        self._given = given
        self._counts = (len(points.sources), len(points.sources if points.targets is None else points.targets))
        self._report = Report()
        self._core.report(self._report)
        self._report.ranks = self._ranks()
        self._copies = self._report.copies = tuple(intake.copies)

    def _ranks(self) -> tuple[_core.RankReport, ...]:
        return tuple(self._core.ranks()) if self._devices is not None else ()

    def _require_host(self, *arrays: Taken | None) -> None:
        if self._devices is not None and any(isinstance(array, DeviceArray) for array in arrays):
            raise DeviceError("a plan over several devices reads and writes host memory; pass arrays there, as by .cpu() or "
                              ".get()")

    @property
    def report(self) -> Report:
        """Of the last build and evaluation."""
        return self._report

    @property
    def source_count(self) -> int:
        return self._counts[0]

    @property
    def target_count(self) -> int:
        return self._counts[1]

    @property
    def options(self) -> dict[str, Any]:
        """Those that were given."""
        return dict(self._options)

    def move(self, sources: Array, targets: Array | None = None, *, softening: Array | None = None,
             target_softening: Array | None = None) -> None:
        """Sets new positions with the same options, for the next time step; counts may change.

        What evaluations needed to keep the tolerance beyond what the points tell (a higher degree, double) is kept where
        there are about as many points; the report says so. `forget` before it gives the bits of a new plan.
        """
        intake = Intake()
        points = _Points(intake, sources, targets, softening, target_softening)
        self._require_host(points.sources, points.targets)
        with points.beside():
            stream = points.stream()
            self._core.move(*points.arguments(stream), stream)
        self._options.update(self._cell)
        self._settle(intake, (sources, targets, softening, target_softening), points)

    def set_cell(self, cell: Any) -> None:
        """Another periodic cell with the same axes, for barostats: from the next move on.

        cell: three lengths, or the vectors a, b, c as rows (3, 3), zeros for axes that do not repeat.
        """
        from .molecules.cell import rows_of  # not at the top: molecules are made of plans

        numbers = [float(x) for x in rows_of(cell).ravel()]
        self._core.set_cell(numbers)
        names = ("cell_x", "cell_ay", "cell_az", "cell_bx", "cell_y", "cell_bz", "cell_cx", "cell_cy", "cell_z")
        self._cell = dict(zip(names, numbers))

    def forget(self) -> None:
        """The next move decides as a new plan does, whatever evaluations needed; its results have the same bits."""
        self._core.forget()

    def check_replays(self) -> None:
        """Raises an InputError where replays of CUDA graphs that captured moves and evaluations of this plan met points
        beyond the skin, or strengths out of the range of those before. Waits for nothing: synchronise first.
        """
        self._core.check_replays()

    def evaluate(self, strengths: Array | None = None, dipoles: Array | None = None, *, out: Any = None) -> Result:
        """Sums for every strength vector.

        strengths: (N,), or (nd, N) for several densities; None where there are only dipoles.
        dipoles: (N, 3) or (nd, N, 3), of a plan with the option dipoles.
        out: where results go: an array for the first of them, a mapping of names to arrays, or an earlier Result.
        Results are of the type and the kind of the strengths.
        """
        intake = Intake()
        charges, moments = self._taken(intake, strengths, dipoles)
        carried = [array for array in (charges, moments) if array is not None]
        self._require_host(*carried)
        leading = carried[0].shape[:1] if carried[0].ndim > (1 if charges is not None else 2) else ()
        arrays = self._wanted(leading, carried[0].dtype).arrays(out, carried)
        self._require_host(*arrays.values())
        report = Report()
        virial = np.empty((*leading, 6)) if self._report.virial else None
        stream = stream_of(*carried, *arrays.values())
        outputs = _core.Outputs(**{name: for_core(array, stream) for name, array in arrays.items()}, virial=virial)
        self._core.evaluate(for_core(charges, stream), for_core(moments, stream), outputs, report, stream)
        report.copies, report.ranks = (*self._copies, *intake.copies), self._ranks()
        self._report = report
        if out is not None and not isinstance(out, np.ndarray):
            return _refilled(out, arrays, report, virial)
        as_given = out is not None or isinstance(carried[0], DeviceArray)  # a virial stays in host memory
        convert = None if as_given else kind_of(strengths if strengths is not None else dipoles)
        held = arrays if virial is None else {**arrays, "virial": virial}
        return Result(**as_kind(held, convert), report=report)

    def _taken(self, intake: Intake, strengths: Array | None,
               dipoles: Array | None) -> tuple[Taken | None, Taken | None]:
        """Both of one type, and of as many densities."""
        if strengths is None and dipoles is None:
            raise InputError("neither strengths nor dipoles were given; pass one of them")
        count = self._counts[0]
        charges = None if strengths is None else intake.strengths("strengths", strengths, count)
        moments = None if dipoles is None else intake.dipoles("dipoles", dipoles, count)
        if charges is None or moments is None:
            return charges, moments
        if charges.shape[:-1] != moments.shape[:-2]:
            raise InputError(f"strengths have shape {charges.shape} and dipoles {moments.shape}; pass as many densities "
                             "of both")
        if charges.dtype != moments.dtype:
            both = np.result_type(charges.dtype, moments.dtype)
            charges = intake.strengths("strengths", strengths, count, both)
            moments = intake.dipoles("dipoles", dipoles, count, both)
        return charges, moments

    def _wanted(self, leading: tuple[int, ...], dtype: Any) -> Wanted:
        report = self._report
        orders = [order for order in components if getattr(report, order)]
        sources, targets = self._counts
        counts = {"": targets}
        if self._options.get("at_sources") and self._given[1] is not None:
            counts["source_"] = sources
        return Wanted(orders, counts, leading, dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return _planned_again, (*self._given, self._options, self._devices)

    def __repr__(self) -> str:
        return f"farfield.Plan: {self.source_count:,} sources, {self.target_count:,} targets\n{self._report!r}"


def _densities_in(strengths: Array | None, dipoles: Array | None) -> int:
    """How many there are; 1 where shapes are wrong, which is said later."""
    shape = np.shape(strengths) if strengths is not None else np.shape(dipoles)[:-1] if dipoles is not None else ()
    return min(max(1, shape[0]), 1_000_000) if len(shape) == 2 else 1


def _is_array(softening: Any) -> bool:
    """Lengths of points themselves, not one for all."""
    return len(getattr(softening, "shape", None) or np.shape(softening)) > 0


def _planned_again(sources: Array, targets: Array | None, softening: Array | None, target_softening: Array | None,
                   options: dict[str, Any], devices: list[int] | None) -> Plan:
    if softening is not None:
        options = {**options, "softening": softening}
    return Plan(sources, targets, target_softening=target_softening, devices=devices, **options)


def _numbers_of(devices: Any) -> list[int]:
    try:
        return [operator.index(device) for device in devices]
    except TypeError:
        raise UsageError(f"devices is {devices!r}; pass a list of their numbers, as [0, 1]") from None


def _refilled(out: Any, arrays: dict[str, Taken], report: Report, virial: Taken | None) -> Result:
    """The arrays of the caller, as they were given."""
    if isinstance(out, Result):
        out.report, out.virial = report, virial
        return out
    named = {name: out[name] for name in arrays} if hasattr(out, "keys") else {next(iter(arrays)): out}
    return Result(**named, report=report, virial=virial)


def evaluate(sources: Array, strengths: Array | None = None, targets: Array | None = None, *,
             dipoles: Array | None = None, target_softening: Array | None = None, out: Any = None,
             devices: Sequence[int] | None = None, **options: Unpack[DirectOptions]) -> Result:
    """Plan(sources, targets, ...).evaluate(strengths, dipoles): for strengths that are summed once."""
    options.setdefault("densities", _densities_in(strengths, dipoles))
    plan = Plan(sources, targets, target_softening=target_softening, devices=devices, dipoles=dipoles is not None,
                **options)
    return plan.evaluate(strengths, dipoles, out=out)


def direct_sum(sources: Array, strengths: Array | None = None, targets: Array | None = None, *,
               dipoles: Array | None = None, target_softening: Array | None = None, out: Any = None,
               **options: Unpack[DirectOptions]) -> Result:
    """The exact O(N M) sum in the precision of the strengths; the arguments are those of `evaluate`."""
    if "precision" not in options:
        carried = [str(getattr(array, "dtype", "")) for array in (strengths, dipoles) if array is not None]
        options["precision"] = "single" if all(type_.endswith("float32") for type_ in carried) else "double"
    options["method"] = "direct"
    return evaluate(sources, strengths, targets, dipoles=dipoles, target_softening=target_softening, out=out, **options)


def memory_bound(source_count: int, target_count: int | None = None, **options: Unpack[Options]) -> int:
    """Upper bound in bytes of what a plan of these counts allocates, without running it."""
    return _core.memory_bound(source_count, source_count if target_count is None else target_count, dict(options))


with_options(Plan)
with_options(memory_bound)
for _one_shot in (evaluate, direct_sum):
    with_options(_one_shot)
