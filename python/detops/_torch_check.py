"""Whether the operators for PyTorch can be used here, without importing it."""

from __future__ import annotations

import importlib.util

from ._settings import TORCH_LIBRARY

__all__ = ["REBUILD", "what_is_missing"]

REBUILD = "in the source folder of detops: pip install --force-reinstall --no-deps ."


def what_is_missing() -> str | None:
    """What to do before ``import detops.torch`` can work, as far as files tell; None if nothing."""
    spec = importlib.util.find_spec("torch")
    has_torch = spec is not None and spec.origin is not None
    if TORCH_LIBRARY.exists():
        return None if has_torch else "PyTorch 2.10 or later is not installed: pip install torch"
    if has_torch:
        return f"this detops was built without PyTorch. Build it again, {REBUILD}"
    return f"PyTorch 2.10 or later is not installed: pip install torch, and then, {REBUILD}"
