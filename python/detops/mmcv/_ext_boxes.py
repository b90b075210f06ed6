"""Functions of mmcv's compiled module on boxes, with their names and arguments."""

from __future__ import annotations

from collections.abc import Callable

import torch

from .. import torch as ops
from .._types import OverlapMode, SoftMethod
from ..torch._boxes_in_space import suppress
from .nms import nms_match as _groups

__all__ = [
    "bbox_overlaps",
    "box_iou_quadri",
    "box_iou_rotated",
    "convex_giou",
    "convex_iou",
    "iou3d_boxes_overlap_bev_forward",
    "iou3d_nms3d_forward",
    "iou3d_nms3d_normal_forward",
    "min_area_polygons",
    "nms",
    "nms_match",
    "nms_quadri",
    "nms_rotated",
    "points_in_polygons_forward",
    "softnms",
]

_MODES: tuple[OverlapMode, OverlapMode] = ("iou", "iof")
_METHODS: tuple[SoftMethod, ...] = ("naive", "linear", "gaussian")

# ---- suppression ---------------------------------------------------------------------------------


def nms(
    boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float, offset: int
) -> torch.Tensor:
    return ops.nms(boxes, scores, iou_threshold, offset=float(offset))


def softnms(
    boxes: torch.Tensor,
    scores: torch.Tensor,
    dets: torch.Tensor,
    iou_threshold: float,
    sigma: float,
    min_score: float,
    method: int,
    offset: int,
) -> torch.Tensor:
    words = (iou_threshold, sigma, min_score)
    made = ops.soft_nms(boxes, scores, *words, method=_METHODS[method], offset=float(offset))
    rows = dets[: len(made.indices)]
    rows[:, :4], rows[:, 4] = boxes[made.indices], made.new_scores
    return made.indices


def nms_match(dets: torch.Tensor, iou_threshold: float) -> list[list[int]]:
    return [group.tolist() for group in _groups(dets, iou_threshold)]


def nms_rotated(
    dets: torch.Tensor,
    scores: torch.Tensor,
    order: torch.Tensor,
    dets_sorted: torch.Tensor,
    labels: torch.Tensor,
    iou_threshold: float,
    multi_label: bool,
) -> torch.Tensor:
    """Labels, which may be a column of the boxes too, are not used."""
    return ops.nms(dets[:, :5], scores, float(iou_threshold), box_format="cxcywha")


def nms_quadri(
    dets: torch.Tensor,
    scores: torch.Tensor,
    order: torch.Tensor,
    dets_sorted: torch.Tensor,
    iou_threshold: float,
    multi_label: bool,
) -> torch.Tensor:
    return ops.nms(dets[:, :8], scores, float(iou_threshold), box_format="quad")


def _from_above(upright: bool) -> Callable[..., None]:
    def suppress_them(
        boxes: torch.Tensor, keep: torch.Tensor, num_out: torch.Tensor, nms_overlap_thresh: float
    ) -> None:
        """Boxes are in the order of their scores."""
        made = suppress("nms3d", boxes, None, nms_overlap_thresh, upright=upright)
        keep[: len(made)] = made
        num_out.fill_(len(made))

    return suppress_them


iou3d_nms3d_forward = _from_above(upright=False)
iou3d_nms3d_normal_forward = _from_above(upright=True)

# ---- overlaps ------------------------------------------------------------------------------------


def _pairs(function: Callable[..., torch.Tensor]) -> Callable[..., None]:
    def fill(
        bboxes1: torch.Tensor,
        bboxes2: torch.Tensor,
        ious: torch.Tensor,
        mode_flag: int,
        aligned: bool,
    ) -> None:
        made = function(bboxes1, bboxes2, mode=_MODES[mode_flag], aligned=bool(aligned))
        ious.copy_(made.reshape(ious.shape))

    return fill


box_iou_rotated = _pairs(ops.box_iou_rotated)
box_iou_quadri = _pairs(ops.box_iou_quadri)


def bbox_overlaps(
    bboxes1: torch.Tensor,
    bboxes2: torch.Tensor,
    ious: torch.Tensor,
    mode: int,
    aligned: bool,
    offset: int,
) -> None:
    words = {"aligned": bool(aligned), "offset": int(offset)}
    ious.copy_(ops.bbox_overlaps(bboxes1, bboxes2, mode=_MODES[mode], **words))  # type: ignore[arg-type]


def _into_last(function: Callable[..., torch.Tensor]) -> Callable[..., None]:
    def fill(*tensors: torch.Tensor) -> None:
        *given, result = tensors
        result.copy_(function(*given))

    return fill


iou3d_boxes_overlap_bev_forward = _into_last(ops.boxes_overlap_bev)
convex_iou = _into_last(ops.convex_iou)
min_area_polygons = _into_last(ops.min_area_polygons)
points_in_polygons_forward = _into_last(ops.points_in_polygons)


def convex_giou(pointsets: torch.Tensor, polygons: torch.Tensor, output: torch.Tensor) -> None:
    """(N, 19): the gradient, then the value."""
    gious, grad = ops.convex_giou(pointsets, polygons)
    output[:, :-1], output[:, -1] = grad, gious
