"""Non-maximum suppression of boxes, quadrilaterals and boxes from above, hard and soft."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import _native
from .._types import ArrayLike, BoxFormat, FloatArray, SoftMethod, WideIndexArray

__all__ = ["SoftNms", "batched_nms", "nms", "nms_match", "nms_rotated", "poly_nms", "soft_nms"]


class SoftNms(NamedTuple):
    """Result of :func:`soft_nms`: K boxes in the order in which they are taken."""

    indices: WideIndexArray
    """(K,)"""
    new_scores: FloatArray
    """(K,): with what is left of their scores."""


def nms(
    boxes: ArrayLike,
    scores: ArrayLike | None,
    iou_threshold: float,
    *,
    labels: ArrayLike | None = None,
    box_format: BoxFormat = "xyxy",
    offset: float = 0.0,
    pre_max: int = 0,
    post_max: int = 0,
    out: ArrayLike | None = None,
) -> WideIndexArray:
    """Keep boxes in the order of their scores, unless one that is kept overlaps them too much.

    Parameters
    ----------
    boxes : array (N, 4), (N, 5), (N, 7) or (N, 8)
        As ``box_format`` says. Boxes without area are kept and suppress nothing.
    scores : array (N,), or None
        Of equal scores the lower index comes first. None: boxes are in their order already.
    iou_threshold : float
        A box falls if its IoU with a kept one is larger.
    labels : int array (N,), optional
        Only boxes with equal labels suppress each other; their coordinates stay as they are.
    box_format : "xyxy", "cxcywh", "cxcywha", "quad", "bev" or "bev_upright"
        (x1, y1, x2, y2); (centre, w, h); (centre, w, h, angle in radians from x to y); corners x1,
        y1, ..., x4, y4 in the order of the boundary; (x, y, z, dx, dy, dz, heading), seen from
        above, with its heading or with 0 for it.
    offset : float
        1 if corners are pixels that belong to the box: its width is x2 - x1 + 1. For "xyxy" only.
    pre_max, post_max : int
        At most so many boxes are looked at, and kept; 0 is no limit.
    out : int64 array, optional
        Where to write; the result are its first elements.

    Returns
    -------
    int64 array (K,)
        Indices of the boxes that are kept, by descending score.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> boxes = np.array([[0, 0, 10, 10], [3, 0, 13, 10], [6, 0, 16, 10]], np.float32)
    >>> scores = np.array([0.9, 0.8, 0.7], np.float32)
    >>> detops.nms(boxes, scores, 0.5)
    array([0, 2])
    >>> detops.nms(boxes, scores, 0.5, labels=np.array([0, 1, 0]))
    array([0, 1, 2])
    """
    words = (labels, box_format, offset, pre_max, post_max)
    return _native.nms(boxes, scores, iou_threshold, *words, out)


def batched_nms(
    boxes: ArrayLike, scores: ArrayLike, idxs: ArrayLike, iou_threshold: float
) -> WideIndexArray:
    """:func:`nms` of each class by itself: ``nms(boxes, scores, iou_threshold, labels=idxs)``.

    Parameters
    ----------
    boxes : array (N, 4)
        (x1, y1, x2, y2)
    scores : array (N,)
    idxs : int array (N,)
        The class of each box.
    iou_threshold : float
        A box falls if its IoU with a kept one of its class is larger.

    Returns
    -------
    int64 array (K,)
        Indices of the boxes that are kept, by descending score.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> boxes = np.array([[0.0, 0, 10, 10], [1, 0, 11, 10], [1, 0, 11, 10]])
    >>> detops.batched_nms(boxes, np.array([0.7, 0.8, 0.9]), np.array([0, 0, 1]), 0.5)
    array([2, 1])
    """
    return nms(boxes, scores, iou_threshold, labels=idxs)


def nms_rotated(
    boxes: ArrayLike,
    scores: ArrayLike,
    iou_threshold: float,
    labels: ArrayLike | None = None,
    clockwise: bool = True,
) -> WideIndexArray:
    """:func:`nms` of rotated boxes.

    Parameters
    ----------
    boxes : array (N, 5)
        (x, y, w, h, angle): centre, sides, and radians.
    scores : array (N,)
    iou_threshold : float
        A box falls if its IoU with a kept one is larger.
    labels : int array (N,), optional
        Only boxes with equal labels suppress each other.
    clockwise : bool
        Angles turn from x to y, which is clockwise where y points down; False: the other way.

    Returns
    -------
    int64 array (K,)
        Indices of the boxes that are kept, by descending score.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> boxes = np.array([[0.0, 0, 4, 2, 0], [0, 0, 4, 2, 0.1], [0, 0, 4, 2, 1.5]])
    >>> detops.nms_rotated(boxes, np.array([0.7, 0.8, 0.9]), 0.5)
    array([2, 1])
    """
    turned: ArrayLike = boxes
    if not clockwise:
        numbers = np.array(boxes)
        numbers[..., 4:5] *= -1
        turned = numbers
    return nms(turned, scores, iou_threshold, labels=labels, box_format="cxcywha")


def poly_nms(boxes: ArrayLike, iou_threshold: float) -> WideIndexArray:
    """:func:`nms` of quadrilaterals with their scores, with ascending indices (mluOpPolyNms).

    Parameters
    ----------
    boxes : array (N, 9)
        Corners x1, y1, ..., x4, y4 in the order of the boundary, and the score.
    iou_threshold : float
        A quadrilateral falls if its IoU with a kept one is larger.

    Returns
    -------
    int64 array (K,)
        Indices of those that are kept, ascending.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> boxes = np.array([[1, 0, 5, 0, 5, 4, 1, 4, 0.8], [0, 0, 4, 0, 4, 4, 0, 4, 0.9]])
    >>> detops.poly_nms(boxes, 0.5)
    array([1])
    """
    rows = np.asarray(boxes)
    if rows.ndim != 2 or rows.shape[1] != 9:
        raise ValueError(f"poly_nms: boxes has shape {list(rows.shape)}, expected (N, 9).")
    return np.sort(nms(rows[:, :8], rows[:, 8], iou_threshold, box_format="quad"))


def soft_nms(
    boxes: ArrayLike,
    scores: ArrayLike,
    iou_threshold: float = 0.3,
    sigma: float = 0.5,
    min_score: float = 0.001,
    *,
    method: SoftMethod = "linear",
    offset: float = 0.0,
    out: tuple[ArrayLike | None, ArrayLike | None] | None = None,
) -> SoftNms:
    """Take the box with the highest score and lower those of the boxes it overlaps, again and again.

    Parameters
    ----------
    boxes : array (N, 4)
        (x1, y1, x2, y2)
    scores : array (N,)
    iou_threshold : float
        An IoU of so much or more counts, for "naive" and "linear".
    sigma : float
        For "gaussian".
    min_score : float
        Boxes whose score falls below it are out.
    method : "naive", "linear" or "gaussian"
        Scores are multiplied with 0, with 1 - IoU, or with exp(-IoU^2 / sigma).
    offset : float
        1 if corners are pixels that belong to the box, else 0.
    out : tuple (indices, new_scores), optional
        Where to write; None for what shall be new. The results are their first elements.

    Returns
    -------
    SoftNms

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> boxes = np.array([[0, 0, 10, 10], [0, 0, 10, 12], [20, 0, 30, 10]], np.float32)
    >>> indices, scores = detops.soft_nms(boxes, np.array([0.9, 0.8, 0.7]))
    >>> indices, scores.round(4)
    (array([0, 2, 1]), array([0.9   , 0.7   , 0.1333]))
    """
    words = (iou_threshold, sigma, min_score, method, offset)
    return SoftNms._make(_native.soft_nms(boxes, scores, *words, out))


def nms_match(
    boxes: ArrayLike,
    scores: ArrayLike,
    iou_threshold: float,
    *,
    out: ArrayLike | None = None,
) -> WideIndexArray:
    """Put every box into the group of the box that suppresses it.

    Parameters
    ----------
    boxes : array (N, 4)
        (x1, y1, x2, y2)
    scores : array (N,)
    iou_threshold : float
        A box falls if its IoU with a kept one is so much or more.
    out : int64 array (N,), optional
        Where to write.

    Returns
    -------
    int64 array (N,)
        The kept box of each; of a kept box itself.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> boxes = np.array([[0, 0, 10, 10], [20, 0, 30, 10], [0, 0, 10, 20]], np.float32)
    >>> detops.nms_match(boxes, np.array([0.8, 0.7, 0.9]), 0.5)
    array([2, 1, 2])
    """
    return _native.nms_match(boxes, scores, iou_threshold, out)
