"""What detops offers of OpenPCDet's ``pcdet.ops``, on CPUs: the same names, arguments and defaults.

``detops.install("openpcdet")`` lets ``from pcdet.ops.roiaware_pool3d import roiaware_pool3d_utils``
and the like find it. docs/dropins.md tells what differs from the originals.
"""

from __future__ import annotations

from .roiaware_pool3d_utils import (
    RoIAwarePool3d,
    RoIAwarePool3dFunction,
    points_in_boxes_cpu,
    points_in_boxes_gpu,
)

__all__ = [
    "RoIAwarePool3d",
    "RoIAwarePool3dFunction",
    "points_in_boxes_cpu",
    "points_in_boxes_gpu",
]
