"""Rotated boxes of detectron2: ``nms_rotated``, ``batched_nms_rotated``, ``pairwise_iou_rotated``.

Boxes are (centre x, centre y, w, h, angle in degrees from x away from y): anticlockwise on a screen
whose y points down. Geometry is exact, suppression strict (``>``), and of equal scores the lower
index wins. Classes are compared; coordinates are never shifted.
"""

from __future__ import annotations

import torch

from .torch import nms
from .torch._sentences import AssertedError, check_tensors, told_as
from .torchvision import box_iou
from .torchvision.boxes import in_radians

__all__ = ["batched_nms_rotated", "nms_rotated", "pairwise_iou_rotated"]


def pairwise_iou_rotated(boxes1: torch.Tensor, boxes2: torch.Tensor) -> torch.Tensor:
    """(N, M) of float: IoU of boxes (N, 5) and (M, 5).

    Examples
    --------
    >>> import torch
    >>> from detops.detectron2 import pairwise_iou_rotated
    >>> boxes = torch.tensor([[0.0, 0, 4, 2, 0], [0, 0, 4, 2, 90]])
    >>> pairwise_iou_rotated(boxes[:1], boxes)
    tensor([[1.0000, 0.3333]])
    """
    return told_as("pairwise_iou_rotated", {}, box_iou, boxes1, boxes2, fmt="cxcywhr")


def nms_rotated(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    """Indices (int64) of boxes (N, 5) that no better one overlaps too much, by descending score.

    Examples
    --------
    >>> import torch
    >>> from detops.detectron2 import nms_rotated
    >>> boxes = torch.tensor([[0.0, 0, 4, 2, 0], [0, 0, 4, 2, 5], [0, 0, 4, 2, 90]])
    >>> nms_rotated(boxes, torch.tensor([0.7, 0.8, 0.9]), 0.5)
    tensor([2, 1])
    """
    return _keep("nms_rotated", boxes, scores, None, iou_threshold)


def batched_nms_rotated(
    boxes: torch.Tensor, scores: torch.Tensor, idxs: torch.Tensor, iou_threshold: float
) -> torch.Tensor:
    """:func:`nms_rotated` of each class in ``idxs`` (N,) by itself.

    Examples
    --------
    >>> import torch
    >>> from detops.detectron2 import batched_nms_rotated
    >>> boxes, classes = torch.tensor([[0.0, 0, 4, 2, 0]]).repeat(3, 1), torch.tensor([0, 0, 1])
    >>> batched_nms_rotated(boxes, torch.tensor([0.7, 0.8, 0.9]), classes, 0.5)
    tensor([2, 1])
    """
    return _keep("batched_nms_rotated", boxes, scores, idxs, iou_threshold)


def _keep(
    caller: str,
    boxes: torch.Tensor,
    scores: torch.Tensor,
    idxs: torch.Tensor | None,
    iou_threshold: float,
) -> torch.Tensor:
    check_tensors(caller, boxes=boxes, scores=scores, **({} if idxs is None else {"idxs": idxs}))
    if boxes.ndim != 2 or boxes.shape[1] != 5:
        raise AssertedError(f"{caller}: boxes has shape {list(boxes.shape)}, expected (N, 5).")
    labels = None if idxs is None else idxs.long()
    rows, names = in_radians(boxes, "cxcywhr"), {"labels": "idxs"}
    arguments = (rows, scores.detach(), float(iou_threshold))
    return told_as(caller, names, nms, *arguments, labels=labels, box_format="cxcywha")
