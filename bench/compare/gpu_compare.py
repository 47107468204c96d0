#!/usr/bin/env python3
"""Farfield on a GPU beside jz-fmm, direct sums of PyTorch, and Farfield on the CPU of the same machine.

Nothing of the others is part of this repository: jz-fmm (pip install jzfmm[cuda13]) and PyTorch are imported where
they are installed and left out, with a line that says so, where they are not. Each code runs in a process of its own,
on the same points. A run is one whole call, from points in the caller's order on the device to potential and gradient
in that order, tree included; the first call apart, then the median of five (two where runs take seconds). Errors of
all are measured alike: relative L2 on 2,000 random targets against a direct sum in double, made with PyTorch. One JSON
line per code and setting goes to standard output.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from clouds import KINDS

TARGETS = 2000
JZFMM = [(5, 0.8), (3, 0.8), (5, 0.6)]  # (p, opening angle); the first is its default
# Softening of jz-fmm in units of N^(-1/3), run with its default setting; others take the first that gives numbers. Sums
# with 0 are not numbers, and small ones may cost it digits: each is compared with the sum of its own softening.
SOFTENINGS = [0.0, 1e-6, 1e-4, 1e-2]
FARFIELD = "degree3,degree4,degree5,degree6,degree7,degree9,1e-3,1e-5"


def cloud(kind: str, n: int):
    """Points as float32 (n, 3) and weights in (0, 1)."""
    random = np.random.default_rng(1)
    return KINDS[kind](random, n).astype(np.float32), random.random(n, dtype=np.float32)


def exact(xyz, q, targets, softening=0.0):
    """Potential (t,) and gradient (t, 3) at points `targets` in double, self left out."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, w = torch.tensor(xyz, device=device).double(), torch.tensor(q, device=device).double()
    potential, gradient = [], []
    step = max(1, 2**27 // len(xyz))
    for some in np.array_split(targets, -(-len(targets) // step)):
        i = torch.tensor(some, device=device)
        square, d = 0, []
        for a in range(3):
            d.append(x[:, a] - x[i, a][:, None])
            square = square + d[a] * d[a]
        square += softening**2
        square[torch.arange(len(some)), i] = torch.inf
        inverse = square.rsqrt_()
        potential.append((inverse @ w).cpu())
        inverse = inverse**3
        gradient.append(torch.stack([(inverse * part) @ w for part in d], 1).cpu())
    if device == "cuda":
        torch.cuda.empty_cache()  # other processes need the memory
    return torch.cat(potential).numpy(), torch.cat(gradient).numpy()


def relative(found, true):
    """Relative L2 error; None for results that are no numbers."""
    error = float(np.linalg.norm(found.astype(np.float64) - true) / np.linalg.norm(true))
    return error if np.isfinite(error) else None


def say(**line):
    print(json.dumps(line), flush=True)


# ---- codes: each runs in a process of its own, prints lines with its times and leaves results at the targets ----


def timed(run, wait, repeat):
    """First call and further ones, in seconds."""
    from time import perf_counter

    times = []
    for _ in range(repeat + 1):
        begin = perf_counter()
        result = run()
        wait(result)
        times.append(perf_counter() - begin)
        if sum(times) > 15 and len(times) > 2:
            break
    return result, times[0], times[1:]


def run_jzfmm(a, xyz, q, targets):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp
    from jzfmm.config import FMMConfig, OpeningByAngle, PlummerKernel
    from jzfmm.fmm import fast_multipole_method
    from jztree.data import PosMass

    part = PosMass(pos=jnp.asarray(xyz), mass=jnp.asarray(q))
    jax.block_until_ready(part.pos)

    def run(p, theta, softening, room):
        config = FMMConfig(kernel=PlummerKernel(softening=softening), p=p, opening=OpeningByAngle(theta=theta),
                           alloc_fac_ilist=room)  # fmt: skip
        return timed(lambda: fast_multipole_method.jit(part, config, result="loc"),
                     lambda r: jax.block_until_ready(r.values), a.repeat)  # fmt: skip

    def job(p, theta, softening):
        for room in (64.0, 160.0, 400.0):  # entries of interaction lists per leaf; the first is the default
            try:
                loc, first, runs = run(p, theta, softening, room)
                break
            except Exception as error:  # whatever JAX makes of jz-fmm's "allocation too small"
                if room == 400.0 or "alloc" not in str(error):
                    raise
        values = -np.asarray(loc.values[jnp.asarray(targets)])[:, :4]
        setting = f"p={p} theta={theta} softening={softening:.1e}"
        np.save(f"{a.output}.{setting}.npy", values)
        say(setting=setting, first_s=first, runs_s=runs, softening=softening, note=f"lists {room:g} per leaf")
        return bool(np.isfinite(values).all())

    lengths = [s * len(q) ** (-1 / 3) for s in SOFTENINGS]
    good = [s for s in lengths if job(*JZFMM[0], s)]
    for p, theta in JZFMM[1:]:
        job(p, theta, good[0])


def run_torch(a, xyz, q, targets):
    import torch

    x, w = torch.tensor(xyz, device="cuda"), torch.tensor(q, device="cuda")

    axes = [x[:, a].contiguous() for a in range(3)]

    def rows(t):
        d = [axes[a] - t[:, a, None] for a in range(3)]
        square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
        inverse = torch.where(square > 0, square.rsqrt(), 0.0)
        weighted = inverse * w
        cubed = weighted * inverse * inverse
        return weighted.sum(1), torch.stack([(cubed * part).sum(1) for part in d], 1)

    def all_rows(function, step):
        parts = [function(x[i : i + step]) for i in range(0, len(x), step)]
        return torch.cat([p for p, _ in parts]), torch.cat([g for _, g in parts])

    jobs = [("compiled", lambda: all_rows(compiled, 10_000))]
    if len(x) <= 200_000:
        jobs.append(("eager", lambda: all_rows(rows, 1_000)))
    compiled = torch.compile(rows, dynamic=False)
    for setting, job in jobs:
        (potential, gradient), first, runs = timed(job, lambda _: torch.cuda.synchronize(), a.repeat)
        i = torch.tensor(targets, device="cuda")
        values = torch.cat([potential[i][:, None], gradient[i]], 1).cpu().numpy()
        np.save(f"{a.output}.{setting}.npy", values)
        say(setting=setting, first_s=first, runs_s=runs, note="direct sum, " + setting)


CODES = {"jz-fmm": run_jzfmm, "PyTorch": run_torch}


# ---- the driver ----


def child(arguments, code):
    """Lines of a child process; a line on its failure."""
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=500)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"setting"')]
    if done.returncode:
        reason = [line for line in done.stderr.splitlines() if line.strip()]
        say(code=code, failed=reason[-1][:300] if reason else f"exit status {done.returncode}")
    return lines


def results(output: Path, setting: str):
    """Potential and gradient that a code left."""
    raw = Path(f"{output}.{setting}")
    if raw.exists():
        values = np.fromfile(raw, dtype=np.float32)
        n = len(values) // 4
        return values[:n], values[n:].reshape(n, 3)
    values = np.load(f"{output}.{setting}.npy")
    return values[:, 0], values[:, 1:]


def compare(a, kind, n, folder):
    xyz, q = cloud(kind, n)
    targets = np.random.default_rng(2).choice(n, size=min(TARGETS, n), replace=False)
    (folder / "cloud").write_bytes(xyz.tobytes() + q.tobytes())
    targets.astype(np.int64).tofile(folder / "targets")
    true = {}  # by softening
    files = {"input": folder / "cloud", "targets": folder / "targets", "output": folder / "out", "n": n}
    share = [word for name, value in files.items() for word in (f"--{name}", str(value))]
    direct = n <= 1_000_000
    ours = [a.farfield, *share, "--repeat", str(a.repeat), "--jobs"]
    runs = [("Farfield, GPU", [*ours, FARFIELD + (",direct" if direct else ""), "--backend", "cuda"]),
            ("Farfield, CPU", [*ours, "degree4,1e-5" if n < 10**7 else "1e-5", "--backend", "cpu"]),
            ("jz-fmm", [])]  # fmt: skip
    if direct:
        runs.append(("PyTorch", []))
    for code, command in runs:
        if code not in a.codes.split(";"):
            continue
        python = [sys.executable, __file__, "--child", code, "--repeat", str(a.repeat), *share]
        for line in child(command or python, code):
            potential, gradient = results(folder / "out", line["setting"])
            median = float(np.median(line["runs_s"]))
            softening = line.get("softening", 0.0)
            if softening not in true:
                true[softening] = exact(xyz, q, targets, softening)
            say(code=code, cloud=kind, n=n, setting=line["setting"], seconds=median, first_s=line["first_s"],
                runs_s=line["runs_s"], points_per_second=n / median, error_gradient=relative(gradient, true[softening][1]),
                error_potential=relative(potential, true[softening][0]), note=line["note"])  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farfield", default="build/gpu/bench/gpu_peer", help="Farfield's program")
    parser.add_argument("--n", default="1e5,1e6,4e6,4e7", help="numbers of points; direct sums up to 1e6")
    parser.add_argument("--clouds", default="uniform,plummer")
    parser.add_argument("--codes", default="Farfield, GPU;Farfield, CPU;PyTorch;jz-fmm", help="separated by ;")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--input", help=argparse.SUPPRESS)
    parser.add_argument("--targets", help=argparse.SUPPRESS)
    parser.add_argument("--output", help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.child:
        n = int(float(a.n))
        values = np.fromfile(a.input, dtype=np.float32)
        return CODES[a.child](a, values[: 3 * n].reshape(n, 3), values[3 * n :], np.fromfile(a.targets, dtype=np.int64))
    for n in a.n.split(","):
        for kind in a.clouds.split(","):
            with tempfile.TemporaryDirectory() as folder:
                compare(a, kind, int(float(n)), Path(folder))


if __name__ == "__main__":
    main()
