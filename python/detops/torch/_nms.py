"""Non-maximum suppression of boxes, quadrilaterals and boxes from above, hard and soft."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from .._operators import _nms as twins
from .._types import BoxFormat, SoftMethod
from ._documentation import as_its_twin
from ._library import Operator, call, call_one, named

__all__ = ["SoftNms", "batched_nms", "nms", "nms_match", "nms_rotated", "poly_nms", "soft_nms"]

_hard, _soft, _match = map(Operator, ("nms", "soft_nms", "nms_match"))


class SoftNms(NamedTuple):
    """Result of :func:`soft_nms`: the fields of :class:`detops.SoftNms`."""

    indices: torch.Tensor
    new_scores: torch.Tensor


@as_its_twin(twins.nms)
def nms(
    boxes: torch.Tensor,
    scores: torch.Tensor | None,
    iou_threshold: float,
    *,
    labels: torch.Tensor | None = None,
    box_format: BoxFormat = "xyxy",
    offset: float = 0.0,
    pre_max: int = 0,
    post_max: int = 0,
) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[0.0, 0, 10, 10], [3, 0, 13, 10], [6, 0, 16, 10]])
    >>> detops.torch.nms(boxes, torch.tensor([0.9, 0.8, 0.7]), 0.5)
    tensor([0, 2])
    """
    words = (labels, box_format, offset, pre_max, post_max)
    return call_one(_hard, (), (boxes, scores, iou_threshold, *words))


@as_its_twin(twins.batched_nms)
def batched_nms(
    boxes: torch.Tensor, scores: torch.Tensor, idxs: torch.Tensor, iou_threshold: float
) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[0.0, 0, 10, 10], [1, 0, 11, 10], [1, 0, 11, 10]])
    >>> scores, classes = torch.tensor([0.7, 0.8, 0.9]), torch.tensor([0, 0, 1])
    >>> detops.torch.batched_nms(boxes, scores, classes, 0.5)
    tensor([2, 1])
    """
    return nms(boxes, scores, iou_threshold, labels=idxs)


@as_its_twin(twins.nms_rotated)
def nms_rotated(
    boxes: torch.Tensor,
    scores: torch.Tensor,
    iou_threshold: float,
    labels: torch.Tensor | None = None,
    clockwise: bool = True,
) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[0.0, 0, 4, 2, 0], [0, 0, 4, 2, 0.1], [0, 0, 4, 2, 1.5]])
    >>> detops.torch.nms_rotated(boxes, torch.tensor([0.7, 0.8, 0.9]), 0.5)
    tensor([2, 1])
    """
    turned = boxes if clockwise else boxes * boxes.new_tensor([1, 1, 1, 1, -1])
    return nms(turned, scores, iou_threshold, labels=labels, box_format="cxcywha")


@as_its_twin(twins.poly_nms)
def poly_nms(boxes: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[1, 0, 5, 0, 5, 4, 1, 4, 0.8], [0, 0, 4, 0, 4, 4, 0, 4, 0.9]])
    >>> detops.torch.poly_nms(boxes, 0.5)
    tensor([1])
    """
    if boxes.ndim != 2 or boxes.shape[1] != 9:
        raise ValueError(f"poly_nms: boxes has shape {list(boxes.shape)}, expected (N, 9).")
    return nms(boxes[:, :8], boxes[:, 8], iou_threshold, box_format="quad").sort().values


@as_its_twin(twins.soft_nms)
def soft_nms(
    boxes: torch.Tensor,
    scores: torch.Tensor,
    iou_threshold: float = 0.3,
    sigma: float = 0.5,
    min_score: float = 0.001,
    *,
    method: SoftMethod = "linear",
    offset: float = 0.0,
) -> SoftNms:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[0.0, 0, 10, 10], [0, 0, 10, 12], [20, 0, 30, 10]])
    >>> detops.torch.soft_nms(boxes, torch.tensor([0.9, 0.8, 0.7]), method="naive").indices
    tensor([0, 2])
    """
    words = (iou_threshold, sigma, min_score, method, offset)
    return named(SoftNms, call(_soft, (), (boxes, scores, *words)))


@as_its_twin(twins.nms_match)
def nms_match(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    """Examples
    --------
    >>> import torch
    >>> import detops.torch
    >>> boxes = torch.tensor([[0.0, 0, 10, 10], [20, 0, 30, 10], [0, 0, 10, 20]])
    >>> detops.torch.nms_match(boxes, torch.tensor([0.8, 0.7, 0.9]), 0.5)
    tensor([2, 1, 2])
    """
    return call_one(_match, (), (boxes, scores, iou_threshold))


def _kept(a: Any) -> Any:
    return a.boxes.new_empty((torch.library.get_ctx().new_dynamic_size(),), dtype=torch.int64)


def _taken(a: Any) -> tuple[torch.Tensor, torch.Tensor]:
    count = torch.library.get_ctx().new_dynamic_size()
    return a.boxes.new_empty((count,), dtype=torch.int64), a.scores.new_empty((count,))


_hard.register_constant(_kept)
_soft.register_constant(_taken)
_match.register_constant(lambda a: a.boxes.new_empty((a.boxes.shape[0],), dtype=torch.int64))
