"""``spconv.pytorch.ops``: sizes of outputs, and functions on pairs in spconv's layout.

Pairs are (2, K, L) here, and of submanifold convolutions only the offsets before the centre are
counted: those behind it have as many as their mirror image, the centre has all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .. import torch as kernels
from ._convolution import (
    Activation,
    AlgoHint,
    ConvAlgo,
    activation_name,
    fusable_activation,
)
from .constants import ALL_WEIGHT_IS_KRSC, FILTER_HWIO
from .core import IndiceData
from .tools import CUDAKernelTimer

__all__ = [
    "ALL_WEIGHT_IS_KRSC",
    "FILTER_HWIO",
    "AlgoHint",
    "CUDAKernelTimer",
    "ConvAlgo",
    "fused_indice_conv",
    "get_conv_output_size",
    "get_deconv_output_size",
    "get_indice_pairs",
    "get_indice_pairs_implicit_gemm",
    "global_pool_rearrange",
    "implicit_gemm",
    "implicit_gemm_backward",
    "in_spconv_layout",
    "indice_avgpool_implicit_gemm",
    "indice_avgpool_implicit_gemm_backward",
    "indice_conv",
    "indice_conv_backward",
    "indice_maxpool",
    "indice_maxpool_backward",
    "indice_maxpool_implicit_gemm",
    "indice_maxpool_implicit_gemm_backward",
    "maximum_value_int_",
]


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
    return _in_spconv_layout(stored.indice_pairs, stored.indice_pair_num, stored.is_subm)


def _in_spconv_layout(
    pairs: torch.Tensor, counts: torch.Tensor, subm: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    if subm:
        counts = counts.clone()
        counts[len(counts) // 2 :] = 0
    return pairs.transpose(0, 1).contiguous(), counts


def _in_own_layout(
    who: str, pairs: torch.Tensor, counts: torch.Tensor, subm: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """(K, 2, L), and counts of all offsets."""
    if pairs.ndim != 3 or pairs.shape[0] != 2 or counts.shape != (pairs.shape[1],):
        raise ValueError(
            f"{who}: indice_pairs has shape {list(pairs.shape)} and indice_pair_num "
            f"{list(counts.shape)}, expected (2, K, L) and (K,)."
        )
    offsets = pairs.shape[1]
    if subm and offsets % 2 == 1:
        centre = counts[offsets // 2]
        full = counts + counts.flip(0)
        full[offsets // 2] = pairs.shape[2]
        # Who counts the centre, counts all.
        counts = torch.where(centre > 0, counts, full)
    return pairs.transpose(0, 1), counts


def get_indice_pairs(
    indices: torch.Tensor,
    batch_size: int,
    spatial_shape: Sequence[int],
    algo: Any,
    ksize: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    out_padding: Sequence[int],
    subm: bool = False,
    transpose: bool = False,
    num_out_act_bound: int = -1,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Find which input site meets which output site under which offset of the kernel.

    Parameters
    ----------
    indices : int tensor (L, D + 1)
        (batch, coordinates) of each input site.
    ksize, stride, padding, dilation, out_padding : D int
        With ``subm`` stride and padding are not used: the kernel, of odd sizes, is centred.
    algo, num_out_act_bound
        Of GPUs. Accepted and not used.

    Returns
    -------
    out_inds (num_act_out, D + 1), pairs (2, K, L), filled with -1, and counts (K,), all int32
        Output sites ascend by (batch, coordinates).

    Examples
    --------
    >>> import torch
    >>> from detops.spconv import ConvAlgo, ops
    >>> sites = torch.tensor([[0, 1], [0, 2], [0, 5]], dtype=torch.int32)
    >>> out, pairs, counts = ops.get_indice_pairs(
    ...     sites, 1, [8], ConvAlgo.Native, [3], [2], [1], [1], [0])
    >>> out.tolist(), counts.tolist()
    ([[0, 0], [0, 1], [0, 2], [0, 3]], [2, 1, 2])
    """
    words: dict[str, Any] = {"submanifold": True}
    if subm and any(size % 2 == 0 for size in ksize):
        raise ValueError(f"get_indice_pairs: ksize is {list(ksize)}, expected odd sizes for subm.")
    if not subm:
        axes = (spatial_shape, ksize, stride, padding, dilation)
        if transpose:
            space = get_deconv_output_size(*axes, out_padding)
        else:
            space = get_conv_output_size(*axes)
        words = {
            "stride": tuple(stride),
            "padding": tuple(padding),
            "transposed": transpose,
            "output_padding": tuple(out_padding) if transpose else 0,
            "output_shape": tuple(space),
        }
    found = kernels.get_indice_pairs(
        indices, batch_size, tuple(spatial_shape), tuple(ksize), dilation=tuple(dilation), **words
    )
    pairs, counts = _in_spconv_layout(found.indice_pairs, found.indice_num, subm)
    return indices if subm else found.out_indices, pairs, counts


