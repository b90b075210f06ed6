"""Operators for 3-D and rotated object detection on CPUs, on NumPy arrays and DLPack tensors.

Inputs are NumPy arrays or any object with ``__dlpack__`` in the memory of the CPU. They are used in
place, without a copy, unless they are not C-contiguous or their indices are int64: then they are
copied once. Results are new NumPy arrays, or what is passed as ``out``. The interpreter's lock is
released while an operator works.

Floating types are float16, float32, float64 and bfloat16, the same for all arguments of a call.
Wrong arguments raise ValueError or TypeError with a sentence that names the argument.
"""

from __future__ import annotations

try:
    from . import _native as _native
except ImportError as error:
    from ._where import why_not_loaded

    raise ImportError(why_not_loaded(error)) from error

from ._box_overlaps import (
    bbox_overlaps,
    box_iou_quadri,
    box_iou_rotated,
    box_iou_rotated_backward,
    boxes_iou3d,
    boxes_iou_bev,
    boxes_overlap_bev,
)
from ._install import install, uninstall
from ._indice_pool import indice_pool_backward, indice_pool_forward
from ._native import version as _version
from ._nms import SoftNms, batched_nms, nms, nms_match, nms_rotated, soft_nms
from ._point_to_voxel import PointVoxels, point_to_voxel
from ._polygons import convex_giou, convex_iou, min_area_polygons, points_in_polygons
from ._psroipool import psroipool_backward, psroipool_forward
from ._roiaware_pool3d import (
    CompactPool,
    RoiAwarePool,
    roiaware_pool3d_backward,
    roiaware_pool3d_compact_backward,
    roiaware_pool3d_compact_forward,
    roiaware_pool3d_forward,
)
from ._rotated_feature_align import (
    rotated_feature_align_backward,
    rotated_feature_align_forward,
)
from ._settings import (
    Config,
    config,
    get_num_threads,
    set_num_threads,
    show_config,
    threads,
    value_checks,
)
from ._sparse_convolution import (
    IndicePairs,
    get_indice_pairs,
    indice_convolution_backward_data,
    indice_convolution_backward_filter,
    indice_convolution_forward,
    indice_convolution_forward_fused,
)

__version__: str = _version()

__all__ = [
    "CompactPool",
    "Config",
    "IndicePairs",
    "PointVoxels",
    "RoiAwarePool",
    "SoftNms",
    "__version__",
    "batched_nms",
    "bbox_overlaps",
    "box_iou_quadri",
    "box_iou_rotated",
    "box_iou_rotated_backward",
    "boxes_iou3d",
    "boxes_iou_bev",
    "boxes_overlap_bev",
    "config",
    "convex_giou",
    "convex_iou",
    "get_indice_pairs",
    "get_num_threads",
    "indice_convolution_backward_data",
    "indice_convolution_backward_filter",
    "indice_convolution_forward",
    "indice_convolution_forward_fused",
    "indice_pool_backward",
    "indice_pool_forward",
    "install",
    "min_area_polygons",
    "nms",
    "nms_match",
    "nms_rotated",
    "point_to_voxel",
    "points_in_polygons",
    "psroipool_backward",
    "psroipool_forward",
    "roiaware_pool3d_backward",
    "roiaware_pool3d_compact_backward",
    "roiaware_pool3d_compact_forward",
    "roiaware_pool3d_forward",
    "rotated_feature_align_backward",
    "rotated_feature_align_forward",
    "set_num_threads",
    "show_config",
    "soft_nms",
    "threads",
    "uninstall",
    "value_checks",
]
