"""Pooling of sparse tensors: ``mmcv.ops.sparse_pool``."""

from __future__ import annotations

from typing import Any

from ..spconv._families import Family
from ..spconv.pool import Pool

__all__ = ["SparseMaxPool", "SparseMaxPool2d", "SparseMaxPool3d"]


class SparseMaxPool(Pool):
    """The maximum of the sites under a kernel, and of 0; the stride is 1 unless it is given.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import SparseConvTensor, SparseMaxPool2d
    >>> sites = torch.tensor([[0, 0, 0], [0, 1, 1]], dtype=torch.int32)
    >>> x = SparseConvTensor(torch.tensor([[3.0], [5.0]]), sites, [4, 4], 1)
    >>> SparseMaxPool2d(2, stride=2)(x).dense()
    tensor([[[[5., 0.],
              [0., 0.]]]])
    """

    def __init__(
        self,
        ndim: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        subm: bool = False,
    ) -> None:
        super().__init__(ndim, kernel_size, stride, padding, dilation, subm=subm)


class _Layer(Family, SparseMaxPool):
    _about = "The maximum of the sites under a kernel"

    def __init__(
        self, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1
    ) -> None:
        super().__init__(self._ndim, kernel_size, stride, padding, dilation)


class SparseMaxPool2d(_Layer, ndim=2): ...
class SparseMaxPool3d(_Layer, ndim=3): ...
