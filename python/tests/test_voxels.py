"""Voxels of points, and reductions of their rows, against loops in NumPy."""

from __future__ import annotations

from typing import Any

import detops
import numpy as np
import pytest

POINTS = np.array(
    [[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [0.6, 0.6, 0.6], [-0.1, 0, 0], [0, 0, 0], [2, 0, 0]], np.float32
)
FEATS = np.array([[1, 5], [2, 4], [3, 3], [4, 2], [2, 9], [7, 7]], np.float32)
COORS = np.array([[0, 1, 0], [0, 0, 2], [0, 1, 0], [-1, 3, 3], [0, 0, 2], [0, 0, 2]])


def test_voxelization() -> None:
    made = detops.voxelization(POINTS, (1, 1, 1), (0, 0, 0, 2, 2, 1), 2, 9)
    assert made.coors.tolist() == [[0, 0, 0], [0, 0, 1]]
    assert made.num_points_per_voxel.tolist() == [2, 1]
    np.testing.assert_array_equal(made.voxels, [POINTS[[0, 2]], [POINTS[1], np.zeros(3)]])
    one = detops.voxelization(POINTS, (1, 1, 1), (0, 0, 0, 2, 2, 1), 3, 1)
    np.testing.assert_array_equal(one.voxels, [POINTS[[0, 2, 4]]])
    for nothing in (
        detops.voxelization(POINTS[:0], (1, 1, 1), (0, 0, 0, 2, 2, 1), 2, 9),
        detops.voxelization(POINTS, (1, 1, 1), (0, 0, 0, 2, 2, 1), 2, 0),
        detops.voxelization(POINTS + 9, (1, 1, 1), (0, 0, 0, 2, 2, 1), 2, 9),
    ):
        assert [array.shape for array in nothing] == [(0, 2, 3), (0, 3), (0,)]


def test_voxelization_is_point_to_voxel() -> None:
    random = np.random.default_rng(3)
    points = random.uniform(-1, 9, size=(5000, 5))
    for kind in (np.float16, np.float32, np.float64):
        cloud = points.astype(kind)
        made = detops.voxelization(cloud, (0.5, 1, 2), (0, 0, 0, 8, 8, 8), 3, 400)
        same = detops.point_to_voxel(cloud, (0.5, 1, 2), (0, 0, 0), (16, 8, 4), 3, 400)
        np.testing.assert_array_equal(made.voxels, same.voxels)
        np.testing.assert_array_equal(made.coors, same.coordinates)
        coordinates = detops.voxel_coordinates(cloud, (0.5, 1, 2), (0, 0, 0), (16, 8, 4))
        inside = same.point_voxel >= 0
        np.testing.assert_array_equal(coordinates[inside], same.coordinates[same.point_voxel[inside]])


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"voxel_size": (1, 0, 1)}, r"voxel_size\[1\] is 0, expected a finite number above 0"),
        ({"coors_range": (0, 0, 0, 1, 0, 1)}, r"coors_range\[4\] is 0, expected a finite number"),
        ({"max_points": 0}, "max_points is 0, expected 1 or more"),
        ({"max_voxels": -1}, "max_voxels is -1, expected 0 or more"),
        ({"voxel_size": (1, 1)}, "voxel_size has extent 2 on axis 0, expected 3"),
        ({"points": POINTS[:, :2]}, "points has 2 columns, expected at least 3"),
    ],
)
def test_voxelization_refuses(changes: dict[str, Any], text: str) -> None:
    words: dict[str, Any] = {
        "points": POINTS, "voxel_size": (1, 1, 1), "coors_range": (0, 0, 0, 2, 2, 1),
        "max_points": 2, "max_voxels": 9,
    }  # fmt: skip
    with pytest.raises(ValueError, match=f"^voxelization: {text}"):
        detops.voxelization(**{**words, **changes})


def test_voxel_coordinates() -> None:
    found = detops.voxel_coordinates(POINTS, (1, 1, 1), (0, 0, 0), (2, 2, 1))
    none = [-1, -1, -1]
    assert found.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 0], none, [0, 0, 0], none]
    out = np.empty((6, 3), np.int32)
    assert detops.voxel_coordinates(POINTS, (1, 1, 1), (0, 0, 0), (2, 2, 1), out=out) is out
    with pytest.raises(ValueError, match="^voxel_coordinates: range_min has 2 numbers, voxel_size 3"):
        detops.voxel_coordinates(POINTS, (1, 1, 1), (0, 0), (2, 2, 1))


