"""Layers that are there once for each number of axes."""

from __future__ import annotations

from typing import Any, ClassVar

__all__ = ["Family"]

_PLACES = ("on a line", "in the plane", "in space", "in space and time")


class Family:
    """What such layers share: ``class SparseConv2d(_Regular, ndim=2): ...`` is one of them."""

    _ndim: ClassVar[int] = 0
    _about: ClassVar[str] = ""
    """The text of each, without the place."""

    def __init_subclass__(cls, ndim: int = 0, **more: Any) -> None:
        super().__init_subclass__(**more)
        if ndim > 0:
            cls._ndim = ndim
            cls.__doc__ = f"{cls._about}, {_PLACES[ndim - 1]}."
