"""The module that returns what it gets."""

from __future__ import annotations

from .tables import Identity

__all__ = ["Identity"]
