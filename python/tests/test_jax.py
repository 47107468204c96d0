"""farfield.jax: derivatives against differences, jit, vmap over densities."""
import numpy as np
import pytest

import farfield as ff

jax = pytest.importorskip("jax", reason="jax is not installed")
jnp = jax.numpy
check_grads = pytest.importorskip("jax.test_util", reason="jax has no test_util").check_grads
evaluate = pytest.importorskip("farfield.jax").evaluate
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


@pytest.mark.parametrize("method", ["direct", "fmm"])
def test_potential_twice(few, method):
    y, x, q, _ = few
    check_grads(lambda y, q, x: evaluate(y, q, x, method=method, **tight).potential, (y, q, x), 2, modes=["rev"])
    check_grads(lambda y, q: evaluate(y, q, method=method, **tight).potential, (y, q), 2, modes=["rev"])


def test_gradient_and_dipoles(few):
    y, x, q, p = few
    apart = lambda y, q, x, p: evaluate(y, q, x, dipoles=p, gradient=True, **tight)[:2]
    check_grads(apart, (y, q, x, p), 1, modes=["rev"])
    alike = lambda y, q, p: evaluate(y, q, dipoles=p, gradient=True, **tight)[:2]
    check_grads(alike, (y, q, p), 1, modes=["rev"])


def test_jit_and_vmap(few):
    y, x, q, _ = few
    loss = lambda q: (evaluate(y, q, x, **tight).potential**2).sum()
    plain, compiled = jax.grad(loss)(q), jax.jit(jax.grad(loss))(q)
    np.testing.assert_allclose(compiled, plain, rtol=1e-12)
    several = jnp.stack([q, 2 * q, -q])
    mapped = jax.vmap(lambda q: evaluate(y, q, x, gradient=True, **tight))(several)
    expected = ff.evaluate(np.asarray(y), np.asarray(several), np.asarray(x), gradient=True, **tight)
    np.testing.assert_array_equal(mapped.potential, expected.potential)
    np.testing.assert_array_equal(mapped.gradient, expected.gradient)
    np.testing.assert_allclose(jax.vmap(jax.grad(loss))(several)[1], 2 * plain, rtol=1e-11)
    moved = jax.vmap(lambda x: evaluate(y, q, x, **tight).potential)(jnp.stack([x, x + 1]))
    np.testing.assert_allclose(moved[0], expected.potential[0], rtol=1e-11)


def test_third_derivatives(few):
    y, x, q, _ = few
    bend = lambda x: evaluate(y, q, x, hessian=True, **tight).hessian.sum()
    with pytest.raises(ff.UsageError, match="third derivatives are not offered"):
        jax.grad(bend)(x)
