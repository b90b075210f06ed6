"""Sets of points and quadrilaterals: overlaps of hulls, enclosing rectangles, points inside."""

from __future__ import annotations

import torch

from .._operators import _polygons as twins
from ._box_overlaps import shape_of_pairs
from ._documentation import as_its_twin
from ._library import Operator, call, call_one

__all__ = [
    "convex_giou",
    "convex_iou",
    "min_area_polygons",
    "points_in_polygons",
]

_giou, _iou, _min_area, _points_in = map(Operator, __all__)


@as_its_twin(twins.convex_giou)
def convex_giou(
    pointsets: torch.Tensor, polygons: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradient is a result; autograd is told nothing.

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> points = torch.tensor([[1, 1, 2, 2, 1, 2, 2, 1, 1, 3, 3, 1, 2, 3, 3, 2, 1.5, 1.5]])
    >>> gious, grad = detops.torch.convex_giou(points, torch.tensor([[1.0, 1, 3, 1, 3, 3, 1, 3]]))
    >>> gious, grad.shape
    (tensor([0.8750]), torch.Size([1, 18]))
    """
    made: tuple[torch.Tensor, torch.Tensor] = call(_giou, (), (pointsets, polygons))
    return made


@as_its_twin(twins.convex_iou)
def convex_iou(pointsets: torch.Tensor, polygons: torch.Tensor) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> points = torch.tensor([[1, 1, 2, 2, 1, 2, 2, 1, 1, 3, 3, 1, 2, 3, 3, 2, 1.5, 1.5]])
    >>> detops.torch.convex_iou(points, torch.tensor([[1.0, 1, 3, 1, 3, 3, 1, 3]]))
    tensor([[0.8750]])
    """
    return call_one(_iou, (), (pointsets, polygons))


@as_its_twin(twins.min_area_polygons)
def min_area_polygons(pointsets: torch.Tensor) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> points = torch.tensor([[1, 1, 2, 2, 1, 2, 2, 1, 1, 3, 3, 1, 2, 3, 3, 2, 1.5, 1.5]])
    >>> detops.torch.min_area_polygons(points)
    tensor([[3., 1., 1., 1., 1., 3., 3., 3.]])
    """
    return call_one(_min_area, (), (pointsets,))


@as_its_twin(twins.points_in_polygons)
def points_in_polygons(points: torch.Tensor, polygons: torch.Tensor) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> quads = torch.tensor([[0.0, 0, 4, 0, 4, 2, 0, 2]])
    >>> detops.torch.points_in_polygons(torch.tensor([[1.0, 1], [5, 1], [0, 1]]), quads).ravel()
    tensor([1., 0., 0.])
    """
    return call_one(_points_in, (), (points, polygons))


_iou.register_constant(lambda a: shape_of_pairs(a.pointsets, a.polygons, False))
_giou.register_constant(
    lambda a: (shape_of_pairs(a.pointsets, a.polygons, True), a.pointsets.new_empty(a.pointsets.shape))
)
_min_area.register_constant(lambda a: a.pointsets.new_empty((a.pointsets.shape[0], 8)))
_points_in.register_constant(lambda a: shape_of_pairs(a.points, a.polygons, False))
