"""RoI-aware 3-D pooling (PartA2), forward and backward, dense and compact."""

from __future__ import annotations

from typing import NamedTuple

from .. import _native
from .._types import ArrayLike, FloatArray, IndexArray, Pool, Size3, ZOrigin

__all__ = [
    "CompactPool",
    "RoiAwarePool",
    "roiaware_pool3d_backward",
    "roiaware_pool3d_compact_backward",
    "roiaware_pool3d_compact_forward",
    "roiaware_pool3d_forward",
]


class RoiAwarePool(NamedTuple):
    """Result of :func:`roiaware_pool3d_forward`; empty voxels are there, as zeros."""

    pooled_features: FloatArray
    """(B, X, Y, Z, C)"""
    argmax: IndexArray | None
    """(B, X, Y, Z, C): the point with the maximum, -1 if there is none. None for pool="avg"."""
    pts_idx_of_voxels: IndexArray
    """(B, X, Y, Z, M): the number of points n of the voxel, then n point indices, then zeros."""


class CompactPool(NamedTuple):
    """Result of :func:`roiaware_pool3d_compact_forward`: V voxels that hold E points in all."""

    voxels: IndexArray
    """(V, 4): (box, x, y, z), ascending; what the sparse convolutions take as indices."""
    voxel_begins: IndexArray
    """(V + 1,): voxel v holds ``pts_idx[voxel_begins[v]:voxel_begins[v + 1]]``."""
    pts_idx: IndexArray
    """(E,)"""
    pooled_features: FloatArray
    """(V, C)"""
    argmax: IndexArray | None
    """(V, C): the point with the maximum, -1 if there is none. None for pool="avg"."""


def roiaware_pool3d_forward(
    rois: ArrayLike,
    pts: ArrayLike,
    pts_feature: ArrayLike,
    out_size: Size3,
    max_pts_each_voxel: int = 128,
    *,
    pool: Pool = "max",
    z_origin: ZOrigin = "bottom",
    xy_margin: float = 0.0,
    out: tuple[ArrayLike | None, ArrayLike | None, ArrayLike | None] | None = None,
) -> RoiAwarePool:
    """Cut every box into voxels and pool the features of the points in each.

    Parameters
    ----------
    rois : array (B, 7)
        (cx, cy, cz, dx, dy, dz, rz); rz in radians, anticlockwise from x to y.
    pts : array (P, 3)
        (x, y, z). Points with NaN or Inf lie in no box.
    pts_feature : array (P, C)
        C must be above 0.
    out_size : int or (X, Y, Z)
        The voxels of a box.
    max_pts_each_voxel : int
        M: of a voxel the M - 1 points with the lowest indices are kept and pooled.
    pool : "max" or "avg"
    z_origin : "bottom" or "center"
        What cz is. "bottom" is that of mmcv, "center" that of OpenPCDet.
    xy_margin : float
        By what the sides of a box are moved outwards. 0 is that of mmcv, 1e-5 that of OpenPCDet.
    out : tuple (pooled_features, argmax, pts_idx_of_voxels), optional
        Where to write; None for what shall be new.

    Returns
    -------
    RoiAwarePool
        No boxes give no rows; no points give voxels that are all empty.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> box = np.array([[0, 0, 0, 2, 2, 2, 0]], np.float32)
    >>> points = np.array([[-0.5, 0, 1], [0.5, 0, 1], [0.6, 0, 1], [9, 9, 9]], np.float32)
    >>> features = np.array([[1], [2], [3], [4]], np.float32)
    >>> result = detops.roiaware_pool3d_forward(box, points, features, (2, 1, 1), 4)
    >>> result.pooled_features.ravel(), result.argmax.ravel()
    (array([1., 3.], dtype=float32), array([0, 2], dtype=int32))
    >>> result.pts_idx_of_voxels.reshape(2, 4)
    array([[1, 0, 0, 0],
           [2, 1, 2, 0]], dtype=int32)
    """
    return RoiAwarePool._make(
        _native.roiaware_pool3d_forward(
            rois, pts, pts_feature, out_size, max_pts_each_voxel, pool, z_origin, xy_margin, out
        )
    )


