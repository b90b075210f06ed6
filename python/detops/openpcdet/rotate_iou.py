"""Overlaps that OpenPCDet's average precision of KITTI and ONCE asks for, and has for GPUs only."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .. import torch as ops

__all__ = ["rotate_iou_gpu_eval"]


def rotate_iou_gpu_eval(
    boxes: npt.NDArray[Any], query_boxes: npt.NDArray[Any], criterion: int = -1, device_id: int = 0
) -> npt.NDArray[Any]:
    """(N, K) overlaps of boxes (N, 5) and (K, 5), in the type of ``boxes``.

    Parameters
    ----------
    boxes, query_boxes : arrays
        (x, y, width, height, angle in radians, clockwise where y points up).
    criterion : int
        -1: IoU. 0: by the area of the query box. 1: by the area of the box. Else: the shared area.
    device_id : int
        Not used.

    Examples
    --------
    >>> import numpy as np
    >>> from detops.openpcdet.rotate_iou import rotate_iou_gpu_eval
    >>> box = np.array([[0.0, 0, 4, 2, 0]], np.float32)
    >>> rotate_iou_gpu_eval(box, box + [[2, 0, 0, 0, 0]])
    array([[0.33333334]], dtype=float32)
    """
    for name, array in (("boxes", boxes), ("query_boxes", query_boxes)):
        if array.ndim != 2 or array.shape[1] != 5:
            raise ValueError(f"rotate_iou_gpu_eval: {name} has shape {list(array.shape)}, expected (., 5).")
    ours, queries = (_in_space(array) for array in (boxes, query_boxes))
    shared: npt.NDArray[Any] = ops.boxes_overlap_bev(ours, queries).numpy()
    if criterion not in (-1, 0, 1):
        return shared.astype(boxes.dtype)
    of_boxes, of_queries = ((each[:, 3] * each[:, 4]).numpy() for each in (ours, queries))
    by = {
        -1: of_boxes[:, None] + of_queries - shared,
        0: np.broadcast_to(of_queries, shared.shape),
        1: np.broadcast_to(of_boxes[:, None], shared.shape),
    }[criterion]
    made: npt.NDArray[Any] = np.divide(shared, by, out=np.zeros_like(shared), where=shared > 0)
    return made.astype(boxes.dtype)


def _in_space(array: npt.NDArray[Any]) -> torch.Tensor:
    """(N, 7), one high and turned the other way round."""
    flat = torch.from_numpy(np.ascontiguousarray(array, np.float32))
    made = torch.zeros((len(flat), 7))
    made[:, [0, 1, 3, 4]], made[:, 5], made[:, 6] = flat[:, :4], 1.0, -flat[:, 4]
    return made
