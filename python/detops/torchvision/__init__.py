"""What detops offers of ``torchvision.ops``: boxes, and position-sensitive RoI pooling.

``detops.install("torchvision")`` lets ``torchvision.ops`` find it where torchvision is not
installed, and with ``replace=True`` also where it is. docs/dropins.md tells what differs.
"""

from __future__ import annotations

from .boxes import (
    batched_nms,
    box_area,
    box_convert,
    box_iou,
    clip_boxes_to_image,
    complete_box_iou,
    distance_box_iou,
    generalized_box_iou,
    masks_to_boxes,
    nms,
    remove_small_boxes,
)
from .ps_roi_pool import PSRoIPool, ps_roi_pool

__all__ = [
    "PSRoIPool",
    "batched_nms",
    "box_area",
    "box_convert",
    "box_iou",
    "clip_boxes_to_image",
    "complete_box_iou",
    "distance_box_iou",
    "generalized_box_iou",
    "masks_to_boxes",
    "nms",
    "ps_roi_pool",
    "remove_small_boxes",
]
