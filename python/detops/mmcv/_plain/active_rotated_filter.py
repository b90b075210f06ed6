"""Filters in several orientations, made of one: a permutation of their numbers each."""

from __future__ import annotations

import torch

__all__ = ["active_rotated_filter_backward", "active_rotated_filter_forward"]


def _order(indices: torch.Tensor) -> torch.Tensor:
    """(rotations, entries): where each number of a filter goes; ``indices`` count from 1."""
    entries = indices[..., 0].numel()
    order = indices.reshape(entries, -1).T.long() - 1
    if bool(((order < 0) | (order >= entries)).any()):
        raise ValueError(
            f"active_rotated_filter: indices (argument 2) has {int(indices.min())} to {int(indices.max())}, "
            f"expected 1 to {entries}."
        )
    return order


def active_rotated_filter_forward(
    input: torch.Tensor, indices: torch.Tensor, output: torch.Tensor
) -> None:
    """(O * rotations, I * orientations, H, W) from (O, I, orientations, H, W)."""
    order = _order(indices)
    made = output.view(input.shape[0], len(order), input.shape[1], -1)
    for rotation, places in enumerate(order):
        made[:, rotation, :, places] = input.flatten(2)


def active_rotated_filter_backward(
    grad_out: torch.Tensor, indices: torch.Tensor, grad_in: torch.Tensor
) -> None:
    order = _order(indices)
    given = grad_out.reshape(grad_in.shape[0], len(order), grad_in.shape[1], -1)
    taken = [given[:, rotation, :, places] for rotation, places in enumerate(order)]
    grad_in.copy_(torch.stack(taken).sum(0).view(grad_in.shape))
