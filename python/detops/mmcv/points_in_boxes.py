"""Which boxes hold which points: ``mmcv.ops.points_in_boxes``."""

from __future__ import annotations

import torch

from ..torch._drop_ins import check_batches, find_all_boxes, find_first_box

__all__ = ["points_in_boxes_all", "points_in_boxes_cpu", "points_in_boxes_part"]


def points_in_boxes_part(points: torch.Tensor, boxes: torch.Tensor) -> torch.Tensor:
    """The first box that holds each point.

    Parameters
    ----------
    points : tensor (B, M, 3)
    boxes : tensor (B, T, 7)
        (x, y, z, dx, dy, dz, angle in radians); z is the bottom. Along x and y the faces do not
        belong to a box, along z they do.

    Returns
    -------
    int32 tensor (B, M)
        -1 where no box holds the point.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv
    >>> boxes = torch.tensor([[[9.0, 9, 0, 2, 2, 2, 0], [0, 0, 0, 2, 2, 2, 0]]])
    >>> points = torch.tensor([[[0.5, 0, 2], [0.5, 0, 2.1]]])
    >>> detops.mmcv.points_in_boxes_part(points, boxes)
    tensor([[ 1, -1]], dtype=torch.int32)
    """
    check_batches("points_in_boxes_part", points, boxes)
    return find_first_box(points, boxes)


def points_in_boxes_all(points: torch.Tensor, boxes: torch.Tensor) -> torch.Tensor:
    """All boxes that hold each point.

    Parameters
    ----------
    points, boxes
        As :func:`points_in_boxes_part`.

    Returns
    -------
    int32 tensor (B, M, T)
        1 where box t holds point m, else 0.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv
    >>> boxes = torch.tensor([[[0.0, 0, 0, 2, 2, 2, 0], [0, 0, 0, 4, 4, 4, 0.7]]])
    >>> points = torch.tensor([[[0.5, 0, 1], [0, 0, 3]]])
    >>> detops.mmcv.points_in_boxes_all(points, boxes)
    tensor([[[1, 1],
             [0, 1]]], dtype=torch.int32)
    """
    return _find_all("points_in_boxes_all", points, boxes)


def points_in_boxes_cpu(points: torch.Tensor, boxes: torch.Tensor) -> torch.Tensor:
    """The same as :func:`points_in_boxes_all`.

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv
    >>> boxes, points = torch.tensor([[[0.0, 0, 0, 2, 2, 2, 0]]]), torch.zeros(1, 1, 3)
    >>> detops.mmcv.points_in_boxes_cpu(points, boxes)
    tensor([[[1]]], dtype=torch.int32)
    """
    return _find_all("points_in_boxes_cpu", points, boxes)


def _find_all(function: str, points: torch.Tensor, boxes: torch.Tensor) -> torch.Tensor:
    check_batches(function, points, boxes)
    shape = (*points.shape[:2], boxes.shape[1])
    found = torch.zeros(shape, dtype=torch.int32, device=points.device)
    for one_found, one_points, one_boxes in zip(found, points, boxes, strict=True):
        find_all_boxes(one_points, one_boxes, one_found.T)
    return found
