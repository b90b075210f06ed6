"""detops under the names of other packages: ``from mmcv.ops import ...`` and the like."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Iterable
from typing import Literal

from .._torch_check import what_is_missing
from .import_hooks import Absent, Finder, Installed, Package, Part
from .packages import PACKAGES
from .patched import Patched
from .supplied import Supplied
from .versions import Clients, check_version

__all__ = ["install", "uninstall"]

_FINDER = Finder()
_ON_CPU: set[str] = set()
"""The packages for which torch's words for a GPU mean the CPU."""
_REPLACED: set[str] = set()
"""Those that were asked for with ``replace=True``."""
_BROUGHT: dict[str, set[str]] = {}
"""Packages that nobody asked for, and those that need them."""


def _choose(name: str, replace: bool, quiet: bool) -> tuple[list[Part], str]:
    """How detops stands in for a package, and a line that says so; no parts: it does not."""
    package = PACKAGES[name]
    first, ours = next(iter(package.modules.items()))
    if not package.is_there:
        absent = Absent(package, (package.top,))
        absent.choose_again = functools.partial(_stand_in_anew, name, replace, quiet)
        return [absent], f"{package.top}: not installed, {first} is {ours}"
    parts: list[Part] = []
    said = []
    is_bare = package.is_without_extensions
    if is_bare or replace:
        check_version(package.top, package.folder, package.versions)
    if is_bare:
        said.append("without its compiled modules")
        said += [f"{theirs} is {made}" for theirs, made in package.extensions.items() if made]
    if package.is_complete and (replace or is_bare):
        parts.append(Installed(package, tuple(package.modules)))
        if first not in package.extensions:
            said.append(f"{first} is {ours}")
    elif replace:
        parts.append(Patched(package))
        said.append(f"names of {ours} are in the place of its own in {first}")
        compiled = [f"{made} in {theirs}" for theirs, made in package.extensions.items() if made]
        said += [f"functions of {each}" for each in compiled if not is_bare]
    if is_bare or (parts and package.is_complete and package.amended):
        parts.append(Supplied(package))
    if is_bare:
        said.append("functions that detops does not have say so when they are called")
    if parts and package.clients:
        parts.append(Clients(package))
    if parts and package.beside:
        parts.append(Installed(Package(package.beside, is_complete=True), tuple(package.beside)))
    if not parts:
        said.append("left alone, replace=True would put detops in its place")
    return parts, f"{package.top} in {package.folder}: {', '.join(said)}"


def _say(quiet: bool, line: str) -> None:
    if not quiet and sys.stderr is not None:
        print(f"detops.install: {line}", file=sys.stderr)


def _stand_in(name: str, choice: tuple[list[Part], str], quiet: bool) -> None:
    parts, said = choice
    for part in reversed(parts):
        part.begin()
    if parts:
        _FINDER.parts[name] = tuple(parts)
    _say(quiet, said)


def _leave(name: str) -> None:
    for part in _FINDER.parts.pop(name, ()):
        part.end()


def _stand_in_anew(name: str, replace: bool, quiet: bool) -> None:
    """The package has appeared since it was asked for."""
    choice = _choose(name, replace, quiet)
    _leave(name)
    _stand_in(name, choice, quiet)


def _needed_by(name: str) -> list[str]:
    """What a package imports and is not installed, as far as nobody has asked for it."""
    is_left = {each: each in _BROUGHT or each not in _FINDER.parts for each in PACKAGES[name].needs}
    return [each for each, left in is_left.items() if left and not PACKAGES[each].is_there]


def _check(function: str, packages: tuple[str, ...]) -> None:
    for name in packages:
        if name not in PACKAGES:
            known = ", ".join(map(repr, PACKAGES))
            raise ValueError(f"{function}: packages has {name!r}, expected some of {known}.")


def _stay_on_cpu(names: Iterable[str], quiet: bool) -> None:
    """Let torch's words for a GPU mean the CPU until all these packages are uninstalled."""
    if not _ON_CPU:
        importlib.import_module("detops._installing.gpu_names").begin()
        _say(quiet, "torch: .cuda() and device='cuda' mean the CPU; device=None would leave them alone")
    _ON_CPU.update(names)


def _names_gpu(name: str) -> bool:
    return name in _FINDER.parts and PACKAGES[name].names_gpu


