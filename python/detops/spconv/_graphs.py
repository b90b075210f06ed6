"""Sparse tensors in graphs: what torch.compile and torch.export trace, and torch.jit.trace must not.

A graph cannot decide on numbers, nor on how many sites there will be. What a program refuses in eager
mode by looking at numbers, a graph refuses by an assertion that it carries along.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from ..torch._library import is_tracing

__all__ = [
    "are_same_sites",
    "assert_in_graph",
    "call_on_features",
    "has_rows",
    "refuse_jit_trace",
]


def refuse_jit_trace() -> None:
    """A trace holds the pairs, numbers of sites and decisions of its example: other inputs would get
    wrong rows."""
    if is_tracing() is not None:
        raise RuntimeError(
            "torch.jit.trace would use the sites of its example for all inputs of a sparse tensor. "
            "Use torch.compile, or torch.export.export on a module that takes features and indices."
        )


def assert_in_graph(condition: torch.Tensor, sentence: str) -> None:
    """Refuse numbers when the graph runs: a RuntimeError with the sentence."""
    torch._assert_async(condition, sentence)


def has_rows(features: torch.Tensor) -> bool:
    """Whether ordinary modules are called on features: not where there are none, because batch
    normalisation refuses no rows. A graph always calls them."""
    return torch.compiler.is_compiling() or features.shape[0] != 0


def call_on_features(
    module: nn.Module, features: torch.Tensor, call: Callable[..., Any] | None = None
) -> Any:
    """The module, or ``call`` instead of its own, on features of a number of rows that a graph does
    not know."""
    call = module if call is None else call
    if not torch.compiler.is_compiling():
        return call(features)
    if isinstance(module, nn.Sequential):
        for part in module:
            features = call_on_features(part, features)
        return features
    kinds = nn.modules.batchnorm._BatchNorm
    norms = [part for part in module.modules() if isinstance(part, kinds)]
    if any(norm.training or norm.running_mean is None for norm in norms):
        # torch refuses statistics of fewer rows.
        torch._check(features.shape[0] > 1)  # type: ignore[no-untyped-call]
    elif norms and norms[0] is module:
        # It asks whether there are rows, so that it gets one more.
        row = features.new_zeros((1, features.shape[1]))
        return call(torch.cat([features, row])).narrow(0, 0, features.shape[0])
    elif norms:
        torch._check(features.shape[0] > 0)  # type: ignore[no-untyped-call]
    return call(features)


def are_same_sites(sites: torch.Tensor, others: torch.Tensor) -> bool:
    """Whether two tensors hold the same sites in the same order."""
    if sites is others:
        return True
    if not torch.compiler.is_compiling():
        return torch.equal(sites, others)
    if sites.shape != others.shape:
        return False
    assert_in_graph((sites == others).all(), "sparse tensors have other sites than each other.")
    return True
