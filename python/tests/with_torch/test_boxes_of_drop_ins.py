"""Boxes under the names of mmcv, OpenPCDet and torchvision."""

from __future__ import annotations

import math
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.mmcv as mmcv
import detops.mmcv.iou3d
import detops.torch
import detops.torchvision as vision
import numpy as np
import torch
from box_calls import boxes_in_space, quads_of, rotated_boxes, upright_boxes
from detops.openpcdet import iou3d_nms_cuda, iou3d_nms_utils

SEVEN = torch.tensor([
    [49.1, 32.4, 51.0, 35.9], [49.3, 32.9, 51.0, 35.3], [49.2, 31.8, 51.0, 35.4],
    [35.1, 11.5, 39.1, 15.7], [35.6, 11.8, 39.3, 14.2], [35.3, 11.5, 39.9, 14.5],
    [35.2, 11.7, 39.7, 15.7],
])  # fmt: skip
SCORES = torch.tensor([0.9, 0.9, 0.5, 0.5, 0.5, 0.4, 0.3])

# ---- mmcv ----------------------------------------------------------------------------------------


def test_nms_of_mmcv() -> None:
    dets, inds = mmcv.nms(SEVEN, SCORES, 0.6)
    assert inds.tolist() == [0, 3, 4] and inds.dtype == torch.int64
    assert torch.equal(dets, torch.cat((SEVEN[inds], SCORES[inds, None]), 1))
    arrays = mmcv.nms(SEVEN.numpy(), SCORES.numpy(), 0.6)
    assert isinstance(arrays[0], np.ndarray) and arrays[1].tolist() == [0, 3, 4]
    assert mmcv.nms(SEVEN, SCORES, 0.6, max_num=2)[1].tolist() == [0, 3]
    assert mmcv.nms(SEVEN, SCORES, 0.6, score_threshold=0.5)[1].tolist() == [0]
    assert mmcv.nms(SEVEN.flip(0), SCORES.flip(0), 0.6, score_threshold=0.45)[1].tolist() == [5, 2, 3]
    with pytest.warns(DeprecationWarning, match="iou_thr"):
        assert mmcv.nms(SEVEN, SCORES, iou_thr=0.6)[1].tolist() == [0, 3, 4]
    dets, inds = mmcv.nms(SEVEN[:0], SCORES[:0], 0.6)
    assert dets.shape == (0, 5) and inds.shape == (0,)


def test_nms_of_mmcv_in_mixed_types() -> None:
    dets, inds = mmcv.nms(SEVEN.half(), SCORES, 0.6)
    assert inds.tolist() == [0, 3, 4] and dets.dtype == torch.float32
    with pytest.raises(ValueError, match="nms: boxes is a list, expected a tensor"):
        mmcv.nms(SEVEN.tolist(), SCORES, 0.6)


def test_soft_nms_of_mmcv() -> None:
    boxes = np.array([[4, 3, 5, 3], [4, 3, 5, 4], *[[3, 1, 3, 1]] * 4], np.float32)
    scores = np.array([0.9, 0.9, 0.5, 0.5, 0.4, 0.0], np.float32)
    dets, inds = mmcv.soft_nms(boxes, scores, 0.6)
    assert inds.tolist() == [0, 1, 2, 3, 4] and isinstance(dets, np.ndarray)
    np.testing.assert_array_equal(dets[:, 4], scores[:5])
    assert mmcv.soft_nms(boxes, scores, 0.6, offset=1)[1].tolist() == [0, 1, 2]
    made = mmcv.soft_nms(boxes, scores, 0.6, 0.5, method="gaussian", offset=1)[0][:, 4]
    np.testing.assert_allclose(made, [0.9, 0.5458776, 0.5, 0.0676676, 0.0073263], atol=1e-7)


def test_nms_match_of_mmcv() -> None:
    dets = torch.tensor([
        [0, 0, 10, 10, 0.7], [20, 0, 30, 10, 0.9], [0, 0, 10, 20, 0.8], [0, 0, 10, 11, 0.75],
    ])  # fmt: skip
    groups = mmcv.nms_match(dets, 0.5)
    assert [group.tolist() for group in groups] == [[1], [2, 3, 0]]
    arrays = mmcv.nms_match(dets.numpy(), 0.5)
    assert [group.tolist() for group in arrays] == [[1], [2, 3, 0]] and arrays[0].dtype == np.int64
    assert mmcv.nms_match(dets[:0], 0.5) == []


