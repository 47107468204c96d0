"""Gravity of REBOUND's particles.

    import farfield.adapters.rebound
    forces = farfield.adapters.rebound.attach(simulation, tolerance=1e-6)
    simulation.integrate(10)          # leapfrog, ias15: integrators that take additional forces
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UsageError
from ..plan import Plan
from ..report import Report

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import DirectOptions

_members = ("x", "y", "z", "ax", "ay", "az", "m")


class Forces:
    """Adds accelerations to the particles whenever the integrator asks."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.calls = 0
        self._plan: Plan | None = None
        self._softening: float | None = None

    @property
    def report(self) -> Report | None:
        """Of the last call."""
        return None if self._plan is None else self._plan.report

    def __call__(self, pointer: Any) -> None:
        simulation = pointer.contents
        particles = _columns(simulation)
        positions = np.stack([particles[name] for name in "xyz"], axis=1)
        masses = particles["m"].copy()
        if 0 <= simulation.N_active < len(masses):  # the others are moved, and move nobody
            masses[simulation.N_active:] = 0
        if self._plan is None or simulation.softening != self._softening:
            self._softening = float(simulation.softening)
            self._plan = Plan(positions, **{"gradient": True, "softening": self._softening, **self.options})
        else:
            self._plan.move(positions)
        pull = simulation.G * self._plan.evaluate(masses).gradient
        for axis, name in enumerate(("ax", "ay", "az")):
            particles[name] += pull[:, axis]
        self.calls += 1


def _columns(simulation: Any) -> Any:
    """The particles where they lie."""
    first = simulation._particles.contents
    kind = type(first)
    layout = np.dtype({"names": list(_members), "formats": ["f8"] * len(_members),
                       "offsets": [getattr(kind, name).offset for name in _members], "itemsize": ctypes.sizeof(kind)})
    memory = (ctypes.c_char * (simulation.N * ctypes.sizeof(kind))).from_address(ctypes.addressof(first))
    return np.frombuffer(memory, dtype=layout)


def attach(simulation: Any, **options: Unpack[DirectOptions]) -> Forces:
    """Takes the place of `simulation.gravity`, with its G, softening and N_active; options are those of a Plan.

    Keep what is returned as long as the simulation runs: REBOUND does not.
    """
    if getattr(simulation, "N_var", 0):
        raise UsageError("variational particles need derivatives of the forces, which are not offered; remove them")
    forces = Forces(dict(options))
    simulation.gravity = "none"
    simulation.additional_forces = forces
    return forces
