"""What imports of other packages meet once :func:`detops.install` has been called for them."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Protocol

from .extensions import Extension, Written, is_below, leave_parent

__all__ = [
    "Absent",
    "Finder",
    "Installed",
    "Package",
    "Part",
    "StandIn",
    "StandInLoader",
    "find_original",
    "stand_in_spec",
]


@dataclass(frozen=True)
class Package:
    """Modules of another package, and those of detops that have their names."""

    modules: Mapping[str, str]
    is_complete: bool
    """Whether detops has all that these modules have, so that none of the original is missed."""
    version: str | None = None
    """That of the original whose behaviour this is; the stand-in's ``__version__``."""
    registry: str | None = None
    """A module of detops whose ``register`` follows once names of the original are imported."""
    absent: Mapping[str, str] = field(default_factory=dict)
    """Modules of detops with names that say that they are not there when they are called, by those
    of the table that have them where there is no original."""
    extensions: Mapping[str, str | None] = field(default_factory=dict)
    """The compiled modules of the original, and what detops has of their functions."""
    versions: tuple[str, str] | None = None
    """The first and the last that detops stands in for, as "2.1"; None: any."""
    clients: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Packages that build on this one, and their versions likewise."""
    needs: tuple[str, ...] = ()
    """Which other packages of the table it imports."""
    amended: Mapping[str, str] = field(default_factory=dict)
    """Modules of the original that cannot do without a GPU, and where detops has their names."""
    written: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Modules that the original's setup writes, and what is in them."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Names of Python that have moved since the original was written, and where they are now."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Modules, also of packages that build on this one, that cannot be imported without a GPU."""
    users: str = ""
    """Where the original's modules that import its compiled ones are."""
    names_gpu: bool = False
    """Whether it asks for a GPU by name, whatever the tensors are on."""
    is_fragment: bool = False
    """Whether detops has so little of it that who asks whether it is installed is told no."""

    def register(self, name: str) -> None:
        """Called for every module, of which those of the table are the last to be complete: all
        that the original registers is registered by then."""
        if self.registry is not None and name in self.modules:
            importlib.import_module(self.registry).register()

    def unregister(self) -> None:
        if self.registry in sys.modules:
            sys.modules[self.registry].unregister()

    def imported_users(self) -> frozenset[str]:
        """Those of the original's modules that import its compiled ones, as far as they are there."""
        return frozenset(name for name in sys.modules if is_below(name, self.users))

    def forget(self, before: frozenset[str]) -> None:
        """Take out the users that came after those, their registrations, and what they have met in
        the place of compiled modules: a new import then fails as without detops."""
        for name, module in list(sys.modules.items()):
            is_ours = isinstance(module, Extension | Written) and name.partition(".")[0] == self.top
            if is_ours or (is_below(name, self.users) and name not in before):
                del sys.modules[name]
                leave_parent(name, module)
        if self.registry is not None and "mmengine.registry" in sys.modules:
            importlib.import_module(self.registry).forget(self.users)

    @property
    def top(self) -> str:
        return next(iter(self.modules)).partition(".")[0]

    def resolve(self, name: str) -> str | None:
        """The module of detops for module ``name``, or for one below a module of the table."""
        for theirs in sorted(self.modules, key=len, reverse=True):
            ours = self.modules[theirs]
            if name == theirs:
                return ours
            if name.startswith(f"{theirs}."):
                below = name.removeprefix(theirs)
                is_public = not any(part.startswith("_") for part in below.split("."))
                return f"{ours}{below}" if is_public and _exists(f"{ours}{below}") else None
        return None

    def replacement(self, name: str) -> str | None:
        """The same, and for compiled modules too."""
        return self.extensions.get(name) or self.resolve(name)

    def is_parent(self, name: str) -> bool:
        return any(theirs.startswith(f"{name}.") for theirs in self.modules)

    @property
    def is_there(self) -> bool:
        """Whether the original is installed, with or without its compiled modules."""
        return _imported(self.top) is not None or _is_package(find_original(self.top))

    @property
    def folder(self) -> str:
        """Where the original is."""
        module = _imported(self.top)
        spec = find_original(self.top) if module is None else module.__spec__
        locations = None if spec is None else spec.submodule_search_locations
        return next(iter(locations or ()), "an unknown place")

    @property
    def is_without_extensions(self) -> bool:
        """Whether the original is there, and its first compiled module is not."""
        name = next(iter(self.extensions), None)
        return name is not None and self.is_there and not _is_found(name)


def _imported(name: str) -> ModuleType | None:
    """A module of the original that is there."""
    module = sys.modules.get(name)
    return None if isinstance(module, StandIn | Extension | Written) else module


def _is_package(spec: ModuleSpec | None) -> bool:
    """A folder of that name is none of these packages."""
    return spec is not None and spec.loader is not None


def _is_found(name: str) -> bool:
    """Whether there is such a module, without importing those that it is in."""
    path: Sequence[str] | None = None
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        found, path = _look_up(".".join(parts[:end]), path)
        if not found:
            return False
        if path is None:
            return end == len(parts)
    return True


def _look_up(name: str, path: Sequence[str] | None) -> tuple[bool, Sequence[str] | None]:
    """Whether a module is on a path, and where those below it are, if it is a package."""
    if (module := _imported(name)) is not None:
        spec = module.__spec__
    else:
        try:
            spec = find_original(name, path)
        except KeyError:
            # A folder without __init__.py, for which importlib asks the imported package around it.
            tail = name.rpartition(".")[2]
            folders = [each for entry in path or () if os.path.isdir(each := os.path.join(entry, tail))]
            return bool(folders), folders
    return spec is not None, None if spec is None else spec.submodule_search_locations


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # What it would be in is not a package.
        return False


