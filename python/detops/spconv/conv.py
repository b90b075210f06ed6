"""Sparse convolutions as modules, with the signatures of spconv's classes."""

from __future__ import annotations

from typing import Any

from . import functional as Fsp, ops
from ._convolution import Activation, AlgoHint, ConvAlgo, SparseConvolution
from ._families import Family
from .constants import ALL_WEIGHT_IS_KRSC, FILTER_HWIO
from .core import ImplicitGemmIndiceData, IndiceData, SparseConvTensor, expand_nd
from .modules import SparseModule

__all__ = [
    "ALL_WEIGHT_IS_KRSC",
    "DEFAULT_SPARSE_CONV_TYPES",
    "FILTER_HWIO",
    "Activation",
    "AlgoHint",
    "ConvAlgo",
    "Fsp",
    "ImplicitGemmIndiceData",
    "IndiceData",
    "SparseConv1d",
    "SparseConv2d",
    "SparseConv3d",
    "SparseConv4d",
    "SparseConvTensor",
    "SparseConvTranspose1d",
    "SparseConvTranspose2d",
    "SparseConvTranspose3d",
    "SparseConvTranspose4d",
    "SparseConvolution",
    "SparseConvolutionBase",
    "SparseInverseConv1d",
    "SparseInverseConv2d",
    "SparseInverseConv3d",
    "SparseInverseConv4d",
    "SparseModule",
    "SubMConv1d",
    "SubMConv2d",
    "SubMConv3d",
    "SubMConv4d",
    "expand_nd",
    "ops",
]

SparseConvolutionBase = SparseConvolution
"""In spconv what the layer has without being a module; here there is one class."""


class _Regular(Family, SparseConvolution):
    _about = "A regular convolution"
    _transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        indice_key: str | None = None,
        algo: Any = None,
        fp32_accum: bool | None = None,
        record_voxel_count: bool = False,
        large_kernel_fast_algo: bool = False,
        name: str | None = None,
        **more: Any,
    ) -> None:
        super().__init__(
            self._ndim,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            transposed=self._transposed,
            indice_key=indice_key,
            algo=algo,
            fp32_accum=fp32_accum,
            record_voxel_count=record_voxel_count,
            large_kernel_fast_algo=large_kernel_fast_algo,
            name=name,
            **more,
        )


class _Transposed(_Regular):
    _about = "A transposed convolution"
    _transposed = True


class _Submanifold(Family, SparseConvolution):
    _about = "A submanifold convolution"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        indice_key: str | None = None,
        algo: Any = None,
        fp32_accum: bool | None = None,
        large_kernel_fast_algo: bool = False,
        name: str | None = None,
        **more: Any,
    ) -> None:
        super().__init__(
            self._ndim,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            subm=True,
            indice_key=indice_key,
            algo=algo,
            fp32_accum=fp32_accum,
            large_kernel_fast_algo=large_kernel_fast_algo,
            name=name,
            **more,
        )


class _Inverse(Family, SparseConvolution):
    _about = "Undoes the regular convolution of the same ``indice_key``"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        indice_key: str | None,
        bias: bool = True,
        algo: Any = None,
        fp32_accum: bool | None = None,
        large_kernel_fast_algo: bool = False,
        name: str | None = None,
        **more: Any,
    ) -> None:
        super().__init__(
            self._ndim,
            in_channels,
            out_channels,
            kernel_size,
            bias=bias,
            inverse=True,
            indice_key=indice_key,
            algo=algo,
            fp32_accum=fp32_accum,
            large_kernel_fast_algo=large_kernel_fast_algo,
            name=name,
            **more,
        )


class SparseConv1d(_Regular, ndim=1): ...
class SparseConv2d(_Regular, ndim=2): ...
class SparseConv3d(_Regular, ndim=3): ...
class SparseConv4d(_Regular, ndim=4): ...
class SparseConvTranspose1d(_Transposed, ndim=1): ...
class SparseConvTranspose2d(_Transposed, ndim=2): ...
class SparseConvTranspose3d(_Transposed, ndim=3): ...
class SparseConvTranspose4d(_Transposed, ndim=4): ...
class SubMConv1d(_Submanifold, ndim=1): ...
class SubMConv2d(_Submanifold, ndim=2): ...
class SubMConv3d(_Submanifold, ndim=3): ...
class SubMConv4d(_Submanifold, ndim=4): ...
class SparseInverseConv1d(_Inverse, ndim=1): ...
class SparseInverseConv2d(_Inverse, ndim=2): ...
class SparseInverseConv3d(_Inverse, ndim=3): ...
class SparseInverseConv4d(_Inverse, ndim=4): ...

DEFAULT_SPARSE_CONV_TYPES = {
    kind
    for family in (_Submanifold, _Regular, _Transposed, _Inverse)
    for kind in family.__subclasses__()
    if kind.__module__ == __name__ and kind._ndim > 0
}
"""All layers of this module."""
