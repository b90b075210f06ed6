"""What a framework's file says about itself and its networks."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .scenes import Scene

if TYPE_CHECKING:
    import torch

Builder = Callable[[Sequence[Scene]], "Model"]


@dataclass(frozen=True)
class Model:
    """A network that was built, with the batch of scenes it was built for."""

    module: torch.nn.Module
    losses: Callable[[], Mapping[str, torch.Tensor]]
    """The forward pass of a training step on the batch: scalars, whose sum is what is learnt from.
    ``module`` is in training mode then. The step begins where the framework's own does: voxels are
    made in here, if the framework makes them in its model or its loader."""
    predict: Callable[[], Sequence[torch.Tensor]]
    """Evaluation on the batch, the framework's own with its suppression of boxes: the boxes of each
    scene, (N, 7) or as the framework has them. ``module`` is in evaluation mode and gradients are off.
    As weights are random, a builder lowers the least score until there is something to suppress."""


@dataclass(frozen=True)
class Framework:
    name: str
    prepare: Callable[[Path | None], None]
    """What a program does before it uses the framework: ``detops.install(...)``, the checkout's path,
    the framework's imports. It is given the checkout, if there is one."""
    networks: Mapping[str, Builder]
    """By name. Builders import what they need themselves: this file is read without the framework."""
    packages: Sequence[str] = field(default=())
    """As pip takes them, with the versions that were tried: "mmdet3d==1.4.0"."""
    checkout: str = ""
    """The public repository whose source tree the user brings: "https://github.com/..."."""
    marker: str = ""
    """A path that such a tree has and others do not: "pcdet/models"."""


def all_frameworks() -> dict[str, Framework]:
    """By name: every file of this folder that has a ``FRAMEWORK``."""
    folder = str(Path(__file__).parent)
    names = sorted(each.name for each in pkgutil.iter_modules([folder]) if each.name[0] != "_")
    modules = (importlib.import_module(f"{__package__}.{name}") for name in names)
    found = (getattr(module, "FRAMEWORK", None) for module in modules)
    return {each.name: each for each in found if isinstance(each, Framework)}
