"""Points that are far from each other: ``mmcv.ops.furthest_point_sample``, of which mmcv makes the
result on a GPU itself."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..openpcdet._checks import check_shapes
from ..openpcdet._neighbours import sample_by_distances, sample_furthest

__all__ = ["furthest_point_sample", "furthest_point_sample_with_dist"]


def furthest_point_sample(points_xyz: torch.Tensor, num_points: int) -> torch.Tensor:
    """int32 (B, num_points): of (B, N, 3) points the first, then each time the one that is furthest
    from all chosen.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv
    >>> line = torch.tensor([[[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0]]])
    >>> detops.mmcv.furthest_point_sample(line, 5)
    tensor([[0, 4, 2, 1, 3]], dtype=torch.int32)
    """
    check_shapes("furthest_point_sample", {}, points_xyz=(points_xyz, "B N 3"))
    return _sampled("furthest_point_sample: points_xyz", points_xyz, num_points, sample_furthest)


def furthest_point_sample_with_dist(points_dist: torch.Tensor, num_points: int) -> torch.Tensor:
    """The same from (B, N, N) distances.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv
    >>> distances = torch.tensor([[[0.0, 2, 1], [2, 0, 3], [1, 3, 0]]])
    >>> detops.mmcv.furthest_point_sample_with_dist(distances, 2)
    tensor([[0, 1]], dtype=torch.int32)
    """
    check_shapes("furthest_point_sample_with_dist", {}, points_dist=(points_dist, "B N N"))
    return _sampled("furthest_point_sample_with_dist: points_dist", points_dist, num_points, sample_by_distances)


def _sampled(
    what: str, clouds: torch.Tensor, count: int, sample: Callable[[torch.Tensor, int], torch.Tensor]
) -> torch.Tensor:
    if count > 0 and clouds.shape[1] == 0:
        raise ValueError(f"{what} has no points, expected some for {count} samples.")
    made = torch.empty((len(clouds), count), dtype=torch.int32)
    for chosen, cloud in zip(made, clouds, strict=True):
        chosen.copy_(sample(cloud, count))
    return made
