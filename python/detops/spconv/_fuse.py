"""Batch normalisation and activation folded into convolutions, for inference."""

from __future__ import annotations

import copy
from collections import Counter
from typing import TypeGuard

import torch
from torch import nn

from .conv import Activation, SparseConvolution
from .modules import SparseIdentity, SparseSequential

__all__ = ["can_be_folded", "fold_norm", "folded_parameters", "fuse"]


def fuse(model: nn.Module) -> nn.Module:
    """A copy of a network for inference, with fewer passes over memory.

    In every SparseSequential a batch normalisation behind a convolution goes into its weights and
    bias, and a ReLU or LeakyReLU behind those into its last step. What was folded becomes an
    identity, so that names and positions stay. The copy is in eval mode; results agree up to
    rounding. Layers that a network calls in a ``forward`` of its own are left as they are, and so
    are convolutions that stand in several places, as what is folded would be in all their calls, and
    batch normalisations without running statistics. A ``forward`` that calls parts of a sequence
    alone (``self.layers[0](x)``) cannot be told from others: do not fuse such a network.

    Examples
    --------
    >>> import torch
    >>> from detops import spconv
    >>> layers = spconv.SubMConv2d(1, 2, 3), torch.nn.BatchNorm1d(2), torch.nn.ReLU()
    >>> print(spconv.fuse(spconv.SparseSequential(*layers)))
    SparseSequential(
      (0): SubMConv2d(1, 2, kernel_size=[3, 3], stride=[1, 1])
      (1): SparseIdentity()
      (2): SparseIdentity()
    )
    """
    fused = copy.deepcopy(model).eval()
    places = Counter(id(part) for module in fused.modules() for part in module._modules.values())
    for module in fused.modules():
        if isinstance(module, SparseSequential):
            _fuse_sequence(module, places)
    return fused


def _fuse_sequence(sequence: SparseSequential, places: Counter[int]) -> None:
    convolution: SparseConvolution | None = None
    for name, module in list(sequence._modules.items()):
        if isinstance(module, SparseConvolution):
            plain = module._activation_name() == "None_"
            convolution = module if plain and places[id(module)] == 1 else None
        elif can_be_folded(module) and convolution is not None:
            fold_norm(convolution, module)
            sequence._modules[name] = SparseIdentity()
        elif isinstance(module, (nn.ReLU, nn.LeakyReLU)) and convolution is not None:
            is_leaky = isinstance(module, nn.LeakyReLU)
            convolution.act_type = Activation.LeakyReLU if is_leaky else Activation.ReLU
            convolution.act_alpha = module.negative_slope if isinstance(module, nn.LeakyReLU) else 0
            sequence._modules[name] = SparseIdentity()
            convolution = None
        elif not isinstance(module, (nn.Identity, nn.Dropout)):
            convolution = None


def can_be_folded(module: nn.Module | None) -> TypeGuard[nn.BatchNorm1d]:
    """Without running statistics those of each input count, in eval mode too."""
    return isinstance(module, nn.BatchNorm1d) and module.running_mean is not None


@torch.no_grad()
def fold_norm(convolution: SparseConvolution, norm: nn.BatchNorm1d) -> None:
    """Make a batch normalisation in eval mode part of the convolution before it."""
    # In double, so that folding adds no error of its own.
    weight, bias = folded_parameters(convolution, norm, torch.float64)
    convolution.weight, convolution.bias = nn.Parameter(weight), nn.Parameter(bias)


@torch.no_grad()
def folded_parameters(
    convolution: SparseConvolution, norm: nn.BatchNorm1d, precision: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor]:
    """Weight and bias of a convolution that does the work of both. The weight, which may be large, is
    scaled in ``precision``; all else is computed in double."""
    mean, variance = norm.running_mean, norm.running_var
    if mean is None or variance is None:
        raise ValueError("a batch normalisation without running statistics cannot be folded.")
    scale = (variance.double() + norm.eps).rsqrt()
    if norm.weight is not None:
        scale = scale * norm.weight.double()
    shift = -mean.double() * scale
    if norm.bias is not None:
        shift = shift + norm.bias.double()
    weight: torch.Tensor = convolution.weight
    if convolution.bias is not None:
        shift = shift + convolution.bias.double() * scale
    scale = scale.to(precision)
    if convolution._reads_weight_as_ck():
        scaled = (weight.to(precision).reshape(-1, len(scale)) * scale).reshape(weight.shape)
    else:
        columns = [-1 if axis == "K" else 1 for axis in convolution._weight_axes]
        scaled = weight.to(precision) * scale.reshape(columns)
    return scaled.to(weight.dtype), shift.to(weight.dtype)
