"""Which input site meets which output site: the pairs of sparse convolutions."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from .._types import Shape, Sizes
from ._library import is_compiling, is_tracing, modes, named, ops, plain, register_shapes

__all__ = ["IndicePairs", "get_indice_pairs"]

_pairs = ops.get_indice_pairs.default
# The same with all numbers in one list, which torch takes in a third of the time.
_packed = plain("get_indice_pairs")
_USUAL = (1, None, 1, 0, None)


class IndicePairs(NamedTuple):
    """Result of :func:`get_indice_pairs` for L input sites and K kernel offsets."""

    out_indices: torch.Tensor
    """(num_act_out, D + 1) int32: the output sites (batch, coordinates)."""
    indice_pairs: torch.Tensor
    """(K, 2, L) int32: input indices, ascending, and their output indices; then -1."""
    indice_num: torch.Tensor
    """(K,) int32: the number of pairs of each offset."""
    num_act_out: int
    """The number of output sites."""
    output_shape: tuple[int, ...]
    """The output space."""


# Other types that sizes may come in, arrays and tensors, can be turned into these.
_PLAIN = frozenset((int, tuple, list, torch.Size, type(None)))
_INT = frozenset((int,))


def _plain(size: Any) -> Any:
    return size.tolist() if hasattr(size, "tolist") else size


def _some(size: Sizes) -> Shape:
    return (size,) if isinstance(size, int) else size


def _each(size: Sizes, count: int) -> Shape:
    # Operators have lists only, in which one number stands for all axes.
    some = _some(size)
    return tuple(some) * count if len(some) == 1 else some


def _with_length(size: Sizes | None) -> Sequence[int]:
    if size is None:
        return (-1,)
    return (1, size) if isinstance(size, int) else (len(size), *size)


def _usual_extent(
    transposed: bool, space: int, kernel: int, stride: int, padding: int, dilation: int, more: int
) -> int:
    reach = dilation * (kernel - 1) + 1
    if transposed:
        return (space - 1) * stride - 2 * padding + reach + more
    return (space + 2 * padding - reach) // stride + 1


def get_indice_pairs(
    indices: torch.Tensor,
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
) -> IndicePairs:
    """Find which input site meets which output site under which offset of the kernel.

    Parameters
    ----------
    indices : int tensor (L, D + 1)
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

    Returns
    -------
    IndicePairs
        Output sites ascend by (batch, coordinates), each once. No input sites give no output sites.

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> sites = torch.tensor([[0, 0], [0, 1], [0, 4]])  # (batch, x)
    >>> pairs = detops.torch.get_indice_pairs(sites, 1, (5,), 3, stride=2, padding=1)
    >>> pairs.out_indices.tolist(), pairs.output_shape
    ([[0, 0], [0, 1], [0, 2]], (3,))
    >>> pairs.indice_num
    tensor([1, 2, 1], dtype=torch.int32)
    """
    if is_tracing() is not None:
        raise RuntimeError(
            "get_indice_pairs: torch.jit.trace would use the number of output sites of its example "
            "for all inputs. Use torch.export.export or torch.compile."
        )
    made = None
    sizes: Any = (spatial_shape, kernel_size, stride, padding, dilation, output_padding, output_shape)
    if not is_compiling() and not _PLAIN.issuperset(map(type, sizes)):
        sizes = map(_plain, sizes)
        spatial_shape, kernel_size, stride, padding, dilation, output_padding, output_shape = sizes
    are_bool = type(submanifold) is type(transposed) is bool
    if are_bool and type(indices) is torch.Tensor and not (is_compiling() or modes()):
        try:
            kernel = (kernel_size,) if isinstance(kernel_size, int) else kernel_size
            numbers = (
                batch_size,
                submanifold + 2 * transposed,
                len(spatial_shape),
                *spatial_shape,
                len(kernel),
                *kernel,
            )
            others = (stride, padding, dilation, output_padding, output_shape)
            if others != _USUAL:
                numbers += tuple(itertools.chain.from_iterable(map(_with_length, others)))
            made = _packed(indices, numbers)
        except (RuntimeError, TypeError):
            pass  # What torch refuses, it refuses below under a name that is known.
    if made is None:
        made = _pairs(
            indices,
            batch_size,
            spatial_shape,
            _some(kernel_size),
            None if stride == 1 else _some(stride),
            None if padding is None else _some(padding),
            None if dilation == 1 else _some(dilation),
            submanifold,
            transposed,
            None if output_padding == 0 else _some(output_padding),
            None if output_shape is None else _some(output_shape),
        )
    if output_shape is not None:
        space = tuple(_each(output_shape, len(spatial_shape)))
    elif submanifold:
        space = tuple(spatial_shape)
    else:
        count = len(spatial_shape)
        axes = zip(
            spatial_shape,
            _each(kernel_size, count),
            _each(stride, count),
            _each(padding or 0, count),
            _each(dilation, count),
            _each(output_padding, count),
            strict=True,
        )
        space = tuple(_usual_extent(transposed, *axis) for axis in axes)
    # Numbers of NumPy and tensors may be in a tuple too. (Those of a graph are left alone.)
    if not is_compiling() and not _INT.issuperset(map(type, space)):
        space = tuple(n if isinstance(n, torch.SymInt) else operator.index(n) for n in space)
    return named(IndicePairs, (*made, made[0].shape[0], space))


def _fake(
    indices: torch.Tensor,
    batch_size: int,
    spatial_shape: Sequence[int],
    kernel_size: Sequence[int],
    stride: Sequence[int] | None = None,
    padding: Sequence[int] | None = None,
    dilation: Sequence[int] | None = None,
    submanifold: bool = False,
    *_: Any,
) -> tuple[torch.Tensor, ...]:
    sites, columns = indices.shape
    kernel = kernel_size if len(kernel_size) > 1 else _each(kernel_size[0], len(spatial_shape))
    offsets = math.prod(kernel)
    outputs = sites if submanifold else torch.library.get_ctx().new_dynamic_size()
    return (
        indices.new_empty((outputs, columns), dtype=torch.int32),
        indices.new_empty((offsets, 2, sites), dtype=torch.int32),
        indices.new_empty((offsets,), dtype=torch.int32),
    )


register_shapes(_pairs, _fake)
