"""Non-maximum suppression: ``mmcv.ops.nms``."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import torch

from .. import torch as ops
from .._types import BoxFormat, SoftMethod
from ..torch._drop_ins import tensor_of
from ..torch._sentences import AssertedError, check_tensors, told_as

__all__ = ["batched_nms", "nms", "nms_match", "nms_quadri", "nms_rotated", "soft_nms"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Pair = tuple[Any, Any]


def _with_iou_thr(function: _Function) -> _Function:
    """Takes the argument's name of mmcv 0 too."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if "iou_thr" in kwargs:
            warnings.warn(
                f'"iou_thr" is deprecated in `{function.__name__}`, please use "iou_threshold"',
                DeprecationWarning,
                stacklevel=2,
            )
            kwargs["iou_threshold"] = kwargs.pop("iou_thr")
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def _with_scores(boxes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    return torch.cat((boxes, scores.reshape(-1, 1)), 1)


def _keep(
    caller: str,
    boxes: torch.Tensor,
    scores: torch.Tensor,
    iou_threshold: float,
    box_format: BoxFormat,
    labels: torch.Tensor | None = None,
    **words: Any,
) -> torch.Tensor:
    check_tensors(caller, boxes=boxes, scores=scores)
    arguments = (boxes, scores, float(iou_threshold))
    if labels is not None and labels.dtype != torch.int32:
        labels = labels.long()
    return told_as(caller, {}, ops.nms, *arguments, labels=labels, box_format=box_format, **words)


@_with_iou_thr
def nms(
    boxes: Any,
    scores: Any,
    iou_threshold: float,
    offset: int = 0,
    score_threshold: float = 0,
    max_num: int = -1,
) -> _Pair:
    """Boxes that no better one overlaps by more than ``iou_threshold``.

    Parameters
    ----------
    boxes, scores : tensors or arrays (N, 4) and (N,)
        (x1, y1, x2, y2); of equal scores the lower index comes first.
    iou_threshold : float
    offset : 0 or 1
        1 if corners are pixels that belong to the box: its width is x2 - x1 + 1.
    score_threshold : float
        Above 0: only boxes with a higher score count.
    max_num : int
        Above 0: at most so many are kept.

    Returns
    -------
    dets (K, 5) and indices (K,), tensors or arrays as ``boxes``
        The kept boxes with their scores, by descending score.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import nms
    >>> boxes = torch.tensor([[0.0, 0, 10, 10], [3, 0, 13, 10], [6, 0, 16, 10]])
    >>> dets, inds = nms(boxes, torch.tensor([0.9, 0.8, 0.7]), 0.5)
    >>> inds
    tensor([0, 2])
    """
    return _nms(boxes, scores, iou_threshold, offset, score_threshold, max_num)


def _nms(
    boxes: Any,
    scores: Any,
    iou_threshold: float,
    offset: int = 0,
    score_threshold: float = 0,
    max_num: int = -1,
    labels: torch.Tensor | None = None,
) -> _Pair:
    box, score = tensor_of(boxes), tensor_of(scores)
    candidates = None
    if score_threshold > 0:
        candidates = torch.nonzero(score > score_threshold).squeeze(1)
        labels = None if labels is None else labels[candidates]
    some = (box, score) if candidates is None else (box[candidates], score[candidates])
    words: Any = {"offset": float(offset), "post_max": max(max_num, 0)}
    inds = _keep("nms", *some, iou_threshold, "xyxy", labels, **words)
    if candidates is not None:
        inds = candidates[inds]
    dets = _with_scores(box[inds], score[inds])
    return (dets.numpy(), inds.numpy()) if isinstance(boxes, np.ndarray) else (dets, inds)


@_with_iou_thr
def soft_nms(
    boxes: Any,
    scores: Any,
    iou_threshold: float = 0.3,
    sigma: float = 0.5,
    min_score: float = 1e-3,
    method: SoftMethod = "linear",
    offset: int = 0,
) -> _Pair:
    """The best box, then the best of the others with the scores that the first leaves them, ...

    Parameters
    ----------
    boxes, scores : tensors or arrays (N, 4) and (N,)
    iou_threshold : float
        An IoU of so much or more counts, for "naive" and "linear".
    sigma : float
        For "gaussian".
    min_score : float
        Boxes whose score falls below it are out.
    method : "naive", "linear" or "gaussian"
        Scores are multiplied with 0, with 1 - IoU, or with exp(-IoU^2 / sigma).
    offset : 0 or 1

    Returns
    -------
    dets (K, 5) and indices (K,), tensors or arrays as ``boxes``

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import soft_nms
    >>> boxes = torch.tensor([[0.0, 0, 10, 10], [0, 0, 10, 12], [20, 0, 30, 10]])
    >>> soft_nms(boxes, torch.tensor([0.9, 0.8, 0.7]))[1]
    tensor([0, 2, 1])
    """
    box, score = tensor_of(boxes), tensor_of(scores)
    check_tensors("soft_nms", boxes=box, scores=score)
    numbers = (float(iou_threshold), float(sigma), float(min_score))
    words: Any = {"method": method, "offset": float(offset)}
    inds, left = told_as("soft_nms", {}, ops.soft_nms, box, score, *numbers, **words)
    dets = _with_scores(box[inds].detach(), left.to(box.dtype))
    return (dets.numpy(), inds.numpy()) if isinstance(boxes, np.ndarray) else (dets, inds)


def nms_match(dets: Any, iou_threshold: float) -> list[Any]:
    """Groups of boxes: one that is kept, then those it suppresses, by descending score.

    Parameters
    ----------
    dets : tensor or array (N, 5)
        (x1, y1, x2, y2, score)
    iou_threshold : float
        A box falls if its IoU with a kept one is so much or more.

    Returns
    -------
    list of int64 tensors or arrays, as ``dets``

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import nms_match
    >>> dets = [[0, 0, 10, 10, 0.8], [20, 0, 30, 10, 0.7], [0, 0, 10, 20, 0.9]]
    >>> nms_match(torch.tensor(dets), 0.5)
    [tensor([2, 0]), tensor([1])]
    """
    if dets.shape[0] == 0:
        return []
    rows = tensor_of(dets)
    if rows.ndim != 2 or rows.shape[1] != 5:
        raise AssertedError(f"nms_match: dets has shape {list(rows.shape)}, expected (N, 5).")
    scores = rows[:, 4].detach()
    heads = told_as(
        "nms_match", {}, ops.nms_match, rows[:, :4].detach(), scores, float(iou_threshold)
    )
    order = torch.sort(scores, descending=True, stable=True).indices
    groups: dict[int, list[int]] = {}
    for index, head in zip(order.tolist(), heads[order].tolist(), strict=True):
        groups.setdefault(head, []).append(index)
    if isinstance(dets, np.ndarray):
        return [np.array(group) for group in groups.values()]
    return [torch.tensor(group) for group in groups.values()]


def nms_rotated(
    dets: torch.Tensor,
    scores: torch.Tensor,
    iou_threshold: float,
    labels: torch.Tensor | None = None,
    clockwise: bool = True,
) -> _Pair:
    """Rotated boxes that no better one overlaps by more than ``iou_threshold``.

    Parameters
    ----------
    dets : tensor (N, 5)
        (x, y, w, h, angle in radians)
    scores : tensor (N,)
    iou_threshold : float
    labels : tensor (N,), optional
        Not used, as in mmcv: boxes of different labels suppress each other.
    clockwise : bool
        Angles turn from x to y; False: the other way.

    Returns
    -------
    dets (K, 6) and indices (K,)
        The kept boxes with their scores. Without boxes ``(dets, None)``, as in mmcv.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import nms_rotated
    >>> boxes = torch.tensor([[0.0, 0, 4, 2, 0], [0, 0, 4, 2, 0.1], [0, 0, 4, 2, 1.5]])
    >>> nms_rotated(boxes, torch.tensor([0.7, 0.8, 0.9]), 0.5)[1]
    tensor([2, 1])
    """
    return _nms_rotated(dets, scores, iou_threshold, clockwise=clockwise)


def _nms_rotated(
    dets: torch.Tensor,
    scores: torch.Tensor,
    iou_threshold: float,
    labels: torch.Tensor | None = None,
    clockwise: bool = True,
) -> _Pair:
    """:func:`nms_rotated` where labels count."""
    if dets.shape[0] == 0:
        return dets, None
    turned = dets if clockwise else dets * dets.new_tensor([1, 1, 1, 1, -1])
    inds = _keep("nms_rotated", turned, scores, iou_threshold, "cxcywha", labels)
    return _with_scores(dets[inds], scores[inds]), inds


def nms_quadri(
    dets: torch.Tensor,
    scores: torch.Tensor,
    iou_threshold: float,
    labels: torch.Tensor | None = None,
) -> _Pair:
    """Quadrilaterals that no better one overlaps by more than ``iou_threshold``.

    Parameters
    ----------
    dets : tensor (N, 8)
        x1, y1, ..., x4, y4 in the order of the boundary.
    scores : tensor (N,)
    iou_threshold : float
    labels : tensor (N,), optional
        Not used, as in mmcv.

    Returns
    -------
    dets (K, 9) and indices (K,)
        The kept ones with their scores. Without boxes ``(dets, None)``, as in mmcv.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import nms_quadri
    >>> quads = torch.tensor([[0.0, 0, 4, 0, 4, 4, 0, 4], [1, 0, 5, 0, 5, 4, 1, 4]])
    >>> nms_quadri(quads, torch.tensor([0.7, 0.8]), 0.5)[1]
    tensor([1])
    """
    return _nms_quadri(dets, scores, iou_threshold)


def _nms_quadri(
    dets: torch.Tensor,
    scores: torch.Tensor,
    iou_threshold: float,
    labels: torch.Tensor | None = None,
) -> _Pair:
    if dets.shape[0] == 0:
        return dets, None
    inds = _keep("nms_quadri", dets, scores, iou_threshold, "quad", labels)
    return _with_scores(dets[inds], scores[inds]), inds


_KINDS: dict[str, Callable[..., _Pair]] = {
    "nms": nms, "soft_nms": soft_nms, "nms_rotated": nms_rotated, "nms_quadri": nms_quadri,
}  # fmt: skip
# Those that can tell classes apart themselves.
_WITH_LABELS: dict[Callable[..., _Pair], Callable[..., _Pair]] = {
    nms: _with_iou_thr(_nms),
    nms_rotated: _nms_rotated,
    nms_quadri: _nms_quadri,
}


def batched_nms(
    boxes: torch.Tensor,
    scores: torch.Tensor,
    idxs: torch.Tensor,
    nms_cfg: Mapping[str, Any] | None,
    class_agnostic: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Suppression of each class by itself. Coordinates stay as they are, classes are compared.

    Parameters
    ----------
    boxes, scores : tensors (N, 4), (N, 5) or (N, 8), and (N,)
    idxs : tensor (N,)
        The class of each box.
    nms_cfg : dict, or None
        "type": "nms" (default), "soft_nms", "nms_rotated", "nms_quadri", or a function of boxes and
        scores that returns (dets, indices). "max_num": at most so many of all classes are kept.
        "class_agnostic": as the argument. "split_thr" has no meaning here. Everything else is for the
        function of the type. None: nothing is suppressed, boxes are sorted.
    class_agnostic : bool
        True: classes do not count.

    Returns
    -------
    dets (K, 5), (K, 6) or (K, 9), and indices (K,)
        Kept boxes with their scores, by descending score.

    Examples
    --------
    >>> import torch
    >>> from detops.mmcv import batched_nms
    >>> boxes = torch.tensor([[0.0, 0, 10, 10], [1, 0, 11, 10], [1, 0, 11, 10]])
    >>> scores, classes = torch.tensor([0.7, 0.8, 0.9]), torch.tensor([0, 0, 1])
    >>> batched_nms(boxes, scores, classes, dict(type="nms", iou_threshold=0.5))[1]
    tensor([2, 1])
    """
    if nms_cfg is None:
        inds = torch.sort(scores, descending=True, stable=True).indices
        return _with_scores(boxes[inds], scores[inds]), inds
    words = dict(nms_cfg)
    class_agnostic = words.pop("class_agnostic", class_agnostic)
    kind, most = words.pop("type", "nms"), words.pop("max_num", -1)
    words.pop("split_thr", None)
    if isinstance(kind, str) and kind not in _KINDS:
        known = ", ".join(map(repr, _KINDS))
        raise ValueError(f"batched_nms: nms_cfg has type {kind!r}, expected one of {known}.")
    function = _KINDS[kind] if isinstance(kind, str) else kind
    if class_agnostic:
        dets, inds = function(boxes, scores, **words)
    elif function in _WITH_LABELS:
        dets, inds = _WITH_LABELS[function](boxes, scores, labels=idxs, **words)
    else:
        dets, inds = _class_by_class(function, boxes, scores, idxs, words)
    if inds is None:  # As some say that there are no boxes.
        return _with_scores(boxes, scores), torch.empty(0, dtype=torch.int64)
    made = _with_scores(boxes[inds], dets[:, -1])
    return (made[:most], inds[:most]) if most > 0 else (made, inds)


def _class_by_class(
    function: Callable[..., _Pair],
    boxes: torch.Tensor,
    scores: torch.Tensor,
    idxs: torch.Tensor,
    words: dict[str, Any],
) -> _Pair:
    """Scores may have become others, so that all are sorted once more; ties by index."""
    new_scores = scores.new_zeros(scores.shape)
    is_kept = torch.zeros(scores.shape, dtype=torch.bool)
    # In mmcv soft_nms is called once for all classes (up to split_thr boxes), and gives the best of
    # all, but not the best of each class, whatever its score is.
    least = float(np.float32(words.get("min_score", 1e-3))) if function is soft_nms else -math.inf
    best = torch.sort(scores, descending=True, stable=True).indices[:1]
    for one in torch.unique(idxs):
        rows = torch.nonzero(idxs == one).squeeze(1)
        dets, inds = function(boxes[rows], scores[rows], **words)
        if scores[rows[inds[:1]]].double().lt(least).any() and not torch.equal(rows[inds[:1]], best):
            continue
        is_kept[rows[inds]] = True
        new_scores[rows[inds]] = dets[:, -1].to(scores.dtype)
    kept = torch.nonzero(is_kept).squeeze(1)
    inds = kept[torch.sort(new_scores[kept], descending=True, stable=True).indices]
    return _with_scores(boxes[inds], new_scores[inds]), inds
