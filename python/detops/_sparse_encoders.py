"""Sparse encoders, of blocks of detops.spconv or of spconv itself, which they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

__all__ = ["CHANNELS", "MAKERS", "NAMES", "Layers", "second"]

NAMES = {
    "second": "SECOND, 12 layers",
    "centerpoint": "CenterPoint, residual, 21 layers",
    "voxelnext": "VoxelNeXt with heads, 32 layers and 72 products",
}
CHANNELS = 5


class Layers:
    """Blocks of one of the two packages."""

    def __init__(self, spconv: Any) -> None:
        self.spconv = spconv
        self.words = {"algo": spconv.ConvAlgo.Native}

    def _block(self, layer: Any) -> Any:
        norm = nn.BatchNorm1d(layer.out_channels, eps=1e-3, momentum=0.01)
        return self.spconv.SparseSequential(layer, norm, nn.ReLU())

    def subm(self, inputs: int, outputs: int, key: str, ndim: int = 3) -> Any:
        kind = getattr(self.spconv, f"SubMConv{ndim}d")
        return self._block(kind(inputs, outputs, 3, bias=False, indice_key=key, **self.words))

    def down(self, inputs: int, outputs: int, key: str, *sizes: Any) -> Any:
        kernel, stride, padding = sizes or (3, 2, 1)
        layer = self.spconv.SparseConv3d(
            inputs, outputs, kernel, stride, padding, bias=False, indice_key=key, **self.words
        )
        return self._block(layer)

    def residual(self, channels: int, key: str) -> Any:
        first = self.subm(channels, channels, key)
        second = self.spconv.SubMConv3d(
            channels, channels, 3, bias=False, indice_key=key, **self.words
        )
        norm = nn.BatchNorm1d(channels, eps=1e-3, momentum=0.01)
        return residual_block(self.spconv, first, self.spconv.SparseSequential(second, norm))


def residual_block(spconv: Any, first: Any, second: Any) -> Any:
    """As networks write it: a sparse module with a ``forward`` of its own."""

    class Residual(spconv.SparseModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second, self.relu = first, second, nn.ReLU()

        def forward(self, x: Any) -> Any:
            y = self.second(self.first(x))
            y = y.replace_feature(y.features + x.features)
            return y.replace_feature(self.relu(y.features))

    return Residual()


def second(layers: Layers, channels: int = CHANNELS) -> nn.Module:
    stages = [layers.subm(channels, 16, "subm1"), layers.subm(16, 16, "subm1")]
    for level, (inputs, outputs, padding) in enumerate(
        [(16, 32, 1), (32, 64, 1), (64, 64, (0, 1, 1))], 2
    ):
        stages.append(layers.down(inputs, outputs, f"spconv{level}", 3, 2, padding))
        stages += [layers.subm(outputs, outputs, f"subm{level}") for _ in range(2)]
    stages.append(layers.down(64, 128, "out", (3, 1, 1), (2, 1, 1), 0))
    network: nn.Module = layers.spconv.SparseSequential(*stages)
    return network


def centerpoint(layers: Layers) -> nn.Module:
    stages = [layers.subm(CHANNELS, 16, "res1")] + [layers.residual(16, "res1") for _ in range(2)]
    for level, (inputs, outputs, padding) in enumerate(
        [(16, 32, 1), (32, 64, 1), (64, 128, (0, 1, 1))], 2
    ):
        stages.append(layers.down(inputs, outputs, f"spconv{level}", 3, 2, padding))
        stages += [layers.residual(outputs, f"res{level}") for _ in range(2)]
    stages.append(layers.down(128, 128, "out", (3, 1, 1), (2, 1, 1), 0))
    network: nn.Module = layers.spconv.SparseSequential(*stages)
    return network


class VoxelNeXt(nn.Module):
    """Six levels, of which the last three are laid on one another, seen from above; then heads."""

    CLASSES = (1, 2, 2, 1, 2, 2)

    def __init__(self, layers: Layers) -> None:
        super().__init__()
        self.spconv = spconv = layers.spconv
        first = [layers.subm(CHANNELS, 16, "res1")] + [
            layers.residual(16, "res1") for _ in range(2)
        ]
        self.stages = nn.ModuleList([spconv.SparseSequential(*first)])
        for level, (inputs, outputs) in enumerate(
            [(16, 32), (32, 64), (64, 128), (128, 128), (128, 128)], 2
        ):
            blocks = [layers.residual(outputs, f"res{level}") for _ in range(2)]
            self.stages.append(
                spconv.SparseSequential(
                    layers.down(inputs, outputs, f"spconv{level}"), *blocks
                )
            )
        kind = spconv.SparseConv2d(
            128, 128, 3, 1, 1, bias=False, indice_key="above", **layers.words
        )
        self.neck = nn.Sequential(layers._block(kind), layers.subm(128, 128, "shared", 2))
        one = {"bias": True, **layers.words}
        self.heads = nn.ModuleList()
        for classes in self.CLASSES:
            for outputs in (classes, 2, 1, 3, 2, 2):
                hidden = layers._block(spconv.SubMConv2d(128, 128, 1, indice_key="head", **one))
                last = spconv.SubMConv2d(128, outputs, 1, indice_key="head", **one)
                self.heads.append(nn.Sequential(hidden, last))

    def forward(self, x: Any) -> Any:
        levels = []
        for stage in self.stages:
            x = stage(x)
            levels.append(x)
        rows, sites = [], []
        for level, factor in zip(levels[-3:], (1, 2, 4), strict=True):
            steps = level.indices.new_tensor([1, factor, factor])
            sites.append(level.indices[:, [0, 2, 3]] * steps)
            rows.append(level.features)
        merged, where = torch.unique(torch.cat(sites), dim=0, return_inverse=True)
        features = torch.cat(rows)
        sums = features.new_zeros((len(merged), features.shape[1])).index_add(0, where, features)
        space = [
            max(int(merged[:, axis].max()) + 1, extent) for axis, extent in ((1, 180), (2, 180))
        ]
        above = self.spconv.SparseConvTensor(sums, merged.int().contiguous(), space, x.batch_size)
        above = self.neck(above)
        made = torch.cat([head(above).features for head in self.heads], 1)
        return above.replace_feature(made)


MAKERS: dict[str, Callable[[Layers], nn.Module]] = {
    "second": second,
    "centerpoint": centerpoint,
    "voxelnext": VoxelNeXt,
}
