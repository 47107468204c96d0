"""The docstrings of the package are written for a terminal; here they become what Sphinx reads."""

import re


def readable(app, what, name, thing, options, lines):
    text = "\n".join(lines)
    text = re.sub(r"(?<!\|)\|(?!\|)", r"\\|", text)
    text = re.sub(r"(?<![`\w])\*(?=\w)", r"\\*", text)
    lines[:] = []
    inside = False
    for line in text.split("\n"):
        argument = re.match(r"(\w+): (.*)", line)
        if argument:
            if not inside:
                lines.append("")
            lines.append(f"* ``{argument[1]}``: {argument[2]}")
        elif inside and line.startswith("    "):
            lines.append("  " + line.strip())
        else:
            if inside:
                lines.append("")
            lines.append(line)
        inside = bool(argument) or (inside and line.startswith("    "))


def setup(app):
    app.connect("autodoc-process-docstring", readable)
    return {"parallel_read_safe": True}
