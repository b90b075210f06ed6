"""Boxes on NumPy arrays: what must hold for every type, and worked examples."""

from __future__ import annotations

import math
from typing import Any

import detops
import numpy as np
import pytest

FLOATS = ["float16", "float32", "float64"]
CHAIN = np.array([[0, 0, 10, 10], [3, 0, 13, 10], [6, 0, 16, 10]], np.float32)


def rotated(*rows: Any) -> Any:
    return np.array(rows, np.float32)


# ---- overlaps ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "iou", "iof"),
    [
        ([0, 0, 2, 2, 0], [0, 0, 2, 2, math.pi / 4], 0.707106781, 0.828427125),
        ([0, 0, 4, 2, 0], [0, 0, 4, 2, math.pi / 2], 1 / 3, 1 / 2),
        ([0, 0, 4, 2, 0], [2, 1, 4, 2, 0], 1 / 7, 1 / 4),
        ([0, 0, 5, 10, math.pi / 6], [0, 0, 10, 5, math.pi / 3], 0.405827424, 0.577350274),
        ([10, 10, 6, 4, 0.5], [11, 9, 5, 3, -0.7], 0.325161713, 0.398734568),
        ([0, 0, 2, 2, 0], [2, 0, 2, 2, 0], 0, 0),
        ([0, 0, 0, 2, 0], [0, 0, 2, 2, 0], 0, 0),
        ([0, 0, -2, -2, 0], [0, 0, 2, 2, 0], 0, 0),
    ],
)
def test_rotated(first: Any, second: Any, iou: float, iof: float) -> None:
    boxes = rotated(first), rotated(second)
    assert detops.box_iou_rotated(*boxes)[0, 0] == pytest.approx(iou, abs=1.2e-7)
    assert detops.box_iou_rotated(*boxes, mode="iof")[0, 0] == pytest.approx(iof, abs=1.2e-7)


def test_rotated_gradient() -> None:
    first, second = np.array([[0, 0, 4.0, 2, 0]]), np.array([[1, 0.5, 4, 2, 0.5]])
    iou = detops.box_iou_rotated(first, second)
    grad, other = detops.box_iou_rotated_backward(np.ones((1, 1)), first, second)
    shared = iou * 16 / (1 + iou)
    assert shared[0, 0] == pytest.approx(4.8575399, abs=1e-7)
    slopes = []
    for place in range(5):
        step = np.zeros((1, 5))
        step[0, place] = 1e-6
        ends = [detops.box_iou_rotated(first + sign * step, second) for sign in (1, -1)]
        slopes.append(((ends[0] - ends[1]) / 2e-6).item())
    np.testing.assert_allclose(grad[0], slopes, atol=1e-8)
    # Moving one is moving the other back.
    np.testing.assert_allclose(other[0, :2], -grad[0, :2], atol=1e-12)


def test_gradient_of_the_area() -> None:
    """Fact 56."""
    first, second = np.array([[0, 0, 4.0, 2, 0]]), np.array([[1, 0.5, 4, 2, 0.5]])
    grad, _ = detops.box_iou_rotated_backward(np.ones((1, 1)), first, second, mode="overlap")
    np.testing.assert_allclose(grad[0], [1.093191, 1.370954, 0.546596, 1.485109, 1.537545], atol=1e-6)


@pytest.mark.parametrize("z_origin", ["center", "bottom"])
def test_gradient_in_space(z_origin: Any) -> None:
    boxes = np.array([[0, 0, 0, 4.0, 2, 2, 0.3]]), np.array([[0.5, 0.25, 0.4, 4.2, 1.9, 1.8, 0.35]])
    made = detops.boxes_iou3d_backward(np.ones(1), *boxes, aligned=True, z_origin=z_origin)
    for mine in (0, 1):
        for place in range(7):
            step = np.zeros((1, 7))
            step[0, place] = 1e-6
            ends = [
                detops.boxes_iou3d(*(box + sign * step * (box is boxes[mine]) for box in boxes), z_origin=z_origin)
                for sign in (1, -1)
            ]
            slope = ((ends[0] - ends[1]) / 2e-6).item()
            assert made[mine][0, place] == pytest.approx(slope, abs=1e-8), (mine, place)


