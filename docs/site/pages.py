"""Builds the documentation site: python docs/site/pages.py FOLDER.

FOLDER/source gets copies of all pages of the repository and a page for each public header and Python
module; FOLDER/html/VERSION is the site, FOLDER/html/versions.json names all versions that lie there.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from sphinx.cmd.build import main as sphinx

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"
MODULES = ("", ".torch", ".spconv", ".mmcv", ".openpcdet", ".torchvision", ".torch_scatter")
LEFT_OUT = (".github/", "docs/site/", "tools/")


def copy_pages(source: Path) -> None:
    """Pages and pictures in the folders of the repository, so that their links hold; README.md is the front page."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md", "docs/*.png", "docs/*.svg", "docs/*.json", "LICENSE"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in names:
        if not name.startswith(LEFT_OUT) and (ROOT / name).exists():
            place = source / ("index.md" if name == "README.md" else name)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place)


def read_headers(folder: Path) -> None:
    """Comments of the public headers as XML. Doxygen lists files by their last names; breathe looks for whole ones."""
    settings = (SITE / "Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {folder}\n"
    subprocess.run(["doxygen", "-"], cwd=ROOT / "include", input=settings, text=True, check=True)
    index = folder / "xml" / "index.xml"
    text = index.read_text()
    for refid in re.findall(r'refid="(\w+_8h)" kind="file"', text):
        found = re.findall(r'<location file="([^"]+)"/>', (folder / "xml" / f"{refid}.xml").read_text())
        text = re.sub(rf'("{refid}" kind="file"><name>)[^<]+', rf"\g<1>{found[-1]}", text)
    index.write_text(text)


def write_stubs(source: Path) -> None:
    """A page for each header, with the name of its file, and one for each module."""
    for header in sorted((ROOT / "include").glob("**/*.h")):
        name = header.relative_to(ROOT / "include")
        page = source / "include" / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        text = f"# {name}\n\n```{{eval-rst}}\n.. doxygenfile:: {name}\n```\n"
        if header.with_suffix("").is_dir():  # mlu_op.h includes those in mlu_op/.
            text += f"\n```{{toctree}}\n:glob:\n:maxdepth: 1\n\n{header.stem}/*\n```\n"
        page.write_text(text)
    (source / "python_api").mkdir()
    for module in MODULES:
        page = source / "python_api" / f"detops{module}.md"
        text = f"# detops{module}\n\n```{{eval-rst}}\n.. automodule:: detops{module}\n   :members:\n"
        if module == ".mmcv":  # That of detops.spconv.
            text += "   :exclude-members: SparseModule\n"
        page.write_text(f"{text}```\n")


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    found = re.search(r"project\(detops VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert found is not None
    version = os.environ["DETOPS_DOCS_VERSION"] = found[1]
    source, html = folder / "source", folder / "html"
    shutil.rmtree(source, ignore_errors=True)
    shutil.rmtree(html / version, ignore_errors=True)
    source.mkdir(parents=True)
    read_headers(folder)
    os.environ["DETOPS_DOCS_XML"] = str(folder / "xml")
    copy_pages(source)
    write_stubs(source)
    # Warnings are errors: links and anchors without a target, pages that no table of contents names.
    code = sphinx(["-c", str(SITE), "-d", str(folder / "cache"), "-qW", "--keep-going", str(source), str(html / version)])
    if code == 0:
        versions = sorted((p.parent.name for p in html.glob("*/index.html")), key=lambda v: [int(n) for n in v.split(".")])
        (html / "versions.json").write_text(json.dumps(versions[::-1]) + "\n")
        (html / "index.html").write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={versions[-1]}/">\n')
        print(f"the site: {html / version / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main())
