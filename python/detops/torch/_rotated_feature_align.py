"""Rotated feature align (R3Det)."""

from __future__ import annotations

from typing import Any

import torch

from ._library import Operator, autocast_pooling, call, register

__all__ = ["rotated_feature_align_backward", "rotated_feature_align_forward"]

_forward = Operator("rotated_feature_align_forward")
_backward = Operator("rotated_feature_align_backward")


def rotated_feature_align_forward(
    input: torch.Tensor, bboxes: torch.Tensor, spatial_scale: float = 1.0, points: int = 1
) -> torch.Tensor:
    """Add to each cell of a map the features at the centre (and corners) of its rotated box.

    Differentiable with respect to ``input``.

    Parameters
    ----------
    input : tensor (N, H, W, C)
        A map of torch's layout, (N, C, H, W), is passed as ``x.permute(0, 2, 3, 1)``; without a
        copy if it is in ``torch.channels_last``.
    bboxes : tensor (N, H, W, 5), of the same type
        (y, x, w, h, angle in radians) of each cell.
    spatial_scale : float
        What coordinates and sizes are multiplied with.
    points : 1 or 5
        Only the centre, or the centre and four corners.

    Returns
    -------
    tensor (N, H, W, C)

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> input = torch.arange(4.0).reshape(1, 2, 2, 1).requires_grad_()
    >>> out = detops.torch.rotated_feature_align_forward(input, torch.zeros(1, 2, 2, 5))
    >>> out.ravel().tolist()  # itself, and the corner (0, 0), which holds 0
    [0.0, 1.0, 2.0, 3.0]
    >>> out.sum().backward()
    >>> input.grad.ravel().tolist()
    [5.0, 1.0, 1.0, 1.0]
    """
    made: torch.Tensor = call(_forward, (input,), (input, bboxes, spatial_scale, points))
    return made


def rotated_feature_align_backward(
    top_output: torch.Tensor, bboxes: torch.Tensor, spatial_scale: float = 1.0, points: int = 1
) -> torch.Tensor:
    """Gradient of :func:`rotated_feature_align_forward` with respect to ``input``.

    Parameters
    ----------
    top_output : tensor (N, H, W, C)
        Gradient of the forward result.
    bboxes, spatial_scale, points
        As forward.

    Returns
    -------
    tensor (N, H, W, C)

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> grad, boxes = torch.ones(1, 1, 2, 1), torch.zeros(1, 1, 2, 5)
    >>> detops.torch.rotated_feature_align_backward(grad, boxes).ravel().tolist()
    [3.0, 1.0]
    """
    arguments = (top_output, bboxes, spatial_scale, points)
    made: torch.Tensor = call(_backward, (top_output,), arguments)
    return made


def _fake(source: torch.Tensor, *_: Any) -> torch.Tensor:
    return source.new_empty(source.shape)


def _save(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    _, bboxes, *ctx.settings = inputs
    ctx.save_for_backward(bboxes)


# Both passes are linear and each is the other's adjoint.
def _gradient_of_forward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    made = call(_backward, (grad,), (grad, *ctx.saved_tensors, *ctx.settings))
    return made, None, None, None


def _gradient_of_backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    made = call(_forward, (grad,), (grad, *ctx.saved_tensors, *ctx.settings))
    return made, None, None, None


register(_forward, _fake, _gradient_of_forward, _save)
register(_backward, _fake, _gradient_of_backward, _save)
autocast_pooling("rotated_feature_align_forward", numbers=0)
autocast_pooling("rotated_feature_align_backward", numbers=0)
