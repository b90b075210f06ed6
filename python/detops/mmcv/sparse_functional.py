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

    _inverse = False
    _subm = False

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


class SparseInverseConvFunction(SparseConvFunction):
    """A convolution back to the input of the layer that the pairs are of."""

    _inverse = True


class SubMConvFunction(SparseConvFunction):
    """A submanifold convolution."""

    _subm = True


class SparseMaxPoolFunction:
    """The maximum of the inputs of each output, and of 0."""

    @staticmethod
    def apply(
        features: torch.Tensor,
        indice_pairs: torch.Tensor,
        indice_pair_num: torch.Tensor,
        num_activate_out: int,
    ) -> torch.Tensor:
        """(num_activate_out, C) of (L, C) features."""
        return sparse_ops.indice_maxpool(features, indice_pairs, indice_pair_num, num_activate_out)


indice_conv = SparseConvFunction.apply
indice_inverse_conv = SparseInverseConvFunction.apply
indice_subm_conv = SubMConvFunction.apply
indice_maxpool = SparseMaxPoolFunction.apply
