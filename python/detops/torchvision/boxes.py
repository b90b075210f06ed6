"""Boxes: ``torchvision.ops.boxes``."""

from __future__ import annotations

import math

import torch

from ..torch import box_iou_rotated, nms as _nms
from ..torch._sentences import TorchError, check_finite, check_tensors, refused_as, told_as
from ._box_convert import convert, is_rotated, is_upright, rotated_centres, upcast

__all__ = [
    "batched_nms",
    "box_area",
    "box_convert",
    "box_iou",
    "clip_boxes_to_image",
    "complete_box_iou",
    "distance_box_iou",
    "generalized_box_iou",
    "masks_to_boxes",
    "nms",
    "remove_small_boxes",
]

# ---- suppression ---------------------------------------------------------------------------------


def nms(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    """Indices of the boxes that no better box overlaps by more than ``iou_threshold``.

    Parameters
    ----------
    boxes : tensor (N, 4)
        (x1, y1, x2, y2)
    scores : tensor (N,)
        Of equal scores the lower index comes first.
    iou_threshold : float

    Returns
    -------
    int64 tensor (K,)
        By descending score.

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision import nms
    >>> boxes = torch.tensor([[0.0, 0, 10, 10], [3, 0, 13, 10], [6, 0, 16, 10]])
    >>> nms(boxes, torch.tensor([0.9, 0.8, 0.7]), 0.5)
    tensor([0, 2])
    """
    if torch.jit.is_scripting():  # type: ignore[attr-defined]
        kept: torch.Tensor = torch.ops.detops.nms(boxes, scores, iou_threshold)
        return kept
    check_tensors("nms", boxes=boxes, scores=scores)
    if boxes.is_quantized:
        boxes, scores = boxes.dequantize(), scores.dequantize()
    return refused_as(TorchError, _nms, boxes, scores, float(iou_threshold))


def batched_nms(
    boxes: torch.Tensor, scores: torch.Tensor, idxs: torch.Tensor, iou_threshold: float
) -> torch.Tensor:
    """:func:`nms` of each class by itself. Coordinates stay as they are, classes are compared.

    Parameters
    ----------
    boxes : tensor (N, 4)
        (x1, y1, x2, y2)
    scores : tensor (N,)
    idxs : tensor (N,)
        The class of each box.
    iou_threshold : float

    Returns
    -------
    int64 tensor (K,)
        By descending score.

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision import batched_nms
    >>> boxes = torch.tensor([[0.0, 0, 10, 10], [1, 0, 11, 10], [1, 0, 11, 10]])
    >>> scores, classes = torch.tensor([0.7, 0.8, 0.9]), torch.tensor([0, 0, 1])
    >>> batched_nms(boxes, scores, classes, 0.5)
    tensor([2, 1])
    """
    if boxes.numel() == 0:
        return torch.empty(0, dtype=torch.int64, device=boxes.device)
    if torch.jit.is_scripting():  # type: ignore[attr-defined]
        kept: torch.Tensor = torch.ops.detops.nms(boxes, scores, iou_threshold, idxs.to(torch.int64))
        return kept
    check_tensors("batched_nms", boxes=boxes, scores=scores, idxs=idxs)
    labels = idxs.to(torch.int64)
    arguments = (boxes, scores, float(iou_threshold))
    found: torch.Tensor = refused_as(
        TorchError, told_as, "batched_nms", {"labels": "idxs"}, _nms, *arguments, labels=labels
    )
    return found


def remove_small_boxes(boxes: torch.Tensor, min_size: float) -> torch.Tensor:
    """Indices of the boxes (x1, y1, x2, y2) both of whose sides are ``min_size`` or more.

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision import remove_small_boxes
    >>> remove_small_boxes(torch.tensor([[0.0, 0, 4, 1], [0, 0, 2, 2]]), 2.0)
    tensor([1])
    """
    sides = boxes[..., 2:] - boxes[..., :2]
    return torch.where((sides >= min_size).all(-1))[0]


# ---- formats -------------------------------------------------------------------------------------


def clip_boxes_to_image(boxes: torch.Tensor, size: tuple[int, int]) -> torch.Tensor:
    """Boxes (x1, y1, x2, y2) inside of an image of ``size`` (height, width).

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision import clip_boxes_to_image
    >>> clip_boxes_to_image(torch.tensor([[-1.0, 2, 30, 40]]), (20, 10))
    tensor([[ 0.,  2., 10., 20.]])
    """
    x = boxes[..., 0::2].clamp(min=0, max=size[1])
    y = boxes[..., 1::2].clamp(min=0, max=size[0])
    return torch.stack((x, y), -1).reshape(boxes.shape)


def box_convert(boxes: torch.Tensor, in_fmt: str, out_fmt: str) -> torch.Tensor:
    """Boxes of one format in another.

    Parameters
    ----------
    boxes : tensor (..., 4), (..., 5) or (..., 8)
    in_fmt, out_fmt : str
        "xyxy", "xywh" and "cxcywh", or "cxcywhr", "xywhr" and "xyxyxyxy". r are degrees, from x
        away from y; (x, y) of "xywhr" is the corner that is top left before turning.

    Returns
    -------
    tensor

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision import box_convert
    >>> box_convert(torch.tensor([[10.0, 15, 30, 35]]), "xyxy", "cxcywh")
    tensor([[20., 25., 20., 20.]])
    """
    upright = is_upright(in_fmt) and is_upright(out_fmt)
    rotated = is_rotated(in_fmt) and is_rotated(out_fmt)
    if not upright and not rotated:
        raise ValueError(
            f"box_convert: in_fmt is '{in_fmt}' and out_fmt '{out_fmt}', expected two of 'xyxy', "
            "'xywh', 'cxcywh', or two of 'cxcywhr', 'xywhr', 'xyxyxyxy'."
        )
    return boxes.clone() if in_fmt == out_fmt else convert(boxes, in_fmt, out_fmt)


def masks_to_boxes(masks: torch.Tensor) -> torch.Tensor:
    """(x1, y1, x2, y2) of the first and last columns and rows of (N, H, W) masks; 0 if empty.

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision import masks_to_boxes
    >>> mask = torch.zeros(1, 5, 6)
    >>> mask[0, 1:4, 2:5] = 1
    >>> masks_to_boxes(mask)
    tensor([[2., 1., 4., 3.]])
    """
    if masks.numel() == 0:
        return torch.zeros((0, 4), device=masks.device, dtype=torch.float)
    is_set = masks.bool()
    made = []
    for axis in (1, 2):  # Columns are left over first.
        lines = is_set.any(axis)
        places = torch.arange(lines.shape[1], device=masks.device)
        first = torch.where(lines, places, lines.shape[1]).amin(1)
        last = torch.where(lines, places, -1).amax(1)
        made.append(torch.stack((first, last), 1))
    (x1, x2), (y1, y2) = (pair.unbind(1) for pair in made)
    boxes = torch.stack((x1, y1, x2, y2), 1).float()
    return torch.where(is_set.flatten(1).any(1)[:, None], boxes, 0)


# ---- overlaps ------------------------------------------------------------------------------------


def box_area(boxes: torch.Tensor, fmt: str = "xyxy") -> torch.Tensor:
    """Width times height of boxes in format "xyxy", "xywh" or "cxcywh".

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision import box_area
    >>> box_area(torch.tensor([[0.0, 0, 4, 2]]))
    tensor([8.])
    """
    if not is_upright(fmt):
        raise ValueError(f"box_area: fmt is '{fmt}', expected 'xyxy', 'xywh' or 'cxcywh'.")
    boxes = upcast(boxes)
    sides = boxes[..., 2:] - boxes[..., :2] if fmt == "xyxy" else boxes[..., 2:]
    return sides[..., 0] * sides[..., 1]


# What follows is computed in double from the given numbers and rounded once, to the type of these two.


def _type_of_result(boxes1: torch.Tensor, boxes2: torch.Tensor) -> torch.dtype:
    """The wider one, at least float; torch's own for integers."""
    some = torch.cat((upcast(boxes1).reshape(-1)[:1], upcast(boxes2).reshape(-1)[:1]))
    return (some / 1).dtype


def _corners(boxes: torch.Tensor, fmt: str) -> torch.Tensor:
    boxes = boxes.double()
    return boxes if fmt == "xyxy" else convert(boxes, fmt, "xyxy")


def _product_of_sides(sides: torch.Tensor) -> torch.Tensor:
    """0 where a side is negative."""
    sides = sides.clamp(min=0)
    return sides[..., 0] * sides[..., 1]


def _shared_and_together(
    boxes1: torch.Tensor, boxes2: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Of corners, (..., N, M) areas."""
    first, second = boxes1[..., :, None, :], boxes2[..., None, :, :]
    low, high = torch.max(first[..., :2], second[..., :2]), torch.min(first[..., 2:], second[..., 2:])
    shared = _product_of_sides(high - low)
    area1 = _product_of_sides(first[..., 2:] - first[..., :2])
    area2 = _product_of_sides(second[..., 2:] - second[..., :2])
    return shared, area1 + area2 - shared


def _ratio(part: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
    """0 where there is no whole, and no NaN in gradients either."""
    there = whole > 0
    return torch.where(there, part / torch.where(there, whole, torch.ones_like(whole)), 0.0)


def _hull_sides(boxes1: torch.Tensor, boxes2: torch.Tensor) -> torch.Tensor:
    """(..., N, M, 2): of the smallest upright box around both."""
    first, second = boxes1[..., :, None, :], boxes2[..., None, :, :]
    low, high = torch.min(first[..., :2], second[..., :2]), torch.max(first[..., 2:], second[..., 2:])
    return (high - low).clamp(min=0)


def _iou(boxes1: torch.Tensor, boxes2: torch.Tensor) -> torch.Tensor:
    shared, together = _shared_and_together(boxes1, boxes2)
    return _ratio(shared, together)


def box_iou(boxes1: torch.Tensor, boxes2: torch.Tensor, fmt: str = "xyxy") -> torch.Tensor:
    """IoU of all pairs of boxes; boxes without area overlap nothing.

    Parameters
    ----------
    boxes1, boxes2 : tensors (..., N, K) and (..., M, K)
        Rotated ones are (N, K) and (M, K).
    fmt : str
        "xyxy", "xywh" and "cxcywh", differentiable; or "cxcywhr", "xywhr" and "xyxyxyxy" as in
        :func:`box_convert`, of float or double, with a result of float and without gradients.

    Returns
    -------
    tensor (..., N, M)

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision import box_iou
    >>> box_iou(torch.tensor([[0.0, 0, 10, 10]]), torch.tensor([[0.0, 0, 10, 20], [5, 5, 5, 5]]))
    tensor([[0.5000, 0.0000]])
    >>> turned = torch.tensor([[0.0, 0, 4, 2, 0], [0, 0, 4, 2, 90]])
    >>> box_iou(turned[:1], turned, fmt="cxcywhr")
    tensor([[1.0000, 0.3333]])
    """
    if is_upright(fmt):
        if not torch.jit.is_scripting():  # type: ignore[attr-defined]
            check_finite("box_iou", boxes1=boxes1, boxes2=boxes2)
        dtype = _type_of_result(boxes1, boxes2)
        return _iou(_corners(boxes1, fmt), _corners(boxes2, fmt)).to(dtype)
    if not is_rotated(fmt):
        raise ValueError(
            f"box_iou: Unsupported format fmt='{fmt}', expected 'xyxy', 'xywh', 'cxcywh', "
            "'cxcywhr', 'xywhr' or 'xyxyxyxy'."
        )
    if boxes1.dtype != boxes2.dtype or boxes1.dtype not in (torch.float32, torch.float64):
        raise ValueError(
            f"box_iou: boxes1 has type {boxes1.dtype} and boxes2 {boxes2.dtype}, expected float32 or "
            "float64 for both."
        )
    first, second = in_radians(boxes1, fmt), in_radians(boxes2, fmt)
    if torch.jit.is_scripting():  # type: ignore[attr-defined]
        made: torch.Tensor = torch.ops.detops.box_iou_rotated(first, second)
        return made.float()
    names = {"bboxes1": "boxes1", "bboxes2": "boxes2"}
    return told_as("box_iou", names, box_iou_rotated, first, second).float()


def in_radians(boxes: torch.Tensor, fmt: str) -> torch.Tensor:
    """(x, y, w, h, angle from x to y) in double."""
    centres = rotated_centres(boxes.detach().double(), fmt)
    return torch.cat((centres[..., :4], torch.deg2rad(-centres[..., 4:])), -1)


def generalized_box_iou(boxes1: torch.Tensor, boxes2: torch.Tensor) -> torch.Tensor:
    """IoU of all pairs, minus the share of the box around both that neither fills.

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision import generalized_box_iou
    >>> generalized_box_iou(torch.tensor([[0.0, 0, 1, 1]]), torch.tensor([[2.0, 0, 3, 1]]))
    tensor([[-0.3333]])
    """
    if not torch.jit.is_scripting():  # type: ignore[attr-defined]
        check_finite("generalized_box_iou", boxes1=boxes1, boxes2=boxes2)
    dtype = _type_of_result(boxes1, boxes2)
    boxes1, boxes2 = boxes1.double(), boxes2.double()
    shared, together = _shared_and_together(boxes1, boxes2)
    hull = _product_of_sides(_hull_sides(boxes1, boxes2))
    return (_ratio(shared, together) - _ratio(hull - together, hull)).to(dtype)


def distance_box_iou(
    boxes1: torch.Tensor, boxes2: torch.Tensor, eps: float = 1e-7
) -> torch.Tensor:
    """IoU of all pairs, minus the squared distance of the centres over that of the hull's corners.

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision import distance_box_iou
    >>> distance_box_iou(torch.tensor([[0.0, 0, 1, 1]]), torch.tensor([[2.0, 0, 3, 1]]))
    tensor([[-0.4000]])
    """
    if not torch.jit.is_scripting():  # type: ignore[attr-defined]
        check_finite("distance_box_iou", boxes1=boxes1, boxes2=boxes2)
    dtype = _type_of_result(boxes1, boxes2)
    return _distance_iou(boxes1.double(), boxes2.double(), eps).to(dtype)


def _distance_iou(boxes1: torch.Tensor, boxes2: torch.Tensor, eps: float) -> torch.Tensor:
    diagonal = _hull_sides(boxes1, boxes2).square().sum(-1) + eps
    centre1 = (boxes1[..., :2] + boxes1[..., 2:]) / 2
    centre2 = (boxes2[..., :2] + boxes2[..., 2:]) / 2
    way = (centre1[..., :, None, :] - centre2[..., None, :, :]).square().sum(-1)
    return _iou(boxes1, boxes2) - _ratio(way, diagonal)


def _turn_of_diagonal(boxes: torch.Tensor) -> torch.Tensor:
    """The arc tangent of width / height, also where the height is 0."""
    return torch.atan2(boxes[..., 2] - boxes[..., 0], boxes[..., 3] - boxes[..., 1])


def complete_box_iou(
    boxes1: torch.Tensor, boxes2: torch.Tensor, eps: float = 1e-7
) -> torch.Tensor:
    """:func:`distance_box_iou`, minus a term for boxes of another shape.

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision import complete_box_iou
    >>> complete_box_iou(torch.tensor([[0.0, 0, 1, 1]]), torch.tensor([[2.0, 0, 3, 1]]))
    tensor([[-0.4000]])
    """
    if not torch.jit.is_scripting():  # type: ignore[attr-defined]
        check_finite("complete_box_iou", boxes1=boxes1, boxes2=boxes2)
    dtype = _type_of_result(boxes1, boxes2)
    boxes1, boxes2 = boxes1.double(), boxes2.double()
    turn1, turn2 = _turn_of_diagonal(boxes1), _turn_of_diagonal(boxes2)
    v = (2 / math.pi * (turn1[..., :, None] - turn2[..., None, :])).square()
    with torch.no_grad():
        alpha = v / (1 - _iou(boxes1, boxes2) + v + eps)
    return (_distance_iou(boxes1, boxes2, eps) - alpha * v).to(dtype)
