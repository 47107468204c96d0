"""peers.py [--gpu] [--n 1e4,1e5,1e6] [--limit SECONDS] [--threads 2] [--only WORDS] [--data peers.csv]: Farfield beside other packages
from Python, on the same points: uniform in the unit cube, masses in (0, 1), potential and gradient at all of them.

Each row is a process of its own; packages that cannot be imported have a row that says so. Columns: seconds of a whole call, tree
included, from the caller's arrays to results in their order, the median of three after a first one, which is beside it
(compilation); relative L2 errors on 1,000 targets against sums in double by NumPy; MB by which the process, or the memory
of the GPU, grew; lines of user code in calls.py; and the time of the fastest Farfield row of this N with errors as small,
over that of the row: below 1 Farfield is faster. What takes longer than the limit, or is expected to after the N before, is left
out with a word. --gpu: rows of one GPU, besides those of the CPU; arrays are there before the clock starts, where a package takes such.
"""
import argparse
import gc
import json
import math
import os
import re
import resource
import subprocess
import sys
import threading
import time

import numpy as np
import rows
from calls import contenders


def bodies(count):
    rng = np.random.default_rng(1)
    return rng.random((count, 3)), rng.random(count)


def exact(points, masses, targets):
    """Potential and gradient at points[targets] in double."""
    potential, gradient = np.empty(len(targets)), np.empty((len(targets), 3))
    for i, target in enumerate(targets):
        d = points - points[target]
        square = np.einsum("ij,ij->i", d, d)
        square[target] = np.inf
        weights = masses / np.sqrt(square)
        potential[i], gradient[i] = weights.sum(), (weights / square) @ d
    return potential, gradient


def relative(found, true):
    error = float(np.linalg.norm(np.asarray(found, float) - true) / np.linalg.norm(true))
    return error if math.isfinite(error) else None


def chosen(count):
    return np.random.default_rng(2).choice(count, min(count, 1000), replace=False)


# ---- one row, in a process of its own ----


def settled(results):
    """When what was computed on a GPU is there."""
    for part in results:
        getattr(part, "block_until_ready", lambda: None)()
    if hasattr(results[0], "cpu"):
        import torch

        torch.cuda.synchronize()
    return results


def on_host(array):
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)


class GpuMemory:
    """The most bytes in use while it runs, over those before."""

    def __enter__(self):
        import farfield as ff

        self._used = lambda: ff.devices()[0].memory_bytes - ff.devices()[0].free_bytes
        self._before = self.most = self._used()
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look)
        self._watch.start()
        return self

    def _look(self):
        while not self._over.wait(0.002):
            self.most = max(self.most, self._used())

    def __exit__(self, *_):
        self._over.set()
        self._watch.join()
        self.grown = max(self.most, self._used()) - self._before


def timed(call):
    began = time.perf_counter()
    results = settled(call())
    return results, time.perf_counter() - began


def row(contender, setting, type_, count):
    given = [array.astype(type_) for array in bodies(count)]
    if contender.on_gpu:
        given = [contender.on_gpu(array) for array in given]
    __import__(contender.package)
    call = lambda: contender.call(*given, contender.settings[setting])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if contender.gpu:
        with GpuMemory() as memory:
            results, first = timed(call)
        grown = memory.grown / 1e6
    else:
        results, first = timed(call)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
    potential, gradient = (on_host(part)[chosen(count)] for part in results)
    del results
    gc.collect()
    seconds = [timed(call)[1] for _ in range(3)] if first < 60 else [first]
    return {"seconds": sorted(seconds)[len(seconds) // 2], "first": first, "megabytes": grown,
            "results": np.column_stack([potential, gradient]).astype(float).tolist()}


# ---- the table ----


def in_a_process(index, setting, type_, count, threads, limit):
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "NUMBA_NUM_THREADS": str(threads),
                   "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    if not contenders[index].gpu:
        environment["CUDA_VISIBLE_DEVICES"] = ""
    try:
        done = subprocess.run([sys.executable, __file__, "--row", json.dumps([index, setting, type_, count])],
                              env=environment, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"why": f"more than {limit:.0f} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"seconds"')]
    said = (done.stderr.strip() or "no word").splitlines()[-1]
    return json.loads(lines[-1]) if lines else {"why": said[:100]}


class Expected:
    """Seconds of a row at the next N, from those of the last one: by its square where all pairs are summed."""

    def __init__(self):
        self._last = {}

    def learn(self, key, found):
        self._last[key] = found["n"], found.get("first", math.inf)

    def seconds(self, key, count):
        before, seconds = self._last.get(key, (count, 0.0))
        return seconds * (count / before) ** (2 if key[1] == "all pairs" else 1)


def chosen_rows(arguments):
    """Contender by index, setting and type."""
    for index, contender in enumerate(contenders):
        for type_ in contender.types:
            for setting in contender.settings:
                wanted = re.match(arguments.only, f"{contender.name}, {setting}, {type_}")
                if wanted and (arguments.gpu or not contender.gpu):
                    yield index, setting, type_


def measured(arguments):
    expected = Expected()
    for count in [int(float(n)) for n in arguments.n.split(",")]:
        points, masses = bodies(count)
        true = exact(points, masses, chosen(count))
        for key in chosen_rows(arguments):
            contender = contenders[key[0]]
            found = {"where": "GPU" if contender.gpu else "CPU", "n": count, "package": contender.name, "setting": key[1],
                     "type": key[2], "lines": contender.lines}
            if expected.seconds(key, count) > arguments.limit:
                found["why"] = f"left out: more than {arguments.limit:.0f} s are expected"
            else:
                found |= in_a_process(*key, count, arguments.threads, arguments.limit)
                expected.learn(key, found)
            if "results" in found:
                results = np.array(found.pop("results"))
                found["potential"], found["gradient"] = relative(results[:, 0], true[0]), relative(results[:, 1:], true[1])
            yield found


def table(found):
    lines = ["| " + " | ".join(["N", *rows.header]) + " |", "| --- " * (len(rows.header) + 1) + "|"]
    return "\n".join(lines + [f"| {row['n']:,} | " + " | ".join(rows.cells(row, found)) + " |" for row in found])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--n", default="1e4,1e5,1e6")
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="rows of which 'package, setting, type' begins so, as a regular expression")
    parser.add_argument("--data", metavar="FILE", help="whose rows are replaced, or added to")
    parser.add_argument("--row", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.row:
        index, *rest = json.loads(arguments.row)
        print(json.dumps(row(contenders[index], *rest)))
        return
    found = []
    for one in measured(arguments):
        found.append(one)
        print(json.dumps(one), file=sys.stderr, flush=True)
        if arguments.data:
            rows.write(arguments.data, [one])
    print(table(found))


if __name__ == "__main__":
    main()
