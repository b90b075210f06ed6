"""What detops offers of ``torch_scatter``, on CPUs: the same names, arguments and defaults.

``detops.install("torch_scatter")`` lets ``from torch_scatter import ...`` find it. docs/dropins.md
tells what differs from the original.
"""

from __future__ import annotations

import math

import torch

from .._types import Reduce
from ..torch import scatter_reduce_forward
from ..torch._sentences import check_tensors

__all__ = ["scatter", "scatter_add", "scatter_max", "scatter_mean", "scatter_min", "scatter_sum"]


def _reduce(
    caller: str,
    src: torch.Tensor,
    index: torch.Tensor,
    dim: int,
    dim_size: int | None,
    reduce: Reduce,
) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor]:
    """The result, who has each maximum, and how many numbers each group has."""
    check_tensors(caller, src=src, index=index)
    dim = dim + src.ndim if dim < 0 else dim
    if not 0 <= dim < src.ndim:
        raise ValueError(f"{caller}: dim is {dim}, expected an axis of src, which has {src.ndim}.")
    groups = dim_size
    if groups is None:
        groups = int(index.max()) + 1 if index.numel() else 0
    rows = src.movedim(dim, 0)
    length, others = rows.shape[0], rows.shape[1:]
    width = math.prod(others)
    if index.ndim == 1:
        if index.shape[0] != length:
            expected = f"expected {length} as src has along axis {dim}"
            raise ValueError(f"{caller}: index has {index.shape[0]} numbers, {expected}.")
        made = scatter_reduce_forward(
            rows.reshape(length, width), index, groups, reduce, argmax=reduce == "max"
        )
        counts = None if made.counts is None else made.counts[:, None].expand(groups, width)
        out, argmax = made.out, made.argmax
    else:
        # An index for each number: every place beside the axis has groups of its own.
        own = index.expand_as(src).movedim(dim, 0).reshape(length, width)
        number = torch.where(own < 0, -1, own * width + torch.arange(width, device=own.device))
        flat = rows.reshape(length * width, 1)
        made = scatter_reduce_forward(
            flat, number.ravel(), groups * width, reduce, argmax=reduce == "max"
        )
        out = made.out.view(groups, width)
        counts = None if made.counts is None else made.counts.view(groups, width)
        argmax = made.argmax
        if argmax is not None:
            # Row and column of the flat place; the one behind the last is nobody's.
            argmax = argmax.view(groups, width).div(max(width, 1), rounding_mode="floor")

    def back(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.reshape(groups, *others).movedim(0, dim)

    assert counts is not None  # They were asked for.
    return back(out), None if argmax is None else back(argmax), back(counts)


def scatter_sum(
    src: torch.Tensor,
    index: torch.Tensor,
    dim: int = -1,
    out: torch.Tensor | None = None,
    dim_size: int | None = None,
) -> torch.Tensor:
    """The sum of the numbers of each group; differentiable with respect to ``src``.

    Parameters
    ----------
    src : tensor
    index : int tensor
        The group of each number along ``dim``: as long as that axis, or broadcast to ``src``. -1
        belongs to none.
    dim : int
        The axis.
    out : tensor, optional
        What the sums are added to, in place.
    dim_size : int, optional
        How many groups; as many as the index needs if left out.

    Returns
    -------
    tensor
        As src, with groups along ``dim``. 0 without numbers.

    Examples
    --------
    >>> import torch
    >>> from detops.torch_scatter import scatter_sum
    >>> scatter_sum(torch.tensor([3.0, 1.0, 3.0, 2.0]), torch.tensor([0, 0, 0, 2]))
    tensor([7., 0., 2.])
    """
    size = dim_size if out is None else out.shape[dim]
    made, _, _ = _reduce("scatter_sum", src, index, dim, size, "sum")
    return made if out is None else out.add_(made)


scatter_add = scatter_sum


def scatter_mean(
    src: torch.Tensor,
    index: torch.Tensor,
    dim: int = -1,
    out: torch.Tensor | None = None,
    dim_size: int | None = None,
) -> torch.Tensor:
    """The mean of the numbers of each group. Arguments as :func:`scatter_sum`; sums are added to
    ``out`` before the division.

    Examples
    --------
    >>> import torch
    >>> from detops.torch_scatter import scatter_mean
    >>> scatter_mean(torch.tensor([3.0, 1.0, 2.0, 2.0]), torch.tensor([0, 0, 0, 2]))
    tensor([2., 0., 2.])
    """
    if out is None:
        return _reduce("scatter_mean", src, index, dim, dim_size, "mean")[0]
    made, _, counts = _reduce("scatter_mean", src, index, dim, out.shape[dim], "sum")
    return out.add_(made).div_(counts.clamp(min=1))


def _no_out(caller: str, out: torch.Tensor | None) -> None:
    if out is not None:
        raise NotImplementedError(f"{caller}: out is a tensor, expected None.")


def scatter_max(
    src: torch.Tensor,
    index: torch.Tensor,
    dim: int = -1,
    out: torch.Tensor | None = None,
    dim_size: int | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The maximum of each group, and where it is.

    Arguments as :func:`scatter_sum`; ``out`` must be None. NaN never is a maximum. Of equal numbers
    the first wins, and gets the gradient.

    Returns
    -------
    two tensors
        The maxima, 0 without numbers; int64 positions along ``dim``, its length without numbers.

    Examples
    --------
    >>> import torch
    >>> from detops.torch_scatter import scatter_max
    >>> scatter_max(torch.tensor([3.0, 1.0, 3.0, 2.0]), torch.tensor([0, 0, 0, 2]))
    (tensor([3., 0., 2.]), tensor([0, 4, 3]))
    """
    _no_out("scatter_max", out)
    made, argmax, _ = _reduce("scatter_max", src, index, dim, dim_size, "max")
    assert argmax is not None  # That of a maximum is wanted.
    return made, argmax


def scatter_min(
    src: torch.Tensor,
    index: torch.Tensor,
    dim: int = -1,
    out: torch.Tensor | None = None,
    dim_size: int | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The minimum of each group, and where it is; otherwise as :func:`scatter_max`.

    Examples
    --------
    >>> import torch
    >>> from detops.torch_scatter import scatter_min
    >>> scatter_min(torch.tensor([3.0, 1.0, 3.0, 2.0]), torch.tensor([0, 0, 0, 2]))
    (tensor([1., 0., 2.]), tensor([1, 4, 3]))
    """
    _no_out("scatter_min", out)
    check_tensors("scatter_min", src=src, index=index)
    made, argmin, _ = _reduce("scatter_min", -src, index, dim, dim_size, "max")
    assert argmin is not None  # That of a maximum is wanted.
    return 0 - made, argmin  # Not -made, which makes -0 of 0.


def scatter(
    src: torch.Tensor,
    index: torch.Tensor,
    dim: int = -1,
    out: torch.Tensor | None = None,
    dim_size: int | None = None,
    reduce: str = "sum",
) -> torch.Tensor:
    """One of the functions above by its name, without the positions.

    Parameters
    ----------
    src, index, dim, out, dim_size
        As :func:`scatter_sum`.
    reduce : "sum", "add", "mean", "max" or "min"

    Examples
    --------
    >>> import torch
    >>> from detops.torch_scatter import scatter
    >>> scatter(torch.tensor([[1.0], [5.0]]), torch.tensor([0, 0]), dim=0, reduce="max")
    tensor([[5.]])
    """
    if reduce in ("sum", "add"):
        return scatter_sum(src, index, dim, out, dim_size)
    if reduce == "mean":
        return scatter_mean(src, index, dim, out, dim_size)
    if reduce in ("max", "min"):
        extreme = scatter_max if reduce == "max" else scatter_min
        return extreme(src, index, dim, out, dim_size)[0]
    known = "'sum', 'add', 'mean', 'max' or 'min'"
    raise ValueError(f"scatter: reduce is {reduce!r}, expected {known}.")
