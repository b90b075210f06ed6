"""RoI-aware 3-D pooling (PartA2), dense and compact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from .._types import Pool, Size3, ZOrigin
from ._library import Operator, autocast_pooling, call, named, register

__all__ = [
    "CompactPool",
    "RoiAwarePool",
    "roiaware_pool3d_backward",
    "roiaware_pool3d_compact_backward",
    "roiaware_pool3d_compact_forward",
    "roiaware_pool3d_forward",
]

_forward = Operator("roiaware_pool3d_forward")
_backward = Operator("roiaware_pool3d_backward")
_compact_forward = Operator("roiaware_pool3d_compact_forward")
_compact_backward = Operator("roiaware_pool3d_compact_backward")


class RoiAwarePool(NamedTuple):
    """Result of :func:`roiaware_pool3d_forward`; empty voxels are there, as zeros."""

    pooled_features: torch.Tensor
    """(B, X, Y, Z, C)"""
    argmax: torch.Tensor | None
    """(B, X, Y, Z, C) int32: the point with the maximum, -1 if none. None for pool="avg"."""
    pts_idx_of_voxels: torch.Tensor
    """(B, X, Y, Z, M) int32: the number of points n of the voxel, n point indices, then zeros."""


class CompactPool(NamedTuple):
    """Result of :func:`roiaware_pool3d_compact_forward`: V voxels that hold E points in all."""

    voxels: torch.Tensor
    """(V, 4) int32: (box, x, y, z), ascending; what the sparse convolutions take as indices."""
    voxel_begins: torch.Tensor
    """(V + 1,) int32: voxel v holds ``pts_idx[voxel_begins[v]:voxel_begins[v + 1]]``."""
    pts_idx: torch.Tensor
    """(E,) int32"""
    pooled_features: torch.Tensor
    """(V, C)"""
    argmax: torch.Tensor | None
    """(V, C) int32: the point with the maximum, -1 if none. None for pool="avg"."""


def roiaware_pool3d_forward(
    rois: torch.Tensor,
    pts: torch.Tensor,
    pts_feature: torch.Tensor,
    out_size: Size3,
    max_pts_each_voxel: int = 128,
    *,
    pool: Pool = "max",
    z_origin: ZOrigin = "bottom",
    xy_margin: float = 0.0,
) -> RoiAwarePool:
    """Cut every box into voxels and pool the features of the points in each.

    Differentiable with respect to ``pts_feature``.

    Parameters
    ----------
    rois : tensor (B, 7)
        (x, y, z, dx, dy, dz, angle in radians) of each box.
    pts : tensor (P, 3), of the same type
    pts_feature : tensor (P, C), of the same type
    out_size : int or (X, Y, Z)
        Voxels of a box along its own axes.
    max_pts_each_voxel : int
        A voxel keeps the first ``max_pts_each_voxel - 1`` points.
    pool : "max" or "avg"
    z_origin : "bottom" or "center"
        Whether z of a box is its bottom (mmcv) or its centre (OpenPCDet).
    xy_margin : float
        How much boxes are wider on each side along x and y (OpenPCDet: 1e-5).

    Returns
    -------
    RoiAwarePool

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> rois = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0]])
    >>> pts, features = torch.tensor([[-0.5, 0, 1], [0.5, 0, 1]]), torch.tensor([[3.0], [5.0]])
    >>> pooled = detops.torch.roiaware_pool3d_forward(rois, pts, features, (2, 1, 1))
    >>> pooled.pooled_features.ravel().tolist(), pooled.argmax.ravel().tolist()
    ([3.0, 5.0], [0, 1])
    """
    size = (out_size,) if isinstance(out_size, int) else out_size
    arguments = (rois, pts, pts_feature, size, max_pts_each_voxel, pool, z_origin, xy_margin)
    made = call(_forward, (pts_feature,), arguments)
    return named(RoiAwarePool, made if pool == "max" else (made[0], None, made[2]))


def roiaware_pool3d_backward(
    grad_out: torch.Tensor,
    argmax: torch.Tensor | None,
    pts_idx_of_voxels: torch.Tensor | None,
    pts_num: int,
    *,
    pool: Pool = "max",
) -> torch.Tensor:
    """Gradient of :func:`roiaware_pool3d_forward` with respect to ``pts_feature``.

    Parameters
    ----------
    grad_out : tensor (B, X, Y, Z, C)
        Gradient of ``pooled_features``.
    argmax : tensor (B, X, Y, Z, C) of int, or None
        Forward's; read for "max" only.
    pts_idx_of_voxels : tensor (B, X, Y, Z, M) of int, or None
        Forward's; read for "avg" only.
    pts_num : int
        P, the number of points.
    pool : "max" or "avg"

    Returns
    -------
    tensor (P, C)

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> grad, argmax = torch.full((1, 1, 1, 1, 1), 7.0), torch.full((1, 1, 1, 1, 1), 1)
    >>> detops.torch.roiaware_pool3d_backward(grad, argmax, None, 3).ravel().tolist()
    [0.0, 7.0, 0.0]
    """
    arguments = (grad_out, argmax, pts_idx_of_voxels, pts_num, pool)
    made: torch.Tensor = call(_backward, (grad_out,), arguments)
    return made


def roiaware_pool3d_compact_forward(
    rois: torch.Tensor,
    pts: torch.Tensor,
    pts_feature: torch.Tensor,
    out_size: Size3,
    max_pts_each_voxel: int = 128,
    *,
    pool: Pool = "max",
    z_origin: ZOrigin = "bottom",
    xy_margin: float = 0.0,
) -> CompactPool:
    """As :func:`roiaware_pool3d_forward`, but only voxels that hold points are in the result.

    Where most voxels are empty this takes a small part of the time and memory. Differentiable with
    respect to ``pts_feature``.

    Parameters
    ----------
    rois, pts, pts_feature, out_size, max_pts_each_voxel, pool, z_origin, xy_margin
        As there.

    Returns
    -------
    CompactPool

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> rois = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0]])
    >>> pts, features = torch.tensor([[-0.5, 0, 1], [0.5, 0, 1]]), torch.tensor([[3.0], [5.0]])
    >>> compact = detops.torch.roiaware_pool3d_compact_forward(rois, pts, features, (8, 1, 1))
    >>> compact.voxels.tolist(), compact.pooled_features.ravel().tolist()
    ([[0, 2, 0, 0], [0, 6, 0, 0]], [3.0, 5.0])
    """
    size = (out_size,) if isinstance(out_size, int) else out_size
    arguments = (rois, pts, pts_feature, size, max_pts_each_voxel, pool, z_origin, xy_margin)
    made = call(_compact_forward, (pts_feature,), arguments)
    return named(CompactPool, made if pool == "max" else (*made[:4], None))


def roiaware_pool3d_compact_backward(
    grad_out: torch.Tensor,
    voxel_begins: torch.Tensor | None,
    pts_idx: torch.Tensor | None,
    argmax: torch.Tensor | None,
    pts_num: int,
    *,
    pool: Pool = "max",
) -> torch.Tensor:
    """Gradient of :func:`roiaware_pool3d_compact_forward` with respect to ``pts_feature``.

    Parameters
    ----------
    grad_out : tensor (V, C)
        Gradient of ``pooled_features``.
    voxel_begins : tensor (V + 1,) of int, or None
    pts_idx : tensor (E,) of int, or None
        Forward's; read for "avg" only.
    argmax : tensor (V, C) of int, or None
        Forward's; read for "max" only.
    pts_num : int
        P, the number of points.
    pool : "max" or "avg"

    Returns
    -------
    tensor (P, C)

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> grad, begins, pts_idx = torch.tensor([[6.0]]), torch.tensor([0, 2]), torch.tensor([0, 2])
    >>> detops.torch.roiaware_pool3d_compact_backward(
    ...     grad, begins, pts_idx, None, 3, pool="avg").ravel().tolist()
    [3.0, 0.0, 3.0]
    """
    arguments = (grad_out, voxel_begins, pts_idx, argmax, pts_num, pool)
    made: torch.Tensor = call(_compact_backward, (grad_out,), arguments)
    return made


# ---- shapes of results ---------------------------------------------------------------------------


def _fake_forward(
    rois: torch.Tensor,
    pts: torch.Tensor,
    pts_feature: torch.Tensor,
    out_size: Sequence[int],
    max_pts_each_voxel: int = 128,
    pool: str = "max",
    *_: Any,
) -> tuple[torch.Tensor, ...]:
    size = out_size if len(out_size) == 3 else (out_size[0],) * 3
    shape = (rois.shape[0], *size, pts_feature.shape[1])
    return (
        rois.new_empty(shape),
        rois.new_empty(shape if pool == "max" else (0,), dtype=torch.int32),
        rois.new_empty((*shape[:4], max_pts_each_voxel), dtype=torch.int32),
    )


def _fake_compact_forward(
    rois: torch.Tensor,
    pts: torch.Tensor,
    pts_feature: torch.Tensor,
    out_size: Sequence[int],
    max_pts_each_voxel: int = 128,
    pool: str = "max",
    *_: Any,
) -> tuple[torch.Tensor, ...]:
    context = torch.library.get_ctx()
    voxels, points = context.new_dynamic_size(), context.new_dynamic_size()
    shape = (voxels, pts_feature.shape[1])
    return (
        rois.new_empty((voxels, 4), dtype=torch.int32),
        rois.new_empty((voxels + 1,), dtype=torch.int32),
        rois.new_empty((points,), dtype=torch.int32),
        rois.new_empty(shape),
        rois.new_empty(shape if pool == "max" else (0,), dtype=torch.int32),
    )


def _fake_backward(
    grad_out: torch.Tensor, argmax: Any, pts_idx_of_voxels: Any, pts_num: int, *_: Any
) -> torch.Tensor:
    return grad_out.new_empty((pts_num, grad_out.shape[4]))


def _fake_compact_backward(
    grad_out: torch.Tensor, voxel_begins: Any, pts_idx: Any, argmax: Any, pts_num: int, *_: Any
) -> torch.Tensor:
    return grad_out.new_empty((pts_num, grad_out.shape[1]))


# ---- gradients -----------------------------------------------------------------------------------


def _save_forward(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.pool = inputs[5]
    ctx.pts_num = inputs[2].shape[0]
    _, argmax, pts_idx = output
    ctx.save_for_backward(argmax if ctx.pool == "max" else pts_idx)
    ctx.mark_non_differentiable(argmax, pts_idx)


def _gradient_of_forward(ctx: Any, grad: torch.Tensor, *_: Any) -> tuple[Any, ...]:
    (indices,) = ctx.saved_tensors
    lists = (indices, None) if ctx.pool == "max" else (None, indices)
    made = call(_backward, (grad,), (grad, *lists, ctx.pts_num, ctx.pool))
    return None, None, made, None, None, None, None, None


def _save_compact_forward(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.pool = inputs[5]
    ctx.pts_num = inputs[2].shape[0]
    voxels, begins, pts_idx, _, argmax = output
    ctx.save_for_backward(*((argmax,) if ctx.pool == "max" else (begins, pts_idx)))
    ctx.mark_non_differentiable(voxels, begins, pts_idx, argmax)


def _gradient_of_compact_forward(ctx: Any, *grads: torch.Tensor) -> tuple[Any, ...]:
    saved = ctx.saved_tensors
    lists = (None, None, *saved) if ctx.pool == "max" else (*saved, None)
    made = call(_compact_backward, grads[3:4], (grads[3], *lists, ctx.pts_num, ctx.pool))
    return None, None, made, None, None, None, None, None


# The adjoints of the gradients, for second derivatives: forward on points that were found before.


def _pick(features: torch.Tensor, argmax: torch.Tensor) -> torch.Tensor:
    points, channels = features.shape
    # Voxels without points pick from a row of zeros behind the last point.
    rows = torch.where(argmax >= 0, argmax, points).reshape(-1, channels).long()
    return torch.cat([features, features.new_zeros((1, channels))]).gather(0, rows).reshape(
        argmax.shape
    )


def _average(features: torch.Tensor, counts: torch.Tensor, points: torch.Tensor) -> torch.Tensor:
    voxels = torch.arange(counts.shape[0]).repeat_interleave(counts)
    sums = features.new_zeros((counts.shape[0], features.shape[1]))
    sums = sums.index_add(0, voxels, features[points])
    return sums / counts.clamp(min=1)[:, None]


def _save_backward(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    _, argmax, pts_idx, _, ctx.pool = inputs
    ctx.save_for_backward(argmax if ctx.pool == "max" else pts_idx)


def _gradient_of_backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    (indices,) = ctx.saved_tensors
    if ctx.pool == "max":
        return _pick(grad, indices), None, None, None, None
    lists = indices.reshape(-1, indices.shape[4]).long()
    counts = lists[:, 0]
    held = torch.arange(lists.shape[1] - 1) < counts[:, None]
    made = _average(grad, counts, lists[:, 1:][held])
    return made.reshape(*indices.shape[:4], grad.shape[1]), None, None, None, None


def _save_compact_backward(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    _, begins, pts_idx, argmax, _, ctx.pool = inputs
    ctx.save_for_backward(*((argmax,) if ctx.pool == "max" else (begins, pts_idx)))


def _gradient_of_compact_backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    if ctx.pool == "max":
        return _pick(grad, *ctx.saved_tensors), None, None, None, None, None
    begins, pts_idx = ctx.saved_tensors
    made = _average(grad, begins.long().diff(), pts_idx.long())
    return made, None, None, None, None, None


register(_forward, _fake_forward, _gradient_of_forward, _save_forward)
register(_backward, _fake_backward, _gradient_of_backward, _save_backward)
register(
    _compact_forward, _fake_compact_forward, _gradient_of_compact_forward, _save_compact_forward
)
register(
    _compact_backward, _fake_compact_backward, _gradient_of_compact_backward, _save_compact_backward
)
autocast_pooling("roiaware_pool3d_forward", numbers=2, result=0)
autocast_pooling("roiaware_pool3d_compact_forward", numbers=2, result=3)
autocast_pooling("roiaware_pool3d_backward", numbers=0)
autocast_pooling("roiaware_pool3d_compact_backward", numbers=0)
