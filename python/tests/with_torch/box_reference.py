"""Functions on boxes of mmcv's compiled module by another geometry, that of shapely, and plain loops."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import torch

shapely: Any = importlib.import_module("shapely")
Array = np.ndarray[Any, Any]

NAMES = ("box_iou_rotated", "nms", "nms_rotated", "points_in_boxes_all_forward", "points_in_boxes_part_forward")


def _polygons(boxes: torch.Tensor) -> Any:
    """Of (x, y, w, h, angle)."""
    numbers = boxes.detach().double().numpy()
    cos, sin = np.cos(numbers[:, 4]), np.sin(numbers[:, 4])
    along = np.stack([cos, sin], 1) * numbers[:, 2:3] / 2
    across = np.stack([-sin, cos], 1) * numbers[:, 3:4] / 2
    signs = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    return shapely.polygons(np.stack([numbers[:, :2] + a * along + b * across for a, b in signs], 1))


def _overlaps(first: Any, second: Any, of_first: bool = False) -> Array:
    shared: Array = shapely.area(shapely.intersection(first, second))
    whole = shapely.area(first) + (0 if of_first else shapely.area(second) - shared)
    return np.divide(shared, whole, out=np.zeros_like(shared), where=whole > 0)


def box_iou_rotated(
    bboxes1: torch.Tensor, bboxes2: torch.Tensor, ious: torch.Tensor, mode_flag: int, aligned: bool
) -> None:
    first, second = _polygons(bboxes1), _polygons(bboxes2)
    made = _overlaps(first if aligned else first[:, None], second, of_first=mode_flag == 1)
    ious.copy_(torch.from_numpy(made).reshape(ious.shape))


def _suppress(scores: torch.Tensor, falls: Array) -> torch.Tensor:
    kept: list[int] = []
    for row in torch.sort(scores, descending=True, stable=True).indices.tolist():
        if not falls[kept, row].any():
            kept.append(row)
    return torch.tensor(kept, dtype=torch.int64)


def nms_rotated(
    dets: torch.Tensor,
    scores: torch.Tensor,
    order: torch.Tensor,
    dets_sorted: torch.Tensor,
    labels: torch.Tensor,
    iou_threshold: float,
    multi_label: bool,
) -> torch.Tensor:
    polygons = _polygons(dets)
    return _suppress(scores, _overlaps(polygons[:, None], polygons) > iou_threshold)


def nms(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float, offset: int) -> torch.Tensor:
    numbers = boxes.double().numpy()
    polygons = shapely.box(*numbers[:, :2].T, *(numbers[:, 2:] + offset).T)
    return _suppress(scores, _overlaps(polygons[:, None], polygons) > iou_threshold)


def _inside(boxes: torch.Tensor, points: torch.Tensor) -> Array:
    """(M, T): boxes are (x, y, bottom, dx, dy, dz, angle)."""
    box, away = boxes.double().numpy(), points.double().numpy()[:, None] - boxes.double().numpy()[:, :3]
    cos, sin = np.cos(box[:, 6]), np.sin(box[:, 6])
    x, y = away[..., 0] * cos + away[..., 1] * sin, away[..., 1] * cos - away[..., 0] * sin
    inside: Array = (np.abs(x) < box[:, 3] / 2) & (np.abs(y) < box[:, 4] / 2)
    return inside & (away[..., 2] >= 0) & (away[..., 2] <= box[:, 5])


def points_in_boxes_all_forward(boxes: torch.Tensor, points: torch.Tensor, found: torch.Tensor) -> None:
    for row, some, them in zip(found, boxes, points, strict=True):
        row.copy_(torch.from_numpy(_inside(some, them).astype(np.int32)))


def points_in_boxes_part_forward(boxes: torch.Tensor, points: torch.Tensor, found: torch.Tensor) -> None:
    for row, some, them in zip(found, boxes, points, strict=True):
        inside = _inside(some, them)
        row.copy_(torch.from_numpy(np.where(inside.any(1), inside.argmax(1), -1).astype(np.int32)))
