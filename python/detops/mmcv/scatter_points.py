"""mmcv.ops.scatter_points: one row for all points of a voxel."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch

from .._types import Reduce
from ..torch import DynamicVoxels, dynamic_point_to_voxel_forward
from ..torch._sentences import check_tensors, told_as

__all__ = ["DynamicScatter", "dynamic_point_to_voxel", "dynamic_scatter"]

Columns = Callable[[torch.Tensor], torch.Tensor]


def _in_three_columns(coors: torch.Tensor) -> tuple[torch.Tensor, Columns]:
    """Coordinates of any number of columns as three that ascend alike, and the way back."""
    count = coors.shape[1]
    if count <= 3:
        wide = torch.nn.functional.pad(coors, (3 - count, 0))
        return wide, lambda made: made[:, 3 - count :]
    leading = coors[:, : count - 2].long()
    has_voxel = (coors >= 0).all(1)
    inside = leading[has_voxel]
    sizes = (inside.amax(0) + 1).tolist() if len(inside) else [1] * (count - 2)
    if math.prod(sizes) < 2**31:
        number = leading[:, 0]
        for column, size in zip(leading.T[1:], sizes[1:], strict=True):
            number = number * size + column

        def split(made: torch.Tensor) -> torch.Tensor:
            rest, columns = made[:, 0], [made[:, 1], made[:, 2]]
            for size in sizes[:0:-1]:
                columns.insert(0, rest % size)
                rest = rest // size
            return torch.stack([rest, *columns], 1)

    else:
        table, rank = torch.unique(inside, dim=0, return_inverse=True)
        number = torch.full_like(leading[:, 0], -1)
        number[has_voxel] = rank

        def split(made: torch.Tensor) -> torch.Tensor:
            return torch.cat([table[made[:, 0].long()].to(made.dtype), made[:, 1:]], 1)

    # A negative number anywhere means no voxel, and must not hide in a sum of others.
    number = torch.where(has_voxel, number, -1).to(coors.dtype)
    return torch.cat([number[:, None], coors[:, count - 2 :]], 1), split


def dynamic_point_to_voxel(
    feats: torch.Tensor, coors: torch.Tensor, reduce_type: Reduce = "max"
) -> DynamicVoxels:
    """Reduce the points of each voxel to one row.

    Parameters
    ----------
    feats : tensor (P, C)
    coors : int tensor (P, D)
        The voxel of each point, of any number of columns; negative numbers mean none.
    reduce_type : "max", "mean" or "sum"

    Returns
    -------
    DynamicVoxels
        voxel_feats, voxel_coors (ascending), point2voxel_map, voxel_points_count.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv.scatter_points import dynamic_point_to_voxel
    >>> feats, coors = torch.tensor([[1.0], [5.0], [2.0]]), torch.tensor([[1], [0], [1]])
    >>> made = dynamic_point_to_voxel(feats, coors)
    >>> made.voxel_feats.tolist(), made.voxel_coors.tolist(), made.point2voxel_map.tolist()
    ([[5.0], [2.0]], [[0], [1]], [1, 0, 1])
    """
    caller = "dynamic_point_to_voxel"
    check_tensors(caller, feats=feats, coors=coors)
    if coors.ndim != 2 or coors.shape[1] == 0:
        raise ValueError(f"{caller}: coors has shape {tuple(coors.shape)}, expected (P, D).")
    three, back = _in_three_columns(coors)
    words = {"reduce": "reduce_type"}
    made = told_as(caller, words, dynamic_point_to_voxel_forward, feats, three, reduce_type)
    return made._replace(voxel_coors=back(made.voxel_coors).to(coors.dtype))


class _DynamicScatter:
    """The operator as mmcv's class: ``_DynamicScatter.apply``."""

    @staticmethod
    def apply(
        feats: torch.Tensor, coors: torch.Tensor, reduce_type: Reduce = "max"
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return dynamic_scatter(feats, coors, reduce_type)


def dynamic_scatter(
    feats: torch.Tensor, coors: torch.Tensor, reduce_type: Reduce = "max"
) -> tuple[torch.Tensor, torch.Tensor]:
    """Reduce the points of each voxel to one row; differentiable with respect to ``feats``.

    Parameters
    ----------
    feats : tensor (P, C)
    coors : int tensor (P, D)
        The voxel of each point; one with a negative number belongs to none.
    reduce_type : "max", "mean" or "sum"

    Returns
    -------
    tensors (V, C) and (V, D)
        The rows, and their voxels, ascending.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv
    >>> feats = torch.tensor([[1.0], [3.0], [8.0]])
    >>> coors = torch.tensor([[0, 0, 1], [0, 0, 1], [-1, 0, 0]])
    >>> detops.mmcv.dynamic_scatter(feats, coors, "mean")
    (tensor([[2.]]), tensor([[0, 0, 1]]))
    """
    made = told_as("dynamic_scatter", {}, dynamic_point_to_voxel, feats, coors, reduce_type)
    return made.voxel_feats, made.voxel_coors


class DynamicScatter(torch.nn.Module):
    """One row for all points of a voxel, as a layer.

    Parameters
    ----------
    voxel_size, point_cloud_range : 3 and 6 numbers
        Kept, and not looked at.
    average_points : bool
        The mean of the points, or their maximum.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv
    >>> layer = detops.mmcv.DynamicScatter([1, 1, 1], [0, 0, 0, 4, 4, 1], average_points=True)
    >>> feats = torch.tensor([[1.0], [3.0], [8.0]])
    >>> coors = torch.tensor([[0, 0, 1, 2], [0, 0, 1, 2], [1, 0, 1, 2]])  # batch, z, y, x
    >>> layer(feats, coors)
    (tensor([[2.],
            [8.]]), tensor([[0, 0, 1, 2],
            [1, 0, 1, 2]]))
    """

    def __init__(
        self,
        voxel_size: Sequence[float],
        point_cloud_range: Sequence[float],
        average_points: bool,
    ) -> None:
        super().__init__()
        self.voxel_size = voxel_size
        self.point_cloud_range = point_cloud_range
        self.average_points = average_points

    def forward_single(
        self, points: torch.Tensor, coors: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return dynamic_scatter(points, coors, "mean" if self.average_points else "max")

    def forward(
        self, points: torch.Tensor, coors: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """``coors`` has the columns (z, y, x), or the number of a cloud before them."""
        return self.forward_single(points, coors)

    def __repr__(self) -> str:
        names = ("voxel_size", "point_cloud_range", "average_points")
        settings = ", ".join(f"{name}={getattr(self, name)}" for name in names)
        return f"{type(self).__name__}({settings})"
