"""Densities of points by Gaussian kernels."""

from .kde import Density, kde

__all__ = ["Density", "kde"]
