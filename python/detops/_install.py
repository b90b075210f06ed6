"""detops under the names of other packages: ``from mmcv.ops import ...`` and the like."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["install", "uninstall"]


@dataclass(frozen=True)
class _Package:
    """Modules of another package, and those of detops that have their names."""

    modules: dict[str, str]
    is_complete: bool
    """Whether detops has all that these modules have, so that none of the original is missed."""
    registry: str | None = None
    """A module of detops whose ``register`` follows once names of the original are imported."""

    def register(self, name: str) -> None:
        """Called for every module, of which those of the table are the last to be complete: all
        that the original registers is registered by then."""
        if self.registry is not None and name in self.modules:
            importlib.import_module(self.registry).register()

    def unregister(self) -> None:
        if self.registry in sys.modules:
            sys.modules[self.registry].unregister()

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


_PACKAGES = {
    "mmcv": _Package({"mmcv.ops": "detops.mmcv"}, False, "detops.mmcv._registry"),
    "openpcdet": _Package(
        {"pcdet.ops.roiaware_pool3d.roiaware_pool3d_utils": "detops.openpcdet"}, is_complete=True
    ),
    "spconv": _Package(
        {
            "spconv": "detops.spconv",
            "spconv.core": "detops.spconv.conv",
            "spconv.pytorch": "detops.spconv",
        },
        is_complete=True,
    ),
    "torchvision": _Package(
        {
            "torchvision.ops": "detops.torchvision",
            "torchvision.ops.ps_roi_pool": "detops.torchvision",
        },
        is_complete=False,
    ),
}


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # What it would be in is not a package.
        return False


class _StandIn(ModuleType):
    """A module with another package's name that passes everything on to one of detops.

    Also what is set: switches must reach the module that reads them.
    """

    def __init__(self, name: str, ours: ModuleType | None, package: _Package, why: str) -> None:
        super().__init__(name, ours.__doc__ if ours else f"Stands in for {name}.")
        vars(self).update(_ours=ours, _package=package, _why=why)

    def __getattr__(self, name: str) -> Any:
        is_special = name.startswith("__") and name not in ("__all__", "__version__")
        if not is_special:
            if self._ours is not None and hasattr(self._ours, name):
                return getattr(self._ours, name)
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
    def __init__(self, ours: str | None, package: _Package, why: str = "") -> None:
        self._ours, self._package, self._why = ours, package, why

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        ours = None if self._ours is None else importlib.import_module(self._ours)
        return _StandIn(spec.name, ours, self._package, self._why)

    def exec_module(self, module: ModuleType) -> None:
        self._package.register(module.__name__)


def _stand_in_spec(name: str, ours: str | None, package: _Package) -> ModuleSpec:
    # All are packages: only for those does ``from x import y`` show the reason of a failure.
    return ModuleSpec(name, _StandInLoader(ours, package), is_package=True)


@dataclass
class _Installed:
    """A package that detops stands in for, as a whole or from some modules on."""

    package: _Package
    roots: tuple[str, ...]
    stashed: dict[str, ModuleType] = field(default_factory=dict)
    """The modules of the original that were imported before."""

    def begin(self) -> None:
        for name, module in list(sys.modules.items()):
            if self._is_below_roots(name):
                self.stashed[name] = sys.modules.pop(name)
                _leave_parent(name, module)

    def end(self) -> None:
        self.package.unregister()
        for name, module in list(sys.modules.items()):
            if isinstance(module, _StandIn) and module._package is self.package:
                del sys.modules[name]
                _leave_parent(name, module)
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
class _Patched:
    """A package that stays, with names of detops in the place of its own."""

    package: _Package
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
                _leave_parent(name, module)

    def find_spec(self, name: str, path: Sequence[str] | None) -> ModuleSpec | None:
        ours = self.package.resolve(name)
        if ours is None:
            return None
        # Below a module that could not be imported its parts are not tried either.
        is_below_stand_in = isinstance(sys.modules.get(name.rpartition(".")[0]), _StandIn)
        spec = None if is_below_stand_in else _find_original(name, path)
        if spec is None or spec.loader is None:
            return _stand_in_spec(name, ours, self.package)
        spec.loader = _PatchingLoader(spec.loader, ours, self)
        return spec


class _PatchingLoader(Loader):
    """Loads the original and puts names of detops into it; only those if it cannot be loaded."""

    def __init__(self, original: Loader, ours: str, patched: _Patched) -> None:
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
_installed: dict[str, _Installed | _Patched] = {}


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        for installed in _installed.values():
            if (spec := installed.find_spec(fullname, path)) is not None:
                return spec
        return None


_FINDER = _Finder()


def _find_original(name: str, path: Sequence[str] | None = None) -> ModuleSpec | None:
    for finder in sys.meta_path:
        if finder is not _FINDER and (spec := finder.find_spec(name, path)) is not None:
            return spec
    return None


def _leave_parent(name: str, module: ModuleType) -> None:
    parent, _, child = name.rpartition(".")
    if parent in sys.modules and vars(sys.modules[parent]).get(child) is module:
        delattr(sys.modules[parent], child)


def _is_present(top: str) -> bool:
    if top in sys.modules:
        return True
    spec = _find_original(top)
    # A folder of that name is none of these packages.
    return spec is not None and spec.loader is not None


def _check(function: str, packages: tuple[str, ...]) -> None:
    for name in packages:
        if name not in _PACKAGES:
            known = ", ".join(map(repr, _PACKAGES))
            raise ValueError(f"{function}: packages has {name!r}, expected some of {known}.")


def install(*packages: str, replace: bool = False) -> tuple[str, ...]:
    """Let imports of other packages find detops, for the rest of the process.

    Nothing is imported before it is used, torch neither. Names that are imported before stay what
    they are, so this belongs at the start of a program.

    Parameters
    ----------
    packages : "mmcv", "openpcdet", "spconv", "torchvision"
    replace : bool
        What happens where a package is installed. False: it is left alone. True: detops takes the
        place of what it offers; the rest of the package is there as before.

    Returns
    -------
    tuple of str
        Those of ``packages`` that detops now stands in for.

    Examples
    --------
    >>> import detops
    >>> detops.install("mmcv")  # doctest: +SKIP
    ('mmcv',)
    >>> from mmcv.ops import RoIAwarePool3d  # doctest: +SKIP
    """
    _check("install", packages)
    if not packages:
        raise ValueError(f"install: no packages, expected some of {', '.join(_PACKAGES)}.")
    for name in packages:
        package = _PACKAGES[name]
        if name in _installed:
            continue
        made: _Installed | _Patched
        if not _is_present(package.top):
            made = _Installed(package, (package.top,))
        elif not replace:
            continue
        elif package.is_complete:
            made = _Installed(package, tuple(package.modules))
        else:
            made = _Patched(package)
        made.begin()
        _installed[name] = made
    if _installed and _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    return tuple(name for name in packages if name in _installed)


def uninstall(*packages: str) -> tuple[str, ...]:
    """Undo :func:`install`, for all packages if none are named.

    What has been imported from detops keeps working; new imports find the originals, or nothing.

    Returns
    -------
    tuple of str
        Those that detops stood in for.

    Examples
    --------
    >>> import detops
    >>> detops.uninstall("mmcv")  # nothing was installed
    ()
    """
    _check("uninstall", packages)
    undone = tuple(name for name in packages or tuple(_installed) if name in _installed)
    for name in undone:
        _installed.pop(name).end()
    if not _installed and _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
    return undone
