"""detops.mmcv.rotated_feature_align against loops written from the description of mmcv's operator."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.mmcv
import torch

Array = npt.NDArray[np.float64]
align_module: Any = importlib.import_module("detops.mmcv.rotated_feature_align")


def sample(plane: Array, y: float, x: float) -> float:
    height, width = plane.shape
    if y < -1 or y > height or x < -1 or x > width:
        return 0.0
    y, x = min(max(y, 0.0), height - 1.0), min(max(x, 0.0), width - 1.0)
    top, left = int(y), int(x)
    below, right = min(top + 1, height - 1), min(left + 1, width - 1)
    up, across = 1 - (y - top), 1 - (x - left)
    upper = plane[top, left] * across + plane[top, right] * (1 - across)
    lower = plane[below, left] * across + plane[below, right] * (1 - across)
    return float(upper * up + lower * (1 - up))


def aligned_by_loops(features: Array, boxes: Array, scale: float, points: int) -> Array:
    result = features.copy()
    for n, channel, i, j in np.ndindex(*features.shape):
        y, x, w, h = boxes[n, i, j, :4] * scale
        turn = np.exp(1j * boxes[n, i, j, 4])
        places = [complex(x, y)]
        if points == 5:
            for across, along in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
                places.append(complex(x, y) + turn * complex(across * w / 2, along * h / 2))
        plane = features[n, channel]
        result[n, channel, i, j] += sum(sample(plane, place.imag, place.real) for place in places)
    return result


def align_scene(batch: int = 2) -> tuple[Array, Array]:
    rng = np.random.default_rng(2)
    features = rng.standard_normal((batch, 3, 4, 5))
    boxes = rng.uniform(-6, 46, (batch, 4, 5, 5))
    boxes[..., 2:4] = rng.uniform(1, 30, (batch, 4, 5, 2))
    boxes[..., 4] = rng.uniform(-3, 3, (batch, 4, 5))
    return features, boxes


@pytest.mark.parametrize("points", [1, 5])
def test_align(points: int) -> None:
    features, boxes = align_scene()
    expected = torch.from_numpy(aligned_by_loops(features, boxes, 1 / 8, points))
    given, cells = torch.from_numpy(features), torch.from_numpy(boxes)
    for shape in (cells, cells.reshape(-1, 5)):
        for maps in (given, given.to(memory_format=torch.channels_last)):
            aligned = detops.mmcv.rotated_feature_align(maps, shape, points=points)
            torch.testing.assert_close(aligned, expected)
            assert aligned.stride() == maps.stride()
    half_as_large = cells.clone()
    half_as_large[..., :4] /= 2
    scaled = detops.mmcv.rotated_feature_align(given, half_as_large, 1 / 4, points)
    torch.testing.assert_close(scaled, expected)
    apply = align_module.RotatedFeatureAlignFunction.apply
    assert torch.equal(
        apply(given, cells, 1 / 8, points),
        detops.mmcv.rotated_feature_align(given, cells, points=points),
    )


@pytest.mark.parametrize("points", [1, 5])
def test_gradients_of_align(points: int) -> None:
    features, boxes = (torch.from_numpy(array) for array in align_scene(1))
    features.requires_grad_()

    def aligned(maps: torch.Tensor) -> torch.Tensor:
        return detops.mmcv.rotated_feature_align(maps, boxes, 1 / 8, points)

    assert torch.autograd.gradcheck(aligned, features)
    assert torch.autograd.gradgradcheck(aligned, features, fast_mode=True)


def test_align_of_mixed_types() -> None:
    """Boxes stay in float: half precision would move them."""
    features, boxes = (torch.from_numpy(array).float() for array in align_scene())
    aligned = detops.mmcv.rotated_feature_align(features.half(), boxes)
    assert aligned.dtype == torch.float16
    expected = detops.mmcv.rotated_feature_align(features.half().float(), boxes)
    assert torch.equal(aligned, expected.half())


def test_empty_align() -> None:
    for shape in ((0, 3, 4, 5), (2, 3, 0, 5), (2, 0, 4, 5)):
        cells = torch.zeros(shape[0] * shape[2] * shape[3], 5)
        assert detops.mmcv.rotated_feature_align(torch.zeros(shape), cells).shape == shape


@pytest.mark.parametrize(
    ("features", "boxes", "points", "text"),
    [
        ((3, 4, 5), (20, 5), 1, r"features has shape \[3, 4, 5\], expected \(N, C, H, W\)"),
        ((2, 3, 4, 5), (39, 5), 1, r"\[39, 5\], expected \[2, 4, 5, 5\] or \[40, 5\]"),
        ((2, 3, 4, 5), (2, 5, 4, 5), 1, r"\[2, 5, 4, 5\], expected"),
        ((2, 3, 4, 5), (40, 6), 1, r"\[40, 6\], expected"),
        ((2, 3, 4, 5), (40, 5), 3, "points"),
    ],
)
def test_wrong_arguments_of_align(
    features: tuple[int, ...], boxes: tuple[int, ...], points: int, text: str
) -> None:
    with pytest.raises(ValueError, match=text):
        detops.mmcv.rotated_feature_align(torch.zeros(features), torch.zeros(boxes), points=points)
