"""Sparse convolution on index pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .._types import Activation, FiltersLayout
from ._library import Operator, autocast_numbers, call, register

__all__ = [
    "indice_convolution_backward_data",
    "indice_convolution_backward_filter",
    "indice_convolution_forward",
    "indice_convolution_forward_fused",
]

_forward = Operator("indice_convolution_forward")
_fused = Operator("indice_convolution_forward_fused")
_backward_data = Operator("indice_convolution_backward_data")
_backward_filter = Operator("indice_convolution_backward_filter")


def indice_convolution_forward(
    features: torch.Tensor,
    filters: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_num: torch.Tensor,
    num_act_out: int | None = None,
    *,
    filters_layout: FiltersLayout = "KIO",
    inverse: bool = False,
) -> torch.Tensor:
    """Sparse convolution: each output row is the sum of its input rows times filters.

    Differentiable, also twice, with respect to ``features`` and ``filters``.

    Parameters
    ----------
    features : tensor (L, Ci)
    filters : tensor, of the same type
        By ``filters_layout``, where K stands for the axes of the kernel, 0 to 4 of them, in the
        order of the coordinates: "KIO" (kernel..., Ci, Co), "OKI" (Co, kernel..., Ci; spconv 2),
        "OIK" (Co, Ci, kernel...; torch), or one of the library's own names.
    indice_pairs : int tensor (K, 2, L)
    indice_num : int tensor (K,)
        How many pairs of each offset count.
    num_act_out : int
        The rows of the result. May be left out with ``inverse`` (L rows).
    inverse : bool
        Run back from the outputs of the convolution that the pairs are of to its inputs:
        ``features`` then has any number of rows and the result L.

    Returns
    -------
    tensor (num_act_out, Co)
        Rows without pairs are 0.

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> sites = torch.tensor([[0, 0], [0, 1], [0, 4]])
    >>> pairs = detops.torch.get_indice_pairs(sites, 1, (5,), 3, submanifold=True)
    >>> features = torch.tensor([[1.0], [10.0], [100.0]])
    >>> filters = torch.tensor([2.0, 3.0, 5.0]).reshape(3, 1, 1)
    >>> detops.torch.indice_convolution_forward(
    ...     features, filters, pairs.indice_pairs, pairs.indice_num, pairs.num_act_out).ravel()
    tensor([ 53.,  32., 300.])
    """
    arguments = (features, filters, indice_pairs, indice_num, num_act_out, filters_layout, inverse)
    made: torch.Tensor = call(_forward, (features, filters), arguments)
    return made


def indice_convolution_forward_fused(
    features: torch.Tensor,
    filters: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_num: torch.Tensor,
    num_act_out: int | None = None,
    *,
    bias: torch.Tensor | None = None,
    residual: torch.Tensor | None = None,
    activation: Activation = "none",
    negative_slope: float = 0.01,
    filters_layout: FiltersLayout = "KIO",
    inverse: bool = False,
) -> torch.Tensor:
    """As :func:`indice_convolution_forward`, then + bias, + residual and the activation.

    All happens before the one rounding to the type of the result, without another pass over memory.
    Differentiable with respect to all four tensors of numbers.

    Parameters
    ----------
    features, filters, indice_pairs, indice_num, num_act_out, filters_layout, inverse
        As there.
    bias : tensor (Co,), optional
    residual : tensor (num_act_out, Co), optional
    activation : "none", "relu" or "leaky_relu"
    negative_slope : float
        For "leaky_relu". For gradients it must be 0 or more: they are found from the result.

    Returns
    -------
    tensor (num_act_out, Co)

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> pairs, counts = torch.tensor([[[0, 1], [0, 1]]]), torch.tensor([2])
    >>> features, filters = torch.tensor([[1.0], [-3.0]]), torch.ones(1, 1, 1)
    >>> detops.torch.indice_convolution_forward_fused(
    ...     features, filters, pairs, counts, 2, bias=torch.ones(1), activation="relu").ravel()
    tensor([2., 0.])
    """
    made: torch.Tensor = call(
        _fused,
        (features, filters, bias, residual),
        (
            features,
            filters,
            indice_pairs,
            indice_num,
            num_act_out,
            bias,
            residual,
            activation,
            negative_slope,
            filters_layout,
            inverse,
        ),
    )
    return made


def indice_convolution_backward_data(
    output_grad: torch.Tensor,
    filters: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_num: torch.Tensor,
    num_act_in: int | None = None,
    *,
    filters_layout: FiltersLayout = "KIO",
    inverse: bool = False,
) -> torch.Tensor:
    """Gradient of :func:`indice_convolution_forward` with respect to ``features``.

    Parameters
    ----------
    output_grad : tensor (num_act_out, Co)
        Gradient of the forward result.
    filters, indice_pairs, indice_num, filters_layout, inverse
        As forward.
    num_act_in : int
        The rows of the result, those of forward's ``features``. L if left out; needed with
        ``inverse``, where the pairs do not tell.

    Returns
    -------
    tensor (num_act_in, Ci)

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> pairs, counts = torch.tensor([[[0, 1], [0, 0]]]), torch.tensor([2])  # both go to output 0
    >>> detops.torch.indice_convolution_backward_data(
    ...     torch.tensor([[2.0]]), torch.full((1, 1, 1), 3.0), pairs, counts).ravel()
    tensor([6., 6.])
    """
    arguments = (output_grad, filters, indice_pairs, indice_num, num_act_in, filters_layout, inverse)
    made: torch.Tensor = call(_backward_data, (output_grad, filters), arguments)
    return made


def indice_convolution_backward_filter(
    features: torch.Tensor,
    output_grad: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_num: torch.Tensor,
    filters_shape: Sequence[int],
    *,
    filters_layout: FiltersLayout = "KIO",
    inverse: bool = False,
) -> torch.Tensor:
    """Gradient of :func:`indice_convolution_forward` with respect to ``filters``.

    Parameters
    ----------
    features, indice_pairs, indice_num, filters_layout, inverse
        As forward.
    output_grad : tensor (num_act_out, Co)
        Gradient of the forward result.
    filters_shape : sequence of int
        The shape of forward's ``filters``.

    Returns
    -------
    tensor of ``filters_shape``

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> pairs, counts = torch.tensor([[[0, 1], [0, 0]]]), torch.tensor([2])
    >>> detops.torch.indice_convolution_backward_filter(
    ...     torch.tensor([[1.0], [10.0]]), torch.tensor([[2.0]]), pairs, counts, (1, 1, 1)).ravel()
    tensor([22.])
    """
    arguments = (features, output_grad, indice_pairs, indice_num, filters_shape, filters_layout, inverse)
    made: torch.Tensor = call(_backward_filter, (features, output_grad), arguments)
    return made


# ---- shapes of results ---------------------------------------------------------------------------


def _is_out_last(filters_layout: str) -> bool:
    return filters_layout in ("KIO", "DHWCN", "HWCN")


def _channels_in(filters: torch.Tensor, filters_layout: str) -> int:
    if _is_out_last(filters_layout):
        return filters.shape[-2]
    return filters.shape[1 if filters_layout in ("OIK", "NCDHW", "NCHW") else -1]


def _forward_shape(
    filters: torch.Tensor, indice_pairs: torch.Tensor, rows: int | None, filters_layout: str
) -> tuple[int, int]:
    channels = filters.shape[-1 if _is_out_last(filters_layout) else 0]
    return indice_pairs.shape[2] if rows is None else rows, channels


def _fake_forward(
    features: torch.Tensor,
    filters: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_num: torch.Tensor,
    num_act_out: int | None = None,
    filters_layout: str = "KIO",
    inverse: bool = False,
) -> torch.Tensor:
    return features.new_empty(_forward_shape(filters, indice_pairs, num_act_out, filters_layout))


def _fake_fused(
    features: torch.Tensor,
    filters: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_num: torch.Tensor,
    num_act_out: int | None = None,
    bias: torch.Tensor | None = None,
    residual: torch.Tensor | None = None,
    activation: str = "none",
    negative_slope: float = 0.01,
    filters_layout: str = "KIO",
    inverse: bool = False,
) -> torch.Tensor:
    return features.new_empty(_forward_shape(filters, indice_pairs, num_act_out, filters_layout))


def _fake_backward_data(
    output_grad: torch.Tensor,
    filters: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_num: torch.Tensor,
    num_act_in: int | None = None,
    filters_layout: str = "KIO",
    inverse: bool = False,
) -> torch.Tensor:
    rows = indice_pairs.shape[2] if num_act_in is None else num_act_in
    return output_grad.new_empty((rows, _channels_in(filters, filters_layout)))


def _fake_backward_filter(
    features: torch.Tensor,
    output_grad: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_num: torch.Tensor,
    filters_shape: Sequence[int],
    *_: Any,
) -> torch.Tensor:
    return features.new_empty(filters_shape)


# ---- gradients -----------------------------------------------------------------------------------
# The convolution is linear in features and in filters, so that each of the three operators has the
# other two as gradients.


def _linear(op: Any) -> Callable[..., torch.Tensor]:
    def convolve(left: torch.Tensor, right: torch.Tensor, pairs: Any, size: Any, words: Any) -> Any:
        return call(op, (left, right), (left, right, *pairs, size, *words))

    return convolve


_again, _data, _filter = (_linear(op) for op in (_forward, _backward_data, _backward_filter))


def _save(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    left, right, indice_pairs, indice_num, _, *ctx.words = inputs
    ctx.save_for_backward(left, right, indice_pairs, indice_num)


def _gradients(
    ctx: Any, grad: torch.Tensor, features: torch.Tensor, filters: torch.Tensor, pairs: Any
) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Of a convolution, for its features and filters."""
    data = filter_grad = None
    grad = grad.contiguous()  # Once for both.
    if ctx.needs_input_grad[0]:
        data = _data(grad, filters, pairs, features.shape[0], ctx.words)
    if ctx.needs_input_grad[1]:
        filter_grad = _filter(features, grad, pairs, filters.shape, ctx.words)
    return data, filter_grad


