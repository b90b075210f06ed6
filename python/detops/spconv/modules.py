"""Modules that hold others, and the usual layers on sparse tensors."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from ._graphs import call_on_features, has_rows
from .core import SparseConvTensor

__all__ = [
    "PrintCurrentTime",
    "PrintTensorMeta",
    "RemoveGrid",
    "SparseBatchNorm",
    "SparseIdentity",
    "SparseModule",
    "SparseReLU",
    "SparseSequential",
    "SparseSyncBatchNorm",
    "ToDense",
    "VoxelCounter",
    "assign_name_for_sparse_modules",
    "is_sparse_conv",
    "is_spconv_module",
]


TORCHS_FORWARDS = (nn.ReLU.forward, nn.BatchNorm1d.forward)
"""Programs put others in their place, to see calls."""


class SparseModule(nn.Module):
    """What takes and gives sparse tensors. SparseSequential calls others on the features."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__()
        self.name = name
        self._sparse_unique_name = ""


class VoxelCounter(SparseModule):
    """A layer that may remember the most output sites it has seen, in training and in eval mode.

    ``has_new_sites``: where they are known before, there is nothing to remember.
    """

    def __init__(self, name: str | None, record_voxel_count: bool, has_new_sites: bool) -> None:
        super().__init__(name)
        self.record_voxel_count = record_voxel_count
        if record_voxel_count and has_new_sites:
            self.register_buffer("max_num_voxels_during_training", torch.zeros(1, dtype=torch.int32))

    def get_max_num_voxels(self) -> torch.Tensor | None:
        found = getattr(self, "max_num_voxels_during_training", None)
        return found if isinstance(found, torch.Tensor) else None

    def record(self, output: SparseConvTensor) -> None:
        most = self.get_max_num_voxels()
        if most is not None:
            most.clamp_(min=output.indices.shape[0])

    def __setstate__(self, state: dict[str, Any]) -> None:
        module: Any = super()
        module.__setstate__(state)
        for name, value in self._defaults().items():
            vars(self).setdefault(name, value)

    def _defaults(self) -> dict[str, Any]:
        """What is missing in models that others than detops have pickled."""
        names = dict.fromkeys(("name", "indice_key", "algo"))
        ndim = vars(self)["ndim"]
        return {
            **names,
            "_sparse_unique_name": "",
            "record_voxel_count": False,
            "output_padding": [0] * ndim,
        }


def is_spconv_module(module: nn.Module) -> bool:
    return isinstance(module, (SparseModule, _OnFeatures))


def is_sparse_conv(module: nn.Module) -> bool:
    from .conv import SparseConvolution

    return isinstance(module, SparseConvolution)


class SparseSequential(SparseModule):
    """As ``torch.nn.Sequential``; ordinary modules in it work on the features.

    They are left out where there are no sites, because batch normalisation refuses no rows. In eval
    mode without gradients a convolution does the work of a batch normalisation and a ReLU behind it,
    up to rounding, unless ``constants.FOLD_IN_EVAL`` is False.
    """

    def __init__(self, *args: Any, **kwargs: nn.Module) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = list(args[0].items())
        else:
            named = [(str(position), module) for position, module in enumerate(args)]
        for name, module in [*named, *kwargs.items()]:
            self.add(module, name)

    def __getitem__(self, idx: int) -> nn.Module:
        modules = list(self._modules.values())
        if not -len(modules) <= idx < len(modules):
            raise IndexError(f"index {idx} is out of range, there are {len(modules)} modules")
        module = modules[idx]
        assert module is not None
        return module

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[nn.Module]:
        return (self[position] for position in range(len(self)))

    def add(self, module: nn.Module, name: str | None = None) -> None:
        name = str(len(self._modules)) if name is None else name
        if name in self._modules:
            raise KeyError(f"a module of name {name!r} exists already")
        self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        from ._folding import call_folded, is_relu_in_place

        names, modules, done = list(self._modules), list(self), 0
        while done < len(modules):
            module, count = modules[done], 1
            if not isinstance(input, SparseConvTensor):
                input = module(input)
            elif is_spconv_module(module):
                self._look_at_input(names[done], input)
                folded = call_folded(modules[done:], input)
                input, count = (module(input), 1) if folded is None else folded
            elif has_rows(input.features):
                features = input.features
                if done > 0 and is_relu_in_place(module, modules[done - 1], features):
                    made = nn.functional.relu_(features)
                else:
                    made = call_on_features(module, features)
                input = self._with_features(input, made)
            done += count
        return input

    def _look_at_input(self, name: str, input: SparseConvTensor) -> None:
        """Called before each sparse module."""

    def _with_features(self, input: SparseConvTensor, made: torch.Tensor) -> SparseConvTensor:
        return input.replace_feature(made)


class _OnFeatures:
    """Layers of torch that take a sparse tensor and work on its features."""

    def forward(self, input: Any) -> Any:
        layer: Any = super()
        module: Any = self
        if not isinstance(input, SparseConvTensor):
            return layer.forward(input)
        if not has_rows(input.features):
            return input
        return input.replace_feature(call_on_features(module, input.features, layer.forward))


class SparseBatchNorm(_OnFeatures, nn.BatchNorm1d):
    """``torch.nn.BatchNorm1d`` on the features."""


class SparseSyncBatchNorm(_OnFeatures, nn.SyncBatchNorm):
    """``torch.nn.SyncBatchNorm`` on the features."""


class SparseReLU(_OnFeatures, nn.ReLU):
    """``torch.nn.ReLU`` on the features."""


class SparseIdentity(_OnFeatures, nn.Identity):
    """``torch.nn.Identity`` on the features."""


class PrintTensorMeta(nn.Module):
    """Prints least, largest and mean number of what it gets, and returns that."""

    def forward(self, x: Any) -> Any:
        numbers = x.features if isinstance(x, SparseConvTensor) else x
        print(numbers.min(), numbers.max(), numbers.mean())
        return x


class PrintCurrentTime(nn.Module):
    """Prints the seconds since it was made or reset, and returns what it gets."""

    def __init__(self) -> None:
        super().__init__()
        self.first_time = time.time()

    def forward(self, x: Any, msg: str = "", reset: bool = False) -> Any:
        if reset:
            self.first_time = time.time()
        print(msg, time.time() - self.first_time)
        return x


class ToDense(SparseModule):
    """``x.dense()`` as a module."""

    def forward(self, x: SparseConvTensor) -> torch.Tensor:
        return x.dense()


class RemoveGrid(SparseModule):
    """Drops the grid that the original keeps for its GPU."""

    def forward(self, x: SparseConvTensor) -> SparseConvTensor:
        x.grid = None
        return x


def assign_name_for_sparse_modules(module: nn.Module) -> None:
    """Gives each sparse module its path in the network as a name."""
    for name, part in module.named_modules():
        if isinstance(part, SparseModule):
            part._sparse_unique_name = name
