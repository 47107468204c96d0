"""farfield.jax: derivatives against differences, jit, vmap over densities."""
import importlib

import numpy as np
import pytest

import farfield as ff

jax = pytest.importorskip("jax", reason="jax is not installed")
jnp = jax.numpy
check_grads = pytest.importorskip("jax.test_util", reason="jax has no test_util").check_grads
own = pytest.importorskip("farfield.jax")
evaluate = own.evaluate
tight = {"tolerance": 1e-12}


@pytest.fixture(autouse=True)
def in_double():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def spaced(rng, count, shift=0.0):
    """About 1 apart, so that differences can be trusted."""
    grid = np.stack(np.unravel_index(np.arange(count), (3, 3, 3)), axis=1)
    return grid + 0.3 * rng.random((count, 3)) + shift


@pytest.fixture
def few(rng):
    """Sources, targets, charges, dipoles."""
    return [jnp.asarray(a) for a in (spaced(rng, 9), spaced(rng, 5, 0.5), rng.standard_normal(9),
                                     rng.standard_normal((9, 3)))]


@pytest.fixture(params=["handler", "callback"])
def way(request, monkeypatch):
    """How XLA reaches the library."""
    if request.param == "callback":
        monkeypatch.setattr(own, "platforms", ())
    elif not own.platforms:
        pytest.skip("built without the headers of jaxlib")
    return request.param


def backend_of(way):
    """Where the handler sums; called back, few points of the host are summed there. The two differ in the last digits."""
    return "cuda" if way == "handler" and jax.default_backend() == "gpu" and "CUDA" in own.platforms else "cpu"


@pytest.mark.parametrize("method", ["direct", "fmm"])
def test_potential_twice(few, method, way):
    y, x, q, _ = few
    check_grads(lambda y, q, x: evaluate(y, q, x, method=method, **tight).potential, (y, q, x), 2, modes=["rev"])
    check_grads(lambda y, q: evaluate(y, q, method=method, **tight).potential, (y, q), 2, modes=["rev"])


def test_gradient_and_dipoles(few, way):
    y, x, q, p = few
    apart = lambda y, q, x, p: evaluate(y, q, x, dipoles=p, gradient=True, **tight)[:2]
    check_grads(apart, (y, q, x, p), 1, modes=["rev"])
    alike = lambda y, q, p: evaluate(y, q, dipoles=p, gradient=True, **tight)[:2]
    check_grads(alike, (y, q, p), 1, modes=["rev"])


def test_jit_and_vmap(few, way):
    y, x, q, _ = few
    loss = lambda q: (evaluate(y, q, x, **tight).potential**2).sum()
    plain, compiled = jax.grad(loss)(q), jax.jit(jax.grad(loss))(q)
    np.testing.assert_allclose(compiled, plain, rtol=1e-12)
    several = jnp.stack([q, 2 * q, -q])
    mapped = jax.vmap(lambda q: evaluate(y, q, x, gradient=True, **tight))(several)
    plan = ff.Plan(np.asarray(y), np.asarray(x), gradient=True, backend=backend_of(way), **tight)
    expected = plan.evaluate(np.asarray(several))
    np.testing.assert_array_equal(mapped.potential, expected.potential)
    np.testing.assert_array_equal(mapped.gradient, expected.gradient)
    np.testing.assert_allclose(jax.vmap(jax.grad(loss))(several)[1], 2 * plain, rtol=1e-11)
    moved = jax.vmap(lambda x: evaluate(y, q, x, **tight).potential)(jnp.stack([x, x + 1]))
    np.testing.assert_allclose(moved[0], expected.potential[0], rtol=1e-11)


