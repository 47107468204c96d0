"""Links of a page to files of the repository that are no pages: each file becomes a page of the site that shows it."""

import os
from pathlib import Path

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes

docs = Path(__file__).resolve().parent.parent
repository = docs.parent
folder = "repository"  # of the site, with the tree of the repository below it
#: files of the repository that a page includes whole
pages = {"CHANGELOG.md": "changes", "CONTRIBUTING.md": "developer/contributing"}


def redirect(app, doctree):
    """Before Sphinx collects downloads: a download or an unknown page becomes a link to a file's page."""
    page = app.env.docname
    for node in [*doctree.findall(addnodes.download_reference), *doctree.findall(addnodes.pending_xref)]:
        file, _, anchor = node.get("reftarget", "").partition("#")
        anchor = node.get("reftargetid") or anchor
        path = Path(os.path.normpath((docs / page).parent / file))
        if not path.exists():
            path = path.with_name(path.name + ".md")  # MyST leaves the ending of its pages away
        if not file or not path.exists() or (path.is_relative_to(docs) and path.suffix == ".md"):
            continue
        name = path.relative_to(repository).as_posix()
        if name in pages:
            goal = pages[name]
        else:
            goal = f"{folder}/{name}"
            linked = getattr(app.env, "linked_files", set())
            app.env.linked_files = linked | {name}
        uri = os.path.relpath(goal, os.path.dirname(page)) + ".html"
        node.replace_self(nodes.reference("", "", *node.children, refuri=uri + (f"#{anchor}" if anchor else ""), internal=True))


def merge(app, env, names, other):
    env.linked_files = getattr(env, "linked_files", set()) | getattr(other, "linked_files", set())


def shown(path):
    """A folder is the list of its files."""
    if path.is_dir():
        files = sorted(file.name for file in path.iterdir() if file.is_file())
        return "<ul>" + "".join(f'<li><a href="{path.name}/{name}.html"><code>{name}</code></a></li>' for name in files) + "</ul>"
    try:
        lexer = get_lexer_for_filename(path.name)
    except ClassNotFound:
        lexer = TextLexer()
    return highlight(path.read_text(), lexer, HtmlFormatter(cssclass="highlight notranslate"))


def file_pages(app):
    names = set(getattr(app.env, "linked_files", set()))
    for name in list(names):
        if (repository / name).is_dir():
            names |= {file.relative_to(repository).as_posix() for file in (repository / name).iterdir() if file.is_file()}
    for name in sorted(names):
        yield f"{folder}/{name}", {"title": name, "body": f"<h1>{name}</h1>{shown(repository / name)}"}, "page.html"


def setup(app):
    app.connect("doctree-read", redirect, priority=100)
    app.connect("env-merge-info", merge)
    app.connect("html-collect-pages", lambda app: file_pages(app))
    return {"parallel_read_safe": True, "env_version": 1}
