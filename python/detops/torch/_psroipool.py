"""Position-sensitive RoI pooling (R-FCN)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .._types import Convention, Layout, Size2
from ._library import Operator, autocast_pooling, call, register

__all__ = ["psroipool_backward", "psroipool_forward"]

_forward = Operator("psroipool_forward")
_backward = Operator("psroipool_backward")


def psroipool_forward(
    input: torch.Tensor,
    rois: torch.Tensor,
    pooled_size: Size2,
    spatial_scale: float = 1.0,
    *,
    convention: Convention = "rfcn",
    layout: Layout = "NHWC",
) -> torch.Tensor:
    """Average, for each bin of each region, the map's channels that belong to the bin.

    Differentiable with respect to ``input``.

    Parameters
    ----------
    input : tensor (N, H, W, D * PH * PW) or, with ``layout="NCHW"``, (N, D * PH * PW, H, W)
    rois : tensor (R, 5), of the same type
        (image, x1, y1, x2, y2) of each region.
    pooled_size : int or (PH, PW)
    spatial_scale : float
        What coordinates are multiplied with.
    convention : "rfcn", "torchvision" or "consistent"
        How regions become bins: as R-FCN; as torchvision, bit by bit, where at the border of the
        map the gradient is not that of forward; as torchvision with one rule for both.
    layout : "NHWC" or "NCHW"
        Of ``input`` and of the result.

    Returns
    -------
    tensor (R, PH, PW, D) or (R, D, PH, PW)

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
    made: torch.Tensor = call(_forward, (input,), arguments)
    return made


def psroipool_backward(
    top_grad: torch.Tensor,
    rois: torch.Tensor,
    input_shape: Sequence[int],
    spatial_scale: float = 1.0,
    *,
    convention: Convention = "rfcn",
    layout: Layout = "NHWC",
) -> torch.Tensor:
    """Gradient of :func:`psroipool_forward` with respect to ``input``.

    Parameters
    ----------
    top_grad : tensor (R, PH, PW, D) or (R, D, PH, PW)
        Gradient of the forward result.
    input_shape : sequence of 4 int
        The shape of forward's ``input``.
    rois, spatial_scale, convention, layout
        As forward.

    Returns
    -------
    tensor of ``input_shape``

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> grad, rois = torch.tensor([[[[8.0]]]]), torch.tensor([[0.0, 0, 0, 1, 1]])
    >>> detops.torch.psroipool_backward(grad, rois, (1, 2, 3, 1)).ravel().tolist()
    [2.0, 2.0, 0.0, 2.0, 2.0, 0.0]
    """
    arguments = (top_grad, rois, input_shape, spatial_scale, convention, layout)
    made: torch.Tensor = call(_backward, (top_grad,), arguments)
    return made


def _fake_forward(
    input: torch.Tensor,
    rois: torch.Tensor,
    pooled_size: Sequence[int],
    spatial_scale: float = 1.0,
    convention: str = "rfcn",
    layout: str = "NHWC",
) -> torch.Tensor:
    height, width = pooled_size[0], pooled_size[-1]
    if layout == "NHWC":
        return input.new_empty((rois.shape[0], height, width, input.shape[3] // (height * width)))
    return input.new_empty((rois.shape[0], input.shape[1] // (height * width), height, width))


def _fake_backward(
    top_grad: torch.Tensor, rois: torch.Tensor, input_shape: Sequence[int], *_: Any
) -> torch.Tensor:
    return top_grad.new_empty(input_shape)


def _save_forward(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    input, rois, _, *ctx.settings = inputs
    ctx.input_shape = input.shape
    ctx.save_for_backward(rois)


def _gradient_of_forward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    (rois,) = ctx.saved_tensors
    made = call(_backward, (grad,), (grad, rois, ctx.input_shape, *ctx.settings))
    return made, None, None, None, None, None


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
    return call(_forward, (grad,), (grad, rois, *settings)), None, None, None, None, None


register(_forward, _fake_forward, _gradient_of_forward, _save_forward)
register(_backward, _fake_backward, _gradient_of_backward, _save_backward)
autocast_pooling("psroipool_forward", numbers=0)
autocast_pooling("psroipool_backward", numbers=0)
