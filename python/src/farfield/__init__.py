"""Farfield: u(x_i) = sum_j q_j K(x_i, y_j) and its derivatives in linear time, to the accuracy asked for.

    import farfield as ff
    plan = ff.Plan(points, tolerance=1e-6, gradient=True)   # points: (N, 3)
    result = plan.evaluate(charges)                         # .potential (N,), .gradient (N, 3), .report
"""

from . import _core, errors, options
from ._core import DeviceInfo, built_with_cuda, devices, kernels
from .biot_savart import BiotSavart, VortexField
from .bodies import (Bodies, History, Simulation, draw, generate, generator_kinds, input_formats, read, read_points,
                     simulate, write)
from .density import Density, kde
from .errors import (DeviceError, Error, InputError, InternalError, OutOfMemoryError, OutputError, UsageError)
from .molecules import Coulomb, CoulombSums, coulomb, exclusions_of_bonds
from .plan import Plan, direct_sum, evaluate, memory_bound
from .report import Report
from .result import Result

__version__ = _core.version

__all__ = [
    "BiotSavart", "Bodies", "Coulomb", "CoulombSums", "Density", "DeviceError", "DeviceInfo", "Error", "History",
    "InputError", "InternalError", "OutOfMemoryError", "OutputError", "Plan", "Report", "Result", "Simulation",
    "UsageError", "VortexField", "__version__", "built_with_cuda", "coulomb", "devices", "direct_sum", "draw", "errors",
    "evaluate", "exclusions_of_bonds", "generate", "generator_kinds", "input_formats", "kde", "kernels", "memory_bound", "options", "read",
    "read_points", "simulate", "write",
]
