"""Modules of other packages that are compiled or written when these are installed, in Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

__all__ = ["Extension", "Written", "is_below", "leave_parent"]


class Extension(ModuleType):
    """A compiled module: functions of detops, and such as say that there is none."""

    def __init__(self, name: str, ours: ModuleType | None, why: str) -> None:
        super().__init__(name, f"detops stands in for {name}.")
        vars(self).update(_ours=ours, _why=why)

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
                f"{_caller(top) or f'{self.__name__}.{name}'}: {vars(self)['_why']}, and detops, which "
                f"stands in for them, has no {self.__name__}.{name}, for which it takes a build of {top}."
            )

        return refuse


def _caller(top: str) -> str:
    """The function that called the one that asks, if it is of this package."""
    frame = sys._getframe(2)
    module = str(frame.f_globals.get("__name__"))
    # Python 3.10 has no name with the class.
    name = getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
    return f"{module}.{name}" if is_below(module, top) else ""


class Written(ModuleType):
    """A module that the original's setup would have written."""


def is_below(name: str, module: str) -> bool:
    """Whether a module is that one or in it."""
    return name == module or name.startswith(f"{module}.")


def leave_parent(name: str, module: ModuleType) -> None:
    """Take a module that goes out of the one it is in."""
    parent, _, child = name.rpartition(".")
    if parent in sys.modules and vars(sys.modules[parent]).get(child) is module:
        delattr(sys.modules[parent], child)
