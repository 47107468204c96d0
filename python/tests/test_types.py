"""The stubs and the package under mypy --strict, and a program of a user under it."""
import pathlib
import subprocess
import sys

import pytest

import farfield

program = """
import numpy as np
import farfield as ff

plan = ff.Plan(np.ones((4, 3)), tolerance=1e-6, kernel="yukawa3d", kappa=1.0, dipoles=True)
result: ff.Result = plan.evaluate(np.ones(4), out=np.empty(4))
degree: int = plan.report.degree
seconds: float = plan.report.stages[0].seconds
"""


def check(*arguments):
    pytest.importorskip("mypy", reason="mypy is not installed")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout


def test_the_package():
    package = pathlib.Path(farfield.__file__).parent
    assert (package / "py.typed").exists() and (package / "_core.pyi").exists()
    status, output = check("--allow-any-generics", "-p", "farfield")  # nanobind writes NDArray without its type
    assert status == 0, output


@pytest.mark.parametrize("old, new, complaint", [
    ("", "", None),
    ("kappa=1.0", 'kappa="1"', '"kappa"'),
    ('"yukawa3d"', '"yukawa"', '"kernel"'),
    ("tolerance=", "tolerence=", "tolerence"),
    ("degree: int", "degree: str", "degree|assignment"),
])
def test_a_program(tmp_path, old, new, complaint):
    file = tmp_path / "program.py"
    file.write_text(program.replace(old, new) if old else program)
    status, output = check(str(file))
    assert (status == 0) == (complaint is None), output
    if complaint:
        assert any(word in output for word in complaint.split("|"))
