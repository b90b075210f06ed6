"""Samples and neighbours of the points of one cloud, in plain torch.

Distances are ((dx * dx) + (dy * dy)) + (dz * dz), each step rounded by itself; of equal ones the lowest
index comes first. Points that are not finite are nobody's neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ._checks import check_indices

__all__ = [
    "BLOCK",
    "arithmetic_type",
    "first_of_each_row",
    "gathered",
    "nearest_of_each_row",
    "nearest_three",
    "sample_by_distances",
    "sample_furthest",
    "squared_distance",
    "within",
]

# Of centres times points, the elements that are looked at together: they stay in the caches.
BLOCK = 1 << 20


def arithmetic_type(points: torch.Tensor) -> torch.dtype:
    return torch.float64 if points.dtype == torch.float64 else torch.float32


def _by_axis(points: torch.Tensor) -> torch.Tensor:
    """The points with all x, then all y, then all z in memory, not in less than float."""
    return points.to(arithmetic_type(points)).T.contiguous().T


def squared_distance(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Of points (..., 3) that are broadcast together."""
    x, y, z = ((one[..., axis] - other[..., axis]).square_() for axis in range(3))
    return x.add_(y).add_(z)


def _blocks(centres: torch.Tensor, points: torch.Tensor) -> Iterator[torch.Tensor]:
    height, points = max(1, BLOCK // max(1, len(points))), _by_axis(points)
    for rows in torch.split(centres.to(points.dtype), height):
        yield squared_distance(rows[:, None], points)


def first_of_each_row(chosen: torch.Tensor, count: int) -> torch.Tensor:
    """(M, count): the first places of each row of (M, N) that are true, over and over again the first
    where they are fewer; -1 in rows without any."""
    rows, places = chosen.nonzero(as_tuple=True)
    ends = chosen.sum(1).cumsum(0)
    begins = torch.cat((ends.new_zeros(1), ends[:-1]))
    rank = torch.arange(len(rows)) - begins[rows]
    kept = rank < count
    found = torch.full((len(chosen), count), -1)
    found[rows[kept], rank[kept]] = places[kept]
    return torch.where(found < 0, found[:, :1], found)


def _joined(blocks: Iterator[torch.Tensor], columns: int) -> torch.Tensor:
    made = list(blocks)
    return torch.cat(made) if made else torch.empty((0, columns), dtype=torch.int64)


@torch.no_grad()
def within(
    centres: torch.Tensor, points: torch.Tensor, radius: float, count: int, least: float | None = None
) -> torch.Tensor:
    """(M, count): the first points in the open ball around each centre; -1 in balls without any. With
    ``least`` they are as far away as that, or at the centre."""
    limit, hole = torch.tensor([radius, least or 0.0], dtype=arithmetic_type(points)).square()

    def chosen(squares: torch.Tensor) -> torch.Tensor:
        inside: torch.Tensor = squares < limit
        return inside if least is None else inside & (squares >= hole) | (squares == 0)

    return _joined((first_of_each_row(chosen(block), count) for block in _blocks(centres, points)), count)


def nearest_of_each_row(squares: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The three least of each row and where they are; writes over them."""
    distances, indices = [], []
    for _ in range(3):
        distance, index = squares.min(1, keepdim=True)
        distances.append(distance)
        indices.append(index.masked_fill(distance.isinf(), 0))
        squares.scatter_(1, index, torch.inf)
    return torch.cat(distances, 1), torch.cat(indices, 1)


@torch.no_grad()
def nearest_three(unknown: torch.Tensor, known: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Squared distances and indices (N, 3); infinity and 0 where there are fewer than three."""
    if not len(known):
        known = torch.full((1, 3), torch.inf, dtype=unknown.dtype)
    if not len(unknown):
        return torch.empty((0, 3), dtype=arithmetic_type(unknown)), torch.empty((0, 3)).long()
    lost = ~unknown.isfinite().all(1, keepdim=True)
    known = known.masked_fill(~known.isfinite().all(1, keepdim=True), torch.inf)
    distances, indices = zip(*map(nearest_of_each_row, _blocks(unknown.masked_fill(lost, 0), known)), strict=True)
    return torch.cat(distances).masked_fill_(lost, torch.inf), torch.cat(indices).masked_fill_(lost, 0)


@torch.no_grad()
def sample_furthest(points: torch.Tensor, count: int) -> torch.Tensor:
    """(count,): the first finite point, then each time the one that is furthest from all chosen."""
    (finite,) = points.isfinite().all(1).nonzero(as_tuple=True)
    chosen = torch.zeros(count, dtype=torch.int64)
    if not len(finite):
        return chosen
    x, y, z = points[finite].to(arithmetic_type(points)).T.contiguous()
    furthest, square, step = torch.full_like(x, torch.inf), torch.empty_like(x), torch.empty_like(x)
    last = 0
    for place in range(count):
        chosen[place] = last
        torch.sub(x, x[last], out=square).square_()
        square += torch.sub(y, y[last], out=step).square_()
        square += torch.sub(z, z[last], out=step).square_()
        last = int(torch.minimum(furthest, square, out=furthest).argmax())
    return finite[chosen]


@torch.no_grad()
def sample_by_distances(distances: torch.Tensor, count: int) -> torch.Tensor:
    """(count,): the first of points whose distances are the rows (N, N), then each time the one that is
    furthest from all chosen. One whose distance is NaN is not."""
    chosen = torch.zeros(count, dtype=torch.int64)
    furthest = torch.full((len(distances),), torch.inf, dtype=distances.dtype)
    last = 0
    for place in range(count):
        chosen[place] = last
        row = distances[last].nan_to_num(-torch.inf, torch.inf, -torch.inf)
        last = int(torch.minimum(furthest, row, out=furthest).argmax())
    return chosen


def gathered(caller: str, name: str, features: torch.Tensor, idx: torch.Tensor) -> torch.Tensor:
    """(B, C, ...): of (B, C, N) features those at (B, ...)."""
    places = check_indices(caller, name, idx, features.shape[2]).flatten(1)
    taken = features.gather(2, places[:, None].expand(-1, features.shape[1], -1))
    return taken.reshape(*features.shape[:2], *idx.shape[1:])
