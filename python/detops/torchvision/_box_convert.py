"""Formats of boxes, in the Python that TorchScript knows.

Angles are degrees, and turn from x away from y: anticlockwise on a screen whose y points down.
"""

from __future__ import annotations

import math

import torch

__all__ = ["convert", "is_rotated", "is_upright", "rotated_centres", "upcast"]


def upcast(numbers: torch.Tensor) -> torch.Tensor:
    """In a type whose products do not overflow: float or double, int32 or int64."""
    dtype = numbers.dtype
    if numbers.is_floating_point():
        return numbers if dtype == torch.float32 or dtype == torch.float64 else numbers.float()
    return numbers if dtype == torch.int32 or dtype == torch.int64 else numbers.int()


def is_upright(fmt: str) -> bool:
    return fmt == "xyxy" or fmt == "xywh" or fmt == "cxcywh"


def is_rotated(fmt: str) -> bool:
    return fmt == "cxcywhr" or fmt == "xywhr" or fmt == "xyxyxyxy"


def convert(boxes: torch.Tensor, in_fmt: str, out_fmt: str) -> torch.Tensor:
    """Between two different formats that are both upright or both rotated."""
    if is_upright(in_fmt):
        return _from_corners(_to_corners(boxes, in_fmt), out_fmt)
    made = _from_centres(rotated_centres(boxes, in_fmt), out_fmt)
    if boxes.is_floating_point():
        return made.to(boxes.dtype)
    return made.round().to(boxes.dtype)


def _to_corners(boxes: torch.Tensor, fmt: str) -> torch.Tensor:
    if fmt == "xyxy":
        return boxes
    first, sides = boxes[..., :2], boxes[..., 2:]
    if fmt == "cxcywh":
        first = first - 0.5 * sides
    return torch.cat((first, first + sides), -1)


def _from_corners(boxes: torch.Tensor, fmt: str) -> torch.Tensor:
    if fmt == "xyxy":
        return boxes
    first, last = boxes[..., :2], boxes[..., 2:]
    return torch.cat(((first + last) / 2 if fmt == "cxcywh" else first, last - first), -1)


def _half_diagonal(boxes: torch.Tensor) -> torch.Tensor:
    """From the corner that is top left before turning to the centre, of (x, y, w, h, degrees)."""
    radians = boxes[..., 4] * (math.pi / 180)
    cosine, sine = torch.cos(radians), torch.sin(radians)
    w, h = boxes[..., 2] / 2, boxes[..., 3] / 2
    return torch.stack((w * cosine + h * sine, h * cosine - w * sine), -1)


def rotated_centres(boxes: torch.Tensor, fmt: str) -> torch.Tensor:
    """(centre x, centre y, w, h, degrees)"""
    if fmt == "cxcywhr":
        return boxes
    if fmt == "xyxyxyxy":
        along, across = boxes[..., 2:4] - boxes[..., 0:2], boxes[..., 4:6] - boxes[..., 2:4]
        degrees = torch.atan2(-along[..., 1], along[..., 0]) * (180 / math.pi)
        w = torch.hypot(along[..., 0], along[..., 1])
        h = torch.hypot(across[..., 0], across[..., 1])
        boxes = torch.cat((boxes[..., 0:2], torch.stack((w, h, degrees), -1)), -1)
    return torch.cat((boxes[..., :2] + _half_diagonal(boxes), boxes[..., 2:]), -1)


def _from_centres(boxes: torch.Tensor, fmt: str) -> torch.Tensor:
    if fmt == "cxcywhr":
        return boxes
    corner = boxes[..., :2] - _half_diagonal(boxes)
    if fmt == "xywhr":
        return torch.cat((corner, boxes[..., 2:]), -1)
    radians = boxes[..., 4] * (math.pi / 180)
    cosine, sine = torch.cos(radians), torch.sin(radians)
    w, h = boxes[..., 2], boxes[..., 3]
    along = torch.stack((w * cosine, -w * sine), -1)
    across = torch.stack((h * sine, h * cosine), -1)
    return torch.cat((corner, corner + along, corner + along + across, corner + across), -1)
