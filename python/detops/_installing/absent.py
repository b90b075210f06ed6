"""Names of other packages that detops has nothing for: they say so when they are called."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["absent"]


def absent(module: str, name: str, sentence: str) -> type[Any]:
    """A class, so that programs can derive from it: one who calls it, or ``apply`` of it as of one of
    autograd's functions, is told."""

    def refuse(*args: object, **kwargs: object) -> NoReturn:
        raise NotImplementedError(sentence)

    methods = {"__new__": refuse, "apply": staticmethod(refuse)}
    return type(name, (), {**methods, "__module__": module, "__doc__": sentence})
