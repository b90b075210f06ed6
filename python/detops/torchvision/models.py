"""A name that CenterPoint imports and does not use."""

from __future__ import annotations

from .._installing.absent import absent

__all__: list[str] = []

_TOLD = "torchvision.models.resnet: detops, which stands in for torchvision, has none."
resnet = absent(__name__, "resnet", _TOLD)
