"""mmcv.ops.voxelize: points into voxels of a fixed size, hard or dynamic."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ..spconv._voxel_generators import count_cells
from ..torch import voxel_coordinates, voxelization as _hard
from ..torch._sentences import check_tensors, told_as

__all__ = ["Voxelization", "dynamic_voxelize", "hard_voxelize", "voxelization"]

Numbers = Sequence[float] | torch.Tensor
Voxels = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def _list(numbers: Numbers) -> list[float]:
    return numbers.tolist() if isinstance(numbers, torch.Tensor) else [float(n) for n in numbers]


def grid_of(voxel_size: Numbers, coors_range: Numbers) -> list[int]:
    """Voxels along x, y, z."""
    names = ("voxel_size", "coors_range")
    return count_cells(names, _list(voxel_size), _list(coors_range), "away from zero")


def hard_voxelize(
    points: torch.Tensor,
    voxel_size: Numbers,
    coors_range: Numbers,
    max_points: int,
    max_voxels: int,
) -> Voxels:
    """The first points of the first voxels: (V, T, F), (z, y, x) of each, and how many points.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv.voxelize import hard_voxelize
    >>> points = torch.tensor([[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [0.6, 0.6, 0.6]])
    >>> voxels, coors, counts = hard_voxelize(points, (1, 1, 1), (0, 0, 0, 2, 2, 1), 2, 10)
    >>> coors.tolist(), counts.tolist()
    ([[0, 0, 0], [0, 0, 1]], [2, 1])
    """
    check_tensors("hard_voxelize", points=points)
    sizes, span = _list(voxel_size), _list(coors_range)
    return tuple(told_as("hard_voxelize", {}, _hard, points, sizes, span, max_points, max_voxels))  # type: ignore[return-value]


def dynamic_voxelize(
    points: torch.Tensor, voxel_size: Numbers, coors_range: Numbers
) -> torch.Tensor:
    """(P, 3) int32: the voxel of each point, (z, y, x); -1 for points outside of the range.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv.voxelize import dynamic_voxelize
    >>> points = torch.tensor([[1.5, 0.5, 0.5], [0.5, -1.0, 0.5]])
    >>> dynamic_voxelize(points, (1, 1, 1), (0, 0, 0, 2, 2, 1)).tolist()
    [[0, 0, 1], [-1, -1, -1]]
    """
    check_tensors("dynamic_voxelize", points=points)
    sizes, span = _list(voxel_size), _list(coors_range)
    grid = grid_of(sizes, span)
    low = span[: len(grid)]
    return told_as("dynamic_voxelize", {}, voxel_coordinates, points, sizes, low, grid)


class _Voxelization:
    """The operator as mmcv's class: ``_Voxelization.apply``."""

    @staticmethod
    def apply(
        points: torch.Tensor,
        voxel_size: Numbers,
        coors_range: Numbers,
        max_points: int = 35,
        max_voxels: int = 20000,
        deterministic: bool = True,
    ) -> torch.Tensor | Voxels:
        return voxelization(points, voxel_size, coors_range, max_points, max_voxels, deterministic)


def voxelization(
    points: torch.Tensor,
    voxel_size: Numbers,
    coors_range: Numbers,
    max_points: int = 35,
    max_voxels: int = 20000,
    deterministic: bool = True,
) -> torch.Tensor | Voxels:
    """Points into voxels.

    Parameters
    ----------
    points : tensor (P, F)
        x, y, z and other numbers.
    voxel_size, coors_range : 3 and 6 numbers
        Along x, y, z; the lowest x, y, z, then the highest.
    max_points, max_voxels : int
        How many points of a voxel, and how many voxels, are kept. -1 for either: dynamic, all are.
    deterministic : bool
        Both are the same here: the first points of the first voxels.

    Returns
    -------
    tensor (P, 3) int32, or three tensors
        Dynamic: the voxel of each point, (z, y, x), -1 outside. Else the points of each voxel
        (V, max_points, F), its (z, y, x), and how many points it has.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv
    >>> points = torch.tensor([[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [0.6, 0.6, 0.6]])
    >>> detops.mmcv.voxelization(points, [1, 1, 1], [0, 0, 0, 2, 2, 1], -1).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 0, 0]]
    """
    if max_points == -1 or max_voxels == -1:
        return dynamic_voxelize(points, voxel_size, coors_range)
    return hard_voxelize(points, voxel_size, coors_range, max_points, max_voxels)


class Voxelization(torch.nn.Module):
    """Points into voxels, as a layer.

    Parameters
    ----------
    voxel_size, point_cloud_range : 3 and 6 numbers
        Along x, y, z; the lowest x, y, z, then the highest.
    max_num_points : int
        How many points of a voxel are kept; -1: dynamic.
    max_voxels : int, or two of them
        How many voxels are kept, while training and afterwards; -1: dynamic.
    deterministic : bool
        Both are the same here.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv
    >>> layer = detops.mmcv.Voxelization([1, 1, 1], [0, 0, 0, 2, 2, 1], 2, (10, 20))
    >>> layer.grid_size.tolist(), layer.pcd_shape
    ([2, 2, 1], [1, 2, 2])
    >>> voxels, coors, counts = layer(torch.tensor([[0.5, 0.5, 0.5, 7.0]]))
    >>> voxels.tolist()
    [[[0.5, 0.5, 0.5, 7.0], [0.0, 0.0, 0.0, 0.0]]]
    """

    def __init__(
        self,
        voxel_size: Sequence[float],
        point_cloud_range: Sequence[float],
        max_num_points: int,
        max_voxels: int | tuple[int, int] = 20000,
        deterministic: bool = True,
    ) -> None:
        super().__init__()
        self.voxel_size = voxel_size
        self.point_cloud_range = point_cloud_range
        self.max_num_points = max_num_points
        self.max_voxels = (
            tuple(max_voxels) if isinstance(max_voxels, Sequence) else (max_voxels, max_voxels)
        )
        self.deterministic = deterministic
        grid = grid_of(voxel_size, point_cloud_range)
        self.grid_size = torch.tensor(grid)
        self.pcd_shape = [1, *grid[1::-1]]

    def forward(self, input: torch.Tensor) -> torch.Tensor | Voxels:
        return voxelization(
            input,
            self.voxel_size,
            self.point_cloud_range,
            self.max_num_points,
            self.max_voxels[0] if self.training else self.max_voxels[1],
            self.deterministic,
        )

    def __repr__(self) -> str:
        names = ("voxel_size", "point_cloud_range", "max_num_points", "max_voxels", "deterministic")
        settings = ", ".join(f"{name}={getattr(self, name)}" for name in names)
        return f"{type(self).__name__}({settings})"
