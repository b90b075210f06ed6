"""detops.openpcdet against loops written from the description of OpenPCDet's module."""

from __future__ import annotations

import doctest
import inspect
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.mmcv
import detops.openpcdet.roiaware_pool3d_utils as utils
import torch

Array = npt.NDArray[np.float64]
Pool = Literal["max", "avg"]
POOLS: list[Pool] = ["max", "avg"]


def scene(boxes: int = 6, points: int = 500, seed: int = 1) -> tuple[Array, Array]:
    """Points that are not as close to a face that the margins would matter."""
    rng = np.random.default_rng(seed)
    made = rng.uniform(1, 4, (boxes, 7))
    made[:, :3] = rng.uniform(-2, 2, (boxes, 3))
    made[:, 6] = rng.uniform(-4, 4, boxes)
    some = rng.uniform(-3, 3, (points, 3))
    excess = np.abs(local(some, made)) - made[:, None, 3:6] / 2
    return some[(np.abs(excess) > 0.02).all((0, 2))], made


def local(points: Array, boxes: Array) -> Array:
    """(T, M, 3): points seen from the centres of boxes, along their axes."""
    across = (points[:, 0] + 1j * points[:, 1])[None] - (boxes[:, 0] + 1j * boxes[:, 1])[:, None]
    across = across * np.exp(-1j * boxes[:, 6])[:, None]
    return np.stack((across.real, across.imag, points[None, :, 2] - boxes[:, None, 2]), 2)


def holds(points: Array, boxes: Array) -> npt.NDArray[np.bool_]:
    inside = (np.abs(local(points, boxes)) < boxes[:, None, 3:6] / 2).all(2)
    assert 0.02 < inside.mean() < 0.5 and (inside.sum(0) > 1).any()
    return np.asarray(inside)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_points_in_boxes_cpu(dtype: Any) -> None:
    points, boxes = scene()
    expected = holds(points, boxes).tolist()
    p, b = points.astype(dtype), boxes.astype(dtype)
    arrays = utils.points_in_boxes_cpu(p, b)
    assert isinstance(arrays, np.ndarray) and arrays.dtype == np.int32
    assert arrays.tolist() == expected
    tensors = utils.points_in_boxes_cpu(torch.from_numpy(p), torch.from_numpy(b))
    assert isinstance(tensors, torch.Tensor) and tensors.dtype == torch.int32
    assert tensors.tolist() == expected


def test_kind_of_the_result_is_that_of_boxes() -> None:
    points, boxes = scene(2, 20)
    assert isinstance(utils.points_in_boxes_cpu(torch.from_numpy(points), boxes), np.ndarray)
    assert isinstance(utils.points_in_boxes_cpu(points, torch.from_numpy(boxes)), torch.Tensor)


def test_arrays_that_torch_would_not_take() -> None:
    points, boxes = scene(3, 50)
    expected = utils.points_in_boxes_cpu(points, boxes)
    frozen = points.copy()
    frozen.flags.writeable = False
    assert np.array_equal(utils.points_in_boxes_cpu(frozen, boxes), expected)
    assert np.array_equal(utils.points_in_boxes_cpu(points[::-1], boxes), expected[:, ::-1])
    wide = np.concatenate((points, points), 1)
    assert np.array_equal(utils.points_in_boxes_cpu(wide[:, :3], boxes), expected)


def test_points_in_boxes_gpu() -> None:
    scenes = [scene(seed=1), scene(seed=2)]
    count = min(len(points) for points, _ in scenes)
    inside = [holds(points[:count], boxes) for points, boxes in scenes]
    expected = [np.where(some.any(0), some.argmax(0), -1).tolist() for some in inside]
    points = torch.tensor(np.array([points[:count] for points, _ in scenes]))
    boxes = torch.tensor(np.array([boxes for _, boxes in scenes]))
    for p, b in ((points, boxes), (points.float(), boxes.float())):
        found = utils.points_in_boxes_gpu(p, b)
        assert found.dtype == torch.int32 and found.tolist() == expected


@pytest.mark.parametrize("margin", [1e-2, 1e-5])
def test_margins(margin: float) -> None:
    """Wider along x and y, by different numbers in the two functions; not along z."""
    box = torch.tensor([[0.0, 0, 0, 2, 4, 6, 0]], dtype=torch.float64)
    near, far = 0.9 * margin, 1.1 * margin
    inside = [[1 + near, 0, 0], [-1 - near, 0, 0], [0, 2 + near, 0], [0, 0, 3], [0, 0, -3]]
    outside = [[1 + far, 0, 0], [0, -2 - far, 0], [0, 0, 3 + near], [0, 0, -3 - near]]
    points = torch.tensor(inside + outside, dtype=torch.float64)
    expected = [True] * len(inside) + [False] * len(outside)
    if margin == 1e-2:
        assert utils.points_in_boxes_cpu(points, box)[0].bool().tolist() == expected
    else:
        assert (utils.points_in_boxes_gpu(points[None], box[None])[0] == 0).tolist() == expected
        features = torch.eye(len(points), dtype=torch.float64)
        pooled = utils.RoIAwarePool3d(1)(box, points, features)
        assert pooled.ravel().bool().tolist() == expected


