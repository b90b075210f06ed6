"""Samples, groups and neighbours of points, as PV-RCNN, PointRCNN and 3DSSD ask for them."""

from __future__ import annotations

import torch

from ...openpcdet._checks import check_counts, check_shapes
from ...openpcdet._neighbours import gathered, nearest_three, within
from ...openpcdet.pointnet2_stack.pointnet2_utils import grouping_operation
from ...openpcdet.roipoint_pool3d_utils import pool_points
from ..furthest_point_sample import furthest_point_sample, furthest_point_sample_with_dist

__all__ = [
    "ball_query_forward",
    "furthest_point_sampling_forward",
    "furthest_point_sampling_with_dist_forward",
    "gather_points_backward",
    "gather_points_forward",
    "group_points_backward",
    "group_points_forward",
    "roipoint_pool3d_forward",
    "stack_ball_query_forward",
    "stack_group_points_backward",
    "stack_group_points_forward",
    "three_interpolate_backward",
    "three_interpolate_forward",
    "three_nn_forward",
]

# ---- samples and neighbours ----------------------------------------------------------------------


def furthest_point_sampling_forward(
    points_tensor: torch.Tensor, temp_tensor: torch.Tensor, idx_tensor: torch.Tensor, b: int, n: int, m: int
) -> None:
    """(B, m) of (B, n, 3) points; ``temp_tensor`` is not needed."""
    idx_tensor.copy_(furthest_point_sample(points_tensor, m))


def furthest_point_sampling_with_dist_forward(
    points_tensor: torch.Tensor, temp_tensor: torch.Tensor, idx_tensor: torch.Tensor, b: int, n: int, m: int
) -> None:
    """(B, m), from (B, n, n) distances."""
    idx_tensor.copy_(furthest_point_sample_with_dist(points_tensor, m))


def ball_query_forward(
    new_xyz_tensor: torch.Tensor,
    xyz_tensor: torch.Tensor,
    idx_tensor: torch.Tensor,
    b: int,
    n: int,
    m: int,
    min_radius: float,
    max_radius: float,
    nsample: int,
) -> None:
    """(B, M, nsample); rows of balls without points stay as they are."""
    check_shapes("ball_query", {}, xyz=(xyz_tensor, "B N 3"), center_xyz=(new_xyz_tensor, "B M 3"))
    for found, points, centres in zip(idx_tensor, xyz_tensor, new_xyz_tensor, strict=True):
        chosen = within(centres, points, max_radius, nsample, least=min_radius)
        found.copy_(torch.where(chosen < 0, found, chosen))


def stack_ball_query_forward(
    new_xyz_tensor: torch.Tensor,
    new_xyz_batch_cnt_tensor: torch.Tensor,
    xyz_tensor: torch.Tensor,
    xyz_batch_cnt_tensor: torch.Tensor,
    idx_tensor: torch.Tensor,
    max_radius: float,
    nsample: int,
) -> None:
    """(M, nsample), indices of a centre's cloud; -1 and zeros in balls without points."""
    check_shapes("ball_query", {}, xyz=(xyz_tensor, "N 3"), center_xyz=(new_xyz_tensor, "M 3"))
    of_points, of_centres = check_counts(
        "ball_query",
        xyz_batch_cnt=(xyz_batch_cnt_tensor, len(xyz_tensor)),
        center_xyz_batch_cnt=(new_xyz_batch_cnt_tensor, len(new_xyz_tensor)),
    )
    clouds = zip(
        torch.split(idx_tensor, of_centres),
        torch.split(xyz_tensor, of_points),
        torch.split(new_xyz_tensor, of_centres),
        strict=True,
    )
    for found, points, centres in clouds:
        chosen = within(centres, points, max_radius, nsample)
        chosen[:, 1:].clamp_(min=0)
        found.copy_(chosen)


def three_nn_forward(
    unknown_tensor: torch.Tensor,
    known_tensor: torch.Tensor,
    dist2_tensor: torch.Tensor,
    idx_tensor: torch.Tensor,
    b: int,
    n: int,
    m: int,
) -> None:
    """Squared distances and indices (B, n, 3)."""
    check_shapes("three_nn", {}, target=(unknown_tensor, "B N 3"), source=(known_tensor, "B M 3"))
    for cloud in range(len(unknown_tensor)):
        squares, found = nearest_three(unknown_tensor[cloud], known_tensor[cloud])
        dist2_tensor[cloud], idx_tensor[cloud] = squares, found


# ---- groups --------------------------------------------------------------------------------------


def _given_back(grad_out: torch.Tensor, idx: torch.Tensor, grad_features: torch.Tensor) -> None:
    places = idx.long().flatten(1)[:, None].expand(-1, grad_out.shape[1], -1)
    grad_features.scatter_add_(2, places, grad_out.flatten(2))


