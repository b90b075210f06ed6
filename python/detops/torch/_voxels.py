"""Hard and dynamic voxelisation, and one row per voxel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from .._operators import _voxels as twins
from .._types import Reduce
from ._documentation import as_its_twin
from ._library import Operator, call, call_one, named, operators
from ._scatter_reduce import scatter_reduce_backward, scatter_reduce_forward, winners_of

__all__ = [
    "DynamicVoxels",
    "HardVoxels",
    "dynamic_point_to_voxel_backward",
    "dynamic_point_to_voxel_forward",
    "voxel_coordinates",
    "voxelization",
]

_voxelization, _coordinates = Operator("voxelization"), Operator("voxel_coordinates")
_forward, _backward = operators("dynamic_point_to_voxel", "forward", "backward")


class HardVoxels(NamedTuple):
    """Result of :func:`voxelization`: the fields of :class:`detops.HardVoxels`."""

    voxels: torch.Tensor
    coors: torch.Tensor
    num_points_per_voxel: torch.Tensor


class DynamicVoxels(NamedTuple):
    """Result of :func:`dynamic_point_to_voxel_forward`: the fields of :class:`detops.DynamicVoxels`."""

    voxel_feats: torch.Tensor
    voxel_coors: torch.Tensor
    point2voxel_map: torch.Tensor
    voxel_points_count: torch.Tensor


@as_its_twin(twins.voxelization)
def voxelization(
    points: torch.Tensor,
    voxel_size: Sequence[float],
    coors_range: Sequence[float],
    max_points: int,
    max_voxels: int,
) -> HardVoxels:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> points = torch.tensor([[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [0.6, 0.6, 0.6], [-0.1, 0, 0]])
    >>> made = detops.torch.voxelization(points, (1, 1, 1), (0, 0, 0, 2, 2, 1), 2, 10)
    >>> made.coors.tolist(), made.num_points_per_voxel.tolist()
    ([[0, 0, 0], [0, 0, 1]], [2, 1])
    """
    arguments = (points, voxel_size, coors_range, max_points, max_voxels)
    return named(HardVoxels, call(_voxelization, (), arguments))


