#!/usr/bin/env python3
"""Makes docs/performance-cruz.md and its figure from the lines of scripts/gpu's stage papers:

bench/papers/cruz_report.py out/gpu/papers.jsonl
"""

import argparse
from pathlib import Path

import figures
from cruz_published import DEVICES, HERMITE, M2L, POINTS, TRANSLATIONS
from lines import Lines, error, number, ratio, table

H200 = DEVICES["NVIDIA H200"]


class CruzLines(Lines):
    """Of several ways to share a row's work between threads the fastest."""

    def best(self, **wanted):
        return min(self.find(paper="cruz", **wanted), key=lambda line: line["seconds"], default=None)

    def m2l(self, variant, p, n):
        return self.best(table="2, 3", variant=variant, p=p, n=n)

    def hermite(self, what, p, n, **more):
        return self.best(table="4, 5", what=what, p=p, n=n, **more)


def share(x, peak):
    return number(100 * x / peak, 2) + " %"


def m2l_rows(lines):
    rows = []
    for p in (8, 12, 16):
        for n in sorted({line["n"] for line in lines.find(paper="cruz", table="2, 3", p=p)}):
            ours = lines.m2l("orbits", p, n)
            at = TRANSLATIONS.index(n) if n in TRANSLATIONS else None
            theirs = [None if at is None else M2L[d, p][0][at] + M2L[d, p][1][at] for d in ("Tesla C1060", "Tesla C2050")]
            rows.append(
                [p, f"{n:,}"]
                + [number(1e6 * t) if t else "-" for t in theirs]
                + [
                    number(1e6 * ours["seconds"]),
                    *(ratio(t, ours["seconds"]) for t in theirs),
                    number(1e-9 * ours["translations_per_second"]),
                    number(1e-9 * ours["bytes_per_second"]),
                    number(1e-12 * ours["flops_per_second"]),
                    share(1e-9 * ours["flops_per_second"], H200[0]),
                    share(1e-9 * ours["pascal_flops_per_second"], H200[0]),
                    share(1e-9 * ours["done_flops_per_second"], H200[0]),
                    error(ours["error"]),
                ]
            )
    return table(
        ["p", "translations", "C1060, µs", "C2050, µs", "today, µs", "over C1060", "over C2050", "1e9/s", "GB/s",
         "Tflop/s, 8 p²", "of the peak", "4 p² + 16 p, of the peak", "done, of the peak", "error"],
        rows,
    )  # fmt: skip


def variant_rows(lines):
    rows = []
    for p in (8, 12, 16):
        for n in (589680, 2359152):
            for variant in ("orbits", "pascal", "matrix"):
                x = lines.m2l(variant, p, n)
                rows.append(
                    [p, f"{n:,}", variant, x["groups"], number(1e6 * x["seconds"]), number(1e6 * x["call_seconds"]),
                     number(1e-9 * x["translations_per_second"]), share(1e-9 * x["flops_per_second"], H200[0]),
                     share(1e-9 * x["done_flops_per_second"], H200[0]), error(x["error"])]
                )  # fmt: skip
    head = ["p", "translations", "form", "warps per 32 targets", "µs", "one call, µs", "1e9/s", "8 p², of the peak",
            "done, of the peak", "error"]  # fmt: skip
    return table(head, rows)


def copy_rows(lines):
    rows = []
    for p in (8, 12, 16):
        x = lines.m2l("orbits", p, 2359152)
        theirs = [1e3 * M2L[d, p][i][-1] for d in ("Tesla C1060", "Tesla C2050") for i in (2, 3)]
        ours = [1e3 * x["to_device_seconds"], 1e3 * x["to_host_seconds"]]
        rows.append([p, *(number(t) for t in theirs + ours)])
    head = ["p", "C1060: to it, ms", "back", "C2050: to it", "back", "today: to it", "back"]
    return table(head, rows)


