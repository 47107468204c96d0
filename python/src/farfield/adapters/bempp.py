"""Sums of bempp-cl's operators with assembler="fmm", in place of ExaFMM: Laplace and modified Helmholtz.

    import farfield.adapters.bempp
    farfield.adapters.bempp.install(tolerance=1e-6)
    bempp_cl.api.operators.boundary.laplace.single_layer(space, space, space, assembler="fmm")
"""

from __future__ import annotations

from importlib import import_module
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UsageError
from ..plan import Plan

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import DirectOptions


def interface(**options: Unpack[DirectOptions]) -> Any:
    """A class with the constructor and `from_grid` of bempp_cl.api.fmm.exafmm.ExafmmInterface."""
    host: Any = import_module("bempp_cl.api.fmm.exafmm").ExafmmInterface
    given: dict[str, Any] = dict(options)

    class FarfieldInterface(host):  # type: ignore[misc]
        """Points of a grid's quadrature and the sums over them; evaluate(vec) gives (M, 4): potential and gradient."""

        def __init__(self, source_points: Any, target_points: Any, mode: str, wavenumber: Any = None, depth: int = 4,
                     expansion_order: int = 5, ncrit: int = 400, precision: str = "double",
                     singular_correction: Any = None) -> None:
            kernels: dict[str, dict[str, Any]] = {
                "laplace": {"kernel": "laplace3d"},
                "modified_helmholtz": {"kernel": "yukawa3d", "kappa": float(np.real(wavenumber or 0))}}
            if mode not in kernels:
                raise UsageError(f"mode {mode} has no kernel here; laplace and modified_helmholtz have")
            self._source_points, self._target_points, self._mode = source_points, target_points, mode
            self._singular_correction = singular_correction
            targets = None if source_points is target_points else np.asarray(target_points)
            keywords: dict[str, Any] = {"gradient": True, "scale": 1 / (4 * pi), **kernels[mode], **given}
            self.plan = Plan(np.asarray(source_points), targets, **keywords)

        def evaluate(self, vec: Any, apply_singular_correction: bool = True) -> Any:
            vec = np.asarray(vec)
            if np.iscomplexobj(vec):
                return self.evaluate(vec.real, apply_singular_correction) + 1j * self.evaluate(vec.imag, apply_singular_correction)
            sums = self.plan.evaluate(np.ascontiguousarray(vec, dtype=float))
            result = np.concatenate([sums.potential[:, None], sums.gradient], axis=1)
            if apply_singular_correction and self._singular_correction is not None:
                result -= (self._singular_correction @ vec).reshape([-1, 4])
            return result

    return FarfieldInterface


def install(**options: Unpack[DirectOptions]) -> None:
    """For all operators that are assembled from now on; options such as tolerance are those of a Plan."""
    import_module("bempp_cl.api.fmm.exafmm").ExafmmInterface = interface(**options)  # type: ignore[attr-defined]
    for name in ("bempp_cl.api", "bempp_cl.api.assembly.assembler"):
        module: Any = import_module(name)
        if hasattr(module, "check_for_fmm"):
            module.check_for_fmm = lambda: True
    module = import_module("bempp_cl.api.fmm.fmm_assembler")
    module._FMM_CACHE.clear()
    module._FMM_POTENTIAL_CACHE.clear()
