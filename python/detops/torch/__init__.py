"""The operators of detops in PyTorch: autograd, torch.compile, torch.export and autocast.

Functions have the names and arguments of those on NumPy arrays; results are always new tensors. Each
is also an operator of the dispatcher, ``torch.ops.detops.<name>``, which C++ programs call too.

Floating types are float16, bfloat16, float32 and float64, the same for all arguments of a call; half
precision is summed in float. Tensors with gaps and indices of int64 are copied. As many threads work
as ``torch.get_num_threads()`` says, unless ``detops.threads`` says otherwise.
"""

from __future__ import annotations

from . import _library as _library  # First: it says what is missing.
from ._get_indice_pairs import IndicePairs, get_indice_pairs
from ._indice_convolution import (
    indice_convolution_backward_data,
    indice_convolution_backward_filter,
    indice_convolution_forward,
    indice_convolution_forward_fused,
)
from ._indice_pool import indice_pool_backward, indice_pool_forward
from ._point_to_voxel import PointVoxels, point_to_voxel
from ._psroipool import psroipool_backward, psroipool_forward
from ._roiaware_pool3d import (
    CompactPool,
    RoiAwarePool,
    roiaware_pool3d_backward,
    roiaware_pool3d_compact_backward,
    roiaware_pool3d_compact_forward,
    roiaware_pool3d_forward,
)
from ._rotated_feature_align import rotated_feature_align_backward, rotated_feature_align_forward

__all__ = [
    "CompactPool",
    "IndicePairs",
    "PointVoxels",
    "RoiAwarePool",
    "get_indice_pairs",
    "indice_convolution_backward_data",
    "indice_convolution_backward_filter",
    "indice_convolution_forward",
    "indice_convolution_forward_fused",
    "indice_pool_backward",
    "indice_pool_forward",
    "point_to_voxel",
    "psroipool_backward",
    "psroipool_forward",
    "roiaware_pool3d_backward",
    "roiaware_pool3d_compact_backward",
    "roiaware_pool3d_compact_forward",
    "roiaware_pool3d_forward",
    "rotated_feature_align_backward",
    "rotated_feature_align_forward",
]
