"""Sums, means and maxima of the rows with the same index."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from .._operators import _scatter_reduce as twins
from .._types import Reduce
from ._documentation import as_its_twin
from ._library import call, call_one, named, operators

__all__ = ["ScatterReduce", "scatter_reduce_backward", "scatter_reduce_forward"]

_forward, _backward = operators("scatter_reduce", "forward", "backward")


class ScatterReduce(NamedTuple):
    """Result of :func:`scatter_reduce_forward`: the fields of :class:`detops.ScatterReduce`."""

    out: torch.Tensor
    counts: torch.Tensor | None
    argmax: torch.Tensor | None


@as_its_twin(twins.scatter_reduce_forward)
def scatter_reduce_forward(
    src: torch.Tensor,
    index: torch.Tensor,
    num_groups: int,
    reduce: Reduce = "sum",
    *,
    count: bool = True,
    argmax: bool = True,
) -> ScatterReduce:
    """Differentiable with respect to ``src``.

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> src, index = torch.tensor([[3.0], [1.0], [3.0], [2.0]]), torch.tensor([0, 0, 0, 2])
    >>> made = detops.torch.scatter_reduce_forward(src, index, 3, "max")
    >>> made.out.ravel().tolist(), made.counts.tolist(), made.argmax.ravel().tolist()
    ([3.0, 0.0, 2.0], [3, 0, 1], [0, 4, 3])
    """
    # The gradient of a mean needs the one, that of a maximum the other.
    counts, winners = count or reduce == "mean", argmax or reduce == "max"
    made = call(_forward, (src,), (src, index, num_groups, reduce, counts, winners))
    out, number, winner = made
    return named(ScatterReduce, (out, number if count else None, winner if argmax else None))


@as_its_twin(twins.scatter_reduce_backward)
def scatter_reduce_backward(
    grad_out: torch.Tensor,
    index: torch.Tensor,
    count: torch.Tensor | None = None,
    argmax: torch.Tensor | None = None,
    reduce: Reduce = "sum",
) -> torch.Tensor:
    """Differentiable with respect to ``grad_out``.

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> grad, index = torch.tensor([[6.0], [1.0]]), torch.tensor([0, 0, 1, -1])
    >>> detops.torch.scatter_reduce_backward(grad, index).ravel().tolist()
    [6.0, 6.0, 1.0, 0.0]
    """
    return call_one(_backward, (grad_out,), (grad_out, index, count, argmax, reduce))


def _reduced(a: Any) -> tuple[torch.Tensor, ...]:
    columns = a.src.shape[1]

    def integers(wanted: bool, *shape: Any) -> Any:
        if not wanted:
            return a.src.new_empty((0,), dtype=torch.int32)
        return a.src.new_empty(shape, dtype=torch.int64)

    return (
        a.src.new_empty((a.num_groups, columns)),
        integers(a.count, a.num_groups),
        integers(a.argmax, a.num_groups, columns),
    )


def _spread(a: Any) -> Any:
    return a.grad_out.new_empty((a.index.shape[0], a.grad_out.shape[1]))


def _save_forward(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, ...]) -> None:
    _, index, _, ctx.reduce, _, _ = inputs
    _, count, argmax = output
    ctx.mark_non_differentiable(count, argmax)
    ctx.save_for_backward(
        index, count if ctx.reduce == "mean" else None, argmax if ctx.reduce == "max" else None
    )


def _gradient_of_forward(ctx: Any, grad: torch.Tensor, *_: object) -> tuple[Any, ...]:
    return (call_one(_backward, (grad,), (grad, *ctx.saved_tensors, ctx.reduce)),)


def _save_backward(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    grad_out, index, count, argmax, ctx.reduce = inputs
    ctx.groups = grad_out.shape[0]
    ctx.save_for_backward(
        index, count if ctx.reduce == "mean" else None, argmax if ctx.reduce == "max" else None
    )


def winners_of(rows: torch.Tensor, argmax: torch.Tensor) -> torch.Tensor:
    """Of each column the number of the row that ``argmax`` names, 0 where it names none."""
    padded = torch.cat((rows, rows.new_zeros(1, rows.shape[1])))
    return padded.gather(0, argmax)


def _gradient_of_backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    index, _, argmax = ctx.saved_tensors
    if ctx.reduce == "max":
        return (winners_of(grad, argmax),)
    return (call(_forward, (grad,), (grad, index, ctx.groups, ctx.reduce, True, False))[0],)


_forward.register(_reduced, _gradient_of_forward, _save_forward)
_backward.register(_spread, _gradient_of_backward, _save_backward)
# Autocast has nothing to convert: sums are those of float in any type, and maxima are exact.
