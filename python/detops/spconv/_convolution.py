"""The convolution behind all layers of conv.py."""

from __future__ import annotations

import enum
import math
from typing import Any

import torch
from torch import nn

from .. import torch as ops
from . import constants
from ._pairs import find_pairs, pairs_of_rows
from .core import IndiceData, SparseConvTensor, expand_sizes
from .modules import VoxelCounter

__all__ = [
    "Activation",
    "AlgoHint",
    "ConvAlgo",
    "SparseConvolution",
    "activation_name",
    "fusable_activation",
]


class ConvAlgo(enum.Enum):
    """Accepted and ignored: there is one algorithm, and it is deterministic."""

    Native = 0
    MaskImplicitGemm = 1
    MaskSplitImplicitGemm = 2


class AlgoHint(enum.Enum):
    """Accepted and ignored. (The spelling is that of spconv.)"""

    NoHint = 0
    Fowrard = 1
    BackwardInput = 2
    BackwardWeight = 4


class Activation(enum.Enum):
    """What follows the convolution and its bias."""

    None_ = 0
    ReLU = 1
    Sigmoid = 2
    LeakyReLU = 3


def activation_name(act_type: Any) -> str:
    """The original's enumeration lives in another package; its names are the same."""
    return getattr(act_type, "name", str(act_type)).split(".")[-1]


def fusable_activation(act_type: Any, act_alpha: float) -> tuple[str, float]:
    """What the operator applies itself, and its slope; a sigmoid follows it."""
    kinds = {"ReLU": "relu", "LeakyReLU": "leaky_relu", "None_": "none", "Sigmoid": "none"}
    name = activation_name(act_type)
    if name not in kinds:
        raise ValueError(f"act_type is {act_type}, expected one of {', '.join(kinds)}.")
    return kinds[name], float(act_alpha)


def _axes_of(layout: str, ndim: int) -> list[str]:
    """What the axes of a weight are: K out, C in, and numbers for those of the kernel."""
    kernel = "".join(str(axis) for axis in range(ndim))
    return list(layout.replace("RS", kernel))


