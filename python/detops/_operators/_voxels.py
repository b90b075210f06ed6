"""Hard and dynamic voxelisation, and one row per voxel."""

from __future__ import annotations

from typing import NamedTuple

from .. import _native
from .._types import ArrayLike, FloatArray, IndexArray, Measures, Reduce, Shape

__all__ = [
    "DynamicVoxels",
    "HardVoxels",
    "dynamic_point_to_voxel_backward",
    "dynamic_point_to_voxel_forward",
    "voxel_coordinates",
    "voxelization",
]


class HardVoxels(NamedTuple):
    """Result of :func:`voxelization`: V voxels of points with F numbers each."""

    voxels: FloatArray
    """(V, max_points, F): the points of each voxel, then zeros."""
    coors: IndexArray
    """(V, 3) int32: (z, y, x)."""
    num_points_per_voxel: IndexArray
    """(V,) int32: how many points are kept."""


class DynamicVoxels(NamedTuple):
    """Result of :func:`dynamic_point_to_voxel_forward`: V voxels of P points."""

    voxel_feats: FloatArray
    """(V, C): the maximum, mean or sum of the points of each voxel."""
    voxel_coors: IndexArray
    """(V, 3) int32: the voxels, ascending."""
    point2voxel_map: IndexArray
    """(P,) int32: the voxel of each point, -1 if it has none."""
    voxel_points_count: IndexArray
    """(V,) int32: the number of points of each voxel."""


def voxelization(
    points: ArrayLike,
    voxel_size: Measures,
    coors_range: Measures,
    max_points: int,
    max_voxels: int,
) -> HardVoxels:
    """The first points of the first voxels, as detectors with voxels of a fixed size take them.

    Points outside of the range, and those with NaN or Inf as a coordinate, are dropped.

    Parameters
    ----------
    points : array (P, F)
        The first three columns are x, y, z.
    voxel_size : 3 numbers
        Along x, y, z. These and the range count as float32.
    coors_range : 6 numbers
        The lowest x, y, z, then the highest.
    max_points : int
        How many points of a voxel are kept.
    max_voxels : int
        Only so many voxels are kept: those with the first first points.

    Returns
    -------
    HardVoxels
        In the order of their first points.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> points = np.array([[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [0.6, 0.6, 0.6], [-0.1, 0, 0]])
    >>> made = detops.voxelization(points, (1, 1, 1), (0, 0, 0, 2, 2, 1), 2, 10)
    >>> made.coors.tolist(), made.num_points_per_voxel.tolist()
    ([[0, 0, 0], [0, 0, 1]], [2, 1])
    """
    return HardVoxels._make(
        _native.voxelization(points, voxel_size, coors_range, max_points, max_voxels)
    )


def voxel_coordinates(
    points: ArrayLike,
    voxel_size: Measures,
    range_min: Measures,
    grid: Shape,
    *,
    out: ArrayLike | None = None,
) -> IndexArray:
    """The voxel that each point lies in.

    Parameters
    ----------
    points : array (P, F)
        The first D columns are the coordinates x, y, z, ...
    voxel_size, range_min, grid : D numbers each, x first
        The size of a voxel, where the grid begins, and how many voxels it has.
    out : int32 array (P, D), optional
        Where to write.

    Returns
    -------
    int32 array (P, D)
        (..., z, y, x); -1 for points outside, and for those with NaN or Inf as a coordinate.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> points = np.array([[0.5, 3.5], [1.5, -1.0]])
    >>> detops.voxel_coordinates(points, (1, 1), (0, 0), (4, 4)).tolist()
    [[3, 0], [-1, -1]]
    """
    return _native.voxel_coordinates(points, voxel_size, range_min, grid, out)


def dynamic_point_to_voxel_forward(
    feats: ArrayLike, coors: ArrayLike, reduce: Reduce = "max"
) -> DynamicVoxels:
    """Reduce the features of all points of a voxel to one row.

    Parameters
    ----------
    feats : array (P, C)
    coors : int array (P, 3)
        The voxel of each point; one with a negative number belongs to none.
    reduce : "max", "mean" or "sum"
        NaN never is a maximum: without any number above -inf it is -inf.

    Returns
    -------
    DynamicVoxels

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> feats = np.array([[1.0, 5], [2, 4], [3, 3], [4, 2]])
    >>> coors = np.array([[0, 1, 0], [0, 0, 2], [0, 1, 0], [-1, 3, 3]])
    >>> made = detops.dynamic_point_to_voxel_forward(feats, coors)
    >>> made.voxel_coors.tolist(), made.point2voxel_map.tolist()
    ([[0, 0, 2], [0, 1, 0]], [1, 0, 1, -1])
    >>> made.voxel_feats.tolist()
    [[2.0, 4.0], [3.0, 5.0]]
    """
    return DynamicVoxels._make(_native.dynamic_point_to_voxel_forward(feats, coors, reduce))


def dynamic_point_to_voxel_backward(
    grad_voxel_feats: ArrayLike,
    feats: ArrayLike,
    voxel_feats: ArrayLike,
    point2voxel_map: ArrayLike,
    voxel_points_count: ArrayLike,
    reduce: Reduce = "max",
    *,
    out: ArrayLike | None = None,
) -> FloatArray:
    """Gradient of :func:`dynamic_point_to_voxel_forward` with respect to ``feats``.

    Parameters
    ----------
    grad_voxel_feats : array (V, C)
        Gradient of the forward result.
    feats, voxel_feats : arrays (P, C) and (V, C)
        Forward's input and result. That of a maximum goes to the first point that has it.
    point2voxel_map, voxel_points_count : int arrays (P,) and (V,)
        Forward's results.
    reduce : "max", "mean" or "sum"
    out : array (P, C), optional
        Where to write; it is overwritten, not added to.

    Returns
    -------
    array (P, C)

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> feats, coors = np.array([[5.0], [7.0], [7.0]]), np.zeros((3, 3), np.int32)
    >>> made = detops.dynamic_point_to_voxel_forward(feats, coors)
    >>> grad = np.array([[2.0]])
    >>> detops.dynamic_point_to_voxel_backward(
    ...     grad, feats, made.voxel_feats, made.point2voxel_map, made.voxel_points_count).ravel()
    array([0., 2., 0.])
    """
    arguments = (grad_voxel_feats, feats, voxel_feats, point2voxel_map, voxel_points_count)
    return _native.dynamic_point_to_voxel_backward(*arguments, reduce, out)
