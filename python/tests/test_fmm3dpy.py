"""farfield.compat.fmm3dpy against NumPy; FMM3D's own test where a checkout of it is named by FMM3D_SOURCE."""
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import sums
from conftest import relative

import farfield as ff
import farfield.compat.fmm3dpy as fmm


def test_charges(rng, points, charges):
    out = fmm.lfmm3d(eps=1e-6, sources=points.T, charges=charges, pg=2)
    potential, gradient = sums.coulomb(points, points, charges)
    assert relative(out.pot, potential / (4 * np.pi)) < 1e-6
    assert out.grad.shape == (3, 600) and relative(out.grad.T, gradient / (4 * np.pi)) < 1e-6
    assert out.ier == 0 and out.hess is None and out.pottarg is None
    assert out.report.copies == ()
    old = fmm.lfmm3d(eps=1e-6, sources=points.T, charges=charges, pg=1, scale="1/r")
    assert relative(old.pot, potential) < 1e-6


def test_densities_dipoles_hessians_at_both(rng, points):
    """As SimNIBS calls it, and with everything else."""
    targets, charges, dipvec = rng.random((3, 40)), rng.random((3, 600)), rng.random((3, 3, 600))
    out = fmm.lfmm3d(eps=1e-5, sources=np.asfortranarray(points.T), charges=charges, dipvec=dipvec, targets=targets, pg=3,
                     pgt=3, nd=3)
    assert out.gradtarg.shape == (3, 3, 40) and out.hess.shape == (3, 6, 600)
    exact = fmm.l3ddir(sources=points.T, targets=targets, charges=charges, dipvec=dipvec, pgt=3, nd=3)
    assert fmm.comperr(ntest=40, out=out, outex=exact, pgt=3, nd=3) < 1e-5
    expected = sums.coulomb(targets.T, points, charges[1])[0] + sums.dipoles(targets.T, points, dipvec[1].T)
    assert relative(4 * np.pi * exact.pottarg[1], expected) < 1e-12
    alone = fmm.lfmm3d(eps=1e-5, sources=points.T, charges=charges, targets=targets, pgt=2, nd=3)
    assert alone.pot is None and alone.pottarg.shape == (3, 40) and alone.hesstarg is None


def test_one_source():
    out = fmm.lfmm3d(eps=1e-6, sources=np.zeros(3), charges=np.ones(1), targets=np.array([[0.0], [0.0], [2.0]]), pgt=1)
    assert out.pottarg == pytest.approx([1 / (8 * np.pi)])


def test_what_is_refused(points, charges):
    with pytest.raises(ff.UsageError, match="pg is 0 and pgt is 0"):
        fmm.lfmm3d(eps=1e-6, sources=points.T, charges=charges)
    with pytest.raises(ff.UsageError, match="without targets"):
        fmm.lfmm3d(eps=1e-6, sources=points.T, charges=charges, pgt=1)
    with pytest.raises(ff.InputError, match=r"sources have shape \(600, 3\); fmm3dpy takes \(3, n\)"):
        fmm.lfmm3d(eps=1e-6, sources=points, charges=charges, pg=1)
    with pytest.raises(ff.InputError, match=r"charges have shape \(600,\); nd = 2"):
        fmm.lfmm3d(eps=1e-6, sources=points.T, charges=charges, pg=1, nd=2)
    with pytest.raises(ff.UsageError, match="thresh"):
        fmm.l3ddir(sources=points.T, targets=points.T, charges=charges, pgt=1, thresh=0.1)
    with pytest.raises(NotImplementedError, match="yukawa3d"):
        fmm.hfmm3d(eps=1e-6, zk=1j, sources=points.T, charges=charges, pg=1)


def test_of_fmm3d_itself(tmp_path):
    """python/test/test_lfmm.py of FMM3D after one changed import: 54 sums."""
    source = os.environ.get("FMM3D_SOURCE")
    if not source:
        pytest.skip("FMM3D_SOURCE names no checkout of FMM3D")
    text = (pathlib.Path(source) / "python/test/test_lfmm.py").read_text()
    program = tmp_path / "test_lfmm.py"
    program.write_text(text.replace("import fmm3dpy as fmm", "import farfield.compat.fmm3dpy as fmm"))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert "all lfmm tests succeeded" in done.stdout, done.stdout + done.stderr
