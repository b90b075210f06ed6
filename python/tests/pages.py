"""Reading the project's pages: blocks, links, anchors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
# What git does not keep, and a template whose names are not filled in.
LEFT_OUT = {".git", "build", "dist", "template"}


class Block(NamedTuple):
    page: str
    line: int
    language: str
    text: str


def pages() -> list[str]:
    """All Markdown files of the project, as paths from its root."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        found += [os.path.join(folder, name) for name in sorted(files) if name.endswith(".md")]
    return [os.path.relpath(path, ROOT) for path in found]


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> Iterator[Block]:
    """Everything between fences."""
    for match in re.finditer(r"^( *)```(\S*)[^\n]*\n(.*?)^\1```$", read(page), re.M | re.S):
        line = match.string.count("\n", 0, match.start()) + 1
        yield Block(page, line, match[2], match[3])


def without_code(text: str) -> str:
    text = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.M | re.S)
    return re.sub(r"(`+).*?\1", "code", text, flags=re.S)


def anchors(text: str) -> set[str]:
    """Those that GitHub gives to headings."""
    found: set[str] = set()
    text = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.M | re.S)
    for title in re.findall(r"^#{1,6} +(.*?) *#*$", text, re.M):
        title = re.sub(r"!?\[(.*?)\]\(.*?\)", r"\1", title.replace("`", ""))
        name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        number, chosen = 0, name
        while chosen in found:
            number += 1
            chosen = f"{name}-{number}"
        found.add(chosen)
    return found


def links(text: str) -> list[str]:
    """Targets in the repository."""
    text = without_code(text)
    found = re.findall(r"\]\(\s*<?([^)\s>]+)", text) + re.findall(r"^\[[^]]+\]: *(\S+)", text, re.M)
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def broken_links(page: str, text: str) -> list[str]:
    """Those of a page that lead nowhere."""
    problems = []
    for target in links(text):
        name, _, anchor = target.partition("#")
        path = Path(os.path.normpath(ROOT / os.path.dirname(page) / name)) if name else ROOT / page
        if not path.exists() or not path.is_relative_to(ROOT):
            problems.append(f"{page}: {target} does not exist")
        elif anchor:
            there = text if not name else path.read_text(encoding="utf-8")
            if anchor not in anchors(there):
                problems.append(f"{page}: {target}: no such heading")
    return problems
