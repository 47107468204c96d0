#!/usr/bin/env python3
"""What Nsight Compute counts while build/gpu/lab/kohnke runs, one JSON line per variant and p, for figures 17, 19 (b), 20 and 22 of
Kohnke et al. 2021:

bench/papers/kohnke/counters.py build/gpu/lab/kohnke [FOLDER FOR NCU'S LOGS] > out/gpu/kohnke_counters.jsonl

Kernel by kernel, which times nothing but the kernel, and added up where a variant launches several. How busy the device is with kernels
that overlap is counted over whole runs instead, ten in a row, since a range has the host's first launch in it; the program runs anew for
each set of counters then. Counters of instructions patch the kernel's code, which only works kernel by kernel.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# The classes of nvprof's metrics inst_*, which the paper's pictures show, by Nsight Compute's table of their successors.
CLASSES = {
    "floating point": "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum",
    "integer": "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
    "memory": "smsp__sass_thread_inst_executed_op_memory_pred_on.sum",
    "control": "smsp__sass_thread_inst_executed_op_control_pred_on.sum",
    "conversion": "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
    "communication": "smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum",
    "miscellaneous": "smsp__sass_thread_inst_executed_op_misc_pred_on.sum",
}
INSTRUCTIONS = CLASSES | {
    "of warps": "smsp__inst_executed.sum",
    "of threads": "smsp__thread_inst_executed_pred_on.sum",
}
UTILISATION = {
    "seconds": "gpu__time_duration.sum",
    "compute": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "memory": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "device memory": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "L2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "L1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "L1 bytes": "l1tex__t_bytes.sum",
    "shared": "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
    "shared wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "fma": "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed",
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
    "occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
TIMES = {"ns": 1e-9, "nsecond": 1e-9, "us": 1e-6, "usecond": 1e-6, "ms": 1e-3, "msecond": 1e-3, "s": 1, "second": 1}
DEPTH = 3
LAUNCHES = {"symmetric": 32}  # four kinds of groups for eight octants; the others launch one kernel
ALONE, ALL = ("naive", "children", "persistent"), ("naive", "children", "persistent", "symmetric")
RUNS = (
    ("utilisation", "kernels", ALONE, tuple(range(2, 21, 2))),
    ("instructions", "kernels", ALL, (2, 4, 8, 12, 16, 20)),
    ("utilisation", "ranges", ("symmetric",), tuple(range(2, 21, 2))),
    ("utilisation", "ranges", ("dynamic",), (2, 8, 14, 20)),  # by itself: a profiler may refuse kernels that launch kernels
)
METRICS = {"instructions": INSTRUCTIONS, "utilisation": UTILISATION}
MODES = {"kernels": ("--profile-from-start", "off"), "ranges": ("--replay-mode", "app-range")}
REPEATS = {"kernels": "1", "ranges": "10"}
LIMIT = 150  # seconds of one run


class Failure(Exception):
    """One sentence: what is wrong and what to do."""


def results(text):
    """Rows of `ncu --csv --page raw`: {metric: number}, times in seconds. What is no number is left out."""
    rows = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    if not rows or rows[0][0] != "ID":
        return []
    head, units, *values = rows
    return [
        {
            name: float(value.replace(",", "")) * (TIMES[unit] if "time_duration" in name else 1)
            for name, unit, value in zip(head, units, row)
            if "__" in name and re.fullmatch(r"[-+0-9.,]+(e[-+]?\d+)?", value)
        }
        for row in values
    ]


def joined(rows, what, over, variants, degrees):
    """One line per variant and p, in the order in which the program runs them; kernels of one run are added up."""
    kernels = [LAUNCHES.get(v, 1) if over == "kernels" else 1 for v in variants for _ in degrees]
    if len(rows) != sum(kernels):
        raise Failure(f"ncu gave {len(rows)} results instead of {sum(kernels)} for {what} of {', '.join(variants)}; give it a folder for its logs")
    names, lines, rows = METRICS[what], [], iter(rows)
    for at, count in enumerate(kernels):
        group = [next(rows) for _ in range(count)]
        counters = {k: sum(r[m] for r in group) for k, m in names.items() if all(m in r for r in group)}
        variant, p = variants[at // len(degrees)], degrees[at % len(degrees)]
        line = {"paper": "kohnke counters", "what": what, "variant": variant, "depth": DEPTH, "p": p}
        lines.append(line | {"counters": counters})
    return lines


def profile(program, log, metrics, over, variants, degrees):
    command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--cache-control", "none"]
    command += ["--metrics", ",".join(metrics), *MODES[over], "--log-file", log]
    command += [program, "profile", ",".join(variants), str(DEPTH), ",".join(map(str, degrees)), REPEATS[over]]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=False,
                              env=os.environ | {"LC_ALL": "C"})  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Failure(f"ncu took more than {LIMIT} s for {over} of {', '.join(variants)}; take fewer p") from None
    said = done.stdout + (Path(log).read_text() if Path(log).exists() else "")
    for line in said.splitlines():
        if not line.startswith('"') and re.search("error|warning", line, re.IGNORECASE):
            print(line, file=sys.stderr)
    return results(said)


def known(metrics):
    """Those that the device has, by ncu's own list."""
    listed = subprocess.run(["ncu", "--query-metrics"], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
    return [m for m in metrics if m.split(".")[0] in listed]


def measure(program, folder, what, over, variants, degrees):
    log, metrics = str(folder / f"{what}-{variants[0]}.csv"), list(METRICS[what].values())
    rows = profile(program, log, metrics, over, variants, degrees)
    if not rows:  # ncu stops at a metric that it does not know
        rows = profile(program, log, known(metrics), over, variants, degrees)
    lines = joined(rows, what, over, variants, degrees)
    for name, metric in METRICS[what].items():
        if any(name not in line["counters"] for line in lines):
            print(f"no {metric} ({name}) here for {', '.join(variants)}", file=sys.stderr)
    return lines


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not shutil.which("ncu"):
        sys.exit("ncu is not on the PATH; it comes with CUDA (Nsight Compute)")
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[2] if len(sys.argv) > 2 else temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for run in RUNS:
            try:
                for line in measure(sys.argv[1], folder, *run):
                    print(json.dumps(line), flush=True)
            except Failure as failure:
                failures += 1
                print(failure, file=sys.stderr)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
