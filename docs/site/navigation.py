"""Where each page stands in the site. Kept here and not in the pages, which the forge shows as they are."""

#: page: the (caption, pages) below it
contents = {
    "index": [
        ("Using Farfield", [
            "quickstart", "python", "gpu", "accuracy", "autograd", "dipoles", "biot-savart", "simulate", "kde", "formats", "errors"]),
        ("Learning", ["gallery/README", "migration/README", "twelve-steps", "mathematics/README"]),
        ("Figures", ["performance", "performance-gpu", "performance-kernels", "performance-papers", "performance-cruz"]),
        ("Reference", ["api/README", "developer/README", "changes"]),
    ],
    "gallery/README": [("", ["galaxies", "fitting-charges", "earthquakes", "error-and-time"])],
    "migration/README": [("", ["fmm3dpy", "pytreegrav", "jz-fmm", "exafmm"])],
    "api/README": [("", ["python", "cpp", "c"])],
    "mathematics/README": [("", [
        "tree", "p2m", "m2m", "m2l", "l2l", "l2p", "p2p", "m2p", "p2l", "dipoles", "plane", "gauss", "hermite", "yukawa", "treecode",
        "placement"])],
    "developer/README": [("", ["glossary", "testing", "adding-a-kernel", "backends", "contributing"])],
}


def append_contents(app, page, source):
    for caption, pages in contents.get(page, []):
        title = f":caption: {caption}\n" if caption else ""
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n{title}\n" + "\n".join(pages) + "\n```\n"


def setup(app):
    app.connect("source-read", append_contents)
    return {"parallel_read_safe": True}
