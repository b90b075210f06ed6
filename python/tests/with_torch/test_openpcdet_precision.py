"""detops.openpcdet.rotate_iou: the overlaps of average precision."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch.library", reason="PyTorch is not installed")

from detops.openpcdet.rotate_iou import rotate_iou_gpu_eval

# Width 4, height 2: shifted by half, turned by a right angle, far away, without area.
BOX = np.array([[0.0, 0, 4, 2, 0]])
OTHERS = np.array([[2, 0, 4, 2, 0], [0, 0, 4, 2, np.pi / 2], [0, 0, 2, 1, 0], [9, 9, 4, 2, 1], [0, 0, 0, 2, 0]])


@pytest.mark.parametrize(
    ("criterion", "wanted"),
    [
        (-1, [4 / 12, 4 / 12, 2 / 8, 0, 0]),
        (0, [4 / 8, 4 / 8, 2 / 2, 0, 0]),  # Of the query box.
        (1, [4 / 8, 4 / 8, 2 / 8, 0, 0]),
        (2, [4, 4, 2, 0, 0]),
    ],
)
def test_what_overlaps_are_divided_by(criterion: int, wanted: list[float]) -> None:
    made = rotate_iou_gpu_eval(BOX, OTHERS, criterion)
    assert made.dtype == np.float64 and np.allclose(made, [wanted], 1e-6, 1e-6)
    # The other way round the two areas change their places.
    other = {0: 1, 1: 0}.get(criterion, criterion)
    assert np.allclose(rotate_iou_gpu_eval(OTHERS, BOX, other).T, made, 1e-6, 1e-6)


def test_angles_are_clockwise() -> None:
    """A long box that is turned by 30 degrees meets a small one that stands at its end, at -30."""
    long = np.array([[0, 0, 10, 1, math.radians(30)]], np.float32)
    end = 4 * np.array([math.cos(math.radians(30)), math.sin(math.radians(30))])
    small = np.array([[end[0], -end[1], 0.1, 0.1, 0], [end[0], end[1], 0.1, 0.1, 0]], np.float32)
    made = rotate_iou_gpu_eval(long, small, 0)
    assert made.dtype == np.float32 and np.allclose(made, [[1, 0]], atol=1e-5)


def test_nothing_and_wrong_shapes() -> None:
    assert rotate_iou_gpu_eval(BOX[:0], OTHERS).shape == (0, 5)
    assert rotate_iou_gpu_eval(BOX, OTHERS[:0]).shape == (1, 0)
    with pytest.raises(ValueError, match=r"^rotate_iou_gpu_eval: query_boxes has shape \[5, 4\], expected"):
        rotate_iou_gpu_eval(BOX, OTHERS[:, :4])
