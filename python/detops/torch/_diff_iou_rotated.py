"""IoU of rotated boxes, and of such boxes as bodies, for losses."""

from __future__ import annotations

import torch

from ._box_overlaps import box_iou_rotated, boxes_iou3d

__all__ = ["diff_iou_rotated_2d", "diff_iou_rotated_3d"]


def diff_iou_rotated_2d(box1: torch.Tensor, box2: torch.Tensor) -> torch.Tensor:
    """IoU of rotated boxes row by row, for losses: differentiable with respect to both.

    Parameters
    ----------
    box1, box2 : tensors (B, N, 5)
        (x, y, w, h, angle in radians from x to y)

    Returns
    -------
    tensor (B, N)

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[[0.0, 0, 4, 2, 0]], [[1, 0, 4, 2, 0]]])
    >>> detops.torch.diff_iou_rotated_2d(boxes[:1], boxes[1:])
    tensor([[0.6000]])
    """
    _check_rows("diff_iou_rotated_2d", 5, box1, box2)
    flat = (box1.reshape(-1, 5), box2.reshape(-1, 5))
    return box_iou_rotated(*flat, aligned=True).reshape(box1.shape[:2])


def diff_iou_rotated_3d(box3d1: torch.Tensor, box3d2: torch.Tensor) -> torch.Tensor:
    """IoU of boxes as bodies row by row, for losses: differentiable with respect to both.

    Parameters
    ----------
    box3d1, box3d2 : tensors (B, N, 7)
        (x, y, z, w, h, l, angle in radians from x to y); z is the centre, and l lies along z.

    Returns
    -------
    tensor (B, N)

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[[0.0, 0, 0, 2, 2, 2, 0]], [[0, 0, 1, 2, 2, 4, 0]]])
    >>> detops.torch.diff_iou_rotated_3d(boxes[:1], boxes[1:])
    tensor([[0.5000]])
    """
    _check_rows("diff_iou_rotated_3d", 7, box3d1, box3d2)
    flat = (box3d1.reshape(-1, 7), box3d2.reshape(-1, 7))
    return boxes_iou3d(*flat, aligned=True).reshape(box3d1.shape[:2])


def _check_rows(function: str, columns: int, *boxes: torch.Tensor) -> None:
    shapes = [list(box.shape) for box in boxes]
    if len(shapes[0]) != 3 or shapes[0][2] != columns or shapes[1] != shapes[0]:
        raise ValueError(
            f"{function}: shapes are {shapes[0]} and {shapes[1]}, expected (B, N, {columns}) twice."
        )
