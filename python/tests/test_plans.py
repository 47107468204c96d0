"""Plans as objects: pickle, copy, other processes, threads, import."""
import copy
import multiprocessing
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import farfield as ff
from conftest import relative
from farfield import _core


def evaluated(plan, charges):
    return plan.evaluate(charges)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda plan: pickle.loads(pickle.dumps(plan))])
def test_copies_of_plans(points, charges, again):
    plan = ff.Plan(points, points[:10], gradient=True, tolerance=1e-4, softening=np.full(600, 0.01),
                   target_softening=np.full(10, 0.01), at_sources=True)
    first, second = plan.evaluate(charges), again(plan).evaluate(charges)
    for name in ("potential", "gradient", "source_potential", "source_gradient"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
    vortices = ff.BiotSavart(points, softening=0.1)
    alpha = np.ones((600, 3))
    assert np.array_equal(vortices.evaluate(alpha).velocity, again(vortices).evaluate(alpha).velocity)


def test_moved_plans_are_copied_where_they_are(points, charges):
    plan = ff.Plan(points)
    plan.move(points[:5])
    assert copy.copy(plan).source_count == 5


def test_spawned_process(points, charges):
    plan = ff.Plan(points, tolerance=1e-3)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        result = pool.apply(evaluated, (plan, charges))
    assert np.array_equal(result.potential, plan.evaluate(charges).potential)
    assert result.report.to_dict()["sources"] == 600


forking = """
import os
import numpy as np
import farfield as ff

points = np.random.default_rng(1).random((600, 3))
plan = ff.Plan(points)
expected = plan.evaluate(points[:, 0]).potential
child = os.fork()
if child == 0:
    os._exit(0 if np.array_equal(plan.evaluate(points[:, 0]).potential, expected) else 1)
print("same" if os.waitpid(child, 0)[1] == 0 else "another")
"""


def test_forked_process():
    """In an interpreter of its own: other packages that are loaded here have threads."""
    done = subprocess.run([sys.executable, "-c", forking], capture_output=True, text=True, timeout=60)
    assert done.stdout == "same\n", done.stderr


def test_threads_with_plans_of_their_own(points, charges):
    expected = ff.Plan(points).evaluate(charges).potential

    def work(_):
        plan = ff.Plan(points, threads=1)
        return all(np.array_equal(plan.evaluate(charges).potential, expected) for _ in range(20))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


def test_threads_under_load(points, charges):
    """Sums of all kinds at once, in more threads than cores, each of which asks OpenMP for two: the bits of one after another."""
    neutral = charges - charges.mean()
    vectors = np.stack([charges, charges[::-1], neutral], axis=1)
    works = [
        lambda: ff.evaluate(points, charges, gradient=True, tolerance=1e-9, threads=2).gradient,
        lambda: ff.evaluate(points, charges, points[:50], method="treecode", tolerance=1e-3, threads=2).potential,
        lambda: ff.BiotSavart(points, threads=2).evaluate(vectors).velocity,
        lambda: ff.coulomb(points, neutral, cell=[1, 1, 1], tolerance=1e-5, threads=2).forces,
        lambda: ff.kde(points[:, :2], grid=(20, 20)).density,
        lambda: ff.direct_sum(points, charges, threads=2).potential,
    ]
    expected = [work() for work in works]
    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(lambda k: works[k % len(works)](), range(12 * len(works))))
    assert all(np.array_equal(array, expected[k % len(works)]) for k, array in enumerate(found))


def test_one_plan_in_two_threads_is_refused(rng):
    """The lock of the interpreter is free during an evaluation, so the second thread gets to its own."""
    points, charges = rng.random((20_000, 3)), rng.random(20_000)
    plan = ff.Plan(points, method="direct", precision="double", threads=1)
    started = threading.Event()

    def work():
        started.set()
        plan.evaluate(charges)

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    refused = []
    while thread.is_alive() and not refused:
        try:
            plan.evaluate(charges[:20_000])
        except ff.UsageError as error:
            refused.append(str(error))
    thread.join()
    assert refused and "in use by another thread; give each thread a plan of its own" in refused[0]
    assert plan.evaluate(charges).potential.shape == (20_000,)


def test_import_takes_less_than_a_tenth_of_a_second():
    """Of the processor, beyond NumPy's own; the best of five, since other tests run beside."""
    program = ("import time, numpy; began = time.process_time(); import farfield; "
               "print(time.process_time() - began)")
    seconds = min(float(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)
                  for _ in range(5))
    assert seconds < 0.1


def test_import_brings_nothing_but_numpy():
    program = "import sys, farfield; print(*{'torch', 'jax', 'scipy', 'cupy', 'matplotlib'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout.split() == []


def test_import_takes_neither_torch_nor_jax():
    program = "import farfield, sys; assert not {'torch', 'jax'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_every_option_arrives(points, charges):
    """Each name is known, and a wrong value is refused under it; what plans decide by stands in the report."""
    wrong = {"flag": "yes", "whole": 0.5, "count": 0.5, "seed": 0.5, "real": "much"}
    for option in _core.options():
        with pytest.raises(ff.UsageError, match=f"^{option.name} is"):
            _core.Plan(points, None, None, None, {option.name: "?" if option.words else wrong[option.type]})
    given = {"method": "treecode", "softening": 0.02, "softening_kind": "spline", "threads": 1, "tolerance": 1e-4, "degree": 6,
             "leaf_size": 40, "precision": "double", "scale": -2.0, "kernel": "laplace3d", "backend": "cpu"}
    report = ff.Plan(points, **given).report
    for name, value in given.items():
        assert getattr(report, name) == value, name
    lengths = np.random.default_rng(1).random(600) / 50
    varying = ff.evaluate(points, charges, softening=lengths, method="treecode", tolerance=1e-5)
    exact = ff.direct_sum(points, charges, softening=lengths)
    assert varying.report.softening_varies and relative(varying.potential, exact.potential) < 1e-5
