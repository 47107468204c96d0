"""device.py [GPU_CALL]: what a call on arrays of a CUDA device moves over the bus, as the driver's profiler counts it, and
what it costs with 100 points. GPU_CALL, the program bench/gpu_call, prints the same call from C++ first and last, so that the
difference is seen.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch.profiler import ProfilerActivity, profile

import farfield as ff
from farfield import _core
from farfield.device import on_device

points, charges = torch.rand(100_000, 3, device="cuda"), torch.rand(100_000, device="cuda")


def moved(call):
    """Copies between host and device while it runs: (how many, bytes), each way."""
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as seen:
        call()
        torch.cuda.synchronize()
    file = os.path.join(tempfile.mkdtemp(), "trace.json")
    seen.export_chrome_trace(file)
    with open(file, encoding="utf-8") as trace:
        events = [e for e in json.load(trace)["traceEvents"] if e.get("cat") == "gpu_memcpy"]
    ways = {}
    for way in ("HtoD", "DtoH", "DtoD"):
        sizes = [int(e["args"].get("bytes", 0)) for e in events if way in e["name"]]
        ways[way] = (len(sizes), sum(sizes), max(sizes, default=0))
    return ways


plan = ff.Plan(points, gradient=True, tolerance=1e-4)
result = plan.evaluate(charges)
print(f"{len(points)} points in single: positions have {points.nbytes} bytes, charges {charges.nbytes}, results "
      f"{result.potential.nbytes + result.gradient.nbytes}; number, bytes in all, largest of copies")
for name, call in (("a copy of the charges, for comparison", lambda: charges.cpu()), ("Plan(points)", lambda: ff.Plan(points)),
                   ("plan.move(points)", lambda: plan.move(points)), ("plan.evaluate(q)", lambda: plan.evaluate(charges)),
                   ("plan.evaluate(q, out=r)", lambda: plan.evaluate(charges, out=result))):
    print(f"{name:40}", *(f"{way} {numbers}" for way, numbers in moved(call).items()), "; copies reported:", plan.report.copies)

few = torch.rand(100, 3, device="cuda", dtype=torch.float64)
ones = torch.ones(100, device="cuda", dtype=torch.float64)
report = ff.Report()


def from_cpp():
    for program in sys.argv[1:2]:
        print(subprocess.run([program], check=True, capture_output=True, text=True).stdout, end="")


def microseconds(call):
    times = []
    for _ in range(1000):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return 1e6 * statistics.median(times)


def of_method(method):
    """The module's own share is that of a call with arrays which were made ready before; a capsule serves one call."""
    small = ff.Plan(few, gradient=True, method=method)
    out = small.evaluate(ones)
    outputs = _core.Outputs(potential=on_device("r", out.potential).capsule(0), gradient=on_device("r", out.gradient).capsule(0))
    side = torch.cuda.Stream()

    def nothing():
        with torch.cuda.stream(side):
            pass

    def entered():
        with torch.cuda.stream(side):
            small.evaluate(ones)

    def show(name, call):
        print(f"100 points: Python {name:42}, method {method:7} {microseconds(call):7.1f} us")

    show("the module alone", lambda: small._core.evaluate(on_device("q", ones).capsule(0), None, outputs, report))
    show("plan.evaluate(q)", lambda: small.evaluate(ones))
    show("plan.evaluate(q, out=r)", lambda: small.evaluate(ones, out=out))
    with torch.cuda.stream(side):
        show("plan.evaluate(q) on another stream", lambda: small.evaluate(ones))
    show("with that stream entered for each call", entered)
    show("entering a stream of torch alone", nothing)


from_cpp()
for method in ("auto", "direct"):
    of_method(method)
from_cpp()
