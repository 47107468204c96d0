"""Cells by the library, or by the slow sums of ewald.py where the module that is installed has no cells."""
import pytest
from ewald import SlowPlan

import farfield as ff


def planned(positions, **options):
    return (SlowPlan if "periodic" in options else ff.Plan)(positions, **options)


@pytest.fixture(autouse=True)
def cells(monkeypatch):
    if not any(option.name == "cell_ay" for option in ff._core.options()):
        from farfield.molecules import plan
        monkeypatch.setattr(plan, "Plan", planned)
