"""The operators of detops in PyTorch: autograd, torch.compile, torch.export and autocast.

Functions have the names and arguments of those on NumPy arrays; results are always new tensors. Each
is also an operator of the dispatcher, ``torch.ops.detops.<name>``, which C++ programs call too.

Floating types are float16, bfloat16, float32 and float64, the same for all arguments of a call; half
precision is summed in float. Tensors with gaps and indices of int64 are copied. As many threads work
as ``torch.get_num_threads()`` says, unless ``detops.threads`` says otherwise.
"""

from __future__ import annotations

from . import _library as _library  # First: it says what is missing.
from . import (
    _box_overlaps,
    _diff_iou_rotated,
    _get_indice_pairs,
    _indice_convolution,
    _indice_pool,
    _nms,
    _point_to_voxel,
    _polygons,
    _psroipool,
    _roiaware_pool3d,
    _rotated_feature_align,
    _scatter_reduce,
    _voxels,
)
from ._box_overlaps import *
from ._diff_iou_rotated import *
from ._get_indice_pairs import *
from ._indice_convolution import *
from ._indice_pool import *
from ._nms import *
from ._point_to_voxel import *
from ._polygons import *
from ._psroipool import *
from ._roiaware_pool3d import *
from ._rotated_feature_align import *
from ._scatter_reduce import *
from ._voxels import *

__all__: list[str] = []
__all__ += _box_overlaps.__all__
__all__ += _diff_iou_rotated.__all__
__all__ += _get_indice_pairs.__all__
__all__ += _indice_convolution.__all__
__all__ += _indice_pool.__all__
__all__ += _nms.__all__
__all__ += _point_to_voxel.__all__
__all__ += _polygons.__all__
__all__ += _psroipool.__all__
__all__ += _roiaware_pool3d.__all__
__all__ += _rotated_feature_align.__all__
__all__ += _scatter_reduce.__all__
__all__ += _voxels.__all__
__all__.sort()
