"""``pcdet.ops.roipoint_pool3d.roipoint_pool3d_utils``: the points of each box.

In plain torch, over the test of points in boxes that :mod:`.roiaware_pool3d_utils` has too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..torch._drop_ins import check_batches, find_all_boxes
from ..torch._sentences import check_tensors
from .roiaware_pool3d_utils import MARGIN_OF_GPU

__all__ = ["RoIPointPool3d", "RoIPointPool3dFunction"]


class RoIPointPool3dFunction:
    """The operator as a function: ``RoIPointPool3dFunction.apply``."""

    @staticmethod
    def apply(
        points: torch.Tensor,
        point_features: torch.Tensor,
        boxes3d: torch.Tensor,
        pool_extra_width: float | Sequence[float],
        num_sampled_points: int = 512,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """As :meth:`RoIPointPool3d.forward`."""
        check_batches("RoIPointPool3d", points, boxes3d)
        extra = boxes3d.new_tensor(pool_extra_width).expand(3)
        wider = torch.cat((boxes3d[..., :3], boxes3d[..., 3:6] + extra, boxes3d[..., 6:]), -1)
        where = {"z_origin": "center", "xy_margin": MARGIN_OF_GPU}
        return pool_points(points, point_features, wider, num_sampled_points, **where)


def pool_points(
    points: torch.Tensor, point_features: torch.Tensor, boxes3d: torch.Tensor, count: int, **where: Any
) -> tuple[torch.Tensor, torch.Tensor]:
    """(B, M, count, 3 + C) and whether boxes are empty; ``where`` says what is in a box."""
    caller = "RoIPointPool3d"
    check_batches(caller, points, boxes3d)
    check_tensors(caller, points=points, point_features=point_features)
    if point_features.ndim != 3 or point_features.shape[:2] != points.shape[:2]:
        raise ValueError(
            f"{caller}: point_features has shape {list(point_features.shape)}, expected "
            f"({points.shape[0]}, {points.shape[1]}, C) as points has shape {list(points.shape)}."
        )
    rows = torch.cat((points, point_features.to(points.dtype)), -1)
    pooled = rows.new_zeros((*boxes3d.shape[:2], count, rows.shape[2]))
    empty = torch.ones(boxes3d.shape[:2], dtype=torch.int32)
    places, chosen = [], []
    for cloud in range(len(rows)):
        place, point = _sample(points[cloud].detach(), boxes3d[cloud].detach(), count, where)
        empty[cloud, place[:, 0] // count] = 0
        places.append((place + cloud * boxes3d.shape[1] * count).flatten())
        chosen.append((point + cloud * rows.shape[1]).flatten())
    if places:
        flat = pooled.flatten(0, 2).index_copy(0, torch.cat(places), rows.flatten(0, 1)[torch.cat(chosen)])
        pooled = flat.reshape(pooled.shape)
    return pooled.to(point_features.dtype), empty


def _sample(
    points: torch.Tensor, boxes: torch.Tensor, count: int, where: dict[str, Any]
) -> tuple[torch.Tensor, torch.Tensor]:
    """(K, count) twice, of the K boxes that hold points: rows of the result, and points for them, over
    again where they are fewer."""
    inside = torch.zeros((len(boxes), len(points)), dtype=torch.int32)
    find_all_boxes(points, boxes, inside, **where)
    slots = torch.arange(count)
    (held,) = inside.any(1).nonzero(as_tuple=True)
    found = [inside[box].nonzero()[:, 0] for box in held.tolist()]
    chosen = [points_of_box[slots % len(points_of_box)] for points_of_box in found]
    return held[:, None] * count + slots, torch.stack(chosen) if chosen else held[:, None] + slots


class RoIPointPool3d(torch.nn.Module):
    """The first points that lie in each box, with their features.

    Parameters
    ----------
    num_sampled_points : int
    pool_extra_width : float, or three of them
        How much longer, wider and higher boxes are than they say, both sides together.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.roipoint_pool3d_utils import RoIPointPool3d
    >>> points = torch.tensor([[[0.0, 0, 0], [9, 9, 9], [1, 0, 0]]])
    >>> boxes = torch.tensor([[[0.0, 0, 0, 2, 2, 2, 0], [5, 5, 5, 1, 1, 1, 0]]])
    >>> pooled, empty = RoIPointPool3d(3)(points, torch.ones(1, 3, 0), boxes)
    >>> pooled[0, 0, :, 0], empty
    (tensor([0., 1., 0.]), tensor([[0, 1]], dtype=torch.int32))
    """

    def __init__(
        self, num_sampled_points: int = 512, pool_extra_width: float | Sequence[float] = 1.0
    ) -> None:
        super().__init__()
        self.num_sampled_points = num_sampled_points
        self.pool_extra_width = pool_extra_width

    def forward(
        self, points: torch.Tensor, point_features: torch.Tensor, boxes3d: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(B, M, S, 3 + C) and int32 (B, M), 1 for boxes without points, of (B, N, 3) points with
        (B, N, C) features in (B, M, 7) boxes; z is the centre.

        Differentiable with respect to points and features, where OpenPCDet has no gradient.
        """
        return RoIPointPool3dFunction.apply(
            points, point_features, boxes3d, self.pool_extra_width, self.num_sampled_points
        )
