"""The directive farfield-codes FILE BY: seconds of several codes from a file of bench/compare, at the error that was reached or asked, as a
table whose last column but the codes' is the fastest other code's time over Farfield's; the smallest ratios first."""

import csv

from peers_table import table
from sphinx.util.docutils import SphinxDirective

said = {"reached": "gradient error reached", "asked": "tolerance asked"}


class CodesTable(SphinxDirective):
    required_arguments = 2

    def run(self):
        file, by = self.env.relfn2path(self.arguments[0])[1], self.arguments[1]
        self.env.note_dependency(file)
        with open(file, encoding="utf-8", newline="") as lines:
            chosen = [line for line in csv.DictReader(lines) if line["by"] == by]
        codes = list(dict.fromkeys(line["code"] for line in chosen))
        codes.sort(key=lambda code: (not ours(code), "single" in code))
        cases = {}
        for line in chosen:
            cases.setdefault((line["points"], line["strengths"], line["at"]), {})[line["code"]] = line["seconds"]
        ordered = sorted(cases.items(), key=lambda case: ratio(case[1]))
        body = [[*case, f"{ratio(seconds):.2f}", *(seconds.get(code, "-") for code in codes)] for case, seconds in ordered]
        return [table(["points", "strengths", said[by], "best peer / Farfield", *codes], body)]


def ours(code):
    return code.startswith("Farfield")


def ratio(seconds):
    least = [min(float(text) for code, text in seconds.items() if ours(code) == own) for own in (False, True)]
    return least[0] / least[1]


def setup(app):
    app.add_directive("farfield-codes", CodesTable)
    return {"parallel_read_safe": True}
