"""rotated_feature_align against the reference, and its gradient as the adjoint."""

from __future__ import annotations

import detops
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import Array, rotated_feature_align

TOLERANCE = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-12}


def make(seed: int, shape: tuple[int, int, int, int]) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    images, height, width, _ = shape
    features = random.normal(size=shape)
    boxes = random.uniform(-2, 1, size=(images, height, width, 5))
    boxes[..., :2] = random.uniform(-2, 2 * max(height, width) + 2, size=(*boxes.shape[:3], 2))
    boxes[..., 2:4] = random.uniform(0, 2 * width, size=(*boxes.shape[:3], 2))
    return features, boxes


shapes = st.tuples(st.integers(1, 2), st.integers(1, 5), st.integers(1, 5), st.integers(1, 9))


@given(st.integers(0, 2**32 - 1), shapes, st.sampled_from([1, 5]), st.sampled_from([0.5, 1.0]))
def test_forward_agrees_with_the_reference(
    seed: int, shape: tuple[int, int, int, int], points: int, scale: float
) -> None:
    features, boxes = make(seed, shape)
    result = detops.rotated_feature_align_forward(features, boxes, scale, points)
    assert result.dtype == np.float64
    expected = rotated_feature_align(features, boxes, scale, points)
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("points", [1, 5])
def test_narrow_types(dtype: str, points: int) -> None:
    features, boxes = make(5, (2, 6, 7, 17))
    features, boxes = features.astype(dtype), boxes.astype(dtype)
    result = detops.rotated_feature_align_forward(features, boxes, 0.5, points)
    assert result.dtype == dtype
    expected = rotated_feature_align(features, boxes, 0.5, points)
    # All numbers together: a single sample may cross the border of the map by one rounding.
    error = np.abs(result - expected).sum() / np.abs(expected).sum()
    assert error < TOLERANCE[dtype]


@given(st.integers(0, 2**32 - 1), shapes, st.sampled_from([1, 5]))
def test_backward_is_the_adjoint(seed: int, shape: tuple[int, int, int, int], points: int) -> None:
    features, boxes = make(seed, shape)
    gradient = np.random.default_rng(seed + 1).normal(size=shape)
    forward = detops.rotated_feature_align_forward(features, boxes, 0.5, points)
    backward = detops.rotated_feature_align_backward(gradient, boxes, 0.5, points)
    assert np.vdot(forward, gradient) == pytest.approx(
        np.vdot(features, backward), rel=1e-10, abs=1e-10
    )


@pytest.mark.parametrize("shape", [(0, 3, 3, 2), (1, 0, 3, 2), (1, 3, 0, 2), (1, 3, 3, 0)])
def test_an_empty_map_has_an_empty_result(shape: tuple[int, ...]) -> None:
    features = np.zeros(shape, np.float32)
    boxes = np.zeros((*shape[:3], 5), np.float32)
    assert detops.rotated_feature_align_forward(features, boxes).shape == shape
    assert detops.rotated_feature_align_backward(features, boxes).shape == shape
    with pytest.raises(ValueError, match="bboxes"):
        detops.rotated_feature_align_forward(features, np.zeros((1, 1, 1, 4), np.float32))


def test_errors_are_the_sentences_of_the_library() -> None:
    features, boxes = make(0, (1, 2, 2, 3))
    with pytest.raises(ValueError, match="points is 3, expected 1 or 5"):
        detops.rotated_feature_align_forward(features, boxes, points=3)
    with pytest.raises(ValueError, match="spatial_scale"):
        detops.rotated_feature_align_backward(features, boxes, spatial_scale=-1)
    boxes[0, 1, 0, 4] = np.nan
    with pytest.raises(ValueError, match=r"bboxes\[0, 1, 0, 4\] is nan, expected a finite number"):
        detops.rotated_feature_align_forward(features, boxes)
