"""Pooling of sparse tensors."""

from __future__ import annotations

from typing import Any

import torch

from .. import torch as ops
from ._convolution import ConvAlgo
from ._families import Family
from ._pairs import find_pairs
from .core import ImplicitGemmIndiceData, IndiceData, SparseConvTensor, expand_nd, expand_sizes
from .modules import SparseModule, VoxelCounter

__all__ = [
    "ALL_POOL_LAYERS",
    "ImplicitGemmIndiceData",
    "IndiceData",
    "SparseAvgPool",
    "SparseAvgPool1d",
    "SparseAvgPool2d",
    "SparseAvgPool3d",
    "SparseGlobalAvgPool",
    "SparseGlobalMaxOrAvgPool",
    "SparseGlobalMaxPool",
    "SparseMaxPool",
    "SparseMaxPool1d",
    "SparseMaxPool2d",
    "SparseMaxPool3d",
    "SparseMaxPool4d",
    "expand_nd",
]


class Pool(VoxelCounter):
    """The sites are those of a regular convolution of the same sizes.

    Parameters
    ----------
    ndim : int
    kernel_size, stride, padding, dilation : int or ndim int
        A stride of None is the kernel's size.
    indice_key : str, optional
        An inverse convolution with this key goes back to the sites before the pooling.
    subm : bool
        The output sites are the input sites.
    start : "zero" or "lowest"
        What a maximum begins with. The original begins with 0, so that nothing negative comes out.
    algo, record_voxel_count, name
        As in convolutions.
    """

    _kind = "max"
    transposed = False
    inverse = False

    def __init__(
        self,
        ndim: int,
        kernel_size: Any = 3,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        indice_key: str | None = None,
        subm: bool = False,
        algo: Any = None,
        record_voxel_count: bool = False,
        name: str | None = None,
        *,
        start: str = "zero",
    ) -> None:
        super().__init__(name, record_voxel_count, has_new_sites=not subm)
        self.ndim = ndim
        self.kernel_size = expand_sizes(ndim, 1, kernel_size=kernel_size)
        stride = self.kernel_size if stride is None else stride
        self.stride = expand_sizes(ndim, 1, stride=stride)
        self.padding = expand_sizes(ndim, 0, padding=padding)
        self.dilation = expand_sizes(ndim, 1, dilation=dilation)
        self.output_padding = [0] * ndim
        self.subm = subm
        self.indice_key = indice_key
        self.algo = ConvAlgo.Native if algo is None else algo
        self.start = start

    def _defaults(self) -> dict[str, Any]:
        return {**super()._defaults(), "start": "zero"}

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
            pairs.for_operators(),
            pairs.indice_pair_num,
            output.indices.shape[0],
            pool=self._kind,  # type: ignore[arg-type]
            start=self.start,  # type: ignore[arg-type]
        )
        return output


class SparseMaxPool(Pool):
    """The maximum of the sites under a kernel."""

    _about = "The maximum of the sites under a kernel"


class SparseAvgPool(Pool):
    """The average of the sites under a kernel."""

    _about = "The average of the sites under a kernel"
    _kind = "avg"


class _Layer(Family, Pool):
    """The arguments of the layers for some number of axes."""

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
        start: str = "zero",
    ) -> None:
        super().__init__(
            self._ndim,
            kernel_size,
            stride,
            padding,
            dilation,
            indice_key,
            algo=algo,
            record_voxel_count=record_voxel_count,
            name=name,
            start=start,
        )


class SparseMaxPool1d(_Layer, SparseMaxPool, ndim=1): ...
class SparseMaxPool2d(_Layer, SparseMaxPool, ndim=2): ...
class SparseMaxPool3d(_Layer, SparseMaxPool, ndim=3): ...
class SparseMaxPool4d(_Layer, SparseMaxPool, ndim=4): ...
class SparseAvgPool1d(_Layer, SparseAvgPool, ndim=1): ...
class SparseAvgPool2d(_Layer, SparseAvgPool, ndim=2): ...
class SparseAvgPool3d(_Layer, SparseAvgPool, ndim=3): ...

ALL_POOL_LAYERS = {SparseAvgPool, SparseMaxPool, *_Layer.__subclasses__()}


class SparseGlobalMaxOrAvgPool(SparseModule):
    """(batch, C): the average or the maximum over all sites of each sample; 0 where it has none.

    Of equal maxima one gets the gradient, as in the original.
    """

    def __init__(self, is_mean: bool, name: str | None = None) -> None:
        super().__init__(name)
        self.is_mean = is_mean

    def forward(self, input: SparseConvTensor) -> torch.Tensor:
        input._check_rows()
        input._check_sites()
        if torch.compiler.is_compiling():
            of_sample = [input.indices[:, :1] == sample for sample in range(input.batch_size)]
            return torch.stack([self._reduce_in_graph(input.features, rows) for rows in of_sample])
        nothing = input.features.new_zeros(input.features.shape[1])
        made = []
        for sample in range(input.batch_size):
            rows = input.features[input.indices[:, 0] == sample]
            made.append(self._reduce(rows) if len(rows) > 0 else nothing)
        return torch.stack(made)

    def _reduce(self, rows: torch.Tensor) -> torch.Tensor:
        return rows.mean(0) if self.is_mean else rows.max(0).values

    def _reduce_in_graph(self, features: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
        """The same of the rows that count, (N, 1), as a graph cannot know how many they are."""
        if self.is_mean:
            # As torch's mean, half precision is added up in float and rounded once.
            is_half = features.dtype in (torch.float16, torch.bfloat16)
            rows = torch.where(counts, features.float() if is_half else features, 0)
            return (rows.sum(0) / counts.sum().clamp(min=1)).to(features.dtype)
        # There is always a row of which the maximum can be.
        least = features.new_full((1, features.shape[1]), -torch.inf)
        found = torch.cat([torch.where(counts, features, -torch.inf), least]).max(0).values
        return torch.where(counts.any(), found, 0)


class SparseGlobalMaxPool(SparseGlobalMaxOrAvgPool):
    """(batch, C): the maximum over all sites of each sample; 0 where it has none."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(False, name)


class SparseGlobalAvgPool(SparseGlobalMaxOrAvgPool):
    """(batch, C): the average over all sites of each sample; 0 where it has none."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(True, name)
