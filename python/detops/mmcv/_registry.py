"""The layers in the registry of models that mmcv 2 and mmdetection3d build networks from."""

from __future__ import annotations

import importlib
from typing import Any

from . import sparse_conv

__all__ = ["forget", "register", "unregister"]

# What mmcv registers of that which detops has: all its convolutions.
_NAMES = [name for name in sparse_conv.__all__ if name != "SparseConvolution"]
_before: list[tuple[Any, str, Any]] = []
"""Registry, name, what was there."""


def _models() -> Any:
    """mmengine's registry, where that is installed: mmcv 2 imports it too. None otherwise."""
    try:
        return importlib.import_module("mmengine.registry").MODELS
    except (ImportError, AttributeError):
        return None


def register() -> None:
    """``MODELS.build(dict(type="SubMConv3d", ...))`` makes layers of detops."""
    models = _models()
    if models is None or _before:
        return
    for name in _NAMES:
        _before.append((models, name, models.module_dict.get(name)))
        models.register_module(name=name, module=getattr(sparse_conv, name), force=True)


def unregister() -> None:
    """Undo :func:`register`, except for names that somebody has registered again since."""
    for models, name, before in _before:
        if models.module_dict.get(name) is not getattr(sparse_conv, name):
            continue
        if before is None:
            del models.module_dict[name]
        else:
            models.register_module(name=name, module=before, force=True)
    _before.clear()


def forget(module: str) -> None:
    """Take out what ``module`` and those below it have registered: a new import does so again."""
    models = _models()
    registered = {} if models is None else models.module_dict
    for name, made in list(registered.items()):
        if f"{getattr(made, '__module__', '')}.".startswith(f"{module}."):
            del registered[name]
