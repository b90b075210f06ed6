"""What detops offers of ``torchvision.transforms``: ``functional``, for pictures that are tensors."""

from __future__ import annotations

from . import functional

__all__ = ["functional"]
