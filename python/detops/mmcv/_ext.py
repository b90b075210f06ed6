"""Functions of mmcv's compiled module that detops has, with their names and arguments.

mmcv's own Python calls them where mmcv was installed without that module. Most write their results
into tensors that the caller has made.
"""

from __future__ import annotations

import torch

from .._types import Pool
from ..torch import (
    roiaware_pool3d_backward as _pool_backward,
    roiaware_pool3d_forward as _pool_forward,
    rotated_feature_align_backward as _align_backward,
)
from ..torch._drop_ins import find_all_boxes, find_first_box, in_one_type
from . import _ext_boxes, _ext_voxels, _plain, info
from ._ext_boxes import *
from ._ext_voxels import *
from ._plain import *
from .info import *
from .rotated_feature_align import rotated_feature_align
from .sparse_ops import (
    find_pairs,
    fused_indice_conv,
    indice_conv,
    indice_conv_backward as _convolution_backward,
    indice_maxpool,
    indice_maxpool_backward as _maxpool_backward,
)

__all__ = [
    "fused_indice_conv_forward",
    "get_indice_pairs_2d_backward",
    "get_indice_pairs_2d_forward",
    "get_indice_pairs_3d_backward",
    "get_indice_pairs_3d_forward",
    "get_indice_pairs_4d_forward",
    "indice_conv_backward",
    "indice_conv_forward",
    "indice_maxpool_backward",
    "indice_maxpool_forward",
    "points_in_boxes_all_forward",
    "points_in_boxes_cpu_forward",
    "points_in_boxes_part_forward",
    "roiaware_pool3d_backward",
    "roiaware_pool3d_forward",
    "rotated_feature_align_backward",
    "rotated_feature_align_forward",
]
__all__ += _ext_boxes.__all__ + _ext_voxels.__all__ + _plain.__all__ + info.__all__

_POOLS: tuple[Pool, Pool] = ("max", "avg")

# ---- sparse convolution --------------------------------------------------------------------------


def get_indice_pairs_2d_forward(
    indices: torch.Tensor,
    batchSize: int,
    outSpatialShape: list[int],
    spatialShape: list[int],
    kernelSize: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    outPadding: list[int],
    _subM: int,
    _transpose: int,
) -> list[torch.Tensor]:
    """[outids, indice_pairs, indice_pair_num], for any number of dimensions."""
    return find_pairs(
        indices,
        batchSize,
        spatialShape,
        outSpatialShape,
        kernelSize,
        stride,
        padding,
        dilation,
        outPadding,
        subm=bool(_subM),
        transpose=bool(_transpose),
    )


def get_indice_pairs_2d_backward(
    indices: torch.Tensor, gridOut: torch.Tensor, *arguments: object, **named: object
) -> list[torch.Tensor]:
    """The same with a table of the whole space, which is not needed here."""
    return get_indice_pairs_2d_forward(indices, *arguments, **named)  # type: ignore[arg-type]


get_indice_pairs_3d_forward = get_indice_pairs_4d_forward = get_indice_pairs_2d_forward
get_indice_pairs_3d_backward = get_indice_pairs_2d_backward


def indice_conv_forward(
    features: torch.Tensor,
    filters: torch.Tensor,
    indicePairs: torch.Tensor,
    indiceNum: torch.Tensor,
    numActOut: int,
    _inverse: int,
    _subM: int,
) -> torch.Tensor:
    return indice_conv(features, filters, indicePairs, indiceNum, numActOut, bool(_inverse))


def fused_indice_conv_forward(
    features: torch.Tensor,
    filters: torch.Tensor,
    bias: torch.Tensor,
    indicePairs: torch.Tensor,
    indiceNum: torch.Tensor,
    numActOut: int,
    _inverse: int,
    _subM: int,
) -> torch.Tensor:
    return fused_indice_conv(
        features, filters, bias, indicePairs, indiceNum, numActOut, bool(_inverse), bool(_subM)
    )


