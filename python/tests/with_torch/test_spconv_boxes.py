"""spconv.utils on boxes, beside overlaps worked out by hand and a loop as spconv has it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("detops.torch", exc_type=ImportError)

from detops.spconv import utils  # noqa: E402

SQUARE = np.array([[-1.0, -1], [-1, 1], [1, 1], [1, -1]])
ROOT = np.sqrt(2)
DIAMOND = np.array([[-ROOT, 0], [0, ROOT], [ROOT, 0], [0, -ROOT]])  # The square turned by 45 degrees.
OCTAGON = 8 * (ROOT - 1)  # What they share.


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("around", [1, -1])
def test_overlaps_of_corners(kind: Any, around: int) -> None:
    boxes = np.stack([SQUARE, SQUARE + [9, 0]]).astype(kind)
    others = np.stack([DIAMOND, SQUARE + [0.5, 0], SQUARE])[:, ::around].astype(kind)
    near = np.array([[0.5, 0.2, 0.1], [0, 0, 0]], kind)
    shared = utils.rbbox_intersection(boxes, others, near, 0.1)
    assert shared.dtype == kind
    assert shared == pytest.approx(np.array([[OCTAGON, 3, 0], [0, 0, 0]]), rel=1e-6)
    overlaps = utils.rbbox_iou(boxes, others, near, 0.0)
    first = [OCTAGON / (8 - OCTAGON), 3 / 5, 1]
    assert overlaps == pytest.approx(np.array([first, [0, 0, 0]]), rel=1e-6)
    in_rows = utils.rbbox_iou_loss(boxes[[0, 0, 1]], others)
    assert in_rows.shape == (3,) and in_rows == pytest.approx([*first[:2], 0], rel=1e-6)


def slow_suppression(boxes: Any, order: Any, thresh: float, eps: float) -> list[int]:
    areas = (boxes[:, 2] - boxes[:, 0] + eps) * (boxes[:, 3] - boxes[:, 1] + eps)
    suppressed, keep = set[int](), []
    for place, i in enumerate(order):
        if i in suppressed:
            continue
        keep.append(int(i))
        for j in order[place + 1 :]:
            w = min(boxes[i, 2], boxes[j, 2]) - max(boxes[i, 0], boxes[j, 0]) + eps
            h = min(boxes[i, 3], boxes[j, 3]) - max(boxes[i, 1], boxes[j, 1]) + eps
            if w > 0 and h > 0 and w * h / (areas[i] + areas[j] - w * h) >= thresh:
                suppressed.add(j)
    return keep


@pytest.mark.parametrize("eps", [0.0, 1.0])
@pytest.mark.parametrize("thresh", [0.0, 0.25, 0.5, 1.0])
def test_suppression(thresh: float, eps: float) -> None:
    random = np.random.default_rng(3)
    corners = random.integers(0, 12, (60, 2)).astype(float)
    boxes = np.hstack([corners, corners + random.integers(1, 6, (60, 2)), random.random((60, 1))])
    order = boxes[:, 4].argsort()[::-1].astype(np.int32)
    kept = utils.non_max_suppression_cpu(boxes, order, thresh, eps)
    assert kept == slow_suppression(boxes, order, thresh, eps) and all(type(i) is int for i in kept)
    if eps == 0:  # Upright boxes by their corners.
        x1, y1, x2, y2 = boxes[:, :4].T
        by_corners = np.stack([x1, y1, x1, y2, x2, y2, x2, y1], 1).reshape(-1, 4, 2)
        overlaps = utils.rbbox_iou(by_corners, by_corners, np.ones((60, 60)), 0.0)
        assert utils.rotate_non_max_suppression_cpu(by_corners, order, overlaps, thresh) == kept
        # Boxes that do not meet by the caller's matrix do not lose to each other.
        everything = utils.rotate_non_max_suppression_cpu(by_corners, order, np.zeros((60, 60)), thresh)
        assert everything == order.tolist()
