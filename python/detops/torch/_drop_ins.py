"""What the drop-ins for several packages share: mixed types, points in boxes, pooling."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .._types import Pool, ZOrigin
from ._roiaware_pool3d import roiaware_pool3d_compact_forward
from ._sentences import check_finite, check_tensors, sizes_of, told_as

__all__ = [
    "call_in_one_type",
    "check_batches",
    "find_all_boxes",
    "find_first_box",
    "in_one_type",
    "pool_points",
    "tensor_of",
]

# Of a box times points, the elements that are looked at together: they stay in the caches.
_BLOCK = 1 << 18
_BOXES_OF_A_BLOCK = 256


def in_one_type(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The tensors in the widest of their types, because the operators take only one."""
    dtype = functools.reduce(torch.promote_types, (tensor.dtype for tensor in tensors))
    return tuple(tensor.to(dtype) for tensor in tensors)


def call_in_one_type(
    caller: str, function: Callable[..., torch.Tensor], *, names: Sequence[str] = (), **arguments: Any
) -> torch.Tensor:
    """A function of detops.torch of two lists of rows, which come first in ``arguments``.

    ``names`` are those that the function itself has for them, if it has others.
    """
    (first, left), (second, right), *words = arguments.items()
    check_tensors(caller, **{first: left, second: right})
    renamed = dict(zip(names, (first, second), strict=False))
    return told_as(caller, renamed, function, *in_one_type(left, right), **dict(words))


def tensor_of(array: torch.Tensor | npt.NDArray[Any]) -> torch.Tensor:
    """A tensor in the memory of an array; what is no array as it is."""
    if not isinstance(array, np.ndarray):
        return array
    # torch takes no negative strides and warns of arrays that cannot be written to.
    return torch.from_numpy(np.require(array, requirements=["C", "W"]))


def pool_points(
    rois: torch.Tensor,
    pts: torch.Tensor,
    pts_feature: torch.Tensor,
    out_size: int | Sequence[int],
    max_pts: int,
    *,
    pool: Pool,
    z_origin: ZOrigin,
    xy_margin: float,
    name_of_max_pts: str,
) -> torch.Tensor:
    """RoI-aware pooling to (B, X, Y, Z, C), in the type of the features.

    It goes through the voxels that hold points: what the dense operator returns beside the result,
    max_pts indices for each voxel, is much larger than all the rest, and nobody would see it.
    """
    caller = "RoIAwarePool3d"
    x, y, z = sizes_of(caller, 3, out_size=out_size)
    check_tensors(caller, rois=rois, pts=pts, pts_feature=pts_feature)
    boxes, points, features = in_one_type(rois, pts, pts_feature)
    compact = told_as(
        caller,
        {"max_pts_each_voxel": name_of_max_pts},
        roiaware_pool3d_compact_forward,
        boxes,
        points,
        features,
        (x, y, z),
        max_pts,
        pool=pool,
        z_origin=z_origin,
        xy_margin=xy_margin,
    )
    box, i, j, k = compact.voxels.long().unbind(1)
    values = compact.pooled_features
    boxes_num, channels = rois.shape[0], values.shape[1]
    dense = values.new_zeros((boxes_num * x * y * z, channels))
    dense.index_copy_(0, ((box * x + i) * y + j) * z + k, values)
    return dense.reshape(boxes_num, x, y, z, channels).to(pts_feature.dtype)


def check_batches(function: str, points: torch.Tensor, boxes: torch.Tensor) -> None:
    """Refuse what is not (B, M, 3) and (B, T, 7)."""
    check_tensors(function, points=points, boxes=boxes)
    for name, tensor, last in (("points", points, 3), ("boxes", boxes, 7)):
        if tensor.ndim != 3 or tensor.shape[2] != last:
            letter = "M" if name == "points" else "T"
            raise ValueError(
                f"{function}: {name} has shape {list(tensor.shape)}, "
                f"expected (B, {letter}, {last})."
            )
    if points.shape[0] != boxes.shape[0]:
        raise ValueError(
            f"{function}: boxes has extent {boxes.shape[0]} on axis 0, expected "
            f"B = {points.shape[0]} as in points."
        )
    check_finite(function, boxes=boxes)


def _limit(size: torch.Tensor, margin: float) -> torch.Tensor:
    """The least number of the type that is not below size / 2 + margin.

    A number of that type is below one exactly if it is below the other.
    """
    exact = size.double() / 2 + margin
    rounded = exact.to(size.dtype)
    above = torch.nextafter(rounded, torch.full_like(rounded, torch.inf))
    return torch.where(rounded.double() < exact, above, rounded)


def _is_inside(
    points: torch.Tensor, boxes: torch.Tensor, z_origin: ZOrigin, xy_margin: float
) -> torch.Tensor:
    """(T, M) bool: whether box t holds point m. The rule of the pooling, rounding by rounding."""
    x, y, z = points.unbind(1)
    cx, cy, cz, dx, dy, dz, angle = boxes[:, :, None].unbind(1)
    cosine, sine = (turn(-angle.double()).to(boxes.dtype) for turn in (torch.cos, torch.sin))
    middle = cz + dz / 2 if z_origin == "bottom" else cz
    right, up = x - cx, y - cy
    inside = (z - middle).abs_() <= dz / 2
    inside &= (right * cosine - up * sine).abs_() < _limit(dx, xy_margin)
    inside &= (right * sine + up * cosine).abs_() < _limit(dy, xy_margin)
    return inside


def _blocks(
    points: torch.Tensor, boxes: torch.Tensor, z_origin: ZOrigin, xy_margin: float
) -> Iterator[tuple[slice, slice, torch.Tensor]]:
    """Pieces of the (T, M) matrix of :func:`_is_inside`; a point's boxes come in their order."""
    points, boxes = in_one_type(points, boxes)
    if points.dtype != torch.float64:
        points, boxes = points.float(), boxes.float()
    height = max(1, min(boxes.shape[0], _BOXES_OF_A_BLOCK))
    width = _BLOCK // height
    for first_box in range(0, boxes.shape[0], height):
        for first_point in range(0, points.shape[0], width):
            rows = slice(first_box, first_box + height)
            columns = slice(first_point, first_point + width)
            yield rows, columns, _is_inside(points[columns], boxes[rows], z_origin, xy_margin)


@torch.no_grad()
def find_all_boxes(
    points: torch.Tensor,
    boxes: torch.Tensor,
    out: torch.Tensor,
    *,
    z_origin: ZOrigin = "bottom",
    xy_margin: float = 0.0,
) -> None:
    """Write into ``out`` (T, M) 1 where a box holds a point, and 0 where not."""
    for rows, columns, inside in _blocks(points, boxes, z_origin, xy_margin):
        out[rows, columns] = inside


@torch.no_grad()
def find_first_box(
    points: torch.Tensor,
    boxes: torch.Tensor,
    *,
    z_origin: ZOrigin = "bottom",
    xy_margin: float = 0.0,
) -> torch.Tensor:
    """(B, M) int32: of (B, M, 3) points the first box of (B, T, 7) that holds it, -1 if none."""
    none = boxes.shape[1]
    found = torch.full(points.shape[:2], none, dtype=torch.int32, device=points.device)
    for one_found, one_points, one_boxes in zip(found, points, boxes, strict=True):
        for rows, columns, inside in _blocks(one_points, one_boxes, z_origin, xy_margin):
            numbers = torch.arange(none, dtype=torch.int32, device=points.device)[rows, None]
            first = torch.where(inside, numbers, none).amin(0)
            one_found[columns] = torch.minimum(one_found[columns], first)
    return found.masked_fill_(found == none, -1)
