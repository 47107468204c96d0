"""What a call on arrays of a CUDA device moves over the bus, as the driver's profiler counts it, and what it costs."""
import json
import os
import statistics
import tempfile
import time

import torch
from torch.profiler import ProfilerActivity, profile

import farfield as ff

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
small = ff.Plan(few, gradient=True)
out = small.evaluate(ones)
core = small._core
from farfield import _core  # noqa: E402
from farfield.device import DeviceArray, for_core  # noqa: E402

report = ff.Report()
potential, gradient = DeviceArray("r", out.potential), DeviceArray("r", out.gradient)
outputs = _core.Outputs(potential=for_core(potential), gradient=for_core(gradient))


def alone():
    core.evaluate(DeviceArray("q", ones).capsule(), None, outputs, report)


for name, call in (("the module alone", alone), ("plan.evaluate(q)", lambda: small.evaluate(ones)),
                   ("plan.evaluate(q, out=r)", lambda: small.evaluate(ones, out=out))):
    times = []
    for _ in range(1000):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    print(f"100 points: {name:24} {1e6 * statistics.median(times):7.1f} us")
