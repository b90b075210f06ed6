"""IoU of the hulls of points with polygons: ``mmcv.ops.convex_iou``."""

from __future__ import annotations

from ..torch import convex_giou, convex_iou

__all__ = ["convex_giou", "convex_iou"]
