"""Maximum and average over the pairs of a sparse convolution."""

from __future__ import annotations

from typing import Any

import torch

from .._types import Pool, Start
from ._library import Operator, call, register

__all__ = ["indice_pool_backward", "indice_pool_forward"]

_forward = Operator("indice_pool_forward")
_backward = Operator("indice_pool_backward")


def indice_pool_forward(
    features: torch.Tensor,
    indice_pairs: torch.Tensor,
    indice_num: torch.Tensor,
    num_act_out: int | None = None,
    *,
    pool: Pool = "max",
    start: Start = "zero",
) -> torch.Tensor:
    """Each output row is the maximum, or the average, of its input rows.

    Differentiable with respect to ``features``.

    Parameters
    ----------
    features : tensor (N, C)
    indice_pairs : int tensor (K, 2, L)
    indice_num : int tensor (K,)
        How many pairs of each offset count.
    num_act_out : int
        The rows of the result.
    pool : "max" or "avg"
    start : "zero" or "lowest"
        What a maximum begins with: 0, as spconv and mmcv, so that nothing negative comes out; or
        nothing. NaN is ignored.

    Returns
    -------
    tensor (num_act_out, C)
        Rows without pairs are 0.

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
    made: torch.Tensor = call(_forward, (features,), arguments)
    return made


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
    """Gradient of :func:`indice_pool_forward` with respect to ``features``.

    Differentiable with respect to ``output_grad``.

    Parameters
    ----------
    output_grad : tensor (num_act_out, C)
        Gradient of the forward result.
    features, features_out : tensors (N, C) and (num_act_out, C), or None
        Forward's input and result; read for "max" only. Inputs that tie all get the gradient.
    indice_pairs, indice_num, pool
        As forward.
    num_act_in : int
        N. L if left out.

    Returns
    -------
    tensor (num_act_in, C)

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
    made: torch.Tensor = call(_backward, (output_grad,), arguments)
    return made


def _fake_forward(
    features: torch.Tensor, indice_pairs: Any, indice_num: Any, num_act_out: int, *_: Any
) -> torch.Tensor:
    return features.new_empty((num_act_out, features.shape[1]))


def _fake_backward(
    output_grad: torch.Tensor,
    features: Any,
    features_out: Any,
    indice_pairs: torch.Tensor,
    indice_num: Any,
    num_act_in: int | None = None,
    *_: Any,
) -> torch.Tensor:
    rows = indice_pairs.shape[2] if num_act_in is None else num_act_in
    return output_grad.new_empty((rows, output_grad.shape[1]))


# ---- gradients -----------------------------------------------------------------------------------


def _back(ctx: Any, grad: torch.Tensor, *saved: torch.Tensor | None) -> torch.Tensor:
    made: torch.Tensor = call(_backward, (grad,), (grad, *saved, ctx.rows, ctx.pool))
    return made


def _save_forward(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    features, indice_pairs, indice_num, _, ctx.pool, _ = inputs
    ctx.rows = features.shape[0]
    numbers = (features, output) if ctx.pool == "max" else (None, None)
    ctx.save_for_backward(*numbers, indice_pairs, indice_num)


def _gradient_of_forward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    return _back(ctx, grad, *ctx.saved_tensors), None, None, None, None, None


def _save_backward(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    output_grad, features, features_out, indice_pairs, indice_num, _, ctx.pool = inputs
    ctx.rows = output_grad.shape[0]
    numbers = (features, features_out) if ctx.pool == "max" else (None, None)
    ctx.save_for_backward(*numbers, indice_pairs, indice_num)


def _gradient_of_backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    """For ``output_grad`` alone: the features only say where it goes."""
    features, features_out, indice_pairs, indice_num = ctx.saved_tensors
    made = None
    if ctx.needs_input_grad[0]:
        if ctx.pool == "avg":
            made = call(_forward, (grad,), (grad, indice_pairs, indice_num, ctx.rows, "avg", "zero"))
        else:
            # A tie is one from both sides, so the way there is the way back with the sides exchanged.
            made = _back(ctx, grad, features_out, features, indice_pairs.flip(1), indice_num)
    return made, None, None, None, None, None, None


register(_forward, _fake_forward, _gradient_of_forward, _save_forward)
register(_backward, _fake_backward, _gradient_of_backward, _save_backward)
# Autocast has nothing to convert. Sums are those of float in any type, maxima are exact, and in a
# shorter type numbers would tie that do not.
