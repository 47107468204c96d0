"""Bodies that move under their own gravity: the command line's `simulate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..arrays import Array, Host
from ..errors import InputError, UsageError
from ..options import with_options
from ..report import Report
from .files import Bodies
from .numbers import fitting, points

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import DirectOptions


@dataclass(slots=True)
class History:
    """What tells whether a motion can be believed: a row for each time that was looked at, T in all.

    step, time, kinetic, potential, total, virial_ratio (2 K / |W|), energy_change ((E - E0) / |E0|): (T,); momentum,
    angular_momentum (about the origin), centre (of mass): (T, 3).
    """

    step: Host
    time: Host
    kinetic: Host
    potential: Host
    total: Host
    virial_ratio: Host
    energy_change: Host
    momentum: Host
    angular_momentum: Host
    centre: Host


class Simulation:
    """N bodies under their own gravity, by the leapfrog kick, drift, kick with a fixed step.

    bodies: `Bodies` with velocities and masses as its strengths, or positions (N, 3) with masses (N,); velocities
        (N, 3), None: those of the bodies, or at rest.
    dt: length of a step; gravity: the constant G in the units of the bodies.
    options: tolerance, softening (one length, or (N,)), softening_kind, method, backend, threads, ... as of a Plan.
    """

    def __init__(self, bodies: Bodies | Array, masses: Array | None = None, velocities: Array | None = None, *, dt: float,
                 gravity: float = 1.0, **options: Unpack[DirectOptions]) -> None:
        if isinstance(bodies, Bodies):
            masses = bodies.strengths if masses is None else masses
            velocities = bodies.velocities if velocities is None else velocities
            bodies = bodies.positions
        if masses is None:
            raise InputError("no masses were given; pass (N,) of them")
        positions = points("positions", bodies)
        n = len(positions)
        moving = np.zeros((n, 3)) if velocities is None else fitting("velocities", velocities, (n, 3))
        keywords: dict[str, Any] = dict(options)
        lengths = None
        if len(np.shape(keywords.get("softening", 0.0))) > 0:
            lengths = fitting("softening", keywords.pop("softening"), (n,))
        self.dt, self.gravity = float(dt), float(gravity)
        core: Any = _core
        self._core = core.Motion(positions, moving, fitting("masses", masses, (n,)), lengths, self.dt, self.gravity, keywords)
        self._step, self._rows = 0, [(0, self._core.diagnose())]
        self._bodies: tuple[Host, Host, Host] | None = None

    def step(self, steps: int = 1, *, energies: int = 1) -> None:
        """So many steps; every so many of them a row of `history`, and after the last one."""
        if steps < 0 or energies < 1:
            raise UsageError(f"steps is {steps} and energies {energies}; pass 0 or more steps, and 1 or more")
        end = self._step + steps
        while self._step < end:
            self._bodies = None
            self._core.step()
            self._step += 1
            if self._step % energies and self._step < end:
                continue
            row = self._core.diagnose()
            if not np.isfinite(row[0]):
                raise InputError(f"in step {self._step} bodies left the range of numbers; use a smaller dt, or a larger "
                                 "softening")
            self._rows.append((self._step, row))

    @property
    def time(self) -> float:
        return self._step * self.dt

    @property
    def positions(self) -> Host:
        """(N, 3), a copy, as are velocities and potential."""
        return self._now()[0]

    @property
    def velocities(self) -> Host:
        """(N, 3)."""
        return self._now()[1]

    @property
    def potential(self) -> Host:
        """(N,), per unit of mass."""
        return self._now()[2]

    def _now(self) -> tuple[Host, Host, Host]:
        if self._bodies is None:
            self._bodies = self._core.bodies()
        return self._bodies

    @property
    def history(self) -> History:
        steps = np.array([step for step, _ in self._rows])
        rows = np.stack([row for _, row in self._rows])
        change = np.array([_core.energy_change(row, rows[0]) for row in rows])
        kinetic, potential, total, virial_ratio = rows[:, :4].T
        return History(steps, steps * self.dt, kinetic, potential, total, virial_ratio, change, rows[:, 4:7], rows[:, 7:10],
                       rows[:, 10:])

    @property
    def report(self) -> Report:
        """Of the last sum."""
        report = Report()
        self._core.report(report)
        return report

    def __repr__(self) -> str:
        last = self.history
        return (f"farfield.Simulation: time {self.time:g} after {self._step} steps, energy {last.total[-1]:.6g}, changed by "
                f"{last.energy_change[-1]:.2g}\n{self.report!r}")


def simulate(bodies: Bodies | Array, masses: Array | None = None, velocities: Array | None = None, *, dt: float,
             steps: int, gravity: float = 1.0, energies: int = 1, **options: Unpack[DirectOptions]) -> Simulation:
    """Simulation(bodies, masses, velocities, dt=dt, ...) after so many steps; `.history` has the energies."""
    simulation = Simulation(bodies, masses, velocities, dt=dt, gravity=gravity, **options)
    simulation.step(steps, energies=energies)
    return simulation


with_options(Simulation)
with_options(simulate)
