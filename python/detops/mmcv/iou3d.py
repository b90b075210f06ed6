"""Boxes in space and from above: ``mmcv.ops.iou3d``."""

from __future__ import annotations

import warnings

import torch

from .. import torch as ops
from ..torch._boxes_in_space import in_space, suppress
from ..torch._sentences import check_tensors
from ._margin import nms_with_margin
from .box_iou_rotated import box_iou_rotated
from .nms import nms, nms_rotated

__all__ = [
    "boxes_iou3d",
    "boxes_iou_bev",
    "boxes_overlap_bev",
    "nms3d",
    "nms3d_normal",
    "nms_bev",
    "nms_normal_bev",
]

CORNER_MARGIN = 0.0
"""By what corners of boxes may be outside of each other and count as inside, in :func:`nms3d`. mmcv
has 0.01, so that boxes a centimetre apart overlap; 0 is the exact overlap."""


def boxes_overlap_bev(boxes_a: torch.Tensor, boxes_b: torch.Tensor) -> torch.Tensor:
    """(M, N): the areas that boxes (M, 7) and (N, 7) share, seen from above.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import boxes_overlap_bev
    >>> boxes = torch.tensor([[0.0, 0, 0, 4, 2, 1, 0], [1, 0, 9, 4, 2, 1, 0]])
    >>> boxes_overlap_bev(boxes[:1], boxes)
    tensor([[8., 6.]])
    """
    return in_space("boxes_overlap_bev", ops.boxes_overlap_bev, boxes_a, boxes_b)


def boxes_iou3d(boxes_a: torch.Tensor, boxes_b: torch.Tensor) -> torch.Tensor:
    """(M, N): IoU of boxes (M, 7) and (N, 7) as bodies; z is the centre.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import boxes_iou3d
    >>> boxes = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0], [0, 0, 1, 2, 2, 4, 0]])
    >>> boxes_iou3d(boxes[:1], boxes)
    tensor([[1.0000, 0.5000]])
    """
    return in_space("boxes_iou3d", ops.boxes_iou3d, boxes_a, boxes_b)


def nms3d(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    """Indices of boxes (N, 7) that no better one overlaps too much from above, by descending score.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import nms3d
    >>> boxes = torch.tensor([[0.0, 0, 0, 4, 2, 1, 0], [1, 0, 9, 4, 2, 1, 0]])
    >>> nms3d(boxes, torch.tensor([0.8, 0.9]), 0.5)
    tensor([1])
    """
    if CORNER_MARGIN > 0:
        check_tensors("nms3d", boxes=boxes, scores=scores)
        flat = boxes[:, [0, 1, 3, 4, 6]]
        return nms_with_margin(flat, scores, iou_threshold, CORNER_MARGIN)
    return suppress("nms3d", boxes, scores, iou_threshold)


def nms3d_normal(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    """:func:`nms3d` with 0 for all headings.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import nms3d_normal
    >>> boxes = torch.tensor([[0.0, 0, 0, 4, 2, 1, 0], [1, 0, 9, 4, 2, 1, 1.57]])
    >>> nms3d_normal(boxes, torch.tensor([0.8, 0.9]), 0.5)
    tensor([1])
    """
    return suppress("nms3d_normal", boxes, scores, iou_threshold, upright=True)


def _old(name: str, instead: str) -> None:
    warnings.warn(
        f"`iou3d.{name}` is deprecated, use `{instead}`", DeprecationWarning, stacklevel=3
    )


def _with_centres(boxes: torch.Tensor) -> torch.Tensor:
    """(x, y, w, h, angle) of (x1, y1, x2, y2, angle), in double, so that nothing is rounded."""
    exact = boxes.double()
    first, last = exact[:, :2], exact[:, 2:4]
    return torch.cat(((first + last) / 2, last - first, exact[:, 4:]), 1)


def boxes_iou_bev(boxes_a: torch.Tensor, boxes_b: torch.Tensor) -> torch.Tensor:
    """(M, N): IoU of boxes (x1, y1, x2, y2, angle), turned about their centres. Deprecated.

    Examples
    --------
    >>> import torch, warnings
    >>> from detops.mmcv import boxes_iou_bev
    >>> boxes = torch.tensor([[0.0, 0, 4, 2, 0], [1, 0, 5, 2, 0]])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     boxes_iou_bev(boxes[:1], boxes)
    tensor([[1.0000, 0.6000]])
    """
    _old("boxes_iou_bev", "box_iou_rotated.box_iou_rotated")
    made = box_iou_rotated(_with_centres(boxes_a), _with_centres(boxes_b))
    return made.to((boxes_a.new_empty(0) + boxes_b.new_empty(0) + 0.0).dtype)


def nms_bev(
    boxes: torch.Tensor,
    scores: torch.Tensor,
    thresh: float,
    pre_max_size: int | None = None,
    post_max_size: int | None = None,
) -> torch.Tensor:
    """Suppression of boxes (x1, y1, x2, y2, angle). Deprecated.

    ``pre_max_size`` and ``post_max_size``: how many boxes are looked at, and kept, at the most.

    Examples
    --------
    >>> import torch, warnings
    >>> from detops.mmcv import nms_bev
    >>> boxes = torch.tensor([[0.0, 0, 4, 2, 0], [1, 0, 5, 2, 0]])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     nms_bev(boxes, torch.tensor([0.8, 0.9]), 0.5)
    tensor([1])
    """
    _old("nms_bev", "nms.nms_rotated")
    order = torch.sort(scores, descending=True, stable=True).indices[:pre_max_size]
    inds = nms_rotated(_with_centres(boxes)[order], scores[order], thresh)[1]
    return order[inds][:post_max_size] if inds is not None else order


def nms_normal_bev(boxes: torch.Tensor, scores: torch.Tensor, thresh: float) -> torch.Tensor:
    """Suppression of boxes (x1, y1, x2, y2, angle) with 0 for all angles. Deprecated.

    Examples
    --------
    >>> import torch, warnings
    >>> from detops.mmcv import nms_normal_bev
    >>> boxes = torch.tensor([[0.0, 0, 4, 2, 0], [1, 0, 5, 2, 1.57]])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     nms_normal_bev(boxes, torch.tensor([0.8, 0.9]), 0.5)
    tensor([1])
    """
    _old("nms_normal_bev", "nms.nms")
    inds: torch.Tensor = nms(boxes[:, :4], scores, thresh)[1]
    return inds
