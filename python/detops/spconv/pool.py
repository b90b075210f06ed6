"""Pooling of sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .. import torch as ops
from ._convolution import ConvAlgo
from ._pairs import find_pairs
from .core import SparseConvTensor, expand_nd
from .modules import SparseModule, VoxelCounter

__all__ = [
    "SparseAvgPool1d",
    "SparseAvgPool2d",
    "SparseAvgPool3d",
    "SparseGlobalAvgPool",
    "SparseGlobalMaxPool",
    "SparseMaxPool1d",
    "SparseMaxPool2d",
    "SparseMaxPool3d",
    "SparseMaxPool4d",
]


class Pool(VoxelCounter):
    """The sites are those of a regular convolution of the same sizes.

    Parameters
    ----------
    kernel_size, stride, padding, dilation : int or ndim int
        Without ``stride`` it is the kernel's size.
    indice_key : str, optional
        An inverse convolution with this key goes back to the sites before the pooling.
    start : "zero" or "lowest"
        What a maximum begins with. The original begins with 0, so that nothing negative comes out.
    algo, record_voxel_count, name
        As in convolutions.
    """

    _ndim = 0
    _kind = "max"
    transposed = False
    inverse = False

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        indice_key: str | None = None,
        algo: Any = None,
        record_voxel_count: bool = False,
        name: str | None = None,
        *,
        subm: bool = False,
        start: str = "zero",
    ) -> None:
        super().__init__(name, record_voxel_count)
        self.ndim = self._ndim
        self.kernel_size = expand_nd(self.ndim, kernel_size)
        self.stride = list(self.kernel_size) if stride is None else expand_nd(self.ndim, stride)
        self.padding = expand_nd(self.ndim, padding)
        self.dilation = expand_nd(self.ndim, dilation)
        self.output_padding = [0] * self.ndim
        self.subm = subm
        self.indice_key = indice_key
        self.algo = ConvAlgo.Native if algo is None else algo
        self.start = start

    def extra_repr(self) -> str:
        text = f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"
        return f"{text}, dilation={self.dilation}"

    def forward(self, input: SparseConvTensor) -> SparseConvTensor:
        if not isinstance(input, SparseConvTensor):
            raise ValueError(f"input is a {type(input).__name__}, expected a SparseConvTensor.")
        pairs, output = find_pairs(self, input)
        self.record(output)
        output._features = ops.indice_pool_forward(
            input.features,
            pairs.indice_pairs,
            pairs.indice_pair_num,
            output.indices.shape[0],
            pool=self._kind,  # type: ignore[arg-type]
            start=self.start,  # type: ignore[arg-type]
        )
        return output


class SparseMaxPool1d(Pool):
    """The maximum of the sites under a kernel, on a line."""

    _ndim = 1


class SparseMaxPool2d(Pool):
    """The maximum of the sites under a kernel, in the plane."""

    _ndim = 2


class SparseMaxPool3d(Pool):
    """The maximum of the sites under a kernel, in space."""

    _ndim = 3


class SparseMaxPool4d(Pool):
    """The maximum of the sites under a kernel, in space and time."""

    _ndim = 4


class SparseAvgPool1d(Pool):
    """The average of the sites under a kernel, on a line."""

    _ndim, _kind = 1, "avg"


class SparseAvgPool2d(Pool):
    """The average of the sites under a kernel, in the plane."""

    _ndim, _kind = 2, "avg"


class SparseAvgPool3d(Pool):
    """The average of the sites under a kernel, in space."""

    _ndim, _kind = 3, "avg"


class SparseGlobalMaxPool(SparseModule):
    """(batch, C): the maximum over all sites of each sample; 0 where it has none."""

    def forward(self, input: SparseConvTensor) -> torch.Tensor:
        return _of_samples(input, lambda rows: rows.amax(0))


class SparseGlobalAvgPool(SparseModule):
    """(batch, C): the average over all sites of each sample; 0 where it has none."""

    def forward(self, input: SparseConvTensor) -> torch.Tensor:
        return _of_samples(input, lambda rows: rows.mean(0))


def _of_samples(
    input: SparseConvTensor, reduce: Callable[[torch.Tensor], torch.Tensor]
) -> torch.Tensor:
    input._check_rows()
    nothing = input.features.new_zeros(input.features.shape[1])
    samples = [
        input.features[input.indices[:, 0] == sample] for sample in range(input.batch_size)
    ]
    return torch.stack([reduce(rows) if len(rows) > 0 else nothing for rows in samples])
