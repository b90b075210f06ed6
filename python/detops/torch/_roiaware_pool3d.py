"""RoI-aware 3-D pooling (PartA2), dense and compact."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from .._operators import _roiaware_pool3d as twins
from .._types import Pool, Size3, ZOrigin
from ._documentation import as_its_twin
from ._library import call, call_one, named, operators

__all__ = [
    "CompactPool",
    "RoiAwarePool",
    "roiaware_pool3d_backward",
    "roiaware_pool3d_compact_backward",
    "roiaware_pool3d_compact_forward",
    "roiaware_pool3d_forward",
]

_forward, _backward, _compact_forward, _compact_backward = operators(
    "roiaware_pool3d", "forward", "backward", "compact_forward", "compact_backward"
)


class RoiAwarePool(NamedTuple):
    """Result of :func:`roiaware_pool3d_forward`: the fields of :class:`detops.RoiAwarePool`."""

    pooled_features: torch.Tensor
    argmax: torch.Tensor | None
    pts_idx_of_voxels: torch.Tensor


class CompactPool(NamedTuple):
    """Result of :func:`roiaware_pool3d_compact_forward`: the fields of :class:`detops.CompactPool`."""

    voxels: torch.Tensor
    voxel_begins: torch.Tensor
    pts_idx: torch.Tensor
    pooled_features: torch.Tensor
    argmax: torch.Tensor | None


@as_its_twin(twins.roiaware_pool3d_forward)
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
    """Differentiable with respect to ``pts_feature``.

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


@as_its_twin(twins.roiaware_pool3d_backward)
def roiaware_pool3d_backward(
    grad_out: torch.Tensor,
    argmax: torch.Tensor | None,
    pts_idx_of_voxels: torch.Tensor | None,
    pts_num: int,
    *,
    pool: Pool = "max",
) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> grad, argmax = torch.full((1, 1, 1, 1, 1), 7.0), torch.full((1, 1, 1, 1, 1), 1)
    >>> detops.torch.roiaware_pool3d_backward(grad, argmax, None, 3).ravel().tolist()
    [0.0, 7.0, 0.0]
    """
    arguments = (grad_out, argmax, pts_idx_of_voxels, pts_num, pool)
    return call_one(_backward, (grad_out,), arguments)


@as_its_twin(twins.roiaware_pool3d_compact_forward)
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
    """Differentiable with respect to ``pts_feature``.

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


@as_its_twin(twins.roiaware_pool3d_compact_backward)
def roiaware_pool3d_compact_backward(
    grad_out: torch.Tensor,
    voxel_begins: torch.Tensor | None,
    pts_idx: torch.Tensor | None,
    argmax: torch.Tensor | None,
    pts_num: int,
    *,
    pool: Pool = "max",
) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> grad, begins, pts_idx = torch.tensor([[6.0]]), torch.tensor([0, 2]), torch.tensor([0, 2])
    >>> detops.torch.roiaware_pool3d_compact_backward(
    ...     grad, begins, pts_idx, None, 3, pool="avg").ravel().tolist()
    [3.0, 0.0, 3.0]
    """
    arguments = (grad_out, voxel_begins, pts_idx, argmax, pts_num, pool)
    return call_one(_compact_backward, (grad_out,), arguments)


# ---- shapes of results ---------------------------------------------------------------------------


def _pooled(a: Any) -> tuple[torch.Tensor, ...]:
    size = a.out_size if len(a.out_size) == 3 else (a.out_size[0],) * 3
    shape = (a.rois.shape[0], *size, a.pts_feature.shape[1])
    return (
        a.rois.new_empty(shape),
        a.rois.new_empty(shape if a.pool == "max" else (0,), dtype=torch.int32),
        a.rois.new_empty((*shape[:4], a.max_pts_each_voxel), dtype=torch.int32),
    )


def _compactly_pooled(a: Any) -> tuple[torch.Tensor, ...]:
    context = torch.library.get_ctx()
    voxels, points = context.new_dynamic_size(), context.new_dynamic_size()
    shape = (voxels, a.pts_feature.shape[1])
    shapes = ((voxels, 4), (voxels + 1,), (points,))
    return (
        *(a.rois.new_empty(each, dtype=torch.int32) for each in shapes),
        a.rois.new_empty(shape),
        a.rois.new_empty(shape if a.pool == "max" else (0,), dtype=torch.int32),
    )


def _spread(a: Any) -> Any:
    return a.grad_out.new_empty((a.pts_num, a.grad_out.shape[-1]))


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
    return None, None, made


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
    return None, None, made


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
        return (_pick(grad, indices),)
    lists = indices.reshape(-1, indices.shape[4]).long()
    counts = lists[:, 0]
    held = torch.arange(lists.shape[1] - 1) < counts[:, None]
    made = _average(grad, counts, lists[:, 1:][held])
    return (made.reshape(*indices.shape[:4], grad.shape[1]),)


def _save_compact_backward(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    _, begins, pts_idx, argmax, _, ctx.pool = inputs
    ctx.save_for_backward(*((argmax,) if ctx.pool == "max" else (begins, pts_idx)))


def _gradient_of_compact_backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    if ctx.pool == "max":
        return (_pick(grad, *ctx.saved_tensors),)
    begins, pts_idx = ctx.saved_tensors
    return (_average(grad, begins.long().diff(), pts_idx.long()),)


_forward.register(_pooled, _gradient_of_forward, _save_forward)
_backward.register(_spread, _gradient_of_backward, _save_backward)
_compact_forward.register(_compactly_pooled, _gradient_of_compact_forward, _save_compact_forward)
_compact_backward.register(_spread, _gradient_of_compact_backward, _save_compact_backward)
_forward.autocast_pooling(numbers=2, result=0)
_compact_forward.autocast_pooling(numbers=2, result=3)
_backward.autocast_pooling(numbers=0)
_compact_backward.autocast_pooling(numbers=0)