@as_its_twin(twins.voxel_coordinates)
def voxel_coordinates(
    points: torch.Tensor,
    voxel_size: Sequence[float],
    range_min: Sequence[float],
    grid: Sequence[int],
) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> points = torch.tensor([[0.5, 3.5], [1.5, -1.0]])
    >>> detops.torch.voxel_coordinates(points, (1, 1), (0, 0), (4, 4)).tolist()
    [[3, 0], [-1, -1]]
    """
    return call_one(_coordinates, (), (points, voxel_size, range_min, grid))


@as_its_twin(twins.dynamic_point_to_voxel_forward)
def dynamic_point_to_voxel_forward(
    feats: torch.Tensor, coors: torch.Tensor, reduce: Reduce = "max"
) -> DynamicVoxels:
    """Differentiable with respect to ``feats``.

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> feats = torch.tensor([[1.0, 5], [2, 4], [3, 3], [4, 2]])
    >>> coors = torch.tensor([[0, 1, 0], [0, 0, 2], [0, 1, 0], [-1, 3, 3]])
    >>> made = detops.torch.dynamic_point_to_voxel_forward(feats, coors)
    >>> made.voxel_coors.tolist(), made.point2voxel_map.tolist()
    ([[0, 0, 2], [0, 1, 0]], [1, 0, 1, -1])
    >>> made.voxel_feats.tolist()
    [[2.0, 4.0], [3.0, 5.0]]
    """
    return named(DynamicVoxels, call(_forward, (feats,), (feats, coors, reduce)))


@as_its_twin(twins.dynamic_point_to_voxel_backward)
def dynamic_point_to_voxel_backward(
    grad_voxel_feats: torch.Tensor,
    feats: torch.Tensor,
    voxel_feats: torch.Tensor,
    point2voxel_map: torch.Tensor,
    voxel_points_count: torch.Tensor,
    reduce: Reduce = "max",
) -> torch.Tensor:
    """Differentiable with respect to ``grad_voxel_feats``.

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> feats, coors = torch.tensor([[5.0], [7.0], [7.0]]), torch.zeros(3, 3, dtype=torch.int32)
    >>> made = detops.torch.dynamic_point_to_voxel_forward(feats, coors)
    >>> grad = torch.tensor([[2.0]])
    >>> detops.torch.dynamic_point_to_voxel_backward(
    ...     grad, feats, made.voxel_feats, made.point2voxel_map, made.voxel_points_count).ravel()
    tensor([0., 2., 0.])
    """
    arguments = (grad_voxel_feats, feats, voxel_feats, point2voxel_map, voxel_points_count, reduce)
    return call_one(_backward, (grad_voxel_feats,), arguments)


# ---- shapes of results ---------------------------------------------------------------------------


def _listed(a: Any) -> tuple[torch.Tensor, ...]:
    rows = torch.library.get_ctx().new_dynamic_size()
    return (
        a.points.new_empty((rows, a.max_points, a.points.shape[1])),
        a.points.new_empty((rows, 3), dtype=torch.int32),
        a.points.new_empty((rows,), dtype=torch.int32),
    )


def _located(a: Any) -> Any:
    return a.points.new_empty((a.points.shape[0], len(a.grid)), dtype=torch.int32)


def _grouped(a: Any) -> tuple[torch.Tensor, ...]:
    rows = torch.library.get_ctx().new_dynamic_size()
    points, columns = a.feats.shape
    return (
        a.feats.new_empty((rows, columns)),
        a.feats.new_empty((rows, 3), dtype=torch.int32),
        a.feats.new_empty((points,), dtype=torch.int32),
        a.feats.new_empty((rows,), dtype=torch.int32),
    )


# ---- gradients -----------------------------------------------------------------------------------


def _save_forward(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, ...]) -> None:
    feats, _, ctx.reduce = inputs
    voxel_feats, voxel_coors, voxel_map, count = output
    ctx.mark_non_differentiable(voxel_coors, voxel_map, count)
    # Only a maximum is looked for again.
    numbers = (feats, voxel_feats) if ctx.reduce == "max" else (None, None)
    ctx.save_for_backward(*numbers, voxel_map, count)


def _gradient_of_forward(ctx: Any, grad: torch.Tensor, *_: object) -> tuple[Any, ...]:
    feats, voxel_feats, voxel_map, count = ctx.saved_tensors
    if ctx.reduce == "max":
        arguments = (grad, feats, voxel_feats, voxel_map, count, "max")
        return (call_one(_backward, (grad,), arguments),)
    return (scatter_reduce_backward(grad, voxel_map, count, None, ctx.reduce),)


def _save_backward(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    _, feats, _, voxel_map, count, ctx.reduce = inputs
    ctx.save_for_backward(feats if ctx.reduce == "max" else None, voxel_map, count)


def _gradient_of_backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    """For ``grad_voxel_feats`` alone: the features only say where it goes."""
    feats, voxel_map, count = ctx.saved_tensors
    rows = count.shape[0]
    if ctx.reduce == "max":
        winners = scatter_reduce_forward(feats, voxel_map, rows, "max", count=False).argmax
        assert winners is not None  # They were asked for.
        return (winners_of(grad, winners),)
    return (scatter_reduce_forward(grad, voxel_map, rows, ctx.reduce).out,)


# Voxels are inputs of networks: nothing is learnt through them.
_voxelization.register_constant(_listed)
_coordinates.register_constant(_located)
_forward.register(_grouped, _gradient_of_forward, _save_forward)
_backward.register(lambda a: a.feats.new_empty(a.feats.shape), _gradient_of_backward, _save_backward)
# Autocast has nothing to convert: sums are those of float in any type, and maxima are exact.
