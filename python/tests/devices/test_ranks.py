"""Plans over several devices, here over ranks of the CPU, and what they report."""
import copy
import inspect
import json
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import farfield as ff
from farfield import _core
from test_device import Fake

header = pathlib.Path(__file__).parents[3] / "include/farfield/distributed.hpp"
cpu = {"backend": "cpu", "method": "fmm", "gradient": True, "tolerance": 1e-5}


@pytest.fixture
def cloud(rng):
    return rng.standard_normal((5003, 3))


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bits_of_one_plan(rng, cloud, ranks, dtype):
    wide = rng.standard_normal((3, 2 * 5003)).astype(dtype)
    charges, targets = wide[:, ::2], cloud[::7] + 0.1  # strided, with a pitch
    one, plan = ff.Plan(cloud, targets, **cpu), ff.Plan(cloud, targets, devices=[0] * ranks, **cpu)
    expected, result = one.evaluate(charges), plan.evaluate(charges)
    assert result.potential.dtype == dtype and result.gradient.shape == (3, 715, 3)
    assert np.array_equal(result.potential, expected.potential)
    assert np.array_equal(result.gradient, expected.gradient)
    plan.move(cloud), one.move(cloud)
    assert np.array_equal(plan.evaluate(charges[0]).potential, one.evaluate(charges[0]).potential)


def test_one_call_and_arrays_of_the_caller(rng, cloud):
    charges = rng.standard_normal(5003)
    expected = ff.evaluate(cloud, charges, **cpu)
    result = ff.evaluate(cloud, charges, devices=(0, 0), **cpu)
    assert np.array_equal(result.gradient, expected.gradient)
    out = np.full(5003, np.nan)
    ff.evaluate(cloud, charges, devices=np.zeros(3, int), out=out, **cpu)
    assert np.array_equal(out, expected.potential)


def test_results_at_sources(rng, cloud):
    charges, targets = rng.standard_normal((2, 5003)), rng.random((100, 3))
    one = ff.evaluate(cloud, charges, targets, at_sources=True, **cpu)
    several = ff.evaluate(cloud, charges, targets, at_sources=True, devices=[0, 0, 0], **cpu)
    for name in ("potential", "gradient", "source_potential", "source_gradient"):
        assert np.array_equal(getattr(one, name), getattr(several, name)), name


def test_report(rng, cloud):
    charges = np.ones(5003)
    report = ff.evaluate(cloud, charges, devices=[0, 0, 0, 0], **cpu).report
    assert [rank.given for rank in report.ranks] == [1250, 1251, 1251, 1251]
    assert sum(rank.owned for rank in report.ranks) == report.sources == 5003
    assert all(rank.ghosts > 0 and rank.sent > 0 and rank.seconds > 0 for rank in report.ranks)
    values = json.loads(json.dumps(report.to_dict()))
    assert values["ranks"][3]["given"] == 1251
    assert "ranks     4, which sum at" in repr(report)
    assert pickle.loads(pickle.dumps(report)).to_dict() == report.to_dict()
    alone = ff.evaluate(cloud, charges, **cpu).report
    assert alone.ranks == () and alone.to_dict()["ranks"] == [] and "ranks" not in repr(alone)


def test_every_member_of_the_header_is_there():
    body = re.search(r"struct RankReport {\n(.*?)\n};", header.read_text(), re.S)[1]
    assert re.findall(r"^  [\w:]+ (\w+) = 0;", body, re.M) == _core.RankReport.fields()


@pytest.mark.parametrize("again", [copy.copy, lambda plan: pickle.loads(pickle.dumps(plan))])
def test_copies(cloud, again):
    plan = ff.Plan(cloud, devices=[0, 0], **cpu)
    other = again(plan)
    assert len(other.report.ranks) == 2
    charges = np.ones(5003)
    assert np.array_equal(other.evaluate(charges).potential, plan.evaluate(charges).potential)
    assert "devices" in inspect.signature(ff.Plan).parameters and "devices" not in plan.options


