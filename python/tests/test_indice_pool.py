"""indice_pool and point_to_voxel against loops in NumPy."""

from __future__ import annotations

from typing import Any

import detops
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

DTYPES = [np.float16, np.float32, np.float64]


def some_pairs(seed: int, inputs: int, outputs: int) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    length = 6
    pairs = np.stack(
        [random.integers(0, inputs, (3, length)), random.integers(0, outputs, (3, length))], axis=1
    )
    return pairs, random.integers(0, length + 1, 3)


def pooled_by_hand(features: Any, pairs: Any, counts: Any, rows: int, pool: str, start: str) -> Any:
    lists: list[list[Any]] = [[] for _ in range(rows)]
    for offset, count in enumerate(counts):
        for column in range(count):
            lists[pairs[offset, 1, column]].append(features[pairs[offset, 0, column]])
    made = np.zeros((rows, features.shape[1]))
    for row, found in enumerate(lists):
        if found and pool == "avg":
            made[row] = np.mean(np.array(found, np.float64), axis=0)
        elif found:
            most = np.max(np.array(found, np.float64), axis=0)
            made[row] = np.maximum(most, 0) if start == "zero" else most
    return made


@given(
    seed=st.integers(0, 99),
    channels=st.integers(1, 9),
    dtype=st.sampled_from(DTYPES),
    pool=st.sampled_from(["max", "avg"]),
    start=st.sampled_from(["zero", "lowest"]),
)
def test_forward(seed: int, channels: int, dtype: Any, pool: Any, start: Any) -> None:
    pairs, counts = some_pairs(seed, 5, 4)
    features = np.random.default_rng(seed).normal(size=(5, channels)).astype(dtype)
    made = detops.indice_pool_forward(features, pairs, counts, 4, pool=pool, start=start)
    expected = pooled_by_hand(features, pairs, counts, 4, pool, start)
    assert made.dtype == dtype
    np.testing.assert_allclose(made, expected, rtol=np.finfo(dtype).eps, atol=1e-7)
    again = detops.indice_pool_forward(
        features, pairs, counts, pool=pool, start=start, out=np.empty_like(made)
    )
    assert np.array_equal(made, again)


@pytest.mark.parametrize("pool", ["max", "avg"])
def test_backward_is_the_slope(pool: Any) -> None:
    # Each pair once: an input that occurs again gets the gradient of a maximum again.
    inputs = np.arange(5)
    pairs = np.array([[inputs, (inputs + offset) % 4] for offset in range(3)])
    counts = [5, 4, 5]
    features = np.random.default_rng(1).normal(size=(5, 3))
    grad = np.random.default_rng(2).normal(size=(4, 3))

    def value(at: Any) -> float:
        made = detops.indice_pool_forward(at, pairs, counts, 4, pool=pool, start="lowest")
        return float((made * grad).sum())

    out = detops.indice_pool_forward(features, pairs, counts, 4, pool=pool, start="lowest")
    slope = detops.indice_pool_backward(grad, features, out, pairs, counts, 5, pool=pool)
    step = 1e-6
    for row in range(5):
        for channel in range(3):
            moved = features.copy()
            moved[row, channel] += step
            higher = value(moved)
            moved[row, channel] -= 2 * step
            assert (higher - value(moved)) / (2 * step) == pytest.approx(
                slope[row, channel], abs=1e-6
            )


def test_ties_and_errors() -> None:
    pairs, features = np.array([[[0, 1], [0, 0]]]), np.array([[2.0], [2.0]])
    grad = detops.indice_pool_backward(np.array([[3.0]]), features, np.array([[2.0]]), pairs, [2])
    assert grad.ravel().tolist() == [3.0, 3.0]
    with pytest.raises(TypeError, match="features is None, but pool='max' needs it"):
        detops.indice_pool_backward(np.array([[3.0]]), None, None, pairs, [2])
    with pytest.raises(TypeError, match="num_act_out is needed"):
        detops.indice_pool_forward(features, pairs, [2])
    with pytest.raises(ValueError, match="is 7, expected"):
        detops.indice_pool_forward(features, np.array([[[0, 7], [0, 0]]]), [2], 1)
    with pytest.raises(ValueError, match="start is 'one', expected one of 'zero', 'lowest'"):
        detops.indice_pool_forward(features, pairs, [2], 1, start="one")  # type: ignore[arg-type]


def test_voxels_of_clouds() -> None:
    points = np.array([[0.1, 0.1, 7], [3.9, 0, 1], [0.2, 0, 9], [1.5, 1.5, 2], [0.3, 0.3, 4]])
    made = detops.point_to_voxel(
        points, (1, 1), (0, 0), (4, 2), 2, cloud_begins=np.array([0, 3, 5]), means=True
    )
    assert made.voxels is not None and made.means is not None
    assert made.coordinates.tolist() == [[0, 0, 0], [0, 0, 3], [1, 1, 1], [1, 0, 0]]
    assert made.num_points.tolist() == [2, 1, 1, 1]
    assert made.point_voxel.tolist() == [0, 1, 0, 2, 3]
    assert made.voxels.shape == (4, 2, 3) and not made.voxels[1:, 1].any()
    np.testing.assert_allclose(made.means[0], points[[0, 2]].mean(axis=0))


def test_voxels_limits_and_errors() -> None:
    points = np.array([[0.5], [2.5], [0.6], [np.nan], [-1.0], [9.0]], np.float32)
    made = detops.point_to_voxel(points, [1], [0], [4], 1, 1)
    assert made.coordinates.tolist() == [[0]] and made.num_points.tolist() == [1]
    assert made.point_voxel.tolist() == [0, -1, 0, -1, -1, -1] and made.means is None
    nothing = detops.point_to_voxel(points[:0], [1], [0], [4], 1)
    assert nothing.coordinates.shape == (0, 1)
    with pytest.raises(ValueError, match="expected as many of each"):
        detops.point_to_voxel(points, [1, 1], [0], [4], 1)
    with pytest.raises(ValueError, match="max_points_per_voxel"):
        detops.point_to_voxel(points, [1], [0], [4])
    with pytest.raises(ValueError, match="voxel_size"):
        detops.point_to_voxel(points, [0], [0], [4], 1)
