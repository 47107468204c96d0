"""Prints what a call from Python costs beyond the library's own time: microseconds, the median of many calls.

A hundred points on one thread, so that there is little else to measure.
"""
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