def test_maps_over_everything(few, way):
    """Each array with an axis or without, one map in another, against calls one by one."""
    y, x, q, p = few
    call = lambda y, q, x, p: evaluate(y, q, x, dipoles=p, gradient=True, hessian=True, **tight)
    pairs = [jnp.stack([a, a + 0.25]) for a in (y, q, x, p)]
    for axes in ((0, 0, 0, 0), (None, 0, None, None), (None, None, None, 0), (None, 0, None, 0), (None, None, 0, None)):
        mapped = jax.vmap(call, axes)(*(pair if axis == 0 else pair[0] for pair, axis in zip(pairs, axes)))
        for i in range(2):
            single = call(*(pair[i if axis == 0 else 0] for pair, axis in zip(pairs, axes)))
            for part, expected in zip(mapped, single):
                np.testing.assert_allclose(part[i], expected, rtol=1e-10, atol=1e-12)
    inner = jax.vmap(call, (None, 0, None, None))
    nested = jax.vmap(inner, (0, None, None, 0))(pairs[0], pairs[1], x, pairs[3])
    for i, j in np.ndindex(2, 2):
        single = call(pairs[0][i], pairs[1][j], x, pairs[3][i])
        np.testing.assert_allclose(nested.hessian[i, j], single.hessian, rtol=1e-10, atol=1e-12)


def test_types_and_the_plane(rng, way):
    y, q = rng.random((500, 2), dtype=np.float32), rng.random((2, 500), dtype=np.float32)
    found = evaluate(y, q, kernel="laplace2d", gradient=True, tolerance=1e-4)
    exact = ff.direct_sum(y.astype(float), q.astype(float), kernel="laplace2d", gradient=True)
    for part, expected in zip(found[:2], (exact.potential, exact.gradient)):
        assert part.dtype == np.float32 and np.linalg.norm(part - expected) < 1e-4 * np.linalg.norm(expected)
    plan = ff.Plan(y, kernel="laplace2d", gradient=True, tolerance=1e-4, backend=backend_of(way))
    np.testing.assert_array_equal(found.potential, plan.evaluate(q).potential)


def test_what_is_refused_in_a_program(few, way):
    y, x, q, _ = few
    with pytest.raises(Exception, match="source 4: coordinate y is nan"):
        evaluate(y.at[4, 1].set(jnp.nan), q, **tight).potential.block_until_ready()
    with pytest.raises(Exception, match="there is no option tolerence; did you mean tolerance"):
        evaluate(y, q, tolerence=1e-3).potential.block_until_ready()


def test_no_callback(few):
    if not own.platforms:
        pytest.skip("built without the headers of jaxlib")
    y, x, q, _ = few
    text = jax.jit(jax.grad(lambda q: evaluate(y, q, x, **tight).potential.sum())).lower(q).as_text()
    assert "farfield_sums" in text and "callback" not in text


def test_plans_follow_points(few):
    if not own.platforms:
        pytest.skip("built without the headers of jaxlib")
    y, x, q, _ = few
    for _ in range(2):
        for shift in (0.0, 0.5):
            found = evaluate(y, q, x + shift, **tight).potential
            np.testing.assert_allclose(found, ff.direct_sum(*map(np.asarray, (y, q, x + shift))).potential, rtol=1e-11)
        own.forget()


def test_plans_are_moved(few, monkeypatch):
    """Four are kept for points that come again; of other points one of these is moved."""
    autograd = importlib.import_module("farfield.autograd")
    monkeypatch.setattr(own, "platforms", ())
    made = []
    monkeypatch.setattr(autograd, "Plan", lambda *given, **options: made.append(given) or ff.Plan(*given, **options))
    own.forget()
    y, x, q, _ = few
    for step in range(8):
        found = evaluate(y, q, x + step / 8, **tight).potential
        exact = ff.direct_sum(*map(np.asarray, (y, q, x + step / 8))).potential
        np.testing.assert_allclose(found, exact, rtol=1e-11)
    assert len(made) == 4
    own.forget()


def test_third_derivatives(few):
    y, x, q, _ = few
    bend = lambda x: evaluate(y, q, x, hessian=True, **tight).hessian.sum()
    with pytest.raises(ff.UsageError, match="third derivatives are not offered"):
        jax.grad(bend)(x)
