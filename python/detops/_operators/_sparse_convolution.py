"""Sparse convolution: index pairs, the convolution on them, and its gradients."""

from __future__ import annotations

from typing import NamedTuple

from .. import _native
from .._types import (
    Activation,
    ArrayLike,
    Counts,
    FiltersLayout,
    FloatArray,
    IndexArray,
    Shape,
    Sizes,
)

__all__ = [
    "IndicePairs",
    "SortedSites",
    "get_indice_pairs",
    "indice_convolution_backward_data",
    "indice_convolution_backward_filter",
    "indice_convolution_forward",
    "indice_convolution_forward_fused",
    "sort_sites",
]


class SortedSites(NamedTuple):
    """Result of :func:`sort_sites` for L sites."""

    indices: IndexArray
    """(L, D + 1) int32: the sites, ascending."""
    order: IndexArray
    """(L,) int32: the row that each was: ``indices = given[order]``, ``features[order]``."""


def sort_sites(
    indices: ArrayLike, *, out: tuple[ArrayLike | None, ArrayLike | None] | None = None
) -> SortedSites:
    """Put sites in ascending order by (batch, coordinates), equal ones in the order they have.

    A voxeliser gives sites as points come. Searches for pairs and convolutions of few channels take
    less time on sites in order, and no bit of a site's results depends on it: sort once, in front of
    a network, and take the rows of features in that order too.

    Parameters
    ----------
    indices : int array (L, D + 1)
        Any numbers, D = 1 to 4.
    out : two int32 arrays, optional
        Where to write. None: a new one.

    Returns
    -------
    SortedSites

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> sites = np.array([[1, 0, 7], [0, 5, 2], [1, 0, 3]], np.int32)  # (batch, y, x)
    >>> found, order = detops.sort_sites(sites)
    >>> found.tolist(), order.tolist()
    ([[0, 5, 2], [1, 0, 3], [1, 0, 7]], [1, 2, 0])
    """
    return SortedSites._make(_native.sort_sites(indices, out))


class IndicePairs(NamedTuple):
    """Result of :func:`get_indice_pairs` for L input sites and K kernel offsets."""

    out_indices: IndexArray
    """(num_act_out, D + 1): the output sites (batch, coordinates)."""
    indice_pairs: IndexArray
    """(K, 2, L): input indices, ascending, and their output indices; behind the pairs -1."""
    indice_num: IndexArray
    """(K,): the number of pairs of each offset."""
    num_act_out: int
    """The number of output sites."""
    output_shape: tuple[int, ...]
    """The output space."""


def get_indice_pairs(
    indices: ArrayLike,
    batch_size: int,
    spatial_shape: Shape,
    kernel_size: Sizes,
    stride: Sizes = 1,
    padding: Sizes | None = None,
    dilation: Sizes = 1,
    *,
    submanifold: bool = False,
    transposed: bool = False,
    output_padding: Sizes = 0,
    output_shape: Sizes | None = None,
    out: tuple[ArrayLike | None, ArrayLike | None, ArrayLike | None] | None = None,
) -> IndicePairs:
    """Find which input site meets which output site under which offset of the kernel.

    Parameters
    ----------
    indices : int array (L, D + 1)
        (batch, coordinates) of each input site, slowest axis first, in any order.
    batch_size : int
    spatial_shape : tuple of D int, D = 1 to 4
        The input space.
    kernel_size, stride, padding, dilation, output_padding : int or tuple of D int
        As in ``torch.nn.Conv3d`` and ``ConvTranspose3d``. Without ``padding``: 0, and for
        submanifold (kernel_size // 2) * dilation, which centres the kernel.
    submanifold : bool
        The output sites are the input sites, in their order.
    transposed : bool
        The transposed convolution. (The inverse one needs no pairs of its own: it takes those of
        the convolution it undoes, see :func:`indice_convolution_forward`.)
    output_shape : int or tuple of D int, optional
        The output space; without it that of torch's convolutions.
    out : tuple (out_indices, indice_pairs, indice_num), optional
        Where to write; None for what shall be new. ``out_indices`` may have more rows than needed,
        those become -1. A new one has exactly as many rows as there are output sites.

    Returns
    -------
    IndicePairs
        Output sites ascend by (batch, coordinates), each once. No input sites give no output sites.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> sites = np.array([[0, 0], [0, 1], [0, 4]], np.int32)  # (batch, x)
    >>> pairs = detops.get_indice_pairs(sites, 1, (5,), 3, stride=2, padding=1)
    >>> pairs.out_indices.tolist(), pairs.output_shape
    ([[0, 0], [0, 1], [0, 2]], (3,))
    >>> pairs.indice_num
    array([1, 2, 1], dtype=int32)
    >>> pairs.indice_pairs[1]  # under the middle offset: 0 -> 0, 4 -> 2
    array([[ 0,  2, -1],
           [ 0,  2, -1]], dtype=int32)
    """
    steps = (stride, padding, dilation, submanifold, transposed, output_padding, output_shape)
    *arrays, numbers = _native.get_indice_pairs(
        indices, batch_size, spatial_shape, kernel_size, *steps, out
    )
    return IndicePairs._make((*arrays, numbers[0], tuple(numbers[1:])))


