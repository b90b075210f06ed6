"""Sparse tensors: ``mmcv.ops.sparse_structure``."""

from __future__ import annotations

from typing import Any

import torch

from ..spconv.core import SparseConvTensor as _SparseConvTensor, scatter_nd

__all__ = ["SparseConvTensor", "scatter_nd"]


class SparseConvTensor(_SparseConvTensor):
    """Features at some sites of a grid, of a batch of samples.

    As in mmcv ``features`` can be set, and all tensors of a network share one ``indice_dict``.

    Parameters
    ----------
    features : tensor (N, C)
    indices : int32 or int64 tensor (N, D + 1)
        (batch, coordinates) of each row, slowest axis first: (batch, z, y, x).
    spatial_shape : D int
        In the order of the coordinates.
    batch_size : int
    grid
        Kept and not used: there is no table of the whole space.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import SparseConvTensor
    >>> sites = torch.tensor([[0, 0, 1], [0, 2, 2]], dtype=torch.int32)
    >>> x = SparseConvTensor(torch.tensor([[1.0], [2.0]]), sites, [2, 4], 1)
    >>> x.sparity
    0.25
    >>> x.features = -x.features
    >>> x.features.ravel()
    tensor([-1., -2.])
    """

    _shares_indice_dict = True

    def __init__(
        self,
        features: torch.Tensor,
        indices: torch.Tensor,
        spatial_shape: Any,
        batch_size: int,
        grid: torch.Tensor | None = None,
    ) -> None:
        super().__init__(features, indices, spatial_shape, batch_size, grid)

    @property
    def features(self) -> torch.Tensor:
        """(N, C)"""
        return self._features

    @features.setter
    def features(self, features: torch.Tensor) -> None:
        self._features = features

    @property
    def sparity(self) -> float:
        """The part of all cells that are sites; mmcv's spelling."""
        return self.indices.shape[0] / self.spatial_size / self.batch_size
