"""Empty inputs: what the table of docs/python.md says, and gradients of the same shapes."""

from __future__ import annotations

from typing import Any, Literal

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.torch
import torch
from support import Call, assert_same_bits

Pool = Literal["max", "avg"]
POOLS: list[Pool] = ["max", "avg"]


def zeros(*shape: int) -> torch.Tensor:
    return torch.zeros(shape, dtype=torch.float64)


def gradient_of(result: torch.Tensor, leaf: torch.Tensor) -> torch.Tensor:
    (made,) = torch.autograd.grad(result.sum(), leaf)
    assert made.shape == leaf.shape
    return made


@pytest.mark.parametrize("shape", [(0, 3, 3, 2), (1, 0, 3, 2), (1, 3, 0, 2), (1, 3, 3, 0)])
def test_rotated_feature_align(shape: tuple[int, ...]) -> None:
    source, boxes = zeros(*shape).requires_grad_(), zeros(*shape[:3], 5)
    result = detops.torch.rotated_feature_align_forward(source, boxes)
    assert result.shape == shape
    gradient_of(result, source)
    assert detops.torch.rotated_feature_align_backward(source, boxes).shape == shape


@pytest.mark.parametrize(
    ("shape", "layout"), [((1, 4, 4, 8), "NHWC"), ((0, 4, 4, 8), "NHWC"), ((1, 8, 0, 4), "NCHW")]
)
def test_psroipool(shape: tuple[int, ...], layout: Literal["NHWC", "NCHW"]) -> None:
    """No regions; an empty map has none that it could be in, or only zeros."""
    source, rois = zeros(*shape).requires_grad_(), zeros(0, 5)
    result = detops.torch.psroipool_forward(source, rois, 2, layout=layout)
    assert result.shape == ((0, 2, 2, 2))
    assert not gradient_of(result, source).any()


def test_psroipool_on_an_empty_map() -> None:
    source, rois = zeros(1, 0, 4, 8).requires_grad_(), zeros(3, 5)
    result = detops.torch.psroipool_forward(source, rois, 2)
    assert result.shape == (3, 2, 2, 2) and not result.any()
    gradient_of(result, source)


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize(("boxes", "points"), [(0, 5), (2, 0), (0, 0)])
def test_roiaware(pool: Pool, boxes: int, points: int) -> None:
    rois, pts, features = zeros(boxes, 7), zeros(points, 3), zeros(points, 4).requires_grad_()
    dense = detops.torch.roiaware_pool3d_forward(rois, pts, features, (1, 2, 3), 4, pool=pool)
    assert dense.pooled_features.shape == (boxes, 1, 2, 3, 4)
    assert not dense.pooled_features.any() and not dense.pts_idx_of_voxels.any()
    assert (dense.argmax is None) == (pool == "avg")
    assert dense.argmax is None or dense.argmax.eq(-1).all()
    assert not gradient_of(dense.pooled_features, features).any()
    compact = detops.torch.roiaware_pool3d_compact_forward(
        rois, pts, features, (1, 2, 3), 4, pool=pool
    )
    assert compact.voxels.shape == (0, 4) and compact.voxel_begins.tolist() == [0]
    assert compact.pts_idx.shape == (0,) and compact.pooled_features.shape == (0, 4)
    assert not gradient_of(compact.pooled_features, features).any()


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("name", ["roiaware_pool3d_forward", "roiaware_pool3d_compact_forward"])
@pytest.mark.parametrize(("boxes", "points"), [(0, 5), (2, 0)])
def test_second_derivatives_of_roiaware(name: str, pool: Pool, boxes: int, points: int) -> None:
    features = zeros(points, 4).requires_grad_()
    function = getattr(detops.torch, name)
    pooled = function(zeros(boxes, 7), zeros(points, 3), features, 2, 4, pool=pool).pooled_features
    weights = torch.ones_like(pooled).requires_grad_()
    (first,) = torch.autograd.grad(pooled, features, weights, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), weights)
    assert second.shape == pooled.shape and not second.any()


@pytest.mark.parametrize("name", ["roiaware_pool3d_forward", "roiaware_pool3d_compact_forward"])
def test_features_without_channels(name: str) -> None:
    with pytest.raises(ValueError, match=r"channels is 0|pts_feature has 0 elements"):
        getattr(detops.torch, name)(zeros(1, 7), zeros(3, 3), zeros(3, 0), 2)


@pytest.mark.parametrize(
    "words",
    [{}, {"submanifold": True}, {"transposed": True}, {"stride": 2}],
)
def test_get_indice_pairs_without_sites(words: dict[str, Any]) -> None:
    for ndim in (1, 2, 3, 4):
        indices = torch.empty((0, ndim + 1), dtype=torch.int32)
        arguments = {"indices": indices, "batch_size": 1, "spatial_shape": (4,) * ndim}
        call = Call("", "get_indice_pairs", {**arguments, "kernel_size": 2, **words})
        result = call.run()
        assert result.num_act_out == 0 and result.out_indices.shape == (0, ndim + 1)
        assert result.indice_pairs.shape == (2**ndim, 2, 0) and not result.indice_num.any()
        assert_same_bits(result, call.run_numpy())


def test_get_indice_pairs_that_reach_nothing() -> None:
    result = detops.torch.get_indice_pairs(torch.tensor([[0, 1]]), 1, (2,), 1, stride=2)
    assert result.num_act_out == 0 and result.out_indices.shape == (0, 2)
    assert result.indice_num.tolist() == [0] and bool((result.indice_pairs == -1).all())


@pytest.mark.parametrize("rows", [0, 5])
def test_convolution_without_pairs(rows: int) -> None:
    pairs, counts = torch.empty((3, 2, 0), dtype=torch.int32), torch.zeros(3, dtype=torch.int32)
    features, filters = zeros(0, 2).requires_grad_(), (zeros(3, 2, 4) + 1).requires_grad_()
    bias, residual = torch.arange(4.0).double().requires_grad_(), zeros(rows, 4).requires_grad_()
    result = detops.torch.indice_convolution_forward(features, filters, pairs, counts, rows)
    assert result.shape == (rows, 4) and not result.any()
    assert not gradient_of(result, filters).any()
    fused = detops.torch.indice_convolution_forward_fused(
        features, filters, pairs, counts, rows, bias=bias, residual=residual, activation="none"
    )
    assert_same_bits(fused, bias.expand(rows, 4))
    made = torch.autograd.grad(fused.sum(), (features, filters, bias, residual))
    assert made[0].shape == (0, 2) and not made[1].any()
    assert made[2].tolist() == [rows] * 4 and made[3].shape == (rows, 4)
