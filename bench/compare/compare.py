#!/usr/bin/env python3
"""Farfield beside other codes: finds them by path, interleaves runs, measures all errors alike. See README.md.

Mode `error`: at gradient errors reached, every code with its cheapest setting that reaches it and its best leaf size.
Mode `tolerance`: at the tolerance asked, codes that are told one.
"""

import argparse
import sys
from pathlib import Path

import figure
import table
from clouds import KINDS, TASKS, Cloud
from peers import Runner, find
from search import Case
from store import Store

ERRORS = [3e-5, 5e-7, 1e-8, 2e-10, 3e-12]
TOLERANCES = [1e-3, 1e-6, 1e-9, 1e-12]
build = Path(__file__).resolve().parents[2] / "build"
kept = build / "compare"


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--peers", type=Path, metavar="DIR", help="executables of the other codes")
    p.add_argument("--farfield", type=Path, default=build / "release/bench/farfield_peer", metavar="FILE")
    p.add_argument("--codes", help="only these, by comma (names as --describe gives them)")
    p.add_argument("--mode", choices=["error", "tolerance", "both"], default="both")
    p.add_argument("--clouds", default="uniform,plummer,sphere", help="of " + ", ".join(KINDS))
    p.add_argument("--strengths", default="positive,mixed", help="positive: (0,1); mixed: (-1/2,1/2)")
    p.add_argument("--task", choices=list(TASKS), default="gradient", help="what is asked for")
    p.add_argument("--n", type=float, default=1e6)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--errors", default=",".join(f"{e:g}" for e in ERRORS), help="of the gradient, for mode error")
    p.add_argument("--tolerances", default=",".join(f"{t:g}" for t in TOLERANCES), help="for mode tolerance")
    p.add_argument("--rounds", type=int, default=3, help="interleaved timed runs, the median counts")
    p.add_argument("--prune", type=float, default=3, metavar="X",
                   help="peers X times slower than the fastest peer are not timed")  # fmt: skip
    p.add_argument("--under", default="", metavar="COMMAND", help="in front of what is timed: a lock, taskset -c 0,1")
    p.add_argument("--under-search", default="", metavar="COMMAND", help="in front of runs made for their error only")
    p.add_argument("--limit", type=int, default=60, metavar="SECONDS", help="a process that takes longer is stopped")
    p.add_argument("--json", type=Path, default=kept / "runs.json", help="runs, kept from call to call")
    p.add_argument("--scratch", type=Path, default=kept, help="clouds, exact sums, results")
    p.add_argument("--table", type=Path, help="write the tables there as Markdown (default: standard output)")
    p.add_argument("--figure", type=Path, help="draw there (PNG)")
    p.add_argument("--draw-only", action="store_true", help="no runs: table and figure of what --json holds")
    return p.parse_args()


def wanted_for_errors(case, contenders, errors, args):
    """(contender, setting, aim): the cheapest setting of each for each error, but only our own and those peers' whose
    untimed run took at most `prune` times as long as the fastest peer's."""
    wanted = []
    for target in errors:
        found = []
        for contender in (c for c in contenders if "error" in c.modes):
            setting = case.cheapest(contender, target)
            if setting is not None:
                seconds = case.kept(contender, contender.job(setting, contender.middle, target))["evaluate"]
                found.append((contender, setting, seconds))
        fastest = min((seconds for contender, _, seconds in found if not contender.ours), default=0)
        wanted += [(c, setting, target) for c, setting, seconds in found if c.ours or seconds <= args.prune * fastest]
    return wanted


def wanted_for_tolerances(case, contenders, tolerances):
    """The same for codes that are told a tolerance; whether they keep it is seen in the table."""
    wanted = []
    for asked in tolerances:
        for contender in (c for c in contenders if "tolerance" in c.modes and c.setting_is == "tolerance"):
            setting = contender.setting_for(asked)
            job = contender.job(setting, contender.middle, asked)
            if setting is not None and "failed" not in case.probed(contender, job):
                wanted.append((contender, setting, asked))
    return wanted


def rounds(case, wanted, count):
    """Every leaf size once, then the best of each in interleaved rounds: all codes in turn, `count` times in all. Time
    does not depend on the strengths, so a leaf size that was best for others on the same cloud is not looked for."""
    contenders = {contender.code: contender for contender, _, _ in wanted}
    jobs = {code: {} for code in contenders}  # dictionaries as ordered sets
    for contender, setting, aim in wanted:
        jobs[contender.code] |= {contender.job(setting, leaf, aim): None for leaf in case.leaves(contender, setting)}
    for code, contender in contenders.items():
        case.time(contender, jobs[code])
    best = {code: {} for code in contenders}
    for contender, setting, aim in wanted:
        if job := case.best(contender, setting, aim):
            best[contender.code][job] = None
    for turn in range(2, count + 1):
        for code, contender in contenders.items():
            case.time(contender, best[code], turn)


def measure(args, contenders, store):
    runner = Runner(args.threads, args.under, args.under_search, args.limit, args.scratch.resolve())
    errors = sorted((float(e) for e in args.errors.split(",")), reverse=True)
    tolerances = sorted((float(t) for t in args.tolerances.split(",")), reverse=True)
    for name in args.clouds.split(","):
        for sign in args.strengths.split(","):
            case = Case(Cloud(name, int(args.n), sign, args.scratch, args.task), runner, store)
            wanted = []
            if args.mode in ("error", "both"):
                wanted += wanted_for_errors(case, contenders, errors, args)
            if args.mode in ("tolerance", "both"):
                wanted += wanted_for_tolerances(case, contenders, tolerances)
            rounds(case, wanted, args.rounds)


def main():
    args = parse()
    args.scratch.mkdir(parents=True, exist_ok=True)
    args.json.parent.mkdir(parents=True, exist_ok=True)
    store = Store(args.json)
    if not args.draw_only:
        contenders = [c for c in find(args.peers, args.farfield) if args.task in c.tasks]
        if args.codes:
            contenders = [c for c in contenders if c.code in args.codes.split(",")]
        for c in contenders:
            store.data["codes"][c.code] = {"version": c.version, "setting_is": c.setting_is, "outputs": c.outputs,
                                           "precision": c.precision, "ours": c.ours}  # fmt: skip
        store.save()
        measure(args, contenders, store)
    rows = table.Rows(store, int(args.n), args.threads, args.task)
    errors = [float(e) for e in args.errors.split(",")]
    tolerances = [float(t) for t in args.tolerances.split(",")]
    text = table.markdown(rows, errors, tolerances)
    args.table.write_text(text) if args.table else print(text)
    if args.figure:
        figure.draw(rows, errors, args.figure)


if __name__ == "__main__":
    sys.exit(main())
