"""Sparse convolution on index pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .._operators import _sparse_convolution as twins
from .._types import Activation, FiltersLayout
from ._documentation import as_its_twin
from ._library import call, call_one, operators
from ._rulebooks import keep, kept, use_rulebooks, visible

__all__ = [
    "indice_convolution_backward_data",
    "indice_convolution_backward_filter",
    "indice_convolution_forward",
    "indice_convolution_forward_fused",
]

_forward, _fused, _backward_data, _backward_filter = operators(
    "indice_convolution", "forward", "forward_fused", "backward_data", "backward_filter"
)


@as_its_twin(twins.indice_convolution_forward)
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
    """Differentiable, also twice, with respect to ``features`` and ``filters``.

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
    return call_one(_forward, (features, filters), arguments)


@as_its_twin(twins.indice_convolution_forward_fused)
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
    """Differentiable with respect to all four tensors of numbers. For gradients ``negative_slope``
    must be 0 or more: they are found from the result.

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
    pairs = (indice_pairs, indice_num, num_act_out)
    words = (bias, residual, activation, negative_slope, filters_layout, inverse)
    arguments = (features, filters, *pairs, *words)
    return call_one(_fused, (features, filters, bias, residual), arguments)


@as_its_twin(twins.indice_convolution_backward_data)
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
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> pairs, counts = torch.tensor([[[0, 1], [0, 0]]]), torch.tensor([2])  # both go to output 0
    >>> detops.torch.indice_convolution_backward_data(
    ...     torch.tensor([[2.0]]), torch.full((1, 1, 1), 3.0), pairs, counts).ravel()
    tensor([6., 6.])
    """
    arguments = (output_grad, filters, indice_pairs, indice_num, num_act_in, filters_layout, inverse)
    return call_one(_backward_data, (output_grad, filters), arguments)


@as_its_twin(twins.indice_convolution_backward_filter)
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
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> pairs, counts = torch.tensor([[[0, 1], [0, 0]]]), torch.tensor([2])
    >>> detops.torch.indice_convolution_backward_filter(
    ...     torch.tensor([[1.0], [10.0]]), torch.tensor([[2.0]]), pairs, counts, (1, 1, 1)).ravel()
    tensor([22.])
    """
    arguments = (features, output_grad, indice_pairs, indice_num, filters_shape, filters_layout, inverse)
    return call_one(_backward_filter, (features, output_grad), arguments)


# ---- shapes of results ---------------------------------------------------------------------------


def _rows(a: Any, given: int | None) -> Any:
    return a.indice_pairs.shape[2] if given is None else given


def _is_out_last(a: Any) -> bool:
    return a.filters_layout in ("KIO", "DHWCN", "HWCN")


def _convolved(a: Any) -> Any:
    channels = a.filters.shape[-1 if _is_out_last(a) else 0]
    return a.features.new_empty((_rows(a, a.num_act_out), channels))


def _data_gradient(a: Any) -> Any:
    axis = -2 if _is_out_last(a) else 1 if a.filters_layout in ("OIK", "NCDHW", "NCHW") else -1
    return a.output_grad.new_empty((_rows(a, a.num_act_in), a.filters.shape[axis]))


# ---- gradients -----------------------------------------------------------------------------------
# The convolution is linear in features and in filters, so that each of the three operators has the
# other two as gradients.


def _linear(op: Any) -> Callable[..., torch.Tensor]:
    def convolve(left: torch.Tensor, right: torch.Tensor, pairs: Any, size: Any, words: Any) -> Any:
        indice_pairs, counts = pairs
        return call(op, (left, right), (left, right, visible(indice_pairs), counts, size, *words))

    return convolve


_forward_again, _data, _filter = (_linear(op) for op in (_forward, _backward_data, _backward_filter))


def _save(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    left, right, indice_pairs, indice_num, _, *ctx.words = inputs
    keep(ctx, (indice_pairs, indice_num), left, right)


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
    (features, filters), pairs = kept(ctx, 2)
    return _gradients(ctx, grad, features, filters, pairs)


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
    keep(ctx, (indice_pairs, indice_num), features, filters, signs)


def _gradient_of_fused(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    (features, filters, signs), pairs = kept(ctx, 3)
    if signs is not None:
        grad = torch.where(signs <= 0, grad * ctx.slope, grad)
    # Arguments that a caller of the operator has left out are not there.
    wants_bias, wants_residual = (*ctx.needs_input_grad, False, False)[5:7]
    convolution = _gradients(ctx, grad, features, filters, pairs)
    bias = grad.sum(0) if wants_bias else None
    residual = grad if wants_residual else None
    return *convolution, None, None, None, bias, residual


def _gradient_of_backward_data(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    (output_grad, filters), pairs = kept(ctx, 2)
    forward = filter_grad = None
    if ctx.needs_input_grad[0]:
        forward = _forward_again(grad, filters, pairs, output_grad.shape[0], ctx.words)
    if ctx.needs_input_grad[1]:
        filter_grad = _filter(grad, output_grad, pairs, filters.shape, ctx.words)
    return forward, filter_grad


def _gradient_of_backward_filter(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    (features, output_grad), pairs = kept(ctx, 2)
    data = forward = None
    if ctx.needs_input_grad[0]:
        data = _data(output_grad, grad, pairs, features.shape[0], ctx.words)
    if ctx.needs_input_grad[1]:
        forward = _forward_again(features, grad, pairs, output_grad.shape[0], ctx.words)
    return data, forward


_forward.register(_convolved, _gradient_of_forward, _save)
_fused.register(_convolved, _gradient_of_fused, _save_fused)
_backward_data.register(_data_gradient, _gradient_of_backward_data, _save)
_backward_filter.register(
    lambda a: a.features.new_empty(a.filters_shape), _gradient_of_backward_filter, _save
)
for _operator in (_forward, _fused, _backward_data, _backward_filter):
    _operator.autocast_numbers()
    use_rulebooks(_operator, 2, is_forward=_operator in (_forward, _fused))
