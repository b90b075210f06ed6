"""Rulebooks: pairs that several layers share are checked and sorted once.

A convolution looks at all its pairs before it begins, and if the sites are in no order, forward also
sorts them, a third of the time of one with 16 channels. For a rulebook the library does that once;
all convolutions and poolings on the pairs may then use it, with the same bits. To make one takes
longer than to sort once. So pairs have one if their sites are in no order, and if those that the
same layer found the last time served two layers or more.

Pairs of :func:`get_indice_pairs` have one for as long as their tensor lives and nobody has written
into it.

Layers of :mod:`detops.spconv` have a rulebook straight from the sites (:func:`build`). A tensor that
takes no memory stands in for the pairs then; who wants to see them finds them (:func:`visible`). When
nobody needs the rulebook any more, the layer that has made it keeps it, and its next one is made in
the same memory: fresh memory would cost more than the search.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable
from typing import Any

import torch

from ._library import Operator, is_compiling, is_tracing, modes, ops

__all__ = ["build", "found_by", "is_seen", "keep", "kept", "use_rulebooks", "visible", "watch"]

# Below, looking for a rulebook takes as long as the look at the pairs that it saves.
_LEAST_NUMBERS = 1 << 17
_C: Any = torch._C
_create: Callable[..., int] = ops._create_rulebook.default
_build: Callable[..., tuple[torch.Tensor, torch.Tensor, int]] = ops._build_rulebook.default
_destroy: Callable[[int], None] = ops._destroy_rulebook.default
# Calls with a rulebook are not recorded.
_ARE_CALLS_RECORDED = "MLUOP_GEN_CASE" in os.environ


_convolutions_of: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
"""How many there were, the last time, on pairs that a layer has found."""


class _Spare:
    """A rulebook that nobody uses, for the memory that it has."""

    __slots__ = ("rulebook",)

    def __init__(self, rulebook: int) -> None:
        self.rulebook = rulebook

    def take(self) -> int:
        rulebook, self.rulebook = self.rulebook, 0
        return rulebook

    def __del__(self) -> None:
        if self.rulebook != 0 and not sys.is_finalizing():
            _destroy(self.rulebook)


_spares: weakref.WeakKeyDictionary[Any, _Spare] = weakref.WeakKeyDictionary()
"""By the layer that has made it. It is freed with the layer."""


class _Pairs:
    """What is known of a tensor of pairs; the rulebook is freed with it, or kept by its layer."""

    __slots__ = (
        "convolutions",
        "counts",
        "find_pairs",
        "finder",
        "is_shared",
        "num_act_out",
        "reference",
        "rulebook",
        "stamps",
    )

    def __init__(self, reference: Any, pairs: Any, counts: torch.Tensor, num_act_out: int) -> None:
        self.reference = reference
        self.counts = counts
        self.num_act_out = num_act_out
        self.stamps = _stamps(pairs, counts)
        self.convolutions = 0
        self.finder: Callable[[], Any] = lambda: None
        self.is_shared = False
        self.rulebook = 0
        self.find_pairs: Callable[[], torch.Tensor] | None = None

    def __del__(self) -> None:
        if sys.is_finalizing():
            return
        layer = self.finder()
        if self.rulebook != 0:
            spare = _Spare(self.rulebook)
            if self.find_pairs is not None and layer is not None:
                _spares[layer] = spare
        if layer is not None and self.find_pairs is None:
            _convolutions_of[layer] = self.convolutions


_known: dict[int, _Pairs] = {}
"""By the id of the tensor, which is that of no other while the tensor lives."""


def _stamps(pairs: torch.Tensor, counts: torch.Tensor) -> tuple[int, ...]:
    """What changes when somebody writes into the tensors, or gives them other memory."""
    return pairs._version, counts._version, pairs.data_ptr(), counts.data_ptr()


def _are_in_order(pairs: torch.Tensor, counts: torch.Tensor) -> bool:
    """Whether the first outputs of an offset ascend. Where sites are in no order, they never do."""
    first = pairs[0, 1, : min(int(counts[0]), 64)].tolist()
    return first == sorted(first)


def watch(pairs: torch.Tensor, counts: torch.Tensor, num_act_out: int) -> None:
    """From now on these pairs may have a rulebook."""
    if type(pairs) is not torch.Tensor or pairs.numel() < _LEAST_NUMBERS or _ARE_CALLS_RECORDED:
        return
    # Those who trace would see more than the operator; tensors of inference mode have no versions.
    if modes() or _C._are_functorch_transforms_active() or pairs.is_inference():
        return
    if _are_in_order(pairs, counts):
        return
    key = id(pairs)
    reference = weakref.ref(pairs, lambda _: _known.pop(key, None))
    _known[key] = _Pairs(reference, pairs, counts, num_act_out)


def found_by(layer: Any, pairs: torch.Tensor) -> None:
    """A layer has found the pairs, for itself and for those that share them."""
    known = None if is_compiling() else _known.get(id(pairs))
    if known is not None:
        known.finder = weakref.ref(layer)
        known.is_shared = _convolutions_of.get(layer, 0) >= 2


def _find(pairs: torch.Tensor, counts: torch.Tensor, is_forward: bool) -> _Pairs | None:
    """The pairs, if they have a rulebook. The first convolution makes it."""
    known = _known.get(id(pairs))
    if known is None or known.counts is not counts:
        return None
    # These must see the operator itself.
    if torch.is_autocast_enabled("cpu") or is_tracing() or _C._are_functorch_transforms_active():
        return None
    if known.stamps != _stamps(pairs, counts):
        if known.find_pairs is None:
            _known.pop(id(pairs), None)
        return None
    if is_forward:
        known.convolutions += 1
        if known.is_shared and known.rulebook == 0 and known.convolutions == 1:
            try:
                known.rulebook = _create(pairs, counts, known.num_act_out)
            except (RuntimeError, MemoryError):
                return None  # There is no memory for it.
    return known if known.rulebook != 0 else None


def is_seen() -> bool:
    """Whether somebody looks at the arguments of operators, or makes others of them."""
    return bool(
        is_compiling()
        or modes()
        or torch.is_autocast_enabled("cpu")
        or is_tracing()
        or _C._are_functorch_transforms_active()
    )


def build(
    layer: Any, indices: torch.Tensor, offsets: int, arguments: tuple[Any, ...]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor] | None:
    """The output sites, a tensor that stands in for the pairs (offsets, 2, L), and their counts.

    ``arguments`` are those of :func:`get_indice_pairs`, the tensor of sites first. None: they have no
    rulebook, because they are few, the call is watched or refused.
    """
    # First of all: a graph has no number of sites to compare with.
    if is_compiling() or is_seen() or _ARE_CALLS_RECORDED:
        return None
    count = indices.shape[0]
    if type(indices) is not torch.Tensor or not indices.is_cpu:
        return None
    if 2 * offsets * count < _LEAST_NUMBERS:
        return None
    spare = _spares.pop(layer, None)
    with torch._C._AutoDispatchBelowAutograd():
        try:
            sites, counts, rulebook = _build(spare.rulebook if spare is not None else 0, *arguments)
        except (RuntimeError, ValueError, MemoryError):
            return None  # The operator says why.
    if spare is not None:
        spare.take()
    stand_in = counts.new_full((1, 1, 1), -1).expand(offsets, 2, count)
    sites_of = None if sites.ndim == 1 else sites
    key = id(stand_in)
    reference = weakref.ref(stand_in, lambda _: _known.pop(key, None))
    known = _Pairs(reference, stand_in, counts, 0)
    known.rulebook = rulebook
    known.finder = weakref.ref(layer)
    known.find_pairs = _finder_of(arguments)
    _known[key] = known
    return indices if sites_of is None else sites_of, stand_in, counts


def _finder_of(arguments: tuple[Any, ...]) -> Callable[[], torch.Tensor]:
    """Finds the pairs once, when somebody wants to see them."""
    found: list[torch.Tensor] = []
    indices = arguments[0]
    version = None if indices.is_inference() else indices._version

    def find() -> torch.Tensor:
        if not found:
            if version is not None and indices._version != version:
                raise RuntimeError(
                    "indice_pairs: the indices have been written into since, and only now their pairs "
                    "are asked for. Ask for them before."
                )
            with torch.inference_mode(False), torch.no_grad():
                found.append(ops.get_indice_pairs(*arguments)[1])
        return found[0]

    return find


def is_stand_in(pairs: Any) -> bool:
    if is_compiling():
        return False
    known = _known.get(id(pairs))
    return known is not None and known.find_pairs is not None


def _real(stand_in: torch.Tensor) -> torch.Tensor:
    find = _known[id(stand_in)].find_pairs
    assert find is not None
    return find()


def visible(pairs: torch.Tensor, always: bool = False) -> torch.Tensor:
    """The pairs, where others than our own operators see them; they have no rulebook there."""
    if not is_stand_in(pairs) or not (always or is_seen()):
        return pairs
    return _real(pairs)


def keep(ctx: Any, pairs: tuple[torch.Tensor, ...], *others: Any) -> None:
    """Saves pairs, with their counts, and others for backward."""
    # Hooks of saved tensors would copy what stands in for pairs.
    ctx.pairs = pairs if is_stand_in(pairs[0]) else None
    ctx.save_for_backward(*others, *(pairs if ctx.pairs is None else ()))


def kept(ctx: Any, others: int) -> tuple[list[Any], Any]:
    """So many others, and the pairs with their counts."""
    saved = ctx.saved_tensors
    return list(saved[:others]), saved[others:] if ctx.pairs is None else ctx.pairs


def use_rulebooks(operator: Operator, place_of_pairs: int, *, is_forward: bool = False) -> None:
    """From now on an operator's calls without a gradient use rulebooks where there are any."""
    plain = operator.no_grad_op
    on_rulebook = getattr(ops, f"_on_rulebook_{operator.name}").default
    on_rulebook = getattr(on_rulebook, "_op", on_rulebook)

    def no_grad_op(*arguments: Any) -> Any:
        pairs, counts = arguments[place_of_pairs : place_of_pairs + 2]
        known = _find(pairs, counts, is_forward)
        if known is not None:
            try:
                return on_rulebook(known.rulebook, *arguments)
            except (RuntimeError, ValueError, MemoryError):
                pass  # What is refused, the operator refuses below under its own name.
        if is_stand_in(pairs):
            behind = arguments[place_of_pairs + 1 :]
            arguments = (*arguments[:place_of_pairs], _real(pairs), *behind)
        return plain(*arguments)

    operator.no_grad_op = no_grad_op