def test_equal_boxes_overlap_by_one() -> None:
    """Where mmcv says 0.333, -1.2e7 or 1.0000001."""
    random = np.random.default_rng(1)
    boxes = random.uniform(-10, 10, size=(500, 5)).astype(np.float32)
    boxes[:, 2:4] = 10.0 ** random.uniform(-5, 5, size=(500, 2))
    assert (detops.box_iou_rotated(boxes, boxes, aligned=True) == 1).all()
    ious = detops.box_iou_rotated(boxes, boxes)
    np.testing.assert_array_equal(ious, ious.T)
    assert ious.min() >= 0 and ious.max() == 1


def test_nearly_equal_boxes() -> None:
    """mmcv: 0.60."""
    turn = math.radians(115.11834717)
    first = rotated([2563.74462890625, 1436.7901611328125, 2174.703369140625, 214.09500122070312, turn])
    turn = math.radians(115.1183548)
    second = rotated([2563.74462890625, 1436.790283203125, 2174.702880859375, 214.09495544433594, turn])
    assert detops.box_iou_rotated(first, second)[0, 0] == pytest.approx(0.9999985, abs=1e-6)


def test_upright() -> None:
    first, second = rotated([0, 0, 10, 10]), rotated([0, 0, 10, 20], [20, 20, 30, 30], [5, 5, 5, 5])
    assert detops.bbox_overlaps(first, second).tolist() == [[0.5, 0, 0]]
    assert detops.bbox_overlaps(first, second, mode="iof").tolist() == [[1, 0, 0]]
    pixels = rotated([0, 0, 9, 9]), rotated([5, 0, 14, 9])
    assert detops.bbox_overlaps(*pixels, offset=1)[0, 0] == np.float32(1 / 3)
    assert detops.bbox_overlaps(*pixels)[0, 0] == np.float32(2 / 7)
    point = rotated([3, 1, 3, 1])
    assert detops.bbox_overlaps(point, point, offset=1).tolist() == [[1]]
    assert detops.bbox_overlaps(point, point).tolist() == [[0]]


def test_in_space() -> None:
    first, second = rotated([0, 0, 0, 4, 2, 1.5, 0]), rotated([0, 0, 0.5, 4, 2, 1.5, math.pi / 2])
    assert detops.boxes_overlap_bev(first, second)[0, 0] == pytest.approx(4, abs=1e-6)
    assert detops.boxes_iou_bev(first, second)[0, 0] == pytest.approx(1 / 3, abs=1e-7)
    assert detops.boxes_iou3d(first, second)[0, 0] == pytest.approx(1 / 5, abs=1e-7)
    first, second = rotated([0, 0, 0, 2, 2, 2, 0]), rotated([0, 0, 1, 2, 2, 4, 0])
    assert detops.boxes_iou3d(first, second).tolist() == [[0.5]]
    assert detops.boxes_iou3d(first, second, z_origin="bottom")[0, 0] == np.float32(0.2)
    flat = first[:, [0, 1, 3, 4, 6]], second[:, [0, 1, 3, 4, 6]]
    assert detops.boxes_iou_bev(*flat).tolist() == [[1]]


def test_small_boxes_from_above() -> None:
    """Where a margin of a centimetre says 3."""
    first, second = rotated([0, 0, 0, 0.01, 0.01, 1, 0]), rotated([0.005, 0, 0, 0.01, 0.01, 1, 0])
    assert detops.boxes_iou_bev(first, second)[0, 0] == pytest.approx(1 / 3, abs=1e-7)


def test_quadrilaterals() -> None:
    leaning, upright = rotated([0, 0, 4, 0, 6, 2, 2, 2]), rotated([0, 0, 4, 0, 4, 2, 0, 2])
    assert detops.box_iou_quadri(leaning, upright)[0, 0] == np.float32(0.6)  # mmcv: 1
    backwards = upright.reshape(4, 2)[::-1].reshape(1, 8)
    assert detops.box_iou_quadri(leaning, backwards)[0, 0] == np.float32(0.6)


