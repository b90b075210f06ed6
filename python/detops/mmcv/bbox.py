"""IoU of upright boxes: ``mmcv.ops.bbox``."""

from __future__ import annotations

import torch

from .. import torch as ops
from .._types import OverlapMode
from ..torch._drop_ins import call_in_one_type

__all__ = ["bbox_overlaps"]


def bbox_overlaps(
    bboxes1: torch.Tensor,
    bboxes2: torch.Tensor,
    mode: OverlapMode = "iou",
    aligned: bool = False,
    offset: int = 0,
) -> torch.Tensor:
    """IoU of upright boxes; boxes without area overlap nothing.

    Parameters
    ----------
    bboxes1, bboxes2 : tensors (M, 4) and (N, 4)
        (x1, y1, x2, y2); tensors of no numbers may have any shape.
    mode : "iou" or "iof"
        The shared area divided by that of both together, or by that of the first box.
    aligned : bool
        Row by row (M = N) instead of all pairs.
    offset : 0 or 1
        1 if corners are pixels that belong to the box.

    Returns
    -------
    tensor (M, N), or (M,) if aligned

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import bbox_overlaps
    >>> boxes = torch.tensor([[0.0, 0, 10, 10], [0, 0, 10, 20]])
    >>> bbox_overlaps(boxes[:1], boxes)
    tensor([[1.0000, 0.5000]])
    """
    return call_in_one_type(
        "bbox_overlaps",
        ops.bbox_overlaps,
        bboxes1=bboxes1.reshape(0, 4) if bboxes1.shape[0] == 0 else bboxes1,
        bboxes2=bboxes2.reshape(0, 4) if bboxes2.shape[0] == 0 else bboxes2,
        mode=mode,
        aligned=bool(aligned),
        offset=int(offset),
    )
