"""How much boxes overlap, what is learnt from it, and which points lie in boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import torch

from .._operators import _box_overlaps as twins
from .._types import OverlapGradient, OverlapMode, ZOrigin
from ._documentation import as_its_twin
from ._library import Operator, call, call_one, operators

__all__ = [
    "bbox_overlaps",
    "box_iou_quadri",
    "box_iou_rotated",
    "box_iou_rotated_backward",
    "boxes_iou3d",
    "boxes_iou3d_backward",
    "boxes_iou_bev",
    "boxes_overlap_bev",
    "points_in_boxes",
]

_upright, _rotated, _quads = map(Operator, ("bbox_overlaps", "box_iou_rotated", "box_iou_quadri"))
_backward = Operator("box_iou_rotated_backward")
_overlap, _iou_bev = operators("boxes", "overlap_bev", "iou_bev")
_iou3d, _iou3d_backward = operators("boxes", "iou3d", "iou3d_backward")
_points = Operator("points_in_boxes")


@as_its_twin(twins.bbox_overlaps)
def bbox_overlaps(
    bboxes1: torch.Tensor,
    bboxes2: torch.Tensor,
    *,
    mode: OverlapMode = "iou",
    aligned: bool = False,
    offset: int = 0,
) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[0.0, 0, 10, 10], [0, 0, 10, 20]])
    >>> detops.torch.bbox_overlaps(boxes[:1], boxes)
    tensor([[1.0000, 0.5000]])
    """
    return call_one(_upright, (), (bboxes1, bboxes2, mode, aligned, offset))


@as_its_twin(twins.box_iou_rotated)
def box_iou_rotated(
    bboxes1: torch.Tensor,
    bboxes2: torch.Tensor,
    *,
    mode: OverlapMode = "iou",
    aligned: bool = False,
) -> torch.Tensor:
    """Differentiable, once, with respect to both lists of boxes.

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> first = torch.tensor([[0.0, 0, 4, 2, 0]], requires_grad=True)
    >>> iou = detops.torch.box_iou_rotated(first, torch.tensor([[1.0, 0, 4, 2, 0]]))
    >>> iou.backward()
    >>> iou.item(), first.grad
    (0.6000000238418579, tensor([[0.3200, 0.0000, 0.0400, 0.0000, 0.0000]]))
    """
    return call_one(_rotated, (bboxes1, bboxes2), (bboxes1, bboxes2, mode, aligned))


@as_its_twin(twins.box_iou_rotated_backward)
def box_iou_rotated_backward(
    grad: torch.Tensor,
    bboxes1: torch.Tensor,
    bboxes2: torch.Tensor,
    *,
    mode: OverlapGradient = "iou",
    aligned: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[0.0, 0, 4, 2, 0], [1, 0, 4, 2, 0]])
    >>> detops.torch.box_iou_rotated_backward(torch.ones(1, 1), boxes[:1], boxes[1:])[0]
    tensor([[0.3200, 0.0000, 0.0400, 0.0000, 0.0000]])
    """
    made: tuple[torch.Tensor, torch.Tensor] = call(
        _backward, (grad, bboxes1, bboxes2), (grad, bboxes1, bboxes2, mode, aligned)
    )
    return made


@as_its_twin(twins.box_iou_quadri)
def box_iou_quadri(
    quads1: torch.Tensor,
    quads2: torch.Tensor,
    *,
    mode: OverlapMode = "iou",
    aligned: bool = False,
) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> quads = torch.tensor([[0.0, 0, 4, 0, 6, 2, 2, 2], [0, 0, 4, 0, 4, 2, 0, 2]])
    >>> detops.torch.box_iou_quadri(quads[:1], quads[1:])
    tensor([[0.6000]])
    """
    return call_one(_quads, (), (quads1, quads2, mode, aligned))


@as_its_twin(twins.boxes_overlap_bev)
def boxes_overlap_bev(
    boxes_a: torch.Tensor, boxes_b: torch.Tensor, *, aligned: bool = False
) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[0.0, 0, 0, 4, 2, 1.5, 0], [1, 0, 9, 4, 2, 1.5, 0]])
    >>> detops.torch.boxes_overlap_bev(boxes[:1], boxes)
    tensor([[8., 6.]])
    """
    return call_one(_overlap, (), (boxes_a, boxes_b, aligned))


@as_its_twin(twins.boxes_iou_bev)
def boxes_iou_bev(
    boxes_a: torch.Tensor, boxes_b: torch.Tensor, *, aligned: bool = False
) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[0.0, 0, 0, 4, 2, 1.5, 0], [1, 0, 9, 4, 2, 1.5, 0]])
    >>> detops.torch.boxes_iou_bev(boxes[:1], boxes)
    tensor([[1.0000, 0.6000]])
    """
    return call_one(_iou_bev, (), (boxes_a, boxes_b, aligned))


