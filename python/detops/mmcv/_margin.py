"""Suppression as on the GPUs of the originals, whose corners count as inside a little outside.

For comparisons with results of theirs; detops itself computes the exact overlap.
"""

from __future__ import annotations

import torch

__all__ = ["nms_with_margin"]


def _turned(points: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """(..., 2) points turned from x to y."""
    cosine, sine = torch.cos(angle), torch.sin(angle)
    x, y = points.unbind(-1)
    return torch.stack((x * cosine - y * sine, x * sine + y * cosine), -1)


def _corners(boxes: torch.Tensor) -> torch.Tensor:
    """(N, 4, 2) of (N, 5: x, y, dx, dy, angle), in order."""
    signs = boxes.new_tensor([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    return boxes[:, None, :2] + _turned(signs * boxes[:, None, 2:4], boxes[:, 4:])


def _are_inside(points: torch.Tensor, boxes: torch.Tensor, margin: float) -> torch.Tensor:
    local = _turned(points - boxes[:, None, :2], -boxes[:, 4:])
    return (local.abs() < boxes[:, None, 2:4] / 2 + margin).all(-1)


def _crossings(first: torch.Tensor, second: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(N, 16, 2) points where edges of (N, 4, 2) corners meet, and whether they do."""
    begin, other = first[:, :, None], second[:, None, :]
    way, other_way = (each.roll(-1, 1) - each for each in (first, second))
    way, other_way = way[:, :, None], other_way[:, None, :]

    def cross(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]

    turn = cross(way, other_way)
    safe = torch.where(turn == 0, 1, turn)
    t, u = cross(other - begin, other_way) / safe, cross(other - begin, way) / safe
    meet = (turn != 0) & (t > 0) & (t < 1) & (u > 0) & (u < 1)
    return (begin + t[..., None] * way).flatten(1, 2), meet.flatten(1)


def _overlaps(box: torch.Tensor, others: torch.Tensor, margin: float) -> torch.Tensor:
    """(N,) areas that (5,) and (N, 5) boxes share, as the polygon of what is found on both."""
    one = box.expand_as(others)
    mine, theirs = _corners(one), _corners(others)
    met, do_meet = _crossings(mine, theirs)
    points = torch.cat((met, theirs, mine), 1)
    inside = (_are_inside(theirs, one, margin), _are_inside(mine, others, margin))
    found = torch.cat((do_meet, *inside), 1)
    points = torch.where(found[..., None], points, 0)
    points = points - points.sum(1, keepdim=True) / found.sum(1).clamp(min=1)[:, None, None]
    angle = torch.where(found, torch.atan2(points[..., 1], points[..., 0]), torch.inf)
    order = angle.argsort(1)
    points = points.gather(1, order[..., None].expand_as(points))
    # What was not found is put on the first point, where it encloses nothing.
    points = torch.where(found.gather(1, order)[..., None], points, points[:, :1])
    after = points.roll(-1, 1)
    cross = points[..., 0] * after[..., 1] - points[..., 1] * after[..., 0]
    return torch.where(found.any(1), cross.sum(1).abs() / 2, 0)


def nms_with_margin(
    boxes: torch.Tensor, scores: torch.Tensor, threshold: float, margin: float
) -> torch.Tensor:
    """Indices of the kept ones of (N, 5: x, y, dx, dy, angle), by descending score."""
    left = torch.sort(scores, descending=True, stable=True).indices
    numbers, kept = boxes.double(), []
    while left.numel() > 0:
        best, left = left[0], left[1:]
        kept.append(best)
        shared = _overlaps(numbers[best], numbers[left], margin)
        areas = numbers[left, 2] * numbers[left, 3] + numbers[best, 2] * numbers[best, 3]
        left = left[shared / (areas - shared).clamp(min=1e-8) <= threshold]
    return torch.stack(kept) if kept else left