def indice_convolution_forward(
    features: ArrayLike,
    filters: ArrayLike,
    indice_pairs: ArrayLike,
    indice_num: Counts,
    num_act_out: int | None = None,
    *,
    filters_layout: FiltersLayout = "KIO",
    inverse: bool = False,
    out: ArrayLike | None = None,
) -> FloatArray:
    """Sparse convolution: each output row is the sum of its input rows times filters.

    Parameters
    ----------
    features : array (L, Ci)
    filters : array
        By ``filters_layout``, where K stands for the axes of the kernel, 0 to 4 of them, in the
        order of the coordinates: "KIO" (kernel..., Ci, Co), "OKI" (Co, kernel..., Ci; spconv 2),
        "OIK" (Co, Ci, kernel...; torch). The library's own names are taken too, for the rank they
        say: "DHWCN" and "HWCN" (KIO), "NDHWC" and "NHWC" (OKI), "NCDHW" and "NCHW" (OIK).
    indice_pairs : int array (K, 2, L)
    indice_num : K int
        How many pairs of each offset count.
    num_act_out : int
        The rows of the result. May be left out with ``inverse`` (L rows).
    inverse : bool
        Run back from the outputs of the convolution that the pairs are of to its inputs:
        ``features`` then has any number of rows and the result L.
    out : array (num_act_out, Co), optional
        Where to write; its rows count if num_act_out is left out.

    Returns
    -------
    array (num_act_out, Co)
        Rows without pairs are 0.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> sites = np.array([[0, 0], [0, 1], [0, 4]], np.int32)
    >>> pairs = detops.get_indice_pairs(sites, 1, (5,), 3, submanifold=True)
    >>> features = np.array([[1], [10], [100]], np.float32)
    >>> filters = np.array([2, 3, 5], np.float32).reshape(3, 1, 1)
    >>> detops.indice_convolution_forward(
    ...     features, filters, pairs.indice_pairs, pairs.indice_num, pairs.num_act_out).ravel()
    array([ 53.,  32., 300.], dtype=float32)
    """
    return _native.indice_convolution_forward(
        features, filters, indice_pairs, indice_num, num_act_out, filters_layout, inverse, out
    )


