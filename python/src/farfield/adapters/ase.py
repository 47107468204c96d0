"""Coulomb energies and forces as a calculator of ASE, in eV and Angstrom.

    from farfield.adapters.ase import calculator
    atoms.calc = calculator(tolerance=1e-6)     # charges: atoms.set_initial_charges; cell and pbc: those of atoms
    atoms.get_potential_energy(), atoms.get_forces()
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from ..molecules import Coulomb, CoulombSums


def calculator(**options: Any) -> Any:
    """An ase.calculators.calculator.Calculator: energy, free_energy, energies, forces, dipole; no stress yet.

    options: those of farfield.Coulomb other than charges, cell, pbc and coulomb_constant; dipole is that of the atoms.
    """
    host: Any = import_module("ase.calculators.calculator")
    units: Any = import_module("ase.units")

    class FarfieldCalculator(host.Calculator):  # type: ignore[misc]
        """`sums`: the CoulombSums of the last calculation, potential and report among them."""

        implemented_properties = ["energy", "free_energy", "energies", "forces", "dipole"]

        def __init__(self) -> None:
            super().__init__()
            self.sums: CoulombSums | None = None
            self._plan: Coulomb | None = None

        def calculate(self, atoms: Any = None, properties: Any = None,
                      system_changes: Any = host.all_changes) -> None:
            super().calculate(atoms, properties or ["energy"], system_changes)
            plan, self._plan = self._plan, None  # where something below is refused, the next call starts anew
            plan = self._planned(plan, set(system_changes))
            self.sums = plan.evaluate(self.atoms.positions)
            self._plan = plan
            self.results = {"energy": self.sums.energy, "free_energy": self.sums.energy, "energies": self.sums.energies,
                            "forces": self.sums.forces, "dipole": self.sums.dipole}

        def _planned(self, plan: Coulomb | None, changes: set[str]) -> Coulomb:
            """That of the last step, where only positions and charges changed, or the cell."""
            charges, cell = self.atoms.get_initial_charges(), np.asarray(self.atoms.cell)
            if plan is None or changes & {"numbers", "pbc"}:
                pbc = [bool(axis) for axis in self.atoms.pbc]
                return Coulomb(charges, cell=cell, pbc=pbc, coulomb_constant=units.Hartree * units.Bohr, **options)
            if "cell" in changes:
                plan.set_cell(cell)
            if "initial_charges" in changes:
                plan.set_charges(charges)
            return plan

    return FarfieldCalculator()
