"""``pcdet.ops.iou3d_nms.iou3d_nms_utils``: overlaps of boxes in space, and suppression from above.

Boxes are (x, y, z, dx, dy, dz, heading); z is the centre, headings are radians from x to y.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .. import torch as ops
from ..torch._boxes_in_space import in_space, suppress
from ..torch._drop_ins import tensor_of
from . import iou3d_nms_cuda

__all__ = [
    "boxes_aligned_iou3d_gpu",
    "boxes_bev_iou_cpu",
    "boxes_iou3d_gpu",
    "boxes_iou_bev",
    "iou3d_nms_cuda",
    "nms_gpu",
    "nms_normal_gpu",
    "paired_boxes_iou3d_gpu",
]


def boxes_bev_iou_cpu(
    boxes_a: torch.Tensor | npt.NDArray[Any], boxes_b: torch.Tensor | npt.NDArray[Any]
) -> Any:
    """(N, M): IoU of boxes (N, 7) and (M, 7) from above; an array of NumPy if ``boxes_b`` is one.

    Examples
    --------
    >>> import numpy as np
    >>> from detops.openpcdet.iou3d_nms_utils import boxes_bev_iou_cpu
    >>> boxes = np.array([[0, 0, 0, 4, 2, 1, 0], [1, 0, 9, 4, 2, 1, 0]], np.float32)
    >>> boxes_bev_iou_cpu(boxes[:1], boxes)
    array([[1. , 0.6]], dtype=float32)
    """
    made = in_space("boxes_bev_iou_cpu", ops.boxes_iou_bev, tensor_of(boxes_a), tensor_of(boxes_b))
    return made.numpy() if isinstance(boxes_b, np.ndarray) else made


def boxes_iou_bev(boxes_a: torch.Tensor, boxes_b: torch.Tensor) -> torch.Tensor:
    """(N, M): IoU of boxes (N, 7) and (M, 7) from above.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.iou3d_nms_utils import boxes_iou_bev
    >>> boxes = torch.tensor([[0.0, 0, 0, 4, 2, 1, 0], [1, 0, 9, 4, 2, 1, 0]])
    >>> boxes_iou_bev(boxes[:1], boxes)
    tensor([[1.0000, 0.6000]])
    """
    return in_space("boxes_iou_bev", ops.boxes_iou_bev, boxes_a, boxes_b)


def boxes_iou3d_gpu(boxes_a: torch.Tensor, boxes_b: torch.Tensor) -> torch.Tensor:
    """(N, M): IoU of boxes (N, 7) and (M, 7) as bodies. On CPUs, in spite of the name.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.iou3d_nms_utils import boxes_iou3d_gpu
    >>> boxes = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0], [0, 0, 1, 2, 2, 4, 0]])
    >>> boxes_iou3d_gpu(boxes[:1], boxes)
    tensor([[1.0000, 0.5000]])
    """
    return in_space("boxes_iou3d_gpu", ops.boxes_iou3d, boxes_a, boxes_b)


def boxes_aligned_iou3d_gpu(boxes_a: torch.Tensor, boxes_b: torch.Tensor) -> torch.Tensor:
    """(N, 1): IoU of boxes (N, 7) and (N, 7) as bodies, row by row.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.iou3d_nms_utils import boxes_aligned_iou3d_gpu
    >>> boxes = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0], [0, 0, 1, 2, 2, 4, 0]])
    >>> boxes_aligned_iou3d_gpu(boxes, boxes.flip(0))
    tensor([[0.5000],
            [0.5000]])
    """
    return in_space("boxes_aligned_iou3d_gpu", ops.boxes_iou3d, boxes_a, boxes_b, aligned=True)[:, None]


def paired_boxes_iou3d_gpu(boxes_a: torch.Tensor, boxes_b: torch.Tensor) -> torch.Tensor:
    """(N,): as :func:`boxes_aligned_iou3d_gpu`.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.iou3d_nms_utils import paired_boxes_iou3d_gpu
    >>> boxes = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0], [0, 0, 1, 2, 2, 4, 0]])
    >>> paired_boxes_iou3d_gpu(boxes, boxes.flip(0))
    tensor([0.5000, 0.5000])
    """
    return in_space("paired_boxes_iou3d_gpu", ops.boxes_iou3d, boxes_a, boxes_b, aligned=True)


def nms_gpu(
    boxes: torch.Tensor,
    scores: torch.Tensor,
    thresh: float,
    pre_maxsize: int | None = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """Boxes that no better one overlaps by more than ``thresh``, seen from above.

    Parameters
    ----------
    boxes, scores : tensors (N, 7) and (N,)
    thresh : float
    pre_maxsize : int, optional
        Only so many boxes with the highest scores are looked at.
    **kwargs
        Not used, as in OpenPCDet: programs pass NMS_PRE_MAXSIZE, NMS_POST_MAXSIZE and post_max_size
        here, and cut before and after.

    Returns
    -------
    int64 tensor (K,) by descending score, and None

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.iou3d_nms_utils import nms_gpu
    >>> boxes = torch.tensor([[0.0, 0, 0, 4, 2, 1, 0], [1, 0, 9, 4, 2, 1, 0]])
    >>> nms_gpu(boxes, torch.tensor([0.8, 0.9]), 0.5)
    (tensor([1]), None)
    """
    return suppress("nms_gpu", boxes, scores, thresh, pre_max=pre_maxsize), None


def nms_normal_gpu(
    boxes: torch.Tensor, scores: torch.Tensor, thresh: float, **kwargs: Any
) -> tuple[torch.Tensor, None]:
    """:func:`nms_gpu` with 0 for all headings.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.iou3d_nms_utils import nms_normal_gpu
    >>> boxes = torch.tensor([[0.0, 0, 0, 4, 2, 1, 0], [1, 0, 9, 4, 2, 1, 1.57]])
    >>> nms_normal_gpu(boxes, torch.tensor([0.8, 0.9]), 0.5)
    (tensor([1]), None)
    """
    return suppress("nms_normal_gpu", boxes, scores, thresh, upright=True), None