@pytest.mark.parametrize(
    ("reduce", "rows"),
    [("max", [[7, 9], [3, 5]]), ("sum", [[11, 20], [4, 8]]), ("mean", [[11 / 3, 20 / 3], [2, 4]])],
)
def test_dynamic_point_to_voxel(reduce: Any, rows: list[list[float]]) -> None:
    made = detops.dynamic_point_to_voxel_forward(FEATS, COORS, reduce)
    assert made.voxel_coors.tolist() == [[0, 0, 2], [0, 1, 0]]
    assert made.point2voxel_map.tolist() == [1, 0, 1, -1, 0, 0]
    assert made.voxel_points_count.tolist() == [3, 2]
    np.testing.assert_allclose(made.voxel_feats, np.array(rows, np.float32), rtol=1e-6)
    grad = np.array([[3, 6], [2, 4]], np.float32)
    slope = detops.dynamic_point_to_voxel_backward(
        grad, FEATS, made.voxel_feats, made.point2voxel_map, made.voxel_points_count, reduce
    )
    whole = {
        "max": [[0, 4], [0, 0], [2, 0], [0, 0], [0, 6], [3, 0]],
        "sum": [[2, 4], [3, 6], [2, 4], [0, 0], [3, 6], [3, 6]],
        "mean": [[1, 2], [1, 2], [1, 2], [0, 0], [1, 2], [1, 2]],
    }
    np.testing.assert_array_equal(slope, np.array(whole[reduce], np.float32))


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("reduce", ["sum", "mean", "max"])
def test_scatter_reduce(reduce: Any, kind: Any) -> None:
    random = np.random.default_rng(4)
    src = random.normal(size=(300, 3))
    index = random.integers(-1, 20, size=300).astype(kind)
    made = detops.scatter_reduce_forward(src, index, 25, reduce)
    assert made.counts is not None and made.argmax is not None
    assert made.counts.dtype == made.argmax.dtype == np.int64
    grad = random.normal(size=(25, 3))
    words = {"count": made.counts, "argmax": made.argmax}
    slope = detops.scatter_reduce_backward(grad, index, **words, reduce=reduce)
    assert not slope[index < 0].any()
    for group in range(25):
        rows = np.flatnonzero(index == group)
        assert made.counts[group] == len(rows)
        if len(rows) == 0:
            assert not made.out[group].any() and (made.argmax[group] == 300).all()
            continue
        expected = getattr(np, reduce)(src[rows], axis=0)
        np.testing.assert_allclose(made.out[group], expected, rtol=1e-12, atol=1e-13)
        if reduce == "max":
            np.testing.assert_array_equal(made.argmax[group], rows[src[rows].argmax(0)])
            np.testing.assert_array_equal(slope[rows].sum(0), grad[group])
        else:
            share = grad[group] / (len(rows) if reduce == "mean" else 1)
            np.testing.assert_array_equal(slope[rows], np.broadcast_to(share, (len(rows), 3)))


def test_scatter_reduce_leaves_out_what_is_not_wanted() -> None:
    made = detops.scatter_reduce_forward(FEATS, np.zeros(6, np.int32), 1, count=False, argmax=False)
    assert made.counts is None and made.argmax is None
    np.testing.assert_array_equal(made.out, [[19, 30]])
    with pytest.raises(TypeError, match="^scatter_reduce_backward: count is None, but reduce='mean'"):
        detops.scatter_reduce_backward(made.out, np.zeros(6, np.int32), reduce="mean")
    with pytest.raises(ValueError, match=r"^scatter_reduce_forward: index\[2\] is 7, expected -1 or"):
        detops.scatter_reduce_forward(FEATS, np.array([0, 0, 7, 0, 0, 0]), 1)
    with pytest.raises(ValueError, match="^scatter_reduce_forward: num_groups is -1, expected 0 or"):
        detops.scatter_reduce_forward(FEATS, np.zeros(6, np.int32), -1)
