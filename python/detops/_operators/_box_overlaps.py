"""How much boxes overlap: upright, rotated, in space, and quadrilaterals; points in boxes.

The geometry is exact and rounded once.
"""

from __future__ import annotations

from .. import _native
from .._types import (
    ArrayLike,
    FloatArray,
    IndexArray,
    OverlapGradient,
    OverlapMode,
    ZOrigin,
)

__all__ = [
    "bbox_overlaps",
    "box_iou_quadri",
    "box_iou_rotated",
    "box_iou_rotated_backward",
    "boxes_iou3d",
    "boxes_iou3d_backward",
    "boxes_iou_bev",
    "boxes_overlap_bev",
    "points_in_boxes",
]


def bbox_overlaps(
    bboxes1: ArrayLike,
    bboxes2: ArrayLike,
    *,
    mode: OverlapMode = "iou",
    aligned: bool = False,
    offset: int = 0,
    out: ArrayLike | None = None,
) -> FloatArray:
    """IoU of upright boxes.

    Results lie between 0 and 1; boxes without area overlap nothing.

    Parameters
    ----------
    bboxes1, bboxes2 : arrays (N, 4) and (M, 4)
        (x1, y1, x2, y2)
    mode : "iou" or "iof"
        The shared area divided by that of both together, or by that of the first box.
    aligned : bool
        Row by row (M = N) instead of all pairs.
    offset : 0 or 1
        1 if corners are pixels that belong to the box: its width is x2 - x1 + 1.
    out : array, optional
        Where to write.

    Returns
    -------
    array (N, M), or (N,) if aligned

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> first, second = np.array([[0.0, 0, 10, 10]]), np.array([[0.0, 0, 10, 20], [9, 9, 11, 11]])
    >>> detops.bbox_overlaps(first, second).round(4)
    array([[0.5   , 0.0097]])
    """
    return _native.bbox_overlaps(bboxes1, bboxes2, mode, aligned, offset, out)


def box_iou_rotated(
    bboxes1: ArrayLike,
    bboxes2: ArrayLike,
    *,
    mode: OverlapMode = "iou",
    aligned: bool = False,
    out: ArrayLike | None = None,
) -> FloatArray:
    """IoU of rotated boxes.

    The geometry is exact, rounded once: results lie between 0 and 1, are 1 for equal boxes and 0
    for boxes that touch. Boxes without area overlap nothing.

    Parameters
    ----------
    bboxes1, bboxes2 : arrays (N, 5) and (M, 5)
        (x, y, w, h, angle): centre, sides, and radians from x to y.
    mode, aligned, out
        As :func:`bbox_overlaps`.

    Returns
    -------
    array (N, M), or (N,) if aligned

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> first, second = np.array([[0, 0, 4.0, 2, 0]]), np.array([[0, 0, 4, 2, np.pi / 2]])
    >>> detops.box_iou_rotated(first, second).round(6)
    array([[0.333333]])
    """
    return _native.box_iou_rotated(bboxes1, bboxes2, mode, aligned, out)


