"""What Farfield does not do inside GROMACS ends the run with a sentence; and apply.py stops where it finds other sources."""
import subprocess
import sys
from pathlib import Path

import pytest

import gromacs

script = Path(__file__).resolve().parents[1] / "apply.py"


@pytest.mark.parametrize("options, sentence", [
    ({"epsilon-r": 2}, "needs epsilon-r = 1"),
    ({"epsilon-surface": 80}, "needs epsilon-surface = 0"),
    ({"ewald-geometry": "3dc"}, "needs pbc = xy for ewald-geometry = 3dc"),
    ({"fmm-backend": "fmsolvr"}, "set fmm-backend = farfield"),
    ({"fmm-farfield-tolerance": 2}, "fmm-farfield-tolerance must lie between 0 and 1"),
    ({"fmm-farfield-tolerance": 1e-20}, "Farfield: "),
])
def test_input(single_point, water, options, sentence):
    with pytest.raises(gromacs.Failed, match=sentence):
        single_point(water, gromacs.by_farfield | options)


def test_two_ranks(single_point, water):
    with pytest.raises(gromacs.Failed, match="runs on one rank"):
        single_point(water, gromacs.by_farfield, ranks=2)


def apply(*arguments):
    return subprocess.run([sys.executable, script, *map(str, arguments)], capture_output=True, text=True, check=False)


def test_other_sources_stay_as_they_are(tmp_path):
    for name in ("fmm/CMakeLists.txt", "fmm/fmmforceprovider.h", "fmm/fmmoptions.h", "fmm/fmm_mdpoptions.h",
                 "fmm/fmm_mdpoptions.cpp", "mdlib/forcerec.cpp"):
        path = tmp_path / "src/gromacs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("other\n")
    done = apply(tmp_path)
    assert done.returncode != 0 and "this is not GROMACS 2026" in done.stderr
    assert all(path.read_text() == "other\n" for path in tmp_path.rglob("*") if path.is_file())
    assert "has no src/gromacs/fmm/CMakeLists.txt" in apply(tmp_path / "nothing").stderr
    assert "give one argument" in apply().stderr
