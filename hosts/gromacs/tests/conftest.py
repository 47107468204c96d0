"""All tests that run GROMACS are skipped, with a sentence, unless FARFIELD_GMX names a gmx that was built with Farfield."""
import os

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
    """single_point(system, options): the folder of a run, of no steps if the options do not say otherwise."""

    def run(system, options, ranks=1):
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        gromacs.prepare(folder, system, options)
        return gromacs.simulate(folder, ranks=ranks)

    return run


@pytest.fixture
def water():
    path = gromacs.file_of_water()
    if path is None:
        pytest.skip("spc216.gro is neither in FARFIELD_TEST_DATA nor in share/gromacs/top beside gmx")
    return gromacs.read_water(path)
