"""Sparse convolutions as modules: ``mmcv.ops.sparse_conv``."""

from __future__ import annotations

import math
from typing import Any

from torch import nn

from ..spconv._convolution import SparseConvolution as _SparseConvolution
from ..spconv._families import Family
from ..spconv._pairs import find_pairs, pairs_of_rows
from ..spconv.core import IndiceData, SparseConvTensor as _SparseConvTensor

__all__ = [
    "SparseConv2d",
    "SparseConv3d",
    "SparseConv4d",
    "SparseConvTranspose2d",
    "SparseConvTranspose3d",
    "SparseConvolution",
    "SparseInverseConv2d",
    "SparseInverseConv3d",
    "SubMConv2d",
    "SubMConv3d",
    "SubMConv4d",
]


class SparseConvolution(_SparseConvolution):
    """The convolution behind all layers.

    Its parameters are ``weight``, (kernel..., in_channels, out_channels), and ``bias``,
    (out_channels,). As in mmcv a kernel of one offset is a product of features and weight: sites,
    space and order of the rows stay, and stride and padding do not count.

    Parameters
    ----------
    ndim : int
        1 to 4.
    kernel_size, stride, padding, dilation, output_padding : int or ndim int
    subm : bool
        The output sites are the input sites; stride and padding have no meaning.
    transposed, inverse : bool
    indice_key : str, optional
        Layers with the same key share pairs; an inverse convolution needs the key of the one it
        undoes. Whether stored pairs fit the layer is checked, unless
        ``detops.spconv.constants.LENIENT_INDICE_KEYS``.
    fused_bn : bool
        Kept and not used: the bias is always added in the same step.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import SparseConv2d, SparseConvTensor
    >>> sites = torch.tensor([[0, 0, 1], [0, 3, 3]], dtype=torch.int32)
    >>> x = SparseConvTensor(torch.ones(2, 1), sites, [4, 4], 1)
    >>> down = SparseConv2d(1, 8, 3, stride=2, padding=1)
    >>> down.weight.shape, down(x).dense().shape
    (torch.Size([3, 3, 1, 8]), torch.Size([1, 8, 2, 2]))
    """

    weight_layout = "RSCK"

    def __init__(
        self,
        ndim: int,
        in_channels: int,
        out_channels: int,
        kernel_size: Any = 3,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        subm: bool = False,
        output_padding: Any = 0,
        transposed: bool = False,
        inverse: bool = False,
        indice_key: str | None = None,
        fused_bn: bool = False,
    ) -> None:
        super().__init__(
            ndim,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            subm,
            output_padding,
            transposed,
            inverse,
            indice_key,
        )
        self.fused_bn = fused_bn

    def reset_parameters(self) -> None:
        """The numbers that mmcv draws: torch takes the second axis of the weight for the inputs."""
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_channels * math.prod(self.kernel_size))
            nn.init.uniform_(self.bias, -bound, bound)

    def _is_product(self) -> bool:
        return math.prod(self.kernel_size) == 1

    def _find_pairs(self, input: _SparseConvTensor) -> tuple[IndiceData, _SparseConvTensor]:
        return pairs_of_rows(self, input) if self.conv1x1 else find_pairs(self, input)


class _Layer(Family, SparseConvolution):
    """The arguments of all layers but the inverse ones."""

    _about = "A regular convolution"
    _subm = False
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
            self._subm,
            transposed=self._transposed,
            indice_key=indice_key,
        )


class _InverseLayer(Family, SparseConvolution):
    _about = "Undoes the regular convolution of the same ``indice_key``"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        indice_key: str | None = None,
        bias: bool = True,
    ) -> None:
        super().__init__(
            self._ndim,
            in_channels,
            out_channels,
            kernel_size,
            bias=bias,
            inverse=True,
            indice_key=indice_key,
        )


class _Transposed(_Layer):
    _about = "A transposed convolution"
    _transposed = True


class _Submanifold(_Layer):
    _about = "A submanifold convolution"
    _subm = True


class SparseConv2d(_Layer, ndim=2): ...
class SparseConv3d(_Layer, ndim=3): ...
class SparseConv4d(_Layer, ndim=4): ...
class SparseConvTranspose2d(_Transposed, ndim=2): ...
class SparseConvTranspose3d(_Transposed, ndim=3): ...
class SparseInverseConv2d(_InverseLayer, ndim=2): ...
class SparseInverseConv3d(_InverseLayer, ndim=3): ...
class SubMConv2d(_Submanifold, ndim=2): ...
class SubMConv3d(_Submanifold, ndim=3): ...
class SubMConv4d(_Submanifold, ndim=4): ...
