"""Particles of REBOUND under Farfield's forces and under REBOUND's own."""
import numpy as np
import pytest

import farfield as ff
from farfield.adapters.rebound import attach

rebound = pytest.importorskip("rebound", reason="rebound is not installed")


def cluster(rng):
    simulation = rebound.Simulation()
    simulation.G, simulation.softening, simulation.integrator, simulation.dt = 2.0, 0.05, "leapfrog", 1e-3
    for x, v, m in zip(rng.standard_normal((200, 3)), rng.standard_normal((200, 3)), rng.random(200)):
        simulation.add(m=m, x=x[0], y=x[1], z=x[2], vx=v[0], vy=v[1], vz=v[2])
    return simulation


def places(simulation):
    return np.array([[p.x, p.y, p.z] for p in simulation.particles])


@pytest.mark.parametrize("active", [-1, 150])
def test_a_cluster(request, active):
    seed = 11
    own, theirs = (cluster(np.random.default_rng(seed)) for _ in range(2))
    own.N_active = theirs.N_active = active
    start = places(own)
    forces = attach(own, tolerance=1e-10)
    for simulation in (own, theirs):
        simulation.integrate(0.05)
    moved = np.linalg.norm(places(theirs) - start)
    assert np.linalg.norm(places(own) - places(theirs)) < 1e-8 * moved
    assert forces.calls >= 50 and forces.report.sources == 200
    free = cluster(np.random.default_rng(seed))
    free.gravity = "none"
    free.integrate(0.05)
    assert np.linalg.norm(places(free) - places(theirs)) > 1e-3 * moved  # the forces matter


def test_refuses_variations():
    simulation = cluster(np.random.default_rng(1))
    simulation.add_variation()
    with pytest.raises(ff.UsageError, match="variational"):
        attach(simulation)
