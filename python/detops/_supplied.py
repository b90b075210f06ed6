"""Compiled modules that a package was installed without, and detops in their place."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn

from ._import_hooks import Package, find_original, leave_parent

__all__ = ["Supplied"]


@dataclass
class Supplied:
    """A package that stays, with the compiled modules that it lacks."""

    package: Package
    before: frozenset[str] = frozenset()
    """Those of its users that were imported before."""

    def begin(self) -> None:
        self.before = frozenset(filter(self._is_user, sys.modules))

    def end(self) -> None:
        # Who has imported what goes now is imported anew, and then fails as without detops.
        for name, module in list(sys.modules.items()):
            is_new_user = self._is_user(name) and name not in self.before
            if is_new_user or isinstance(module, _Extension | _Written):
                if name.partition(".")[0] == self.package.top:
                    del sys.modules[name]
                    leave_parent(name, module)
        self.package.forget()

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

    def _is_user(self, name: str) -> bool:
        return name == self.package.users or name.startswith(f"{self.package.users}.")


class _Extension(ModuleType):
    """A compiled module: functions of detops, and such as say that there is none."""

    def __init__(self, name: str, ours: ModuleType | None) -> None:
        super().__init__(name, f"detops stands in for {name}.")
        vars(self).update(_ours=ours)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(f"detops stands in for {self.__name__} and has no {name!r}")
        ours = vars(self)["_ours"]
        if ours is not None and name in ours.__all__:
            made: Callable[..., Any] = getattr(ours, name)
            return made

        def refuse(*args: object, **kwargs: object) -> NoReturn:
            top = self.__name__.partition(".")[0]
            raise NotImplementedError(
                f"{self.__name__}.{name}: this {top} was installed without its compiled modules, "
                f"and detops, which stands in for them, has no {name}. It takes a build of {top} "
                "with them."
            )

        return refuse


class _Written(ModuleType):
    """A module that the original's setup would have written."""


class _SupplyingLoader(Loader):
    def __init__(self, package: Package) -> None:
        self._package = package

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        if spec.name in self._package.written:
            return _Written(spec.name)
        ours = self._package.extensions[spec.name]
        return _Extension(spec.name, None if ours is None else importlib.import_module(ours))

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
