"""psroipool against the reference, in all conventions and layouts."""

from __future__ import annotations

import detops
import numpy as np
import pytest
from detops._types import Convention, Layout
from hypothesis import given
from hypothesis import strategies as st
from reference import Array, psroipool, psroipool_gradient

conventions = st.sampled_from(["rfcn", "torchvision", "consistent"])
layouts = st.sampled_from(["NHWC", "NCHW"])
sizes = st.tuples(st.integers(1, 3), st.integers(1, 3))


def to_layout(array: Array, layout: str) -> Array:
    return array if layout == "NHWC" else np.ascontiguousarray(array.transpose(0, 3, 1, 2))


def from_layout(array: Array, layout: str) -> Array:
    return array if layout == "NHWC" else array.transpose(0, 2, 3, 1)


def make(seed: int, pooled: tuple[int, int], rois: int = 7) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    images, output_dim = int(random.integers(1, 3)), int(random.integers(1, 4))
    height, width = (int(n) for n in random.integers(2, 9, size=2))
    image = random.normal(size=(images, height, width, output_dim * pooled[0] * pooled[1]))
    regions = np.empty((rois, 5))
    regions[:, 0] = random.integers(0, images, size=rois)
    regions[:, 1:] = random.uniform(-4, 2 * max(height, width) + 4, size=(rois, 4))
    return image, regions


@given(st.integers(0, 2**32 - 1), sizes, conventions, layouts)
def test_forward(
    seed: int, pooled: tuple[int, int], convention: Convention, layout: Layout
) -> None:
    image, rois = make(seed, pooled)
    result = detops.psroipool_forward(
        to_layout(image, layout), rois, pooled, 0.5, convention=convention, layout=layout
    )
    expected = psroipool(image, rois, pooled, 0.5, convention)
    np.testing.assert_allclose(from_layout(result, layout), expected, rtol=1e-12, atol=1e-13)


@given(st.integers(0, 2**32 - 1), sizes, conventions, layouts)
def test_backward(
    seed: int, pooled: tuple[int, int], convention: Convention, layout: Layout
) -> None:
    image, rois = make(seed, pooled)
    output_dim = image.shape[3] // (pooled[0] * pooled[1])
    gradient = np.random.default_rng(seed).normal(size=(len(rois), *pooled, output_dim))
    result = detops.psroipool_backward(
        to_layout(gradient, layout),
        rois,
        to_layout(image, layout).shape,
        0.5,
        convention=convention,
        layout=layout,
    )
    expected = psroipool_gradient(gradient, rois, image.shape, 0.5, convention)
    np.testing.assert_allclose(from_layout(result, layout), expected, rtol=1e-12, atol=1e-13)


@given(st.integers(0, 2**32 - 1), sizes, st.sampled_from(["rfcn", "consistent"]))
def test_backward_is_the_adjoint(
    seed: int, pooled: tuple[int, int], convention: Convention
) -> None:
    image, rois = make(seed, pooled)
    forward = detops.psroipool_forward(image, rois, pooled, 0.25, convention=convention)
    gradient = np.random.default_rng(seed).normal(size=forward.shape)
    backward = detops.psroipool_backward(gradient, rois, image.shape, 0.25, convention=convention)
    assert np.vdot(forward, gradient) == pytest.approx(
        np.vdot(image, backward), rel=1e-10, abs=1e-10
    )


def test_mapping_channel_goes_out_and_in() -> None:
    image, rois = make(3, (2, 3))
    output_dim = image.shape[3] // 6
    mapping = np.empty((len(rois), 2, 3, output_dim), np.int32)
    result = detops.psroipool_forward(image, rois, (2, 3), mapping_channel=mapping)
    assert (mapping[0, 1, 2] == np.arange(output_dim) * 6 + 5).all()
    plain = detops.psroipool_backward(result, rois, image.shape)
    for given_mapping in (mapping, mapping.astype(np.int64)):
        mapped = detops.psroipool_backward(result, rois, image.shape, mapping_channel=given_mapping)
        np.testing.assert_array_equal(mapped, plain)
    mapping[2, 0, 0, 0] = image.shape[3]
    with pytest.raises(ValueError, match=r"mapping_channel\[2, 0, 0, 0\]"):
        detops.psroipool_backward(result, rois, image.shape, mapping_channel=mapping)


def test_no_rois() -> None:
    image, rois = make(1, (2, 2), rois=0)
    result = detops.psroipool_forward(image, rois, 2)
    assert result.shape == (0, 2, 2, image.shape[3] // 4)
    assert not detops.psroipool_backward(result, rois, image.shape).any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"convention": "rcnn"}, "convention is 'rcnn', expected one of 'rfcn', 'torchvision'"),
        ({"layout": "HWC"}, "layout is 'HWC'"),
        ({"pooled_size": 5}, "expected a multiple of the 25 bins"),
        ({"pooled_size": (1, 2, 3)}, "pooled_size has 3 numbers, expected one or 2"),
        ({"pooled_size": 0}, r"pooled_size is \(0, 0\), expected 1 or more bins along each axis"),
        ({"pooled_size": (2, -1)}, r"pooled_size is \(2, -1\), expected 1 or more"),
        ({"input": np.zeros((4, 4, 4))}, r"input has shape \(4, 4, 4\), expected \(N, H, W, C\)"),
        ({"spatial_scale": 0.0}, "spatial_scale"),
        ({"rois": np.zeros((3, 4))}, r"rois has shape \(3, 4\), expected \(R, 5\)"),
        ({"rois": np.array([[2.0, 0, 0, 1, 1]])}, r"rois\[0, 0\]"),
    ],
)
def test_errors(change: dict[str, object], message: str) -> None:
    arguments = {
        "input": np.zeros((1, 4, 4, 4)),
        "rois": np.array([[0.0, 0, 0, 1, 1]]),
        "pooled_size": 2,
    }
    with pytest.raises(ValueError, match=message):
        detops.psroipool_forward(**{**arguments, **change})  # type: ignore[arg-type]
