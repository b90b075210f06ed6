"""How much boxes overlap, seen from above."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
SIGNS = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
"""Corners of a box in half lengths and widths, against the clock."""


def corners(boxes: Array) -> Array:
    """(..., 4, 2) of boxes (..., 7), against the clock."""
    cos, sin = np.cos(boxes[..., 6, None]), np.sin(boxes[..., 6, None])
    along, across = np.moveaxis(SIGNS * boxes[..., None, 3:5] / 2, -1, 0)
    return np.stack(
        [
            boxes[..., 0, None] + along * cos - across * sin,
            boxes[..., 1, None] + along * sin + across * cos,
        ],
        -1,
    )


def cross(a: Array, b: Array) -> Array:
    made: Array = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return made


def inside(points: Array, polygon: Array) -> Array:
    """(..., P): which of the points (..., P, 2) lie in the box (..., 4, 2), border included."""
    edges = np.roll(polygon, -1, axis=-2) - polygon
    to_points = points[..., :, None, :] - polygon[..., None, :, :]
    sides = cross(edges[..., None, :, :], to_points)
    made: Array = np.all(sides >= -1e-9, axis=-1)
    return made


def crossings(first: Array, second: Array) -> tuple[Array, Array]:
    """(..., 16, 2) where edges of two boxes meet, and (..., 16) whether they do."""
    a, b = first[..., :, None, :], second[..., None, :, :]
    along_a = np.roll(first, -1, axis=-2)[..., :, None, :] - a
    along_b = np.roll(second, -1, axis=-2)[..., None, :, :] - b
    area = cross(along_a, along_b)
    parallel = np.abs(area) < 1e-12
    area = np.where(parallel, 1.0, area)
    on_a, on_b = cross(b - a, along_b) / area, cross(b - a, along_a) / area
    meet = ~parallel & (on_a >= 0) & (on_a <= 1) & (on_b >= 0) & (on_b <= 1)
    points = a + on_a[..., None] * along_a
    shape = points.shape[:-3]
    return points.reshape(*shape, 16, 2), meet.reshape(*shape, 16)


def intersection(first: Array, second: Array) -> Array:
    """The common area of pairs of boxes (..., 7).

    Its corners are the corners of each box inside of the other and the crossings of edges; in the
    order of their angle around their middle they are a polygon.
    """
    a, b = corners(first.astype(np.float64)), corners(second.astype(np.float64))
    met, meet = crossings(a, b)
    points = np.concatenate([a, b, met], -2)
    valid = np.concatenate([inside(a, b), inside(b, a), meet], -1)
    count = valid.sum(-1)
    middle = (points * valid[..., None]).sum(-2) / np.maximum(count, 1)[..., None]
    points = points - middle[..., None, :]
    angle = np.where(valid, np.arctan2(points[..., 1], points[..., 0]), np.inf)
    order = np.argsort(angle, -1)
    points = np.take_along_axis(points, order[..., None], -2)
    # Points that are no corners go where the first corner is, and add nothing to the area.
    kept = np.arange(points.shape[-2]) < count[..., None]
    points = np.where(kept[..., None], points, points[..., :1, :])
    area: Array = cross(points, np.roll(points, -1, axis=-2)).sum(-1) / 2
    return np.where(count > 2, area, 0.0)


def iou(first: Array, second: Array) -> Array:
    """(N, M): intersection over union of boxes (N, 7) and (M, 7)."""
    # Only pairs whose circles meet are worth the work.
    distance = np.hypot(*(first[:, None, :2] - second[None, :, :2]).transpose(2, 0, 1))
    radius = [np.hypot(boxes[:, 3], boxes[:, 4]) / 2 for boxes in (first, second)]
    i, j = np.nonzero(distance < radius[0][:, None] + radius[1])
    common = np.zeros(distance.shape)
    common[i, j] = intersection(first[i], second[j])
    areas = [boxes[:, 3].astype(np.float64) * boxes[:, 4] for boxes in (first, second)]
    made: Array = common / (areas[0][:, None] + areas[1] - common)
    return made


def suppress(boxes: Array, scores: Array, threshold: float) -> Array:
    """The rows that stay, best score first, if a better one hides what it overlaps by more."""
    order = np.argsort(-scores, kind="stable")
    overlaps = iou(boxes[order], boxes[order])
    alive = np.ones(len(order), bool)
    for row in range(len(order)):
        if alive[row]:
            alive[row + 1 :] &= overlaps[row, row + 1 :] <= threshold
    kept: Array = order[alive]
    return kept
