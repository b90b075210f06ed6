"""What must hold for overlaps under any name: laws, types, NaN, and the errors of the originals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops
import detops.torch
import detops.detectron2 as detectron2
import detops.mmcv as mmcv
import detops.torchvision as vision
import numpy as np
import torch
from box_calls import boxes_in_space, rotated_boxes, upright_boxes
from detops.openpcdet import iou3d_nms_utils, points_in_boxes_cpu, points_in_boxes_gpu
from detops.torchvision import _registry

UPRIGHT = [vision.box_iou, vision.generalized_box_iou, vision.distance_box_iou, vision.complete_box_iou]
TYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def in_space(count: int) -> torch.Tensor:
    """Far from 0, slim and small ones among them."""
    random = np.random.default_rng(2)
    boxes = boxes_in_space(random, count)
    boxes[:, 3:6] *= torch.from_numpy(10.0 ** random.uniform(-3, 2, size=(count, 3)))
    boxes[:, :3] += torch.from_numpy(10.0 ** random.uniform(-2, 4, size=(count, 3)))
    return boxes


# ---- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES)
def test_diff_iou_3d(dtype: torch.dtype) -> None:
    first = in_space(2000).to(dtype)
    second = first + torch.from_numpy(np.random.default_rng(3).normal(0, 0.2, size=(2000, 7))).to(dtype)
    for boxes in (first, second):  # Some lose their bodies by rounding.
        boxes[:, 3:6] = boxes[:, 3:6].abs()
    a, b = first.reshape(4, 500, 7), second.reshape(4, 500, 7)
    has_body = (a[..., 3:6] > 0).all(-1)
    assert torch.equal(mmcv.diff_iou_rotated_3d(a, a), has_body.to(dtype))
    ious = mmcv.diff_iou_rotated_3d(a, b)
    assert torch.equal(ious, mmcv.diff_iou_rotated_3d(b, a))
    assert 0 == ious.min() and 0.5 < ious.max() <= 1
    pairs = iou3d_nms_utils.boxes_iou3d_gpu(first[:50], second[:50])
    assert torch.equal(pairs.diagonal(), ious.flatten()[:50])


@pytest.mark.parametrize("function", UPRIGHT)
@pytest.mark.parametrize("dtype", TYPES)
def test_upright_of_torchvision(function: Callable[..., torch.Tensor], dtype: torch.dtype) -> None:
    """One rounding of what is true of the numbers, which a double calculation gives."""
    boxes = (upright_boxes(np.random.default_rng(1), 60) * 3).to(dtype)
    boxes[:20] += 2000  # Half and bfloat16 are coarse there: some have no area.
    made = function(boxes, boxes)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    assert made.dtype == wide and torch.equal(made, made.T) and made.max() <= 1
    assert torch.equal(made, function(boxes.double(), boxes.double()).to(wide))
    sides = boxes[:, 2:] - boxes[:, :2]
    has_area = (sides > 0).all(1)
    if function is not vision.complete_box_iou:
        assert (made.diagonal()[has_area] == 1).all()
    if function is vision.box_iou:
        exact = detops.torch.bbox_overlaps(boxes.double(), boxes.double()).to(wide)
        assert torch.equal(made, exact)


@pytest.mark.parametrize("function", UPRIGHT)
def test_integers_and_large_boxes_of_torchvision(function: Callable[..., torch.Tensor]) -> None:
    small = torch.tensor([[-100, -100, 100, 100], [-120, 0, 120, 100]])
    for dtype in (torch.int8, torch.int16, torch.int32, torch.int64):
        assert torch.equal(function(small.to(dtype), small.to(dtype)), function(small.float(), small.float()))
    large = torch.tensor([[0.0, 0, 1e20, 1e20], [0, 0, 1e-20, 1e-20], [70000, 0, 140001, 70000]])
    assert function(large, large).diagonal().tolist() == [1, 1, 1] or function is not vision.box_iou
    assert function(large, large).isfinite().all()


def test_half_boxes_that_a_subtraction_would_round() -> None:
    boxes = torch.tensor([[-1000.0, -1000, 0.0625, 1], [-1000, -1000, 0.3125, 1]], dtype=torch.half)
    assert vision.box_iou(boxes[:1], boxes[1:]).item() == np.float32(1000.0625 / 1000.3125)
    centred = torch.tensor([[2048.0, 0, 3, 2], [2048, 0, 1, 2]], dtype=torch.half)
    assert vision.box_iou(centred[:1], centred[1:], "cxcywh").item() == np.float32(1 / 3)


def test_corners_of_mmcv_are_not_rounded() -> None:
    """Sides of boxes (x1, y1, x2, y2, angle) that float would round by a quarter."""
    corners = torch.tensor([[-1.0, 0, 2**24 + 2, 1, 0], [0, 0, 2**24 + 2, 1, 0]])
    with pytest.warns(DeprecationWarning):
        iou = mmcv.boxes_iou_bev(corners[:1], corners[1:])
    assert iou.item() == np.float32((2**24 + 2) / (2**24 + 3)) and iou.dtype == torch.float32
    exact = torch.tensor([[0.0, 0, 10, 10, 0], [0, 0, 10, 7, 0]])
    for threshold, kept in ((0.7, [0, 1]), (np.nextafter(0.7, 0), [0])):
        with pytest.warns(DeprecationWarning):
            assert mmcv.nms_bev(exact, torch.tensor([0.9, 0.8]), threshold).tolist() == kept


# ---- NaN -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", UPRIGHT)
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nan_of_torchvision(function: Callable[..., torch.Tensor], value: float) -> None:
    boxes = torch.tensor([[0.0, 0, 1, 1], [0, 0, value, 1]])
    with pytest.raises(ValueError, match=rf"{function.__name__}: boxes2\[1, 2\] is {value}"):
        function(boxes[:1], boxes)
    with detops.value_checks(False):
        assert vision.box_iou(boxes, boxes).tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize("column", range(7))
def test_nan_in_space(column: int) -> None:
    boxes = torch.ones(1, 2, 7)
    boxes[0, 1, column] = float("nan")
    points = torch.ones(1, 3, 3)
    for function in (
        mmcv.points_in_boxes_part,
        mmcv.points_in_boxes_all,
        mmcv.points_in_boxes_cpu,
        points_in_boxes_gpu,
    ):
        with pytest.raises(ValueError, match=rf"{function.__name__}: boxes\[0, 1, {column}\] is nan"):
            function(points, boxes)
    with pytest.raises(ValueError, match=rf"points_in_boxes_cpu: boxes\[1, {column}\] is nan"):
        points_in_boxes_cpu(points[0], boxes[0])
    with pytest.raises(ValueError, match="is nan"):
        mmcv.diff_iou_rotated_3d(boxes, boxes.nan_to_num())


# ---- errors of the originals ---------------------------------------------------------------------


def test_errors_are_also_those_of_the_originals() -> None:
    boxes, scores = torch.ones(3, 4), torch.ones(3)
    for kind in (ValueError, AssertionError):
        with pytest.raises(kind, match=r"nms_match: dets has shape \[3, 4\]"):
            mmcv.nms_match(boxes, 0.5)
        with pytest.raises(kind, match=r"nms_gpu: boxes has shape \[3, 4\], expected \(N, 7\)"):
            iou3d_nms_utils.nms_gpu(boxes, scores, 0.5)
        with pytest.raises(kind, match="paired_boxes_iou3d_gpu: boxes_a has 3 rows and boxes_b 2"):
            iou3d_nms_utils.paired_boxes_iou3d_gpu(torch.ones(3, 7), torch.ones(2, 7))
    for kind in (ValueError, RuntimeError):
        for wrong in ((scores, scores), (boxes, boxes), (boxes[:, :3], scores), (boxes, scores[:2])):
            with pytest.raises(kind, match="nms: "):
                vision.nms(*wrong, 0.5)
            with pytest.raises(kind, match="batched_nms: "):
                vision.batched_nms(*wrong, torch.zeros(3), 0.5)


def test_soft_nms_of_classes() -> None:
    """One call of the original gives the best box of all whatever its score is, but no other."""
    boxes = torch.tensor([[0.0, 0, 9, 9], [20, 0, 29, 9], [40, 0, 49, 9], [40, 0, 49, 9]])
    scores, classes = torch.tensor([0.3, 0.2, 0.6, 0.4]), torch.tensor([0, 1, 2, 2])
    for least, expected in ((0.25, [2, 0]), (0.7, [2]), (0.1, [2, 0, 1])):
        config = {"type": "soft_nms", "iou_threshold": 0.5, "min_score": least}
        assert mmcv.batched_nms(boxes, scores, classes, config)[1].tolist() == expected


# ---- detectron2, and torchvision's operators -----------------------------------------------------


def test_rotated_boxes_of_detectron2() -> None:
    boxes = rotated_boxes(np.random.default_rng(5), 60).float()
    degrees = boxes * torch.tensor([1, 1, 1, 1, -180 / np.pi])
    ious = detectron2.pairwise_iou_rotated(degrees, degrees)
    torch.testing.assert_close(ious, mmcv.box_iou_rotated(boxes, boxes), rtol=1e-5, atol=1e-6)
    assert (ious.diagonal() == 1).all() and ious.dtype == torch.float32
    scores = torch.rand(60, generator=torch.Generator().manual_seed(1))
    assert torch.equal(detectron2.nms_rotated(degrees, scores, 0.3), mmcv.nms_rotated(boxes, scores, 0.3)[1])
    classes = torch.arange(60) % 3
    kept = detectron2.batched_nms_rotated(degrees, scores, classes, 0.3)
    rows = [torch.nonzero(classes == each).squeeze(1) for each in range(3)]
    one = [row[detectron2.nms_rotated(degrees[row], scores[row], 0.3)] for row in rows]
    assert sorted(kept.tolist()) == sorted(torch.cat(one).tolist())
    assert scores[kept].diff().le(0).all()
    none = detectron2.batched_nms_rotated(degrees[:0], scores[:0], classes[:0], 0.3)
    assert none.shape == (0,) and none.dtype == torch.int64
    # Detectron2's issue 1207: mirrored boxes overlap, these do not.
    pair = torch.tensor([[160.0, 153, 230, 23, -37], [190, 127, 80, 21, -46]])
    assert detectron2.pairwise_iou_rotated(pair[:1], pair[1:]).item() == 0
    pair[:, 4] *= -1
    assert detectron2.pairwise_iou_rotated(pair[:1], pair[1:]).item() == pytest.approx(0.265492889, abs=1e-6)
    with pytest.raises(AssertionError, match=r"nms_rotated: boxes has shape \[60, 4\], expected \(N, 5\)"):
        detectron2.nms_rotated(degrees[:, :4], scores, 0.3)


def test_operators_of_torchvision() -> None:
    theirs: Any = torch.ops.torchvision
    if hasattr(theirs, "nms"):
        pytest.skip("torchvision is here")
    _registry.register()
    try:
        boxes = upright_boxes(np.random.default_rng(1), 40)
        scores = torch.rand(40, generator=torch.Generator().manual_seed(1))
        assert torch.equal(theirs.nms(boxes, scores, 0.3), vision.nms(boxes, scores, 0.3))
        turned = torch.tensor([[0.0, 0, 4, 2, 0], [0, 0, 4, 2, 90]])
        assert theirs.box_iou_rotated(turned, turned)[0].tolist() == pytest.approx([1, 1 / 3])
    finally:
        _registry.unregister()
