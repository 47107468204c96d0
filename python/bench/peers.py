"""peers.py [--gpu] [--n 1e4,1e5,1e6] [--limit SECONDS] [--threads 2] [--only WORDS] [--data peers.csv] [--exact FOLDER]: Farfield
beside other packages from Python, on the same points: uniform in the unit cube, masses in (0, 1), potential and gradient at all
of them.

Each row is a process of its own; packages that cannot be imported have a row that says so. Columns: seconds of a whole call, tree
included, from the caller's arrays to results in their order, the median of three after a first one, which is beside it
(compilation), of 5 seconds and more one, of 20 and more the first; relative L2 errors on 1,000 targets against sums in double by NumPy, which --exact keeps from run to run; MB by
which the process, or the memory of the GPU, grew; lines of user code in calls.py; and the time of the fastest Farfield row of
this N with errors as small, over that of the row: below 1 Farfield is faster. What takes longer than the limit, or is expected to
after the N before, is left out with a word.

--gpu: rows of one GPU instead of those of the CPU; arrays are there before the clock starts, where a package takes such. The settings of
one package and N share a process, so that it starts once; their first calls come one after another.
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


def kept_exact(count, folder):
    """The same, from a file of the folder where it is there."""
    targets = chosen(count)
    file = os.path.join(folder, f"exact_{count}.npz") if folder else ""
    if folder and os.path.exists(file):
        with np.load(file) as kept:
            assert np.array_equal(kept["targets"], targets) and np.array_equal(kept["first"], bodies(count)[0][:3])
            return kept["potential"], kept["gradient"]
    points, masses = bodies(count)
    potential, gradient = exact(points, masses, targets)
    if folder:
        np.savez(file, targets=targets, first=points[:3], potential=potential, gradient=gradient)
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
    """The most bytes of the GPU in use while it runs, over those before. What JAX has once taken it does not give back: its own
    count of the most in use, of rows that need ever more."""

    def __enter__(self):
        import farfield as ff

        self._jax = sys.modules.get("jax")
        self._used = lambda: ff.devices()[0].memory_bytes - ff.devices()[0].free_bytes
        if "torch" in sys.modules:
            sys.modules["torch"].cuda.empty_cache()
        self._before = self.most = self._used()
        self._earlier = self._most_of_jax()
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look)
        self._watch.start()
        return self

    def _most_of_jax(self):
        return self._jax.devices()[0].memory_stats()["peak_bytes_in_use"] if self._jax else 0

    def _look(self):
        while not self._over.wait(0.002):
            self.most = max(self.most, self._used())

    def __exit__(self, *_):
        self._over.set()
        self._watch.join()
        self.grown = max(self.most, self._used()) - self._before
        if self._jax:
            self.grown = self._most_of_jax() if self._most_of_jax() > self._earlier else None


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
        grown = None if memory.grown is None else memory.grown / 1e6
    else:
        results, first = timed(call)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
    potential, gradient = (on_host(part)[chosen(count)] for part in results)
    del results
    gc.collect()
    seconds = [timed(call)[1] for _ in range(3 if first < 5 else 1)] if first < 20 else [first]
    return {"seconds": sorted(seconds)[len(seconds) // 2], "first": first, "megabytes": grown,
            "results": np.column_stack([potential, gradient]).astype(float).tolist()}


# ---- the table ----


def in_a_process(keys, count, arguments):
    """Of some rows of one package what they printed, in order; a row that was not reached says why."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(arguments.threads), "NUMBA_NUM_THREADS": str(arguments.threads),
                   "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    if not arguments.gpu:
        environment["CUDA_VISIBLE_DEVICES"] = ""
    command = [sys.executable, __file__, "--row", json.dumps([[*key, count] for key in keys])]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=arguments.limit * len(keys))
        output, why = done.stdout, (done.stderr.strip() or "no word").splitlines()[-1][:100]
        if arguments.log and done.returncode:
            with open(arguments.log, "a", encoding="utf-8") as log:
                log.write(f"{keys} {count}\n{done.stderr}\n")
    except subprocess.TimeoutExpired as late:
        output = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        why = f"more than {arguments.limit:.0f} s"
    found = [json.loads(line) for line in output.splitlines() if line.startswith('{"seconds"')]
    return found + [{"why": why}] * (len(keys) - len(found))


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
    """Contender by index, setting and type, those of one package together."""
    for index, contender in enumerate(contenders):
        keys = [(index, setting, type_) for type_ in contender.types for setting in contender.settings
                if re.match(arguments.only, f"{contender.name}, {setting}, {type_}") and arguments.gpu == contender.gpu]
        yield from [keys] if contender.gpu and keys else ([key] for key in keys)


def measured(arguments):
    expected = Expected()
    for count in [int(float(n)) for n in arguments.n.split(",")]:
        true = kept_exact(count, arguments.exact)
        for keys in chosen_rows(arguments):
            late = [key for key in keys if expected.seconds(key, count) > arguments.limit]
            found = dict.fromkeys(late, {"why": f"left out: more than {arguments.limit:.0f} s are expected"})
            rest = [key for key in keys if key not in late]
            found |= zip(rest, in_a_process(rest, count, arguments)) if rest else ()
            for key in keys:
                yield {"where": arguments.where or ("GPU" if arguments.gpu else "CPU"), **finished(key, count, found[key], true)}
                if key in rest:
                    expected.learn(key, {**found[key], "n": count})


def finished(key, count, found, true):
    contender = contenders[key[0]]
    one = {"n": count, "package": contender.name, "setting": key[1], "type": key[2], "lines": contender.lines, **found}
    if "results" in one:
        results = np.array(one.pop("results"))
        one["potential"], one["gradient"] = relative(results[:, 0], true[0]), relative(results[:, 1:], true[1])
    return one


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
    parser.add_argument("--where", help="what the rows say of the machine, when it is another one than that of the table")
    parser.add_argument("--exact", metavar="FOLDER", help="where the sums to compare with are kept")
    parser.add_argument("--log", metavar="FILE", help="gets all that failing rows said")
    parser.add_argument("--row", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.row:
        for index, *rest in json.loads(arguments.row):
            print(json.dumps(row(contenders[index], *rest)), flush=True)
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
