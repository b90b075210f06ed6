"""What networks take from ``spconv.pytorch.ops``: sizes of outputs, and pairs in spconv's layout.

The original's functions on pairs are not here: ``detops.torch`` has them in its own form.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ._convolution import ConvAlgo
from .core import IndiceData

__all__ = ["ConvAlgo", "get_conv_output_size", "get_deconv_output_size", "in_spconv_layout"]


def get_conv_output_size(
    input_size: Sequence[int],
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> list[int]:
    """The output space of a convolution; 1 along an axis of kernel size -1.

    Examples
    --------
    >>> from detops.spconv import ops
    >>> ops.get_conv_output_size([41, 8], [3, 3], [2, 1], [1, 1], [1, 1])
    [21, 8]
    """
    axes = zip(input_size, kernel_size, stride, padding, dilation, strict=True)
    return [
        1 if kernel == -1 else (size + 2 * pad - dilate * (kernel - 1) - 1) // step + 1
        for size, kernel, step, pad, dilate in axes
    ]


def get_deconv_output_size(
    input_size: Sequence[int],
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    output_padding: Sequence[int],
) -> list[int]:
    """The output space of a transposed convolution. As in the originals, dilation does not enlarge it.

    Examples
    --------
    >>> from detops.spconv import ops
    >>> ops.get_deconv_output_size([21], [3], [2], [1], [1], [1])
    [42]
    """
    if -1 in kernel_size:
        raise ValueError("get_deconv_output_size: kernel_size has a -1, expected 1 or more.")
    axes = zip(input_size, kernel_size, stride, padding, dilation, output_padding, strict=True)
    return [
        (size - 1) * step - 2 * pad + kernel + more for size, kernel, step, pad, _, more in axes
    ]


def in_spconv_layout(stored: IndiceData) -> tuple[torch.Tensor, torch.Tensor]:
    """Stored pairs as spconv 2 has them: (2, K, L), and counts (K,).

    Of a submanifold layer spconv counts only the offsets before the centre; those behind it have as
    many pairs as their mirror image.

    Examples
    --------
    >>> import torch
    >>> from detops import spconv
    >>> sites = torch.tensor([[0, 1], [0, 2], [0, 5]], dtype=torch.int32)
    >>> x = spconv.SparseConvTensor(torch.ones(3, 1), sites, [8], 1)
    >>> stored = spconv.SubMConv1d(1, 1, 3, indice_key="a")(x).find_indice_pair("a")
    >>> pairs, counts = spconv.ops.in_spconv_layout(stored)
    >>> pairs.shape, counts.tolist(), stored.indice_pair_num.tolist()
    (torch.Size([2, 3, 3]), [1, 0, 0], [1, 3, 1])
    """
    pairs = stored.indice_pairs.transpose(0, 1).contiguous()
    counts = stored.indice_pair_num
    if stored.is_subm:
        counts = counts.clone()
        counts[len(counts) // 2 :] = 0
    return pairs, counts