class StandIn(ModuleType):
    """A module with another package's name that passes everything on to one of detops.

    Also what is set: switches must reach the module that reads them.
    """

    def __init__(self, name: str, ours: ModuleType | None, package: Package, why: str) -> None:
        super().__init__(name, ours.__doc__ if ours else f"Stands in for {name}.")
        vars(self).update(_ours=ours, _package=package, _why=why)

    def __getattr__(self, name: str) -> Any:
        is_special = name.startswith("__") and name not in ("__all__", "__version__")
        if not is_special:
            if self._ours is not None and hasattr(self._ours, name):
                return getattr(self._ours, name)
            if name == "__version__" and self.__name__ == self._package.top:
                return self._package.version
            child = f"{self.__name__}.{name}"
            if child in self._package.modules or self._package.is_parent(child):
                return importlib.import_module(child)
            absent = None if self._why else self._package.absent.get(self.__name__)
            if absent is not None and hasattr(told := importlib.import_module(absent), name):
                return getattr(told, name)
        raise AttributeError(f"detops stands in for {self.__name__} and has no {name!r}{self._why}")

    def __setattr__(self, name: str, value: object) -> None:
        if self._ours is None or name.startswith("__"):
            super().__setattr__(name, value)
        elif isinstance(value, StandIn):
            # The import of a module below this one. A function of its name stays what it is.
            if isinstance(getattr(self._ours, name, value), ModuleType):
                super().__setattr__(name, value)
        else:
            setattr(self._ours, name, value)

    def __delattr__(self, name: str) -> None:
        if name in vars(self):
            super().__delattr__(name)
        else:
            delattr(self._ours, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *getattr(self._ours, "__all__", ())})


class StandInLoader(Loader):
    def __init__(self, ours: str | None, package: Package, why: str = "") -> None:
        self._ours, self._package, self._why = ours, package, why

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        ours = None if self._ours is None else importlib.import_module(self._ours)
        return StandIn(spec.name, ours, self._package, self._why)

    def exec_module(self, module: ModuleType) -> None:
        self._package.register(module.__name__)


def stand_in_spec(name: str, ours: str | None, package: Package) -> ModuleSpec:
    # All are packages: only for those does ``from x import y`` show the reason of a failure.
    return ModuleSpec(name, StandInLoader(ours, package), is_package=True)


class Part(Protocol):
    """One way to stand in for a package."""

    package: Package

    def begin(self) -> None: ...

    def end(self) -> None: ...

    def find_spec(self, name: str, path: Sequence[str] | None) -> ModuleSpec | None: ...


@dataclass
class Installed:
    """A package that detops stands in for, as a whole or from some modules on."""

    package: Package
    roots: tuple[str, ...]
    stashed: dict[str, ModuleType] = field(default_factory=dict)
    """The modules of the original that were imported before."""

    def begin(self) -> None:
        for name, module in list(sys.modules.items()):
            if self._is_below_roots(name):
                self.stashed[name] = sys.modules.pop(name)
                leave_parent(name, module)

    def end(self) -> None:
        self.package.unregister()
        for name, module in list(sys.modules.items()):
            if isinstance(module, StandIn) and module._package is self.package:
                del sys.modules[name]
                leave_parent(name, module)
        for name, module in self.stashed.items():
            sys.modules[name] = module
            parent, _, child = name.rpartition(".")
            if parent in sys.modules:
                setattr(sys.modules[parent], child, module)

    def find_spec(self, name: str, path: Sequence[str] | None) -> ModuleSpec | None:
        if not self._is_below_roots(name):
            return None
        ours = self.package.resolve(name)
        if ours is None and not self.package.is_parent(name):
            # Without the name in the exception: ``from x import y`` would drop the text.
            raise ModuleNotFoundError(
                f"detops stands in for {name.rpartition('.')[0]} and has no {name}"
            )
        return stand_in_spec(name, ours, self.package)

    def _is_below_roots(self, name: str) -> bool:
        return any(is_below(name, root) for root in self.roots)


@dataclass
class Absent(Installed):
    """A package that was not to be found when it was asked for. Programs may put the folder with its
    sources on the path after that."""

    choose_again: Callable[[], None] = lambda: None

    def find_spec(self, name: str, path: Sequence[str] | None) -> ModuleSpec | None:
        if name != self.package.top or not _is_package(find_original(name)):
            return super().find_spec(name, path)
        self.choose_again()
        return importlib.util.find_spec(name)


class Finder(MetaPathFinder):
    """The first that imports ask, while detops stands in for anything."""

    def __init__(self) -> None:
        self.parts: dict[str, tuple[Part, ...]] = {}
        """What stands in for each package."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        for part in (part for parts in self.parts.values() for part in parts):
            if (spec := part.find_spec(fullname, path)) is None:
                continue
            if part.package.is_fragment and fullname == part.package.top and _is_question():
                return None
            return spec
        return None


def _is_question() -> bool:
    """Whether importlib.util.find_spec asks the finder, so that nothing will be imported."""
    frame = sys._getframe(2).f_back  # Of importlib's function that asks all finders.
    return frame is not None and frame.f_code is importlib.util.find_spec.__code__


def find_original(name: str, path: Sequence[str] | None = None) -> ModuleSpec | None:
    """The module that would be found without detops."""
    for finder in sys.meta_path:
        if isinstance(finder, Finder):
            continue
        if (spec := finder.find_spec(name, path)) is not None:
            return spec
    return None
