"""Losses that look away from what is easy."""

from __future__ import annotations

import torch

from .weighted_sums import wide

__all__ = [
    "sigmoid_focal_loss_backward",
    "sigmoid_focal_loss_forward",
    "softmax_focal_loss_backward",
    "softmax_focal_loss_forward",
]

_LEAST = torch.finfo(torch.float32).tiny
"""Under a logarithm, in all types."""


def _check(function: str, target: torch.Tensor, classes: int, weight: torch.Tensor, none: int) -> None:
    """``none``: the label of what is of no class."""
    wrong = (target < min(none, 0)) | (target > max(none, classes - 1))
    if weight.numel():
        wrong |= (target < 0) | (target >= classes)
    if bool(wrong.any()):
        row = int(wrong.nonzero()[0])
        raise ValueError(
            f"{function}: target (argument 2) has label {int(target[row])} in row {row}, of {classes} classes."
        )


def _each(weight: torch.Tensor, target: torch.Tensor) -> torch.Tensor | float:
    """The weight of each row's class."""
    return wide(weight)[target][:, None] if weight.numel() else 1.0


def sigmoid_focal_loss_forward(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor,
    output: torch.Tensor,
    gamma: float,
    alpha: float,
) -> None:
    """(N, C): -a (1 - p)^g log p where p is that of the row's class, else -(1 - a) p^g log(1 - p)."""
    classes = input.shape[1]
    _check("sigmoid_focal_loss", target, classes, weight, none=classes)
    p = wide(input).sigmoid()
    hit = -alpha * (1 - p) ** gamma * p.clamp(min=_LEAST).log()
    miss = -(1 - alpha) * p**gamma * (1 - p).clamp(min=_LEAST).log()
    is_class = target[:, None] == torch.arange(classes)
    output.copy_(torch.where(is_class, hit, miss) * _each(weight, target))


def sigmoid_focal_loss_backward(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor,
    grad_input: torch.Tensor,
    gamma: float,
    alpha: float,
) -> None:
    classes = input.shape[1]
    _check("sigmoid_focal_loss", target, classes, weight, none=classes)
    p = wide(input).sigmoid()
    q = 1 - p
    hit = -alpha * q**gamma * (q - gamma * p * p.clamp(min=_LEAST).log())
    miss = -(1 - alpha) * p**gamma * (gamma * q * q.clamp(min=_LEAST).log() - p)
    is_class = target[:, None] == torch.arange(classes)
    grad_input.copy_(torch.where(is_class, hit, miss) * _each(weight, target))


def softmax_focal_loss_forward(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor,
    output: torch.Tensor,
    gamma: float,
    alpha: float,
) -> None:
    """(N,): -a (1 - p)^g log p of the row's class; ``input`` is the softmax. 0 for negative labels."""
    _check("softmax_focal_loss", target, input.shape[1], weight, none=-1)
    p = _of_class(input, target)
    loss = -alpha * (1 - p) ** gamma * p.clamp(min=_LEAST).log() * _each(weight, target)
    output.copy_(torch.where(target[:, None] >= 0, loss, 0)[:, 0])


def softmax_focal_loss_backward(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor,
    buff: torch.Tensor,
    grad_input: torch.Tensor,
    gamma: float,
    alpha: float,
) -> None:
    _check("softmax_focal_loss", target, input.shape[1], weight, none=-1)
    p = _of_class(input, target)
    # (1 - p)^(g - 1) is infinite for p of 1 and g below 1, where the product it is in ends at 0.
    power = torch.where(p < 1, (1 - p) ** (gamma - 1), 0)
    slope = alpha * (gamma * power * p * p.clamp(min=_LEAST).log() - (1 - p) ** gamma)
    slope = torch.where(target[:, None] >= 0, slope * _each(weight, target), 0)
    is_class = target[:, None] == torch.arange(input.shape[1])
    buff.copy_(slope[:, 0])
    grad_input.copy_(slope * (is_class.to(p.dtype) - wide(input)))


def _of_class(softmax: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """(N, 1): the number of each row's class."""
    return wide(softmax).gather(1, target.clamp(min=0)[:, None])
