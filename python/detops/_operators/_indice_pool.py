"""Maximum and average over the pairs of a sparse convolution."""

from __future__ import annotations

from .. import _native
from .._types import ArrayLike, Counts, FloatArray, Pool, Start

__all__ = ["indice_pool_backward", "indice_pool_forward"]


def indice_pool_forward(
    features: ArrayLike,
    indice_pairs: ArrayLike,
    indice_num: Counts,
    num_act_out: int | None = None,
    *,
    pool: Pool = "max",
    start: Start = "zero",
    out: ArrayLike | None = None,
) -> FloatArray:
    """Each output row is the maximum, or the average, of its input rows.

    Parameters
    ----------
    features : array (N, C)
    indice_pairs : int array (K, 2, L)
    indice_num : K int
        How many pairs of each offset count.
    num_act_out : int
        The rows of the result.
    pool : "max" or "avg"
    start : "zero" or "lowest"
        What a maximum begins with: 0, as spconv and mmcv, so that nothing negative comes out; or
        nothing. NaN is ignored.
    out : array (num_act_out, C), optional
        Where to write; its rows count if num_act_out is left out.

    Returns
    -------
    array (num_act_out, C)
        Rows without pairs are 0.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> pairs = np.array([[[0, 1, 2], [0, 0, 1]]])
    >>> features = np.array([[1.0], [5.0], [-2.0]])
    >>> detops.indice_pool_forward(features, pairs, [3], 2).ravel()
    array([5., 0.])
    >>> detops.indice_pool_forward(features, pairs, [3], 2, pool="avg").ravel()
    array([ 3., -2.])
    """
    return _native.indice_pool_forward(
        features, indice_pairs, indice_num, num_act_out, pool, start, out
    )


def indice_pool_backward(
    output_grad: ArrayLike,
    features: ArrayLike | None,
    features_out: ArrayLike | None,
    indice_pairs: ArrayLike,
    indice_num: Counts,
    num_act_in: int | None = None,
    *,
    pool: Pool = "max",
    out: ArrayLike | None = None,
) -> FloatArray:
    """Gradient of :func:`indice_pool_forward` with respect to ``features``.

    Parameters
    ----------
    output_grad : array (num_act_out, C)
        Gradient of the forward result.
    features, features_out : arrays (N, C) and (num_act_out, C), or None
        Forward's input and result; read for "max" only. Inputs that tie all get the gradient.
    indice_pairs, indice_num, pool
        As forward.
    num_act_in : int
        N. L if left out.
    out : array (num_act_in, C), optional
        Where to write; it is overwritten, not added to.

    Returns
    -------
    array (num_act_in, C)

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> pairs = np.array([[[0, 1], [0, 0]]])
    >>> detops.indice_pool_backward(
    ...     np.array([[6.0]]), None, None, pairs, [2], pool="avg").ravel()
    array([3., 3.])
    """
    return _native.indice_pool_backward(
        output_grad, features, features_out, indice_pairs, indice_num, num_act_in, pool, out
    )