def test_margin_is_added_as_the_original_adds_it() -> None:
    """|x| < dx / 2 + 0.01f in double, with |x| in float: its last number inside, and the next."""
    half = np.float32(0.7)
    limit = np.float64(half) + np.float64(np.float32(1e-2))
    last = np.float32(limit)
    if np.float64(last) >= limit:
        last = np.nextafter(last, np.float32(0))
    numbers = [last, np.nextafter(last, np.float32(9))]
    points = np.array([[x, 0, 0] for x in numbers], np.float32)
    box = np.array([[0, 0, 0, 2 * half, 9, 9, 0]], np.float32)
    assert utils.points_in_boxes_cpu(points, box).tolist() == [[1, 0]]


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("most", [128, 5])
def test_pooling(pool: Pool, most: int) -> None:
    points, boxes = scene(4, 900)
    features = np.random.default_rng(3).standard_normal((len(points), 3))
    size = np.array((2, 3, 4))
    seen, inside = local(points, boxes), holds(points, boxes)
    expected = np.zeros((len(boxes), *size, 3))
    for b, box in enumerate(boxes):
        voxels = np.floor((seen[b] / box[3:6] + 0.5) * size)
        for voxel in np.ndindex(*size):
            members = np.flatnonzero(inside[b] & (voxels == voxel).all(1))[: most - 1]
            if len(members):
                kept = features[members]
                expected[(b, *voxel)] = kept.max(0) if pool == "max" else kept.mean(0)
    tensors = torch.from_numpy(boxes), torch.from_numpy(points), torch.from_numpy(features)
    layer = utils.RoIAwarePool3d((2, 3, 4), max_pts_each_voxel=most)
    pooled = layer(*tensors, pool_method=pool)
    torch.testing.assert_close(pooled, torch.from_numpy(expected))
    assert torch.equal(utils.RoIAwarePool3dFunction.apply(*tensors, (2, 3, 4), most, pool), pooled)
    if pool == "max":
        assert torch.equal(layer(*tensors), pooled)


@pytest.mark.parametrize("pool", POOLS)
def test_gradients_of_pooling(pool: Pool) -> None:
    points, boxes = (torch.from_numpy(array) for array in scene(3, 60))
    features = torch.randn(len(points), 2, dtype=torch.float64, requires_grad=True)
    layer = utils.RoIAwarePool3d(2)
    assert torch.autograd.gradcheck(lambda x: layer(boxes, points, x, pool), features)


def test_boxes_of_mmcv_are_lower_by_half_their_height() -> None:
    points, boxes = (torch.from_numpy(array) for array in scene(5, 300))
    lowered = boxes.clone()
    lowered[:, 2] -= boxes[:, 5] / 2
    found = utils.points_in_boxes_gpu(points[None], boxes[None])
    assert torch.equal(found, detops.mmcv.points_in_boxes_part(points[None], lowered[None]))


def test_empty() -> None:
    assert utils.points_in_boxes_cpu(np.zeros((0, 3)), np.zeros((2, 7))).shape == (2, 0)
    assert utils.points_in_boxes_cpu(np.zeros((2, 3)), np.zeros((0, 7))).shape == (0, 2)
    none = utils.points_in_boxes_gpu(torch.zeros(1, 4, 3), torch.zeros(1, 0, 7))
    assert none.tolist() == [[-1] * 4]
    features = torch.zeros(0, 2, requires_grad=True)
    pooled = utils.RoIAwarePool3d(3)(torch.zeros(2, 7), torch.zeros(0, 3), features)
    assert pooled.shape == (2, 3, 3, 3, 2) and not pooled.any()


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match=r"points has shape \[2, 4\], expected \(M, 3\)"):
        utils.points_in_boxes_cpu(np.zeros((2, 4)), np.zeros((2, 7)))
    with pytest.raises(ValueError, match=r"boxes has shape \[2, 8\], expected \(T, 7\)"):
        utils.points_in_boxes_cpu(np.zeros((2, 3)), np.zeros((2, 8)))
    with pytest.raises(ValueError, match=r"points_in_boxes_gpu: boxes has extent 1 on axis 0"):
        utils.points_in_boxes_gpu(torch.zeros(2, 4, 3), torch.zeros(1, 4, 7))
    word: Any = "sum"
    with pytest.raises(ValueError, match="pool_method is 'sum'"):
        utils.RoIAwarePool3d(2)(torch.zeros(1, 7), torch.zeros(1, 3), torch.zeros(1, 1), word)


SURFACE = {
    "RoIAwarePool3d": "out_size, max_pts_each_voxel=128",
    "RoIAwarePool3d.forward": "self, rois, pts, pts_feature, pool_method='max'",
    "RoIAwarePool3dFunction.apply": "rois, pts, pts_feature, out_size, max_pts_each_voxel, "
    "pool_method",
    "points_in_boxes_cpu": "points, boxes",
    "points_in_boxes_gpu": "points, boxes",
}


@pytest.mark.parametrize("name", SURFACE)
def test_arguments_are_those_of_openpcdet(name: str) -> None:
    found: Any = utils
    for part in name.split("."):
        found = getattr(found, part)
    parameters = inspect.signature(found).parameters.values()
    bare = [str(parameter.replace(annotation=parameter.empty)) for parameter in parameters]
    assert ", ".join(bare) == SURFACE[name]


@pytest.mark.parametrize("module", [utils, detops.openpcdet.iou3d_nms_utils])
def test_examples_of_the_documentation(module: Any) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 5 and result.failed == 0
