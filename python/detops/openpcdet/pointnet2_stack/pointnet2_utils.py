"""``pointnet2_stack.pointnet2_utils``: sampling and grouping of points in clouds one after another.

In plain torch: no operators of detops are behind it, so networks run, and are slow in these parts.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from .._checks import check_counts, check_indices, check_shapes
from .._neighbours import nearest_three, sample_furthest, within
from ..pointnet2_batch.pointnet2_utils import FarthestPointSampling, farthest_point_sample
from ._vector_pool import three_nn_for_vector_pool_by_two_step, vector_pool_with_voxel_query_op

__all__ = [
    "BallQuery",
    "FarthestPointSampling",
    "GroupingOperation",
    "QueryAndGroup",
    "StackFarthestPointSampling",
    "ThreeInterpolate",
    "ThreeNN",
    "ThreeNNForVectorPoolByTwoStep",
    "VectorPoolWithVoxelQuery",
    "ball_query",
    "farthest_point_sample",
    "furthest_point_sample",
    "grouping_operation",
    "stack_farthest_point_sample",
    "three_interpolate",
    "three_nn",
    "three_nn_for_vector_pool_by_two_step",
    "vector_pool_with_voxel_query_op",
]

furthest_point_sample = farthest_point_sample


def stack_farthest_point_sample(
    xyz: torch.Tensor, xyz_batch_cnt: torch.Tensor, npoint: int | Sequence[int] | torch.Tensor
) -> torch.Tensor:
    """int32 (sum of npoint): as in clouds of one size; indices are those of all rows."""
    caller = "stack_farthest_point_sample"
    check_shapes(caller, {}, xyz=(xyz, "N 3"))
    (counts,) = check_counts(caller, xyz_batch_cnt=(xyz_batch_cnt, len(xyz)))
    asked = npoint.tolist() if isinstance(npoint, torch.Tensor) else npoint
    wanted = [asked] * len(counts) if isinstance(asked, int) else list(asked)
    if len(wanted) != len(counts):
        raise ValueError(f"{caller}: npoint is {wanted}, expected a number for each of {len(counts)} clouds.")
    chosen, begin = [torch.empty(0, dtype=torch.int64)], 0
    for cloud, (points, count) in enumerate(zip(torch.split(xyz, counts), wanted, strict=True)):
        if count > 0 and not len(points):
            raise ValueError(f"{caller}: cloud {cloud} has no points, expected some for npoint = {count}.")
        chosen.append(sample_furthest(points, count) + begin)
        begin += len(points)
    return torch.cat(chosen).int()


def ball_query(
    radius: float,
    nsample: int,
    xyz: torch.Tensor,
    xyz_batch_cnt: torch.Tensor,
    new_xyz: torch.Tensor,
    new_xyz_batch_cnt: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """int32 (M, nsample) and bool (M,): the first points of a centre's cloud that are nearer than the
    radius, as indices of that cloud, and whether there are none (then 0).

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.pointnet2_stack.pointnet2_utils import ball_query
    >>> points = torch.tensor([[0.0, 0, 0], [1, 0, 0], [10, 0, 0], [11, 0, 0], [12, 0, 0]])
    >>> centres, one_each = points[[0, 3]], torch.tensor([1, 1])
    >>> ball_query(1.5, 2, points, torch.tensor([2, 3]), centres, one_each)[0]
    tensor([[0, 1],
            [0, 1]], dtype=torch.int32)
    """
    check_shapes("ball_query", {}, xyz=(xyz, "N 3"), new_xyz=(new_xyz, "M 3"))
    words = {"xyz_batch_cnt": (xyz_batch_cnt, len(xyz)), "new_xyz_batch_cnt": (new_xyz_batch_cnt, len(new_xyz))}
    of_points, of_centres = check_counts("ball_query", **words)
    found = [torch.empty((0, nsample), dtype=torch.int64)]
    for points, centres in zip(torch.split(xyz, of_points), torch.split(new_xyz, of_centres), strict=True):
        found.append(within(centres, points, radius, nsample))
    idx = torch.cat(found).int()
    return idx.clamp(min=0), (idx < 0).any(1)


def grouping_operation(
    features: torch.Tensor, features_batch_cnt: torch.Tensor, idx: torch.Tensor, idx_batch_cnt: torch.Tensor
) -> torch.Tensor:
    """(M, C, S): of (N, C) features those at (M, S), which are indices of a row's cloud."""
    caller = "grouping_operation"
    check_shapes(caller, {}, features=(features, "N C"), idx=(idx, "M S"))
    words = {"features_batch_cnt": (features_batch_cnt, len(features)), "idx_batch_cnt": (idx_batch_cnt, len(idx))}
    of_features, of_rows = map(torch.tensor, check_counts(caller, **words))
    size = of_features.repeat_interleave(of_rows)[:, None]
    begin = (of_features.cumsum(0) - of_features).repeat_interleave(of_rows)[:, None]
    places = check_indices(caller, "idx", idx, size) + begin
    return features[places].mT.contiguous()


