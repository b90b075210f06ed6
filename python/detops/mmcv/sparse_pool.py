"""Pooling of sparse tensors: ``mmcv.ops.sparse_pool``."""

from __future__ import annotations

from typing import Any

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


class SparseMaxPool2d(SparseMaxPool):
    """The maximum of the sites under a kernel, in the plane."""

    def __init__(
        self, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1
    ) -> None:
        super().__init__(2, kernel_size, stride, padding, dilation)


class SparseMaxPool3d(SparseMaxPool):
    """The maximum of the sites under a kernel, in space."""

    def __init__(
        self, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1
    ) -> None:
        super().__init__(3, kernel_size, stride, padding, dilation)
