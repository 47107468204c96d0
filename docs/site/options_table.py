"""The directive farfield-options: a table of all options, from the list that the built library has."""

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class OptionsTable(SphinxDirective):
    def run(self):
        from farfield import _core

        rows = [(option.name, " ".join(option.words) or option.type, option.initial, option.help) for option in _core.options()]
        table = nodes.table(classes=["options"])
        group = nodes.tgroup(cols=4)
        table += group
        group.extend(nodes.colspec(colwidth=width) for width in (2, 3, 1, 5))
        head, body = nodes.thead(), nodes.tbody()
        group += [head, body]
        head += self.row([nodes.paragraph(text=text) for text in ("option", "values", "default", "")])
        for name, values, initial, text in rows:
            body += self.row([self.code(name), nodes.paragraph(text=values), self.code(repr(initial)), nodes.paragraph(text=text)])
        return [table]

    @staticmethod
    def code(text):
        return nodes.paragraph("", "", nodes.literal(text=text))

    @staticmethod
    def row(cells):
        return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def setup(app):
    app.add_directive("farfield-options", OptionsTable)
    return {"parallel_read_safe": True}