BOXES = torch.tensor([
    [6.0, 3, 8, 7, 0.5], [3, 6, 9, 11, 0.6], [3, 7, 10, 12, 0.3], [1, 4, 13, 7, 0.6],
])  # fmt: skip
OF_BOXES = torch.tensor([0.7, 0.8, 0.5, 0.9])


def test_nms_rotated_of_mmcv() -> None:
    """Labels are not looked at, as there; without boxes there are no indices."""
    dets, inds = mmcv.nms_rotated(BOXES, OF_BOXES, 0.5)
    assert inds.tolist() == [3, 1, 0] and dets.shape == (3, 6)
    labels = torch.tensor([1, 0, 1, 0])
    assert mmcv.nms_rotated(BOXES, OF_BOXES, 0.5, labels)[1].tolist() == [3, 1, 0]
    mirrored = BOXES * torch.tensor([1, 1, 1, 1, -1])
    dets, inds = mmcv.nms_rotated(mirrored, OF_BOXES, 0.5, clockwise=False)
    assert inds.tolist() == [3, 1, 0] and torch.equal(dets[:, :5], mirrored[inds])
    assert mmcv.nms_rotated(BOXES[:0], OF_BOXES[:0], 0.5)[1] is None
    dets, inds = mmcv.nms_quadri(quads_of(BOXES), OF_BOXES, 0.5)
    assert inds.tolist() == [3, 1, 0] and dets.shape == (3, 9)
    assert mmcv.nms_quadri(quads_of(BOXES[:0]), OF_BOXES[:0], 0.5)[1] is None


@pytest.mark.parametrize("kind", ["nms", "nms_rotated", "nms_quadri", "soft_nms", "function"])
@pytest.mark.parametrize("agnostic", [False, True])
def test_batched_nms_of_mmcv(kind: str, agnostic: bool) -> None:
    """As a loop over the classes."""
    random = np.random.default_rng(5)
    boxes = rotated_boxes(random, 60) if kind == "nms_rotated" else upright_boxes(random, 60)
    boxes = quads_of(rotated_boxes(random, 60)) if kind == "nms_quadri" else boxes - 5
    scores = torch.from_numpy(random.permutation(60) / 60)
    classes = torch.zeros(60) if agnostic else torch.from_numpy(random.integers(0, 3, 60))
    one: Any = mmcv.nms if kind == "function" else getattr(mmcv, kind)
    expected = []
    for each in classes.unique():
        rows = torch.nonzero(classes == each).squeeze(1)
        dets, inds = one(boxes[rows], scores[rows], iou_threshold=0.3)
        expected += list(zip(dets[:, -1].tolist(), rows[inds].tolist(), strict=True))
    expected.sort(key=lambda pair: (-pair[0], pair[1]))
    config: dict[str, Any] = {"type": (lambda *a, **k: one(*a, **k)) if kind == "function" else kind}
    config["iou_threshold"] = 0.3
    for split in (10, 10000):
        cut = {**config, "split_thr": split, "class_agnostic": agnostic, "max_num": 9}
        dets, keep = mmcv.batched_nms(boxes, scores, classes, cut)
        assert keep.tolist() == [index for _, index in expected[:9]]
        assert torch.equal(dets[:, :-1], boxes[keep])
        assert dets[:, -1].tolist() == [score for score, _ in expected[:9]]


def test_batched_nms_without_suppression() -> None:
    dets, keep = mmcv.batched_nms(SEVEN, SCORES, torch.zeros(7), None)
    assert keep.tolist() == list(range(7)) and dets.shape == (7, 5)
    dets, keep = mmcv.batched_nms(BOXES[:0], OF_BOXES[:0], OF_BOXES[:0], {"type": "nms_rotated", "iou_threshold": 0.5})
    assert dets.shape == (0, 6) and keep.shape == (0,)
    with pytest.raises(ValueError, match="nms_cfg has type 'nsm', expected one of 'nms'"):
        mmcv.batched_nms(SEVEN, SCORES, torch.zeros(7), {"type": "nsm"})


