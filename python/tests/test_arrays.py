"""Arrays in: which are read where they lie, which are copied, which are refused; arrays out."""
import tracemalloc

import numpy as np
import pytest

import farfield as ff


def same_sum(points, charges, plain_points, plain_charges):
    plan = ff.Plan(points)
    result = plan.evaluate(charges)
    expected = ff.Plan(plain_points).evaluate(plain_charges)
    assert np.array_equal(result.potential, expected.potential)
    return result.report.copies


def layouts(points, charges):
    """Arrays of other layouts with the same numbers."""
    wide = np.full((600, 5), np.nan, points.dtype)
    wide[:, 1:4] = points
    rows = np.ascontiguousarray(points.T)
    every = np.full(1800, np.nan, points.dtype)
    every[::3] = charges
    frozen = points.copy()
    frozen.flags.writeable = False
    return {
        "C": (points, charges),
        "columns of a wider array": (wide[:, 1:4], charges),
        "transposed (3, N)": (rows.T, charges),
        "Fortran": (np.asfortranarray(points), charges),
        "axes backwards": (np.ascontiguousarray(points[:, ::-1])[:, ::-1], charges),
        "read-only": (frozen, charges),
        "strided strengths": (points, every[::3]),
    }


@pytest.mark.parametrize("layout", list(layouts(np.zeros((600, 3)), np.zeros(600))))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_read_where_they_lie(points, charges, layout, dtype):
    points, charges = points.astype(dtype), charges.astype(dtype)
    assert same_sum(*layouts(points, charges)[layout], points, charges) == ()


@pytest.mark.parametrize("layout, dtype", [("rows apart", np.float64), ("transposed", np.float32)])
def test_densities_and_dipoles_read_where_they_lie(points, rng, layout, dtype):
    charges = rng.standard_normal((3, 600)).astype(dtype)
    moments = rng.standard_normal((3, 600, 3)).astype(dtype)
    if layout == "rows apart":
        given = np.repeat(charges, 2, axis=0)[::2], np.repeat(moments, 2, axis=1)[:, ::2]
    else:
        given = np.ascontiguousarray(charges.T).T, np.ascontiguousarray(moments.transpose(1, 0, 2)).transpose(1, 0, 2)
    assert not given[0].flags.c_contiguous and not given[1].flags.c_contiguous
    plan = ff.Plan(points, dipoles=True)
    result = plan.evaluate(*given)
    assert result.report.copies == ()
    assert np.array_equal(result.potential, plan.evaluate(charges, moments).potential)


@pytest.mark.parametrize("given, why", [
    (lambda x: x[::-1], "strides"),
    (lambda x: np.broadcast_to(x[:1], x.shape), "strides"),
    (lambda x: (100 * x).astype(np.int32), "int32 made float64"),
    (lambda x: x.astype(np.float16), "float16 made float64"),
    (lambda x: x.astype(">f8"), ">f8 made float64"),
    (lambda x: x.tolist(), "a list"),
    (lambda x: np.rec.fromarrays([x, np.zeros(len(x), "f4")], dtype=[("x", "f8", 3), ("m", "f4")])["x"], "strides"),
])
def test_copies_are_told(points, charges, given, why):
    copies = same_sum(given(points), charges, np.array(given(points), dtype=float), charges)
    assert len(copies) == 1 and copies[0].startswith("sources: ") and why in copies[0]


def test_no_memory_but_that_of_the_results(rng):
    """NumPy tells tracemalloc of every array that it makes."""
    points, charges = np.asfortranarray(rng.random((100_000, 3))), rng.random(300_000)[::3]
    tracemalloc.start()
    plan = ff.Plan(points, tolerance=1e-2)
    result = plan.evaluate(charges)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.report.copies == ()
    assert result.potential.nbytes <= peak < result.potential.nbytes + 100_000  # the rest: reports, interpreter


def test_results_are_of_the_type_of_the_strengths(points, charges):
    assert ff.evaluate(points, charges.astype(np.float32)).potential.dtype == np.float32
    assert ff.evaluate(points.astype(np.float32), charges).potential.dtype == np.float64
    mixed = ff.evaluate(points, charges.astype(np.float32), dipoles=np.ones((600, 3)))
    assert mixed.potential.dtype == np.float64
    assert mixed.report.copies == ("strengths: float32 made float64",)


