"""Links and anchors in all pages of the project lead somewhere."""

from __future__ import annotations

import pages
import pytest

SAMPLE = """
# First things

## What is `it`, really?

## What is it, really?

[a](README.md) [b](#first-things) [c](#what-is-it-really-1) [d](README.md#two-commands)
`[code](nowhere.md)`, [out](https://example.com/nowhere)
"""


def test_all_pages_are_found() -> None:
    found = pages.pages()
    assert {"README.md", "docs/dropins.md", "src/ops/psroipool/README.md"} <= set(found)
    assert not [page for page in found if page.startswith("build")]


def test_links_lead_somewhere() -> None:
    problems, count = [], 0
    for page in pages.pages():
        text = pages.read(page)
        count += len(pages.links(text))
        problems += pages.broken_links(page, text)
    assert not problems
    assert count > 100


def test_good_links_are_taken() -> None:
    assert len(pages.links(SAMPLE)) == 4 and pages.broken_links("CONTRIBUTING.md", SAMPLE) == []


@pytest.mark.parametrize(
    "link",
    [
        "[x](nowhere.md)",
        "![x](docs/nowhere.png)",
        "[x](#second-things)",
        "[x](README.md#three-commands)",
        "[x](../README.md)",
        "[x]: nowhere.md",
    ],
)
def test_broken_links_are_found(link: str) -> None:
    assert len(pages.broken_links("CONTRIBUTING.md", f"{SAMPLE}\n{link}\n")) == 1
