"""The voxel generators of spconv 1, which OpenPCDet asks for first: NumPy in, NumPy out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import detops

from . import constants

__all__ = ["VoxelGenerator", "VoxelGeneratorV2", "count_cells", "in_float"]


def in_float(numbers: Sequence[float]) -> list[float]:
    """As float holds them: the originals keep sizes and ranges in this type."""
    return [float(np.float32(number)) for number in numbers]


def count_cells(
    names: tuple[str, str], sizes: Sequence[float], span: Sequence[float], half: str
) -> list[int]:
    """The voxels along each axis, x first: what remains of a range is rounded, not cut off.

    ``half``: what becomes of 12.5, "away from zero" as in spconv 2 or "to even" as in spconv 1.
    """
    count = len(sizes)
    if len(span) != 2 * count:
        raise ValueError(f"{names[1]} has {len(span)} numbers, expected {2 * count}.")
    if not all(0 < size < math.inf for size in sizes):
        raise ValueError(f"{names[0]} is {list(sizes)}, expected positive numbers.")
    low, high, steps = (np.array(n, np.float32) for n in (span[:count], span[count:], sizes))
    extents = [float(extent) for extent in (high - low) / steps]
    if not all(0.5 <= extent < 2**31 for extent in extents):
        raise ValueError(
            f"{names[1]} is {list(span)}, expected a voxel or more along each axis, of size "
            f"{list(sizes)}."
        )
    return [round(e) if half == "to even" else math.floor(e + 0.5) for e in extents]


class VoxelGeneratorV2:
    """Sorts point clouds into voxels, as a network's input, in ``constants.VOXEL_ORDER``.

    Parameters
    ----------
    voxel_size : (x, y, z) of a voxel
    point_cloud_range : (x, y, z) of one corner, then of the other
    max_num_points : more points of a voxel are dropped
    max_voxels : more voxels are dropped, in the order of their first points
    full_mean : places behind a voxel's points get their mean instead of zeros
    block_filtering : must be False; what follows belongs to it

    Examples
    --------
    >>> import numpy as np
    >>> from detops.spconv.utils import VoxelGeneratorV2
    >>> make = VoxelGeneratorV2([1, 1, 1], [0, 0, 0, 4, 4, 4], max_num_points=2)
    >>> made = make.generate(np.array([[0.5, 1, 2], [3, 3, 3], [0.1, 1.5, 2]], np.float32))
    >>> made["coordinates"].tolist(), made["num_points_per_voxel"].tolist()  # (z, y, x)
    ([[2, 1, 0], [3, 3, 3]], [2, 1])
    """

    def __init__(
        self,
        voxel_size: Sequence[float],
        point_cloud_range: Sequence[float],
        max_num_points: int,
        max_voxels: int = 20000,
        full_mean: bool = False,
        block_filtering: bool = False,
        block_factor: int = 8,
        block_size: int = 3,
        height_threshold: float = 0.1,
        height_high_threshold: float = 2.0,
    ) -> None:
        if block_filtering:
            raise ValueError(f"block_filtering is {block_filtering}, expected False.")
        if len(voxel_size) != 3:
            raise ValueError(f"voxel_size has {len(voxel_size)} numbers, expected 3.")
        names = ("voxel_size", "point_cloud_range")
        self._cells = count_cells(names, voxel_size, point_cloud_range, half="to even")
        self._sizes, self._span = in_float(voxel_size), in_float(point_cloud_range)
        self._max_num_points = max_num_points
        self._max_voxels = max_voxels
        self._full_mean = full_mean

    @property
    def voxel_size(self) -> Any:
        return np.array(self._sizes, np.float32)

    @property
    def point_cloud_range(self) -> Any:
        return np.array(self._span, np.float32)

    @property
    def grid_size(self) -> Any:
        """Cells along (x, y, z)."""
        return np.array(self._cells, np.int64)

    @property
    def max_num_points_per_voxel(self) -> int:
        return self._max_num_points

    def generate(self, points: Any, max_voxels: int | None = None) -> Any:
        """Of points (P, F): a dictionary with ``voxels`` (V, T, F), ``coordinates`` (V, 3) in the
        order (z, y, x), ``num_points_per_voxel`` (V,), ``voxel_point_mask`` (V, T, 1), which is 1
        where a point is, and ``voxel_num``."""
        made = detops.point_to_voxel(
            points,
            self._sizes,
            self._span[:3],
            self._cells,
            self._max_num_points,
            max_voxels or self._max_voxels,
            order=constants.VOXEL_ORDER,
            means=self._full_mean,
        )
        assert made.voxels is not None
        is_point = np.arange(self._max_num_points) < made.num_points[:, None]
        voxels = made.voxels
        if made.means is not None:
            voxels = np.where(is_point[:, :, None], voxels, made.means[:, None])
        return {
            "voxels": voxels,
            "coordinates": made.coordinates,
            "num_points_per_voxel": made.num_points,
            "voxel_point_mask": is_point[:, :, None].astype(voxels.dtype),
            "voxel_num": len(voxels),
        }


class VoxelGenerator(VoxelGeneratorV2):
    """The older one: ``full_mean`` unless it is told otherwise, and a tuple."""

    def __init__(
        self,
        voxel_size: Sequence[float],
        point_cloud_range: Sequence[float],
        max_num_points: int,
        max_voxels: int = 20000,
        full_mean: bool = True,
    ) -> None:
        super().__init__(voxel_size, point_cloud_range, max_num_points, max_voxels, full_mean)

    def generate(self, points: Any, max_voxels: int | None = None) -> Any:
        """Of points (P, F): voxels (V, T, F), coordinates (V, 3) in the order (z, y, x), and points
        per voxel (V,)."""
        made = super().generate(points, max_voxels)
        return made["voxels"], made["coordinates"], made["num_points_per_voxel"]