def test_empty_and_single():
    assert ff.evaluate(np.empty((0, 3)), np.empty(0)).potential.shape == (0,)
    assert ff.evaluate(np.empty((0, 3)), np.empty(0), np.ones((4, 3))).potential.tolist() == [0, 0, 0, 0]
    assert ff.evaluate(np.ones((1, 3)), [2.0], np.array([[1, 1, 3.0]])).potential.tolist() == [1]
    assert ff.Plan(np.ones((2, 3)), np.empty((0, 3))).evaluate(np.ones((5, 2))).potential.shape == (5, 0)


@pytest.mark.parametrize("points, sentence", [
    (np.float64(3), r"sources have shape \(\), not \(N, 3\)"),
    (np.ones(3), r"sources have shape \(3,\), not \(N, 3\)"),
    (np.ones((3, 7)), r"shape \(3, 7\).*pass \.T, which copies nothing"),
    (np.ones((7, 4)), r"shape \(7, 4\)"),
    (np.ones((7, 3), dtype=complex), "sources are of type complex128"),
    (np.ones((7, 3), dtype=np.longdouble), "sources are of type (float128|longdouble)"),
    (np.ones((7, 3), dtype=bool), "sources are of type bool"),
    (np.array([["a", "b", "c"]]), "sources are of type"),
    ([[1, 2, 3], [4, 5]], "sources are no array of numbers"),
    (None, "sources are of type object"),
    (np.ones((7, 2)), "kernel|plane|axis|z"),
])
def test_points_that_are_refused(points, sentence):
    with pytest.raises(ff.InputError, match=sentence) as caught:
        ff.Plan(points)
    assert caught.value.code == 3 and isinstance(caught.value, ValueError)


def test_first_nan_is_named(points):
    points[[41, 99], 1] = np.nan
    with pytest.raises(ff.InputError, match="source 41: coordinate y is nan"):
        ff.Plan(points)


def spoilt(array, index, value=np.nan):
    array = np.array(array, float)
    array[index] = value
    return array


@pytest.mark.parametrize("call, sentence", [
    (lambda x, q: ff.Plan(x, spoilt(x, (3, 0))), "target 3: coordinate x is nan"),
    (lambda x, q: ff.Plan(x).move(spoilt(x, (5, 2), -np.inf)), "source 5: coordinate z is -inf"),
    (lambda x, q: ff.Plan(x, softening=spoilt(q, 4)), "source 4: softening nan"),
    (lambda x, q: ff.Plan(x, x[:9], softening=q, target_softening=spoilt(q[:9], 2)), "target 2: softening nan"),
    (lambda x, q: ff.Plan(x).evaluate(spoilt(q, 7, np.inf)), "strength 7 of vector 0 is not finite"),
    (lambda x, q: ff.Plan(x).evaluate(spoilt([q, q], (1, 7))), "strength 7 of vector 1 is not finite"),
    (lambda x, q: ff.Plan(x, dipoles=True).evaluate(q, spoilt(x, (9, 2))), "dipole 9 of vector 0 is not finite"),
    (lambda x, q: ff.direct_sum(spoilt(x, (7, 1)), q), "source 7: coordinate y is nan"),
    (lambda x, q: ff.BiotSavart(x).evaluate(spoilt(x, (8, 1))), "strength 8 of vector 1 is not finite"),
    (lambda x, q: ff.coulomb(spoilt(x, (8, 1)), q - q.mean(), cell=[1, 1, 1]), "source 8: coordinate y is nan"),
    (lambda x, q: ff.kde(spoilt(x[:, :2], (8, 1))), "Point 8: its coordinate along y is not a finite number"),
    (lambda x, q: ff.kde(x[:, :2], spoilt(q, 8)), "Point 8: its weight is nan"),
    (lambda x, q: ff.simulate(x, spoilt(q, 3), x, dt=0.1, steps=1), "Body 3: its mass is nan"),
    (lambda x, q: ff.simulate(x, q, spoilt(x, (4, 1)), dt=0.1, steps=1), "Body 4: its velocity along y is nan"),
])
def test_nan_is_named_wherever_it_stands(points, rng, call, sentence):
    with pytest.raises(ff.InputError, match=sentence) as caught:
        call(points, rng.random(600))
    assert caught.value.code == 3


