"""What a Coulomb sum gives back."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Array, Host
from ..report import Report


@dataclass(slots=True, repr=False)
class CoulombSums:
    """energy: sum of q phi / 2, and the energy of the surface; potential (N,); forces (N, 3); energies (N,) = q phi / 2.

    All but report are in the caller's units. net_force (3,): the sum of the forces, before it was removed where that was
    asked for; rms_force: root of the mean of |F|^2, likewise. charge: the sum of the charges; dipole (3,): the one given, or
    the sum of q x. virial (3, 3), None unless it was asked for: half the sum of d F over all pairs and images, of trace
    energy. Of positions on a device the three arrays of N are there, of their kind and type.
    """

    energy: float
    potential: Array
    forces: Array
    energies: Array
    net_force: Host
    rms_force: float
    charge: float
    dipole: Host
    report: Report
    virial: Host | None = None

    def __repr__(self) -> str:
        return f"farfield.CoulombSums: energy {self.energy:.15g}, {self.potential.shape[0]:,} particles\n{self.report!r}"
