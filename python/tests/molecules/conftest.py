"""Cells by the library, or by the slow sums of ewald.py where the module that is installed has no cells."""
import pytest
from ewald import SlowPlan

import farfield as ff


@pytest.fixture(autouse=True)
def cells(monkeypatch):
    if not any(option.name == "cell_ay" for option in ff._core.options()):
        from farfield.molecules import plan
        monkeypatch.setattr(plan, "Plan", SlowPlan)
