"""Coulomb sums of molecules: energy, potential, forces and virial, in open space or in a periodic cell, bonds left out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..arrays import Array, Host
from ..bodies.numbers import fitting, host
from ..errors import InputError, UsageError
from ..plan import Plan
from ..result import Result
from .cell import Cell
from .exclusions import Exclusions
from .result import CoulombSums

_neutral = 1e-9  # of the sum of |charges|: what the library takes for neutral with one or two periodic axes
_tightest = {"single": 1e-6, "double": 1e-12, "auto": 1e-12}  # what a plan is tightened to: what plans take
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
        the rows of both; keep: the fraction that stays, 0 by default. They are taken off at their shortest image, in
        double; with precision="single" the sum that they are taken off is rounded before.
    tolerance: relative L2 error of the potential and of the forces, exclusions applied: where they leave less than there
        was, the sum is planned again more tightly.
    virial: give the virial, too, which takes a few times as long with periodic axes: exclusions and surface applied, minus
        the derivative of the energy by a strain of cell and positions. Its error is that of the forces, times how far apart
        the cell's points are (docs/mathematics/periodic.md).
    coulomb_constant: of the energies, e.g. 332.06371 for charges e, Angstrom and kcal/mol.
    options: others of a Plan, e.g. threads, method, check.

    Arrays are NumPy's, or others in host memory; results are NumPy's, in double.
    """

    def __init__(self, charges: Array, *, cell: Any = None, pbc: Any = None, surface: str | float = "tinfoil",
                 background: str = "neutralize", exclusions: Any = None, tolerance: float = 1e-6,
                 precision: str = "double", backend: str = "auto", coulomb_constant: float = 1.0,
                 remove_net_force: bool = False, virial: bool = False, **options: Any) -> None:
        for name in options:
            if name in _settled or name.startswith("cell_"):
                raise UsageError(f"{name} is settled by Coulomb sums themselves; leave it out, or use farfield.Plan")
        if background not in ("neutralize", "error"):
            raise UsageError(f'background is {background!r}; pass "neutralize" or "error"')
        self._background, self._surface, self._pbc = background, _outside(surface), pbc
        self._tolerance, self._constant, self._remove = tolerance, float(coulomb_constant), remove_net_force
        self._options: dict[str, Any] = {"precision": precision, "backend": backend, "virial": virial, **options}
        self._floor, self._asked = _tightest.get(precision, 1.0), tolerance
        self._plan: Plan | None = None
        self._charges = _numbers_of("charges", charges)
        self._excluded = None if exclusions is None else Exclusions(exclusions, len(self._charges))
        self.set_cell(cell)

    def set_cell(self, cell: Any) -> None:
        """Another cell with the same periodic axes; the next evaluation moves the plan into it."""
        found = Cell(cell, self._pbc)
        self._require_sense(found, self._charges)
        if self._plan is not None and found.count:
            self._plan.set_cell(found.rows)
        self._cell = found

    def set_charges(self, charges: Array) -> None:
        """Other charges of the same particles."""
        found = _numbers_of("charges", charges)
        if found.shape != self._charges.shape:
            raise InputError(f"charges have shape {found.shape}; this plan is of {len(self._charges)} particles")
        self._require_sense(self._cell, found)
        self._charges = found

    def evaluate(self, positions: Array, *, dipole: Any = None) -> CoulombSums:
        """positions: (N, 3). dipole: (3,), that of whole molecules, for surfaces other than tinfoil."""
        places = fitting("positions", positions, (len(self._charges), 3))
        assert places is not None
        moment = self._dipole(places, dipole)
        sums, potential, forces, virial = self._sum(places)
        energy = 0.5 * float(self._charges @ potential)
        if self._surface is not None:
            strength = 4 * np.pi / ((2 * self._surface + 1) * self._cell.measure)
            energy += 0.5 * strength * float(moment @ moment)
            potential += strength * (places @ moment)
            forces -= strength * self._charges[:, None] * moment
            virial += strength * (0.5 * float(moment @ moment) * np.eye(3) - np.outer(moment, moment))
        for values in (potential, forces, virial):
            values *= self._constant
        net = forces.sum(axis=0)
        if self._remove and len(forces):
            forces -= net / len(forces)
        assert sums.report is not None
        return CoulombSums(self._constant * energy, potential, forces, 0.5 * self._charges * potential, net,
                           float(self._charges.sum()), moment, sums.report, virial if self._options["virial"] else None)

    def _sum(self, places: Host) -> tuple[Result, Host, Host, Host]:
        """Tin-foil potential, forces and virial, exclusions applied, to the tolerance of what they leave."""
        while True:
            sums = self._planned(places).evaluate(self._charges)
            potential, forces = np.array(sums.potential), -self._charges[:, None] * sums.gradient
            virial = _matrix(sums.virial) if self._options["virial"] else np.zeros((3, 3))
            if self._excluded is None:
                return sums, potential, forces, virial
            whole = np.linalg.norm(potential), np.linalg.norm(forces)
            virial -= self._excluded.take_off(places, self._charges, self._cell, potential, forces)
            left = np.linalg.norm(potential), np.linalg.norm(forces)
            needed = self._tolerance * min([1.0, *(float(some / all_) for some, all_ in zip(left, whole) if all_)])
            if max(needed, self._floor) >= self._asked:
                return sums, potential, forces, virial
            # Half of it, so that the next steps of a run need no other plan.
            self._asked, self._plan = max(needed / 2, self._floor), None

    def _planned(self, places: Host) -> Plan:
        if self._plan is None:
            self._plan = Plan(places, gradient=True, tolerance=self._asked, **self._cell.options(), **self._options)
        else:
            self._plan.move(places)
        return self._plan

    def _dipole(self, places: Host, dipole: Any) -> Host:
        given = fitting("dipole", dipole, (3,))
        if given is not None:
            return given
        if self._surface is not None:
            warnings.warn("the dipole is the sum of q x of the positions as they are; a molecule that the border of the "
                          "cell breaks changes it: pass whole molecules, or dipole", stacklevel=3)
        return self._charges @ places

    def _require_sense(self, cell: Cell, charges: Host) -> None:
        """What has a meaning in this cell."""
        if self._surface is not None and cell.count < 3:
            raise UsageError(f"surface needs three periodic axes, and there are {cell.count}; leave it out")
        net, size = float(charges.sum()), float(np.abs(charges).sum())
        if abs(net) <= _neutral * size or not cell.count:
            return
        if cell.count < 3:
            raise InputError(f"the charges add up to {net:g}; with {cell.count} periodic axes the sum is defined for neutral "
                             "systems alone")
        if self._background == "error":
            raise InputError(f'the charges add up to {net:g}; neutralise them, or pass background="neutralize"')
        if self._surface is not None:
            raise InputError(f"the charges add up to {net:g}, so that their dipole depends on the origin; with a net charge "
                             'surface has to be "tinfoil"')


