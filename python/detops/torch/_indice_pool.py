"""Maximum and average over the pairs of a sparse convolution."""

from __future__ import annotations

from typing import Any

import torch

from .._operators import _indice_pool as twins
from .._types import Pool, Start
from ._documentation import as_its_twin
from ._library import call, call_one, operators
from ._rulebooks import keep, kept, use_rulebooks, visible

__all__ = ["indice_pool_backward", "indice_pool_forward"]

_forward, _backward = operators("indice_pool", "forward", "backward")


@as_its_twin(twins.indice_pool_forward)
def indice_pool_forward(
    features: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_num: torch.Tensor,
    num_act_out: int | None = None,
    *,
    pool: Pool = "max",
    start: Start = "zero",
) -> torch.Tensor:
    """Differentiable with respect to ``features``.

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> pairs, counts = torch.tensor([[[0, 1, 2], [0, 0, 1]]]), torch.tensor([3])
    >>> features = torch.tensor([[1.0], [5.0], [-2.0]])
    >>> detops.torch.indice_pool_forward(features, pairs, counts, 2).ravel()
    tensor([5., 0.])
    >>> detops.torch.indice_pool_forward(features, pairs, counts, 2, pool="avg").ravel()
    tensor([ 3., -2.])
    """
    arguments = (features, indice_pairs, indice_num, num_act_out, pool, start)
    return call_one(_forward, (features,), arguments)


@as_its_twin(twins.indice_pool_backward)
def indice_pool_backward(
    output_grad: torch.Tensor,
    features: torch.Tensor | None,
    features_out: torch.Tensor | None,
    indice_pairs: torch.Tensor,
    indice_num: torch.Tensor,
    num_act_in: int | None = None,
    *,
    pool: Pool = "max",
) -> torch.Tensor:
    """Differentiable with respect to ``output_grad``.

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> pairs, counts = torch.tensor([[[0, 1], [0, 0]]]), torch.tensor([2])
    >>> detops.torch.indice_pool_backward(
    ...     torch.tensor([[6.0]]), None, None, pairs, counts, pool="avg").ravel()
    tensor([3., 3.])
    """
    arguments = (output_grad, features, features_out, indice_pairs, indice_num, num_act_in, pool)
    return call_one(_backward, (output_grad,), arguments)


def _pooled(a: Any) -> Any:
    return a.features.new_empty((a.num_act_out, a.features.shape[1]))


def _spread(a: Any) -> Any:
    rows = a.indice_pairs.shape[2] if a.num_act_in is None else a.num_act_in
    return a.output_grad.new_empty((rows, a.output_grad.shape[1]))


# ---- gradients -----------------------------------------------------------------------------------


def _back(ctx: Any, grad: torch.Tensor, numbers: Any, pairs: Any, counts: Any) -> torch.Tensor:
    return call_one(_backward, (grad,), (grad, *numbers, visible(pairs), counts, ctx.rows, ctx.pool))


def _save_forward(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    features, indice_pairs, indice_num, _, ctx.pool, _ = inputs
    ctx.rows = features.shape[0]
    numbers = (features, output) if ctx.pool == "max" else (None, None)
    keep(ctx, (indice_pairs, indice_num), *numbers)


def _gradient_of_forward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    numbers, pairs = kept(ctx, 2)
    return (_back(ctx, grad, numbers, *pairs),)


def _save_backward(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    output_grad, features, features_out, indice_pairs, indice_num, _, ctx.pool = inputs
    ctx.rows = output_grad.shape[0]
    numbers = (features, features_out) if ctx.pool == "max" else (None, None)
    keep(ctx, (indice_pairs, indice_num), *numbers)


def _gradient_of_backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    """For ``output_grad`` alone: the features only say where it goes."""
    (features, features_out), (pairs, counts) = kept(ctx, 2)
    made = None
    if ctx.needs_input_grad[0]:
        if ctx.pool == "avg":
            arguments = (grad, visible(pairs), counts, ctx.rows, "avg", "zero")
            made = call(_forward, (grad,), arguments)
        else:
            # A tie is one from both sides, so the way there is the way back with the sides exchanged.
            exchanged = visible(pairs, always=True).flip(1)
            made = _back(ctx, grad, (features_out, features), exchanged, counts)
    return (made,)


_forward.register(_pooled, _gradient_of_forward, _save_forward)
_backward.register(_spread, _gradient_of_backward, _save_backward)
# Autocast has nothing to convert. Sums are those of float in any type, maxima are exact, and in a
# shorter type numbers would tie that do not.
use_rulebooks(_forward, 1, is_forward=True)
use_rulebooks(_backward, 3)