def test_overlaps_of_mmcv() -> None:
    first, second = BOXES[:2], BOXES[1:]
    expected = detops.torch.box_iou_rotated(first, second)
    assert torch.equal(mmcv.box_iou_rotated(first, second), expected)
    turn = torch.tensor([1, 1, 1, 1, -1])
    assert torch.equal(mmcv.box_iou_rotated(first * turn, second * turn, clockwise=False), expected)
    aligned = mmcv.box_iou_rotated(BOXES, BOXES.flip(0), "iof", True)
    assert torch.equal(aligned, mmcv.box_iou_rotated(BOXES, BOXES.flip(0), "iof").diagonal())
    quads = mmcv.box_iou_quadri(quads_of(first), quads_of(second))
    torch.testing.assert_close(quads, expected, rtol=1e-5, atol=1e-6)
    assert mmcv.box_iou_rotated(first.double(), second).dtype == torch.float64


def test_bbox_overlaps_of_mmcv() -> None:
    nothing, something = torch.tensor([]), torch.tensor([[0.0, 0, 10, 9]])
    assert mmcv.bbox_overlaps(nothing, something).shape == (0, 1)
    assert mmcv.bbox_overlaps(something, nothing).shape == (1, 0)
    assert mmcv.bbox_overlaps(nothing, nothing).shape == (0, 0)
    assert mmcv.bbox_overlaps(nothing, nothing, aligned=True).shape == (0,)
    assert mmcv.bbox_overlaps(something, something, "iof", True, 1).tolist() == [1]


def test_boxes_in_space_of_mmcv() -> None:
    a, b = (boxes_in_space(np.random.default_rng(seed), 5).float() for seed in (1, 2))
    assert torch.equal(mmcv.boxes_overlap_bev(a, b), detops.torch.boxes_overlap_bev(a, b))
    assert torch.equal(mmcv.boxes_iou3d(a, b), detops.torch.boxes_iou3d(a, b))
    corners = torch.cat((a[:, :2] - a[:, 3:5] / 2, a[:, :2] + a[:, 3:5] / 2, a[:, 6:]), 1)
    with pytest.warns(DeprecationWarning, match="boxes_iou_bev"):
        found = mmcv.boxes_iou_bev(corners, corners)
    torch.testing.assert_close(found, detops.torch.boxes_iou_bev(a, a), rtol=1e-5, atol=1e-5)
    scores = torch.rand(5, generator=torch.Generator().manual_seed(1))
    kept = mmcv.nms3d(a, scores, 0.2)
    with pytest.warns(DeprecationWarning, match="nms_bev"):
        assert torch.equal(mmcv.nms_bev(corners, scores, 0.2), kept)
    with pytest.warns(DeprecationWarning, match="nms_bev"):
        assert mmcv.nms_bev(corners, scores, 0.2, pre_max_size=3, post_max_size=1).shape == (1,)
    upright = mmcv.nms3d_normal(a, scores, 0.2)
    with pytest.warns(DeprecationWarning, match="nms_normal_bev"):
        assert torch.equal(mmcv.nms_normal_bev(corners, scores, 0.2), upright)


