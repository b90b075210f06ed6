"""Sparse convolution and pooling as functions: ``mmcv.ops.sparse_functional``.

As in mmcv the small names are the functions, the classes have them as ``apply``.
"""

from __future__ import annotations

import torch

from . import sparse_ops

__all__ = [
    "SparseConvFunction",
    "SparseInverseConvFunction",
    "SparseMaxPoolFunction",
    "SubMConvFunction",
    "indice_conv",
    "indice_inverse_conv",
    "indice_maxpool",
    "indice_subm_conv",
]


class SparseConvFunction:
    """A regular or transposed convolution."""

    _inverse = _subm = False

    def __init_subclass__(cls, inverse: bool = False, subm: bool = False) -> None:
        cls._inverse, cls._subm = inverse, subm

    @classmethod
    def apply(
        cls,
        features: torch.Tensor,
        filters: torch.Tensor,
        indice_pairs: torch.Tensor,
        indice_pair_num: torch.Tensor,
        num_activate_out: int,
    ) -> torch.Tensor:
        """(num_activate_out, Co) of (L, Ci) features and (kernel..., Ci, Co) filters."""
        pairs = (indice_pairs, indice_pair_num, num_activate_out)
        return sparse_ops.indice_conv(features, filters, *pairs, cls._inverse, cls._subm)


class SparseInverseConvFunction(SparseConvFunction, inverse=True):
    """A convolution back to the input of the layer that the pairs are of."""


class SubMConvFunction(SparseConvFunction, subm=True):
    """A submanifold convolution."""


class SparseMaxPoolFunction:
    """The maximum of the inputs of each output, and of 0."""

    apply = staticmethod(sparse_ops.indice_maxpool)


indice_conv = SparseConvFunction.apply
indice_inverse_conv = SparseInverseConvFunction.apply
indice_subm_conv = SubMConvFunction.apply
indice_maxpool = SparseMaxPoolFunction.apply
