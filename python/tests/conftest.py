"""Points with printed seeds, and sums in double by NumPy to compare with."""
import numpy as np
import pytest


@pytest.fixture
def rng(request):
    seed = sum(map(ord, request.node.name))
    print(f"seed {seed}")
    return np.random.default_rng(seed)


@pytest.fixture
def points(rng):
    return rng.random((600, 3))


@pytest.fixture
def charges(rng):
    return rng.standard_normal(600)


def relative(computed, exact):
    """L2 error over all numbers, as in the promise."""
    return np.linalg.norm(np.asarray(computed, dtype=float) - exact) / np.linalg.norm(exact)
