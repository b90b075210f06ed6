"""Switches of the original, and those that detops adds."""

from __future__ import annotations

import os
import re

import torch

from .._types import VoxelOrder

__all__ = [
    "ALL_WEIGHT_IS_KRSC",
    "COMPATIBLE_1X1",
    "FILTER_HWIO",
    "FOLD_IN_EVAL",
    "LENIENT_INDICE_KEYS",
    "PYTORCH_VERSION",
    "SAVED_WEIGHT_LAYOUT",
    "SPCONV_ALLOW_TF32",
    "SPCONV_USE_DIRECT_TABLE",
    "TORCH_HAS_AMP",
    "VOXEL_ORDER",
    "is_amp_enabled",
]

ALL_WEIGHT_IS_KRSC = True
FILTER_HWIO = False
"""These two say how weights lie in memory. They are for reading."""

PYTORCH_VERSION = [int(part) for part in re.findall(r"\d+", torch.__version__)[:3]]
TORCH_HAS_AMP = True

SPCONV_ALLOW_TF32 = False
"""Of GPUs; it has no effect."""

SPCONV_USE_DIRECT_TABLE = False
"""Networks set this to get sorted output rows. Here they are always sorted; it has no effect."""

SAVED_WEIGHT_LAYOUT = os.environ.get("SPCONV_SAVED_WEIGHT_LAYOUT", "")
"""How weights of checkpoints are stored: "KRSC", "RSCK", "RSKC", or "" to tell by their shape. A
shape that fits a layer as it is says that nothing is to be done."""

COMPATIBLE_1X1 = True
"""Kernels of one offset that multiply features by their weight (``conv1x1``: submanifold, or stride 1
and padding 0) use it, (K, 1, ..., 1, C), as if it were (C, K), as spconv 2 does, and inverse ones
stay at the sites of their input. False: they use it as (K, C), and inverse ones go back to the sites
of their key."""

LENIENT_INDICE_KEYS = False
"""True: a layer takes whatever pairs are stored under its indice_key, as spconv 1 and mmcv do. Where
there are fewer lists of pairs than offsets of the kernel, only the first offsets count; inverse
layers need as many."""

FOLD_IN_EVAL = True
"""Whether, in eval mode and where nobody wants gradients, a SparseSequential lets a convolution do the
work of the batch normalisation and the ReLU behind it, also in a residual block, with its sum.
Results agree up to rounding."""

VOXEL_ORDER: VoxelOrder = "first_point"
"""In which order PointToVoxel and the other voxel generators return voxels: "first_point", as the
original, or "ascending" by (z, y, x). These are the same voxels, and a network makes the same of each.
On ascending ones searches for pairs and layers of few channels take less time."""


def is_amp_enabled() -> bool:
    """Whether autocast is on, for the CPU."""
    return torch.is_autocast_enabled("cpu")
