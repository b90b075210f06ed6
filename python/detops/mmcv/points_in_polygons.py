"""Points in polygons: ``mmcv.ops.points_in_polygons``."""

from __future__ import annotations

import torch

from .. import torch as ops
from ..torch._drop_ins import call_in_one_type

__all__ = ["points_in_polygons"]


def points_in_polygons(points: torch.Tensor, polygons: torch.Tensor) -> torch.Tensor:
    """(B, M) float32: 1 where a point (B, 2) is inside a quadrilateral (M, 8), else 0.

    Points on the boundary are outside.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import points_in_polygons
    >>> quads = torch.tensor([[0.0, 0, 4, 0, 4, 2, 0, 2]])
    >>> points_in_polygons(torch.tensor([[1.0, 1], [5, 1], [0, 0]]), quads).ravel()
    tensor([1., 0., 0.])
    """
    function = ops.points_in_polygons
    return call_in_one_type(
        "points_in_polygons", function, points=points, polygons=polygons
    ).float()
