"""Compiled modules that a package was installed without, and detops in their place."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

from .changes import Changes
from .extensions import Extension, Written
from .import_hooks import Package, find_original

__all__ = ["Supplied"]


@dataclass
class Supplied:
    """A package that stays, with the compiled modules that it lacks."""

    package: Package
    before: frozenset[str] = frozenset()
    """Those of its users that were imported before."""
    changes: Changes = field(default_factory=Changes)

    def begin(self) -> None:
        self.before = self.package.imported_users()
        for old, new in self.package.aliases.items():
            owner, _, name = old.rpartition(".")
            if not hasattr(module := importlib.import_module(owner), name):
                self.changes.put(module, name, _imported(new))

    def end(self) -> None:
        self.changes.undo()
        self.package.forget(self.before)

    def find_spec(self, name: str, path: Sequence[str] | None) -> ModuleSpec | None:
        package = self.package
        if name in package.amended:
            spec = find_original(name, path)
            if spec is not None and spec.loader is not None:
                spec.loader = _AmendingLoader(spec.loader, package.amended[name])
            return spec
        is_known = name in package.extensions or name in package.written
        if not is_known or find_original(name, path) is not None:
            return None
        return ModuleSpec(name, _SupplyingLoader(package), origin="detops")


def _imported(name: str) -> object:
    owner, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(owner), attribute)


class _SupplyingLoader(Loader):
    def __init__(self, package: Package) -> None:
        self._package = package

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        if spec.name in self._package.written:
            return Written(spec.name)
        ours = self._package.extensions[spec.name]
        top = spec.name.partition(".")[0]
        why = f"this {top} was installed without its compiled modules"
        return Extension(spec.name, None if ours is None else importlib.import_module(ours), why)

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(self._package.written.get(module.__name__, {}))


class _AmendingLoader(Loader):
    """Loads the original and puts names of detops into it, for good."""

    def __init__(self, original: Loader, ours: str) -> None:
        self._original, self._ours = original, ours

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._original.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._original
        self._original.exec_module(module)
        source = importlib.import_module(self._ours)
        vars(module).update({name: getattr(source, name) for name in source.__all__})
