"""training.py [COUNT]: one step of fitting charges and places by gradients, on a GPU where there is one, beside the same in
direct PyTorch. Prints seconds (best of three) and the relative L2 error of the gradients, against direct sums in double.
"""
import sys
import time

import numpy as np
import torch
from torch.utils.checkpoint import checkpoint

import farfield.torch

count = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000
device = "cuda" if torch.cuda.is_available() else "cpu"


def rows(part, points, charges, first):
    squares = (part[:, None] - points[None]).square().sum(-1)
    own = torch.arange(len(part), device=device)
    squares[own, first + own] = torch.inf
    return squares.rsqrt() @ charges


def direct(points, charges, chunk=2048):
    """All pairs, a piece at a time, which the way back computes again."""
    return torch.cat([checkpoint(rows, part, points, charges, i * chunk, use_reentrant=False)
                      for i, part in enumerate(points.split(chunk))])


def fast(tolerance):
    return lambda points, charges: farfield.torch.evaluate(points, charges, tolerance=tolerance).potential


def step(potential, points, charges, measured):
    """The gradients that an optimiser takes: of charges and of places."""
    points, charges = points.clone().requires_grad_(), charges.clone().requires_grad_()
    loss = (potential(points, charges) - measured).square().mean()
    return torch.autograd.grad(loss, (charges, points))


def timed(potential, given):
    best, gradients = np.inf, None
    for _ in range(3):
        if device == "cuda":
            torch.cuda.synchronize()
        began = time.perf_counter()
        gradients = step(potential, *given)
        if device == "cuda":
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - began)
    return best, gradients


rng = np.random.default_rng(1)
given = [torch.from_numpy(a).to(device) for a in (rng.random((count, 3)), rng.standard_normal(count), np.zeros(count))]
single = [a.float() for a in given]
seconds, exact = timed(direct, given)
print(f"{count} charges on {torch.cuda.get_device_name() if device == 'cuda' else 'the CPU'}; seconds of a step, and errors of "
      "the gradients of charges and of places")
print(f"torch, double, all pairs       {seconds:9.4f} s")
for name, potential, arrays in (("torch, single, all pairs", direct, single), ("farfield, single, 1e-4", fast(1e-4), single),
                                ("farfield, single, 1e-5", fast(1e-5), single), ("farfield, double, 1e-6", fast(1e-6), given),
                                ("farfield, double, 1e-9", fast(1e-9), given)):
    seconds, found = timed(potential, arrays)
    errors = [float((one.double() - two).norm() / two.norm()) for one, two in zip(found, exact)]
    print(f"{name:30} {seconds:9.4f} s  {errors[0]:.1e}  {errors[1]:.1e}")
