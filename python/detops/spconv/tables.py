"""Modules with several sparse tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from .core import SparseConvTensor
from .modules import SparseModule

__all__ = ["AddTable", "AddTableMisaligned", "ConcatTable", "Identity", "JoinTable"]


class Identity(SparseModule):
    """Returns what it gets."""

    def forward(self, input: SparseConvTensor) -> SparseConvTensor:
        return input

    def input_spatial_size(self, out_size: Any) -> Any:
        return out_size


class JoinTable(SparseModule):
    """Tensors with the same sites become one with all their channels."""

    def forward(self, input: Sequence[SparseConvTensor]) -> SparseConvTensor:
        return input[0].replace_feature(torch.cat([x.features for x in input], 1))


class AddTable(SparseModule):
    """Adds the features of tensors with the same sites."""

    def forward(self, input: Sequence[SparseConvTensor]) -> SparseConvTensor:
        total = input[0].features
        for other in input[1:]:
            total = total + other.features
        return input[0].replace_feature(total)


class AddTableMisaligned(SparseModule):
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
