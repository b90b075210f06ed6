"""torchvision's operators for boxes under ``torch.ops.torchvision``, where torchvision is not."""

from __future__ import annotations

from typing import Any

import torch

from . import boxes

__all__ = ["forget", "register", "unregister"]

_made: list[Any] = []


def _box_iou_rotated(boxes1: torch.Tensor, boxes2: torch.Tensor) -> torch.Tensor:
    return boxes.box_iou(boxes1, boxes2, fmt="cxcywhr")


def register() -> None:
    """Nothing, if torchvision's own are there."""
    if _made or hasattr(torch.ops.torchvision, "nms"):
        return
    torch_library: Any = torch.library  # Without types, as it has few.
    library = torch_library.Library("torchvision", "FRAGMENT")
    for schema, function in (
        ("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", boxes.nms),
        ("box_iou_rotated(Tensor boxes1, Tensor boxes2) -> Tensor", _box_iou_rotated),
    ):
        library.impl(library.define(schema), function, "CompositeImplicitAutograd")
    _made.append(library)


def unregister() -> None:
    """Undo :func:`register`."""
    while _made:
        _made.pop()._destroy()


def forget(users: str) -> None:
    """torchvision's own modules register nothing with anybody."""