def _numbers_of(name: str, array: Array) -> Host:
    given = np.array(host(name, array))
    if given.ndim != 1:
        raise InputError(f"{name} have shape {given.shape}; pass (N,)")
    return given


def _matrix(six: Host) -> Host:
    """(3, 3) from xx yy zz xy xz yz."""
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _outside(surface: Any) -> float | None:
    """The dielectric constant, None for an infinite one."""
    constant = {"tinfoil": np.inf, "vacuum": 1.0}.get(surface) if isinstance(surface, str) else surface
    if isinstance(constant, bool) or not isinstance(constant, (int, float, np.number)) or not constant > 0:
        raise UsageError(f'surface is {surface!r}; pass "tinfoil", "vacuum", or a dielectric constant above 0')
    return None if np.isinf(constant) else float(constant)


def coulomb(positions: Array, charges: Array, *, cell: Any = None, pbc: Any = None, surface: str | float = "tinfoil",
            background: str = "neutralize", exclusions: Any = None, tolerance: float = 1e-6, dipole: Any = None,
            precision: str = "double", backend: str = "auto", coulomb_constant: float = 1.0,
            remove_net_force: bool = False, virial: bool = False, **options: Any) -> CoulombSums:
    """Energy, potential, forces and virial of charges, in open space or in a periodic cell; arguments are those of Coulomb."""
    plan = Coulomb(charges, cell=cell, pbc=pbc, surface=surface, background=background, exclusions=exclusions,
                   tolerance=tolerance, precision=precision, backend=backend, coulomb_constant=coulomb_constant,
                   remove_net_force=remove_net_force, virial=virial, **options)
    return plan.evaluate(positions, dipole=dipole)
