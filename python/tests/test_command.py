"""The command line that the package carries."""
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import farfield as ff

if not (pathlib.Path(ff.__file__).parent / "bin" / "farfield").exists():
    pytest.skip("the package was built without the command line", allow_module_level=True)


def test_what_it_writes_can_be_read(tmp_path):
    def run(*words):
        return subprocess.run([sys.executable, "-m", "farfield", *words], cwd=tmp_path, capture_output=True, text=True)

    assert run("--version").stdout.strip().endswith(ff.__version__)
    assert run("generate", "galaxies", "-n", "500", "-o", "stars.npz").returncode == 0
    assert run("run", "stars.npz", "--gradient", "-o", "sums.npz").returncode == 0
    stars, found = np.load(tmp_path / "stars.npz"), np.load(tmp_path / "sums.npz")
    masses = next(stars[name] for name in ("strengths", "masses", "charges") if name in stars)
    result = ff.evaluate(stars["positions"], masses, gradient=True)
    assert np.allclose(found["potential"], result.potential, rtol=1e-5)
    assert run("run", "missing.npz").returncode == 3


def test_the_script_is_installed():
    script = pathlib.Path(sys.executable).parent / "farfield"
    assert subprocess.run([script, "--version"], capture_output=True, text=True).stdout.strip().endswith(ff.__version__)
