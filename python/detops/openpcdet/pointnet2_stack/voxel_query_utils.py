"""``pointnet2_stack.voxel_query_utils``: points of neighbouring voxels.

In plain torch: no operator of detops is behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from .._checks import check_counts, check_indices, check_shapes
from .._neighbours import first_of_each_row, squared_distance
from .pointnet2_utils import grouping_operation

__all__ = ["VoxelQuery", "VoxelQueryAndGrouping", "voxel_query"]

# Of centres times cells, the elements that are looked at together.
_BLOCK = 1 << 20


@torch.no_grad()
def voxel_query(
    max_range: Sequence[int],
    radius: float,
    nsample: int,
    xyz: torch.Tensor,
    new_xyz: torch.Tensor,
    new_coords: torch.Tensor,
    point_indices: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """int32 (M, nsample) and bool (M,): the first points, cell by cell, that are not further than the
    radius from a centre, in cells not further than ``max_range`` (z, y, x) from its own; and whether
    there are none (then 0).

    Parameters
    ----------
    xyz, new_xyz : tensors (N, 3) and (M, 3)
    new_coords : integer tensor (M, 4)
        (cloud, z, y, x) of each centre's cell, which may be outside of the grid.
    point_indices : integer tensor (B, Z, Y, X)
        The row of ``xyz`` that is in a cell, negative where there is none.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.pointnet2_stack.voxel_query_utils import voxel_query
    >>> points = torch.tensor([[0.5, 0, 0], [2.5, 0, 0], [3.5, 0, 0]])
    >>> cells, here = torch.tensor([[[[0, -1, 1, 2]]]]), torch.tensor([[0, 0, 0, 2]])
    >>> voxel_query((0, 0, 1), 1.0, 3, points, points[1:2], here, cells)[0]
    tensor([[1, 2, 1]], dtype=torch.int32)
    """
    caller = "voxel_query"
    words = {"xyz": (xyz, "N 3"), "new_xyz": (new_xyz, "M 3"), "new_coords": (new_coords, "M 4")}
    check_shapes(caller, {}, **words, point_indices=(point_indices, "B Z Y X"))
    check_indices(caller, "new_coords", new_coords[:, :1], len(point_indices))
    check_indices(caller, "point_indices", point_indices.clamp(min=0), max(1, len(xyz)))
    axes = [torch.arange(-reach, reach + 1) for reach in max_range]
    steps = torch.cartesian_prod(torch.zeros(1, dtype=torch.int64), *axes)
    grid = torch.tensor(point_indices.shape)
    strides = torch.tensor(point_indices.contiguous().stride())
    xyz, new_xyz = (points if points.dtype == torch.float64 else points.float() for points in (xyz, new_xyz))
    limit = torch.tensor(radius, dtype=xyz.dtype).square()
    flat, found = point_indices.flatten().long(), [torch.empty((0, nsample), dtype=torch.int64)]
    height = max(1, _BLOCK // len(steps))
    for coords, centres in zip(torch.split(new_coords.long(), height), torch.split(new_xyz, height), strict=True):
        cells = coords[:, None] + steps
        inside = ((cells >= 0) & (cells < grid)).all(-1)
        rows = torch.where(inside, flat[(cells * strides).sum(-1).where(inside, 0)], -1)
        (at, step) = (rows >= 0).nonzero(as_tuple=True)
        near = squared_distance(centres[at], xyz[rows[at, step]]) <= limit
        taken = torch.zeros_like(inside)
        taken[at[near], step[near]] = True
        places = first_of_each_row(taken, nsample)
        found.append(torch.where(places < 0, -1, rows.gather(1, places.clamp(min=0))))
    idx = torch.cat(found).int()
    return idx.clamp(min=0), (idx < 0).any(1)


class VoxelQuery:
    apply = staticmethod(voxel_query)


class VoxelQueryAndGrouping(torch.nn.Module):
    """The features of the points in cells around each centre."""

    def __init__(self, max_range: Sequence[int], radius: float, nsample: int) -> None:
        super().__init__()
        self.max_range, self.radius, self.nsample = max_range, radius, nsample

    def forward(
        self,
        new_coords: torch.Tensor,
        xyz: torch.Tensor,
        xyz_batch_cnt: torch.Tensor,
        new_xyz: torch.Tensor,
        new_xyz_batch_cnt: torch.Tensor,
        features: torch.Tensor,
        voxel2point_indices: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """(M, C, nsample) features, (M, 3, nsample) points and bool (M,): where there are none."""
        words = {"xyz_batch_cnt": (xyz_batch_cnt, len(xyz)), "new_xyz_batch_cnt": (new_xyz_batch_cnt, len(new_xyz))}
        of_points, of_centres = map(torch.tensor, check_counts("VoxelQueryAndGrouping", **words))
        where = (xyz, new_xyz, new_coords, voxel2point_indices)
        idx, empty = voxel_query(self.max_range, self.radius, self.nsample, *where)
        begin = (of_points.cumsum(0) - of_points).repeat_interleave(of_centres)
        # Where there is no point, any will do: the mask says so.
        local = (idx - begin[:, None]).masked_fill(empty[:, None], 0)
        counts = (xyz_batch_cnt, new_xyz_batch_cnt)
        grouped = [grouping_operation(rows, counts[0], local, counts[1]) for rows in (features, xyz)]
        return grouped[0], grouped[1], empty
