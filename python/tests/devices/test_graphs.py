"""Moves and evaluations in CUDA graphs that torch captures."""

import numpy as np
import pytest

import farfield

torch = pytest.importorskip("torch")
if not farfield.devices() or not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

SEED = 20261126


def settled(x, q, **options):
    """A plan that needs nothing more for these strengths."""
    plan = farfield.Plan(x, backend="cuda", method="fmm", gradient=True, skin=0.01, degree=6, **options)
    for _ in range(3):
        plan.evaluate(q)
        plan.move(x)
    plan.evaluate(q)
    return plan


@pytest.mark.parametrize("options", [{}, {"periodic": "xyz", "cell_x": 1.0, "cell_y": 1.0, "cell_z": 1.0}])
def test_replays_are_calls(options):
    random = np.random.default_rng(SEED)
    x = torch.tensor(random.random((5000, 3)), dtype=torch.float32, device="cuda")
    q = torch.tensor(np.tile([1.0, -1.0], 2500), dtype=torch.float32, device="cuda")
    out = {"potential": torch.empty_like(q), "gradient": torch.empty_like(x)}
    plan, beside = settled(x, q, **options), settled(x, q, **options)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        plan.move(x)
        plan.evaluate(q, out=out)
    for _ in range(3):
        x += torch.tensor(0.002 * (random.random((5000, 3)) - 0.5), dtype=torch.float32, device="cuda")
        graph.replay()
        torch.cuda.synchronize()
        plan.check_replays()
        beside.move(x)
        assert torch.equal(out["gradient"], beside.evaluate(q).gradient)
    x += 0.1 * torch.sign(torch.rand_like(x) - 0.5)
    graph.replay()
    torch.cuda.synchronize()
    with pytest.raises(farfield.InputError, match="farther than the skin"):
        plan.check_replays()
    plan.move(x)
    plan.check_replays()
