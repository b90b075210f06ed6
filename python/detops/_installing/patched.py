"""Packages that stay, with names of detops in the place of their own."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

from .changes import Changes
from .extensions import Extension, leave_parent
from .import_hooks import Package, StandIn, StandInLoader, find_original, stand_in_spec

__all__ = ["Patched"]


@dataclass
class Patched:
    """A package that stays, with names of detops in the place of its own."""

    package: Package
    changes: Changes = field(default_factory=Changes)
    before: frozenset[str] = frozenset()
    """Who uses compiled modules and was imported before."""
    is_broken: bool = False
    """Whether a compiled module could not be imported, and one of Python is in its place."""

    def begin(self) -> None:
        self.before = self.package.imported_users()
        for name, module in list(sys.modules.items()):
            if module is not None and (ours := self.package.replacement(name)) is not None:
                self.patch(module, ours)
                self.package.register(name)

    def patch(self, module: ModuleType, ours: str) -> None:
        source = importlib.import_module(ours)
        for name in source.__all__:
            self.changes.put(module, name, getattr(source, name))

    def end(self) -> None:
        self.package.unregister()
        self.changes.undo()
        for name, module in list(sys.modules.items()):
            if isinstance(module, StandIn) and module._package is self.package:
                del sys.modules[name]
                leave_parent(name, module)
        if self.is_broken:
            self.package.forget(self.before)

    def find_spec(self, name: str, path: Sequence[str] | None) -> ModuleSpec | None:
        ours = self.package.replacement(name)
        if ours is None:
            return None
        # Below a module that could not be imported its parts are not tried either.
        is_below_stand_in = isinstance(sys.modules.get(name.rpartition(".")[0]), StandIn)
        spec = None if is_below_stand_in else find_original(name, path)
        if spec is None or spec.loader is None:
            # One who lacks compiled modules is given them elsewhere.
            is_extension = name in self.package.extensions
            return None if is_extension else stand_in_spec(name, ours, self.package)
        spec.loader = _PatchingLoader(spec.loader, ours, self)
        return spec


class _PatchingLoader(Loader):
    """Loads the original and puts names of detops into it; only those if it cannot be loaded."""

    def __init__(self, original: Loader, ours: str, patched: Patched) -> None:
        self._original, self._ours, self._patched = original, ours, patched

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        try:
            return self._original.create_module(spec)
        except ImportError as error:  # As the system says it of a library.
            if spec.name not in self._patched.package.extensions:
                raise
            return self._make_extension(spec.name, error)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        spec.loader = module.__loader__ = self._original
        if isinstance(module, Extension):
            return
        try:
            self._original.exec_module(module)
        except ImportError as error:
            made = self._make_instead(spec, error)
            made.__spec__, made.__path__ = spec, spec.submodule_search_locations or []
            sys.modules[spec.name] = made
        else:
            self._patched.patch(module, self._ours)
        self._patched.package.register(spec.name)

    def _make_instead(self, spec: ModuleSpec, error: ImportError) -> ModuleType:
        if spec.name in self._patched.package.extensions:
            return self._make_extension(spec.name, error)
        why = f"; {spec.name} itself could not be imported: {error}"
        return StandInLoader(self._ours, self._patched.package, why).create_module(spec)

    def _make_extension(self, name: str, error: ImportError) -> ModuleType:
        self._patched.is_broken = True
        why = f"the compiled modules of this {self._patched.package.top} could not be imported ({error})"
        return Extension(name, importlib.import_module(self._ours), why)
