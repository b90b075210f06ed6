"""Points to voxels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from .._operators import _point_to_voxel as twins
from .._types import VoxelOrder
from ._documentation import as_its_twin
from ._library import Operator, call, named

__all__ = ["PointVoxels", "point_to_voxel"]

_operator = Operator("point_to_voxel")


class PointVoxels(NamedTuple):
    """Result of :func:`point_to_voxel`: the fields of :class:`detops.PointVoxels`."""

    voxels: torch.Tensor | None
    means: torch.Tensor | None
    coordinates: torch.Tensor
    num_points: torch.Tensor
    point_voxel: torch.Tensor


@as_its_twin(twins.point_to_voxel)
def point_to_voxel(
    points: torch.Tensor,
    voxel_size: Sequence[float],
    range_min: Sequence[float],
    grid: Sequence[int],
    max_points_per_voxel: int = 0,
    max_voxels_per_cloud: int = 0,
    *,
    cloud_begins: torch.Tensor | None = None,
    order: VoxelOrder = "first_point",
    voxels: bool = True,
    means: bool = False,
) -> PointVoxels:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> points = torch.tensor([[0.5, 0.0], [2.5, 8.0], [0.7, 4.0], [9.0, 1.0]])  # (x, intensity)
    >>> made = detops.torch.point_to_voxel(points, (1.0,), (0.0,), (4,), voxels=False, means=True)
    >>> made.coordinates.ravel().tolist(), made.num_points.tolist(), made.point_voxel.tolist()
    ([0, 2], [2, 1], [0, 1, 0, -1])
    """
    limits = (max_points_per_voxel, max_voxels_per_cloud)
    words = (cloud_begins, order, voxels, means)
    made = call(_operator, (), (points, voxel_size, range_min, grid, *limits, *words))
    found, average, coordinates, num_points, point_voxel = made
    wanted = found if voxels else None
    mean = average if means else None
    return named(PointVoxels, (wanted, mean, coordinates, num_points, point_voxel))


def _sorted(a: Any) -> tuple[torch.Tensor, ...]:
    rows, columns = torch.library.get_ctx().new_dynamic_size(), a.points.shape[1]
    width = len(a.grid) + (0 if a.cloud_begins is None else 1)

    def integers(*shape: Any) -> Any:
        return a.points.new_empty(shape, dtype=torch.int32)

    return (
        a.points.new_empty((rows, a.max_points_per_voxel, columns)) if a.voxels else integers(0),
        a.points.new_empty((rows, columns)) if a.means else integers(0),
        integers(rows, width),
        integers(rows),
        integers(a.points.shape[0]),
    )


# Voxels are inputs of networks: nothing is learnt through them.
_operator.register_constant(_sorted)
