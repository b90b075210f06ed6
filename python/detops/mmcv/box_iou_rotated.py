"""IoU of rotated boxes: ``mmcv.ops.box_iou_rotated``."""

from __future__ import annotations

from typing import Any

import torch

from .. import torch as ops
from .._types import OverlapMode
from ..torch._drop_ins import call_in_one_type

__all__ = ["box_iou_rotated"]


def box_iou_rotated(
    bboxes1: torch.Tensor,
    bboxes2: torch.Tensor,
    mode: OverlapMode = "iou",
    aligned: bool = False,
    clockwise: bool = True,
) -> torch.Tensor:
    """IoU of rotated boxes. Differentiable with respect to both.

    Parameters
    ----------
    bboxes1, bboxes2 : tensors (N, 5) and (M, 5)
        (x, y, w, h, angle in radians)
    mode : "iou" or "iof"
        The shared area divided by that of both together, or by that of the first box.
    aligned : bool
        Row by row (M = N) instead of all pairs.
    clockwise : bool
        Angles turn from x to y, which is clockwise where y points down; False: the other way.

    Returns
    -------
    tensor (N, M), or (N,) if aligned

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import box_iou_rotated
    >>> boxes = torch.tensor([[0.0, 0, 4, 2, 0], [1, 0, 4, 2, 0]])
    >>> box_iou_rotated(boxes[:1], boxes)
    tensor([[1.0000, 0.6000]])
    """
    rows: Any = {"bboxes1": bboxes1, "bboxes2": bboxes2}
    if not clockwise:
        rows = {name: box * box.new_tensor([1, 1, 1, 1, -1]) for name, box in rows.items()}
    words: Any = {"mode": mode, "aligned": bool(aligned)}
    return call_in_one_type("box_iou_rotated", ops.box_iou_rotated, **rows, **words)
