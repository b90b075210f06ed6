"""Points to voxels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from .._types import VoxelOrder
from ._library import (
    is_compiling,
    modes,
    named,
    ops,
    plain,
    register_gradient,
    register_shapes,
)

__all__ = ["PointVoxels", "point_to_voxel"]

_op = ops.point_to_voxel.default
# The same with fewer lists and arguments, which torch takes in half of the time.
_packed = plain("point_to_voxel")


_PLAIN = (torch.Tensor, type(None))


class PointVoxels(NamedTuple):
    """Result of :func:`point_to_voxel`: V voxels of P points with F numbers each."""

    voxels: torch.Tensor | None
    """(V, max_points_per_voxel, F): the points of each voxel, then zeros; None if not wanted."""
    means: torch.Tensor | None
    """(V, F): their mean; None if not wanted."""
    coordinates: torch.Tensor
    """(V, D) int32: (..., z, y, x); with clouds (V, 1 + D), the cloud first."""
    num_points: torch.Tensor
    """(V,) int32: how many points are kept."""
    point_voxel: torch.Tensor
    """(P,) int32: the voxel of each point, -1 if it has none."""


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
    """Sort points into voxels: the points of each, their mean, or both.

    Points outside of the grid, and those with NaN or Inf as a coordinate, are dropped.

    Parameters
    ----------
    points : tensor (P, F)
        The first D columns are the coordinates x, y, z, ...
    voxel_size, range_min, grid : D numbers each, x first
        The size of a voxel, where the grid begins, and how many voxels it has.
    max_points_per_voxel : int
        Only the first points of a voxel are kept; 0: all (then ``voxels`` must be False).
    max_voxels_per_cloud : int
        Only the first voxels are kept; 0: all.
    cloud_begins : int tensor (B + 1,), optional
        Several clouds: cloud b has the points ``cloud_begins[b]`` to ``cloud_begins[b + 1]``.
    order : "first_point" or "ascending"
        Of the voxels: by their first point, or by (cloud, z, y, x).
    voxels, means : bool
        Whether they are wanted.

    Returns
    -------
    PointVoxels

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> points = torch.tensor([[0.5, 0.0], [2.5, 8.0], [0.7, 4.0], [9.0, 1.0]])  # (x, intensity)
    >>> made = detops.torch.point_to_voxel(points, (1.0,), (0.0,), (4,), voxels=False, means=True)
    >>> made.coordinates.ravel().tolist(), made.num_points.tolist(), made.point_voxel.tolist()
    ([0, 2], [2, 1], [0, 1, 0, -1])
    """
    made = None
    are_bool = type(voxels) is type(means) is bool
    are_plain = type(points) is torch.Tensor and type(cloud_begins) in _PLAIN
    if are_bool and are_plain and not (is_compiling() or modes()):
        try:
            measures = (*voxel_size, *range_min)
            numbers = (
                len(voxel_size),
                max_points_per_voxel,
                max_voxels_per_cloud,
                voxels + 2 * means,
                *grid,
            )
            if cloud_begins is None and order == "first_point":
                made = _packed(points, measures, numbers)
            else:
                made = _packed(points, measures, numbers, order, cloud_begins)
        except (RuntimeError, TypeError):
            pass  # What torch refuses, it refuses below under a name that is known.
    if made is None:
        made = _op(
            points,
            voxel_size,
            range_min,
            grid,
            max_points_per_voxel,
            max_voxels_per_cloud,
            cloud_begins,
            order,
            voxels,
            means,
        )
    found, average, coordinates, num_points, point_voxel = made
    wanted = found if voxels else None
    mean = average if means else None
    return named(PointVoxels, (wanted, mean, coordinates, num_points, point_voxel))


def _fake(
    points: torch.Tensor,
    voxel_size: Sequence[float],
    range_min: Sequence[float],
    grid: Sequence[int],
    max_points_per_voxel: int = 0,
    max_voxels_per_cloud: int = 0,
    cloud_begins: torch.Tensor | None = None,
    order: str = "first_point",
    voxels: bool = True,
    means: bool = False,
) -> tuple[torch.Tensor, ...]:
    rows, columns = torch.library.get_ctx().new_dynamic_size(), points.shape[1]
    nothing = points.new_empty((0,), dtype=torch.int32)
    width = len(grid) + (0 if cloud_begins is None else 1)
    return (
        points.new_empty((rows, max_points_per_voxel, columns)) if voxels else nothing,
        points.new_empty((rows, columns)) if means else points.new_empty((0,), dtype=torch.int32),
        points.new_empty((rows, width), dtype=torch.int32),
        points.new_empty((rows,), dtype=torch.int32),
        points.new_empty((points.shape[0],), dtype=torch.int32),
    )


def _save(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.mark_non_differentiable(*output)


def _gradient(ctx: Any, *_: Any) -> tuple[Any, ...]:
    return (None,) * 10


# Voxels are inputs of networks: nothing is learnt through them.
register_shapes(_op, _fake)
register_gradient(_op, _gradient, _save)
