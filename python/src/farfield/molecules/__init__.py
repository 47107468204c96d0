"""Charges of molecules, in open space and in periodic cells."""

from .plan import Coulomb, coulomb
from .result import CoulombSums

__all__ = ["Coulomb", "CoulombSums", "coulomb"]
