"""farfield.torch: gradcheck, opcheck and torch.compile, where torch is installed."""
import numpy as np
import pytest

import farfield as ff

torch = pytest.importorskip("torch", reason="torch is not installed")
evaluate = pytest.importorskip("farfield.torch").evaluate
autograd = torch.autograd
tight = {"tolerance": 1e-12}


def spaced(rng, count, shift=0.0):
    """About 1 apart, so that differences can be trusted."""
    grid = np.stack(np.unravel_index(np.arange(count), (3, 3, 3)), axis=1)
    return grid + 0.3 * rng.random((count, 3)) + shift


on_gpu = pytest.mark.skipif(not (ff.built_with_cuda() and torch.cuda.is_available()), reason="no GPU, or built without CUDA")


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=on_gpu)])
def few(rng, request):
    """Sources, targets, charges of two densities, dipoles of two densities."""
    arrays = spaced(rng, 9), spaced(rng, 5, 0.5), rng.standard_normal((2, 9)), rng.standard_normal((2, 9, 3))
    return [torch.from_numpy(a).to(request.param).requires_grad_() for a in arrays]


def gradcheck(sums, inputs, check=autograd.gradcheck):
    """On a device along one direction at random: a plan for each entry of the Jacobian takes minutes there."""
    return check(sums, inputs, fast_mode=inputs[0].is_cuda)


def gradgradcheck(sums, inputs):
    return gradcheck(sums, inputs, autograd.gradgradcheck)


@pytest.mark.parametrize("method", ["direct", "fmm"])
def test_potential_twice(few, method):
    y, x, q, _ = few
    for arguments in ((y, q, x), (y, q), (y, q[0], x)):
        sums = lambda *given: evaluate(*given, method=method, **tight).potential
        assert gradcheck(sums, arguments)
        assert gradgradcheck(sums, arguments)


@pytest.mark.parametrize("method", ["direct", "fmm"])
def test_gradient_and_dipoles(few, method):
    y, x, q, p = few
    both = lambda y, q, p, x=None: evaluate(y, q, x, dipoles=p, gradient=True, method=method, **tight)[:2]
    assert gradcheck(both, (y, q, p, x))
    assert gradcheck(both, (y, q, p))
    alone = lambda y, p: evaluate(y, dipoles=p, gradient=True, method=method, **tight)[1]
    assert gradcheck(alone, (y, p))
    fixed = y.detach()
    assert gradgradcheck(lambda q: evaluate(fixed, q, x.detach(), gradient=True, **tight)[1], (q,))


@pytest.mark.parametrize("options", [{"kernel": "yukawa3d", "kappa": 2.0}, {"kernel": "gauss", "bandwidth": 0.4},
                                     {"kernel": "laplace2d"}])
def test_other_kernels(few, options):
    y, x, q, _ = few
    if options["kernel"] == "laplace2d":
        y, x = (a.detach()[:, :2].clone().requires_grad_() for a in (y, x))
    assert gradcheck(lambda y, q, x: evaluate(y, q, x, **options, **tight).potential, (y, q, x))
    assert gradcheck(lambda y, q: evaluate(y, q, **options, **tight).potential, (y, q))
    with pytest.raises(ff.UsageError, match="has no second derivatives here"):
        evaluate(y, q, x, gradient=True, **options).gradient.sum().backward()


def test_third_derivatives(few):
    y, x, q, _ = few
    with pytest.raises(ff.UsageError, match="third derivatives are not offered"):
        evaluate(y, q, x, hessian=True).hessian.sum().backward()
    field = evaluate(y, q, x, hessian=True)    # a Hessian that nothing is asked of disturbs nothing
    field.potential.sum().backward()
    assert field.hessian.shape == (2, 5, 6)


def test_as_farfield_computes(few):
    arrays = [a.detach().cpu().numpy() for a in few]
    expected = ff.evaluate(arrays[0], arrays[2], arrays[1], dipoles=arrays[3], hessian=True, **tight)
    field = evaluate(few[0], few[2], few[1], dipoles=few[3], hessian=True, **tight)
    for name in ("potential", "gradient", "hessian"):
        found = getattr(field, name)
        assert found.device == few[0].device
        np.testing.assert_allclose(found.detach().cpu().numpy(), getattr(expected, name), rtol=1e-11,
                                   atol=1e-11 if found.is_cuda else 0)


def test_operator(few):
    y, x, q, p = few
    operator = torch.ops.farfield.sums.default
    for given in ((y, x, q, None), (y, None, q, p), (y, x, None, p)):
        torch.library.opcheck(operator, (*given, '{"tolerance": 1e-12}', True, False))


def test_compiled_whole(few):
    y, x, q, _ = few

    def loss(y, x, q):
        field = evaluate(y, q, x, gradient=True, **tight)
        return (field.potential**2).sum() + field.gradient.square().sum()

    plain = autograd.grad(loss(y, x, q), (y, x, q))
    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    for one, other in zip(autograd.grad(compiled(y, x, q), (y, x, q)), plain):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)


@on_gpu
def test_on_another_stream(rng):
    """Forward and backward behind a producer that is late, and a consumer there that waits for nobody."""
    y, q = (torch.from_numpy(a).cuda() for a in (rng.random((20_000, 3)), rng.standard_normal(20_000)))

    def slope(charges):
        charges = charges.detach().requires_grad_()
        return autograd.grad((evaluate(y, charges, tolerance=1e-6).potential**2).sum(), charges)[0].clone()

    expected = slope(q)
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        late = torch.zeros_like(q)
        torch.cuda._sleep(200_000_000)  # a tenth of a second
        late += q
        found = slope(late).cpu()
    assert torch.equal(found, expected.cpu())


def test_points_changed_in_place(few):
    y, x, q, _ = (a.detach() for a in few)
    first = evaluate(y, q, x, **tight).potential
    y += 0.25
    assert not torch.equal(evaluate(y, q, x, **tight).potential, first)


def test_refusals(few):
    y, x, q, _ = few
    with pytest.raises(ff.UsageError, match="pass one type"):
        evaluate(y, q.float(), x)
    with pytest.raises(ff.UsageError, match="kernel vortex has no derivatives"):
        evaluate(y, q, x, kernel="vortex")
    with pytest.raises(ff.UsageError, match="at_sources"):
        evaluate(y, q, x, at_sources=True)
    with pytest.raises(ff.UsageError, match="neither strengths nor dipoles"):
        evaluate(y)
