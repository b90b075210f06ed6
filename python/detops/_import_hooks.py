"""What imports of other packages meet once :func:`detops.install` has been called for them."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Protocol

__all__ = [
    "Finder",
    "Installed",
    "Package",
    "Part",
    "Patched",
    "find_original",
    "leave_parent",
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
    extensions: Mapping[str, str | None] = field(default_factory=dict)
    """The compiled modules of the original, and what detops has of their functions."""
    amended: Mapping[str, str] = field(default_factory=dict)
    """Modules of the original that cannot do without a GPU, and where detops has their names."""
    written: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Modules that the original's setup writes, and what is in them."""
    users: str = ""
    """Where the original's modules that import its compiled ones are."""
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

    def forget(self) -> None:
        """What the original's own modules have registered."""
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

    def is_parent(self, name: str) -> bool:
        return any(theirs.startswith(f"{name}.") for theirs in self.modules)

    @property
    def is_there(self) -> bool:
        """Whether the original is installed, with or without its compiled modules."""
        if self.top in sys.modules:
            return True
        spec = find_original(self.top)
        # A folder of that name is none of these packages.
        return spec is not None and spec.loader is not None

    @property
    def folder(self) -> str:
        """Where the original is."""
        module = sys.modules.get(self.top)
        spec = find_original(self.top) if module is None else module.__spec__
        locations = None if spec is None else spec.submodule_search_locations
        return next(iter(locations or ()), "an unknown place")

    @property
    def is_without_extensions(self) -> bool:
        """Whether the original is there, and its first compiled module is not."""
        name = next(iter(self.extensions), None)
        return name is not None and self.is_there and not _is_found(name)


def _is_found(name: str) -> bool:
    """Whether there is such a module, without importing those that it is in."""
    path: Sequence[str] | None = None
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        whole = ".".join(parts[:end])
        module = sys.modules.get(whole)
        spec = find_original(whole, path) if module is None else module.__spec__
        if spec is None:
            return False
        path = spec.submodule_search_locations
        if path is None:
            return end == len(parts)
    return True


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # What it would be in is not a package.
        return False


class _StandIn(ModuleType):
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
        raise AttributeError(f"detops stands in for {self.__name__} and has no {name!r}{self._why}")

    def __setattr__(self, name: str, value: object) -> None:
        if self._ours is None or name.startswith("__"):
            super().__setattr__(name, value)
        elif isinstance(value, _StandIn):
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


class _StandInLoader(Loader):
    def __init__(self, ours: str | None, package: Package, why: str = "") -> None:
        self._ours, self._package, self._why = ours, package, why

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        ours = None if self._ours is None else importlib.import_module(self._ours)
        return _StandIn(spec.name, ours, self._package, self._why)

    def exec_module(self, module: ModuleType) -> None:
        self._package.register(module.__name__)


def _stand_in_spec(name: str, ours: str | None, package: Package) -> ModuleSpec:
    # All are packages: only for those does ``from x import y`` show the reason of a failure.
    return ModuleSpec(name, _StandInLoader(ours, package), is_package=True)


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
            if isinstance(module, _StandIn) and module._package is self.package:
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
        return _stand_in_spec(name, ours, self.package)

    def _is_below_roots(self, name: str) -> bool:
        return any(name == root or name.startswith(f"{root}.") for root in self.roots)


@dataclass
class Patched:
    """A package that stays, with names of detops in the place of its own."""

    package: Package
    changes: list[tuple[ModuleType, str, object, object]] = field(default_factory=list)
    """Module, name, what was there, what was put there."""

    def begin(self) -> None:
        for name, module in list(sys.modules.items()):
            if module is not None and (ours := self.package.resolve(name)) is not None:
                self.patch(module, ours)
                self.package.register(name)

    def patch(self, module: ModuleType, ours: str) -> None:
        source = importlib.import_module(ours)
        for name in source.__all__:
            made, before = getattr(source, name), vars(module).get(name, _MISSING)
            if before is made:  # Imported from a module below, in which it is changed already.
                before = next((change[2] for change in self.changes if change[3] is made), made)
            self.changes.append((module, name, before, made))
            setattr(module, name, made)

    def end(self) -> None:
        self.package.unregister()
        for module, name, before, made in reversed(self.changes):
            if vars(module).get(name) is not made:
                continue  # Somebody has changed it since.
            if before is _MISSING:
                delattr(module, name)
            else:
                setattr(module, name, before)
        for name, module in list(sys.modules.items()):
            if isinstance(module, _StandIn) and module._package is self.package:
                del sys.modules[name]
                leave_parent(name, module)

    def find_spec(self, name: str, path: Sequence[str] | None) -> ModuleSpec | None:
        ours = self.package.resolve(name)
        if ours is None:
            return None
        # Below a module that could not be imported its parts are not tried either.
        is_below_stand_in = isinstance(sys.modules.get(name.rpartition(".")[0]), _StandIn)
        spec = None if is_below_stand_in else find_original(name, path)
        if spec is None or spec.loader is None:
            return _stand_in_spec(name, ours, self.package)
        spec.loader = _PatchingLoader(spec.loader, ours, self)
        return spec


class _PatchingLoader(Loader):
    """Loads the original and puts names of detops into it; only those if it cannot be loaded."""

    def __init__(self, original: Loader, ours: str, patched: Patched) -> None:
        self._original, self._ours, self._patched = original, ours, patched

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._original.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        spec.loader = module.__loader__ = self._original
        try:
            self._original.exec_module(module)
        except ImportError as error:
            why = f"; {spec.name} itself could not be imported: {error}"
            loader = _StandInLoader(self._ours, self._patched.package, why)
            stand_in = loader.create_module(spec)
            stand_in.__spec__, stand_in.__path__ = spec, spec.submodule_search_locations or []
            sys.modules[spec.name] = stand_in
        else:
            self._patched.patch(module, self._ours)
        self._patched.package.register(spec.name)


_MISSING = object()


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


def leave_parent(name: str, module: ModuleType) -> None:
    """Take a module that goes out of the one it is in."""
    parent, _, child = name.rpartition(".")
    if parent in sys.modules and vars(sys.modules[parent]).get(child) is module:
        delattr(sys.modules[parent], child)


