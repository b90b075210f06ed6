"""``spconv.pytorch.functional``: functions on sparse tensors, and on pairs in spconv's layout."""

from __future__ import annotations

from typing import Any

import torch

from . import ops
from ._convolution import Activation
from .core import SparseConvTensor, check_same_space

__all__ = [
    "SparseConvFunction",
    "SparseInverseConvFunction",
    "SparseMaxPoolFunction",
    "SubMConvFunction",
    "implicit_gemm",
    "indice_avgpool_implicit_gemm",
    "indice_conv",
    "indice_inverse_conv",
    "indice_maxpool",
    "indice_maxpool_implicit_gemm",
    "indice_subm_conv",
    "sparse_add",
    "sparse_add_hash_based",
]


class SparseConvFunction:
    """A regular or transposed convolution, see ``ops.indice_conv``."""

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
        algo: Any = None,
        timer: Any = None,
        bias: torch.Tensor | None = None,
        act_alpha: float = 0.0,
        act_beta: float = 0.0,
        act_type: Any = Activation.None_,
    ) -> torch.Tensor:
        """(num_activate_out, Co) of (L, Ci) features and (Co, kernel..., Ci) filters."""
        return ops.indice_conv(
            features,
            filters,
            indice_pairs,
            indice_pair_num,
            num_activate_out,
            cls._inverse,
            cls._subm,
            bias=bias,
            act_alpha=act_alpha,
            act_type=act_type,
        )


class SparseInverseConvFunction(SparseConvFunction, inverse=True):
    """A convolution back to the input of the layer that the pairs are of."""


class SubMConvFunction(SparseConvFunction, subm=True):
    """A submanifold convolution."""


class SparseMaxPoolFunction:
    """The maximum of the inputs of each output, and of 0."""

    apply = staticmethod(ops.indice_maxpool)


indice_conv = SparseConvFunction.apply
indice_inverse_conv = SparseInverseConvFunction.apply
indice_subm_conv = SubMConvFunction.apply
indice_maxpool = SparseMaxPoolFunction.apply
implicit_gemm = ops.implicit_gemm
indice_maxpool_implicit_gemm = ops.indice_maxpool_implicit_gemm
indice_avgpool_implicit_gemm = ops.indice_avgpool_implicit_gemm


def sparse_add(*tens: SparseConvTensor) -> SparseConvTensor:
    """The sum of tensors whose sites differ: all their sites, ascending, each with its sum.

    Where the sum has no other sites than the largest of the tensors, it keeps that one's
    ``indice_dict``, so that an inverse convolution can follow.

    Examples
    --------
    >>> import torch
    >>> from detops import spconv
    >>> def at(*xs): return torch.tensor([[0, x] for x in xs], dtype=torch.int32)
    >>> a = spconv.SparseConvTensor(torch.tensor([[1.0], [2.0]]), at(3, 1), [5], 1)
    >>> b = spconv.SparseConvTensor(torch.tensor([[10.0]]), at(3), [5], 1)
    >>> total = spconv.functional.sparse_add(a, b)
    >>> total.indices[:, 1].tolist(), total.features.ravel().tolist()
    ([1, 3], [2.0, 11.0])
    """
    if not tens:
        raise ValueError("sparse_add: no tensors, expected one or more.")
    first = tens[0]
    for x in tens:
        check_same_space("sparse_add", first, x, channels=True)
        x._check_rows()
        x._check_sites()
    sites, place = torch.unique(
        torch.cat([x.indices for x in tens]), dim=0, return_inverse=True, sorted=True
    )
    rows = torch.cat([x.features for x in tens])
    made = first.shadow_copy()
    made._features = rows.new_zeros((sites.shape[0], rows.shape[1])).index_add(0, place, rows)
    made.indices, made.indice_dict, made._pairs_of_sites = sites, {}, {}
    if torch.compiler.is_compiling():
        return made  # How many sites the sum has, a graph does not know.
    largest = max(tens, key=lambda x: x.indices.shape[0])
    if largest.indices.shape[0] == sites.shape[0]:
        _keep_pairs(made, largest)
    return made


def _keep_pairs(made: SparseConvTensor, operand: SparseConvTensor) -> None:
    """The sum has the sites of an operand: what was stored for those is true of it too."""
    made.indice_dict = operand.indice_dict
    if torch.equal(made.indices, operand.indices):
        made.indices, made._pairs_of_sites = operand.indices, operand._pairs_of_sites
        return
    # Its rows are in another order than those of the sum. Pairs of earlier sites stay.
    made.indice_dict = {
        key: pairs
        for key, pairs in operand.indice_dict.items()
        if not pairs.is_of(operand.indices, 1)
    }


sparse_add_hash_based = sparse_add
