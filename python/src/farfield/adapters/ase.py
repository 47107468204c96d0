"""Coulomb energies, forces and stress as a calculator of ASE, in eV and Angstrom.

    from farfield.adapters.ase import calculator
    atoms.calc = calculator(tolerance=1e-6)     # charges: atoms.set_initial_charges; cell and pbc: those of atoms
    atoms.get_potential_energy(), atoms.get_forces(), atoms.get_stress()
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from ..molecules import Coulomb, CoulombSums


def calculator(**options: Any) -> Any:
    """An ase.calculators.calculator.Calculator: energy, free_energy, energies, forces, dipole, stress.

    The stress is minus the virial over the volume, xx yy zz yz xz xy; it is computed from the first time on that it is
    asked for. options: those of farfield.Coulomb other than charges, cell, pbc and coulomb_constant; dipole is that of the atoms.
    """
    host: Any = import_module("ase.calculators.calculator")
    units: Any = import_module("ase.units")

    class FarfieldCalculator(host.Calculator):  # type: ignore[misc]
        """`sums`: the CoulombSums of the last calculation, potential and report among them."""

        implemented_properties = ["energy", "free_energy", "energies", "forces", "dipole", "stress"]

        def __init__(self) -> None:
            super().__init__()
            self.sums: CoulombSums | None = None
            self._plan: Coulomb | None = None
            self._virial = bool(options.get("virial", False))

        def calculate(self, atoms: Any = None, properties: Any = None,
                      system_changes: Any = host.all_changes) -> None:
            super().calculate(atoms, properties or ["energy"], system_changes)
            if "stress" in (properties or []) and not self._virial:
                self._virial, self._plan = True, None
            plan, self._plan = self._plan, None  # where something below is refused, the next call starts anew
            plan = self._planned(plan, set(system_changes))
            self.sums = plan.evaluate(self.atoms.positions)
            self._plan = plan
            self.results = {"energy": self.sums.energy, "free_energy": self.sums.energy, "energies": self.sums.energies,
                            "forces": self.sums.forces, "dipole": self.sums.dipole}
            if "stress" in (properties or []) and self.atoms.cell.rank < 3:
                raise host.PropertyNotImplementedError("the atoms have no cell with a volume, and so no stress")
            if self.sums.virial is not None and self.atoms.cell.rank == 3:
                stress = -self.sums.virial / self.atoms.get_volume()
                self.results["stress"] = stress[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]

        def _planned(self, plan: Coulomb | None, changes: set[str]) -> Coulomb:
            """That of the last step, where only positions and charges changed, or the cell."""
            charges, cell = self.atoms.get_initial_charges(), np.asarray(self.atoms.cell)
            if plan is None or changes & {"numbers", "pbc"}:
                pbc = [bool(axis) for axis in self.atoms.pbc]
                return Coulomb(charges, cell=cell, pbc=pbc, coulomb_constant=units.Hartree * units.Bohr,
                               **{**options, "virial": self._virial})
            if "cell" in changes:
                plan.set_cell(cell)
            if "initial_charges" in changes:
                plan.set_charges(charges)
            return plan

    return FarfieldCalculator()
