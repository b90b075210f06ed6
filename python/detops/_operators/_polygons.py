"""Sets of points and quadrilaterals: overlaps of hulls, enclosing rectangles, points inside."""

from __future__ import annotations

from .. import _native
from .._types import ArrayLike, FloatArray

__all__ = [
    "convex_giou",
    "convex_iou",
    "min_area_polygons",
    "points_in_polygons",
]


def convex_iou(
    pointsets: ArrayLike, polygons: ArrayLike, *, out: ArrayLike | None = None
) -> FloatArray:
    """IoU of the hulls of sets of nine points with quadrilaterals.

    Parameters
    ----------
    pointsets : array (N, 18)
        x1, y1, ..., x9, y9 in any order.
    polygons : array (K, 8)
        x1, y1, ..., x4, y4 in the order of the boundary; convex.
    out : array (N, K), optional
        Where to write.

    Returns
    -------
    array (N, K)

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> points = np.array([[1, 1, 2, 2, 1, 2, 2, 1, 1, 3, 3, 1, 2, 3, 3, 2, 1.5, 1.5]])
    >>> detops.convex_iou(points, np.array([[1.0, 1, 3, 1, 3, 3, 1, 3]]))
    array([[0.875]])
    """
    return _native.convex_iou(pointsets, polygons, out)


def convex_giou(
    pointsets: ArrayLike,
    polygons: ArrayLike,
    *,
    out: tuple[ArrayLike | None, ArrayLike | None] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Generalized IoU of hulls with quadrilaterals row by row, and its gradient.

    Parameters
    ----------
    pointsets, polygons : arrays (N, 18) and (N, 8)
        As :func:`convex_iou`.
    out : tuple of two arrays, optional
        Where to write; None for what shall be new.

    Returns
    -------
    arrays (N,) and (N, 18)
        The GIoU, and its derivatives by the numbers of ``pointsets``.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> points = np.array([[1, 1, 2, 2, 1, 2, 2, 1, 1, 3, 3, 1, 2, 3, 3, 2, 1.5, 1.5]])
    >>> gious, grad = detops.convex_giou(points, np.array([[1.0, 1, 3, 1, 3, 3, 1, 3]]))
    >>> gious, grad.shape
    (array([0.875]), (1, 18))
    """
    gious, grad = _native.convex_giou(pointsets, polygons, out)
    return gious, grad


def min_area_polygons(pointsets: ArrayLike, *, out: ArrayLike | None = None) -> FloatArray:
    """The rectangle of least area around nine points.

    Parameters
    ----------
    pointsets : array (N, 18)
        x1, y1, ..., x9, y9 in any order.
    out : array (N, 8), optional
        Where to write.

    Returns
    -------
    array (N, 8)
        Corners (xmax, ymin), (xmin, ymin), (xmin, ymax), (xmax, ymax) in the rectangle's own axes.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> points = np.array([[1, 1, 2, 2, 1, 2, 2, 1, 1, 3, 3, 1, 2, 3, 3, 2, 1.5, 1.5]])
    >>> detops.min_area_polygons(points)
    array([[3., 1., 1., 1., 1., 3., 3., 3.]])
    """
    return _native.min_area_polygons(pointsets, out)


def points_in_polygons(
    points: ArrayLike, polygons: ArrayLike, *, out: ArrayLike | None = None
) -> FloatArray:
    """Which points lie inside which quadrilaterals.

    Parameters
    ----------
    points : array (B, 2)
    polygons : array (M, 8)
        x1, y1, ..., x4, y4 in the order of the boundary, in either direction.
    out : array (B, M), optional
        Where to write.

    Returns
    -------
    array (B, M)
        1 inside, 0 outside and on the boundary.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> points = np.array([[1.0, 1], [5, 1], [0, 1]])
    >>> detops.points_in_polygons(points, np.array([[0.0, 0, 4, 0, 4, 2, 0, 2]])).ravel()
    array([1., 0., 0.])
    """
    return _native.points_in_polygons(points, polygons, out)
