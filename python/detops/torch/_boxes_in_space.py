"""What drop-ins have of boxes (x, y, z, dx, dy, dz, heading): overlaps, and suppression from above."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ._drop_ins import call_in_one_type
from ._nms import nms
from ._sentences import AssertedError, check_tensors, told_as

__all__ = ["in_space", "suppress"]


def in_space(
    caller: str,
    function: Callable[..., torch.Tensor],
    boxes_a: torch.Tensor,
    boxes_b: torch.Tensor,
    aligned: bool = False,
) -> torch.Tensor:
    """A function of detops.torch for boxes in space: of all pairs, or row by row."""
    boxes = {"boxes_a": boxes_a, "boxes_b": boxes_b}
    check_tensors(caller, **boxes)
    _check_columns(caller, **boxes)
    if aligned and boxes_a.shape != boxes_b.shape:
        raise AssertedError(
            f"{caller}: boxes_a has {boxes_a.shape[0]} rows and boxes_b {boxes_b.shape[0]}, expected "
            "as many."
        )
    return call_in_one_type(caller, function, **boxes, aligned=aligned)  # type: ignore[arg-type]


def suppress(
    caller: str,
    boxes: torch.Tensor,
    scores: torch.Tensor | None,
    threshold: float,
    *,
    upright: bool = False,
    pre_max: int | None = None,
) -> torch.Tensor:
    """Indices of the kept ones, by descending score; None for scores: boxes are in their order."""
    given = {"boxes": boxes} if scores is None else {"boxes": boxes, "scores": scores}
    check_tensors(caller, **given)
    _check_columns(caller, boxes=boxes)
    if pre_max == 0:  # To the operator that is no limit.
        return torch.empty(0, dtype=torch.int64)
    box_format = "bev_upright" if upright else "bev"
    arguments = (boxes, scores, float(threshold))
    words = {"box_format": box_format, "pre_max": pre_max or 0}
    return told_as(caller, {}, nms, *arguments, **words)


def _check_columns(caller: str, **boxes: torch.Tensor) -> None:
    for name, box in boxes.items():
        if box.ndim != 2 or box.shape[1] != 7:
            raise AssertedError(f"{caller}: {name} has shape {list(box.shape)}, expected (N, 7).")