def three_nn(
    unknown: torch.Tensor, unknown_batch_cnt: torch.Tensor, known: torch.Tensor, known_batch_cnt: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """(N, 3) twice: how far the three nearest points of its cloud are from each row, and which they are
    (int32, of all rows). Infinity and the cloud's first row where there are fewer than three.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.pointnet2_stack.pointnet2_utils import three_nn
    >>> known = torch.tensor([[5.0, 0, 0], [6, 0, 0], [1, 0, 0], [3, 0, 0]])
    >>> three_nn(torch.zeros(1, 3), torch.tensor([0, 1]), known, torch.tensor([2, 2]))
    (tensor([[1., 3., inf]]), tensor([[2, 3, 2]], dtype=torch.int32))
    """
    check_shapes("three_nn", {}, unknown=(unknown, "N 3"), known=(known, "M 3"))
    words = {"unknown_batch_cnt": (unknown_batch_cnt, len(unknown)), "known_batch_cnt": (known_batch_cnt, len(known))}
    of_unknown, of_known = check_counts("three_nn", **words)
    distances = unknown.new_empty(unknown.shape)
    indices = torch.empty(unknown.shape, dtype=torch.int32)
    row = begin = 0
    for rows, points in zip(torch.split(unknown, of_unknown), torch.split(known, of_known), strict=True):
        squares, found = nearest_three(rows, points)
        distances[row : row + len(rows)] = squares.sqrt()
        indices[row : row + len(rows)] = found + (begin if len(points) else 0)
        row, begin = row + len(rows), begin + len(points)
    return distances.detach(), indices


def three_interpolate(features: torch.Tensor, idx: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """(N, C): sums of three of (M, C) features, those at (N, 3), by (N, 3) weights.

    Differentiable with respect to the features.
    """
    words = {"features": (features, "M C"), "idx": (idx, "N 3"), "weight": (weight, "N 3")}
    check_shapes("three_interpolate", {}, **words)
    places = check_indices("three_interpolate", "idx", idx, len(features))
    one, two, three = (features[places] * weight.detach()[..., None]).unbind(1)
    return one + two + three


class BallQuery:
    apply = staticmethod(ball_query)


class GroupingOperation:
    apply = staticmethod(grouping_operation)


class StackFarthestPointSampling:
    apply = staticmethod(stack_farthest_point_sample)


class ThreeInterpolate:
    apply = staticmethod(three_interpolate)


class ThreeNN:
    apply = staticmethod(three_nn)


class ThreeNNForVectorPoolByTwoStep:
    apply = staticmethod(three_nn_for_vector_pool_by_two_step)


class VectorPoolWithVoxelQuery:
    apply = staticmethod(vector_pool_with_voxel_query_op)


class QueryAndGroup(torch.nn.Module):
    """The points in a ball around each centre, relative to it, and their features; zeros where there
    are none."""

    def __init__(self, radius: float, nsample: int, use_xyz: bool = True) -> None:
        super().__init__()
        self.radius, self.nsample, self.use_xyz = radius, nsample, use_xyz

    def forward(
        self,
        xyz: torch.Tensor,
        xyz_batch_cnt: torch.Tensor,
        new_xyz: torch.Tensor,
        new_xyz_batch_cnt: torch.Tensor,
        features: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(M, 3 + C, nsample) and the indices (M, nsample) of :func:`ball_query`."""
        if features is None and not self.use_xyz:
            raise ValueError("QueryAndGroup: features is None, expected a tensor as use_xyz is False.")
        counts = (xyz_batch_cnt, new_xyz_batch_cnt)
        idx, empty = ball_query(self.radius, self.nsample, xyz, counts[0], new_xyz, counts[1])
        parts = []
        if self.use_xyz:
            parts.append(grouping_operation(xyz, counts[0], idx, counts[1]) - new_xyz[..., None])
        if features is not None:
            parts.append(grouping_operation(features, counts[0], idx, counts[1]))
        return torch.cat(parts, 1).masked_fill(empty[:, None, None], 0), idx
