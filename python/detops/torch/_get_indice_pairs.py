"""Which input site meets which output site: the pairs of sparse convolutions; sites in order."""

from __future__ import annotations

import math
import operator
from typing import Any, NamedTuple

import torch

from .._operators import _sparse_convolution as twins
from .._types import Shape, Sizes
from ._documentation import as_its_twin
from ._library import Operator, call, is_compiling, is_tracing, named
from ._rulebooks import watch

__all__ = ["IndicePairs", "SortedSites", "get_indice_pairs", "sort_sites"]

_operator = Operator("get_indice_pairs")
_sort = Operator("sort_sites")


class IndicePairs(NamedTuple):
    """Result of :func:`get_indice_pairs`: the fields of :class:`detops.IndicePairs`."""

    out_indices: torch.Tensor
    indice_pairs: torch.Tensor
    indice_num: torch.Tensor
    num_act_out: int
    output_shape: tuple[int, ...]


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


def _usual_extent(
    transposed: bool, space: int, kernel: int, stride: int, padding: int, dilation: int, more: int
) -> int:
    reach = dilation * (kernel - 1) + 1
    if transposed:
        return (space - 1) * stride - 2 * padding + reach + more
    return (space + 2 * padding - reach) // stride + 1


@as_its_twin(twins.get_indice_pairs)
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
    """Examples
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
    compiling = is_compiling()
    sizes: Any = (spatial_shape, kernel_size, stride, padding, dilation, output_padding, output_shape)
    if not compiling and not _PLAIN.issuperset(map(type, sizes)):
        sizes = map(_plain, sizes)
        spatial_shape, kernel_size, stride, padding, dilation, output_padding, output_shape = sizes
    made = call(
        _operator,
        (),
        (
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
        ),
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
    if not compiling and not _INT.issuperset(map(type, space)):
        space = tuple(n if isinstance(n, torch.SymInt) else operator.index(n) for n in space)
    out_indices, indice_pairs, indice_num = made
    num_act_out = out_indices.shape[0]
    if not compiling:
        watch(indice_pairs, indice_num, num_act_out)
    return named(IndicePairs, (*made, num_act_out, space))


def _found(a: Any) -> tuple[torch.Tensor, ...]:
    sites, columns = a.indices.shape
    offsets = math.prod(_each(a.kernel_size, len(a.spatial_shape)))
    outputs = sites if a.submanifold else torch.library.get_ctx().new_dynamic_size()
    shapes = ((outputs, columns), (offsets, 2, sites), (offsets,))
    return tuple(a.indices.new_empty(shape, dtype=torch.int32) for shape in shapes)


_operator.register(_found)


class SortedSites(NamedTuple):
    """Result of :func:`sort_sites`: the fields of :class:`detops.SortedSites`."""

    indices: torch.Tensor
    order: torch.Tensor


@as_its_twin(twins.sort_sites)
def sort_sites(indices: torch.Tensor) -> SortedSites:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> sites = torch.tensor([[1, 0, 7], [0, 5, 2], [1, 0, 3]])  # (batch, y, x)
    >>> found, order = detops.torch.sort_sites(sites)
    >>> found.tolist(), order.tolist()
    ([[0, 5, 2], [1, 0, 3], [1, 0, 7]], [1, 2, 0])
    """
    return named(SortedSites, call(_sort, (), (indices,)))


def _sorted(a: Any) -> tuple[torch.Tensor, ...]:
    kind = {"dtype": torch.int32}
    return a.indices.new_empty(a.indices.shape, **kind), a.indices.new_empty(a.indices.shape[:1], **kind)


# Sites are integers: nothing is learnt through them.
_sort.register(_sorted)
