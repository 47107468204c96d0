"""Coulomb forces of OpenMM's systems, in place of its particle-mesh Ewald, reaction field or sum over all pairs.

    from farfield.adapters.openmm import replace_coulomb
    system = forcefield.createSystem(topology, nonbondedMethod=PME, constraints=HBonds)
    replace_coulomb(system, tolerance=1e-5)      # before a Context or a Simulation is made of it

Needs OpenMM 8.5 or later, any platform of it.
"""

from __future__ import annotations

import atexit
from importlib import import_module
from threading import Lock
from typing import Any
from weakref import WeakSet

import numpy as np

from ..arrays import Host
from ..errors import UsageError
from ..molecules import Coulomb, CoulombSums

#: 1 / (4 pi eps0) as OpenMM has it (SimTKOpenMMRealType.h), kJ/mol nm of charges e
coulomb_constant = 138.93545764438198

_settled = {"cell": "the context's", "pbc": "the NonbondedForce's", "exclusions": "the NonbondedForce's exceptions",
            "coulomb_constant": "OpenMM's", "virial": "not asked for by OpenMM",
            "surface": "tinfoil, since OpenMM may break molecules at the border of the cell"}


_living: WeakSet[SumOfContext] = WeakSet()


@atexit.register
def _let_go() -> None:
    """OpenMM keeps what it made of XML to the end of the process, when plans can no longer be taken down."""
    for summed in list(_living):
        summed._start()


def replace_coulomb(system: Any, tolerance: float = 1e-5, *, nonbonded: Any = None, **options: Any) -> Any:
    """Takes the charges out of the system's NonbondedForce and adds an openmm.PythonForce that sums them by Farfield.

    The sum is over all pairs, and over all images where the NonbondedForce is periodic (tin-foil; a net charge has its
    uniform background): cutoff, Ewald's tolerance and reaction field have no meaning for charges any more. Pairs with an
    exception are left out of it; what an exception has in their place (chargeProd, of 1-4 pairs) stays where it is, and so
    do all Lennard-Jones terms. Charges that depend on global parameters (particle parameter offsets) go on doing so.
    The new force has the force group that the reciprocal space or else the NonbondedForce had.

    tolerance: relative L2 error of the forces and of the potential. options: those of farfield.Coulomb, e.g. backend,
    threads, remove_net_force, tolerance_for="gradient" where forces alone count, skin; precision is "auto" here: single
    where that reaches the tolerance, as OpenMM's own sums. nonbonded: which NonbondedForce, where there is more than one.

    Returns the force, which is the system's already. Its attribute `sum` has the last `report`; a copy of the system that
    went through XML has the same sums, and no such attribute. Charges are read here, once: what is changed by
    setParticleParameters or addException afterwards is not seen.
    """
    for name in options:
        if name in _settled:
            raise UsageError(f"{name} is {_settled[name]}; leave it out")
    openmm: Any = import_module("openmm")
    if not hasattr(openmm, "PythonForce"):
        raise UsageError(f"OpenMM {openmm.__version__} has no PythonForce; install OpenMM 8.5 or later")
    nonbonded = _the_one(system, openmm) if nonbonded is None else nonbonded
    summed = SumOfContext(nonbonded, {"tolerance": tolerance, "precision": "auto", **options})
    force = openmm.PythonForce(summed, summed.parameters)
    force.setName("FarfieldCoulomb")
    force.setUsesPeriodicBoundaryConditions(summed.periodic)
    reciprocal = nonbonded.getReciprocalSpaceForceGroup()
    force.setForceGroup(reciprocal if reciprocal >= 0 else nonbonded.getForceGroup())
    _discharge(nonbonded)
    force.sum = summed
    system.addForce(force)
    return force


def _the_one(system: Any, openmm: Any) -> Any:
    found = [force for force in system.getForces() if isinstance(force, openmm.NonbondedForce)]
    if len(found) != 1:
        raise UsageError(f"the system has {len(found)} NonbondedForces; "
                         + ("add one with its charges first" if not found else "pass nonbonded, the one to change"))
    return found[0]


