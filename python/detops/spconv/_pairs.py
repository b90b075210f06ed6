"""Which pairs a layer works on: new ones, or those of an earlier layer."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import torch

from .. import torch as ops
from ..torch._rulebooks import build, found_by
from . import constants
from .core import IndiceData, SparseConvTensor

__all__ = ["find_pairs", "pairs_of_rows"]


class Layer(Protocol):
    """What is asked of a convolution or a pooling."""

    ndim: int
    kernel_size: list[int]
    stride: list[int]
    padding: list[int]
    dilation: list[int]
    output_padding: list[int]
    subm: bool
    transposed: bool
    inverse: bool
    indice_key: str | None
    algo: Any


def find_pairs(layer: Layer, input: SparseConvTensor) -> tuple[IndiceData, SparseConvTensor]:
    """The pairs, and a tensor with the output's sites and space; its features are still those of
    the input."""
    _check_input(layer, input)
    if layer.inverse:
        return _undo(layer, input)
    stored = input.find_indice_pair(layer.indice_key)
    if stored is not None:
        _check_reuse(layer, input, stored)
        return stored, _output(input, stored.out_indices, stored.out_spatial_shape)
    # Submanifold layers on the same sites share pairs, with or without a key.
    shape = (tuple(layer.kernel_size), tuple(layer.dilation))
    pairs = input._pairs_of_sites.get(shape) if layer.subm else None
    # Sites and space are attributes that a program may have set or written into since.
    if pairs is None or not _is_of(pairs, input):
        with _outside_of_inference_mode():
            pairs = _new_pairs(layer, input)
        if layer.subm:
            input._pairs_of_sites[shape] = pairs
    output = _output(input, pairs.out_indices, pairs.out_spatial_shape)
    if layer.indice_key is not None:
        output.indice_dict = input._with_pairs(layer.indice_key, pairs)
    return pairs, output


def pairs_of_rows(layer: Layer, input: SparseConvTensor) -> tuple[IndiceData, SparseConvTensor]:
    """As find_pairs, of a kernel of one offset that is a product of features and weight: each row
    with itself. There is nothing to search, so that no key is read or stored.

    A head has dozens of such layers on the same sites: what the first has made, the others take."""
    _check_input(layer, input)
    key = ("rows", input.batch_size)
    known = input._pairs_of_sites.get(key)
    if known is not None and _is_of(known, input):
        return known, input.shadow_copy()
    # Coordinates are not used, but other layers would refuse them.
    input._check_sites()
    with _outside_of_inference_mode():
        pairs = _rows_with_themselves(layer, input)
    input._pairs_of_sites[key] = pairs
    return pairs, input.shadow_copy()


def _rows_with_themselves(layer: Layer, input: SparseConvTensor) -> IndiceData:
    count = input.indices.shape[0]
    rows = torch.arange(count, dtype=torch.int32, device=input.indices.device)
    return IndiceData(
        input.indices,
        input.indices,
        torch.stack([rows, rows])[None],
        rows.new_full((1,), count),
        list(input.spatial_shape),
        list(input.spatial_shape),
        True,
        layer.kernel_size,
        layer.stride,
        layer.dilation,
        layer.padding,
    )


def _check_input(layer: Layer, input: SparseConvTensor) -> None:
    if input.indices.shape[1] != layer.ndim + 1:
        raise ValueError(
            f"{layer}: indices has {input.indices.shape[1]} columns, expected {layer.ndim + 1}: the "
            "batch and a coordinate for each axis of the layer."
        )
    input._check_rows()


def _outside_of_inference_mode() -> AbstractContextManager[Any]:
    """What is made in that mode cannot be used in training, and pairs are kept for later layers."""
    # torch.compile cannot trace the question.
    is_inside = not torch.compiler.is_compiling() and torch.is_inference_mode_enabled()
    return torch.inference_mode(False) if is_inside else nullcontext()


def _is_of(pairs: IndiceData, input: SparseConvTensor) -> bool:
    if pairs.indices is not input.indices or pairs.spatial_shape != input.spatial_shape:
        return False
    is_known = pairs.stamps is not None or torch.compiler.is_compiling()
    return is_known and pairs.is_of(input.indices, 0)


def _output(
    input: SparseConvTensor, sites: torch.Tensor, spatial_shape: list[int]
) -> SparseConvTensor:
    output = input.shadow_copy()
    if sites is not input.indices:
        output.indices = sites
        output._pairs_of_sites = {}
    output.spatial_shape = list(spatial_shape)
    return output


def _output_extent(layer: Layer, input: SparseConvTensor, axis: int) -> int:
    space, kernel, stride = input.spatial_shape[axis], layer.kernel_size[axis], layer.stride[axis]
    padding = layer.padding[axis]
    if layer.transposed:  # The original's formula, which leaves out the dilation.
        return (space - 1) * stride - 2 * padding + kernel + layer.output_padding[axis]
    return (space + 2 * padding - layer.dilation[axis] * (kernel - 1) - 1) // stride + 1


def _new_pairs(layer: Layer, input: SparseConvTensor) -> IndiceData:
    if layer.subm:
        space = list(input.spatial_shape)
    else:
        space = [_output_extent(layer, input, axis) for axis in range(layer.ndim)]
    if any(extent < 1 for extent in space):
        raise ValueError(
            f"{layer}: the output space would be {space}, because the kernel does not fit into "
            f"spatial_shape {input.spatial_shape}."
        )
    words = (
        list(input.spatial_shape),
        space,
        layer.subm,
        layer.kernel_size,
        layer.stride,
        layer.dilation,
        layer.padding,
        layer.algo,
        layer.transposed,
    )
    if (found := _build_rulebook(layer, input, space)) is not None:
        sites, stand_in, counts = found
        return IndiceData.of_rulebook(sites, input.indices, stand_in, counts, *words)
    pairs = _search(layer, input, space)
    found_by(layer, pairs.indice_pairs)
    sites = input.indices if layer.subm else pairs.out_indices
    return IndiceData(sites, input.indices, pairs.indice_pairs, pairs.indice_num, *words)


def _build_rulebook(layer: Layer, input: SparseConvTensor, space: list[int]) -> Any:
    arguments = (
        input.indices,
        input.batch_size,
        input.spatial_shape,
        layer.kernel_size,
        None if layer.subm else layer.stride,
        None if layer.subm else layer.padding,
        layer.dilation,
        layer.subm,
        layer.transposed,
        layer.output_padding,
        space,
    )
    return build(layer, input.indices, math.prod(layer.kernel_size), arguments)


def _search(layer: Layer, input: SparseConvTensor, space: list[int]) -> Any:
    try:
        return ops.get_indice_pairs(
            input.indices,
            input.batch_size,
            input.spatial_shape,
            layer.kernel_size,
            1 if layer.subm else layer.stride,
            None if layer.subm else layer.padding,
            layer.dilation,
            submanifold=layer.subm,
            transposed=layer.transposed,
            output_padding=layer.output_padding,
            output_shape=space,
        )
    except ValueError as error:
        text = str(error).removeprefix("get_indice_pairs: ")
        if "expected a coordinate in" in text:
            text += (
                f" The space is {input.spatial_shape}; are indices and spatial_shape in the same "
                "order (z, y, x)?"
            )
        raise ValueError(f"{layer}: {text}") from None


def _misuse(layer: Layer, sentence: str) -> ValueError:
    return ValueError(
        f"indice_key {layer.indice_key!r}: {sentence} Use another key, or set "
        "detops.spconv.constants.LENIENT_INDICE_KEYS for networks that rely on it."
    )


def _check_lists(layer: Layer, stored: IndiceData, fewer: bool) -> None:
    """Whether there are as many lists of pairs as the kernel has offsets, or ``fewer``."""
    lists, offsets = stored.indice_pair_num.shape[0], math.prod(layer.kernel_size)
    if lists > offsets or (lists < offsets and not fewer):
        raise ValueError(
            f"indice_key {layer.indice_key!r}: stored with {lists} lists of pairs, but this layer's "
            f"kernel {layer.kernel_size} has {offsets} offsets."
        )


def _check_reuse(layer: Layer, input: SparseConvTensor, stored: IndiceData) -> None:
    if constants.LENIENT_INDICE_KEYS:
        _check_lists(layer, stored, fewer=True)
        return
    is_regular = not layer.subm and not stored.is_subm
    if layer.subm != stored.is_subm or (is_regular and not input._shares_indice_dict):
        raise _misuse(layer, "only submanifold layers may share pairs, others need a key each.")
    wanted: dict[str, tuple[Any, Any]] = {}
    if is_regular:
        space = [_output_extent(layer, input, axis) for axis in range(layer.ndim)]
        wanted = {
            "transposed": (layer.transposed, stored.transposed),
            "stride": (layer.stride, stored.stride),
            "padding": (layer.padding, stored.padding),
            "output space": (space, stored.out_spatial_shape),
        }
    wanted |= {
        "kernel_size": (layer.kernel_size, stored.ksize),
        "dilation": (layer.dilation, stored.dilation),
        "spatial_shape": (input.spatial_shape, stored.spatial_shape),
        "number of sites": (input.indices.shape[0], stored.indices.shape[0]),
    }
    _check_fit(layer, wanted, "this layer has", stored.is_of(input.indices, 0))


def _check_fit(
    layer: Layer, wanted: dict[str, tuple[Any, Any]], what_is_here: str, are_those: bool
) -> None:
    """Of what is wanted and stored, and of the sites."""
    for name, (mine, theirs) in wanted.items():
        if mine != theirs:
            raise _misuse(layer, f"stored with {name} {theirs}, but {what_is_here} {mine}.")
    if not are_those:
        raise _misuse(layer, "it is stored for other sites than those of the input.")


def _undo(layer: Layer, input: SparseConvTensor) -> tuple[IndiceData, SparseConvTensor]:
    stored = input.find_indice_pair(layer.indice_key)
    if stored is None:
        raise ValueError(
            f"indice_key {layer.indice_key!r} is not stored: an inverse layer needs the key of the "
            "layer it undoes."
        )
    if constants.LENIENT_INDICE_KEYS:
        _check_lists(layer, stored, fewer=False)
    else:
        if stored.is_subm:
            raise _misuse(layer, "it is of a submanifold layer, which cannot be undone.")
        wanted: dict[str, tuple[Any, Any]] = {
            "kernel_size": (layer.kernel_size, stored.ksize),
            "output space": (input.spatial_shape, stored.out_spatial_shape),
            "number of output sites": (input.indices.shape[0], stored.out_indices.shape[0]),
        }
        _check_fit(layer, wanted, "here it is", stored.is_of(input.indices, 1))
    return stored, _output(input, stored.indices, stored.spatial_shape)