def install(
    *packages: str,
    replace: bool = False,
    quiet: bool = False,
    device: Literal["auto", "cpu"] | None = "auto",
) -> tuple[str, ...]:
    """Let imports of other packages find detops, for the rest of the process.

    What OpenPCDet and CenterPoint import of the other packages, and is not installed, comes with
    them. A version that detops does not know is an ImportError, before anything has changed.
    Nothing is imported before it is used; only ``device`` may ask torch. Names that are imported
    before stay what they are, so this belongs at the start of a program. A line for each package
    tells on stderr what was done, or that nothing was.

    Parameters
    ----------
    packages : "mmcv", "openpcdet", "centerpoint", "spconv", "torch_scatter", "torchvision"
    replace : bool
        What happens where a package is installed. False: it is left alone, unless it lacks its
        compiled modules, for which detops then stands in. True: detops takes the place of what it
        offers; the rest of the package is there as before. A later call with True counts too.
    quiet : bool
        Without the lines.
    device : "auto", "cpu" or None
        Whether ``.cuda()``, ``device="cuda"``, ``torch.cuda.synchronize()`` and their like, which
        OpenPCDet and CenterPoint have in their sources, mean the CPU in all of the process until
        ``uninstall``. "cpu": they do. "auto": if one of these two is among the packages and torch
        finds no GPU. None: torch is left alone.

    Returns
    -------
    tuple of str
        Those of ``packages`` that detops now stands in for.

    Examples
    --------
    >>> import detops
    >>> detops.install("mmcv")  # doctest: +SKIP
    detops.install: mmcv: not installed, mmcv.ops is detops.mmcv
    ('mmcv',)
    >>> from mmcv.ops import RoIAwarePool3d  # doctest: +SKIP
    """
    _check("install", packages)
    if device not in ("auto", "cpu", None):
        raise ValueError(f"install: device is {device!r}, expected 'auto', 'cpu' or None.")
    if not packages:
        raise ValueError(f"install: no packages, expected some of {', '.join(PACKAGES)}.")
    if (missing := what_is_missing()) is not None:
        raise ImportError(f"install({packages[0]!r}): {missing}")
    # All versions are checked before anything changes.
    is_wanted = {name: name not in _FINDER.parts or (replace and name not in _REPLACED) for name in packages}
    choices = {name: _choose(name, replace, quiet) for name, wanted in is_wanted.items() if wanted}
    for name in choices:
        _leave(name)
    for name, choice in choices.items():
        _stand_in(name, choice, quiet)
    if replace:
        _REPLACED.update(packages)
    for name in packages:
        _BROUGHT.pop(name, None)  # Somebody asks for it by now.
    for name in filter(_FINDER.parts.__contains__, packages):
        for each in _needed_by(name):
            if each not in _FINDER.parts:
                _stand_in(each, _choose(each, False, quiet), quiet)
            _BROUGHT.setdefault(each, set()).add(name)
    if _FINDER.parts and _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    if device == "cpu":
        _stay_on_cpu(packages, quiet)
    elif device == "auto" and (asking := list(filter(_names_gpu, packages))):
        if not importlib.import_module("detops._installing.gpu_names").has_gpu():
            _stay_on_cpu(asking, quiet)
    return tuple(name for name in packages if name in _FINDER.parts)


def uninstall(*packages: str) -> tuple[str, ...]:
    """Undo :func:`install`, for all packages if none are named.

    What has been imported from detops keeps working; new imports find the originals, or nothing.

    Returns
    -------
    tuple of str
        Those that detops stood in for. What came with them goes with them.

    Examples
    --------
    >>> import detops
    >>> detops.uninstall("mmcv")  # nothing was installed
    ()
    """
    _check("uninstall", packages)
    asked = packages or tuple(name for name in _FINDER.parts if name not in _BROUGHT)
    undone = tuple(name for name in asked if name in _FINDER.parts)
    for name in undone:
        _leave(name)
        _BROUGHT.pop(name, None)
    _REPLACED.difference_update(undone)
    for each, users in list(_BROUGHT.items()):
        users.difference_update(undone)
        if not users:
            del _BROUGHT[each]
            _leave(each)
    if _ON_CPU:
        _ON_CPU.difference_update(packages or tuple(_ON_CPU))
        if not _ON_CPU:
            importlib.import_module("detops._installing.gpu_names").end()
    if not _FINDER.parts and _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
    return undone
