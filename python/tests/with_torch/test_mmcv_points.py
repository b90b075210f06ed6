"""Functions of mmcv's extension on points, with the arguments that mmcv's own Python gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import torch
from detops.mmcv import _ext, furthest_point_sample, furthest_point_sample_with_dist
from detops.openpcdet.pointnet2_batch import pointnet2_utils as batch
from detops.openpcdet.pointnet2_stack import pointnet2_utils as stack

NAN = float("nan")


def line(*values: float) -> torch.Tensor:
    """(N, 3): points on the x axis."""
    return torch.tensor([[value, 0.0, 0.0] for value in values]).reshape(-1, 3)


def counts(*numbers: int) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.int32)


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


@pytest.mark.parametrize(
    ("points", "least", "most", "wanted"),
    [
        ((0, 1, 2, 3), 0, 2, [0, 1, 0]),  # The border is out.
        ((0, 1, 2, 3), 1, 3, [0, 1, 2]),  # Here it is in, and a point at the centre always is.
        ((0.5, 1, 2), 1, 3, [1, 2, 1]),
        ((3, 0), 0, 0, [1, 1, 1]),
        ((3, NAN), 0, 1, [7, 7, 7]),  # What was there before.
        ((), 0, 1, [7, 7, 7]),
    ],
)
def test_balls(points: Any, least: float, most: float, wanted: list[int]) -> None:
    found = torch.full((1, 1, 3), 7, dtype=torch.int32)
    sizes = {"b": 1, "n": len(points), "m": 1}
    _ext.ball_query_forward(
        line(0)[None], line(*points)[None], found, **sizes, min_radius=least, max_radius=most, nsample=3
    )
    assert found.tolist() == [[wanted]]


def test_balls_of_clouds() -> None:
    found = torch.full((3, 2), 7, dtype=torch.int32)
    words = (line(0, 11, 50), counts(1, 2), line(0, 1, 10, 11, 12), counts(2, 3), found)
    _ext.stack_ball_query_forward(*words, max_radius=1.5, nsample=2)
    assert found.tolist() == [[0, 1], [0, 1], [-1, 0]]


def test_furthest_points_by_their_distances() -> None:
    points = normal(2, 40, 3)
    squares = (points[:, :, None] - points[:, None]).square().sum(-1)
    found = furthest_point_sample(points, 9)
    assert torch.equal(found, batch.furthest_point_sample(points, 9))
    assert torch.equal(furthest_point_sample_with_dist(squares, 9), found)
    squares[:, :, found[0, 1]] = NAN
    assert found[0, 1] not in furthest_point_sample_with_dist(squares, 9)[0]
    assert furthest_point_sample_with_dist(torch.zeros(0, 4, 4), 2).shape == (0, 2)
    assert furthest_point_sample_with_dist(torch.zeros(1, 0, 0), 0).shape == (1, 0)


def check_linear(forward: Callable[[Any, Any], None], backward: Callable[[Any, Any], None], wanted: Any, x: Any) -> None:
    """Both write into a tensor: the second argument."""
    made, slope = torch.zeros_like(wanted), torch.zeros_like(x)
    (gradient,) = torch.autograd.grad((wanted * wanted.detach()).sum(), x)
    forward(x.detach(), made)
    backward(wanted.detach(), slope)
    torch.testing.assert_close(made, wanted.detach(), rtol=0, atol=0)
    torch.testing.assert_close(slope, gradient)


def test_groups() -> None:
    features = normal(2, 4, 10).requires_grad_()
    idx = torch.tensor([[[0, 0, 3], [9, 1, 0]], [[2, 2, 2], [5, 4, 5]]], dtype=torch.int32)
    sizes = {"b": 2, "c": 4, "n": 10, "npoints": 2}
    check_linear(
        lambda x, out: _ext.group_points_forward(x, idx, out, **sizes, nsample=3),
        lambda g, out: _ext.group_points_backward(g, idx, out, **sizes, nsample=3),
        batch.grouping_operation(features, idx),
        features,
    )
    first = idx[..., 0].contiguous()
    check_linear(
        lambda x, out: _ext.gather_points_forward(x, first, out, **sizes),
        lambda g, out: _ext.gather_points_backward(g, first, out, **sizes),
        batch.gather_operation(features, first),
        features,
    )


def test_groups_of_clouds() -> None:
    rows = normal(7, 3).requires_grad_()
    idx = torch.tensor([[1, 1], [0, 4], [2, 2]], dtype=torch.int32)
    of_rows, of_idx, sizes = counts(2, 5), counts(1, 2), {"b": 2, "c": 3, "m": 3, "nsample": 2}
    check_linear(
        lambda x, out: _ext.stack_group_points_forward(x, of_rows, idx, of_idx, out, **sizes),
        lambda g, out: _ext.stack_group_points_backward(g, idx, of_idx, of_rows, out, **sizes, n=7),
        stack.grouping_operation(rows, of_rows, idx, of_idx),
        rows,
    )


def test_between_points() -> None:
    target, source = normal(2, 6, 3), normal(2, 5, 3)
    squares, idx = torch.empty(2, 6, 3, dtype=torch.float64), torch.empty(2, 6, 3, dtype=torch.int32)
    _ext.three_nn_forward(target, source, squares, idx, b=2, n=6, m=5)
    distances, same = batch.three_nn(target, source)
    torch.testing.assert_close(squares.sqrt(), distances)
    assert torch.equal(idx, same)
    features, weight = normal(2, 4, 5).requires_grad_(), normal(2, 6, 3)
    sizes = {"b": 2, "c": 4, "n": 6, "m": 5}
    check_linear(
        lambda x, out: _ext.three_interpolate_forward(x, idx, weight, out, **sizes),
        lambda g, out: _ext.three_interpolate_backward(g, idx, weight, out, **sizes),
        batch.three_interpolate(features, idx, weight),
        features,
    )


def test_points_of_boxes() -> None:
    """z of a box is its bottom; along x its faces are outside."""
    points = torch.tensor([[0.0, 0, -0.5], [0, 0, 2], [1, 0, 1], [0.5, 0, 0]])
    boxes = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0], [9, 9, 9, 1, 1, 1, 0]])
    pooled, empty = torch.ones(1, 2, 3, 4), torch.zeros(1, 2, dtype=torch.int32)
    _ext.roipoint_pool3d_forward(points[None], boxes[None], torch.arange(4.0).view(1, 4, 1), pooled, empty)
    assert pooled[0, :, :, 3].tolist() == [[1, 3, 1], [0, 0, 0]] and empty.tolist() == [[0, 1]]
    assert pooled[0, 0, 1].tolist() == [0.5, 0, 0, 3] and not pooled[0, 1].any()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: furthest_point_sample(torch.zeros(1, 0, 3), 2),
         r"furthest_point_sample: points_xyz has no points, expected some for 2 samples\."),
        (lambda: furthest_point_sample_with_dist(torch.zeros(1, 0, 0), 2),
         r"furthest_point_sample_with_dist: points_dist has no points, expected some for 2 samples\."),
        (lambda: furthest_point_sample_with_dist(torch.zeros(1, 2, 3), 2),
         r"furthest_point_sample_with_dist: points_dist has shape \[1, 2, 3\], expected \(B, N, N\) with N = 2\."),
        (lambda: _ext.gather_points_forward(
            torch.zeros(1, 2, 3), counts(0, 3)[None], torch.zeros(1, 2, 2), b=1, c=2, n=3, npoints=2),
         r"gather_points: indices has 3 at \[0, 1\], expected 0 to 2\."),
        (lambda: _ext.stack_ball_query_forward(
            line(0), counts(2), line(0), counts(1), counts(0)[None], max_radius=1, nsample=1),
         r"ball_query: center_xyz_batch_cnt is \[2\], expected counts that add up to 1 rows\."),
    ],
)  # fmt: skip
def test_wrong_arguments(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}$"):
        call()
