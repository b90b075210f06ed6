"""``pointnet2_batch.pointnet2_utils``: sampling and grouping of points in clouds of one size.

In plain torch: no operators of detops are behind it, so networks run, and are slow in these parts.
"""

from __future__ import annotations

import torch

from .._checks import check_shapes
from .._neighbours import gathered, nearest_three, sample_furthest, within

__all__ = [
    "BallQuery",
    "FarthestPointSampling",
    "GatherOperation",
    "GroupAll",
    "GroupingOperation",
    "QueryAndGroup",
    "ThreeInterpolate",
    "ThreeNN",
    "ball_query",
    "farthest_point_sample",
    "furthest_point_sample",
    "gather_operation",
    "grouping_operation",
    "three_interpolate",
    "three_nn",
]


def farthest_point_sample(xyz: torch.Tensor, npoint: int) -> torch.Tensor:
    """int32 (B, npoint): of (B, N, 3) points the first, then each time the one that is furthest from
    all chosen.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.pointnet2_batch.pointnet2_utils import farthest_point_sample
    >>> line = torch.tensor([[[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0]]])
    >>> farthest_point_sample(line, 5)
    tensor([[0, 4, 2, 1, 3]], dtype=torch.int32)
    """
    sizes: dict[str, int] = {}
    check_shapes("farthest_point_sample", sizes, xyz=(xyz, "B N 3"))
    if npoint > 0 and sizes["N"] == 0:
        raise ValueError(f"farthest_point_sample: xyz has no points, expected some for npoint = {npoint}.")
    made = torch.empty((len(xyz), npoint), dtype=torch.int32)
    for chosen, points in zip(made, xyz, strict=True):
        chosen.copy_(sample_furthest(points, npoint))
    return made


furthest_point_sample = farthest_point_sample


def gather_operation(features: torch.Tensor, idx: torch.Tensor) -> torch.Tensor:
    """(B, C, M): of (B, C, N) features those at (B, M)."""
    check_shapes("gather_operation", {}, features=(features, "B C N"), idx=(idx, "B M"))
    return gathered("gather_operation", "idx", features, idx)


def grouping_operation(features: torch.Tensor, idx: torch.Tensor) -> torch.Tensor:
    """(B, C, M, S): of (B, C, N) features those at (B, M, S)."""
    check_shapes("grouping_operation", {}, features=(features, "B C N"), idx=(idx, "B M S"))
    return gathered("grouping_operation", "idx", features, idx)


def three_nn(unknown: torch.Tensor, known: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(B, N, 3) twice: how far the three nearest of (B, M, 3) are from each of (B, N, 3), and which
    they are (int32). Infinity and 0 where there are fewer than three.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.pointnet2_batch.pointnet2_utils import three_nn
    >>> line = torch.tensor([[[1.0, 0, 0], [-1, 0, 0], [3, 0, 0]]])
    >>> three_nn(torch.zeros(1, 1, 3), line)
    (tensor([[[1., 1., 3.]]]), tensor([[[0, 1, 2]]], dtype=torch.int32))
    """
    check_shapes("three_nn", {}, unknown=(unknown, "B N 3"), known=(known, "B M 3"))
    distances = unknown.new_empty(unknown.shape)
    indices = torch.empty(unknown.shape, dtype=torch.int32)
    for cloud in range(len(unknown)):
        squares, found = nearest_three(unknown[cloud], known[cloud])
        distances[cloud], indices[cloud] = squares.sqrt(), found
    return distances.detach(), indices


def three_interpolate(features: torch.Tensor, idx: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """(B, C, N): sums of three of (B, C, M) features, those at (B, N, 3), by (B, N, 3) weights.

    Differentiable with respect to the features.
    """
    words = {"features": (features, "B C M"), "idx": (idx, "B N 3"), "weight": (weight, "B N 3")}
    check_shapes("three_interpolate", {}, **words)
    one, two, three = (gathered("three_interpolate", "idx", features, idx) * weight.detach()[:, None]).unbind(-1)
    return one + two + three


def ball_query(radius: float, nsample: int, xyz: torch.Tensor, new_xyz: torch.Tensor) -> torch.Tensor:
    """int32 (B, M, nsample): the first of (B, N, 3) points that are nearer than the radius to each of
    (B, M, 3) centres, over again the first where they are fewer, 0 where there are none.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.pointnet2_batch.pointnet2_utils import ball_query
    >>> line = torch.tensor([[[2.0, 0, 0], [1, 0, 0], [0.5, 0, 0]]])
    >>> ball_query(1.5, 3, line, torch.zeros(1, 1, 3))
    tensor([[[1, 2, 1]]], dtype=torch.int32)
    """
    check_shapes("ball_query", {}, xyz=(xyz, "B N 3"), new_xyz=(new_xyz, "B M 3"))
    made = torch.empty((*new_xyz.shape[:2], nsample), dtype=torch.int32)
    for found, points, centres in zip(made, xyz, new_xyz, strict=True):
        found.copy_(within(centres, points, radius, nsample).clamp(min=0))
    return made


class BallQuery:
    apply = staticmethod(ball_query)


class FarthestPointSampling:
    apply = staticmethod(farthest_point_sample)


class GatherOperation:
    apply = staticmethod(gather_operation)


class GroupingOperation:
    apply = staticmethod(grouping_operation)


class ThreeInterpolate:
    apply = staticmethod(three_interpolate)


class ThreeNN:
    apply = staticmethod(three_nn)


class QueryAndGroup(torch.nn.Module):
    """The points in a ball around each centre, relative to it, and their features."""

    def __init__(self, radius: float, nsample: int, use_xyz: bool = True) -> None:
        super().__init__()
        self.radius, self.nsample, self.use_xyz = radius, nsample, use_xyz

    def forward(
        self, xyz: torch.Tensor, new_xyz: torch.Tensor, features: torch.Tensor | None = None
    ) -> torch.Tensor:
        """(B, 3 + C, M, nsample) of (B, N, 3) points, (B, M, 3) centres and (B, C, N) features."""
        _check_use_xyz("QueryAndGroup", self.use_xyz, features)
        idx = ball_query(self.radius, self.nsample, xyz, new_xyz)
        if features is not None and not self.use_xyz:
            return grouping_operation(features, idx)
        grouped = grouping_operation(xyz.mT, idx) - new_xyz.mT[..., None]
        return grouped if features is None else torch.cat((grouped, grouping_operation(features, idx)), 1)


class GroupAll(torch.nn.Module):
    """All points as one group."""

    def __init__(self, use_xyz: bool = True) -> None:
        super().__init__()
        self.use_xyz = use_xyz

    def forward(
        self, xyz: torch.Tensor, new_xyz: torch.Tensor | None, features: torch.Tensor | None = None
    ) -> torch.Tensor:
        """(B, 3 + C, 1, N) of (B, N, 3) points and (B, C, N) features; ``new_xyz`` is not used."""
        if features is None:
            return xyz.mT[:, :, None]
        grouped = torch.cat((xyz.mT, features), 1) if self.use_xyz else features
        return grouped[:, :, None]


def _check_use_xyz(caller: str, use_xyz: bool, features: torch.Tensor | None) -> None:
    if features is None and not use_xyz:
        raise ValueError(f"{caller}: features is None, expected a tensor as use_xyz is False.")
