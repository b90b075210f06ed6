"""Sparse convolution on index pairs: ``mmcv.ops.sparse_ops``."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ..spconv.ops import get_conv_output_size, get_deconv_output_size
from ..torch import (
    get_indice_pairs as _get_indice_pairs,
    indice_convolution_backward_data,
    indice_convolution_backward_filter,
    indice_convolution_forward,
    indice_convolution_forward_fused,
    indice_pool_backward,
    indice_pool_forward,
)

__all__ = [
    "fused_indice_conv",
    "get_conv_output_size",
    "get_deconv_output_size",
    "get_indice_pairs",
    "indice_conv",
    "indice_conv_backward",
    "indice_maxpool",
    "indice_maxpool_backward",
]


def _each(numbers: int | Sequence[int], axes: int) -> list[int]:
    return [numbers] * axes if isinstance(numbers, int) else [int(number) for number in numbers]


def get_indice_pairs(
    indices: torch.Tensor,
    batch_size: int,
    spatial_shape: Sequence[int],
    ksize: int | Sequence[int] = 3,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    out_padding: int | Sequence[int] = 0,
    subm: bool = False,
    transpose: bool = False,
    grid: torch.Tensor | None = None,
) -> list[torch.Tensor]:
    """Find which input site meets which output site under which offset of the kernel.

    Parameters
    ----------
    indices : int tensor (L, D + 1)
        (batch, coordinates) of each input site.
    spatial_shape : sequence of D int
    ksize, stride, padding, dilation, out_padding : int or sequence of D int
        With ``subm`` stride and padding are not used: the kernel is centred.
    grid
        Not used: there is no table of the whole space that could be kept.

    Returns
    -------
    [outids (num_act_out, D + 1), indice_pairs (K, 2, L), indice_pair_num (K,)], all int32

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv.sparse_ops as ops
    >>> sites = torch.tensor([[0, 0, 0], [0, 0, 1]], dtype=torch.int32)
    >>> outids, pairs, counts = ops.get_indice_pairs(sites, 1, [4, 4], 3, subm=True)
    >>> counts
    tensor([0, 0, 0, 1, 2, 1, 0, 0, 0], dtype=torch.int32)
    """
    axes = indices.shape[1] - 1
    space = [int(extent) for extent in spatial_shape]
    kernel, dilate = _each(ksize, axes), _each(dilation, axes)
    steps, pad, more = (_each(numbers, axes) for numbers in (stride, padding, out_padding))
    if subm:
        out_space = space
    elif transpose:
        out_space = get_deconv_output_size(space, kernel, steps, pad, dilate, more)
    else:
        out_space = get_conv_output_size(space, kernel, steps, pad, dilate)
    return find_pairs(
        indices,
        batch_size,
        space,
        out_space,
        kernel,
        steps,
        pad,
        dilate,
        more,
        subm=subm,
        transpose=transpose,
    )


def find_pairs(
    indices: torch.Tensor,
    batch_size: int,
    space: list[int],
    out_space: list[int],
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    out_padding: list[int],
    *,
    subm: bool,
    transpose: bool,
) -> list[torch.Tensor]:
    """:func:`get_indice_pairs` with a number for each axis and the output space given."""
    if subm:
        pairs = _get_indice_pairs(
            indices, batch_size, space, kernel, dilation=dilation, submanifold=True
        )
    else:
        pairs = _get_indice_pairs(
            indices,
            batch_size,
            space,
            kernel,
            stride,
            padding,
            dilation,
            transposed=transpose,
            output_padding=out_padding if transpose else [0] * len(kernel),
            output_shape=out_space,
        )
    return [pairs.out_indices, pairs.indice_pairs, pairs.indice_num]


def indice_conv(
    features: torch.Tensor,
    filters: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_pair_num: torch.Tensor,
    num_activate_out: int,
    inverse: bool = False,
    subm: bool = False,
) -> torch.Tensor:
    """Sparse convolution of (L, Ci) features with (kernel..., Ci, Co) filters.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv.sparse_ops as ops
    >>> sites = torch.tensor([[0, 0, 0], [0, 0, 1]], dtype=torch.int32)
    >>> outids, pairs, counts = ops.get_indice_pairs(sites, 1, [4, 4], 3, subm=True)
    >>> features, filters = torch.tensor([[1.0], [10.0]]), torch.ones(3, 3, 1, 1)
    >>> ops.indice_conv(features, filters, pairs, counts, 2, subm=True).ravel()
    tensor([11., 11.])
    """
    return indice_convolution_forward(
        features, filters, indice_pairs, indice_pair_num, num_activate_out, inverse=bool(inverse)
    )


def fused_indice_conv(
    features: torch.Tensor,
    filters: torch.Tensor,
    bias: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_pair_num: torch.Tensor,
    num_activate_out: int,
    inverse: bool,
    subm: bool,
) -> torch.Tensor:
    """As :func:`indice_conv`, plus (Co,) bias.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv.sparse_ops as ops
    >>> sites = torch.tensor([[0, 0, 0]], dtype=torch.int32)
    >>> _, pairs, counts = ops.get_indice_pairs(sites, 1, [4, 4], 3, subm=True)
    >>> features, filters, bias = torch.ones(1, 1), torch.ones(3, 3, 1, 2), torch.tensor([0.5, 2])
    >>> ops.fused_indice_conv(features, filters, bias, pairs, counts, 1, False, True)
    tensor([[1.5000, 3.0000]])
    """
    return indice_convolution_forward_fused(
        features,
        filters,
        indice_pairs,
        indice_pair_num,
        num_activate_out,
        bias=bias,
        inverse=bool(inverse),
    )


def indice_conv_backward(
    features: torch.Tensor,
    filters: torch.Tensor,
    out_bp: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_pair_num: torch.Tensor,
    inverse: bool = False,
    subm: bool = False,
) -> list[torch.Tensor]:
    """Gradients of :func:`indice_conv` with respect to features and to filters.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv.sparse_ops as ops
    >>> sites = torch.tensor([[0, 0, 0]], dtype=torch.int32)
    >>> _, pairs, counts = ops.get_indice_pairs(sites, 1, [4, 4], 1, subm=True)
    >>> features, filters = torch.tensor([[2.0]]), torch.full((1, 1, 1, 1), 3.0)
    >>> grad = torch.ones(1, 1)
    >>> [made.item() for made in ops.indice_conv_backward(features, filters, grad, pairs, counts)]
    [3.0, 2.0]
    """
    pairs = (indice_pairs, indice_pair_num)
    return [
        indice_convolution_backward_data(
            out_bp, filters, *pairs, features.shape[0], inverse=bool(inverse)
        ),
        indice_convolution_backward_filter(
            features, out_bp, *pairs, filters.shape, inverse=bool(inverse)
        ),
    ]


def indice_maxpool(
    features: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_pair_num: torch.Tensor,
    num_activate_out: int,
) -> torch.Tensor:
    """The maximum of the input rows of each output row, and of 0: nothing negative comes out.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv.sparse_ops as ops
    >>> pairs, counts = torch.tensor([[[0, 1, 2], [0, 0, 1]]]), torch.tensor([3])
    >>> ops.indice_maxpool(torch.tensor([[1.0], [5.0], [-2.0]]), pairs, counts, 2).ravel()
    tensor([5., 0.])
    """
    return indice_pool_forward(features, indice_pairs, indice_pair_num, num_activate_out)


def indice_maxpool_backward(
    features: torch.Tensor,
    out_features: torch.Tensor,
    out_bp: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_pair_num: torch.Tensor,
) -> torch.Tensor:
    """The gradient of :func:`indice_maxpool`: every input that equals its output gets all of it.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv.sparse_ops as ops
    >>> pairs, counts = torch.tensor([[[0, 1], [0, 0]]]), torch.tensor([2])
    >>> features, out, grad = (torch.tensor(rows) for rows in ([[1.0], [5.0]], [[5.0]], [[3.0]]))
    >>> ops.indice_maxpool_backward(features, out, grad, pairs, counts).ravel()
    tensor([0., 3.])
    """
    rows = features.shape[0]
    return indice_pool_backward(
        out_bp, features, out_features, indice_pairs, indice_pair_num, rows
    )
