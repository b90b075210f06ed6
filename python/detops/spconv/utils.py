"""Points to voxels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .. import torch as ops

__all__ = ["PointToVoxel", "gather_features_by_pc_voxel_id"]


class PointToVoxel:
    """Sorts point clouds into voxels, as a network's input.

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
        count = len(vsize_xyz)
        if len(coors_range_xyz) != 2 * count:
            raise ValueError(
                f"coors_range_xyz has {len(coors_range_xyz)} numbers, expected {2 * count}."
            )
        self.ndim = count
        self.vsize = [float(size) for size in vsize_xyz]
        self.range_min = [float(corner) for corner in coors_range_xyz[:count]]
        range_max = [float(corner) for corner in coors_range_xyz[count:]]
        self.grid_xyz = [
            int(torch.tensor((high - low) / size, dtype=torch.float32).round())
            for low, high, size in zip(self.range_min, range_max, self.vsize, strict=True)
        ]
        self.grid_size = self.grid_xyz[::-1]
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
            self.vsize,
            self.range_min,
            self.grid_xyz,
            self.max_num_points_per_voxel,
            self.max_num_voxels,
            means=empty_mean,
        )
        voxels, counts = made.voxels, made.num_points
        assert voxels is not None
        if made.means is not None:
            empty = torch.arange(voxels.shape[1]) >= counts[:, None]
            voxels = torch.where(empty[:, :, None], made.means[:, None], voxels)
        return voxels, made.coordinates, counts, made.point_voxel.long()


def gather_features_by_pc_voxel_id(
    seg_res_features: torch.Tensor, pc_voxel_id: torch.Tensor, invalid_value: float = 0
) -> torch.Tensor:
    """The features of each point's voxel; ``invalid_value`` for points without one."""
    made = seg_res_features.new_full(
        (pc_voxel_id.shape[0], seg_res_features.shape[1]), invalid_value
    )
    valid = pc_voxel_id >= 0
    made[valid] = seg_res_features[pc_voxel_id[valid].long()]
    return made
