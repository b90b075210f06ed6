"""Modules with several sparse tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from .core import SparseConvTensor, check_same_sites
from .modules import SparseModule

__all__ = ["AddTable", "AddTableMisaligned", "ConcatTable", "Identity", "JoinTable"]


class _KeepsSize(SparseModule):
    def input_spatial_size(self, out_size: Any) -> Any:
        """What size of space gives an output of size ``out_size``."""
        return out_size


class Identity(_KeepsSize):
    """Returns what it gets."""

    def forward(self, input: SparseConvTensor) -> SparseConvTensor:
        return input


def _check_same_sites(table: SparseModule, input: Sequence[SparseConvTensor]) -> None:
    for x in input:
        check_same_sites(type(table).__name__, input[0], x, channels=isinstance(table, AddTable))


class JoinTable(_KeepsSize):
    """Tensors with the same sites become one with all their channels."""

    def forward(self, input: Sequence[SparseConvTensor]) -> SparseConvTensor:
        _check_same_sites(self, input)
        return input[0].replace_feature(torch.cat([x.features for x in input], 1))


class AddTable(_KeepsSize):
    """Adds the features of tensors with the same sites."""

    def forward(self, input: Sequence[SparseConvTensor]) -> SparseConvTensor:
        _check_same_sites(self, input)
        total = input[0].features
        for other in input[1:]:
            total = total + other.features
        return input[0].replace_feature(total)


class AddTableMisaligned(_KeepsSize):
    """Adds tensors with different sites: see ``functional.sparse_add``."""

    def forward(self, input: Sequence[SparseConvTensor]) -> SparseConvTensor:
        from .functional import sparse_add

        return sparse_add(*input)


class ConcatTable(SparseModule):
    """Calls all its modules on the same tensor; a list of their results."""

    def add(self, module: nn.Module) -> ConcatTable:
        self.add_module(str(len(self._modules)), module)
        return self

    def forward(self, input: SparseConvTensor) -> list[SparseConvTensor]:
        return [module(input) for module in self.children()]

    def input_spatial_size(self, out_size: Any) -> Any:
        """That of its first module."""
        first: Any = next(self.children())
        return first.input_spatial_size(out_size)