@pytest.mark.parametrize(
    ("function", "columns"),
    [
        ("bbox_overlaps", 4),
        ("box_iou_rotated", 5),
        ("box_iou_quadri", 8),
        ("boxes_overlap_bev", 7),
        ("boxes_iou_bev", 7),
        ("boxes_iou3d", 7),
    ],
)
def test_no_boxes(function: str, columns: int) -> None:
    none, some = np.zeros((0, columns), np.float32), np.ones((3, columns), np.float32)
    call = getattr(detops, function)
    for first, second in ((none, some), (some, none), (none, none)):
        assert call(first, second).shape == (len(first), len(second))
    assert call(none, none, aligned=True).shape == (0,)
    with pytest.raises(ValueError, match=f"{function}: "):
        call(none, some, aligned=True)
    with pytest.raises(ValueError, match=f"{function}: "):
        call(some[:, 1:], some[:, 1:])


@pytest.mark.parametrize("dtype", FLOATS)
def test_types_of_overlaps(dtype: str) -> None:
    boxes = np.array([[0, 0, 4, 2, 0], [1, 0, 4, 2, 0]], dtype)
    made = detops.box_iou_rotated(boxes, boxes)
    assert made.dtype == dtype and made[0, 1] == np.array(0.6, dtype)
    out = np.empty((2, 2), dtype)
    assert detops.box_iou_rotated(boxes, boxes, out=out) is out


# ---- suppression ---------------------------------------------------------------------------------


def test_chain() -> None:
    """The third overlaps the second, which falls before."""
    scores = np.array([0.9, 0.8, 0.7], np.float32)
    kept = detops.nms(CHAIN, scores, 0.5)
    assert kept.tolist() == [0, 2] and kept.dtype == np.int64
    assert detops.nms(CHAIN, -scores, 0.5).tolist() == [2, 0]
    assert detops.nms(CHAIN, None, 0.5).tolist() == [0, 2]
    assert detops.nms(CHAIN, scores, 0.5, pre_max=2).tolist() == [0]
    assert detops.nms(CHAIN, scores, 0.5, post_max=1).tolist() == [0]
    assert detops.nms(CHAIN, scores, 0.5, labels=np.array([0, 1, 0])).tolist() == [0, 1, 2]
    out = np.full(3, -7)
    assert detops.nms(CHAIN, scores, 0.5, out=out).tolist() == [0, 2] and out.tolist() == [0, 2, -7]


def test_ties_are_of_the_lower_index() -> None:
    boxes = np.repeat(CHAIN[:1], 3, 0)
    assert detops.nms(boxes, np.full(3, 0.5), 0.5).tolist() == [0]
    assert detops.nms(boxes, np.full(3, 0.5), 1.0).tolist() == [0, 1, 2]


def test_a_threshold_of_zero_keeps_what_touches() -> None:
    boxes = np.array([[0, 0, 1, 1], [1, 0, 2, 1], [0.5, 0, 1.5, 1]], np.float32)
    assert detops.nms(boxes, np.array([0.9, 0.8, 0.7]), 0.0).tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [*FLOATS, "bfloat16"])
def test_infinite_scores_are_numbers(dtype: str) -> None:
    kind: Any = np.dtype(dtype) if dtype != "bfloat16" else None
    if kind is None:
        kind = pytest.importorskip("ml_dtypes").bfloat16
    boxes = np.arange(5)[:, None] * np.full(4, 20) + np.array([0, 0, 10, 10])
    scores = np.array([-np.inf, 0.5, np.inf, 0.0, -0.0]).astype(kind)
    assert detops.nms(boxes.astype(np.float32), scores, 0.5).tolist() == [2, 1, 3, 4, 0]
    match = detops.nms_match(boxes.astype(np.float32), scores, 0.5)
    assert match.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("method", ["naive", "linear", "gaussian"])
