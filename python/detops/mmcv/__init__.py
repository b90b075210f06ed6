"""What detops offers of ``mmcv.ops``, on CPUs: the same names, arguments and defaults.

``detops.install("mmcv")`` lets ``from mmcv.ops import ...`` find it. docs/dropins.md tells what
differs from the originals.
"""

from __future__ import annotations

from .points_in_boxes import points_in_boxes_all, points_in_boxes_cpu, points_in_boxes_part
from .roiaware_pool3d import RoIAwarePool3d
from .rotated_feature_align import rotated_feature_align
from .sparse_conv import (
    SparseConv2d,
    SparseConv3d,
    SparseConvTranspose2d,
    SparseConvTranspose3d,
    SparseInverseConv2d,
    SparseInverseConv3d,
    SubMConv2d,
    SubMConv3d,
)
from .sparse_modules import SparseModule, SparseSequential
from .sparse_pool import SparseMaxPool2d, SparseMaxPool3d
from .sparse_structure import SparseConvTensor, scatter_nd

__all__ = [
    "RoIAwarePool3d",
    "SparseConv2d",
    "SparseConv3d",
    "SparseConvTensor",
    "SparseConvTranspose2d",
    "SparseConvTranspose3d",
    "SparseInverseConv2d",
    "SparseInverseConv3d",
    "SparseMaxPool2d",
    "SparseMaxPool3d",
    "SparseModule",
    "SparseSequential",
    "SubMConv2d",
    "SubMConv3d",
    "points_in_boxes_all",
    "points_in_boxes_cpu",
    "points_in_boxes_part",
    "rotated_feature_align",
    "scatter_nd",
]
