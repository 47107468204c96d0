"""Charges of molecules, in open space and in periodic cells."""

from .exclusions import exclusions_of_bonds
from .plan import Coulomb, coulomb
from .result import CoulombSums

__all__ = ["Coulomb", "CoulombSums", "coulomb", "exclusions_of_bonds"]
