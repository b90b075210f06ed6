"""Batch normalisation, ReLU and what a residual block adds as part of the convolution before them,
while a network predicts.

The network stays what it is, unlike with :func:`fuse`: the weight is scaled anew in each call. To
remember it would save little, and nothing tells that somebody has written into ``parameter.data``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import torch
from torch import nn

from ..torch._rulebooks import is_seen
from . import constants
from ._convolution import SparseConvolution
from ._fuse import can_be_folded, folded_parameters
from ._residual import read_residual
from .core import SparseConvTensor
from .modules import TORCHS_FORWARDS, SparseBatchNorm, SparseReLU

__all__ = ["call_folded", "is_relu_in_place"]

has_any_global_hook: Any = nn.modules.module._has_any_global_hook

_NORMS = (nn.BatchNorm1d, SparseBatchNorm)
_ACTIVATIONS = (nn.ReLU, SparseReLU, nn.LeakyReLU)
_TYPES = (torch.float32, torch.float64, torch.bfloat16)
"""Those that a scaled weight does not leave: in half it might underflow."""


def call_folded(
    modules: Sequence[nn.Module], input: SparseConvTensor
) -> tuple[SparseConvTensor, int] | None:
    """What a convolution and what follows it make in one pass, and how many modules those were.

    ``modules`` begin with the convolution, or with a residual block, which takes two. None if nothing
    follows that can be folded, or if anybody could tell: by gradients, hooks or autocast.
    """
    convolution, *followers = modules[:3]
    if not isinstance(convolution, SparseConvolution):
        made = _call_residual(convolution, input) if _may_fold() and _is_plain(convolution) else None
        return None if made is None else (made, 1)
    if not _can_fold_into(convolution):
        return None
    norm: nn.BatchNorm1d | None = None
    activation: nn.Module | None = None
    if followers and _is_norm_of(followers[0], convolution, input):
        norm, followers = followers[0], followers[1:]
    if followers and type(followers[0]) in _ACTIVATIONS and _is_plain(followers[0]):
        activation = followers[0]
    parts = [part for part in (convolution, norm, activation) if part is not None]
    if len(parts) == 1 or _wants_gradients(parts, input.features):
        return None
    weight: torch.Tensor = convolution.weight
    bias: torch.Tensor | None = convolution.bias
    if norm is not None:
        weight, bias = folded_parameters(convolution, norm, weight.dtype)
    kind = ("none", 0.0) if activation is None else _kind_of(activation)
    return convolution._convolve(input, weight, bias, *kind), len(parts)


def _call_residual(block: nn.Module, input: SparseConvTensor) -> SparseConvTensor | None:
    found = read_residual(block)
    if found is None:
        return None
    x = input
    for convolution, norm, activation in zip(*found, strict=True):
        if not (_can_fold_into(convolution) and convolution.subm and _is_norm_of(norm, convolution, input)):
            return None
        if activation is not None and not (type(activation) in _ACTIVATIONS and _is_plain(activation)):
            return None
    if _wants_gradients([block], input.features):
        return None
    for step, (convolution, norm, activation) in enumerate(zip(*found, strict=True)):
        assert isinstance(norm, nn.BatchNorm1d)
        weight, bias = folded_parameters(convolution, norm, convolution.weight.dtype)
        kind = ("relu", 0.0) if activation is None else _kind_of(activation)
        x = convolution._convolve(x, weight, bias, *kind, input if step == 1 else None)
    return x


def _kind_of(activation: nn.Module) -> tuple[str, float]:
    if isinstance(activation, nn.LeakyReLU):
        return "leaky_relu", float(activation.negative_slope)
    return "relu", 0.0


def _may_fold() -> bool:
    return (
        constants.FOLD_IN_EVAL
        and not torch.compiler.is_compiling()
        and not torch.is_autocast_enabled("cpu")
        and not has_any_global_hook()
    )


def _can_fold_into(module: nn.Module) -> TypeGuard[SparseConvolution]:
    return (
        isinstance(module, SparseConvolution)
        and _may_fold()
        and type(module).forward is SparseConvolution.forward
        and module._activation_name() == "None_"
        and _is_plain(module)
    )


def _is_plain(module: nn.Module) -> bool:
    """Whether a call of the module is its ``forward`` in eval mode, and nobody listens."""
    hooks = (module._forward_hooks, module._forward_pre_hooks)
    return not module.training and not any(hooks) and not nn.utils.parametrize.is_parametrized(module)


def is_relu_in_place(relu: nn.Module, norm: nn.Module, features: torch.Tensor) -> bool:
    """Whether a ReLU may write over ``features``, which the module before it has just made.

    The gradient of a batch normalisation does not need its result, and nobody else has seen it: a
    third of what training keeps of such layers need not be there.
    """
    return (
        type(relu) is nn.ReLU
        and type(norm) is nn.BatchNorm1d
        and (nn.ReLU.forward, nn.BatchNorm1d.forward) == TORCHS_FORWARDS
        and type(features) is torch.Tensor
        and not _is_watched(relu)
        and not _is_watched(norm)
        and not is_seen()
        and not has_any_global_hook()
    )


def _is_watched(module: nn.Module) -> bool:
    hooks = (module._forward_hooks, module._forward_pre_hooks)
    return (
        any(hooks)
        or bool(module._backward_hooks or module._backward_pre_hooks)
        or "forward" in vars(module)
    )


def _is_norm_of(
    module: nn.Module, convolution: SparseConvolution, input: SparseConvTensor
) -> TypeGuard[nn.BatchNorm1d]:
    if not (type(module) in _NORMS and can_be_folded(module) and _is_plain(module)):
        return False
    weight: torch.Tensor = convolution.weight
    tensors = (module.running_mean, module.running_var, module.weight, module.bias)
    return (
        weight.dtype in _TYPES
        and all(tensor is None or tensor.dtype == weight.dtype for tensor in tensors)
        and module.num_features == convolution.out_channels
        # To scale the weight must cost less than to look at all results once more.
        and input.features.shape[0] * convolution.out_channels >= weight.numel()
    )


def _wants_gradients(parts: Sequence[nn.Module], features: torch.Tensor) -> bool:
    if not torch.is_grad_enabled():
        return False
    return features.requires_grad or any(
        parameter.requires_grad for part in parts for parameter in part.parameters()
    )
