"""Functions of OpenPCDet's compiled module ``pcdet.ops.iou3d_nms.iou3d_nms_cuda``, on CPUs.

They write into tensors that the caller has made, and return 1; suppression returns how many boxes
are kept of those that are sorted by their scores.
"""

from __future__ import annotations

import torch

from .. import torch as ops
from ..torch._boxes_in_space import in_space, suppress

__all__ = [
    "boxes_aligned_iou_bev_cpu",
    "boxes_aligned_overlap_bev_gpu",
    "boxes_iou_bev_cpu",
    "boxes_iou_bev_gpu",
    "boxes_overlap_bev_gpu",
    "nms_gpu",
    "nms_normal_gpu",
    "paired_boxes_overlap_bev_gpu",
]


def boxes_overlap_bev_gpu(
    boxes_a: torch.Tensor, boxes_b: torch.Tensor, ans_overlap: torch.Tensor
) -> int:
    """(N, M): the areas that boxes share, seen from above."""
    ans_overlap.copy_(in_space("boxes_overlap_bev_gpu", ops.boxes_overlap_bev, boxes_a, boxes_b))
    return 1


def boxes_aligned_overlap_bev_gpu(
    boxes_a: torch.Tensor, boxes_b: torch.Tensor, ans_overlap: torch.Tensor
) -> int:
    """(N, 1): the same row by row."""
    made = in_space("boxes_aligned_overlap_bev_gpu", ops.boxes_overlap_bev, boxes_a, boxes_b, aligned=True)
    ans_overlap.copy_(made.reshape(ans_overlap.shape))
    return 1


paired_boxes_overlap_bev_gpu = boxes_aligned_overlap_bev_gpu


def boxes_iou_bev_cpu(boxes_a: torch.Tensor, boxes_b: torch.Tensor, ans_iou: torch.Tensor) -> int:
    """(N, M): IoU, seen from above."""
    ans_iou.copy_(in_space("boxes_iou_bev", ops.boxes_iou_bev, boxes_a, boxes_b))
    return 1


boxes_iou_bev_gpu = boxes_iou_bev_cpu


def boxes_aligned_iou_bev_cpu(
    boxes_a: torch.Tensor, boxes_b: torch.Tensor, ans_iou: torch.Tensor
) -> int:
    """(N, 1): the same row by row."""
    made = in_space("boxes_aligned_iou_bev_cpu", ops.boxes_iou_bev, boxes_a, boxes_b, aligned=True)
    ans_iou.copy_(made.reshape(ans_iou.shape))
    return 1


def nms_gpu(boxes: torch.Tensor, keep: torch.Tensor, nms_overlap_thresh: float) -> int:
    """Into ``keep`` (N,) the places of the kept ones of boxes that are in the order of their scores."""
    made = suppress("nms_gpu", boxes, None, nms_overlap_thresh)
    keep[: len(made)] = made
    return len(made)


def nms_normal_gpu(boxes: torch.Tensor, keep: torch.Tensor, nms_overlap_thresh: float) -> int:
    """The same with 0 for all headings."""
    made = suppress("nms_normal_gpu", boxes, None, nms_overlap_thresh, upright=True)
    keep[: len(made)] = made
    return len(made)
