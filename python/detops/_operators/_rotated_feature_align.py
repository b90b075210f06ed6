"""Rotated feature align (R3Det, S2A-Net), forward and backward."""

from __future__ import annotations

from .. import _native
from .._types import ArrayLike, FloatArray

__all__ = ["rotated_feature_align_backward", "rotated_feature_align_forward"]


def rotated_feature_align_forward(
    input: ArrayLike,
    bboxes: ArrayLike,
    spatial_scale: float = 1.0,
    points: int = 1,
    *,
    out: ArrayLike | None = None,
) -> FloatArray:
    """Add to every pixel of a map the bilinear samples at its rotated box.

    Parameters
    ----------
    input : array (N, H, W, C)
        The map.
    bboxes : array (N, H, W, 5)
        For each pixel (y, x, w, h, angle). y, x, w, h are image pixels; angle is in radians.
        The type is that of ``input``. Every number must be finite.
    spatial_scale : float
        What y, x, w, h are multiplied by to give pixels of the map; above 0.
    points : 1 or 5
        Samples at the centre, or at the centre and the four corners.
    out : array (N, H, W, C), optional
        Where to write.

    Returns
    -------
    array (N, H, W, C)
        A map without elements gives a result without elements.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> features = np.array([[1, 2], [2, 4]], np.float32).reshape(1, 2, 2, 1)
    >>> boxes = np.array([[0, 1, 2, 1, 0], [0, 1, 2, 1, 0], [1, 0, 2, 1, 0], [1, 0, 2, 1, 0]])
    >>> boxes = boxes.astype(np.float32).reshape(1, 2, 2, 5)
    >>> detops.rotated_feature_align_forward(features, boxes).reshape(2, 2)
    array([[3., 4.],
           [4., 6.]], dtype=float32)
    """
    return _native.rotated_feature_align_forward(input, bboxes, spatial_scale, points, out)


def rotated_feature_align_backward(
    top_output: ArrayLike,
    bboxes: ArrayLike,
    spatial_scale: float = 1.0,
    points: int = 1,
    *,
    out: ArrayLike | None = None,
) -> FloatArray:
    """Gradient of :func:`rotated_feature_align_forward` with respect to ``input``.

    Parameters
    ----------
    top_output : array (N, H, W, C)
        Gradient of the forward result.
    bboxes, spatial_scale, points
        As forward. The boxes get no gradient.
    out : array (N, H, W, C), optional
        Where to write; it is overwritten, not added to.

    Returns
    -------
    array (N, H, W, C)

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> boxes = np.zeros((1, 1, 2, 5), np.float32)  # both pixels look at pixel (0, 0)
    >>> detops.rotated_feature_align_backward(np.ones((1, 1, 2, 1), np.float32), boxes).ravel()
    array([3., 1.], dtype=float32)
    """
    return _native.rotated_feature_align_backward(top_output, bboxes, spatial_scale, points, out)