@pytest.mark.parametrize("lengths, sentence", [
    (np.ones(9), r"softening has shape \(9,\); 600 points need one number or \(600,\)"),
    (np.full(600, "a"), "softening .* of type <U1"),
    (np.full(600, -1.0), "source 0: softening -1"),
])
def test_softening_that_is_refused(points, lengths, sentence):
    with pytest.raises(ff.InputError, match=sentence):
        ff.Plan(points, softening=lengths)


@pytest.mark.parametrize("strengths, dipoles, sentence", [
    (np.ones(599), None, r"strengths have shape \(599,\); 600 sources need"),
    (np.ones((600, 2)), None, r"strengths have shape \(600, 2\)"),
    (None, np.ones((3, 600)), r"dipoles have shape \(3, 600\)"),
    (np.ones((2, 600)), np.ones((600, 3)), "as many densities"),
    (None, None, "neither strengths nor dipoles"),
    (1.0, None, r"strengths have shape \(\)"),
    (np.ones((0, 600)), None, "0 strength vectors"),
])
def test_strengths_that_are_refused(points, strengths, dipoles, sentence):
    with pytest.raises(ff.InputError, match=sentence):
        ff.Plan(points, dipoles=True).evaluate(strengths, dipoles)


def test_out(points, charges):
    plan = ff.Plan(points, gradient=True)
    expected = plan.evaluate(charges)
    potential, gradient = np.empty(600), np.empty((600, 3))
    result = plan.evaluate(charges, out={"potential": potential, "gradient": gradient})
    assert result.potential is potential and result.gradient is gradient
    assert np.array_equal(potential, expected.potential) and np.array_equal(gradient, expected.gradient)
    assert plan.evaluate(2 * charges, out=result) is result
    assert np.allclose(potential, 2 * expected.potential)
    only = plan.evaluate(charges, out=potential)
    assert only.potential is potential and only.gradient is None


def test_out_that_is_refused(points, charges):
    plan = ff.Plan(points)
    frozen = np.empty(600)
    frozen.flags.writeable = False
    strengths = np.empty(1200)
    strengths[:600] = charges
    for out, sentence in [
        (np.empty(599), r"potential is float64 of shape \(599,\); pass float64 of shape \(600,\)"),
        (np.empty(600, np.float32), "potential is float32"),
        (np.empty(1200)[::2], "not contiguous"),
        (frozen, "read-only"),
        ([0.0] * 600, "is a list; pass an array"),
        ({"gradient": np.empty((600, 3))}, "gradient is not computed here; this plan gives potential"),
        (strengths[300:900], "potential overlaps the strengths"),
    ]:
        with pytest.raises(ff.InputError, match=sentence):
            plan.evaluate(strengths[:600], out=out)
    memory = np.empty(2400)
    with pytest.raises(ff.InputError, match="overlaps"):
        ff.Plan(points, gradient=True).evaluate(
            charges, out={"potential": memory[:600], "gradient": memory[500:2300].reshape(600, 3)})


class TestOtherKinds:
    def test_jax(self, points, charges):
        jax = pytest.importorskip("jax", reason="jax is not installed")
        host = jax.devices("cpu")[0]  # the default may be a GPU
        given = [jax.device_put(array.astype("float32"), host) for array in (points, charges)]
        result = ff.evaluate(*given)
        assert isinstance(result.potential, jax.Array) and result.report.copies == ()
        expected = ff.evaluate(np.asarray(given[0]), np.asarray(given[1]))
        assert np.array_equal(np.asarray(result.potential), expected.potential)

    def test_torch(self, points, charges):
        torch = pytest.importorskip("torch", reason="torch is not installed")
        result = ff.evaluate(torch.from_numpy(points), torch.from_numpy(charges))
        assert isinstance(result.potential, torch.Tensor) and result.report.copies == ()
        assert np.array_equal(result.potential.numpy(), ff.evaluate(points, charges).potential)
        with pytest.raises(ff.InputError, match="detach"):
            ff.Plan(torch.from_numpy(points).requires_grad_())
