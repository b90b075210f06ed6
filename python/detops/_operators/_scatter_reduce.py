"""Sums, means and maxima of the rows with the same index."""

from __future__ import annotations

from typing import NamedTuple

from .. import _native
from .._types import ArrayLike, FloatArray, Reduce, WideIndexArray

__all__ = ["ScatterReduce", "scatter_reduce_backward", "scatter_reduce_forward"]


class ScatterReduce(NamedTuple):
    """Result of :func:`scatter_reduce_forward`: V groups of P rows."""

    out: FloatArray
    """(V, C): the sum, mean or maximum of each group; 0 without rows."""
    counts: WideIndexArray | None
    """(V,) int64: the number of rows; None if not wanted."""
    argmax: WideIndexArray | None
    """(V, C) int64: who has the maximum, P if nobody; None if not wanted."""


def scatter_reduce_forward(
    src: ArrayLike,
    index: ArrayLike,
    num_groups: int,
    reduce: Reduce = "sum",
    *,
    count: bool = True,
    argmax: bool = True,
) -> ScatterReduce:
    """Reduce the rows of each group to one.

    Parameters
    ----------
    src : array (P, C)
    index : int array (P,)
        The group of each row, from 0 to ``num_groups - 1``; -1 for none.
    num_groups : int
        V.
    reduce : "sum", "mean" or "max"
        NaN never is a maximum. Of equal numbers the first wins.
    count, argmax : bool
        Whether they are wanted.

    Returns
    -------
    ScatterReduce

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> src, index = np.array([[3.0], [1.0], [3.0], [2.0]]), np.array([0, 0, 0, 2])
    >>> made = detops.scatter_reduce_forward(src, index, 3, "max")
    >>> made.out.ravel().tolist(), made.counts.tolist(), made.argmax.ravel().tolist()
    ([3.0, 0.0, 2.0], [3, 0, 1], [0, 4, 3])
    """
    return ScatterReduce._make(
        _native.scatter_reduce_forward(src, index, num_groups, reduce, count, argmax)
    )


def scatter_reduce_backward(
    grad_out: ArrayLike,
    index: ArrayLike,
    count: ArrayLike | None = None,
    argmax: ArrayLike | None = None,
    reduce: Reduce = "sum",
    *,
    out: ArrayLike | None = None,
) -> FloatArray:
    """Gradient of :func:`scatter_reduce_forward` with respect to ``src``.

    Parameters
    ----------
    grad_out : array (V, C)
        Gradient of the forward result.
    index : int array (P,)
    count, argmax : int arrays (V,) and (V, C), or None
        Forward's results; the first is read for "mean" only, the second for "max".
    reduce : "sum", "mean" or "max"
    out : array (P, C), optional
        Where to write; it is overwritten, not added to.

    Returns
    -------
    array (P, C)

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> grad, index = np.array([[6.0], [1.0]]), np.array([0, 0, 1, -1])
    >>> detops.scatter_reduce_backward(grad, index).ravel().tolist()
    [6.0, 6.0, 1.0, 0.0]
    >>> detops.scatter_reduce_backward(grad, index, np.array([2, 1]), reduce="mean").ravel().tolist()
    [3.0, 3.0, 1.0, 0.0]
    """
    return _native.scatter_reduce_backward(grad_out, index, count, argmax, reduce, out)
