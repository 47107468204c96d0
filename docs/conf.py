"""The site: `make docs` builds it from the pages of this folder, which are the same that the forge shows.

Nothing is fetched while it is built or read: fonts, scripts and search are files of the site.
"""

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

here = Path(__file__).parent
repository = here.parent
sys.path.insert(0, str(here / "site"))

project = "Farfield"
release = version = re.search(r"^project\(farfield VERSION ([0-9.]+)", (repository / "CMakeLists.txt").read_text(), re.M)[1]

extensions = [
    "myst_nb",  # Markdown, and pages whose programs run at build
    "sphinx.ext.autodoc",
    "breathe",
    "sphinx_design",
    "sphinx_copybutton",
    "repository_links",
    "navigation",
    "options_table",
    "peers_table",
    "codes_table",
    "docstrings",
]
source_suffix = {".md": "myst-nb"}
exclude_patterns = ["site", "figures"]
root_doc = "index"
nitpicky = False
highlight_language = "text"
smartquotes = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4  # as the forge makes them
# Two tables of docs/performance-papers.md stand under headings of a deeper level than the one before.
# A namespace stands on the page of each header; a struct of C has a typedef of its name.
suppress_warnings = ["myst.header", "duplicate_declaration.cpp", "duplicate_declaration.c"]

nb_execution_mode = "cache"
nb_execution_cache_path = os.environ.get("FARFIELD_DOCS_CACHE", str(repository / "build/docs/notebooks"))
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_mock_imports = [] if find_spec("torch") else ["torch"]

breathe_projects = {"farfield": str(repository / "build/docs/doxygen/xml")}
breathe_default_project = "farfield"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
toc_object_entries = False
breathe_show_include = False

html_theme = "pydata_sphinx_theme"
html_title = "Farfield"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "Farfield"},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "footer_start": [],
    "footer_end": [],
    "navigation_depth": 2,
    "collapse_navigation": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
