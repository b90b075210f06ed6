"""Rotated feature align (R3Det)."""

from __future__ import annotations

from typing import Any

import torch

from .._operators import _rotated_feature_align as twins
from ._documentation import as_its_twin
from ._library import call, call_one, operators

__all__ = ["rotated_feature_align_backward", "rotated_feature_align_forward"]

_forward, _backward = operators("rotated_feature_align", "forward", "backward")


@as_its_twin(twins.rotated_feature_align_forward)
def rotated_feature_align_forward(
    input: torch.Tensor, bboxes: torch.Tensor, spatial_scale: float = 1.0, points: int = 1
) -> torch.Tensor:
    """Differentiable with respect to ``input``.

    A map of torch's layout, (N, C, H, W), is passed as ``x.permute(0, 2, 3, 1)``; without a copy if
    it is in ``torch.channels_last``.

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
    return call_one(_forward, (input,), (input, bboxes, spatial_scale, points))


@as_its_twin(twins.rotated_feature_align_backward)
def rotated_feature_align_backward(
    top_output: torch.Tensor, bboxes: torch.Tensor, spatial_scale: float = 1.0, points: int = 1
) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> grad, boxes = torch.ones(1, 1, 2, 1), torch.zeros(1, 1, 2, 5)
    >>> detops.torch.rotated_feature_align_backward(grad, boxes).ravel().tolist()
    [3.0, 1.0]
    """
    arguments = (top_output, bboxes, spatial_scale, points)
    return call_one(_backward, (top_output,), arguments)


def _save(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    _, bboxes, *ctx.settings = inputs
    ctx.save_for_backward(bboxes)


# Both passes are linear and each is the other's adjoint.
def _gradient_of_forward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    return (call(_backward, (grad,), (grad, *ctx.saved_tensors, *ctx.settings)),)


def _gradient_of_backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    return (call(_forward, (grad,), (grad, *ctx.saved_tensors, *ctx.settings)),)


_forward.register(lambda a: a.input.new_empty(a.input.shape), _gradient_of_forward, _save)
_backward.register(lambda a: a.top_output.new_empty(a.top_output.shape), _gradient_of_backward, _save)
_forward.autocast_pooling(numbers=0)
_backward.autocast_pooling(numbers=0)
