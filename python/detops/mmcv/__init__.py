"""What detops offers of ``mmcv.ops``, on CPUs: the same names, arguments and defaults.

``detops.install("mmcv")`` lets ``from mmcv.ops import ...`` find it. docs/dropins.md tells what
differs from the originals.
"""

from __future__ import annotations

from .bbox import bbox_overlaps
from .box_iou_quadri import box_iou_quadri
from .box_iou_rotated import box_iou_rotated
from .convex_iou import convex_giou, convex_iou
from .diff_iou_rotated import diff_iou_rotated_2d, diff_iou_rotated_3d
from .furthest_point_sample import furthest_point_sample, furthest_point_sample_with_dist
from .info import get_compiler_version, get_compiling_cuda_version
from .iou3d import (
    boxes_iou3d,
    boxes_iou_bev,
    boxes_overlap_bev,
    nms3d,
    nms3d_normal,
    nms_bev,
    nms_normal_bev,
)
from .min_area_polygons import min_area_polygons
from .nms import batched_nms, nms, nms_match, nms_quadri, nms_rotated, soft_nms
from .points_in_boxes import points_in_boxes_all, points_in_boxes_cpu, points_in_boxes_part
from .points_in_polygons import points_in_polygons
from .roiaware_pool3d import RoIAwarePool3d
from .rotated_feature_align import rotated_feature_align
from .scatter_points import DynamicScatter, dynamic_point_to_voxel, dynamic_scatter
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
from .voxelize import Voxelization, dynamic_voxelize, hard_voxelize, voxelization

__all__ = [
    "DynamicScatter",
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
    "Voxelization",
    "batched_nms",
    "bbox_overlaps",
    "box_iou_quadri",
    "box_iou_rotated",
    "boxes_iou3d",
    "boxes_iou_bev",
    "boxes_overlap_bev",
    "convex_giou",
    "convex_iou",
    "diff_iou_rotated_2d",
    "diff_iou_rotated_3d",
    "dynamic_point_to_voxel",
    "dynamic_scatter",
    "dynamic_voxelize",
    "furthest_point_sample",
    "furthest_point_sample_with_dist",
    "get_compiler_version",
    "get_compiling_cuda_version",
    "hard_voxelize",
    "min_area_polygons",
    "nms",
    "nms3d",
    "nms3d_normal",
    "nms_bev",
    "nms_match",
    "nms_normal_bev",
    "nms_quadri",
    "nms_rotated",
    "points_in_boxes_all",
    "points_in_boxes_cpu",
    "points_in_boxes_part",
    "points_in_polygons",
    "rotated_feature_align",
    "scatter_nd",
    "soft_nms",
    "voxelization",
]
