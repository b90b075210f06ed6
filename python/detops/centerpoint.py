"""What CenterPoint's own Python cannot do any more, under its names: ``det3d.core.bbox.geometry``."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["points_in_convex_polygon_jit"]

Array = np.ndarray[Any, Any]


def points_in_convex_polygon_jit(points: Array, polygon: Array, clockwise: bool = True) -> Array:
    """Which of (N, 2) points lie in which of (K, corners, 2) convex polygons, (N, K); borders are
    outside. The original's arithmetic; numba compiles it up to 0.58 only.

    Examples
    --------
    >>> import numpy as np
    >>> square = np.array([[[0, 0], [0, 2], [2, 2], [2, 0]]])
    >>> points_in_convex_polygon_jit(np.array([[1, 1], [2, 1], [3, 1]]), square)[:, 0]
    array([ True, False, False])
    """
    edges = polygon - np.roll(polygon, 1, axis=1)
    if not clockwise:
        edges = -edges
    away = polygon - points[:, None, None]
    cross = edges[..., 1] * away[..., 0] - edges[..., 0] * away[..., 1]
    inside: Array = (cross < 0).all(axis=-1)
    return inside