def test_infinite_scores_lose_nothing(method: Any, dtype: str) -> None:
    """Unless nothing is left of them; what -Inf is multiplied with, it is below any score."""
    boxes = np.array([[0, 0, 10, 10], [0, 0, 10, 5], [0, 0, 10, 10], [20, 0, 30, 10]], dtype)
    scores = np.array([np.inf, np.inf, -np.inf, 0.5], dtype)
    made = detops.soft_nms(boxes, scores, method=method)
    expected = [0, 3] if method == "naive" else [0, 1, 3]
    assert made.indices.tolist() == expected and made.new_scores.tolist() == scores[expected].tolist()
    twice = detops.soft_nms(boxes[[0, 2]], scores[:2], method=method)
    assert twice.indices.tolist() == ([0, 1] if method == "gaussian" else [0])
    lost = detops.soft_nms(boxes[:2], np.full(2, -np.inf, dtype), method=method)
    assert lost.indices.tolist() == [0] and lost.new_scores.tolist() == [-np.inf]
    with pytest.raises(ValueError, match=r"soft_nms: scores\[1\] is nan"):
        detops.soft_nms(boxes[:2], np.array([np.inf, np.nan], dtype), method=method)
    with pytest.raises(ValueError, match=r"soft_nms: boxes\[0, 0\] is nan"):
        detops.soft_nms(boxes[:2] * np.nan, scores[:2], method=method)


@pytest.mark.parametrize(("height", "threshold"), [(7, 0.7), (6, 0.6), (1, 0.1)])
def test_thresholds_are_double(height: float, threshold: float) -> None:
    """An IoU of 7 / 10 is above 0.7 rounded to float, one of 6 / 10 below 0.6."""
    boxes = np.array([[0, 0, 10, 10], [0, 0, 10, height]], np.float32)
    scores = np.array([0.9, 0.8])
    for value in (threshold, np.nextafter(threshold, 1)):
        assert detops.nms(boxes, scores, value).tolist() == [0, 1]
    below = np.nextafter(threshold, 0)
    assert detops.nms(boxes, scores, below).tolist() == [0]
    for value, head in ((below, 0), (threshold, 0), (np.nextafter(threshold, 1), 1)):
        assert detops.nms_match(boxes, scores, value).tolist() == [0, head]
        soft = detops.soft_nms(boxes, scores, value, method="naive")
        assert len(soft.indices) == head + 1


@pytest.mark.parametrize("place", ["boxes", "scores"])
def test_nan_is_refused(place: str) -> None:
    boxes, scores = CHAIN.copy(), np.array([np.inf, 0.8, 0.7], np.float32)
    (boxes if place == "boxes" else scores)[1] = np.nan
    with pytest.raises(ValueError, match=rf"nms: {place}\[1.*\] is nan"):
        detops.nms(boxes, scores, 0.5)
    with pytest.raises(ValueError, match="nms: iou_threshold is nan"):
        detops.nms(CHAIN, np.ones(3), np.nan)


def test_classes_with_negative_coordinates() -> None:
    """Where classes are told apart by shifted coordinates, these suppress each other."""
    boxes = np.array([[-100, -100, -90, -90], [-111, -111, -101, -101]], np.float32)
    boxes = np.vstack([boxes, boxes[:1]])
    kept = detops.batched_nms(boxes, np.array([0.9, 0.8, 0.7]), np.array([0, 1, 1]), 0.5)
    assert kept.tolist() == [0, 1, 2]
    wide = np.array([0, 2**40, 2**40])
    assert detops.batched_nms(boxes, np.array([0.9, 0.8, 0.7]), wide, 0.5).tolist() == [0, 1, 2]
    same = np.zeros(3, np.int32)
    assert detops.batched_nms(boxes, np.array([0.9, 0.8, 0.7]), same, 0.5).tolist() == [0, 1]


def test_half_precision_does_not_overflow() -> None:
    """Class times coordinate would be infinite."""
    boxes = np.array([[0, 0, 1000, 1000], [1, 1, 1001, 1001]], np.float16)
    labels = np.array([100, 100])
    assert detops.batched_nms(boxes, np.array([0.9, 0.8], np.float16), labels, 0.5).tolist() == [0]


