"""IoU that losses can learn from: ``mmcv.ops.diff_iou_rotated``."""

from __future__ import annotations

from ..torch import diff_iou_rotated_2d, diff_iou_rotated_3d

__all__ = ["diff_iou_rotated_2d", "diff_iou_rotated_3d"]
