#!/usr/bin/env python3
"""jz-fmm on 1, 2, ... GPUs of one host, for the rows beside bench/gpu_ranks in docs/gpu.md:

bench/compare/jzfmm_devices.py 1e8 1,2,4        # uniform points together, numbers of GPUs

Nothing of jz-fmm is part of this repository (pip install jzfmm[cuda13]). Random points of equal masses in single, its
default setting (p = 5, opening angle 0.8) with Plummer's softening of a tenth of N^(-1/3), as its author times it. A
run begins with points anywhere, includes the tree and their exchange, and leaves results in the order of its tree. Median
of five after the first. Errors: relative L2 at 1,000 points against softened direct sums in double. A JSON line each.
"""

import json
import os
import sys
from functools import partial
from time import perf_counter

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax  # noqa: E402  (its environment comes first)
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jzfmm import FMMConfig, PlummerKernel  # noqa: E402
from jzfmm.fmm import fast_multipole_method  # noqa: E402
from jztree.data import PosMass  # noqa: E402
from jztree_utils import ics  # noqa: E402

SAMPLES = 1000


@partial(jax.jit, static_argnames="softening")
def direct(x, held, targets, softening):
    """Potentials and gradients (t, 4) of unit strengths at the first `held` of points (n, 3), in double."""
    is_held = jnp.arange(x.shape[0]) < held

    def at(y):
        d = jnp.where(is_held[:, None], x.astype(jnp.float64) - y, 0)  # the rest is padded with nan
        square = jnp.sum(d * d, -1)
        inverse = jnp.where(is_held & (square > 0), 1 / jnp.sqrt(square + softening**2), 0)
        return jnp.concatenate([jnp.sum(inverse)[None], jnp.sum(inverse[:, None] ** 3 * d, 0)])

    return jax.lax.map(at, targets)


def parts(array):
    """Of each device."""
    return [shard.data.reshape((-1, array.shape[-1])) for shard in array.addressable_shards]


def errors(loc, points, softening):
    """Of the first device's results."""
    values, places = parts(loc.values)[0], parts(points.pos)
    held = [len(x) for x in places] if points.num is None else [int(n) for n in np.ravel(points.num)]
    some = np.random.default_rng(1).choice(held[0], SAMPLES, replace=False)
    found, targets = -np.asarray(values[some])[:, :4], np.asarray(places[0][some], dtype=np.float64)
    with jax.enable_x64():
        true = sum(np.asarray(direct(x, n, jax.device_put(targets, next(iter(x.devices()))), softening))
                   for x, n in zip(places, held, strict=True)) / sum(held)  # fmt: skip  (masses are 1 in all)
    return [float(np.linalg.norm(found[:, p] - true[:, p]) / np.linalg.norm(true[:, p])) for p in (slice(0, 1), slice(1, 4))]


def run(n, devices):
    softening = 0.1 * n ** (-1 / 3)
    config = FMMConfig(kernel=PlummerKernel(softening=softening))
    mesh = jax.make_mesh((devices,), axis_names=("gpus",), axis_types=jax.sharding.AxisType.Explicit, devices=jax.devices()[:devices])
    each = n // devices
    if devices > 1:
        points = ics.uniform_particles.smap(mesh, jit=True)(each, npad=max(each // 5, 100_000))
        function = fast_multipole_method.smap(mesh, jit=True)
    else:
        points = PosMass(pos=jax.random.uniform(jax.random.PRNGKey(0), (n, 3), dtype=jnp.float32), mass=1 / n)
        function = fast_multipole_method.jit
    times = []
    for _ in range(6):
        begin = perf_counter()
        loc, tree_points = function(part=points, cfg_fmm=config, result="locz_partz")
        jax.block_until_ready(loc.values)
        times.append(perf_counter() - begin)
    return {"first_s": times[0], "seconds": float(np.median(times[1:])), "errors": errors(loc, tree_points, softening)}


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: jzfmm_devices.py N DEVICES[,DEVICES ...]")
    n = int(float(sys.argv[1]))
    for devices in map(int, sys.argv[2].split(",")):
        line = {"code": "jz-fmm", "points": n, "devices": devices}
        try:
            line |= run(n, devices)
        except Exception as error:  # whatever JAX makes of jz-fmm's own
            line["error"] = str(error)[:300]
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