def test_rotated_boxes_and_labels() -> None:
    boxes = rotated([6, 3, 8, 7, 0.5], [3, 6, 9, 11, 0.6], [3, 7, 10, 12, 0.3], [1, 4, 13, 7, 0.6])
    scores, labels = np.array([0.7, 0.8, 0.5, 0.9]), np.array([1, 0, 1, 0])
    assert detops.nms_rotated(boxes, scores, 0.5).tolist() == [3, 1, 0]
    assert detops.nms_rotated(boxes, scores, 0.5, labels).tolist() == [3, 1, 0, 2]
    mirrored = boxes * np.array([1, 1, 1, 1, -1], np.float32)
    assert detops.nms_rotated(mirrored, scores, 0.5, clockwise=False).tolist() == [3, 1, 0]
    assert boxes[0, 4] == np.float32(0.5)


def test_formats_of_one_list() -> None:
    random = np.random.default_rng(3)
    corners = random.uniform(0, 10, size=(60, 2))
    sides = random.uniform(2, 8, size=(60, 2))
    scores, nothing = random.random(60), np.zeros((60, 1))
    centres = corners + sides / 2
    right = np.stack([corners[:, 0] + sides[:, 0], corners[:, 1]], 1)
    left = np.stack([corners[:, 0], corners[:, 1] + sides[:, 1]], 1)
    lists: dict[Any, Any] = {
        "xyxy": np.hstack([corners, corners + sides]),
        "cxcywh": np.hstack([centres, sides]),
        "cxcywha": np.hstack([centres, sides, nothing]),
        "quad": np.hstack([corners, right, corners + sides, left]),
        "bev": np.hstack([centres, nothing, sides, nothing, nothing]),
        "bev_upright": np.hstack([centres, nothing, sides, nothing, nothing + 0.3]),
    }
    kept = [detops.nms(boxes, scores, 0.4, box_format=name).tolist() for name, boxes in lists.items()]
    assert all(one == kept[0] for one in kept) and 5 < len(kept[0]) < 50


@pytest.mark.parametrize(
    ("method", "indices", "left"),
    [
        ("naive", [0, 2], [0.9, 0.7]),
        ("linear", [0, 2, 1, 3], [0.9, 0.7, 0.1333333, 0.0335664]),
        ("gaussian", [0, 2, 1, 3], [0.9, 0.7, 0.1994818, 0.0603105]),
    ],
)
def test_soft(method: Any, indices: list[int], left: list[float]) -> None:
    boxes = np.array([[0, 0, 10, 10], [0, 0, 10, 12], [20, 0, 30, 10], [1, 0, 11, 10]], np.float32)
    made = detops.soft_nms(boxes, np.array([0.9, 0.8, 0.7, 0.6], np.float32), method=method)
    assert made.indices.tolist() == indices and made.indices.dtype == np.int64
    np.testing.assert_allclose(made.new_scores, left, atol=1e-7)
    assert made.new_scores.dtype == np.float32


def test_match() -> None:
    """A box falls at the threshold itself."""
    boxes = np.array([[0, 0, 10, 10], [20, 0, 30, 10], [0, 0, 10, 20]], np.float32)
    assert detops.nms_match(boxes, np.array([0.8, 0.7, 0.9]), 0.5).tolist() == [2, 1, 2]
    assert detops.nms(boxes, np.array([0.8, 0.7, 0.9]), 0.5).tolist() == [2, 0, 1]


@pytest.mark.parametrize("name", ["nms", "soft_nms", "nms_match"])
def test_nothing_to_suppress(name: str) -> None:
    boxes, scores = np.zeros((0, 4), np.float32), np.zeros(0, np.float32)
    made = getattr(detops, name)(boxes, scores, 0.5)
    first = made[0] if name == "soft_nms" else made
    assert first.shape == (0,) and first.dtype == np.int64
    with pytest.raises(ValueError, match=f"{name}: scores has "):
        getattr(detops, name)(boxes, np.zeros(2, np.float32), 0.5)


