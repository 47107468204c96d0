"""Coulomb sums of molecules: energy, potential, forces and virial, in open space or in a periodic cell, bonds left out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .. import _core
from ..arrays import Array, Host, Intake, Taken
from ..bodies.numbers import fitting
from ..device import DeviceArray, beside, for_core, stream_of
from ..errors import InputError, UsageError
from ..report import Report
from .cell import Cell
from .exclusions import taken
from .result import CoulombSums

_settled = ("kernel", "scale", "gradient", "hessian", "dipoles", "densities", "at_sources", "periodic", "softening")


class Coulomb:
    """Coulomb sums for a run: charges, cell and bonds are set once, positions change.

    charges: (N,).
    cell: three lengths, or the vectors a, b, c as rows (3, 3), of any orientation and handedness; positions need no
        wrapping. pbc: True, or three of True and False, one for each vector; by default True with a cell. Rows of open
        axes are not read.
    surface: "tinfoil", "vacuum", or the dielectric constant outside, as from a sphere of cells; the last two with three
        periodic axes and neutral systems. The dipole is that of `evaluate`, or of the positions, with a warning.
    background: "neutralize" spreads the opposite of a net charge over the cell, "error" refuses one. With one or two
        periodic axes a net charge is an error.
    exclusions: pairs (M, 2), or a tuple (ptr, idx) or (ptr, idx, keep) of compressed rows, in which each pair stands in
        the rows of both; keep: the fraction that stays, 0 by default; or exclusions_of_bonds(...). They are taken off at
        their shortest image, in double; with precision="single" the sum that they are taken off is rounded before.
    tolerance: relative L2 error of the potential and of the forces, exclusions applied: where they leave less than there
        was, the sum is planned again more tightly. With two_charge_force, that of two unit charges 1 Angstrom apart in
        the units of the forces, it is LAMMPS' accuracy: the rms error of forces over this.
    virial: give the virial, too, which takes a few times as long with periodic axes: exclusions and surface applied, minus
        the derivative of the energy by a strain of cell and positions. Its error is that of the forces, times how far apart
        the cell's points are (docs/mathematics/periodic.md).
    coulomb_constant: of the energies, e.g. 332.06371 for charges e, Angstrom and kcal/mol.
    options: others of a Plan, e.g. threads, method, check.

    Arrays are NumPy's, or others in host memory; results are NumPy's, in double. Of positions on a CUDA device, of torch or
    CuPy, potential, forces and energies are of their kind and type, and nothing but sums goes over the bus. Charges may
    lie there, too; they are read in each evaluation.
    """

    def __init__(self, charges: Array, *, cell: Any = None, pbc: Any = None, surface: str | float = "tinfoil",
                 background: str = "neutralize", exclusions: Any = None, tolerance: float = 1e-6,
                 precision: str = "double", backend: str = "auto", coulomb_constant: float = 1.0,
                 remove_net_force: bool = False, virial: bool = False, two_charge_force: float = 0.0,
                 **options: Any) -> None:
        for name in options:
            if name in _settled or name.startswith("cell_"):
                raise UsageError(f"{name} is settled by Coulomb sums themselves; leave it out, or use farfield.Plan")
        self._pbc, self._exclusions = pbc, exclusions
        self._more = {"surface": _outside(surface), "background": background, "coulomb_constant": coulomb_constant,
                      "remove_net_force": remove_net_force, "two_charge_force": two_charge_force}
        self._options = {"tolerance": tolerance, "precision": precision, "backend": backend, "virial": virial, **options}
        self._charges = _charges_of(charges)
        self._pairs = taken(exclusions, len(self._charges))
        self._sum: Any = None
        self.set_cell(cell)

    def set_cell(self, cell: Any) -> None:
        """Another cell with the same periodic axes; the next evaluation moves the plan into it."""
        found = Cell(cell, self._pbc)
        self._require_sense(found, self._charges)
        self._cell, self._moved = found, True

    def set_charges(self, charges: Array) -> None:
        """Other charges of the same particles."""
        found = _charges_of(charges)
        if found.shape != self._charges.shape:
            raise InputError(f"charges have shape {found.shape}; this plan is of {len(self._charges)} particles")
        self._require_sense(self._cell, found)
        self._charges = found

    def evaluate(self, positions: Array, *, dipole: Any = None) -> CoulombSums:
        """positions: (N, 3). dipole: (3,), that of whole molecules, for surfaces other than tinfoil."""
        places = _taken("positions", positions, (len(self._charges), 3))
        moment = fitting("dipole", dipole, (3,))
        self._place(places)
        shapes = {"potential": (len(places),), "forces": (len(places), 3), "energies": (len(places),)}
        make = places.empty if isinstance(places, DeviceArray) else np.empty
        arrays: dict[str, Any] = {name: make(shape) for name, shape in shapes.items()}
        stream = stream_of(places, self._charges)
        potential, forces, energies = (for_core(array, stream) for array in arrays.values())
        report = Report()
        numbers = self._sum.evaluate(for_core(self._charges, stream), moment, _core.Outputs(potential, forces), energies, report,
                                     stream)
        kept = {name: array.source if isinstance(array, DeviceArray) else array for name, array in arrays.items()}
        found = CoulombSums(**kept, **numbers, report=report)
        for line in report.warnings:
            if moment is None and "whole molecules" in line:
                warnings.warn(line, stacklevel=2)
        return found

    def _place(self, places: Taken) -> None:
        with beside(places):
            stream = stream_of(places)
            at = for_core(places, stream)
            if self._sum is None:
                options = {**self._options, **self._cell.options()}
                self._sum = _core.Coulomb(at, options, self._more, self._pairs, stream)
            else:
                self._sum.move(at, np.ascontiguousarray(self._cell.rows) if self._moved else None, stream)
        self._moved = False

    def _require_sense(self, cell: Cell, charges: Taken) -> None:
        """What has a meaning in this cell; the library's sentence where something has none. Of charges on a device it is
        told when they are summed."""
        known = np.empty(0) if isinstance(charges, DeviceArray) else charges
        _core.Coulomb.validate({**self._options, **cell.options()}, self._more, known)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_sum": None, "_pairs": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._pairs = taken(self._exclusions, len(self._charges))


def _taken(name: str, array: Array, shape: tuple[int, ...]) -> Taken:
    """As it lies on a device, or doubles one after another in host memory."""
    given = Intake()._numbers(name, array)
    if given.shape != shape:
        raise InputError(f"{name} have shape {given.shape}, not {shape}")
    return given if isinstance(given, DeviceArray) else np.ascontiguousarray(given, dtype=np.float64)


def _charges_of(charges: Array) -> Taken:
    """Those in host memory are copied."""
    given = Intake()._numbers("charges", charges)
    if given.ndim != 1:
        raise InputError(f"charges have shape {given.shape}; pass (N,)")
    return given if isinstance(given, DeviceArray) else np.array(given, dtype=np.float64)


def _outside(surface: Any) -> float:
    """The dielectric constant, 0 for an infinite one."""
    constant = {"tinfoil": np.inf, "vacuum": 1.0}.get(surface) if isinstance(surface, str) else surface
    if isinstance(constant, bool) or not isinstance(constant, (int, float, np.number)) or not constant > 0:
        raise UsageError(f'surface is {surface!r}; pass "tinfoil", "vacuum", or a dielectric constant above 0')
    return 0.0 if np.isinf(constant) else float(constant)


def coulomb(positions: Array, charges: Array, *, cell: Any = None, pbc: Any = None, surface: str | float = "tinfoil",
            background: str = "neutralize", exclusions: Any = None, tolerance: float = 1e-6, dipole: Any = None,
            precision: str = "double", backend: str = "auto", coulomb_constant: float = 1.0,
            remove_net_force: bool = False, virial: bool = False, two_charge_force: float = 0.0,
            **options: Any) -> CoulombSums:
    """Energy, potential, forces and virial of charges, in open space or in a periodic cell; arguments are those of Coulomb."""
    plan = Coulomb(charges, cell=cell, pbc=pbc, surface=surface, background=background, exclusions=exclusions,
                   tolerance=tolerance, precision=precision, backend=backend, coulomb_constant=coulomb_constant,
                   remove_net_force=remove_net_force, virial=virial, two_charge_force=two_charge_force, **options)
    return plan.evaluate(positions, dipole=dipole)
