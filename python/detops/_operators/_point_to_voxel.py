"""Points to voxels."""

from __future__ import annotations

from typing import NamedTuple

from .. import _native
from .._types import ArrayLike, FloatArray, IndexArray, Measures, Shape, VoxelOrder

__all__ = ["PointVoxels", "point_to_voxel"]


class PointVoxels(NamedTuple):
    """Result of :func:`point_to_voxel`: V voxels of P points with F numbers each."""

    voxels: FloatArray | None
    """(V, max_points_per_voxel, F): the points of each voxel, then zeros; None if not wanted."""
    means: FloatArray | None
    """(V, F): their mean; None if not wanted."""
    coordinates: IndexArray
    """(V, D) int32: (..., z, y, x); with clouds (V, 1 + D), the cloud first."""
    num_points: IndexArray
    """(V,) int32: how many points are kept."""
    point_voxel: IndexArray
    """(P,) int32: the voxel of each point, -1 if it has none."""


def point_to_voxel(
    points: ArrayLike,
    voxel_size: Measures,
    range_min: Measures,
    grid: Shape,
    max_points_per_voxel: int = 0,
    max_voxels_per_cloud: int = 0,
    *,
    cloud_begins: ArrayLike | None = None,
    order: VoxelOrder = "first_point",
    voxels: bool = True,
    means: bool = False,
) -> PointVoxels:
    """Sort points into voxels: the points of each, their mean, or both.

    Points outside of the grid, and those with NaN or Inf as a coordinate, are dropped.

    Parameters
    ----------
    points : array (P, F)
        The first D columns are the coordinates x, y, z, ...
    voxel_size, range_min, grid : D numbers each, x first
        The size of a voxel, where the grid begins, and how many voxels it has.
    max_points_per_voxel : int
        Only the first points of a voxel are kept; 0: all (then ``voxels`` must be False).
    max_voxels_per_cloud : int
        Only the first voxels are kept; 0: all.
    cloud_begins : int array (B + 1,), optional
        Several clouds: cloud b has the points ``cloud_begins[b]`` to ``cloud_begins[b + 1]``.
    order : "first_point" or "ascending"
        Of the voxels: by their first point, or by (cloud, z, y, x).
    voxels, means : bool
        Whether they are wanted.

    Returns
    -------
    PointVoxels

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> points = np.array([[0.5, 0.0], [2.5, 8.0], [0.7, 4.0], [9.0, 1.0]])  # (x, intensity)
    >>> made = detops.point_to_voxel(points, (1.0,), (0.0,), (4,), voxels=False, means=True)
    >>> made.coordinates.ravel().tolist(), made.num_points.tolist(), made.point_voxel.tolist()
    ([0, 2], [2, 1], [0, 1, 0, -1])
    """
    limits = (max_points_per_voxel, max_voxels_per_cloud)
    words = (cloud_begins, order, voxels, means)
    return PointVoxels._make(
        _native.point_to_voxel(points, voxel_size, range_min, grid, *limits, *words)
    )
