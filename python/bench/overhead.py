"""Prints what a call from Python costs beyond the library's own time: microseconds, the median of many calls.

A hundred points on one thread, so that there is little else to measure.
"""
import importlib.util
import statistics
import time

import numpy as np

import farfield as ff
from farfield import _core


def microseconds(call, calls=3000):
    times = []
    for _ in range(calls):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return 1e6 * statistics.median(times)


points, charges = np.random.default_rng(1).random((100, 3)), np.ones(100)
plan = ff.Plan(points, gradient=True, threads=1, method="direct")
out = plan.evaluate(charges)
outputs = _core.Outputs(potential=out.potential, gradient=out.gradient)
report = ff.Report()
library = []


def module_alone():
    plan._core.evaluate(charges, None, outputs, report)
    library.append(1e6 * report.evaluate_seconds)


print(f"the module alone, report read  {microseconds(module_alone):6.1f} us")
print(f"plan.evaluate(q)               {microseconds(lambda: plan.evaluate(charges)):6.1f} us")
print(f"plan.evaluate(q, out=r)        {microseconds(lambda: plan.evaluate(charges, out=out)):6.1f} us")
print(f"of each the library's stages   {statistics.median(library):6.1f} us")


def by_jax():
    """A compiled function of JAX, as XLA calls the library itself and as it calls back."""
    import jax

    import farfield.jax

    jax.config.update("jax_enable_x64", True)
    places, ones, ways = jax.numpy.asarray(points), jax.numpy.ones(100), farfield.jax.platforms
    for name, farfield.jax.platforms in (("interface", ways), ("callbacks", ())):
        sums = jax.jit(lambda q: farfield.jax.evaluate(places, q, gradient=True, threads=1, method="direct"))
        sums(ones)
        if name == "callbacks" or ways:
            print(f"farfield.jax in jit, {name} {microseconds(lambda: jax.block_until_ready(sums(ones)), 500):6.1f} us")


if importlib.util.find_spec("jax"):
    by_jax()
