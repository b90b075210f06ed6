"""What networks of OpenMMLab share: how they are configured, what a step of theirs is."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ._framework import Model

__all__ = ["IMPORTS", "begin", "build", "of"]

IMPORTS = tuple(
    "opencv-python-headless addict yapf termcolor rich pyyaml numba scipy shapely pycocotools terminaltables "
    "matplotlib tqdm".split()
)
"""What their models import; the packages themselves ask for more."""


def of(module: str, name: str) -> Any:
    """A name of a module that the reader of this file need not have."""
    return getattr(importlib.import_module(module), name)


def begin(scope: str) -> None:
    """Names in configurations are those of this framework; initial weights are not reported one by one."""
    of("mmengine.registry", "init_default_scope")(scope)
    of("mmengine.logging", "MMLogger").get_current_instance().setLevel("ERROR")


def build(
    file: Path,
    registry: str,
    load: Callable[[Any], tuple[Any, list[Any]]],
    boxes: Callable[[Any], torch.Tensor],
) -> Model:
    """The network of a configuration. ``load`` gives inputs and annotations for one, ``boxes`` those
    that were found, from the framework's result."""
    made = of("mmengine.config", "Config").fromfile(file)
    _lower_scores(made.model)
    if "init_cfg" in made.model.get("backbone", {}):
        made.model.backbone.init_cfg = None  # No weights are downloaded.
    module = of(registry, "MODELS").build(made.model)
    module.init_weights()
    inputs, samples = load(made)
    steps = _Steps(module, inputs, samples, boxes)
    return Model(module, steps.losses, steps.predict)


def _lower_scores(settings: Any) -> None:
    """Every least score becomes 0: random weights are sure of nothing. One that is None stays."""
    for key, value in settings.items():
        if key in ("score_thr", "score_threshold") and value is not None:
            settings[key] = 0.0
        elif isinstance(value, Mapping):
            _lower_scores(value)


@dataclass(frozen=True)
class _Steps:
    module: Any
    inputs: Any
    samples: list[Any]
    boxes: Callable[[Any], torch.Tensor]

    def _run(self, training: bool, mode: str) -> Any:
        batch = {"inputs": self.inputs, "data_samples": [each.clone() for each in self.samples]}
        return self.module(**self.module.data_preprocessor(batch, training), mode=mode)

    def losses(self) -> Mapping[str, torch.Tensor]:
        _, parts = self.module.parse_losses(self._run(True, "loss"))
        return {name: loss for name, loss in parts.items() if name != "loss" and "loss" in name}

    def predict(self) -> list[torch.Tensor]:
        return [self.boxes(each) for each in self._run(False, "predict")]