def _gradient_of_forward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    features, filters, *pairs = ctx.saved_tensors
    return *_gradients(ctx, grad, features, filters, pairs), None, None, None, None, None


def _save_fused(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    features, filters, indice_pairs, indice_num, *_ = inputs
    activation, slope, *ctx.words = inputs[7:]
    if activation == "leaky_relu" and slope < 0:
        raise ValueError(
            f"indice_convolution_forward_fused: negative_slope is {slope}, expected 0 or more "
            "where gradients are wanted: the result does not tell the sign of its argument."
        )
    ctx.slope = {"none": None, "relu": 0.0}.get(activation, slope)
    # Without an activation nobody asks the result, and whoever comes next may write over it.
    signs = None if ctx.slope is None else output
    ctx.save_for_backward(features, filters, indice_pairs, indice_num, signs)


def _gradient_of_fused(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    features, filters, *pairs, signs = ctx.saved_tensors
    if signs is not None:
        grad = torch.where(signs <= 0, grad * ctx.slope, grad)
    # Arguments that a caller of the operator has left out are not there.
    wants_bias, wants_residual = (*ctx.needs_input_grad, False, False)[5:7]
    convolution = _gradients(ctx, grad, features, filters, pairs)
    bias = grad.sum(0) if wants_bias else None
    residual = grad if wants_residual else None
    return *convolution, None, None, None, bias, residual, None, None, None, None


def _gradient_of_backward_data(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    output_grad, filters, *pairs = ctx.saved_tensors
    forward = filter_grad = None
    if ctx.needs_input_grad[0]:
        forward = _again(grad, filters, pairs, output_grad.shape[0], ctx.words)
    if ctx.needs_input_grad[1]:
        filter_grad = _filter(grad, output_grad, pairs, filters.shape, ctx.words)
    return forward, filter_grad, None, None, None, None, None


def _gradient_of_backward_filter(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    features, output_grad, *pairs = ctx.saved_tensors
    data = forward = None
    if ctx.needs_input_grad[0]:
        data = _data(output_grad, grad, pairs, features.shape[0], ctx.words)
    if ctx.needs_input_grad[1]:
        forward = _again(features, grad, pairs, output_grad.shape[0], ctx.words)
    return data, forward, None, None, None, None, None


register(_forward, _fake_forward, _gradient_of_forward, _save)
register(_fused, _fake_fused, _gradient_of_fused, _save_fused)
register(_backward_data, _fake_backward_data, _gradient_of_backward_data, _save)
register(_backward_filter, _fake_backward_filter, _gradient_of_backward_filter, _save)
for _name in ("forward", "forward_fused", "backward_data", "backward_filter"):
    autocast_numbers(f"indice_convolution_{_name}")