@as_its_twin(twins.boxes_iou3d)
def boxes_iou3d(
    boxes_a: torch.Tensor,
    boxes_b: torch.Tensor,
    *,
    aligned: bool = False,
    z_origin: ZOrigin = "center",
) -> torch.Tensor:
    """Differentiable, once, with respect to both lists of boxes.

    Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0], [0, 0, 1, 2, 2, 4, 0]])
    >>> detops.torch.boxes_iou3d(boxes[:1], boxes[1:], z_origin="bottom")
    tensor([[0.2000]])
    """
    return call_one(_iou3d, (boxes_a, boxes_b), (boxes_a, boxes_b, aligned, z_origin))


@as_its_twin(twins.boxes_iou3d_backward)
def boxes_iou3d_backward(
    grad: torch.Tensor,
    boxes_a: torch.Tensor,
    boxes_b: torch.Tensor,
    *,
    aligned: bool = False,
    z_origin: ZOrigin = "center",
) -> tuple[torch.Tensor, torch.Tensor]:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0], [0, 0, 1, 2, 2, 4, 0]])
    >>> detops.torch.boxes_iou3d_backward(torch.ones(1, 1), boxes[:1], boxes[1:])[0]
    tensor([[0.0000, 0.0000, 0.1875, 0.0625, 0.0625, 0.1562, 0.0000]])
    """
    made: tuple[torch.Tensor, torch.Tensor] = call(
        _iou3d_backward, (grad, boxes_a, boxes_b), (grad, boxes_a, boxes_b, aligned, z_origin)
    )
    return made


@as_its_twin(twins.points_in_boxes)
def points_in_boxes(points: torch.Tensor, boxes: torch.Tensor) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[[9.0, 9, 0, 2, 2, 2, 0], [0, 0, 0, 2, 2, 2, 0]]])
    >>> detops.torch.points_in_boxes(torch.tensor([[[0.5, 0, -1], [0.5, 0, 1.1]]]), boxes)
    tensor([[ 1, -1]], dtype=torch.int32)
    """
    return call_one(_points, (), (points, boxes))

# ---- shapes of results ---------------------------------------------------------------------------


def shape_of_pairs(first: torch.Tensor, second: torch.Tensor, aligned: bool) -> Any:
    """That of a number for every pair of rows, or for every row of both."""
    return first.new_empty((first.shape[0],) if aligned else (first.shape[0], second.shape[0]))


# ---- gradients -----------------------------------------------------------------------------------


def _save(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    first, second, *ctx.words = inputs
    ctx.save_for_backward(first, second)


def _learns(
    forward: Operator, backward: Operator, shapes: Callable[[Any], tuple[torch.Tensor, torch.Tensor]]
) -> None:
    """``shapes`` gives the two lists of boxes among the arguments of either."""

    def gradient(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
        boxes = ctx.saved_tensors
        made: tuple[Any, ...] = call(backward, (grad, *boxes), (grad, *boxes, *ctx.words))
        return tuple(made)

    def no_second(*_: Any) -> NoReturn:
        raise NotImplementedError(f"{forward.name}: there are no second derivatives.")

    forward.register(lambda a: shape_of_pairs(*shapes(a), a.aligned), gradient, _save)
    backward.register(
        lambda a: tuple(boxes.new_empty(boxes.shape) for boxes in shapes(a)),
        no_second,
        lambda ctx, inputs, output: None,
    )


_learns(_rotated, _backward, lambda a: (a.bboxes1, a.bboxes2))
_learns(_iou3d, _iou3d_backward, lambda a: (a.boxes_a, a.boxes_b))
_upright.register_constant(lambda a: shape_of_pairs(a.bboxes1, a.bboxes2, a.aligned))
_quads.register_constant(lambda a: shape_of_pairs(a.quads1, a.quads2, a.aligned))
for _operator in (_overlap, _iou_bev):
    _operator.register_constant(lambda a: shape_of_pairs(a.boxes_a, a.boxes_b, a.aligned))
_points.register_constant(lambda a: a.points.new_empty(a.points.shape[:2], dtype=torch.int32))