def test_the_index_is_that_of_the_callers_array(cloud):
    plan, charges = ff.Plan(cloud, devices=[0, 0, 0], **cpu), np.ones(5003)
    bad = cloud.copy()
    bad[4000, 2] = np.nan
    for call in (lambda: ff.Plan(bad, devices=[0, 0, 0], **cpu), lambda: plan.move(bad)):
        with pytest.raises(ff.InputError, match="^source 4000: coordinate z is nan"):
            call()
    charges[5002] = np.inf
    with pytest.raises(ff.InputError, match="^strength 5002 of vector 0 is not finite"):
        plan.evaluate(charges)
    assert plan.evaluate(np.ones(5003)).potential.shape == (5003,)


@pytest.mark.parametrize("options, error, sentence", [
    ({"devices": []}, ff.UsageError, "no devices were named; pass the number of at least one, as 0 and 1"),
    ({"devices": 2}, ff.UsageError, "devices is 2; pass a list of their numbers, as [0, 1]"),
    ({"devices": "cuda"}, ff.UsageError, "devices is 'cuda'; pass a list of their numbers, as [0, 1]"),
    ({"devices": [0, -1]}, ff.DeviceError, "there is no device -1; devices are numbered from 0"),
    ({"kernel": "vortex", "periodic": "x", "cell_x": 9.0}, ff.UsageError, "periodic axes of kernel vortex are not offered"),
])
def test_what_is_refused(cloud, options, error, sentence):
    with pytest.raises(error, match="^" + re.escape(sentence)):
        ff.Plan(cloud, **{**cpu, "devices": [0, 0], **options})


def test_no_cell(cloud):
    with pytest.raises(ff.UsageError, match="the plan's points do not repeat"):
        ff.Plan(cloud, devices=[0, 0], **cpu).set_cell([1, 1, 1])


def test_cells_have_the_bits_and_the_virial_of_one_plan(cloud):
    options = {**cpu, "periodic": "xyz", "cell_x": 1.0, "cell_y": 2.0, "cell_z": 1.5, "virial": True}
    charges = np.resize([1.0, -1.0, 0.5], len(cloud))
    one, several = ff.Plan(cloud, **options), ff.Plan(cloud, devices=[0, 0, 0], **options)
    for plan in (one, several):
        plan.evaluate(charges)
        plan.set_cell([1.01, 2.0, 1.5])
        plan.move(cloud)
    expected, found = one.evaluate(charges), several.evaluate(charges)
    assert np.array_equal(found.potential, expected.potential)
    assert np.array_equal(found.virial, expected.virial)


@pytest.mark.skipif(ff.built_with_cuda() and len(ff.devices()) > 0, reason="there are devices")
def test_gpus_are_meant_where_no_backend_is_named(cloud):
    with pytest.raises(ff.DeviceError, match="CUDA"):
        ff.Plan(cloud, devices=[0, 1])


def test_arrays_on_a_device(cloud, monkeypatch):
    monkeypatch.setattr(_core, "built_with_cuda", lambda: True)
    plan, charges = ff.Plan(cloud, devices=[0, 0], **cpu), np.ones(5003)
    sentence = "a plan over several devices reads and writes host memory"
    for call in (lambda: ff.Plan(Fake(cloud), devices=[0, 0], **cpu), lambda: plan.move(Fake(cloud)),
                 lambda: plan.evaluate(Fake(charges)), lambda: plan.evaluate(charges, out=Fake(charges.copy()))):
        with pytest.raises(ff.DeviceError, match=sentence):
            call()


forking = """
import os
import numpy as np
import farfield as ff

points = np.random.default_rng(1).random((600, 3))
plan = ff.Plan(points, devices=[0, 0], backend="cpu")
child = os.fork()
if child == 0:
    try:
        plan.evaluate(points[:, 0])
    except ff.DeviceError as error:
        print(error, flush=True)
    del plan
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


def test_forked_process():
    """Its threads stay with the parent: one sentence, and nobody waits for them."""
    done = subprocess.run([sys.executable, "-c", forking], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("the plan was made before this process was forked"), done.stderr