def test_quadrilaterals_with_their_scores() -> None:
    """Fact 50: ascending indices, whatever the scores are."""
    squares = [(0, 4, 0.9), (1, 5, 0.8), (10, 12, 0.7), (0, 4, 0.9)]
    quads = np.array([[a, a, b, a, b, b, a, b, score] for a, b, score in squares], np.float32)
    assert detops.poly_nms(quads, 0.3).tolist() == [0, 2]
    assert detops.poly_nms(quads, 0.4).tolist() == [0, 1, 2]
    quads[:, 8] *= -1
    assert detops.poly_nms(quads, 0.4).tolist() == [0, 1, 2]
    assert detops.poly_nms(quads[:0], 0.4).shape == (0,)
    with pytest.raises(ValueError, match=r"poly_nms: boxes has shape \[4, 8\], expected \(N, 9\)"):
        detops.poly_nms(quads[:, :8], 0.4)


# ---- points --------------------------------------------------------------------------------------

POINTS = np.array([[1, 1, 2, 2, 1, 2, 2, 1, 1, 3, 3, 1, 2, 3, 3, 2, 1.5, 1.5]])


def square(low: float, high: float) -> Any:
    return np.array([[low, low, high, low, high, high, low, high]], np.float64)


def test_hulls() -> None:
    quads = np.vstack([square(1, 3), square(1, 2), square(0, 4)])
    np.testing.assert_allclose(detops.convex_iou(POINTS, quads), [[7 / 8, 2 / 7, 7 / 32]])
    gious, grad = detops.convex_giou(np.repeat(POINTS + 0.5, 3, 0), quads)
    np.testing.assert_allclose(gious, [59 / 154, -31 / 340, 7 / 32])
    assert grad.shape == (3, 18) and not grad[:, 16:].any()  # A point inside.


def test_points_that_are_all_the_same() -> None:
    """Where the originals read past their arrays."""
    same, line = np.ones((1, 18)), np.repeat(np.arange(9.0), 2)[None]
    for points in (same, line):
        assert detops.convex_iou(points, square(1, 3)).tolist() == [[0]]
        quad = detops.min_area_polygons(points).reshape(4, 2)
        assert np.ptp(quad, 0).max() == pytest.approx(8 if points is line else 0)


def test_rectangle() -> None:
    np.testing.assert_allclose(
        np.sort(detops.min_area_polygons(POINTS).reshape(4, 2), 0), [[1, 1], [1, 1], [3, 3], [3, 3]]
    )


def test_points_in_polygons() -> None:
    """The boundary is outside, all of it."""
    quad = np.array([[0.0, 0, 4, 0, 4, 2, 0, 2]])
    points = [[1, 1], [5, 1], [-1, 2], [-1, 0], [0, 1], [4, 1], [2, 0], [2, 2], [0, 0]]
    made = detops.points_in_polygons(np.array(points, float), quad)
    assert made.ravel().tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("dtype", FLOATS)
def test_points_in_boxes(dtype: str) -> None:
    """Fact 54; boxes without width hold nothing, those without height what lies in their plane."""
    box = [[0, 0, 0, 4, 2, 2, math.pi / 2]]
    points = [[0, 1.9, 0], [1.9, 0, 0], [0.99, 0, 1], [1.005, 0, 0], [0, 0, -1], [0, 0, 1.5], [0, np.nan, 0]]
    made = detops.points_in_boxes(np.array([points], dtype), np.array([box], dtype))
    assert made.tolist() == [[0, -1, 0, -1, 0, -1, -1]] and made.dtype == np.int32
    flat = np.array([[[0, 0, 0, 0, 2, 2, 0], [0, 0, 0, 2, 2, -1, 0], [0, 0, 1, 2, 2, 0, 0]]], dtype)
    assert detops.points_in_boxes(np.array([[[0, 0, 0], [0, 0, 1]]], dtype), flat).tolist() == [[-1, 2]]
    with pytest.raises(ValueError, match=r"points_in_boxes: boxes\[0, 0, 3\] is nan"):
        detops.points_in_boxes(np.zeros((1, 1, 3), dtype), np.full((1, 1, 7), [0, 0, 0, np.nan, 1, 1, 0], dtype))
