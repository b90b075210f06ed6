"""Position-sensitive RoI pooling (R-FCN)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .._operators import _psroipool as twins
from .._types import Convention, Layout, Size2
from ._documentation import as_its_twin
from ._library import call, call_one, operators

__all__ = ["psroipool_backward", "psroipool_forward"]

_forward, _backward = operators("psroipool", "forward", "backward")


@as_its_twin(twins.psroipool_forward)
def psroipool_forward(
    input: torch.Tensor,
    rois: torch.Tensor,
    pooled_size: Size2,
    spatial_scale: float = 1.0,
    *,
    convention: Convention = "rfcn",
    layout: Layout = "NHWC",
) -> torch.Tensor:
    """Differentiable with respect to ``input``.

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> input = torch.arange(8.0).reshape(1, 2, 4, 1)
    >>> rois = torch.tensor([[0.0, 0, 0, 3, 1], [0.0, 2, 0, 3, 0]])
    >>> detops.torch.psroipool_forward(input, rois, 1).ravel().tolist()
    [3.5, 2.5]
    """
    size = (pooled_size,) if isinstance(pooled_size, int) else pooled_size
    arguments = (input, rois, size, spatial_scale, convention, layout)
    return call_one(_forward, (input,), arguments)


@as_its_twin(twins.psroipool_backward)
def psroipool_backward(
    top_grad: torch.Tensor,
    rois: torch.Tensor,
    input_shape: Sequence[int],
    spatial_scale: float = 1.0,
    *,
    convention: Convention = "rfcn",
    layout: Layout = "NHWC",
) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> grad, rois = torch.tensor([[[[8.0]]]]), torch.tensor([[0.0, 0, 0, 1, 1]])
    >>> detops.torch.psroipool_backward(grad, rois, (1, 2, 3, 1)).ravel().tolist()
    [2.0, 2.0, 0.0, 2.0, 2.0, 0.0]
    """
    arguments = (top_grad, rois, input_shape, spatial_scale, convention, layout)
    return call_one(_backward, (top_grad,), arguments)


def _pooled(a: Any) -> Any:
    height, width = a.pooled_size[0], a.pooled_size[-1]
    channels = a.input.shape[3 if a.layout == "NHWC" else 1] // (height * width)
    cells = (height, width, channels) if a.layout == "NHWC" else (channels, height, width)
    return a.input.new_empty((a.rois.shape[0], *cells))


def _save_forward(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    input, rois, _, *ctx.settings = inputs
    ctx.input_shape = input.shape
    ctx.save_for_backward(rois)


def _gradient_of_forward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    (rois,) = ctx.saved_tensors
    return (call(_backward, (grad,), (grad, rois, ctx.input_shape, *ctx.settings)),)


def _save_backward(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    top_grad, rois, _, ctx.spatial_scale, convention, ctx.layout = inputs
    # What torchvision's backward is the adjoint of: it writes to the whole map.
    ctx.convention = "consistent" if convention == "torchvision" else convention
    first = 1 if ctx.layout == "NHWC" else 2
    ctx.pooled_size = tuple(top_grad.shape[first : first + 2])
    ctx.save_for_backward(rois)


def _gradient_of_backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    (rois,) = ctx.saved_tensors
    settings = (ctx.pooled_size, ctx.spatial_scale, ctx.convention, ctx.layout)
    return (call(_forward, (grad,), (grad, rois, *settings)),)


_forward.register(_pooled, _gradient_of_forward, _save_forward)
_backward.register(
    lambda a: a.top_grad.new_empty(a.input_shape), _gradient_of_backward, _save_backward
)
_forward.autocast_pooling(numbers=0)
_backward.autocast_pooling(numbers=0)