def gather_points_forward(
    points_tensor: torch.Tensor,
    idx_tensor: torch.Tensor,
    out_tensor: torch.Tensor,
    b: int,
    c: int,
    n: int,
    npoints: int,
) -> None:
    check_shapes("gather_points", {}, features=(points_tensor, "B C N"), indices=(idx_tensor, "B M"))
    out_tensor.copy_(gathered("gather_points", "indices", points_tensor, idx_tensor))


def gather_points_backward(
    grad_out_tensor: torch.Tensor,
    idx_tensor: torch.Tensor,
    grad_points_tensor: torch.Tensor,
    b: int,
    c: int,
    n: int,
    npoints: int,
) -> None:
    _given_back(grad_out_tensor, idx_tensor, grad_points_tensor)


def group_points_forward(
    points_tensor: torch.Tensor,
    idx_tensor: torch.Tensor,
    out_tensor: torch.Tensor,
    b: int,
    c: int,
    n: int,
    npoints: int,
    nsample: int,
) -> None:
    check_shapes("grouping_operation", {}, features=(points_tensor, "B C N"), indices=(idx_tensor, "B M S"))
    out_tensor.copy_(gathered("grouping_operation", "indices", points_tensor, idx_tensor))


def group_points_backward(
    grad_out_tensor: torch.Tensor,
    idx_tensor: torch.Tensor,
    grad_points_tensor: torch.Tensor,
    b: int,
    c: int,
    n: int,
    npoints: int,
    nsample: int,
) -> None:
    _given_back(grad_out_tensor, idx_tensor, grad_points_tensor)


def stack_group_points_forward(
    features_tensor: torch.Tensor,
    features_batch_cnt_tensor: torch.Tensor,
    idx_tensor: torch.Tensor,
    idx_batch_cnt_tensor: torch.Tensor,
    out_tensor: torch.Tensor,
    b: int,
    c: int,
    m: int,
    nsample: int,
) -> None:
    """(M, C, nsample); indices are those of a row's cloud."""
    counts = (features_batch_cnt_tensor, idx_batch_cnt_tensor)
    out_tensor.copy_(grouping_operation(features_tensor, counts[0], idx_tensor, counts[1]))


def stack_group_points_backward(
    grad_out_tensor: torch.Tensor,
    idx_tensor: torch.Tensor,
    idx_batch_cnt_tensor: torch.Tensor,
    features_batch_cnt_tensor: torch.Tensor,
    grad_features_tensor: torch.Tensor,
    b: int,
    c: int,
    m: int,
    n: int,
    nsample: int,
) -> None:
    of_features, of_rows = features_batch_cnt_tensor.long(), idx_batch_cnt_tensor.long()
    begins = (of_features.cumsum(0) - of_features).repeat_interleave(of_rows)
    places = (idx_tensor.long() + begins[:, None]).flatten()
    grad_features_tensor.index_add_(0, places, grad_out_tensor.mT.flatten(0, 1))


# ---- between points ------------------------------------------------------------------------------


def three_interpolate_forward(
    points_tensor: torch.Tensor,
    idx_tensor: torch.Tensor,
    weight_tensor: torch.Tensor,
    out_tensor: torch.Tensor,
    b: int,
    c: int,
    m: int,
    n: int,
) -> None:
    words = {"features": (points_tensor, "B C M"), "indices": (idx_tensor, "B N 3"), "weight": (weight_tensor, "B N 3")}
    check_shapes("three_interpolate", {}, **words)
    parts = gathered("three_interpolate", "indices", points_tensor, idx_tensor) * weight_tensor[:, None]
    out_tensor.copy_(parts[..., 0] + parts[..., 1] + parts[..., 2])


def three_interpolate_backward(
    grad_out_tensor: torch.Tensor,
    idx_tensor: torch.Tensor,
    weight_tensor: torch.Tensor,
    grad_points_tensor: torch.Tensor,
    b: int,
    c: int,
    n: int,
    m: int,
) -> None:
    parts = (grad_out_tensor[..., None] * weight_tensor[:, None]).to(grad_points_tensor.dtype)
    _given_back(parts, idx_tensor, grad_points_tensor)


def roipoint_pool3d_forward(
    xyz: torch.Tensor,
    boxes3d: torch.Tensor,
    pts_feature: torch.Tensor,
    pooled_features: torch.Tensor,
    pooled_empty_flag: torch.Tensor,
) -> None:
    """The first points in each box, whose z is the bottom, and their features (B, M, S, 3 + C)."""
    made = pool_points(xyz, pts_feature, boxes3d, pooled_features.shape[2], z_origin="bottom", xy_margin=0.0)
    pooled_features.copy_(made[0])
    pooled_empty_flag.copy_(made[1])
