"""IoU of quadrilaterals: ``mmcv.ops.box_iou_quadri``."""

from __future__ import annotations

from typing import Any

import torch

from .. import torch as ops
from .._types import OverlapMode
from ..torch._drop_ins import call_in_one_type

__all__ = ["box_iou_quadri"]


def box_iou_quadri(
    bboxes1: torch.Tensor,
    bboxes2: torch.Tensor,
    mode: OverlapMode = "iou",
    aligned: bool = False,
) -> torch.Tensor:
    """IoU of quadrilaterals (x1, y1, ..., x4, y4), in either direction, convex or not.

    Parameters and result as :func:`box_iou_rotated`, with 8 columns.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import box_iou_quadri
    >>> quads = torch.tensor([[0.0, 0, 4, 0, 6, 2, 2, 2], [0, 0, 4, 0, 4, 2, 0, 2]])
    >>> box_iou_quadri(quads[:1], quads[1:])
    tensor([[0.6000]])
    """
    rows: Any = {"bboxes1": bboxes1, "bboxes2": bboxes2}
    words: Any = {"names": ("quads1", "quads2"), "mode": mode, "aligned": bool(aligned)}
    return call_in_one_type("box_iou_quadri", ops.box_iou_quadri, **rows, **words)
