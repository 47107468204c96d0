"""Files that the command line wrote, and files for it."""
import pathlib
import subprocess

import numpy as np
import pytest

import farfield as ff
from conftest import relative

command = pathlib.Path(ff.__file__).parent / "bin" / "farfield"
if not command.exists():
    pytest.skip("the package was built without the command line", allow_module_level=True)


def run(folder, *words):
    done = subprocess.run([command, *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_what_the_command_line_wrote(tmp_path, ending):
    run(tmp_path, "generate", "galaxies", "-n", 500, "--seed", 7, "-o", f"stars.{ending}")
    run(tmp_path, "run", f"stars.{ending}", "--gradient", "--tolerance", "1e-9", "-o", f"sums.{ending}")
    stars, sums, own = ff.read(tmp_path / f"stars.{ending}"), ff.read(tmp_path / f"sums.{ending}"), ff.generate(
        "galaxies", 500, seed=7)
    for bodies in (stars, sums):
        assert np.array_equal(bodies.positions, own.positions) and np.array_equal(bodies.strengths, own.strengths)
        assert np.array_equal(bodies.velocities, own.velocities) and set(bodies.columns) == set(own.columns)
    exact = ff.direct_sum(own.positions, own.strengths, gradient=True)
    assert relative(sums.potential, exact.potential) <= 1e-9 and relative(sums.gradient, exact.gradient) <= 1e-9
    assert stars.potential is None and "500 bodies" in sums.description


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_there_and_back(tmp_path, rng, ending):
    positions, strengths = rng.random((200, 3)), rng.standard_normal((2, 200))
    moments, ages = rng.standard_normal((2, 200, 3)), rng.random(200)
    path = tmp_path / f"bodies.{ending}"
    ff.write(path, positions, strengths, dipoles=moments, columns={"age": ages})
    back = ff.read(path)
    for name, given in (("positions", positions), ("strengths", strengths), ("dipoles", moments)):
        assert np.array_equal(getattr(back, name), given), name
    assert list(back.columns) == ["age"] and np.array_equal(back.columns["age"], ages)
    ff.write(tmp_path / f"again.{ending}", back)
    assert (tmp_path / f"again.{ending}").read_bytes() == path.read_bytes()


def test_results_beside_bodies(tmp_path, points, charges):
    result = ff.evaluate(points, charges, hessian=True)
    ff.write(tmp_path / "sums.npz", points, charges, result=result)
    back = ff.read(tmp_path / "sums.npz")
    for name in ("potential", "gradient", "hessian"):
        assert np.array_equal(getattr(back, name), getattr(result, name)), name
    # the command line measures its own sums against these
    assert "potential" in run(tmp_path, "check", "sums.npz")


def test_csv_columns_and_points_without_strengths(tmp_path):
    (tmp_path / "a.csv").write_text("ra;dec;mag\n1;2;3\n4;5;6\n")
    read = ff.read(tmp_path / "a.csv", delimiter=";", columns={"x": "ra", "y": "dec", "z": "0", "q": "mag"})
    assert read.positions.tolist() == [[1, 2, 0], [4, 5, 0]] and read.strengths.tolist() == [3, 6]
    (tmp_path / "b.csv").write_text("x,y,z\n1,2,3\n")
    assert ff.read_points(tmp_path / "b.csv").strengths is None
    with pytest.raises(ff.InputError, match="b.csv"):
        ff.read(tmp_path / "b.csv")


def test_what_is_wrong_is_said(tmp_path, points):
    with pytest.raises(ff.InputError, match="missing.npz"):
        ff.read(tmp_path / "missing.npz")
    with pytest.raises(ff.UsageError, match="spirals"):
        ff.generate("spirals", 10)
    with pytest.raises(ff.UsageError, match="strengths is 'heavy'"):
        ff.generate("uniform", 10, strengths="heavy")
    with pytest.raises(ff.InputError, match=r"strengths have shape \(5,\), not \(600,\) or \(nd, 600\)"):
        ff.write(tmp_path / "a.npz", points, np.ones(5))
    with pytest.raises(ff.OutputError):
        ff.write(tmp_path / "no folder" / "a.npz", points)
    with pytest.raises(ff.UsageError):
        ff.write(tmp_path / "a.xlsx", points)
    assert not list(tmp_path.iterdir())


def test_every_generator(rng):
    kinds = ff.generator_kinds()
    assert {"plummer", "galaxies", "uniform"} <= set(kinds)
    for kind in kinds:
        bodies = ff.generate(kind, 64, strengths="mixed", dipoles=True)
        assert len(bodies) == 64 and bodies.dipoles.shape == (64, 3) and np.isfinite(bodies.positions).all()
    assert np.isclose(ff.generate("plummer", 100).strengths.sum(), 1)
    assert "npz" in ff.input_formats()


def test_the_picture(tmp_path):
    run(tmp_path, "generate", "plummer", "-n", 300, "-o", "stars.npz")
    run(tmp_path, "run", "stars.npz", "--plot", "command.png", "-o", "sums.npz")
    sums = ff.read(tmp_path / "sums.npz")
    ff.draw(tmp_path / "own.png", sums, sums.potential, title=sums.description, size=(640, 480))
    image = (tmp_path / "own.png").read_bytes()
    assert image[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(image[16:20], "big") == 640
    ff.draw(tmp_path / "grey.png", sums, size=(640, 480))
    assert (tmp_path / "grey.png").read_bytes() != image
    with pytest.raises(ff.UsageError):
        ff.draw(tmp_path / "own.png", sums, size=(10, 10))
