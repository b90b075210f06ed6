"""spconv.utils on boxes: arrays of corners, (N, 4, 2), or of (x1, y1, x2, y2, ...)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from .. import box_iou_quadri

__all__ = [
    "non_max_suppression_cpu",
    "rbbox_intersection",
    "rbbox_iou",
    "rbbox_iou_loss",
    "rotate_non_max_suppression_cpu",
]

Array = np.ndarray[Any, Any]


def _corners(argument: str, boxes: Array) -> Array:
    if boxes.ndim != 3 or boxes.shape[1:] != (4, 2):
        raise ValueError(f"{argument} has shape {boxes.shape}, expected (N, 4, 2).")
    return np.ascontiguousarray(boxes).reshape(-1, 8)


def _overlaps(
    box_corners: Array, qbox_corners: Array, mode: Literal["iou", "iof"], aligned: bool = False
) -> Array:
    boxes, others = _corners("box_corners", box_corners), _corners("qbox_corners", qbox_corners)
    made: Array = box_iou_quadri(boxes, others.astype(boxes.dtype), mode=mode, aligned=aligned)
    return made


def _areas(corners: Array) -> Array:
    """Of quadrilaterals, by their diagonals."""
    one, other = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    areas: Array = np.abs(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]) / 2
    return areas


def _where_near(overlaps: Array, standup_iou: Array, standup_thresh: float) -> Array:
    if standup_iou.shape != overlaps.shape:
        raise ValueError(f"standup_iou has shape {standup_iou.shape}, expected {overlaps.shape}.")
    return overlaps * (standup_iou > standup_thresh)


def rbbox_iou(
    box_corners: Array, qbox_corners: Array, standup_iou: Array, standup_thresh: float
) -> Array:
    """IoU of boxes by their corners, (N, K); 0 where ``standup_iou`` is not above the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> square = np.array([[[0.0, 0], [0, 2], [2, 2], [2, 0]]])
    >>> rbbox_iou(square, square + [1, 0], np.ones((1, 1)), 0.0).round(4)
    array([[0.3333]])
    """
    return _where_near(_overlaps(box_corners, qbox_corners, "iou"), standup_iou, standup_thresh)


def rbbox_intersection(
    box_corners: Array, qbox_corners: Array, standup_iou: Array, standup_thresh: float
) -> Array:
    """The areas that boxes share, (N, K), likewise."""
    shared = _overlaps(box_corners, qbox_corners, "iof") * _areas(box_corners)[:, None]
    return _where_near(shared, standup_iou, standup_thresh)


def rbbox_iou_loss(box_corners: Array, qbox_corners: Array) -> Array:
    """IoU of each box with the other of its row, (N,)."""
    return _overlaps(box_corners, qbox_corners, "iou", aligned=True)


def _kept(boxes: Array, order: Array, loses_to: Callable[[int], Array]) -> list[int]:
    """The boxes of ``order`` that none of those kept before suppresses."""
    is_lost = np.zeros(len(boxes), np.bool_)
    kept = []
    for box in map(int, order):
        if not is_lost[box]:
            kept.append(box)
            is_lost |= loses_to(box)
    return kept


def non_max_suppression_cpu(
    boxes: Array, order: Array, thresh: float, eps: float = 0.0
) -> list[int]:
    """Indices of the boxes that stay, looked at in ``order``; an IoU of ``thresh`` suppresses.

    ``eps`` is added to all sides.
    """
    ends = boxes[:, 2:4] + np.asarray(eps, boxes.dtype)
    areas = (ends - boxes[:, :2]).prod(axis=1)

    def loses_to(box: int) -> Array:
        sides = np.minimum(ends[box], ends) - np.maximum(boxes[box, :2], boxes[:, :2])
        meets = (sides > 0).all(axis=1)
        shared = sides.prod(axis=1)
        lost: Array = meets & (shared / np.where(meets, areas[box] + areas - shared, 1) >= thresh)
        return lost

    return _kept(boxes, order, loses_to)


def rotate_non_max_suppression_cpu(
    box_corners: Array, order: Array, standup_iou: Array, thresh: float
) -> list[int]:
    """The same for boxes by their corners; those whose ``standup_iou`` is 0 do not meet."""
    overlaps = rbbox_iou(box_corners, box_corners, standup_iou, 0.0)
    lost = (overlaps >= thresh) & (overlaps > 0)
    return _kept(box_corners, order, lambda box: lost[box])
