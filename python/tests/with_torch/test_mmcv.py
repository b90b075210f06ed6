"""detops.mmcv against loops written from the description of mmcv's operators."""

from __future__ import annotations

import doctest
import importlib
import inspect
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.mmcv
import detops.mmcv.roiaware_pool3d
import detops.torch
import torch
from detops.torch import _drop_ins

Array = npt.NDArray[np.float64]
Pool = Literal["max", "avg"]
POOLS: list[Pool] = ["max", "avg"]
pool_module: Any = importlib.import_module("detops.mmcv.roiaware_pool3d")


def random_boxes(count: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    boxes = rng.uniform(1, 4, (count, 7))
    boxes[:, :3] = rng.uniform(-2, 2, (count, 3))
    boxes[:, 6] = rng.uniform(-4, 4, count)
    return boxes


def local(point: Array, box: Array) -> tuple[float, float, float]:
    """The point seen from the bottom centre of the box, along its axes."""
    turned = complex(*(point[:2] - box[:2])) * np.exp(-1j * box[6])
    return turned.real, turned.imag, float(point[2] - box[2])


def distance_to_faces(point: Array, box: Array) -> float:
    x, y, z = local(point, box)
    gaps = abs(x) - box[3] / 2, abs(y) - box[4] / 2, z, z - box[5]
    return float(np.abs(gaps).min())


def points_off_faces(boxes: Array, count: int, seed: int) -> Array:
    """Points for which rounding decides nothing."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-3, 3, (count, 3))
    kept = [p for p in points if all(distance_to_faces(p, box) > 1e-3 for box in boxes)]
    assert len(kept) > count // 2
    return np.array(kept)


def holds(box: Array, point: Array) -> bool:
    x, y, z = local(point, box)
    return bool(abs(x) < box[3] / 2 and abs(y) < box[4] / 2 and 0 <= z <= box[5])


# ---- points in boxes -----------------------------------------------------------------------------


def scene(batch: int = 2, seed: int = 1) -> tuple[list[Array], list[Array]]:
    boxes = [random_boxes(6, seed + i) for i in range(batch)]
    points = [points_off_faces(some, 400, seed + i)[:200] for i, some in enumerate(boxes)]
    return points, boxes


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("block", [1 << 18, 7, 1])
def test_points_in_boxes(dtype: torch.dtype, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_drop_ins, "_BLOCK", block * 2)
    monkeypatch.setattr(_drop_ins, "_BOXES_OF_A_BLOCK", 256 if block > 100 else 2)
    points, boxes = scene()
    expected = np.array(
        [[[holds(b, p) for b in bs] for p in ps] for ps, bs in zip(points, boxes, strict=True)]
    )
    assert 0.02 < expected.mean() < 0.5 and (expected.sum(2) > 1).any()
    first = np.where(expected.any(2), expected.argmax(2), -1)
    p = torch.tensor(np.array(points), dtype=dtype)
    b = torch.tensor(np.array(boxes), dtype=dtype)
    for function in (detops.mmcv.points_in_boxes_all, detops.mmcv.points_in_boxes_cpu):
        found = function(p, b)
        assert found.dtype == torch.int32 and found.tolist() == expected.tolist()
    found = detops.mmcv.points_in_boxes_part(p, b)
    assert found.dtype == torch.int32 and found.tolist() == first.tolist()


@pytest.mark.parametrize(("boxes", "points"), [(3, 300_000), (3000, 500), (300, 1000)])
def test_memory_of_points_in_boxes_is_bounded(
    boxes: int, points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes, is_inside = [], _drop_ins._is_inside

    def watched(p: torch.Tensor, b: torch.Tensor, *rest: Any) -> torch.Tensor:
        sizes.append(p.shape[0] * b.shape[0])
        return is_inside(p, b, *rest)

    monkeypatch.setattr(_drop_ins, "_is_inside", watched)
    detops.mmcv.points_in_boxes_part(torch.rand(1, points, 3), torch.rand(1, boxes, 7))
    assert sum(sizes) == boxes * points and max(sizes) <= 1 << 18


def test_faces_belong_to_a_box_along_z_only() -> None:
    box = torch.tensor([[[1.0, 2, 3, 2, 4, 6, 0]]])
    inside = [[1.0, 2, 3], [1, 2, 9], [1.5, 3.5, 6]]
    outside = [[2.0, 2, 6], [0, 2, 6], [1, 4, 6], [1, 0, 6], [1, 2, 9.5], [1, 2, 2.5]]
    found = detops.mmcv.points_in_boxes_all(torch.tensor([inside + outside]), box)
    assert found.ravel().tolist() == [1] * len(inside) + [0] * len(outside)


def test_degenerate_boxes_and_points_hold_nothing() -> None:
    nan, inf = math.nan, math.inf
    points = torch.tensor([[[0.0, 0, 1], [0, 0, nan], [nan, 0, 1], [0, 0, inf], [inf, 0, 1]]])
    boxes = torch.tensor(
        [[[0.0, 0, 0, 2, 2, 2, 0], [0, 0, 0, 0, 2, 2, 0], [0, 0, 0, 2, 2, -2, 0],
          [0, 0, 0, nan, 2, 2, 0], [0, 0, 0, 2, 2, 2, nan]]]
    )  # fmt: skip
    whole = detops.mmcv.points_in_boxes_all(points, boxes[:, :3])
    assert whole.nonzero().tolist() == [[0, 0, 0]]
    with detops.value_checks(False):  # Otherwise NaN in a box is an error.
        found = detops.mmcv.points_in_boxes_all(points, boxes)
    assert found.nonzero().tolist() == [[0, 0, 0]]


def test_points_at_faces_are_those_that_the_pooling_takes() -> None:
    """The rounding is the same, so targets and pooled features agree about every point."""
    rng = np.random.default_rng(5)
    boxes = torch.tensor(random_boxes(400, 5), dtype=torch.float32)
    x, y, angle = boxes[:, 3] / 2, boxes[:, 4] * 0.3, boxes[:, 6]
    on_faces = torch.stack(
        (
            boxes[:, 0] + x * angle.cos() - y * angle.sin(),
            boxes[:, 1] + x * angle.sin() + y * angle.cos(),
            boxes[:, 2] + boxes[:, 5],
        ),
        1,
    )
    jitter = torch.tensor(rng.integers(-3, 4, (5, 400, 3)), dtype=torch.float32) * 1e-7
    points = (on_faces + jitter).reshape(-1, 3)
    pooled = detops.torch.roiaware_pool3d_forward(boxes, points, torch.ones(2000, 1), 1, 2001)
    lists = pooled.pts_idx_of_voxels.reshape(400, 2001).tolist()
    found = detops.mmcv.points_in_boxes_all(points[None], boxes[None])[0]
    per_box = [column.nonzero().ravel().tolist() for column in found.unbind(1)]
    assert per_box == [row[1 : row[0] + 1] for row in lists]
    own = found.reshape(5, 400, 400).diagonal(dim1=1, dim2=2)
    assert 0.1 < own.float().mean() < 0.9


def test_types_of_points_in_boxes() -> None:
    box = [[[0.0, 0, 0, 2, 2, 2, 0]]]
    close = torch.tensor([[[1 - 1e-12, 0, 1]]], dtype=torch.float64)
    assert detops.mmcv.points_in_boxes_all(close, torch.tensor(box)).item() == 1
    assert detops.mmcv.points_in_boxes_all(close.float(), torch.tensor(box)).item() == 0
    for dtype in (torch.float16, torch.bfloat16, torch.int64):
        point = torch.tensor([[[0, 0, 1]]], dtype=dtype)
        assert detops.mmcv.points_in_boxes_cpu(point, torch.tensor(box)).item() == 1
        assert detops.mmcv.points_in_boxes_cpu(point, torch.tensor(box).to(dtype)).item() == 1


def test_points_in_boxes_record_nothing_and_change_nothing() -> None:
    points = torch.rand(1, 9, 3, requires_grad=True)
    boxes = torch.rand(1, 4, 7, requires_grad=True)
    before = points.detach().clone(), boxes.detach().clone()
    for function in (detops.mmcv.points_in_boxes_all, detops.mmcv.points_in_boxes_part):
        assert not function(points, boxes).requires_grad
    assert torch.equal(points, before[0]) and torch.equal(boxes, before[1])
    strided = torch.rand(1, 3, 9).transpose(1, 2)
    for function in (detops.mmcv.points_in_boxes_all, detops.mmcv.points_in_boxes_part):
        assert torch.equal(function(strided, boxes), function(strided.contiguous(), boxes))


@pytest.mark.parametrize(("batch", "points", "boxes"), [(0, 2, 3), (2, 0, 3), (2, 3, 0), (0, 0, 0)])
def test_empty_points_in_boxes(batch: int, points: int, boxes: int) -> None:
    p, b = torch.zeros(batch, points, 3), torch.zeros(batch, boxes, 7)
    assert detops.mmcv.points_in_boxes_all(p, b).shape == (batch, points, boxes)
    first = detops.mmcv.points_in_boxes_part(p, b)
    assert first.shape == (batch, points) and (first == -1).all()


@pytest.mark.parametrize("name", ["part", "all", "cpu"])
@pytest.mark.parametrize(
    ("points", "boxes", "text"),
    [
        ((1, 2, 4), (1, 2, 7), r"points has shape \[1, 2, 4\], expected \(B, M, 3\)"),
        ((2, 3), (1, 2, 7), r"points has shape \[2, 3\]"),
        ((1, 2, 3), (1, 2, 6), r"boxes has shape \[1, 2, 6\], expected \(B, T, 7\)"),
        ((1, 2, 3), (2, 2, 7), r"boxes has extent 2 on axis 0, expected B = 1 as in points"),
    ],
)
def test_wrong_shapes_of_points_in_boxes(
    name: str, points: tuple[int, ...], boxes: tuple[int, ...], text: str
) -> None:
    function: Callable[..., Any] = getattr(detops.mmcv, f"points_in_boxes_{name}")
    with pytest.raises(ValueError, match=f"points_in_boxes_{name}: {text}"):
        function(torch.zeros(points), torch.zeros(boxes))


# ---- pooling -------------------------------------------------------------------------------------


def pooled_by_loops(
    boxes: Array, points: Array, features: Array, size: tuple[int, int, int], most: int, pool: Pool
) -> Array:
    result = np.zeros((len(boxes), *size, features.shape[1]))
    for b, box in enumerate(boxes):
        members: dict[tuple[int, ...], list[int]] = {}
        for p, point in enumerate(points):
            if holds(box, point):
                shifted = np.array(local(point, box)) + [box[3] / 2, box[4] / 2, 0]
                voxel = np.minimum(shifted / (box[3:6] / size), np.array(size) - 1).astype(int)
                members.setdefault(tuple(voxel), []).append(p)
        for voxel, all_points in members.items():
            kept = features[all_points[: most - 1]]
            result[(b, *voxel)] = kept.max(0) if pool == "max" else kept.mean(0)
    return result


def pool_scene() -> tuple[Array, Array, Array]:
    boxes = random_boxes(5, 11)
    points = points_off_faces(boxes, 800, 11)
    return boxes, points, np.random.default_rng(1).standard_normal((len(points), 3))


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("size", [(2, 3, 4), (1, 1, 1)])
@pytest.mark.parametrize("most", [128, 4])
def test_pooling(pool: Pool, size: tuple[int, int, int], most: int) -> None:
    boxes, points, features = pool_scene()
    expected = pooled_by_loops(boxes, points, features, size, most, pool)
    assert (expected != 0).any((1, 2, 3, 4)).sum() >= 4
    tensors = [torch.from_numpy(array) for array in (boxes, points, features)]
    layer = detops.mmcv.RoIAwarePool3d(size, most, pool)
    torch.testing.assert_close(layer(*tensors), torch.from_numpy(expected))
    floats = [tensor.float() for tensor in tensors]
    torch.testing.assert_close(layer(*floats), torch.from_numpy(expected).float())
    by_function = pool_module.RoIAwarePool3dFunction.apply(*tensors, size, most, POOLS.index(pool))
    assert torch.equal(by_function, layer(*tensors))


@pytest.mark.parametrize("pool", POOLS)
def test_gradients_of_pooling(pool: Pool) -> None:
    boxes, points, features = (torch.from_numpy(array) for array in pool_scene())
    layer = detops.mmcv.RoIAwarePool3d(2, 8, mode=pool)
    features = features[:, :2].contiguous().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: layer(boxes, points, x), features, fast_mode=True)
    assert torch.autograd.gradgradcheck(lambda x: layer(boxes, points, x), features, fast_mode=True)


def test_size_of_pooling_is_an_int_or_three() -> None:
    boxes, points, features = (torch.from_numpy(array) for array in pool_scene())
    cube = detops.mmcv.RoIAwarePool3d(3)(boxes, points, features)
    assert torch.equal(cube, detops.mmcv.RoIAwarePool3d([3, 3, 3])(boxes, points, features))
    with pytest.raises(ValueError, match=r"out_size is \(3, 3\), expected an int or 3"):
        detops.mmcv.RoIAwarePool3d((3, 3))(boxes, points, features)


def test_pooling_keeps_no_lists_of_empty_voxels() -> None:
    """A list of 2^20 points for each voxel would be 700 GB."""
    boxes = torch.tensor(random_boxes(64, 3))
    points, features = torch.rand(10, 3).double(), torch.rand(10, 2).double()
    few = detops.mmcv.RoIAwarePool3d(14, 128)(boxes, points, features)
    assert torch.equal(few, detops.mmcv.RoIAwarePool3d(14, 1 << 20)(boxes, points, features))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_features_of_another_type_than_boxes(dtype: torch.dtype) -> None:
    """Coordinates in float, features as mixed precision leaves them."""
    boxes, points, features = (torch.from_numpy(array).float() for array in pool_scene())
    features = features.to(dtype).requires_grad_()
    pooled = detops.mmcv.RoIAwarePool3d(2)(boxes, points, features)
    expected = detops.mmcv.RoIAwarePool3d(2)(boxes, points, features.float())
    assert pooled.dtype == dtype and torch.equal(pooled, expected.to(dtype))
    (gradient,) = torch.autograd.grad(pooled.sum(), features)
    assert gradient.dtype == dtype and gradient.any()


@pytest.mark.parametrize(("boxes", "points"), [(0, 3), (2, 0), (0, 0)])
def test_empty_pooling(boxes: int, points: int) -> None:
    features = torch.rand(points, 4, requires_grad=True)
    layer = detops.mmcv.RoIAwarePool3d((1, 2, 3), mode="avg")
    pooled = layer(torch.rand(boxes, 7), torch.rand(points, 3), features)
    assert pooled.shape == (boxes, 1, 2, 3, 4) and not pooled.any()
    pooled.sum().backward()
    assert features.grad is not None and features.grad.shape == (points, 4)


def test_wrong_arguments_of_pooling() -> None:
    word: Any = "sum"
    with pytest.raises(ValueError, match="mode is 'sum', expected 'max' or 'avg'"):
        detops.mmcv.RoIAwarePool3d(2, mode=word)
    tensors = torch.rand(2, 7), torch.rand(5, 3), torch.rand(5, 4)
    with pytest.raises(ValueError, match="mode is 2, expected 0"):
        pool_module.RoIAwarePool3dFunction.apply(*tensors, 2, 128, 2)
    layer = detops.mmcv.RoIAwarePool3d(2)
    with pytest.raises(ValueError, match=r"RoIAwarePool3d: rois has shape \(2, 6\), expected \(B, 7\)"):
        layer(torch.rand(2, 6), torch.rand(5, 3), torch.rand(5, 4))
    with pytest.raises(ValueError, match=r"pts_feature has shape \(4, 4\), expected \(P, C\)"):
        layer(torch.rand(2, 7), torch.rand(5, 3), torch.rand(4, 4))
    with pytest.raises(ValueError, match="RoIAwarePool3d: max_pts_per_voxel is 0"):
        detops.mmcv.RoIAwarePool3d(2, 0)(*tensors)
    for size in (2.0, (2, 2, 2.0), -1):
        wrong: Any = size
        with pytest.raises(ValueError, match="out_size is .*expected"):
            detops.mmcv.RoIAwarePool3d(wrong)(*tensors)
    array: Any = np.zeros((2, 7))
    with pytest.raises(ValueError, match="rois is an array of NumPy, expected a tensor"):
        layer(array, *tensors[1:])
    with pytest.raises(ValueError, match="rois is on meta, pts is on cpu"):
        layer(tensors[0].to("meta"), *tensors[1:])
    with pytest.raises(ValueError, match=r"RoIAwarePool3d: rois\[0, 0\] is nan, expected a finite"):
        layer(tensors[0] * torch.nan, *tensors[1:])


def test_state_of_the_layer() -> None:
    layer = detops.mmcv.RoIAwarePool3d((1, 2, 3), max_pts_per_voxel=5, mode="avg")
    assert (layer.out_size, layer.max_pts_per_voxel, layer.mode) == ((1, 2, 3), 5, 1)
    assert not layer.state_dict()


def test_compiled_pooling() -> None:
    boxes, points, features = (torch.from_numpy(array) for array in pool_scene())
    layer = detops.mmcv.RoIAwarePool3d(2)
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(boxes, points, features), layer(boxes, points, features))


# ---- the surface ---------------------------------------------------------------------------------

SURFACE = {
    "RoIAwarePool3d": "(out_size, max_pts_per_voxel=128, mode='max')",
    "RoIAwarePool3d.forward": "(self, rois, pts, pts_feature)",
    "points_in_boxes_all": "(points, boxes)",
    "points_in_boxes_cpu": "(points, boxes)",
    "points_in_boxes_part": "(points, boxes)",
    "rotated_feature_align": "(features, best_rbboxes, spatial_scale=0.125, points=1)",
}


def plain_signature(function: Any) -> str:
    signature = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


@pytest.mark.parametrize("name", SURFACE)
def test_arguments_are_those_of_mmcv(name: str) -> None:
    found: Any = detops.mmcv
    for part in name.split("."):
        found = getattr(found, part)
    assert plain_signature(found) == SURFACE[name]


@pytest.mark.parametrize(
    "name",
    [
        "bbox",
        "box_iou_quadri",
        "box_iou_rotated",
        "iou3d",
        "nms",
        "points_in_boxes",
        "points_in_polygons",
        "roiaware_pool3d",
        "rotated_feature_align",
        "sparse_ops",
    ],
)
def test_examples_of_the_documentation(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"detops.mmcv.{name}"))
    assert result.attempted > 2 and result.failed == 0