def roiaware_pool3d_backward(
    grad_out: ArrayLike,
    argmax: ArrayLike | None,
    pts_idx_of_voxels: ArrayLike | None,
    pts_num: int,
    *,
    pool: Pool = "max",
    out: ArrayLike | None = None,
) -> FloatArray:
    """Gradient of :func:`roiaware_pool3d_forward` with respect to ``pts_feature``.

    Parameters
    ----------
    grad_out : array (B, X, Y, Z, C)
        Gradient of ``pooled_features``.
    argmax : int array (B, X, Y, Z, C), or None for pool="avg"
    pts_idx_of_voxels : int array (B, X, Y, Z, M), or None for pool="max"
    pts_num : int
        P, the number of points.
    pool : "max" or "avg"
        As forward.
    out : array (P, C), optional
        Where to write; it is overwritten, not added to.

    Returns
    -------
    array (P, C)

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> winners = np.array([1, -1], np.int32).reshape(1, 2, 1, 1, 1)
    >>> gradient = np.array([5, 7], np.float32).reshape(1, 2, 1, 1, 1)
    >>> detops.roiaware_pool3d_backward(gradient, winners, None, 3).ravel()
    array([0., 5., 0.], dtype=float32)
    """
    return _native.roiaware_pool3d_backward(grad_out, argmax, pts_idx_of_voxels, pts_num, pool, out)


def roiaware_pool3d_compact_forward(
    rois: ArrayLike,
    pts: ArrayLike,
    pts_feature: ArrayLike,
    out_size: Size3,
    max_pts_each_voxel: int = 128,
    *,
    pool: Pool = "max",
    z_origin: ZOrigin = "bottom",
    xy_margin: float = 0.0,
    out: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike, ArrayLike | None] | None = None,
) -> CompactPool:
    """As :func:`roiaware_pool3d_forward`, but only the voxels that hold points.

    It is several times as fast as the dense form, whose time is mostly the writing of zeros.

    Parameters
    ----------
    rois, pts, pts_feature, out_size, max_pts_each_voxel, pool, z_origin, xy_margin
        As there.
    out : tuple (voxels, voxel_begins, pts_idx, pooled_features, argmax), optional
        Where to write; the arrays may be longer than needed, the result is their first rows.
        Without it the points are searched twice, the first time to count.

    Returns
    -------
    CompactPool
        No boxes or no points give no voxels, and ``voxel_begins`` is ``[0]``.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> box = np.array([[0, 0, 0, 2, 2, 2, 0]], np.float32)
    >>> points = np.array([[0.5, 0.5, 0.5], [0.6, 0.5, 0.5], [-0.5, -0.5, 1.5]], np.float32)
    >>> features = np.array([[1], [2], [3]], np.float32)
    >>> pooled = detops.roiaware_pool3d_compact_forward(box, points, features, 2, pool="avg")
    >>> pooled.voxels
    array([[0, 0, 0, 1],
           [0, 1, 1, 0]], dtype=int32)
    >>> pooled.voxel_begins, pooled.pts_idx, pooled.pooled_features.ravel()
    (array([0, 1, 3], dtype=int32), array([2, 0, 1], dtype=int32), array([3. , 1.5], dtype=float32))
    """
    return CompactPool._make(
        _native.roiaware_pool3d_compact_forward(
            rois, pts, pts_feature, out_size, max_pts_each_voxel, pool, z_origin, xy_margin, out
        )
    )


def roiaware_pool3d_compact_backward(
    grad_out: ArrayLike,
    voxel_begins: ArrayLike | None,
    pts_idx: ArrayLike | None,
    argmax: ArrayLike | None,
    pts_num: int,
    *,
    pool: Pool = "max",
    out: ArrayLike | None = None,
) -> FloatArray:
    """Gradient of :func:`roiaware_pool3d_compact_forward` with respect to ``pts_feature``.

    Parameters
    ----------
    grad_out : array (V, C)
        Gradient of ``pooled_features``.
    voxel_begins, pts_idx : int arrays (V + 1,) and (E,), or None for pool="max"
    argmax : int array (V, C), or None for pool="avg"
    pts_num : int
        P, the number of points.
    pool : "max" or "avg"
        As forward.
    out : array (P, C), optional
        Where to write; it is overwritten, not added to.

    Returns
    -------
    array (P, C)

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> begins, points = np.array([0, 1, 3], np.int32), np.array([2, 0, 1], np.int32)
    >>> gradient = np.array([[5], [8]], np.float32)
    >>> detops.roiaware_pool3d_compact_backward(
    ...     gradient, begins, points, None, 3, pool="avg").ravel()
    array([4., 4., 5.], dtype=float32)
    """
    return _native.roiaware_pool3d_compact_backward(
        grad_out, voxel_begins, pts_idx, argmax, pts_num, pool, out
    )
