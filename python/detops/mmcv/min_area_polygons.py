"""Rectangles around points: ``mmcv.ops.min_area_polygons``."""

from __future__ import annotations

from ..torch import min_area_polygons

__all__ = ["min_area_polygons"]
