"""Modules that hold others: ``mmcv.ops.sparse_modules``."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import nn

from ..spconv._fuse import fold_norm
from ..spconv.core import SparseConvTensor as _SparseConvTensor
from ..spconv.modules import (
    RemoveGrid,
    SparseModule,
    SparseSequential as _SparseSequential,
    ToDense,
    is_sparse_conv,
    is_spconv_module,
)
from .sparse_conv import SparseConvolution
from .sparse_structure import SparseConvTensor

__all__ = [
    "RemoveGrid",
    "SparseModule",
    "SparseSequential",
    "ToDense",
    "is_sparse_conv",
    "is_spconv_module",
]


class SparseSequential(_SparseSequential):
    """As ``torch.nn.Sequential``; ordinary modules in it work on the features.

    As in mmcv those set ``features`` of the tensor that they get, also of the one the sequence is
    called with. They are left out where there are no sites.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import SparseConvTensor, SparseSequential, SubMConv2d
    >>> layers = SparseSequential(SubMConv2d(1, 4, 3), torch.nn.BatchNorm1d(4), torch.nn.ReLU())
    >>> sites = torch.tensor([[0, 0, 1], [0, 2, 2]], dtype=torch.int32)
    >>> layers(SparseConvTensor(torch.ones(2, 1), sites, [4, 4], 1)).features.shape
    torch.Size([2, 4])
    >>> len(layers.eval().fused())
    2
    """

    def __init__(self, *args: Any, **kwargs: nn.Module) -> None:
        super().__init__(*args, **kwargs)
        self._sparity_dict: dict[str, float] = {}

    @property
    def sparity_dict(self) -> dict[str, float]:
        """``sparity`` of the input of each sparse module in the last call, by its name."""
        return self._sparity_dict

    def _look_at_input(self, name: str, input: _SparseConvTensor) -> None:
        if isinstance(input, SparseConvTensor):
            self._sparity_dict[name] = input.sparity

    def _with_features(self, input: _SparseConvTensor, made: torch.Tensor) -> _SparseConvTensor:
        if not isinstance(input, SparseConvTensor):
            return input.replace_feature(made)
        input.features = made
        return input

    def fused(self) -> SparseSequential:
        """A sequence for inference: batch normalisations are part of the convolution before them."""
        kept: list[nn.Module] = []
        for module in self:
            before = kept[-1] if kept else None
            if isinstance(module, nn.BatchNorm1d) and isinstance(before, SparseConvolution):
                kept[-1] = convolution = copy.deepcopy(before)
                fold_norm(convolution, module)
                convolution.fused_bn = True
            else:
                kept.append(module)
        return SparseSequential(*kept)
