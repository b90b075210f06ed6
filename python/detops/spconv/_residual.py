"""What a residual block with a ``forward`` of its own does, found out by asking it.

The ``forward`` of OpenPCDet's, mmdetection3d's and other people's blocks is called with placeholders
for the block and the tensor, which write down what is called on them. Nothing is guessed from names:
a block that somebody has changed writes down something else, and one that does what no placeholder
knows raises. Such a block is called as always.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn

from ._convolution import SparseConvolution
from .modules import SparseModule, SparseSequential

__all__ = ["Residual", "read_residual"]


class Residual(NamedTuple):
    """activation(norm(convolution(inner)) + input), inner = activation(norm(convolution(input)))."""

    convolutions: tuple[SparseConvolution, SparseConvolution]
    norms: tuple[nn.Module, nn.Module]
    activations: tuple[nn.Module | None, nn.Module | None]
    """None: ``torch.relu`` or its like, without a module."""


class _Unknown(Exception):
    """Something that placeholders do not know."""


class _Rows:
    """Features: what made them, of which rows."""

    def __init__(self, maker: str, module: nn.Module | None = None, *sources: _Rows) -> None:
        self.maker, self.module, self.sources = maker, module, sources

    def __add__(self, other: Any) -> _Rows:
        if not isinstance(other, _Rows):
            raise _Unknown
        return _Rows("sum", None, self, other)

    def dim(self) -> int:  # mmdetection3d asserts that it is 2.
        return 2

    def relu(self) -> _Rows:
        return _Rows("module", None, self)

    @classmethod
    def __torch_function__(
        cls, function: Any, _: Any, arguments: Any = (), words: Any = None
    ) -> _Rows:
        first, *others = arguments
        words = {name: word for name, word in (words or {}).items() if name != "inplace"}
        if words or not isinstance(first, _Rows):
            raise _Unknown
        if function in (torch.relu, torch.relu_, nn.functional.relu) and not others:
            return first.relu()
        if function is torch.add and len(others) == 1:
            return first.__add__(others[0])
        raise _Unknown


class _Sparse:
    """A sparse tensor, of which nothing is known but its features."""

    def __init__(self, features: _Rows) -> None:
        self._features = features

    @property
    def features(self) -> _Rows:
        return self._features

    def replace_feature(self, feature: Any) -> _Sparse:
        if not isinstance(feature, _Rows):
            raise _Unknown
        return _Sparse(feature)


class _Block:
    """Stands in for the block: its modules are called on placeholders, and nothing is set."""

    def __init__(self, block: nn.Module) -> None:
        object.__setattr__(self, "_block", block)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._block, name)
        return _call_of(value) if isinstance(value, nn.Module) else value

    def __setattr__(self, name: str, value: Any) -> None:
        raise _Unknown


def _call_of(module: nn.Module) -> Callable[[Any], Any]:
    def call(x: Any) -> Any:
        if isinstance(module, SparseConvolution) and isinstance(x, _Sparse):
            return _Sparse(_Rows("convolution", module, x.features))
        if isinstance(module, SparseSequential) and isinstance(x, _Sparse):
            return _call_sequence(module, x)
        if isinstance(x, _Rows):
            return _Rows("module", module, x)
        raise _Unknown

    return call


def _call_sequence(sequence: SparseSequential, x: Any) -> Any:
    # Not those of mmcv, which look at the input of each layer.
    if type(sequence) is not SparseSequential or _has_hooks(sequence):
        raise _Unknown
    for part in sequence:
        call = _call_of(part)
        x = call(x) if isinstance(part, SparseModule) else x.replace_feature(call(x.features))
    return x


def _has_hooks(module: nn.Module) -> bool:
    return bool(module._forward_hooks or module._forward_pre_hooks)


_others: weakref.WeakSet[Any] = weakref.WeakSet()
"""Ways forward that are not those of a block."""


def read_residual(block: nn.Module) -> Residual | None:
    """None if the block does anything else."""
    forward: Any = type(block).forward
    if forward in _others or "forward" in vars(block):
        return None
    if sum(isinstance(part, SparseConvolution) for part in block.modules()) != 2:
        return None
    try:
        made = forward(_Block(block), _Sparse(_Rows("input")))
        found = _match(made.features) if isinstance(made, _Sparse) else None
    except Exception:  # Whatever a forward may raise where it does not get what it expects.
        found = None
    if found is None:
        _others.add(forward)
    return found


def _take(rows: _Rows, maker: str) -> tuple[nn.Module | None, tuple[_Rows, ...]]:
    if rows.maker != maker:
        raise _Unknown
    return rows.module, rows.sources


def _take_branch(rows: _Rows) -> tuple[Any, Any, _Rows]:
    norm, (rows,) = _take(rows, "module")
    convolution, (rows,) = _take(rows, "convolution")
    return norm, convolution, rows


def _match(rows: _Rows) -> Residual:
    last, (rows,) = _take(rows, "module")
    _, branches = _take(rows, "sum")
    inner, identity = sorted(branches, key=lambda branch: branch.maker == "input")
    _take(identity, "input")
    norm, convolution, rows = _take_branch(inner)
    first, (rows,) = _take(rows, "module")
    first_norm, first_convolution, rows = _take_branch(rows)
    _take(rows, "input")
    return Residual((first_convolution, convolution), (first_norm, norm), (first, last))
