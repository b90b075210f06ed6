"""What detops offers of OpenPCDet's ``pcdet.ops``, on CPUs: the same names, arguments and defaults.

``detops.install("openpcdet")`` lets ``from pcdet.ops.roiaware_pool3d import roiaware_pool3d_utils``,
``from pcdet.ops.iou3d_nms import iou3d_nms_utils`` and the like find it. docs/dropins.md tells what
differs from the originals.
"""

from __future__ import annotations

from .iou3d_nms_utils import (
    boxes_aligned_iou3d_gpu,
    boxes_bev_iou_cpu,
    boxes_iou3d_gpu,
    boxes_iou_bev,
    nms_gpu,
    nms_normal_gpu,
    paired_boxes_iou3d_gpu,
)
from .roiaware_pool3d_utils import (
    RoIAwarePool3d,
    RoIAwarePool3dFunction,
    points_in_boxes_cpu,
    points_in_boxes_gpu,
)

__all__ = [
    "RoIAwarePool3d",
    "RoIAwarePool3dFunction",
    "boxes_aligned_iou3d_gpu",
    "boxes_bev_iou_cpu",
    "boxes_iou3d_gpu",
    "boxes_iou_bev",
    "nms_gpu",
    "nms_normal_gpu",
    "paired_boxes_iou3d_gpu",
    "points_in_boxes_cpu",
    "points_in_boxes_gpu",
]
