"""The fifteen known defects of other packages' box operators, by name: none of them is ours.

Numbers are worked out with rationals or 80 digits from the given floats.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops
import detops.mmcv as mmcv
import detops.torch
import detops.torchvision as vision
import numpy as np
import torch
from detops.openpcdet import iou3d_nms_utils, points_in_boxes_cpu, points_in_boxes_gpu

_Case = tuple[str, Callable[[], Any], Any]
_CASES: list[_Case] = []


def rows(*numbers: list[float]) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.float32)


def rotated(first: list[float], second: list[float]) -> float:
    return mmcv.box_iou_rotated(rows(first), rows(second)).item()


def in_space(first: list[float], second: list[float]) -> float:
    """Rotated boxes, seen from above."""
    boxes = (rows([x, y, 0, w, h, 1, angle]) for x, y, w, h, angle in (first, second))
    return iou3d_nms_utils.boxes_iou_bev(*boxes).item()


def about(number: float, error: float = 1.2e-7) -> Any:
    return pytest.approx(number, abs=error)


def square(low: float, high: float) -> list[float]:
    return [low, low, high, low, high, high, low, high]


def diamond(x: float, at: float) -> list[float]:
    return [at + number for number in (x + 2, 0, x + 4, 2, x + 2, 4, x, 2)]


def case(name: str, expected: Any) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    def add(call: Callable[[], Any]) -> Callable[[], Any]:
        _CASES.append((name, call, expected))
        return call

    return add


TURN = math.radians(115.11834717), math.radians(115.1183548)
LARGE = [2563.74462890625, 1436.7901611328125, 2174.703369140625, 214.09500122070312, TURN[0]]
NEXT = [2563.74462890625, 1436.790283203125, 2174.702880859375, 214.09495544433594, TURN[1]]
EQUAL = [180.6422271729, 136.3633728027]
case("1 nearly equal boxes: 0.60", about(0.9999985, 1e-6))(lambda: rotated(LARGE, NEXT))
case("1 equal boxes: 0.333 or 0", 1)(lambda: rotated([0, 0, *EQUAL, 0.95596486], [0, 0, *EQUAL, 0.95596486]))

THIN = [135.07, 406.72, 7.9445e-7, 1971.1, 1.7708], [151.008, 436.2173, 302.0159, 313.7347, 3.1184]
case("2 outside of [0, 1]: -1.2e7 or 1", pytest.approx(2.59664477e-9, rel=1e-5))(lambda: rotated(*THIN))


BOXES = torch.from_numpy(np.random.default_rng(3).uniform(-3, 3, size=(300, 5)).astype(np.float32))
BOXES[:, 2:4] = BOXES[:, 2:4].abs() + 0.5


@case("2 equal boxes above 1: 31 %", (True, 0, 1))
def range_of_iou() -> Any:
    ious = mmcv.box_iou_rotated(BOXES, BOXES)
    return bool((ious.diagonal() == 1).all()), ious.min().item(), ious.max().item()


@case("3 asymmetry: 47 to 89 % of the pairs", (True, True, True))
def asymmetry() -> Any:
    z, sides = torch.zeros(300, 1), torch.ones(300, 1)
    bodies = torch.cat((BOXES[:, :2], z, BOXES[:, 2:4], sides, BOXES[:, 4:]), 1)
    corners = torch.cat((BOXES[:, :2], BOXES[:, :2] + BOXES[:, 2:4]), 1)
    ious = (
        mmcv.box_iou_rotated(BOXES, BOXES),
        iou3d_nms_utils.boxes_iou3d_gpu(bodies, bodies),
        vision.box_iou(corners, corners),
    )
    return tuple(torch.equal(iou, iou.T) for iou in ious)


MILLIMETRE = rows([0, 0, 0.001, 0.001, 0]), rows([0.0005, 0, 0.001, 0.001, 0])
case("4 absolute 1e-5: 0.9999998", about(1 / 3, 1e-6))(lambda: vision.box_iou(*MILLIMETRE, "cxcywhr").item())

case("5 margin 1e-2: boxes 5 mm apart meet", 0)(lambda: in_space([0, 0, 1, 1, 0], [1.005, 0, 1, 1, 0]))
case("5 boxes of 1 cm: 3", about(1 / 3))(lambda: in_space([0, 0, 0.01, 0.01, 0], [0.005, 0, 0.01, 0.01, 0]))
case("5 turned by 1e-4: 1.000125", about(0.999875018))(lambda: in_space([0, 0, 4, 2, 0], [0, 0, 4, 2, 1e-4]))
case("5 negative sides: 4e8", 0)(lambda: in_space([0, 0, -2, 2, 0], [0, 0, 2, 2, 0]))
case("5 at 1e6: 0.711", about(0.688512392))(
    lambda: in_space([1e6, 1e6, 4, 2, 0.3], [1000000.5, 1e6, 4, 2, 0.3])
)

LEANING, UPRIGHT = rows([0, 0, 4, 0, 6, 2, 2, 2]), rows([0, 0, 4, 0, 4, 2, 0, 2])
case("6 parallelogram and square: 1", about(0.6))(lambda: mmcv.box_iou_quadri(LEANING, UPRIGHT).item())


@case("7 poly_nms far from the origin: -0.333", (about(9 / 23), [0], [0, 1]))
def far_quads() -> Any:
    quads = rows(diamond(0, 20000), diamond(1, 20000))
    scored = torch.cat((quads, torch.tensor([[0.9], [0.8]])), 1)
    kept = [detops.torch.poly_nms(scored, threshold).tolist() for threshold in (0.39, 0.4)]
    return mmcv.box_iou_quadri(quads[:1], quads[1:]).item(), *kept


@case("7 equal scores suppress, quadrilaterals without area do not", ([0], [0, 1]))
def quads() -> Any:
    lists = rows([*square(0, 4), 1], [*square(0, 4), 1]), rows([*square(3, 3), 1], [*square(3, 3), 1])
    return tuple(detops.torch.poly_nms(scored, 0.5).tolist() for scored in lists)


@case("8 nms_rotated: labels, >= and no boxes", ([0], [0, 1], [0, 1], 0))
def suppression() -> Any:
    boxes, scores = rows([0, 0, 4, 2, 0], [1, 0, 4, 2, 0]), torch.tensor([0.9, 0.8])  # IoU 3/5
    nms: Any = detops.torch.nms_rotated
    labels = torch.tensor([0, 1])
    kept = nms(boxes, scores, 0.5), nms(boxes, scores, 0.5, labels), nms(boxes, scores, 0.6)
    return *(each.tolist() for each in kept), len(nms(boxes[:0], scores[:0], 0.5))


@case("9 classes told apart by shifted coordinates", ([0, 1], [0], [0, 2]))
def classes() -> Any:
    scores = torch.tensor([0.9, 0.8, 0.7])
    negative = rows([-100, -100, -90, -90], [-111, -111, -101, -101], [-111, -111, -101, -101])
    halves = rows([0, 0, 1000, 1000], [1, 1, 1001, 1001]).half()
    # 999 * 4001 leaves a quarter of a pixel: an IoU of 0.6 becomes 1 or 1/3.
    fine = rows([100, 100, 101, 101], [100.25, 100, 101.25, 101], [4000, 4000, 4001, 4001])
    calls = (
        (negative, torch.tensor([0, 1, 1]), 0.5),
        (halves, torch.tensor([100, 100]), 0.5),
        (fine, torch.tensor([999, 999, 0]), 0.59),
    )
    return tuple(vision.batched_nms(b, scores[: len(b)], c, t).tolist() for b, c, t in calls)


@case("10 nms: at the threshold, touching, inverted", ([0, 1], [0, 1], [0, 1], [0, 1]))
def at_thresholds() -> Any:
    scores = torch.tensor([0.9, 0.8])
    lists: list[tuple[list[list[float]], float]] = [
        ([[0, 0, 10, 10], [0, 0, 10, 20]], 0.5),
        ([[0, 0, 10, 10], [0, 0, 10, 7]], 0.7),
        ([[0, 0, 10, 10], [10, 0, 20, 10]], 0.0),
        ([[10, 10, 0, 0], [10, 10, 0, 0]], 0.0),
    ]
    return tuple(mmcv.nms(rows(*boxes), scores, threshold)[1].tolist() for boxes, threshold in lists)


@case("11 ties: other boxes on other devices or threads", True)
def ties() -> Any:
    x = torch.arange(6000) % 100 * 20.0
    boxes = torch.stack((x, 0 * x, x + 10, 0 * x + 10), 1)
    scores, kept = torch.full((6000,), 0.5), []
    for threads in (1, 2, 5):
        with detops.threads(threads):
            kept.append(vision.nms(boxes, scores, 0.5).tolist())
    return kept == [list(range(100))] * 3


@case("12 diff_iou: 0 instead of 0.406, 56 for an area of 48", (about(0.405827424), about(0.6)))
def losses() -> Any:
    first = rows([0, 0, 5, 10, math.pi / 6], [4, 5, 8, 10, 0])
    second = rows([0, 0, 10, 5, math.pi / 3], [3, 4, 6, 8, 0])
    return tuple(mmcv.diff_iou_rotated_2d(first[None], second[None])[0].tolist())


@case("12 diff_iou: above 1, 16 crossings, NaN without overlap", (about(1, 1e-6), 0, True))
def odd_losses() -> Any:
    first = rows([0, 0, 4, 4, 0], [0, 0, 1, 1, 0])[None].requires_grad_()
    iou = mmcv.diff_iou_rotated_2d(first, rows([0, 0, 4, 4, 1e-7], [9, 9, 0, 1, 0])[None])
    iou.sum().backward()
    assert first.grad is not None
    return *iou[0].tolist(), bool(iou.max() <= 1) and bool(first.grad.isfinite().all())


@case("13 collinear and repeated points overflow arrays", (0, 8, 0, about(-1 / 3)))
def point_sets() -> Any:
    line, same = (torch.arange(9.0).repeat_interleave(2)[None], torch.ones(1, 18))
    quad = mmcv.min_area_polygons(line).reshape(4, 2)
    sides = quad.amax(0) - quad.amin(0)
    by = rows(square(1, 3))  # Together with the point (4, 4) its hull has an area of 6.
    ious = mmcv.convex_iou(line, by), mmcv.convex_iou(same, by)
    giou = mmcv.convex_giou(same + 3, by)[0]
    return ious[0].item(), sides.max().item(), ious[1].item(), giou.item()


@case("14 bbox_overlaps without area: NaN; half overflows", (0, 0, 1))
def upright() -> Any:
    point, half = rows([3, 1, 3, 1]), rows([0, 0, 300, 300]).half()
    ious = mmcv.bbox_overlaps(point, point), vision.box_iou(point, point), mmcv.bbox_overlaps(half, half)
    return tuple(iou.item() for iou in ious)


@case("14 nms with 64-bit words on the stack; points 1000 times looser on the CPU", (40000, [1, 0], [0, -1]))
def of_openpcdet() -> Any:
    x = torch.arange(40000.0) * 5
    zero, one = torch.zeros_like(x), torch.ones_like(x)
    boxes = torch.stack((x, zero, zero, one, one, one, zero), 1)
    kept = iou3d_nms_utils.nms_gpu(boxes, torch.arange(40000.0), 0.1)[0]
    points, box = rows([1.005, 0, 0], [1.02, 0, 0]), rows([0, 0, 0, 2, 2, 2, 0])
    near = rows([1.000005, 0, 0], [1.005, 0, 0])
    found = points_in_boxes_gpu(near[None], box[None])
    return len(kept), points_in_boxes_cpu(points, box)[0].tolist(), found[0].tolist()


@case("15 mluOpNmsRotated: no boxes, a descriptor of rank 1, order of poly_nms's checks", (0, 0, 3, 3, 0))
def statuses() -> Any:
    library = ctypes.CDLL(detops.config()["library"])
    handle = ctypes.c_void_p()
    assert library.mluOpCreate(ctypes.byref(handle)) == 0

    def tensor(dtype: int, *shape: int) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        library.mluOpCreateTensorDescriptor(ctypes.byref(made))
        extents = (ctypes.c_int * len(shape))(*shape)
        assert library.mluOpSetTensorDescriptor(made, 4, dtype, len(shape), extents) == 0
        return made

    floating, int32 = 2, 6
    count, nothing = ctypes.c_int32(7), ctypes.c_void_p()
    boxes, scores, kept = tensor(floating, 0, 5), tensor(floating, 0), tensor(int32, 0)
    run = library.mluOpNmsRotated(
        handle, ctypes.c_float(0.5), boxes, nothing, scores, nothing, nothing, ctypes.c_size_t(0), kept,
        nothing, ctypes.byref(count),
    )  # fmt: skip
    size = ctypes.c_size_t(7)
    of_rank_1 = library.mluOpGetNmsRotatedWorkspaceSize(handle, scores, ctypes.byref(size))
    quads = tensor(floating, 0, 9)
    poly = [
        library.mluOpPolyNms(
            handle, quads, nothing, ctypes.c_float(0.5), nothing, ctypes.c_size_t(0), kept, nothing, place
        )
        for place in (nothing, ctypes.byref(count))
    ]
    return count.value, run, of_rank_1, *poly


@pytest.mark.parametrize(("call", "expected"), [row[1:] for row in _CASES], ids=[row[0] for row in _CASES])
def test_defect(call: Callable[[], Any], expected: Any) -> None:
    assert call() == expected


def test_all_fifteen_are_there() -> None:
    assert {int(name.split()[0]) for name, _, _ in _CASES} == set(range(1, 16))
