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

from . import _installing, _settings
from ._installing import *
from ._native import version as _version
from ._operators import (
    _box_overlaps,
    _indice_pool,
    _nms,
    _point_to_voxel,
    _polygons,
    _psroipool,
    _roiaware_pool3d,
    _rotated_feature_align,
    _scatter_reduce,
    _sparse_convolution,
    _voxels,
)
from ._operators._box_overlaps import *
from ._operators._indice_pool import *
from ._operators._nms import *
from ._operators._point_to_voxel import *
from ._operators._polygons import *
from ._operators._psroipool import *
from ._operators._roiaware_pool3d import *
from ._operators._rotated_feature_align import *
from ._operators._scatter_reduce import *
from ._operators._sparse_convolution import *
from ._operators._voxels import *
from ._settings import *

__version__: str = _version()

__all__ = ["__version__"]
__all__ += _installing.__all__
__all__ += _box_overlaps.__all__
__all__ += _indice_pool.__all__
__all__ += _nms.__all__
__all__ += _point_to_voxel.__all__
__all__ += _polygons.__all__
__all__ += _psroipool.__all__
__all__ += _roiaware_pool3d.__all__
__all__ += _rotated_feature_align.__all__
__all__ += _scatter_reduce.__all__
__all__ += _sparse_convolution.__all__
__all__ += _voxels.__all__
__all__ += _settings.__all__
__all__.sort()
