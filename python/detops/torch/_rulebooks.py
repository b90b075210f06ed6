"""Rulebooks: pairs that several layers share are checked and sorted once.

A convolution looks at all its pairs before it begins, and if the sites are in no order, forward also
sorts them, a third of the time of one with 16 channels. For a rulebook the library does that once;
all convolutions and poolings on the pairs may then use it, with the same bits. To make one takes
longer than to sort once. So pairs have one if their sites are in no order, and if those that the
same layer found the last time served two layers or more.

Only pairs that :func:`get_indice_pairs` has found have one, for as long as their tensor lives and
nobody has written into it.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable
from typing import Any

import torch

from ._library import Operator, is_compiling, is_tracing, modes, ops

__all__ = ["found_by", "use_rulebooks", "watch"]

# Below, looking for a rulebook takes as long as the look at the pairs that it saves.
_LEAST_NUMBERS = 1 << 17
_C: Any = torch._C
_create: Callable[..., int] = ops._create_rulebook.default
_destroy: Callable[[int], None] = ops._destroy_rulebook.default
# Calls with a rulebook are not recorded.
_ARE_CALLS_RECORDED = "MLUOP_GEN_CASE" in os.environ


_convolutions_of: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
"""How many there were, the last time, on pairs that a layer has found."""


class _Pairs:
    """What is known of a tensor of pairs; the rulebook is freed with it."""

    __slots__ = (
        "convolutions",
        "counts",
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

    def __del__(self) -> None:
        if sys.is_finalizing():
            return
        if self.rulebook != 0:
            _destroy(self.rulebook)
        if (layer := self.finder()) is not None:
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
        _known.pop(id(pairs), None)
        return None
    if is_forward:
        known.convolutions += 1
        if known.is_shared and known.convolutions == 1:
            try:
                known.rulebook = _create(pairs, counts, known.num_act_out)
            except (RuntimeError, MemoryError):
                return None  # There is no memory for it.
    return known if known.rulebook != 0 else None


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
        return plain(*arguments)

    operator.no_grad_op = no_grad_op
