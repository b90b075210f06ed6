"""Sphinx settings of the documentation site; ./dev docs runs them. pages.py makes the folder they look at."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "docs" / "site"

project = "detops"
author = "The detops authors"
copyright = "the detops authors, MIT license"
version = release = os.environ["DETOPS_DOCS_VERSION"]

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
highlight_language = "none"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Changelogs and rooms may leave out a level of headings; names of results are in detops and in detops.torch.
suppress_warnings = ["myst.header", "ref.python"]

# ---- C: comments of the public headers ----------------------------------------------------------------
breathe_default_project = "c"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
breathe_projects = {"c": os.environ["DETOPS_DOCS_XML"]}

# ---- Python: docstrings of the installed package -------------------------------------------------------
autodoc_member_order = "groupwise"
autodoc_typehints = "none"  # The docstrings name types and shapes.
napoleon_google_docstring = False
add_module_names = False

# ---- look ----------------------------------------------------------------------------------------------
html_theme = "furo"
html_title = f"detops {release}"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
templates_path = [str(HERE / "templates")]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_copy_source = False


def prepare(app, name, source):
    """The front page is README.md with the table of contents; headers have pages instead of being files."""
    text = source[0]
    if name == "index":
        text += (HERE / "contents.md").read_text(encoding="ascii")
    source[0] = re.sub(r"(\]\([^)\s]*include/[a-z0-9_/]+\.h)\)", r"\1.md)", text)


def setup(app):
    app.connect("source-read", prepare)
