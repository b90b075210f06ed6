"""Versions of packages that detops stands in for, or stands in below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path

from .import_hooks import Package, find_original

__all__ = ["Clients", "check_version"]

_VERSION = re.compile(r"""^\s*(?:__)?version(?:__)? = ["']([^"'+%]+)""", re.MULTILINE)


def _version_of(folder: Path) -> str | None:
    """What a package's files say; a source tree has it in its setup alone."""
    for file in (folder / "version.py", folder / "__init__.py", folder.parent / "setup.py"):
        if file.is_file() and (match := _VERSION.search(file.read_text(encoding="utf-8"))):
            return match[1]
    return None


def _series(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def check_version(name: str, folder: str, versions: tuple[str, str] | None) -> None:
    """An error if its files have a version, and it is not between those."""
    if versions is None or (found := _version_of(Path(folder))) is None:
        return
    first, last = versions
    if not _series(first) <= (*_series(found), 0)[:2] <= _series(last):
        known = first if first == last else f"{first} to {last}"
        raise ImportError(f"install: {name} in {folder} is version {found}, detops knows {known}.")


@dataclass
class Clients:
    """Looks at the version of packages that build on one that detops stands in for, when they are
    imported."""

    package: Package

    def begin(self) -> None: ...

    def end(self) -> None: ...

    def find_spec(self, name: str, path: Sequence[str] | None) -> ModuleSpec | None:
        if name in self.package.clients:
            spec = find_original(name, path)
            for folder in (spec and spec.submodule_search_locations) or ():
                check_version(name, folder, self.package.clients[name])
        return None
