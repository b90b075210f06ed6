"""Points to voxels, and functions on boxes as arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch

from .. import torch as ops
from . import constants
from ._boxes import (
    non_max_suppression_cpu,
    rbbox_intersection,
    rbbox_iou,
    rbbox_iou_loss,
    rotate_non_max_suppression_cpu,
)
from ._families import Family
from ._voxel_generators import VoxelGenerator, VoxelGeneratorV2, count_cells, in_float
from .cppconstants import CPU_ONLY_BUILD

__all__ = [
    "CPU_ONLY_BUILD",
    "Point2VoxelCPU1d",
    "Point2VoxelCPU2d",
    "Point2VoxelCPU3d",
    "Point2VoxelCPU4d",
    "PointToVoxel",
    "VoxelGenerator",
    "VoxelGeneratorV2",
    "gather_features_by_pc_voxel_id",
    "non_max_suppression_cpu",
    "nullcontext",
    "rbbox_intersection",
    "rbbox_iou",
    "rbbox_iou_loss",
    "rotate_non_max_suppression_cpu",
]


class PointToVoxel:
    """Sorts point clouds into voxels, as a network's input, in ``constants.VOXEL_ORDER``.

    Parameters
    ----------
    vsize_xyz : size of a voxel along x, y, z
    coors_range_xyz : (x, y, z) of one corner, then of the other
    num_point_features : columns of the clouds
    max_num_voxels : more voxels are dropped, in the order of their first points
    max_num_points_per_voxel : more points of a voxel are dropped
    device : the CPU

    Examples
    --------
    >>> import torch
    >>> from detops import spconv
    >>> make = spconv.utils.PointToVoxel([1, 1, 1], [0, 0, 0, 4, 4, 4], 3, 100, 2)
    >>> voxels, indices, counts = make(torch.tensor([[0.5, 1, 2], [3, 3, 3], [0.1, 1.5, 2]]))
    >>> indices.tolist(), counts.tolist()  # (z, y, x)
    ([[2, 1, 0], [3, 3, 3]], [2, 1])
    """

    def __init__(
        self,
        vsize_xyz: Sequence[float],
        coors_range_xyz: Sequence[float],
        num_point_features: int,
        max_num_voxels: int,
        max_num_points_per_voxel: int,
        device: Any = None,
    ) -> None:
        if device is not None and torch.device(device).type != "cpu":
            raise ValueError(f"device is {device}, expected the CPU.")
        names = ("vsize_xyz", "coors_range_xyz")
        cells = count_cells(names, vsize_xyz, coors_range_xyz, half="away from zero")
        self.ndim = count = len(cells)
        self.device = torch.device("cpu")
        # Its numbers are of type float and, as coordinates, in the order (z, y, x).
        sizes, span = in_float(vsize_xyz), in_float(coors_range_xyz)
        self.vsize = sizes[::-1]
        self.coors_range = span[:count][::-1] + span[count:][::-1]
        self.grid_size = cells[::-1]
        self.grid_stride = [math.prod(self.grid_size[axis + 1 :]) for axis in range(count)]
        self._sizes_begins_cells = sizes, span[:count], cells
        self.num_point_features = num_point_features
        self.max_num_voxels = max_num_voxels
        self.max_num_points_per_voxel = max_num_points_per_voxel

    def __call__(
        self, pc: torch.Tensor, clear_voxels: bool = True, empty_mean: bool = False
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Voxels (V, T, F), indices (V, D) in the order (z, y, x), and points per voxel (V,).

        ``empty_mean`` fills the places behind a voxel's points with their mean instead of zeros.
        """
        return self.generate_voxel_with_id(pc, clear_voxels, empty_mean)[:3]

    def generate_voxel_with_id(
        self, pc: torch.Tensor, clear_voxels: bool = True, empty_mean: bool = False
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """As a call, and the voxel of each point (P,), -1 for those without one."""
        if pc.ndim != 2 or pc.shape[1] != self.num_point_features:
            raise ValueError(
                f"pc has shape {tuple(pc.shape)}, expected (P, {self.num_point_features})."
            )
        made = ops.point_to_voxel(
            pc,
            *self._sizes_begins_cells,
            self.max_num_points_per_voxel,
            self.max_num_voxels,
            order=constants.VOXEL_ORDER,
            means=empty_mean,
        )
        voxels, counts = made.voxels, made.num_points
        assert voxels is not None
        if made.means is not None:
            empty = torch.arange(voxels.shape[1]) >= counts[:, None]
            voxels = torch.where(empty[:, :, None], made.means[:, None], voxels)
        return voxels.float(), made.coordinates, counts, made.point_voxel.long()


class _Point2VoxelCPU(Family):
    """Sorts point clouds into voxels, as :class:`PointToVoxel`.

    Clouds are arrays of NumPy, tensors of torch, or those of cumm, which OpenPCDet makes of them.
    Results are tensors of torch: they have the ``numpy()`` that programs call.
    """

    _about = "Points"

    def __init__(
        self,
        vsize_xyz: Sequence[float],
        coors_range_xyz: Sequence[float],
        num_point_features: int,
        max_num_voxels: int,
        max_num_points_per_voxel: int,
    ) -> None:
        if len(vsize_xyz) != self._ndim:
            raise ValueError(f"vsize_xyz has {len(vsize_xyz)} numbers, expected {self._ndim}.")
        self._make = PointToVoxel(
            vsize_xyz, coors_range_xyz, num_point_features, max_num_voxels, max_num_points_per_voxel
        )

    @property
    def grid_size(self) -> list[int]:
        """Cells along (z, y, x)."""
        return self._make.grid_size

    def point_to_voxel(
        self, points: Any, clear_voxels: bool = True
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Voxels (V, T, F), indices (V, D) in the order (z, y, x), and points per voxel (V,)."""
        return self._make(_tensor_of(points), clear_voxels)

    def point_to_voxel_empty_mean(
        self, points: Any, clear_voxels: bool = True
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The same with the mean of a voxel's points in the places behind them."""
        return self._make(_tensor_of(points), clear_voxels, empty_mean=True)


def _tensor_of(points: Any) -> torch.Tensor:
    return torch.as_tensor(points.numpy_view() if hasattr(points, "numpy_view") else points)


class Point2VoxelCPU1d(_Point2VoxelCPU, ndim=1): ...
class Point2VoxelCPU2d(_Point2VoxelCPU, ndim=2): ...
class Point2VoxelCPU3d(_Point2VoxelCPU, ndim=3): ...
class Point2VoxelCPU4d(_Point2VoxelCPU, ndim=4): ...


def gather_features_by_pc_voxel_id(
    seg_res_features: torch.Tensor, pc_voxel_id: torch.Tensor, invalid_value: float = 0
) -> torch.Tensor:
    """Features (V, ...) or labels (V,) of each point's voxel; ``invalid_value`` for points without
    one."""
    shape = (pc_voxel_id.shape[0], *seg_res_features.shape[1:])
    made = seg_res_features.new_full(shape, invalid_value)
    valid = pc_voxel_id >= 0
    made[valid] = seg_res_features[pc_voxel_id[valid].long()]
    return made
