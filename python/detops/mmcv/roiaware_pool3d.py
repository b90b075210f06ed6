"""RoI-aware 3-D pooling: ``mmcv.ops.roiaware_pool3d``."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from .._types import Pool
from ..torch._drop_ins import pool_points

__all__ = ["RoIAwarePool3d", "RoIAwarePool3dFunction"]

_POOLS: tuple[Pool, Pool] = ("max", "avg")


class RoIAwarePool3dFunction:
    """The operator as a function: ``RoIAwarePool3dFunction.apply``."""

    @staticmethod
    def apply(
        rois: torch.Tensor,
        pts: torch.Tensor,
        pts_feature: torch.Tensor,
        out_size: int | Sequence[int],
        max_pts_per_voxel: int,
        mode: int,
    ) -> torch.Tensor:
        """As :meth:`RoIAwarePool3d.forward`; ``mode`` is 0 for the maximum, 1 for the average."""
        if mode not in (0, 1):
            raise ValueError(
                f"RoIAwarePool3dFunction: mode is {mode}, expected 0 (max) or 1 (avg)."
            )
        return pool_points(
            rois,
            pts,
            pts_feature,
            out_size,
            max_pts_per_voxel,
            pool=_POOLS[mode],
            z_origin="bottom",
            xy_margin=0.0,
            name_of_max_pts="max_pts_per_voxel",
        )


class RoIAwarePool3d(torch.nn.Module):
    """Cut every box into voxels and pool the features of the points in each.

    Parameters
    ----------
    out_size : int or (X, Y, Z)
    max_pts_per_voxel : int
        A voxel keeps the first ``max_pts_per_voxel - 1`` points.
    mode : "max" or "avg"

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv
    >>> pool = detops.mmcv.RoIAwarePool3d((2, 1, 1), mode="avg")
    >>> rois = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0]])
    >>> pts, features = torch.tensor([[-0.5, 0, 1], [-0.2, 0, 1]]), torch.tensor([[3.0], [5.0]])
    >>> pool(rois, pts, features).ravel().tolist()
    [4.0, 0.0]
    """

    def __init__(
        self, out_size: int | Sequence[int], max_pts_per_voxel: int = 128, mode: Pool = "max"
    ) -> None:
        super().__init__()
        if mode not in _POOLS:
            raise ValueError(f"RoIAwarePool3d: mode is {mode!r}, expected 'max' or 'avg'.")
        self.out_size = out_size
        self.max_pts_per_voxel = max_pts_per_voxel
        self.mode = _POOLS.index(mode)

    def forward(
        self, rois: torch.Tensor, pts: torch.Tensor, pts_feature: torch.Tensor
    ) -> torch.Tensor:
        """Pool (P, C) features of (P, 3) points in (B, 7) boxes to (B, X, Y, Z, C).

        z of a box is its bottom. Differentiable with respect to ``pts_feature``.
        """
        return RoIAwarePool3dFunction.apply(
            rois, pts, pts_feature, self.out_size, self.max_pts_per_voxel, self.mode
        )
