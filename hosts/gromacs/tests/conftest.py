"""All tests that run GROMACS are skipped, with a sentence, unless FARFIELD_GMX names a gmx that was built with Farfield."""
import os
from pathlib import Path

import numpy
import pytest

import gromacs


def pytest_collection_modifyitems(items):
    if os.environ.get("FARFIELD_GMX"):
        return
    for item in items:
        if {"single_point", "water"} & set(item.fixturenames):
            item.add_marker(pytest.mark.skip(reason="FARFIELD_GMX does not name a gmx with Farfield: docs/hosts/gromacs.md"))


@pytest.fixture
def single_point(tmp_path):
    """single_point(system, **options): the folder of a run of no steps."""

    def run(system, options, *more):
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        gromacs.prepare(folder, system, options)
        return gromacs.simulate(folder, *more)

    return run


@pytest.fixture
def water():
    """GROMACS' 216 molecules of water, which its own share/top/spc216.gro holds."""
    gmx = Path(os.environ["FARFIELD_GMX"])
    places = [Path(os.environ.get("FARFIELD_TEST_DATA", ".")), gmx.parents[1] / "share/gromacs/top"]
    found = [place / "spc216.gro" for place in places if (place / "spc216.gro").is_file()]
    if not found:
        pytest.skip("spc216.gro is neither in FARFIELD_TEST_DATA nor in share/gromacs/top beside gmx")
    lines = found[0].read_text().splitlines()
    positions = [[float(line[20 + 8 * k : 28 + 8 * k]) for k in range(3)] for line in lines[2:650]]
    return gromacs.System(numpy.array(positions), numpy.diag([float(word) for word in lines[650].split()]))
