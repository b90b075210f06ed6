"""Rotated feature align (R3Det): ``mmcv.ops.rotated_feature_align``."""

from __future__ import annotations

import torch

from ..torch import rotated_feature_align_forward
from ..torch._drop_ins import in_one_type
from ..torch._sentences import check_tensors, told_as

__all__ = ["RotatedFeatureAlignFunction", "rotated_feature_align"]


def rotated_feature_align(
    features: torch.Tensor,
    best_rbboxes: torch.Tensor,
    spatial_scale: float = 1 / 8,
    points: int = 1,
) -> torch.Tensor:
    """Add to each cell of a map the features at the centre (and corners) of its rotated box.

    Differentiable with respect to ``features``.

    Parameters
    ----------
    features : tensor (N, C, H, W)
    best_rbboxes : tensor (N, H, W, 5) or (N * H * W, 5)
        (y, x, w, h, angle in radians) of each cell: as in mmcv, the first number is y.
    spatial_scale : float
        What coordinates and sizes are multiplied with.
    points : 1 or 5
        Only the centre, or the centre and four corners.

    Returns
    -------
    tensor (N, C, H, W)

    Examples
    --------
    >>> import torch
    >>> import detops.mmcv
    >>> features = torch.tensor([[[[1.0, 2], [3, 4]]]])
    >>> boxes = torch.tensor([[8.0, 0, 8, 8, 0]]).repeat(4, 1)  # all at y = 1, x = 0
    >>> detops.mmcv.rotated_feature_align(features, boxes)
    tensor([[[[4., 5.],
              [6., 7.]]]])
    """
    check_tensors("rotated_feature_align", features=features, best_rbboxes=best_rbboxes)
    if features.ndim != 4:
        raise ValueError(
            f"rotated_feature_align: features has shape {list(features.shape)}, "
            "expected (N, C, H, W)."
        )
    batch, _, height, width = features.shape
    cells = (batch, height, width, 5)
    if best_rbboxes.shape not in (cells, (batch * height * width, 5)):
        raise ValueError(
            f"rotated_feature_align: best_rbboxes has shape {list(best_rbboxes.shape)}, expected "
            f"{list(cells)} or {[batch * height * width, 5]}, a box for each cell of features."
        )
    numbers, boxes = in_one_type(features.permute(0, 2, 3, 1), best_rbboxes.reshape(cells))
    result = told_as(
        "rotated_feature_align",
        {"bboxes": "best_rbboxes", "input": "features"},
        rotated_feature_align_forward,
        numbers,
        boxes,
        spatial_scale,
        points,
    )
    result = result.permute(0, 3, 1, 2).to(features.dtype)
    # The same order in memory as that of features: what follows may take views of it.
    return result.contiguous() if features.is_contiguous() else result


class RotatedFeatureAlignFunction:
    """The operator as mmcv's class: ``RotatedFeatureAlignFunction.apply``."""

    @staticmethod
    def apply(
        features: torch.Tensor, best_rbboxes: torch.Tensor, spatial_scale: float, points: int = 1
    ) -> torch.Tensor:
        """As :func:`rotated_feature_align`."""
        return rotated_feature_align(features, best_rbboxes, spatial_scale, points)
