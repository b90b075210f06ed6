"""Functions on sparse tensors."""

from __future__ import annotations

import torch

from .core import SparseConvTensor

__all__ = ["sparse_add", "sparse_add_hash_based"]


def sparse_add(*tens: SparseConvTensor) -> SparseConvTensor:
    """The sum of tensors whose sites differ: all their sites, ascending, each with its sum.

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
    first = tens[0]
    for x in tens:
        x._check_rows()
    for other in tens[1:]:
        if other.spatial_shape != first.spatial_shape or other.batch_size != first.batch_size:
            raise ValueError(
                f"sparse_add: a tensor has spatial_shape {other.spatial_shape} and batch_size "
                f"{other.batch_size}, expected {first.spatial_shape} and {first.batch_size}."
            )
        if other.features.shape[1] != first.features.shape[1]:
            raise ValueError(
                f"sparse_add: a tensor has {other.features.shape[1]} channels, expected "
                f"{first.features.shape[1]}."
            )
    if len(tens) == 1:
        return first
    sites, place = torch.unique(
        torch.cat([x.indices for x in tens]), dim=0, return_inverse=True, sorted=True
    )
    rows = torch.cat([x.features for x in tens])
    total = rows.new_zeros((sites.shape[0], rows.shape[1])).index_add(0, place, rows)
    made = SparseConvTensor(total, sites, first.spatial_shape, first.batch_size)
    made.benchmark = first.benchmark
    return made


sparse_add_hash_based = sparse_add
