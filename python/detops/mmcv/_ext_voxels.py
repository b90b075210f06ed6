"""Functions of mmcv's compiled module that make voxels of points.

mmcv's own Python, and that of mmdetection3d, calls them; most write into tensors of the caller.
"""

from __future__ import annotations

import torch

from .._types import Reduce
from ..torch import dynamic_point_to_voxel_backward as _backward
from .scatter_points import dynamic_point_to_voxel
from .voxelize import dynamic_voxelize, hard_voxelize

__all__ = [
    "dynamic_point_to_voxel_backward",
    "dynamic_point_to_voxel_forward",
    "dynamic_voxelize_forward",
    "hard_voxelize_forward",
]


def hard_voxelize_forward(
    points: torch.Tensor,
    voxel_size: torch.Tensor,
    coors_range: torch.Tensor,
    voxels: torch.Tensor,
    coors: torch.Tensor,
    num_points_per_voxel: torch.Tensor,
    voxel_num: torch.Tensor,
    max_points: int,
    max_voxels: int,
    NDim: int = 3,
    deterministic: bool = True,
) -> None:
    """The first ``max_points`` points of the first ``max_voxels`` voxels, coordinates (z, y, x)."""
    made = hard_voxelize(points, voxel_size, coors_range, max_points, max_voxels)
    count = len(made[0])
    for target, rows in zip((voxels, coors, num_points_per_voxel), made, strict=True):
        target[:count] = rows
    voxel_num.fill_(count)


def dynamic_voxelize_forward(
    points: torch.Tensor,
    voxel_size: torch.Tensor,
    coors_range: torch.Tensor,
    coors: torch.Tensor,
    NDim: int = 3,
) -> None:
    """(P, D): the voxel of each point, (z, y, x); -1 for points outside of the range."""
    coors.copy_(dynamic_voxelize(points, voxel_size, coors_range))


def dynamic_point_to_voxel_forward(
    feats: torch.Tensor, coors: torch.Tensor, reduce_type: Reduce
) -> tuple[torch.Tensor, ...]:
    """voxel_feats, voxel_coors, point2voxel_map, voxel_points_count."""
    return tuple(dynamic_point_to_voxel(feats, coors, reduce_type))


def dynamic_point_to_voxel_backward(
    grad_feats: torch.Tensor,
    grad_voxel_feats: torch.Tensor,
    feats: torch.Tensor,
    voxel_feats: torch.Tensor,
    point2voxel_map: torch.Tensor,
    voxel_points_count: torch.Tensor,
    reduce_type: Reduce,
) -> None:
    found = (feats, voxel_feats, point2voxel_map, voxel_points_count)
    grad_feats.copy_(_backward(grad_voxel_feats, *found, reduce_type))
