"""Tables in Markdown: at equal error reached and at the tolerance asked; lost rows first, then every row."""

from store import Store, summary

MODE_TOLERANCE = "Farfield"  # the code whose settings are tolerances
ASKED = {"gradient": "potential and gradient (unless a row says gradient only)",
         "dipoles": "charges and dipoles, potential and gradient", "hessian": "potential, gradient and Hessian",
         "densities": "three densities, potential and gradient"}  # fmt: skip


class Rows:
    """All settings run at one N and number of threads, each with the summary of its runs."""

    def __init__(self, store: Store, n: int, threads: int, task: str = "gradient"):
        self.codes, self.n, self.threads, self.task = store.data["codes"], n, threads, task
        groups = {}
        for r in store.runs:
            if r["n"] == n and r["threads"] == threads and r.get("task", "gradient") == task:
                key = tuple(r[k] for k in ("cloud", "sign", "code", "setting", "leaf", "aim"))
                groups.setdefault(key, []).append(r)
        names = ("cloud", "sign", "code", "setting", "leaf", "aim")
        self.all = [{**dict(zip(names, key)), **summary(runs)} for key, runs in groups.items()]
        self.all = [row for row in self.all if "failed" not in row and row["error_gradient"] is not None]

    def cases(self):
        return list(dict.fromkeys((r["cloud"], r["sign"]) for r in self.all))

    def best(self, case, code, target):
        """The code's row for an error: repeated runs before single ones, then the fastest; None if none reaches it."""
        aimed = [r for r in self.all if (r["cloud"], r["sign"]) == case and r["code"] == code
                 and r["error_gradient"] <= target
                 and r["aim"] in (None, target)]  # fmt: skip
        most = max((r["runs"] for r in aimed), default=0)
        return min((r for r in aimed if r["runs"] == most), key=lambda r: r["evaluate"], default=None)

    def asked(self, case, code, tolerance):
        rows = [r for r in self.all if (r["cloud"], r["sign"]) == case and r["code"] == code
                and abs(float(r["setting"]) / tolerance - 1) < 1e-6]  # fmt: skip
        return min(rows, key=lambda r: (-r["runs"], r["evaluate"]), default=None)


def _seconds(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"


def _line(cells):
    return "| " + " | ".join(str(c) for c in cells) + " |"


def _head(cells):
    return [_line(cells), _line(["---"] * len(cells))]


def at_error(rows: Rows, target, case):
    """(ratio, cells by code) of one error: the fastest peer's time over ours; below 1 we lost."""
    cells = {code: rows.best(case, code, target) for code in rows.codes if code != MODE_TOLERANCE}
    return _ratio(rows, cells), cells


def at_tolerance(rows: Rows, tolerance, case):
    told = [code for code, c in rows.codes.items() if c["setting_is"] == "tolerance"]
    cells = {code: rows.asked(case, code, tolerance) for code in told}
    return _ratio(rows, cells), cells


def _ratio(rows, cells):
    ours = [r["evaluate"] for c, r in cells.items() if r and rows.codes[c]["ours"]]
    theirs = [r["evaluate"] for c, r in cells.items() if r and r["runs"] and not rows.codes[c]["ours"]]
    return min(theirs) / min(ours) if ours and theirs else None


def _sorted(rows, targets, pick):
    found = [(pick(rows, t, case), t, case) for case in rows.cases() for t in targets]
    found = [f for f in found if any(f[0][1].values())]
    return sorted(found, key=lambda f: (f[0][0] is None, f[0][0] or 0))


def _short(found, first):
    """One line per case: seconds of one evaluation by code, the fastest peer over Farfield first."""
    codes = list(dict.fromkeys(code for (_, cells), _, _ in found for code, row in cells.items() if row))
    lines = _head(["points", "strengths", first, "best peer / Farfield"] + codes)
    for (ratio, cells), target, (cloud, sign) in found:
        said = "-" if ratio is None else f"{ratio:.2f}" + (" (lost)" if ratio < 1 else "")
        times = [_seconds(cells[c]["evaluate"]) if cells.get(c) else "-" for c in codes]
        lines.append(_line([cloud, sign, f"{target:.0e}", said] + times))
    return lines


def _long(rows, found, first):
    hessian = ["error Hessian"] if rows.task == "hessian" else []
    lines = _head(["points", "strengths", first, "code", "setting", "leaf size", "error gradient", "error potential",
                   *hessian, "set-up", "first call", "evaluation", "runs", "peak MB"])  # fmt: skip
    for (_, cells), target, (cloud, sign) in found:
        for code, r in sorted(((c, r) for c, r in cells.items() if r), key=lambda item: item[1]["evaluate"]):
            kind = rows.codes[code]
            name = code + (" (gradient only)" if kind["outputs"] == "gradient only" else "")
            potential = "-" if r["error_potential"] is None else f"{r['error_potential']:.1e}"
            runs = "0 (untimed)" if not r["runs"] else str(r["runs"]) + ("" if r["warm"] else ", not warmed up")
            lines.append(_line([cloud, sign, f"{target:.0e}", name, f"{kind['setting_is']} {r['setting']}",
                                r["leaf"] or "own choice", f"{r['error_gradient']:.1e}", potential,
                                *[f"{r['error_hessian']:.1e}" for _ in hessian], _seconds(r["setup"]), _seconds(r["first"]), _seconds(r["evaluate"]), runs,
                                round(r["peak_mb"])]))  # fmt: skip
    return lines


def markdown(rows: Rows, errors, tolerances) -> str:
    parts = [f"N = {rows.n:,}, {rows.threads} threads, {ASKED[rows.task]}, seconds, tree included. Versions: "
             + "; ".join(f"{code} {c['version']}" for code, c in rows.codes.items()) + "."]  # fmt: skip
    for title, targets, pick in (("gradient error reached", errors, at_error),
                                 ("tolerance asked", tolerances, at_tolerance)):  # fmt: skip
        found = _sorted(rows, targets, pick)
        if found:
            parts += ["### At the " + title, "\n".join(_short(found, title)), "\n".join(_long(rows, found, title))]
    return "\n\n".join(parts) + "\n"