def hermite_rows(lines):
    rows = []
    for p in (5, 9, 12):
        for at, n in enumerate(POINTS):
            gpu = lines.hermite("GPU", p, n)
            theirs = [HERMITE[m, p][3][at] for m in ("Penryn, Tesla C1060", "Nehalem, Tesla C2050")]
            today = gpu["points_per_second"]
            rows.append(
                [p, f"{n:,}", *(number(1e-6 * t) for t in theirs), number(1e-6 * today),
                 *(number(today / t, 2) for t in theirs), number(1e-9 * gpu["evaluations_per_second"]),
                 number(1e-12 * gpu["flops_per_second"]), share(1e-9 * gpu["flops_per_second"], H200[0]),
                 error(gpu["error"])]
            )  # fmt: skip
    head = ["p", "N", "C1060, 1e6 points/s", "C2050", "today", "over C1060", "over C2050", "1e9 evaluations/s", "Tflop/s",
            "of the peak", "error"]  # fmt: skip
    return table(head, rows)


def cpu_rows(lines):
    rows = []
    for p in (5, 9, 12):
        for at, n in enumerate(POINTS):
            for place, threads in enumerate((1, 2, 4)):
                x = lines.hermite("CPU", p, n, threads=threads)
                if x:
                    theirs = [HERMITE[m, p][place][at] for m in ("Penryn, Tesla C1060", "Nehalem, Tesla C2050")]
                    rows.append(
                        [p, f"{n:,}", threads, *(number(1e-6 * t) for t in theirs),
                         number(1e-6 * x["points_per_second"]), number(x["points_per_second"] / theirs[1], 2),
                         number(1e-9 * x["evaluations_per_second"]), number(1e-9 * x["flops_per_second"])]
                    )  # fmt: skip
    head = ["p", "N", "cores", "Penryn, 1e6 points/s", "Nehalem", "today", "over Nehalem", "1e9 evaluations/s", "Gflop/s"]
    return table(head, rows)


def draw(lines, path):
    canvas, (left, right) = figures.plt.subplots(1, 2, figsize=(10.4, 4.4))
    figures.panel(left, "Tables 2 and 3: translations per second", "translations", "1e9 per second")
    figures.panel(right, "Tables 4 and 5: 64 series at N points", "N", "1e6 points per second")
    for p, q, dash in ((8, 5, "-"), (12, 9, "--"), (16, 12, ":")):
        for device, colour in (("Tesla C1060", figures.GREY), ("Tesla C2050", figures.BLUE)):
            rates = [1e-9 * n / t for n, t in zip(TRANSLATIONS, M2L[device, p][0])]
            left.plot(TRANSLATIONS, rates, linestyle=dash, **{**figures.THEIRS, "color": colour},
                      label=f"2011, {device}, p = {p}")  # fmt: skip
        ns = sorted({x["n"] for x in lines.find(paper="cruz", variant="orbits", p=p)})
        ours = [1e-9 * lines.m2l("orbits", p, n)["translations_per_second"] for n in ns]
        left.plot(ns, ours, linestyle=dash, label=f"H200, p = {p}", **figures.OURS)
        for machines, colour in (("Penryn, Tesla C1060", figures.GREY), ("Nehalem, Tesla C2050", figures.BLUE)):
            right.plot(POINTS, [1e-6 * x for x in HERMITE[machines, q][3]], linestyle=dash,
                       **{**figures.THEIRS, "color": colour}, label=f"2011, {machines.split(', ')[1]}, p = {q}")  # fmt: skip
        ours = [1e-6 * lines.hermite("GPU", q, n)["points_per_second"] for n in POINTS]
        right.plot(POINTS, ours, linestyle=dash, label=f"H200, p = {q}", **figures.OURS)
    for axes in (left, right):
        axes.set_ylim(top=axes.get_ylim()[1] * 200)  # room for the legend
        figures.legend(axes, ncols=2, loc="upper left")
    figures.save(canvas, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="JSON lines of scripts/gpu papers")
    parser.add_argument("--docs", type=Path, default=Path(__file__).resolve().parents[2] / "docs")
    parser.add_argument("--cpu", default="the CPU of the same machine")
    parser.add_argument("--when", default="November 2026")
    a = parser.parse_args()
    lines = CruzLines(a.files)
    page = (Path(__file__).parent / "cruz.md.in").read_text()
    page = page.format(
        when=a.when,
        cpu=a.cpu,
        m2l=m2l_rows(lines),
        variants=variant_rows(lines),
        copies=copy_rows(lines),
        hermite=hermite_rows(lines),
        hermite_cpu=cpu_rows(lines),
    )
    (a.docs / "performance-cruz.md").write_text(page)
    (a.docs / "figures").mkdir(exist_ok=True)
    draw(lines, a.docs / "figures" / "cruz.png")


if __name__ == "__main__":
    main()