def indice_conv(
    features: torch.Tensor,
    filters: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_pair_num: torch.Tensor,
    num_activate_out: int,
    inverse: bool = False,
    subm: bool = False,
    algo: Any = ConvAlgo.Native,
    timer: Any = None,
    bias: torch.Tensor | None = None,
    act_alpha: float = 0.0,
    act_beta: float = 0.0,
    act_type: Any = Activation.None_,
) -> torch.Tensor:
    """Sparse convolution of (L, Ci) features with (Co, kernel..., Ci) filters.

    Differentiable with respect to features, filters and bias. ``algo`` and ``timer`` are not used.

    Examples
    --------
    >>> import torch
    >>> from detops.spconv import ConvAlgo, ops
    >>> sites = torch.tensor([[0, 1], [0, 2], [0, 5]], dtype=torch.int32)
    >>> sizes = [3], [1], [1], [1], [0]
    >>> _, pairs, counts = ops.get_indice_pairs(sites, 1, [8], ConvAlgo.Native, *sizes, subm=True)
    >>> features, filters = torch.tensor([[1.0], [10.0], [100.0]]), torch.ones(1, 3, 1)
    >>> ops.indice_conv(features, filters, pairs, counts, 3, subm=True).ravel()
    tensor([ 11.,  11., 100.])
    """
    pairs, counts = _in_own_layout("indice_conv", indice_pairs, indice_pair_num, subm)
    kind, slope = fusable_activation(act_type, act_alpha)
    made = kernels.indice_convolution_forward_fused(
        features,
        filters,
        pairs,
        counts,
        num_activate_out,
        bias=bias,
        activation=kind,  # type: ignore[arg-type]
        negative_slope=slope,
        filters_layout="OKI",
        inverse=bool(inverse),
    )
    return torch.sigmoid(made) if activation_name(act_type) == "Sigmoid" else made


def indice_conv_backward(
    features: torch.Tensor,
    filters: torch.Tensor,
    out_bp: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_pair_num: torch.Tensor,
    inverse: bool = False,
    subm: bool = False,
    algo: Any = ConvAlgo.Native,
    timer: Any = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradients of :func:`indice_conv` with respect to features and to filters."""
    pairs = _in_own_layout("indice_conv_backward", indice_pairs, indice_pair_num, subm)
    words: dict[str, Any] = {"filters_layout": "OKI", "inverse": bool(inverse)}
    return (
        kernels.indice_convolution_backward_data(
            out_bp, filters, *pairs, features.shape[0], **words
        ),
        kernels.indice_convolution_backward_filter(
            features, out_bp, *pairs, filters.shape, **words
        ),
    )


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
    >>> from detops.spconv import ops
    >>> pairs, counts = torch.tensor([[[0, 1, 2]], [[0, 0, 1]]]), torch.tensor([3])
    >>> ops.indice_maxpool(torch.tensor([[1.0], [5.0], [-2.0]]), pairs, counts, 2).ravel()
    tensor([5., 0.])
    """
    pairs = _in_own_layout("indice_maxpool", indice_pairs, indice_pair_num, False)
    return kernels.indice_pool_forward(features, *pairs, num_activate_out)


def indice_maxpool_backward(
    features: torch.Tensor,
    out_features: torch.Tensor,
    out_bp: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_pair_num: torch.Tensor,
) -> torch.Tensor:
    """The gradient of :func:`indice_maxpool`: every input that equals its output gets all of it."""
    pairs = _in_own_layout("indice_maxpool_backward", indice_pairs, indice_pair_num, False)
    return kernels.indice_pool_backward(
        out_bp, features, out_features, *pairs, features.shape[0]
    )


def maximum_value_int_(ten: torch.Tensor, value: int) -> None:
    """Raise the numbers of a tensor to ``value``, in place."""
    ten.clamp_(min=value)


def _of_gpus(name: str, instead: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{name} is there on GPUs only, in spconv too: use {instead}.")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Can be imported; a call says what to use instead."
    return refuse


fused_indice_conv = _of_gpus("fused_indice_conv", "indice_conv, which takes a bias")
get_indice_pairs_implicit_gemm = _of_gpus("get_indice_pairs_implicit_gemm", "get_indice_pairs")
global_pool_rearrange = _of_gpus("global_pool_rearrange", "SparseGlobalMaxPool")
implicit_gemm = _of_gpus("implicit_gemm", "indice_conv")
implicit_gemm_backward = _of_gpus("implicit_gemm_backward", "indice_conv_backward")
indice_avgpool_implicit_gemm = _of_gpus("indice_avgpool_implicit_gemm", "SparseAvgPool3d")
indice_avgpool_implicit_gemm_backward = _of_gpus(
    "indice_avgpool_implicit_gemm_backward", "SparseAvgPool3d"
)
indice_maxpool_implicit_gemm = _of_gpus("indice_maxpool_implicit_gemm", "indice_maxpool")
indice_maxpool_implicit_gemm_backward = _of_gpus(
    "indice_maxpool_implicit_gemm_backward", "indice_maxpool_backward"
)
