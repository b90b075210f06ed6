"""The part of the world that the network looks at, and the voxels in it."""

from __future__ import annotations

import math
from dataclasses import dataclass

STRIDE = 8
"""Voxels along x and y in a cell of the bird's-eye view: the encoder halves three times."""


@dataclass(frozen=True)
class Grid:
    """Metres from the sensor: x ahead, y to the left, z up."""

    low: tuple[float, float, float] = (0.0, -20.0, -3.0)
    high: tuple[float, float, float] = (40.0, 20.0, 1.0)
    voxel: float = 0.1

    @property
    def counts(self) -> tuple[int, int, int]:
        """Voxels along x, y, z."""
        x, y, z = (round((b - a) / self.voxel) for a, b in zip(self.low, self.high, strict=True))
        return x, y, z

    @property
    def shape(self) -> list[int]:
        """(z, y, x) for the encoder. One layer more than there are voxels along z, as SECOND has
        it: with 41 its layers end at two."""
        x, y, z = self.counts
        return [z + 1, y, x]

    @property
    def cell(self) -> float:
        """The side of a cell of the bird's-eye view."""
        return STRIDE * self.voxel

    @property
    def bev(self) -> tuple[int, int]:
        """(rows along y, columns along x) of the bird's-eye view."""
        x, y, _ = self.counts
        return math.ceil(y / STRIDE), math.ceil(x / STRIDE)