def indice_convolution_forward_fused(
    features: ArrayLike,
    filters: ArrayLike,
    indice_pairs: ArrayLike,
    indice_num: Counts,
    num_act_out: int | None = None,
    *,
    bias: ArrayLike | None = None,
    residual: ArrayLike | None = None,
    activation: Activation = "none",
    negative_slope: float = 0.01,
    filters_layout: FiltersLayout = "KIO",
    inverse: bool = False,
    out: ArrayLike | None = None,
) -> FloatArray:
    """As :func:`indice_convolution_forward`, then + bias, + residual and the activation.

    All happens before the one rounding to the type of the result, without another pass over memory.

    Parameters
    ----------
    features, filters, indice_pairs, indice_num, num_act_out, filters_layout, inverse, out
        As there.
    bias : array (Co,), optional
    residual : array (num_act_out, Co), optional
    activation : "none", "relu" or "leaky_relu"
    negative_slope : float
        For "leaky_relu".

    Returns
    -------
    array (num_act_out, Co)

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> pairs = np.array([[[0, 1], [0, 1]]], np.int32)
    >>> features, filters = np.array([[1.0], [-3.0]]), np.ones((1, 1, 1))
    >>> detops.indice_convolution_forward_fused(
    ...     features, filters, pairs, [2], 2, bias=np.array([1.0]), activation="relu").ravel()
    array([2., 0.])
    """
    words = (bias, residual, activation, negative_slope, filters_layout, inverse)
    return _native.indice_convolution_forward_fused(
        features, filters, indice_pairs, indice_num, num_act_out, *words, out
    )


def indice_convolution_backward_data(
    output_grad: ArrayLike,
    filters: ArrayLike,
    indice_pairs: ArrayLike,
    indice_num: Counts,
    num_act_in: int | None = None,
    *,
    filters_layout: FiltersLayout = "KIO",
    inverse: bool = False,
    out: ArrayLike | None = None,
) -> FloatArray:
    """Gradient of :func:`indice_convolution_forward` with respect to ``features``.

    Parameters
    ----------
    output_grad : array (num_act_out, Co)
        Gradient of the forward result.
    filters, indice_pairs, indice_num, filters_layout, inverse
        As forward.
    num_act_in : int
        The rows of the result, those of forward's ``features``. L if left out; needed with
        ``inverse``, where the pairs do not tell.
    out : array (num_act_in, Ci), optional
        Where to write; it is overwritten, not added to. Its rows count if num_act_in is needed.

    Returns
    -------
    array (num_act_in, Ci)

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> pairs = np.array([[[0, 1], [0, 0]]], np.int32)  # both inputs go to output 0
    >>> detops.indice_convolution_backward_data(
    ...     np.array([[2.0]]), np.full((1, 1, 1), 3.0), pairs, [2]).ravel()
    array([6., 6.])
    """
    return _native.indice_convolution_backward_data(
        output_grad, filters, indice_pairs, indice_num, num_act_in, filters_layout, inverse, out
    )


def indice_convolution_backward_filter(
    features: ArrayLike,
    output_grad: ArrayLike,
    indice_pairs: ArrayLike,
    indice_num: Counts,
    filters_shape: Shape,
    *,
    filters_layout: FiltersLayout = "KIO",
    inverse: bool = False,
    out: ArrayLike | None = None,
) -> FloatArray:
    """Gradient of :func:`indice_convolution_forward` with respect to ``filters``.

    Parameters
    ----------
    features, indice_pairs, indice_num, filters_layout, inverse
        As forward.
    output_grad : array (num_act_out, Co)
        Gradient of the forward result.
    filters_shape : tuple of int
        The shape of forward's ``filters``.
    out : array of ``filters_shape``, optional
        Where to write; it is overwritten, not added to.

    Returns
    -------
    array of ``filters_shape``

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> pairs = np.array([[[0, 1], [0, 0]]], np.int32)
    >>> detops.indice_convolution_backward_filter(
    ...     np.array([[1.0], [10.0]]), np.array([[2.0]]), pairs, [2], (1, 1, 1)).ravel()
    array([22.])
    """
    words = (filters_layout, inverse)
    return _native.indice_convolution_backward_filter(
        features, output_grad, indice_pairs, indice_num, filters_shape, *words, out
    )
