"""What detops offers of ``mmcv.ops``, on CPUs: the same names, arguments and defaults.

``detops.install("mmcv")`` lets ``from mmcv.ops import ...`` find it. docs/dropins.md tells what
differs from the originals.
"""

from __future__ import annotations

from .points_in_boxes import points_in_boxes_all, points_in_boxes_cpu, points_in_boxes_part
from .roiaware_pool3d import RoIAwarePool3d
from .rotated_feature_align import rotated_feature_align

__all__ = [
    "RoIAwarePool3d",
    "points_in_boxes_all",
    "points_in_boxes_cpu",
    "points_in_boxes_part",
    "rotated_feature_align",
]