class SparseConvolution(VoxelCounter):
    """The convolution behind all layers.

    Its parameters are ``weight``, (out_channels, kernel..., in_channels), and ``bias``,
    (out_channels,). Output rows of all but submanifold and inverse convolutions are in ascending
    order of (batch, z, y, x).

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
        ``constants.LENIENT_INDICE_KEYS``.
    act_type : Activation
        Applied before the one rounding of the result, with ``bias`` and ``add_input``; act_alpha is
        the slope of LeakyReLU.
    algo, fp32_accum, large_kernel_fast_algo, use_hash
        Accepted and ignored: sums are always in float or better. The last is of spconv 1.
    """

    weight_layout = "KRSC"
    """How ``weight`` lies in memory; mmcv's layers, which are made of this one, have "RSCK"."""

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
        algo: Any = None,
        fp32_accum: bool | None = None,
        record_voxel_count: bool = False,
        act_type: Any = Activation.None_,
        act_alpha: float = 0,
        act_beta: float = 0,
        large_kernel_fast_algo: bool = False,
        name: str | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
        use_hash: bool = False,
    ) -> None:
        super().__init__(name, record_voxel_count, has_new_sites=not subm and not inverse)
        if groups != 1:
            raise ValueError(f"groups is {groups}, expected 1: sparse convolutions have no groups.")
        if not 1 <= ndim <= 4:
            raise ValueError(f"ndim is {ndim}, expected 1 to 4.")
        for role, count in (("in_channels", in_channels), ("out_channels", out_channels)):
            if count < 0:
                raise ValueError(f"{role} is {count}, expected 0 or more.")
        self.ndim = ndim
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = expand_sizes(ndim, 1, kernel_size=kernel_size)
        self.stride = expand_sizes(ndim, 1, stride=stride)
        self.padding = expand_sizes(ndim, 0, padding=padding)
        self.dilation = expand_sizes(ndim, 1, dilation=dilation)
        self.output_padding = expand_sizes(ndim, 0, output_padding=output_padding)
        self.groups = groups
        self.subm = subm
        self.transposed = transposed
        self.inverse = inverse
        self.indice_key = indice_key
        self.algo = ConvAlgo.Native if algo is None else algo
        self.fp32_accum = fp32_accum
        self.act_type = act_type
        self.act_alpha = act_alpha
        self.act_beta = act_beta
        self.conv1x1 = self._is_product()
        extents = {"K": out_channels, "C": in_channels}
        extents.update((str(axis), extent) for axis, extent in enumerate(self.kernel_size))
        self.weight_shape = [extents[axis] for axis in self._weight_axes]
        self.weight = nn.Parameter(torch.empty(self.weight_shape, device=device, dtype=dtype))
        self.bias: nn.Parameter | None
        if bias:
            self.bias = nn.Parameter(torch.zeros(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    @property
    def _weight_axes(self) -> list[str]:
        return _axes_of(self.weight_layout, self.ndim)

    def _is_product(self) -> bool:
        """Whether the layer multiplies features by its weight, and rows and sites stay."""
        return self._is_product_in_spconv()

    def _is_product_in_spconv(self) -> bool:
        if math.prod(self.kernel_size) != 1:
            return False
        return self.subm or not any([extent - 1 for extent in self.stride] + self.padding)

    def _is_kept_as_ck(self) -> bool:
        """Whether all versions of spconv keep the weight as (in, out), whatever its shape says."""
        return constants.COMPATIBLE_1X1 and self._is_product_in_spconv()

    def reset_parameters(self) -> None:
        """As torch's convolutions: uniform within 1 / sqrt(in_channels * kernel offsets)."""
        fan_in = self.in_channels * math.prod(self.kernel_size)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0.0
        nn.init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -bound, bound)

    def is_inverseable(self) -> bool:
        return self.indice_key is not None and not self.subm

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
        text += f", stride={self.stride}"
        usual = {"padding": 0, "dilation": 1, "output_padding": 0}
        for name, number in usual.items():
            if any(found != number for found in getattr(self, name)):
                text += f", {name}={getattr(self, name)}"
        return text + ("" if self.bias is not None else ", bias=False")

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        voxels = prefix + "max_num_voxels_during_training"
        if self.get_max_num_voxels() is not None and voxels not in state_dict:
            state_dict[voxels] = torch.zeros(1, dtype=torch.int32)
        load: Any = super()._load_from_state_dict
        is_torchs = getattr(load, "__func__", None) is nn.Module._load_from_state_dict
        if not is_torchs and self.weight_layout == "KRSC":
            # mmdetection3d puts a function of its own into SparseModule, which brings weights of
            # mmcv into order. After ours it would do so twice.
            load(state_dict, prefix, *rest)
            return
        key = prefix + "weight"
        if key in state_dict:
            state_dict[key] = self._in_own_layout(state_dict[key])
        # In mmcv SparseModule is a class of its own, which nobody has changed.
        nn.Module._load_from_state_dict(self, state_dict, prefix, *rest)

    def _load_weight_different_layout(self, *_: Any) -> None:
        """The hook of spconv's layers by which they load weights. Their pickles ask for it."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        hooks = self._load_state_dict_pre_hooks
        for key, hook in list(hooks.items()):
            name = getattr(getattr(hook, "hook", hook), "__name__", "")
            if name == "_load_weight_different_layout":
                del hooks[key]

    def _defaults(self) -> dict[str, Any]:
        return {
            **super()._defaults(),
            "act_type": Activation.None_,
            "act_alpha": 0,
            "act_beta": 0,
            "fp32_accum": None,
            "weight_shape": list(self.weight.shape),
        }

    def _in_own_layout(self, weight: torch.Tensor) -> torch.Tensor:
        """A stored weight of any of the three layouts in that of this module."""
        if weight.ndim != self.ndim + 2:
            return weight  # torch says what is wrong.
        orders = {}
        for layout in ("KRSC", "RSCK", "RSKC"):
            stored = _axes_of(layout, self.ndim)
            orders[layout] = tuple(stored.index(axis) for axis in self._weight_axes)
        wanted = constants.SAVED_WEIGHT_LAYOUT
        if wanted and wanted not in orders:
            raise ValueError(
                "SPCONV_SAVED_WEIGHT_LAYOUT, or detops.spconv.constants.SAVED_WEIGHT_LAYOUT, is "
                f"{wanted!r}, expected one of {', '.join(orders)}, or nothing."
            )
        fitting = [name for name, order in orders.items() if self._fits(weight, order)]
        if fitting and self._is_kept_as_ck():
            return weight.reshape(self.weight.shape)
        if wanted:
            return weight.permute(orders[wanted]).contiguous()
        if self.weight_layout in fitting:
            return weight
        if len(fitting) > 1:
            raise ValueError(
                f"a weight of shape {tuple(weight.shape)} may be {' or '.join(fitting)}; set "
                "detops.spconv.constants.SAVED_WEIGHT_LAYOUT or the environment variable "
                "SPCONV_SAVED_WEIGHT_LAYOUT to the right one."
            )
        return weight.permute(orders[fitting[0]]).contiguous() if fitting else weight

    def _fits(self, weight: torch.Tensor, order: tuple[int, ...]) -> bool:
        return tuple(weight.shape[axis] for axis in order) == tuple(self.weight.shape)

    def forward(
        self, input: SparseConvTensor, add_input: SparseConvTensor | None = None
    ) -> SparseConvTensor:
        kind, slope = fusable_activation(self.act_type, self.act_alpha)
        output = self._convolve(input, self.weight, self.bias, kind, slope, add_input)
        if self._activation_name() == "Sigmoid":
            output._features = torch.sigmoid(output._features)
        return output

    def _convolve(
        self,
        input: SparseConvTensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None,
        activation: str,
        slope: float,
        add_input: SparseConvTensor | None = None,
    ) -> SparseConvTensor:
        """The layer with numbers that may be others than its own, and with what follows it."""
        self._check_input(input)
        pairs, output = self._find_pairs(input)
        self.record(output)
        layout = "OKI" if self.weight_layout == "KRSC" else "KIO"
        if self._reads_weight_as_ck():
            weight = weight.reshape(*self.kernel_size, self.in_channels, self.out_channels)
            layout = "KIO"
        lists = pairs.for_operators()
        offsets = lists.shape[0]
        if offsets != math.prod(self.kernel_size):  # Only with LENIENT_INDICE_KEYS.
            first = self._weight_axes.index("0")
            weight = weight.flatten(first, first + self.ndim - 1).narrow(first, 0, offsets)
        output._features = ops.indice_convolution_forward_fused(
            input.features,
            weight,
            lists,
            pairs.indice_pair_num,
            output.indices.shape[0],
            bias=bias,
            residual=None if add_input is None else add_input.features,
            activation=activation,  # type: ignore[arg-type]
            negative_slope=slope,
            filters_layout=layout,  # type: ignore[arg-type]
            inverse=self.inverse,
        )
        return output

    def _check_input(self, input: SparseConvTensor) -> None:
        if not isinstance(input, SparseConvTensor):
            raise ValueError(f"input is a {type(input).__name__}, expected a SparseConvTensor.")
        if input.features.shape[1] != self.in_channels:
            raise ValueError(
                f"{self}: features have {input.features.shape[1]} channels, expected in_channels = "
                f"{self.in_channels}."
            )
        features = input.features
        weight: torch.Tensor = self.weight
        # Autocast brings both into one type.
        if features.dtype != weight.dtype and not torch.is_autocast_enabled("cpu"):
            raise ValueError(
                f"{self}: features are {features.dtype} and the layer's weight is {weight.dtype}, "
                f"expected one type: x.replace_feature(x.features.to({weight.dtype})), or "
                f"layer.to({features.dtype})."
            )
        if features.device != weight.device:
            raise ValueError(
                f"{self}: features are on {features.device} and the layer's weight is on "
                f"{weight.device}, expected both on the CPU."
            )

    def _find_pairs(self, input: SparseConvTensor) -> tuple[IndiceData, SparseConvTensor]:
        # An inverse layer goes back to the sites of its key, if the layer it undoes has left any.
        goes_back = self.inverse and not constants.COMPATIBLE_1X1
        if not self.conv1x1 or (goes_back and input.find_indice_pair(self.indice_key) is not None):
            return find_pairs(self, input)
        pairs, output = pairs_of_rows(self, input)
        if self.transposed:  # output_padding makes room behind the last site.
            space = zip(input.spatial_shape, self.output_padding, strict=True)
            output.spatial_shape = [extent + more for extent, more in space]
        return pairs, output

    def _reads_weight_as_ck(self) -> bool:
        return self.weight_layout == "KRSC" and self._is_kept_as_ck()

    def _activation_name(self) -> str:
        return activation_name(self.act_type)
