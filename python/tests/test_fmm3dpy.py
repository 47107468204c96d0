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
    with pytest.raises(NotImplementedError, match="imaginary wave number"):
        fmm.hfmm3d(eps=1e-6, zk=1 + 1j, sources=points.T, charges=charges, pg=1)
    with pytest.raises(ff.UsageError, match="pass 1 or 2"):
        fmm.hfmm3d(eps=1e-6, zk=1j, sources=points.T, charges=charges, pg=3)


def test_screened(rng, points):
    """Complex charges, results complex, several densities, sources and targets."""
    charges = rng.standard_normal((2, 600)) + 1j * rng.standard_normal((2, 600))
    targets = rng.random((50, 3))
    out = fmm.hfmm3d(eps=1e-6, zk=3j, sources=points.T, charges=charges, targets=targets.T, pg=2, pgt=1, nd=2)
    for vector in range(2):
        exact = sums.yukawa(points, points, charges[vector], 3.0) / (4 * np.pi)
        assert np.linalg.norm(out.pot[vector] - exact) < 1e-6 * np.linalg.norm(exact)
        exact = sums.yukawa(targets, points, charges[vector], 3.0) / (4 * np.pi)
        assert np.linalg.norm(out.pottarg[vector] - exact) < 1e-6 * np.linalg.norm(exact)
    one = fmm.hfmm3d(eps=1e-6, zk=3j, sources=points.T, charges=charges[0], pg=2, scale="1/r")
    assert one.grad.shape == (3, 600) and np.allclose(one.grad, 4 * np.pi * out.grad[0], rtol=1e-4, atol=1e-4)
    real = fmm.hfmm3d(eps=1e-6, zk=3j, sources=points.T, charges=charges[0].real.copy(), pg=1)
    assert relative(real.pot.real, sums.yukawa(points, points, charges[0].real, 3.0) / (4 * np.pi)) < 1e-6
    assert real.pot.dtype == complex


@pytest.fixture
def installed():
    before = sys.modules.get("fmm3dpy")
    fmm.install(scale="1/r")
    import fmm3dpy

    yield fmm3dpy
    del sys.modules["fmm3dpy"]
    if before:
        sys.modules["fmm3dpy"] = before


def test_of_a_plasma(installed, points, charges):
    """As SARKAS calls: positions transposed, pg 2, real parts taken; of Coulomb's and the screened potential."""
    potential, gradient = sums.coulomb(points, points, charges)
    out = installed.lfmm3d(eps=1e-8, sources=points.transpose(), charges=charges, pg=2)
    assert charges @ out.pot.real == pytest.approx(charges @ potential, rel=1e-7)
    assert relative((charges * out.grad.real).transpose(), charges[:, None] * gradient) < 1e-7
    out = installed.hfmm3d(eps=1e-8, zk=1j / 0.2, sources=points.transpose(), charges=charges, pg=2)
    assert relative(out.pot.real, sums.yukawa(points, points, charges, 5.0)) < 1e-8
    assert out.grad.real.shape == (3, 600)


@pytest.mark.parametrize("count", [100, 600])
def test_of_a_coil(installed, rng, count):
    """As SimNIBS calls for the fields of dipoles and of wire: direct sums of few sources, the fast method of more; nd = 3 with
    moments as charges and the curl taken of gradients, or dipvec; targets of their own."""
    moments, places, targets = rng.standard_normal((count, 3)), rng.random((count, 3)), rng.random((40, 3)) + [0, 0, 1.2]
    arrays = {"sources": places.T, "targets": targets.T}
    call = installed.l3ddir if count < 300 else lambda **words: installed.lfmm3d(eps=1e-3, **words)
    out = call(charges=moments.T, nd=3, pgt=2, **arrays)
    d = sums.displacements(targets, places)
    exact = np.einsum("ijk,ij->ik", np.cross(moments[None], d), (d**2).sum(-1) ** -1.5)
    curl = [out.gradtarg[k][j] - out.gradtarg[j][k] for j, k in ((1, 2), (2, 0), (0, 1))]
    assert relative(np.stack(curl, 1), exact) < 2e-3  # a difference of what has 1e-3
    potentials = call(charges=moments.T, nd=3, pgt=1, **arrays).pottarg.T
    assert relative(potentials, np.einsum("jk,ij->ik", moments, (d**2).sum(-1) ** -0.5)) < 1e-3
    field = call(dipvec=moments.T, nd=1, pgt=2, **arrays)
    assert relative(field.pottarg, sums.dipoles(targets, places, moments)) < 1e-3 and field.gradtarg.T.shape == (40, 3)


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
