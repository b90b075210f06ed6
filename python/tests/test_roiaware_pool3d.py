"""roiaware_pool3d against the reference, dense and compact."""

from __future__ import annotations

import detops
import numpy as np
import pytest
from detops._types import Pool, ZOrigin
from hypothesis import given
from hypothesis import strategies as st
from reference import Array, pool_voxel, roiaware_lists

pools = st.sampled_from(["max", "avg"])
origins = st.sampled_from(["bottom", "center"])
SIZE = (3, 2, 4)


def make(seed: int, boxes: int = 3, points: int = 60) -> tuple[Array, Array, Array]:
    random = np.random.default_rng(seed)
    rois = np.empty((boxes, 7))
    rois[:, :3] = random.uniform(-2, 2, size=(boxes, 3))
    rois[:, 3:6] = random.uniform(0.5, 4, size=(boxes, 3))
    rois[:, 6] = random.uniform(-4, 4, size=boxes)
    return rois, random.uniform(-3, 3, size=(points, 3)), random.normal(size=(points, 5))


@given(st.integers(0, 2**32 - 1), pools, origins, st.sampled_from([0.0, 0.5]), st.integers(2, 6))
def test_dense(seed: int, pool: Pool, z_origin: ZOrigin, margin: float, max_points: int) -> None:
    rois, points, features = make(seed)
    result = detops.roiaware_pool3d_forward(
        rois, points, features, SIZE, max_points, pool=pool, z_origin=z_origin, xy_margin=margin
    )
    lists = roiaware_lists(rois, points, SIZE, max_points, z_origin == "center", margin)
    pooled = np.zeros((len(rois), *SIZE, 5))
    argmax = np.full(pooled.shape, -1)
    idx = np.zeros((len(rois), *SIZE, max_points), np.int32)
    for voxel, members in lists.items():
        pooled[voxel], argmax[voxel] = pool_voxel(members, features, pool)
        idx[voxel][: len(members) + 1] = [len(members), *members]
    np.testing.assert_allclose(result.pooled_features, pooled, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(result.pts_idx_of_voxels, idx)
    if pool == "max":
        assert result.argmax is not None
        np.testing.assert_array_equal(result.argmax, argmax)
    else:
        assert result.argmax is None


@given(st.integers(0, 2**32 - 1), pools, origins, st.integers(2, 6))
def test_compact(seed: int, pool: Pool, z_origin: ZOrigin, max_points: int) -> None:
    rois, points, features = make(seed)
    result = detops.roiaware_pool3d_compact_forward(
        rois, points, features, SIZE, max_points, pool=pool, z_origin=z_origin
    )
    lists = roiaware_lists(rois, points, SIZE, max_points, z_origin == "center")
    voxels = sorted(lists)
    assert result.voxels.shape == (len(voxels), 4)
    assert [tuple(v) for v in result.voxels.tolist()] == voxels
    assert result.voxel_begins[0] == 0
    for v, voxel in enumerate(voxels):
        begin, end = result.voxel_begins[v : v + 2]
        assert result.pts_idx[begin:end].tolist() == lists[voxel]
        pooled, argmax = pool_voxel(lists[voxel], features, pool)
        np.testing.assert_allclose(result.pooled_features[v], pooled, rtol=1e-12, atol=1e-14)
        if result.argmax is not None:
            np.testing.assert_array_equal(result.argmax[v], argmax)
    assert len(result.pts_idx) == sum(len(members) for members in lists.values())


@given(st.integers(0, 2**32 - 1), pools)
def test_backward_is_the_slope_of_forward(seed: int, pool: Pool) -> None:
    rois, points, features = make(seed)
    step = 1e-7 * np.random.default_rng(seed).normal(size=features.shape)
    below = detops.roiaware_pool3d_forward(rois, points, features - step, SIZE, pool=pool)
    here = detops.roiaware_pool3d_forward(rois, points, features, SIZE, pool=pool)
    above = detops.roiaware_pool3d_forward(rois, points, features + step, SIZE, pool=pool)
    gradient = np.random.default_rng(seed + 1).normal(size=here.pooled_features.shape)
    slope = detops.roiaware_pool3d_backward(
        gradient, here.argmax, here.pts_idx_of_voxels, len(points), pool=pool
    )
    measured = np.vdot(above.pooled_features - below.pooled_features, gradient) / 2
    assert measured == pytest.approx(np.vdot(slope, step), rel=1e-5, abs=1e-12)

    compact = detops.roiaware_pool3d_compact_forward(rois, points, features, SIZE, pool=pool)
    listed = gradient[tuple(compact.voxels.T)]
    again = detops.roiaware_pool3d_compact_backward(
        listed, compact.voxel_begins, compact.pts_idx, compact.argmax, len(points), pool=pool
    )
    np.testing.assert_allclose(again, slope, rtol=1e-12, atol=1e-14)


def test_the_tensor_that_is_not_used_may_be_left_out() -> None:
    rois, points, features = make(7)
    most = detops.roiaware_pool3d_forward(rois, points, features, SIZE)
    mean = detops.roiaware_pool3d_forward(rois, points, features, SIZE, pool="avg")
    gradient = np.ones(most.pooled_features.shape)
    uses: list[tuple[Pool, Array | None, Array | None]] = [
        ("max", most.argmax, None),
        ("avg", None, mean.pts_idx_of_voxels),
    ]
    for pool, argmax, lists in uses:
        full = detops.roiaware_pool3d_backward(
            gradient, most.argmax, mean.pts_idx_of_voxels, len(points), pool=pool
        )
        part = detops.roiaware_pool3d_backward(gradient, argmax, lists, len(points), pool=pool)
        np.testing.assert_array_equal(part, full)
    with pytest.raises(TypeError, match="argmax is None, but pool='max' needs it"):
        detops.roiaware_pool3d_backward(gradient, None, mean.pts_idx_of_voxels, len(points))
    with pytest.raises(TypeError, match="voxel_begins is None"):
        detops.roiaware_pool3d_compact_backward(gradient[0], None, None, None, 3, pool="avg")


@pytest.mark.parametrize(("boxes", "points"), [(0, 5), (2, 0), (0, 0)])
@pytest.mark.parametrize("pool", ["max", "avg"])
def test_empty_scenes(boxes: int, points: int, pool: Pool) -> None:
    rois, pts, features = make(0, boxes, points)
    dense = detops.roiaware_pool3d_forward(rois, pts, features, 2, 8, pool=pool)
    assert dense.pooled_features.shape == (boxes, 2, 2, 2, 5)
    assert not dense.pooled_features.any()
    assert dense.pts_idx_of_voxels.shape == (boxes, 2, 2, 2, 8)
    assert not dense.pts_idx_of_voxels.any()
    if dense.argmax is not None:
        assert (dense.argmax == -1).all()
    slope = detops.roiaware_pool3d_backward(
        np.ones_like(dense.pooled_features),
        dense.argmax,
        dense.pts_idx_of_voxels,
        points,
        pool=pool,
    )
    assert slope.shape == (points, 5) and not slope.any()
    compact = detops.roiaware_pool3d_compact_forward(rois, pts, features, 2, 8, pool=pool)
    assert compact.voxels.shape == (0, 4) and compact.pooled_features.shape == (0, 5)
    assert compact.voxel_begins.tolist() == [0] and compact.pts_idx.shape == (0,)
    slope = detops.roiaware_pool3d_compact_backward(
        compact.pooled_features,
        compact.voxel_begins,
        compact.pts_idx,
        compact.argmax,
        points,
        pool=pool,
    )
    assert slope.shape == (points, 5) and not slope.any()


def test_compact_into_larger_memory() -> None:
    rois, points, features = make(11)
    expected = detops.roiaware_pool3d_compact_forward(rois, points, features, SIZE)
    room = (
        np.empty((500, 4), np.int32),
        np.empty(501, np.int32),
        np.empty(900, np.int32),
        np.empty((500, 5)),
        np.empty((500, 5), np.int32),
    )
    result = detops.roiaware_pool3d_compact_forward(rois, points, features, SIZE, out=room)
    for part, memory, right in zip(result, room, expected, strict=True):
        assert part is not None and right is not None
        assert np.shares_memory(part, memory)
        np.testing.assert_array_equal(part, right)
    small = (room[0][:1], room[1][:2], room[2], room[3][:1], room[4][:1])
    with pytest.raises(ValueError, match=f"{len(expected.voxels)}"):
        detops.roiaware_pool3d_compact_forward(rois, points, features, SIZE, out=small)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"pool": "sum"}, ValueError, "pool is 'sum', expected one of 'max', 'avg'"),
        ({"z_origin": "top"}, ValueError, "z_origin is 'top'"),
        ({"xy_margin": -1.0}, ValueError, "xy_margin"),
        ({"out_size": 0}, ValueError, r"out_size is \(0, 0, 0\), expected 1 or more voxels"),
        ({"max_pts_each_voxel": 0}, ValueError, "max_pts_each_voxel is 0, expected 1 or more"),
        ({"rois": np.zeros((2, 6))}, ValueError, r"rois has shape \(2, 6\), expected \(B, 7\)"),
        ({"pts": np.zeros((4, 2))}, ValueError, r"pts has shape \(4, 2\), expected \(P, 3\)"),
        ({"pts_feature": np.zeros((3, 1))}, ValueError, r"pts_feature has shape \(3, 1\), exp"),
        (
            {"pts": np.zeros((4, 3), np.float32)},
            TypeError,
            "pts has type float32, expected float64",
        ),
        ({"out": np.zeros(3)}, TypeError, "out is not a tuple, expected 3 arrays or None"),
        ({"out": (None, None)}, ValueError, "out has 2 items, expected 3"),
    ],
)
def test_errors(change: dict[str, object], kind: type[Exception], message: str) -> None:
    arguments = {
        "rois": np.zeros((2, 7)),
        "pts": np.zeros((4, 3)),
        "pts_feature": np.zeros((4, 1)),
        "out_size": 2,
    }
    with pytest.raises(kind, match=message):
        detops.roiaware_pool3d_forward(**{**arguments, **change})  # type: ignore[arg-type]