def indice_conv_backward(
    features: torch.Tensor,
    filters: torch.Tensor,
    outGrad: torch.Tensor,
    indicePairs: torch.Tensor,
    indiceNum: torch.Tensor,
    _inverse: int,
    _subM: int,
) -> list[torch.Tensor]:
    return _convolution_backward(
        features, filters, outGrad, indicePairs, indiceNum, bool(_inverse)
    )


def indice_maxpool_forward(
    features: torch.Tensor, indicePairs: torch.Tensor, indiceNum: torch.Tensor, numAct: int
) -> torch.Tensor:
    return indice_maxpool(features, indicePairs, indiceNum, numAct)


def indice_maxpool_backward(
    features: torch.Tensor,
    outFeatures: torch.Tensor,
    outGrad: torch.Tensor,
    indicePairs: torch.Tensor,
    indiceNum: torch.Tensor,
) -> torch.Tensor:
    return _maxpool_backward(features, outFeatures, outGrad, indicePairs, indiceNum)


# ---- points in boxes -----------------------------------------------------------------------------


def points_in_boxes_part_forward(
    boxes_tensor: torch.Tensor, pts_tensor: torch.Tensor, box_idx_of_points_tensor: torch.Tensor
) -> None:
    """(B, M): the first box of each point, -1 if there is none."""
    box_idx_of_points_tensor.copy_(find_first_box(pts_tensor, boxes_tensor))


def points_in_boxes_all_forward(
    boxes_tensor: torch.Tensor, pts_tensor: torch.Tensor, box_idx_of_points_tensor: torch.Tensor
) -> None:
    """(B, M, T): whether box t holds point m."""
    batches = zip(pts_tensor, boxes_tensor, box_idx_of_points_tensor, strict=True)
    for points, boxes, found in batches:
        find_all_boxes(points, boxes, found.T)


def points_in_boxes_cpu_forward(
    boxes_tensor: torch.Tensor, pts_tensor: torch.Tensor, pts_indices_tensor: torch.Tensor
) -> None:
    """(T, M): whether box t holds point m."""
    find_all_boxes(pts_tensor, boxes_tensor, pts_indices_tensor)


# ---- pooling and aligning ------------------------------------------------------------------------


def roiaware_pool3d_forward(
    rois: torch.Tensor,
    pts: torch.Tensor,
    pts_feature: torch.Tensor,
    argmax: torch.Tensor,
    pts_idx_of_voxels: torch.Tensor,
    pooled_features: torch.Tensor,
    pool_method: int,
) -> None:
    _, x, y, z, room = pts_idx_of_voxels.shape
    boxes, points, features = in_one_type(rois, pts, pts_feature)
    made = _pool_forward(boxes, points, features, (x, y, z), room, pool=_POOLS[pool_method])
    pooled_features.copy_(made.pooled_features)
    pts_idx_of_voxels.copy_(made.pts_idx_of_voxels)
    if made.argmax is not None:
        argmax.copy_(made.argmax)


def roiaware_pool3d_backward(
    pts_idx_of_voxels: torch.Tensor,
    argmax: torch.Tensor,
    grad_out: torch.Tensor,
    grad_in: torch.Tensor,
    pool_method: int,
) -> None:
    rows, pool = grad_in.shape[0], _POOLS[pool_method]
    grad_in.copy_(_pool_backward(grad_out, argmax, pts_idx_of_voxels, rows, pool=pool))


def rotated_feature_align_forward(
    features: torch.Tensor,
    best_bboxes: torch.Tensor,
    output: torch.Tensor,
    spatial_scale: float,
    points: int,
) -> None:
    output.copy_(rotated_feature_align(features, best_bboxes, spatial_scale, points))


def rotated_feature_align_backward(
    top_grad: torch.Tensor,
    best_bboxes: torch.Tensor,
    bottom_grad: torch.Tensor,
    spatial_scale: float,
    points: int,
) -> None:
    batch, _, height, width = top_grad.shape
    gradient, boxes = in_one_type(
        top_grad.permute(0, 2, 3, 1), best_bboxes.reshape(batch, height, width, 5)
    )
    made = _align_backward(gradient, boxes, spatial_scale, points)
    bottom_grad.copy_(made.permute(0, 3, 1, 2))