def _discharge(nonbonded: Any) -> None:
    """No charges, and no mesh for them; exceptions keep theirs."""
    for particle in range(nonbonded.getNumParticles()):
        _, sigma, epsilon = nonbonded.getParticleParameters(particle)
        nonbonded.setParticleParameters(particle, 0.0, sigma, epsilon)
    for offset in range(nonbonded.getNumParticleParameterOffsets()):
        name, particle, _, sigma, epsilon = nonbonded.getParticleParameterOffset(offset)
        nonbonded.setParticleParameterOffset(offset, name, particle, 0.0, sigma, epsilon)
    if nonbonded.getNonbondedMethod() in (nonbonded.Ewald, nonbonded.PME):
        nonbonded.setNonbondedMethod(nonbonded.CutoffPeriodic)


class SumOfContext:
    """What the PythonForce calls: energy and forces of a state. It can be pickled; the copy plans anew.

    parameters: the global parameters that charges depend on, with their defaults. calls: how many there were.
    """

    def __init__(self, nonbonded: Any, options: dict[str, Any]) -> None:
        elementary = _elementary_charge()
        count = nonbonded.getNumParticles()
        given = (nonbonded.getParticleParameters(i)[0] for i in range(count))
        self.charges = np.array([charge.value_in_unit(elementary) for charge in given], dtype=float)
        pairs = [nonbonded.getExceptionParameters(i)[:2] for i in range(nonbonded.getNumExceptions())]
        self.exclusions = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        self.periodic = bool(nonbonded.usesPeriodicBoundaryConditions())
        self.options = dict(options)
        offsets = [nonbonded.getParticleParameterOffset(i)[:3] for i in range(nonbonded.getNumParticleParameterOffsets())]
        self.offsets = [(str(name), int(particle), float(scale)) for name, particle, scale in offsets if scale]
        needed = {name for name, _, _ in self.offsets}
        defaults = {nonbonded.getGlobalParameterName(i): float(nonbonded.getGlobalParameterDefaultValue(i))
                    for i in range(nonbonded.getNumGlobalParameters())}
        self.parameters = {name: value for name, value in defaults.items() if name in needed}
        self._start()
        self._plan_for(self.parameters, np.eye(3) if self.periodic else None)  # refuses here what it would refuse later

    def _start(self) -> None:
        _living.add(self)
        self.calls = 0
        self._last: CoulombSums | None = None
        self._plan: Coulomb | None = None
        self._cell: Host | None = None
        self._values: dict[str, float] = {}
        self._lock = Lock()  # contexts of one system share this object, and each may have a thread of its own

    def __getstate__(self) -> dict[str, Any]:
        kept = ("charges", "exclusions", "periodic", "options", "offsets", "parameters")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    @property
    def report(self) -> Any:
        """Of the last call; None before."""
        return None if self._last is None else self._last.report

    def __call__(self, state: Any) -> tuple[float, Host]:
        """kJ/mol, and kJ/mol/nm (N, 3)."""
        # State's quantities are in OpenMM's own units, nm among them.
        positions = state.getPositions(asNumpy=True)._value
        cell = state.getPeriodicBoxVectors(asNumpy=True)._value if self.periodic else None
        values = {name: float(state.getParameters()[name]) for name in self.parameters}
        with self._lock:
            plan, self._plan = self._plan_for(values, cell), None  # where something is refused, the next call starts anew
            self._last = plan.evaluate(np.asarray(positions, dtype=float))
            self._plan = plan
            self.calls += 1
            return self._last.energy, self._last.forces

    def _plan_for(self, values: dict[str, float], cell: Host | None) -> Coulomb:
        """That of the last call, where only positions changed, or parameters, or the cell."""
        if self._plan is None:
            plan = Coulomb(self._charges_at(values), cell=cell, pbc=self.periodic, exclusions=self.exclusions,
                           coulomb_constant=coulomb_constant, **self.options)
        else:
            plan = self._plan
            if values != self._values:
                plan.set_charges(self._charges_at(values))
            if cell is not None and (self._cell is None or not np.array_equal(cell, self._cell)):
                plan.set_cell(cell)
        self._cell, self._values = cell, values
        return plan

    def _charges_at(self, values: dict[str, float]) -> Host:
        charges = self.charges.copy()
        for name, particle, scale in self.offsets:
            charges[particle] += values[name] * scale
        return charges


def _elementary_charge() -> Any:
    return import_module("openmm.unit").elementary_charge
