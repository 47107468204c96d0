"""Where each page stands in the site. Kept here and not in the pages, which the forge shows as they are."""

#: page: the pages below it; "title <page>" where the title in the bar shall be shorter
contents = {
    "index": [
        "Guide <quickstart>", "gallery/README", "Migration <migration/README>", "performance", "Mathematics <mathematics/README>",
        "API <api/README>", "Developers <developer/README>", "changes"],
    "quickstart": [
        "python", "gpu", "graphs", "clusters", "accuracy", "autograd", "dipoles", "molecules", "biot-savart", "simulate", "hosts/lammps", "hosts/openmm", "hosts/gromacs", "kde", "formats", "errors"],
    "gallery/README": ["galaxies", "fitting-charges", "earthquakes", "error-and-time"],
    "migration/README": ["fmm3dpy", "pytreegrav", "jz-fmm", "exafmm"],
    "performance": ["performance-gpu", "performance-python", "performance-kernels", "performance-papers", "performance-hu", "performance-kohnke", "performance-cruz", "scaling"],
    "mathematics/README": [
        "../twelve-steps", "tree", "p2m", "m2m", "m2l", "l2l", "l2p", "p2p", "m2p", "p2l", "dipoles", "plane", "gauss", "hermite",
        "yukawa", "treecode", "periodic", "placement"],
    "api/README": ["options", "python", "cpp", "c"],
    "developer/README": ["glossary", "testing", "adding-a-kernel", "backends", "distributed", "contributing"],
}


def append_contents(app, page, source):
    if page in contents:
        source[0] += "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(contents[page]) + "\n```\n"


def setup(app):
    app.connect("source-read", append_contents)
    return {"parallel_read_safe": True}
