"""spconv by itself: the sparse encoder of SECOND, as programs write it with ``spconv.pytorch``."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .._installing import install
from .._sparse_encoders import Layers, second
from ..compare import SPACE
from ._framework import Framework, Model
from .scenes import Scene

_LOW, _VOXEL = (0.0, -40.0, -3.0), (0.05, 0.05, 0.1)


def prepare(_: Path | None) -> None:
    install("spconv", replace=True, quiet=True)
    importlib.import_module("spconv.pytorch")


def voxels(scenes: Sequence[Scene]) -> tuple[torch.Tensor, torch.Tensor]:
    """Features (x, y, z, intensity) of the last point in each voxel, and sites (scene, z, y, x)."""
    features, sites = [], []
    for number, scene in enumerate(scenes):
        cells = np.floor((scene.points[:, :3] - _LOW) / _VOXEL).astype(np.int64)[:, ::-1]
        inside = ((cells >= 0) & (cells < SPACE)).all(1)
        cells, first = np.unique(cells[inside], axis=0, return_index=True)
        features.append(scene.points[inside][first])
        sites.append(np.insert(cells, 0, number, axis=1))
    return torch.from_numpy(np.concatenate(features)), torch.from_numpy(np.concatenate(sites)).int()


def second_encoder(scenes: Sequence[Scene]) -> Model:
    spconv: Any = importlib.import_module("spconv.pytorch")
    module = second(Layers(spconv), 4)
    head = torch.nn.Conv2d(256, 7, 1)
    features, sites = voxels(scenes)

    def maps() -> torch.Tensor:
        x = spconv.SparseConvTensor(features, sites, list(SPACE), len(scenes))
        out: torch.Tensor = head(module(x).dense().flatten(1, 2))
        return out

    def losses() -> dict[str, torch.Tensor]:
        return {"loss": maps().square().mean()}

    return Model(torch.nn.ModuleList([module, head]), losses, lambda: [*maps().flatten(2).mT])


FRAMEWORK = Framework("spconv", prepare, {"second_encoder": second_encoder})