def box_iou_rotated_backward(
    grad: ArrayLike,
    bboxes1: ArrayLike,
    bboxes2: ArrayLike,
    *,
    mode: OverlapGradient = "iou",
    aligned: bool = False,
    out: tuple[ArrayLike | None, ArrayLike | None] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Gradients of :func:`box_iou_rotated` with respect to both lists of boxes.

    Parameters
    ----------
    grad : array (N, M), or (N,) if aligned
        Gradient of the forward result.
    bboxes1, bboxes2, aligned
        As forward.
    mode : "iou", "iof" or "overlap"
        As forward; "overlap": the result is the area that boxes share.
    out : tuple of two arrays, optional
        Where to write; None for what shall be new.

    Returns
    -------
    arrays (N, 5) and (M, 5)

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> first, second = np.array([[0, 0, 4.0, 2, 0]]), np.array([[1, 0, 4.0, 2, 0]])
    >>> detops.box_iou_rotated_backward(np.ones((1, 1)), first, second)[0].round(4)
    array([[0.32, 0.  , 0.04, 0.  , 0.  ]])
    """
    grad1, grad2 = _native.box_iou_rotated_backward(grad, bboxes1, bboxes2, mode, aligned, out)
    return grad1, grad2


def box_iou_quadri(
    quads1: ArrayLike,
    quads2: ArrayLike,
    *,
    mode: OverlapMode = "iou",
    aligned: bool = False,
    out: ArrayLike | None = None,
) -> FloatArray:
    """IoU of quadrilaterals, convex or not.

    Parameters
    ----------
    quads1, quads2 : arrays (N, 8) and (M, 8)
        x1, y1, ..., x4, y4 in the order of the boundary, in either direction.
    mode, aligned, out
        As :func:`bbox_overlaps`.

    Returns
    -------
    array (N, M), or (N,) if aligned

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> leaning = np.array([[0, 0, 4, 0, 6, 2, 2, 2]], np.float32)
    >>> upright = np.array([[0, 0, 4, 0, 4, 2, 0, 2]], np.float32)
    >>> detops.box_iou_quadri(leaning, upright)
    array([[0.6]], dtype=float32)
    """
    return _native.box_iou_quadri(quads1, quads2, mode, aligned, out)


def boxes_overlap_bev(
    boxes_a: ArrayLike, boxes_b: ArrayLike, *, aligned: bool = False, out: ArrayLike | None = None
) -> FloatArray:
    """The area that boxes share, seen from above.

    Parameters
    ----------
    boxes_a, boxes_b : arrays (N, 7) and (M, 7)
        (x, y, z, dx, dy, dz, heading): z and dz do not count, heading is in radians from x to y.
    aligned, out
        As :func:`bbox_overlaps`.

    Returns
    -------
    array (N, M), or (N,) if aligned

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> boxes = np.array([[0, 0, 0, 4, 2, 1.5, 0], [0, 0, 9, 4, 2, 1.5, np.pi / 2]])
    >>> detops.boxes_overlap_bev(boxes[:1], boxes[1:]).round(6)
    array([[4.]])
    """
    return _native.boxes_overlap_bev(boxes_a, boxes_b, aligned, out)


def boxes_iou_bev(
    boxes_a: ArrayLike, boxes_b: ArrayLike, *, aligned: bool = False, out: ArrayLike | None = None
) -> FloatArray:
    """IoU of boxes seen from above.

    Parameters
    ----------
    boxes_a, boxes_b : arrays (N, 7) and (M, 7), or (N, 5) and (M, 5)
        (x, y, z, dx, dy, dz, heading): z and dz do not count; or (x, y, dx, dy, heading).
    aligned, out
        As :func:`bbox_overlaps`.

    Returns
    -------
    array (N, M), or (N,) if aligned

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> boxes = np.array([[0, 0, 0, 4, 2, 1.5, 0], [0, 0, 9, 4, 2, 1.5, np.pi / 2]])
    >>> detops.boxes_iou_bev(boxes, boxes).round(6)
    array([[1.      , 0.333333],
           [0.333333, 1.      ]])
    """
    return _native.boxes_iou_bev(boxes_a, boxes_b, aligned, out)


def boxes_iou3d(
    boxes_a: ArrayLike,
    boxes_b: ArrayLike,
    *,
    aligned: bool = False,
    z_origin: ZOrigin = "center",
    out: ArrayLike | None = None,
) -> FloatArray:
    """IoU of boxes as bodies.

    Parameters
    ----------
    boxes_a, boxes_b : arrays (N, 7) and (M, 7)
        (x, y, z, dx, dy, dz, heading in radians from x to y)
    aligned, out
        As :func:`bbox_overlaps`.
    z_origin : "center" or "bottom"
        What z is.

    Returns
    -------
    array (N, M), or (N,) if aligned

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> boxes = np.array([[0, 0, 0, 2, 2, 2, 0], [0, 0, 1, 2, 2, 4, 0]], np.float32)
    >>> detops.boxes_iou3d(boxes[:1], boxes[1:])
    array([[0.5]], dtype=float32)
    >>> detops.boxes_iou3d(boxes[:1], boxes[1:], z_origin="bottom")
    array([[0.2]], dtype=float32)
    """
    return _native.boxes_iou3d(boxes_a, boxes_b, aligned, z_origin, out)


def boxes_iou3d_backward(
    grad: ArrayLike,
    boxes_a: ArrayLike,
    boxes_b: ArrayLike,
    *,
    aligned: bool = False,
    z_origin: ZOrigin = "center",
    out: tuple[ArrayLike | None, ArrayLike | None] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Gradients of :func:`boxes_iou3d` with respect to both lists of boxes.

    Parameters
    ----------
    grad : array (N, M), or (N,) if aligned
        Gradient of the forward result.
    boxes_a, boxes_b, aligned, z_origin
        As forward.
    out : tuple of two arrays, optional
        Where to write; None for what shall be new.

    Returns
    -------
    arrays (N, 7) and (M, 7)

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> boxes = np.array([[0, 0, 0, 2, 2, 2, 0], [0, 0, 1, 2, 2, 4, 0]], np.float32)
    >>> detops.boxes_iou3d_backward(np.ones((1, 1), np.float32), boxes[:1], boxes[1:])[0].round(3)
    array([[0.   , 0.   , 0.188, 0.062, 0.062, 0.156, 0.   ]], dtype=float32)
    """
    grad_a, grad_b = _native.boxes_iou3d_backward(grad, boxes_a, boxes_b, aligned, z_origin, out)
    return grad_a, grad_b


def points_in_boxes(
    points: ArrayLike, boxes: ArrayLike, *, out: ArrayLike | None = None
) -> IndexArray:
    """The first box that holds each point. Boxes are 1e-5 wider on each side along x and y.

    Parameters
    ----------
    points : array (B, M, 3)
        One with a NaN or Inf lies in no box.
    boxes : array (B, T, 7)
        (x, y, z, dx, dy, dz, heading in radians from x to y); z is the centre. One with dx <= 0,
        dy <= 0 or dz < 0 holds nothing.
    out : int32 array, optional
        Where to write.

    Returns
    -------
    int32 array (B, M)
        -1 where no box holds the point.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> boxes = np.array([[[9.0, 9, 0, 2, 2, 2, 0], [0, 0, 0, 2, 2, 2, 0]]])
    >>> detops.points_in_boxes(np.array([[[0.5, 0, -1], [0.5, 0, 1.1]]]), boxes)
    array([[ 1, -1]], dtype=int32)
    """
    return _native.points_in_boxes(points, boxes, out)
