"""PV-RCNN++'s vector pooling: a cube of cells around each centre, in plain torch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from .._checks import check_counts, check_shapes
from .._neighbours import BLOCK, arithmetic_type, nearest_of_each_row, squared_distance

__all__ = ["three_nn_for_vector_pool_by_two_step", "vector_pool_with_voxel_query_op"]


@dataclass(frozen=True)
class _Pairs:
    """Some centres and the points near them, by centre and then by point."""

    first: int
    """The first of these centres."""
    centres: torch.Tensor
    points: torch.Tensor
    """Those of the cloud."""
    begin: int
    """The first of these points in the whole tensor."""
    row: torch.Tensor
    place: torch.Tensor

    def only(self, kept: torch.Tensor) -> _Pairs:
        return _Pairs(self.first, self.centres, self.points, self.begin, self.row[kept], self.place[kept])

    def ranks(self) -> torch.Tensor:
        """Which each pair is among those of its centre."""
        counts = self.row.bincount(minlength=len(self.centres))
        return torch.arange(len(self.row)) - (counts.cumsum(0) - counts)[self.row]


def _pairs(
    caller: str,
    support_xyz: torch.Tensor,
    xyz_batch_cnt: torch.Tensor,
    new_xyz: torch.Tensor,
    new_xyz_batch_cnt: torch.Tensor,
    distance: float,
    is_ball: bool,
) -> Iterator[_Pairs]:
    """A ball, or a cube with such a half side; both with their border."""
    check_shapes(caller, {}, support_xyz=(support_xyz, "N 3"), new_xyz=(new_xyz, "M 3"))
    of_points, of_centres = check_counts(
        caller,
        xyz_batch_cnt=(xyz_batch_cnt, len(support_xyz)),
        new_xyz_batch_cnt=(new_xyz_batch_cnt, len(new_xyz)),
    )
    kind = arithmetic_type(support_xyz)
    limit = torch.tensor(distance, dtype=kind)
    first = begin = 0
    clouds = zip(torch.split(support_xyz, of_points), torch.split(new_xyz, of_centres), strict=True)
    for points, all_centres in clouds:
        points = points.detach().to(kind)
        for centres in torch.split(all_centres.detach().to(kind), max(1, BLOCK // max(1, len(points)))):
            if is_ball:
                near = squared_distance(centres[:, None], points) <= limit.square()
            else:
                sides = ((points[:, axis] - centres[:, axis, None]).abs_() <= limit for axis in range(3))
                near = next(sides) & next(sides) & next(sides)
            yield _Pairs(first, centres, points, begin, *near.nonzero(as_tuple=True))
            first += len(centres)
        begin += len(points)


def _mean(total: int, rows: int) -> int:
    return -(-total // max(1, rows))


@torch.no_grad()
def three_nn_for_vector_pool_by_two_step(
    support_xyz: torch.Tensor,
    xyz_batch_cnt: torch.Tensor,
    new_xyz: torch.Tensor,
    new_xyz_grid_centers: torch.Tensor,
    new_xyz_batch_cnt: torch.Tensor,
    max_neighbour_distance: float,
    nsample: int,
    neighbor_type: int,
    avg_length_of_neighbor_idxs: int,
    num_total_grids: int,
    neighbor_distance_multiplier: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(M, G, 3) twice and a number: how far the three nearest points are from the middle of each cell,
    which they are (int32, of all rows), and how many points a centre has on average.

    Only points near the centre count: in a ball (``neighbor_type`` 1) or a cube of
    ``max_neighbour_distance`` times ``neighbor_distance_multiplier``, the first ``nsample`` of them
    (-1: all). Where there are one or two, the first comes again; infinity and -1 where there are none.
    ``avg_length_of_neighbor_idxs`` is a guess of that number, which is not needed.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.pointnet2_stack.pointnet2_utils import three_nn_for_vector_pool_by_two_step
    >>> points, centre = torch.tensor([[0.0, 0, 0], [2, 0, 0], [9, 0, 0]]), torch.zeros(1, 3)
    >>> cells = torch.tensor([[[-1.0, 0, 0], [1.5, 0, 0]]])
    >>> counts = torch.tensor([3]), torch.tensor([1])
    >>> three_nn_for_vector_pool_by_two_step(
    ...     points, counts[0], centre, cells, counts[1], 2.0, -1, 0, 1, 2, 1.0)[:2]
    (tensor([[[1.0000, 3.0000, 1.0000],
             [0.5000, 1.5000, 0.5000]]]), tensor([[[0, 1, 0],
             [1, 0, 1]]], dtype=torch.int32))
    """
    caller = "three_nn_for_vector_pool_by_two_step"
    words = {"new_xyz": (new_xyz, "M 3"), "new_xyz_grid_centers": (new_xyz_grid_centers, f"M {num_total_grids} 3")}
    check_shapes(caller, {}, **words)
    distances = torch.full_like(new_xyz_grid_centers, torch.inf)
    indices = torch.full(new_xyz_grid_centers.shape, -1, dtype=torch.int32)
    reach = max_neighbour_distance * neighbor_distance_multiplier
    near = _pairs(caller, support_xyz, xyz_batch_cnt, new_xyz, new_xyz_batch_cnt, reach, neighbor_type == 1)
    total = 0
    for pairs in near:
        if nsample > 0:
            pairs = pairs.only(pairs.ranks() < nsample)
        total += len(pairs.row)
        if not len(pairs.row):
            continue
        rank = pairs.ranks()
        table = torch.full((len(pairs.centres), int(rank.max()) + 1), -1)
        table[pairs.row, rank] = pairs.place
        # Side by side in memory along each axis, and few enough at a time to stay in the caches.
        points = pairs.points[table].movedim(2, 0).contiguous().movedim(0, 2)
        height = max(1, BLOCK // (num_total_grids * table.shape[1]))
        for low in range(0, len(table), height):
            part = slice(low, low + height)
            rows = slice(pairs.first + low, pairs.first + low + len(table[part]))
            cells = new_xyz_grid_centers[rows].to(points.dtype)
            squares = squared_distance(cells[:, :, None], points[part, None])
            squares.masked_fill_((table[part] < 0)[:, None], torch.inf)
            square, which = nearest_of_each_row(squares.flatten(0, 1))
            found = table[part].repeat_interleave(num_total_grids, 0).gather(1, which) + pairs.begin
            lost = square.isinf()
            square, found = (torch.where(lost, each[:, :1], each) for each in (square, found))
            distances[rows] = square.sqrt().view(cells.shape).to(distances.dtype)
            indices[rows] = found.masked_fill(square.isinf(), -1).view(cells.shape).int()
    return distances, indices, torch.tensor(_mean(total, len(new_xyz)))


def vector_pool_with_voxel_query_op(
    support_xyz: torch.Tensor,
    xyz_batch_cnt: torch.Tensor,
    support_features: torch.Tensor,
    new_xyz: torch.Tensor,
    new_xyz_batch_cnt: torch.Tensor,
    num_grid_x: int,
    num_grid_y: int,
    num_grid_z: int,
    max_neighbour_distance: float,
    num_c_out_each_grid: int,
    use_xyz: int,
    num_mean_points_per_grid: int = 100,
    nsample: int = -1,
    neighbor_type: int = 0,
    pooling_type: int = 0,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """(M, cells * channels) features of the cells around each centre, (M, cells * 3) where their points
    are, int32 (1,) how many points a centre has on average, and (M, cells) how many a cell has.

    A cell has the mean of its points (``pooling_type`` 0) or the first of them (1); channels of
    (N, C) features are added up in groups of ``num_c_out_each_grid``. Points are those in a ball
    (``neighbor_type`` 1) or a cube of ``max_neighbour_distance``, the first ``nsample`` that go into
    a cell (-1: all). ``num_mean_points_per_grid`` is a guess, which is not needed. Differentiable with
    respect to the features.
    """
    caller = "vector_pool_with_voxel_query_op"
    check_shapes(caller, {}, support_xyz=(support_xyz, "N 3"), support_features=(support_features, "N C"))
    channels, wanted = support_features.shape[1], num_c_out_each_grid
    if wanted < 1 or channels % wanted:
        raise ValueError(f"{caller}: num_c_out_each_grid is {wanted}, expected a divisor of {channels} channels.")
    grid = torch.tensor([num_grid_x, num_grid_y, num_grid_z])
    room = int(grid.prod())
    cells, points, offsets = [], [], []
    near = _pairs(
        caller, support_xyz, xyz_batch_cnt, new_xyz, new_xyz_batch_cnt, max_neighbour_distance, neighbor_type == 1
    )
    for pairs in near:
        local, cell = _cells(pairs, grid, max_neighbour_distance)
        if pooling_type == 1:
            order = torch.arange(len(cell))
            first = torch.full((len(pairs.centres) * room,), len(cell)).scatter_reduce_(0, cell, order, "amin")
            kept = first[cell] == order
            pairs, local, cell = pairs.only(kept), local[kept], cell[kept]
        if nsample > 0:
            kept = pairs.ranks() < nsample
            pairs, local, cell = pairs.only(kept), local[kept], cell[kept]
        cells.append(cell + pairs.first * room)
        points.append(pairs.place + pairs.begin)
        offsets.append(local)
    cell, point = (torch.cat([torch.empty(0, dtype=torch.int64), *each]) for each in (cells, points))
    count = cell.bincount(minlength=len(new_xyz) * room)
    share = count.clamp(min=1)[:, None]
    folded = support_features.reshape(-1, channels // wanted, wanted).sum(1)
    sums = folded.new_zeros(len(count), wanted).index_add(0, cell, folded[point])
    middle = support_xyz.new_zeros(len(count), 3)
    if use_xyz and offsets:
        middle = middle.index_add(0, cell, torch.cat(offsets).to(middle.dtype)) / share
    mean = torch.tensor([_mean(len(cell), len(new_xyz))], dtype=torch.int32)
    rows = len(new_xyz)
    return (
        (sums / share).reshape(rows, room * wanted),
        middle.reshape(rows, room * 3),
        mean,
        count.reshape(rows, room).to(xyz_batch_cnt.dtype),
    )


def _cells(pairs: _Pairs, grid: torch.Tensor, distance: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Where each point is, as seen from its centre, and in which cell, of those of all centres here."""
    local = pairs.points[pairs.place] - pairs.centres[pairs.row]
    size = torch.tensor(distance, dtype=local.dtype) * 2 / grid
    step = ((local + distance) / size).floor().long().clamp(min=0).minimum(grid - 1)
    row = ((pairs.row * grid[0] + step[:, 0]) * grid[1] + step[:, 1]) * grid[2] + step[:, 2]
    return local, row
