"""The network: voxels, sparse encoder, bird's-eye view, dense backbone, head."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from detops import spconv
from grid import Grid
from norm import SynchronisedBatchNorm1d, SynchronisedBatchNorm2d
from torch import nn

POINT_FEATURES = 4
ANCHORS = 2
"""In each cell a box along x and one along y."""
BOX_NUMBERS = 7
"""x, y, z, length, width, height, angle."""
WORDS: dict[str, Any] = {"eps": 1e-3, "momentum": 0.05}


class Maps(NamedTuple):
    """What the head says of every anchor, (batch, rows, columns, ANCHORS, ...)."""

    scores: torch.Tensor
    """(..., ) before the sigmoid: is there a car?"""
    boxes: torch.Tensor
    """(..., BOX_NUMBERS): how it differs from the anchor."""
    directions: torch.Tensor
    """(..., ) before the sigmoid: does it look the other way?"""


def submanifold(inputs: int, outputs: int, key: str) -> list[nn.Module]:
    layer = spconv.SubMConv3d(inputs, outputs, 3, bias=False, indice_key=key)
    return [layer, SynchronisedBatchNorm1d(outputs, **WORDS), nn.ReLU()]


def strided(
    inputs: int, outputs: int, key: str, size: Any = 3, stride: Any = 2, padding: Any = 1
) -> list[nn.Module]:
    layer = spconv.SparseConv3d(
        inputs, outputs, size, stride, padding, bias=False, indice_key=key
    )
    return [layer, SynchronisedBatchNorm1d(outputs, **WORDS), nn.ReLU()]


def make_encoder() -> spconv.SparseSequential:
    """The middle layers of SECOND; a depth of 41 voxels becomes 2."""
    stage = spconv.SparseSequential
    return spconv.SparseSequential(
        stage(*submanifold(POINT_FEATURES, 16, "subm1"), *submanifold(16, 16, "subm1")),
        stage(
            *strided(16, 32, "down2"), *submanifold(32, 32, "subm2"), *submanifold(32, 32, "subm2")
        ),
        stage(
            *strided(32, 64, "down3"), *submanifold(64, 64, "subm3"), *submanifold(64, 64, "subm3")
        ),
        stage(
            *strided(64, 64, "down4", padding=(0, 1, 1)),
            *submanifold(64, 64, "subm4"),
            *submanifold(64, 64, "subm4"),
        ),
        stage(*strided(64, 64, "down5", (3, 1, 1), (2, 1, 1), 0)),
    )


def dense(inputs: int, outputs: int, stride: int = 1) -> list[nn.Module]:
    layer = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
    return [layer, SynchronisedBatchNorm2d(outputs, **WORDS), nn.ReLU()]


class Second(nn.Module):
    def __init__(self, grid: Grid) -> None:
        super().__init__()
        self.shape = grid.shape
        self.rows, self.columns = grid.bev
        self.encoder = make_encoder()
        self.fine = nn.Sequential(*dense(2 * 64, 64), *dense(64, 64))
        self.coarse = nn.Sequential(*dense(64, 96, 2), *dense(96, 96), *dense(96, 96))
        self.up = nn.Sequential(
            nn.Conv2d(96, 64, 1, bias=False), SynchronisedBatchNorm2d(64, **WORDS), nn.ReLU()
        )
        self.head = nn.Conv2d(2 * 64, ANCHORS * (BOX_NUMBERS + 2), 1)
        nn.init.normal_(self.head.weight, std=0.01)
        bias = torch.zeros(ANCHORS, BOX_NUMBERS + 2)
        bias[:, 0] = -4.6  # Nearly all anchors are empty: begin with a score of 1 percent.
        self.head.bias = nn.Parameter(bias.flatten())

    def encode(self, features: torch.Tensor, indices: torch.Tensor, batch: int) -> torch.Tensor:
        """The bird's-eye view (batch, 128, rows, columns); z has become channels."""
        sparse = spconv.SparseConvTensor(features, indices, self.shape, batch)
        volume: torch.Tensor = self.encoder(sparse).dense()
        return volume.flatten(1, 2)

    def forward(self, features: torch.Tensor, indices: torch.Tensor, batch: int) -> Maps:
        fine = self.fine(self.encode(features, indices, batch))
        coarse = self.up(self.coarse(fine))
        coarse = nn.functional.interpolate(coarse, fine.shape[2:], mode="nearest")
        found = self.head(torch.cat([fine, coarse], 1))
        found = found.view(batch, ANCHORS, -1, self.rows, self.columns).permute(0, 3, 4, 1, 2)
        return Maps(found[..., 0], found[..., 1 : 1 + BOX_NUMBERS], found[..., -1])
