"""The directive farfield-peers FILE WHERE N: what python/bench/peers.py measured there at N points, as a table, with time and error drawn above it."""

import io
import sys
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

repository = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(repository / "python/bench"))
colours = ("#3b6ea5", "#6aa0d8", "#8c8c8c", "#c4572b", "#3f8f5b", "#8a5fa8", "#b5892a")
marks = "os^Dvph"


class PeersTable(SphinxDirective):
    required_arguments = 3

    def run(self):
        import rows

        file, count = self.env.relfn2path(self.arguments[0])[1], int(self.arguments[2].replace(",", ""))
        self.env.note_dependency(file)
        chosen = [row for row in rows.read(file) if row["n"] == count and row["where"] == self.arguments[1]]
        return [nodes.raw("", drawn(chosen), format="html"), table(rows.header, [rows.cells(row, chosen) for row in chosen])]


def drawn(rows):
    """A figure whose letters and axes take the page's colour."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "farfield", "font.family": "sans-serif", "font.size": 11}):
        figure = Figure(figsize=(8, 4.2), layout="constrained")
        axis = figure.subplots()
        packages = list(dict.fromkeys(row["package"] for row in rows))
        for package, colour, mark in zip(packages, colours, marks):
            points = sorted((row["gradient"], row["seconds"]) for row in rows if row["package"] == package and row.get("gradient"))
            if points:
                axis.loglog(*zip(*points), mark + "-", color=colour, label=package)
        axis.set(xlabel="relative L2 error of the gradient", ylabel="seconds")
        axis.grid(alpha=0.3)
        figure.legend(loc="outside right upper", frameon=False)
        written = io.StringIO()
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    svg = written.getvalue()
    svg = svg[svg.index("<svg"):].replace("#000000", "currentColor").replace("<text ", '<text fill="currentColor" ')
    return f'<div class="drawn" role="img" aria-label="Time over error of each package">{svg}</div>'


def table(header, lines):
    whole = nodes.table(classes=["peers"])
    group = nodes.tgroup(cols=len(header))
    whole += group
    group.extend(nodes.colspec(colwidth=1) for _ in header)
    head, body = nodes.thead("", row(header)), nodes.tbody()
    body.extend(map(row, lines))
    group += [head, body]
    return whole


def row(cells):
    return nodes.row("", *(nodes.entry("", nodes.paragraph(text=cell)) for cell in cells))


def setup(app):
    app.add_directive("farfield-peers", PeersTable)
    return {"parallel_read_safe": True}
