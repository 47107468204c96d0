"""Tables of Gumerov & Duraiswami 2008: the paper's time beside ours."""

from lines import error, milliseconds, ratio, scaled, stage, table
from published import GUMEROV_1, GUMEROV_2, GUMEROV_3, GUMEROV_8, GUMEROV_11

GTX = "GeForce 8800 GTX"

P = (4, 8, 12)
OWN = ("theirs", "own")


def triple(theirs, ours, device=GTX, double=False):
    return [milliseconds(theirs), milliseconds(ours), ratio(theirs, ours), scaled(theirs, ours, device, double)]


def head(first, *groups):
    return first + [f"{g}{c}" for g in groups for c in ("2008, ms", "today, ms", "ratio", "scaled")]


def direct(lines):
    rows = []
    for n, theirs in GUMEROV_1.items():
        ours = [lines.one(paper="gumerov", table="1", n=n, gradient=g) for g in (False, True)]
        rows.append([f"{n:,}"] + [c for t, o in zip(theirs, ours) for c in triple(t, o and o["evaluation_seconds"])])
    return table(head(["N"], "potential: ", "and force: "), rows)


def stages(lines):
    near = [
        [f"{n:,}", line["depth"]] + triple(t, stage(line, "p2p"))
        for n, t in GUMEROV_2.items()
        if (line := lines.one(paper="gumerov", table="2", n=n))
    ]
    rows = []
    for n, theirs in GUMEROV_3.items():
        row = [f"{n:,}"]
        for name, t in zip(("3 s60", "3 s320"), theirs):
            line = lines.one(paper="gumerov", table=name, n=n)
            row += [line["depth"] if line else "-"] + triple(t, stage(line, "p2m"))
        rows.append(row)
    names = ["l_max", "2008, ms", "today, ms", "ratio", "scaled"]
    return table(head(["N", "l_max"], ""), near), table(
        ["N"] + [f"s_max {s}: {c}" for s in (60, 320) for c in names], rows
    )


def translations(lines, published, *names):
    rows = []
    for depth, theirs in published.items():
        row = [depth]
        for p, t in zip(P, theirs):
            line = lines.one(paper="gumerov", table="4-7", depth=depth, p=p)
            row += triple(t, stage(line, *names))
        rows.append(row)
    return table(head(["l_max"], *[f"p = {p}: " for p in P]), rows)


def profile(lines):
    rows = []
    for p, theirs in GUMEROV_8.items():
        rows.append([p, "2008", "4", *[milliseconds(t) for t in theirs[:6]], "-", "-", "-", error(theirs[6])])
        for setting in OWN:
            line = lines.one(paper="gumerov", table="8", p=p, setting=setting)
            if not line:
                continue
            parts = [stage(line, *s) for s in (("p2m",), ("m2m",), ("m2l", "l2l"), ("l2p",), ("p2p",))]
            total = sum(parts)
            depth = "4" if setting == "theirs" else f"own: leaves of {line['leaf_size']}"
            rows.append(
                [
                    p,
                    "today",
                    depth,
                    *[milliseconds(x) for x in (*parts, total, line["seconds"])],
                    ratio(theirs[5], total),
                    scaled(theirs[5], total, GTX),
                    error(line["error_potential"]),
                ]
            )
    return table(
        [
            "p",
            "",
            "l_max",
            "S exp (p2m), ms",
            "up (m2m)",
            "down (m2l, l2l)",
            "R eval (l2p)",
            "sparse (p2p)",
            "total",
            "whole call",
            "ratio",
            "scaled",
            "error",
        ],
        rows,
    )


def totals(lines):
    rows = []
    for p, theirs in GUMEROV_11.items():
        for setting in OWN:
            line = lines.one(paper="gumerov", table="11", p=p, setting=setting)
            if line:
                total = stage(line, "p2m", "m2m", "m2l", "l2l", "l2p", "p2p")
                rows.append(
                    [
                        p,
                        "4" if setting == "theirs" else f"own: leaves of {line['leaf_size']}",
                        *triple(theirs, total),
                        milliseconds(line["seconds"]),
                        error(line["error_potential"]),
                        error(line["error_gradient"]),
                    ]
                )
    return table(head(["p", "l_max"], "") + ["whole call, ms", "error potential", "error gradient"], rows)


def errors(lines):
    found = lines.find(paper="gumerov", table="figure 10")
    rows = []
    for n in sorted({line["n"] for line in found}):
        pick = lambda what, p: error(
            (lines.one(paper="gumerov", table="figure 10", n=n, what=what, p=p) or {}).get("error_potential")
        )  # noqa: E731
        depth = next(line["depth"] for line in found if line["n"] == n)
        rows.append([f"{n:,}", depth, *[pick("fmm", p) for p in P], pick("direct", 0), pick("running sum", 0)])
    return table(["N", "l_max", "FMM p = 4", "p = 8", "p = 12", "direct sum", "direct, one running sum"], rows)