def test_nms3d_beside_mmcvs_own_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its test wants 176 boxes, which is what its margin of a centimetre gives; exact are 179."""
    state = np.random.RandomState(42)
    boxes = torch.from_numpy(state.rand(555, 7).astype(np.float32))
    scores = torch.from_numpy(state.rand(555).astype(np.float32))
    assert len(mmcv.nms3d(boxes, scores, 0.3)) == 179
    assert len(mmcv.nms3d_normal(boxes, scores, 0.3)) == 148
    monkeypatch.setattr(detops.mmcv.iou3d, "CORNER_MARGIN", 1e-2)
    assert len(mmcv.nms3d(boxes, scores, 0.3)) == 176


def test_five_boxes_from_above() -> None:
    flat = [[1, 1, 2, 2, 0], [2, 2, 2, 2, 0], [3, 3, 3, 2, 0.3], [3, 3, 3, 2, 0], [3, 3.2, 3, 2, 0.3]]
    boxes = torch.tensor([[x, y, 0, dx, dy, 2, angle] for x, y, dx, dy, angle in flat])
    scores = torch.tensor([0.6, 0.9, 0.1, 0.2, 0.15])
    assert mmcv.nms3d(boxes, scores, 0.3).tolist() == [1, 0, 3]
    assert iou3d_nms_utils.nms_gpu(boxes, scores, 0.3) == (pytest.approx([1, 0, 3]), None)


# ---- losses --------------------------------------------------------------------------------------


def test_diff_iou_2d() -> None:
    first = torch.tensor([[[0.0, 0, 5, 10, math.pi / 6], [0, 0, 8, 10, 0], [0, 0, 2, 2, 0]]])
    second = torch.tensor([[[0.0, 0, 10, 5, math.pi / 3], [-1, -1, 6, 8, 0], [5, 5, 2, 2, 0]]])
    made = mmcv.diff_iou_rotated_2d(first.requires_grad_(), second)
    expected = [[0.405827424, 48 / 80, 0.0]]
    torch.testing.assert_close(made, torch.tensor(expected), rtol=1e-6, atol=1e-7)
    made.sum().backward()
    assert first.grad is not None and first.grad.isfinite().all() and not first.grad[0, 2].any()


@pytest.mark.parametrize("function", ["diff_iou_rotated_2d", "diff_iou_rotated_3d"])
def test_slopes_of_diff_iou(function: str) -> None:
    random = np.random.default_rng(4)
    make: Any = rotated_boxes if function.endswith("2d") else boxes_in_space
    first, second = (make(random, 6).reshape(2, 3, -1).requires_grad_() for _ in range(2))
    assert torch.autograd.gradcheck(getattr(mmcv, function), (first, second))
    made = getattr(mmcv, function)(first, second)
    if function.endswith("3d"):
        flat = first.flatten(0, 1), second.flatten(0, 1)
        exact = detops.torch.boxes_iou3d(*flat, aligned=True).reshape(2, 3)
        torch.testing.assert_close(made, exact, rtol=1e-12, atol=1e-12)
    with pytest.raises(ValueError, match=rf"{function}: shapes are .*, expected \(B, N, "):
        getattr(mmcv, function)(first, second[:1])


def test_boxes_without_a_body_have_no_gradient() -> None:
    boxes = torch.tensor([[[0.0, 0, 0, 2, 2, 0, 0], [0, 0, 0, 0, 2, 2, 0], [9, 9, 0, 2, 2, 2, 0]]])
    leaf = boxes.clone().requires_grad_()
    made = mmcv.diff_iou_rotated_3d(leaf, boxes.flip(1))
    made.sum().backward()
    assert made.tolist() == [[0, 0, 0]] and leaf.grad is not None and not leaf.grad.any()


# ---- OpenPCDet -----------------------------------------------------------------------------------


def test_overlaps_of_openpcdet() -> None:
    a, b = (boxes_in_space(np.random.default_rng(seed), 4).float() for seed in (1, 2))
    iou = detops.torch.boxes_iou_bev(a, b)
    assert torch.equal(iou3d_nms_utils.boxes_iou_bev(a, b), iou)
    assert torch.equal(iou3d_nms_utils.boxes_bev_iou_cpu(a, b), iou)
    array = iou3d_nms_utils.boxes_bev_iou_cpu(a, b.numpy())
    assert isinstance(array, np.ndarray) and (array == iou.numpy()).all()
    bodies = detops.torch.boxes_iou3d(a, b)
    assert torch.equal(iou3d_nms_utils.boxes_iou3d_gpu(a, b), bodies)
    rows = bodies.diagonal()
    assert torch.equal(iou3d_nms_utils.boxes_aligned_iou3d_gpu(a, b), rows[:, None])
    assert torch.equal(iou3d_nms_utils.paired_boxes_iou3d_gpu(a, b), rows)
    for name, expected in (
        ("boxes_iou_bev_cpu", iou),
        ("boxes_iou_bev_gpu", iou),
        ("boxes_overlap_bev_gpu", detops.torch.boxes_overlap_bev(a, b)),
        ("boxes_aligned_iou_bev_cpu", iou.diagonal()[:, None]),
        ("boxes_aligned_overlap_bev_gpu", detops.torch.boxes_overlap_bev(a, b).diagonal()[:, None]),
        ("paired_boxes_overlap_bev_gpu", detops.torch.boxes_overlap_bev(a, b).diagonal()[:, None]),
    ):
        made = torch.zeros(expected.shape)
        assert getattr(iou3d_nms_cuda, name)(a, b, made) == 1
        assert torch.equal(made, expected), name
    with pytest.raises(ValueError, match=r"boxes_iou3d_gpu: boxes_b has shape \[4, 6\]"):
        iou3d_nms_utils.boxes_iou3d_gpu(a, b[:, :6])


@pytest.mark.parametrize("name", ["nms_gpu", "nms_normal_gpu"])
def test_suppression_of_openpcdet(name: str) -> None:
    boxes = boxes_in_space(np.random.default_rng(1), 50).float()
    scores = torch.rand(50, generator=torch.Generator().manual_seed(1))
    words = {"NMS_PRE_MAXSIZE": 4, "NMS_POST_MAXSIZE": 2, "post_max_size": 1}
    kept, nothing = getattr(iou3d_nms_utils, name)(boxes, scores, 0.1, **words)
    box_format = "bev" if name == "nms_gpu" else "bev_upright"
    expected = detops.torch.nms(boxes, scores, 0.1, box_format=box_format)  # type: ignore[arg-type]
    assert torch.equal(kept, expected) and nothing is None and len(kept) > 2
    order = scores.argsort(descending=True)
    places = torch.full((50,), -1)
    count = getattr(iou3d_nms_cuda, name)(boxes[order], places, 0.1)
    assert torch.equal(order[places[:count]], expected)
    if name == "nms_gpu":
        few, _ = iou3d_nms_utils.nms_gpu(boxes, scores, 0.1, pre_maxsize=10)
        assert torch.equal(few, expected[: len(few)]) and len(few) < len(kept)
    empty, _ = getattr(iou3d_nms_utils, name)(boxes[:0], scores[:0], 0.1)
    assert empty.shape == (0,) and empty.dtype == torch.int64


# ---- torchvision ---------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_nms_of_torchvision() -> None:
    assert vision.nms(SEVEN, SCORES, 0.6).tolist() == [0, 3, 4]
    scripted: Any = torch.jit.script(vision.nms)
    assert scripted(SEVEN, SCORES, 0.6).tolist() == [0, 3, 4]
    classes = torch.tensor([0, 1, 0, 0, 0, 0, 1])
    kept = vision.batched_nms(SEVEN, SCORES, classes, 0.6)
    assert kept.tolist() == [0, 1, 3, 4, 6]
    batched: Any = torch.jit.script(vision.batched_nms)
    assert batched(SEVEN, SCORES, classes, 0.6).tolist() == kept.tolist()
    assert vision.batched_nms(SEVEN[:0], SCORES[:0], classes[:0], 0.6).shape == (0,)


@pytest.mark.parametrize(
    ("first", "second", "values"),
    [
        ([0.0, 0, 1, 1], [2.0, 0, 3, 1], (0, -1 / 3, -2 / 5)),
        ([0.0, 0, 2, 2], [1.0, 1, 3, 3], (1 / 7, -5 / 63, 2 / 63)),
        ([0.0, 0, 4, 2], [1.0, 1, 3, 5], (1 / 7, -11 / 70, 13 / 287)),
        ([1.0, 1, 1, 1], [1.0, 1, 1, 1], (0, 0, 0)),
    ],
)
def test_overlaps_of_torchvision(first: Any, second: Any, values: Any) -> None:
    a, b = (torch.tensor([row], dtype=torch.double).requires_grad_() for row in (first, second))
    made = [vision.box_iou(a, b), vision.generalized_box_iou(a, b), vision.distance_box_iou(a, b, 0)]
    if first != second:
        assert [each.item() for each in made] == pytest.approx(values)
        sum(made).sum().backward()  # type: ignore[union-attr]
        assert a.grad is not None and a.grad.isfinite().all()
    else:
        assert made[0].item() == made[1].item() == 0


def test_complete_iou_learns_the_shape() -> None:
    a = torch.tensor([[0.0, 0, 4, 2]], dtype=torch.double)
    b = torch.tensor([[1.0, 1, 3, 5]], dtype=torch.double)
    v = 4 / math.pi**2 * (math.atan(2) - math.atan(0.5)) ** 2
    expected = 13 / 287 - v * v / (1 - 1 / 7 + v)
    assert vision.complete_box_iou(a, b).item() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("fmt", ["cxcywhr", "xywhr", "xyxyxyxy"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_rotated_iou_of_torchvision(fmt: str, dtype: torch.dtype) -> None:
    """Degrees, away from y: the numbers are those of radians with the other sign."""
    boxes = torch.tensor([
        [1010.5, 860.00012207, 12.20655537, 48.82622528, 55.00798035],
        [1022, 870.49993896, 10.81665134, 43.26660919, 56.30992889],
    ], dtype=dtype)  # fmt: skip
    given = vision.box_convert(boxes, "cxcywhr", fmt)
    made = vision.box_iou(given[:1], given[1:], fmt)
    assert made.dtype == torch.float32
    assert made.item() == pytest.approx(0.368758648, abs=1e-6 if dtype == torch.float64 else 2e-4)
    back = vision.box_convert(given, fmt, "cxcywhr")
    torch.testing.assert_close(back, boxes, rtol=1e-4, atol=1e-3)
    empty = vision.box_iou(given[:0], given, fmt)
    assert empty.shape == (0, 2) and empty.dtype == torch.float32
    with pytest.raises(ValueError, match=r"box_iou: boxes1 has type torch\.float16"):
        vision.box_iou(given.half(), given.half(), fmt)


def test_formats_that_are_not_there() -> None:
    with pytest.raises(ValueError, match="in_fmt is 'xyxy' and out_fmt 'cxcywhr'"):
        vision.box_convert(SEVEN, "xyxy", "cxcywhr")
    with pytest.raises(ValueError, match="Unsupported format fmt='xwyh'"):
        vision.box_iou(SEVEN, SEVEN, "xwyh")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "name", ["box_area", "box_convert", "box_iou", "complete_box_iou", "generalized_box_iou"]
)
def test_script(name: str) -> None:
    function: Any = getattr(vision, name)
    arguments: list[Any] = [SEVEN] if name in ("box_area", "box_convert") else [SEVEN, SEVEN.flip(0)]
    arguments += ["xyxy", "cxcywh"] if name == "box_convert" else []
    scripted: Any = torch.jit.script(function)
    torch.testing.assert_close(scripted(*arguments), function(*arguments))


def test_masks() -> None:
    masks = torch.zeros(3, 6, 8)
    masks[0, 1:4, 2:7], masks[1, 5, 0] = 1, 1
    assert vision.masks_to_boxes(masks).tolist() == [[2, 1, 6, 3], [0, 5, 0, 5], [0, 0, 0, 0]]
    assert vision.masks_to_boxes(masks[:0]).shape == (0, 4)
    clipped = vision.clip_boxes_to_image(torch.tensor([[-1.0, 2, 30, 40]]), (20, 10))
    assert clipped.tolist() == [[0, 2, 10, 20]]
    assert vision.remove_small_boxes(torch.tensor([[0.0, 0, 4, 1], [0, 0, 2, 2]]), 2.0).tolist() == [1]


# ---- graphs --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["nms", "batched", "rotated", "openpcdet", "vision"])
def test_compiled(name: str) -> None:
    torch.compiler.reset()
    config = {"type": "nms", "iou_threshold": 0.6}
    classes = torch.tensor([0, 1, 0, 0, 0, 0, 1])
    boxes = boxes_in_space(np.random.default_rng(1), 7).float()
    programs: dict[str, Any] = {
        "nms": lambda: mmcv.nms(SEVEN, SCORES, 0.6),
        "batched": lambda: mmcv.batched_nms(SEVEN, SCORES, classes, config),
        "rotated": lambda: mmcv.nms_rotated(BOXES, OF_BOXES, 0.5),
        "openpcdet": lambda: iou3d_nms_utils.nms_gpu(boxes, SCORES, 0.2)[:1],
        "vision": lambda: (vision.batched_nms(SEVEN, SCORES, classes, 0.6),),
    }
    compiled = torch.compile(programs[name], fullgraph=True, backend="aot_eager")
    for found, expected in zip(compiled(), programs[name](), strict=True):
        assert torch.equal(found, expected)
