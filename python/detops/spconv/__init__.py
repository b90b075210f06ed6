"""The surface of ``spconv.pytorch`` on detops: sparse networks that train and run on CPUs.

``import detops.spconv as spconv`` instead of ``import spconv.pytorch as spconv``, or once
``detops.install("spconv")``. Names, arguments, defaults, state_dict keys and weight layouts are
those of spconv 2.3; docs/dropins.md lists the differences.
"""

from __future__ import annotations

from . import (
    constants,
    conv,
    core,
    cppconstants,
    functional,
    identity,
    modules,
    ops,
    pool,
    tables,
    tools,
    utils,
)
from ._fuse import fuse
from .conv import (
    Activation,
    AlgoHint,
    ConvAlgo,
    SparseConv1d,
    SparseConv2d,
    SparseConv3d,
    SparseConv4d,
    SparseConvolution,
    SparseConvTranspose1d,
    SparseConvTranspose2d,
    SparseConvTranspose3d,
    SparseConvTranspose4d,
    SparseInverseConv1d,
    SparseInverseConv2d,
    SparseInverseConv3d,
    SparseInverseConv4d,
    SubMConv1d,
    SubMConv2d,
    SubMConv3d,
    SubMConv4d,
)
from .core import SparseConvTensor, scatter_nd
from .modules import (
    RemoveGrid,
    SparseBatchNorm,
    SparseIdentity,
    SparseModule,
    SparseReLU,
    SparseSequential,
    SparseSyncBatchNorm,
    ToDense,
    assign_name_for_sparse_modules,
)
from .pool import (
    SparseAvgPool1d,
    SparseAvgPool2d,
    SparseAvgPool3d,
    SparseGlobalAvgPool,
    SparseGlobalMaxPool,
    SparseMaxPool1d,
    SparseMaxPool2d,
    SparseMaxPool3d,
    SparseMaxPool4d,
)
from .tables import AddTable, ConcatTable, Identity, JoinTable

__version__ = "2.3.8"
"""The version whose surface this is: networks read it."""

SPCONV_VERSION_NUMBERS = [2, 3, 8]

__all__ = [
    "SPCONV_VERSION_NUMBERS",
    "Activation",
    "AddTable",
    "AlgoHint",
    "ConcatTable",
    "ConvAlgo",
    "Identity",
    "JoinTable",
    "RemoveGrid",
    "SparseAvgPool1d",
    "SparseAvgPool2d",
    "SparseAvgPool3d",
    "SparseBatchNorm",
    "SparseConv1d",
    "SparseConv2d",
    "SparseConv3d",
    "SparseConv4d",
    "SparseConvTensor",
    "SparseConvTranspose1d",
    "SparseConvTranspose2d",
    "SparseConvTranspose3d",
    "SparseConvTranspose4d",
    "SparseConvolution",
    "SparseGlobalAvgPool",
    "SparseGlobalMaxPool",
    "SparseIdentity",
    "SparseInverseConv1d",
    "SparseInverseConv2d",
    "SparseInverseConv3d",
    "SparseInverseConv4d",
    "SparseMaxPool1d",
    "SparseMaxPool2d",
    "SparseMaxPool3d",
    "SparseMaxPool4d",
    "SparseModule",
    "SparseReLU",
    "SparseSequential",
    "SparseSyncBatchNorm",
    "SubMConv1d",
    "SubMConv2d",
    "SubMConv3d",
    "SubMConv4d",
    "ToDense",
    "assign_name_for_sparse_modules",
    "constants",
    "conv",
    "core",
    "cppconstants",
    "functional",
    "fuse",
    "identity",
    "modules",
    "ops",
    "pool",
    "scatter_nd",
    "tables",
    "tools",
    "utils",
]
