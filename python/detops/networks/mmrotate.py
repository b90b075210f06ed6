"""mmrotate's branch 1.x: detectors of rotated things on pictures, from its own configurations."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch

from .._installing import install
from ._framework import Framework, Model
from ._openmm import IMPORTS, begin, build, of
from .scenes import Picture, Scene, pictures

__all__ = ["FRAMEWORK"]

_SIZE = 512
"""Pixels along a picture; the configurations are made for twice as many."""


def prepare(checkout: Path | None) -> None:
    install("mmcv", "torchvision", quiet=True)
    if checkout is not None:
        sys.path.insert(0, str(checkout))
    of("mmrotate.utils", "register_all_modules")(init_default_scope=False)
    begin("mmrotate")


def _sample(picture: Picture) -> Any:
    """Annotations as the framework's loader gives them. The classes are any three."""
    rotated = of("mmrotate.structures.bbox", "RotatedBoxes")
    instances = of("mmengine.structures", "InstanceData")
    shape = picture.pixels.shape[1:]
    about = {"img_shape": shape, "ori_shape": shape, "batch_input_shape": shape, "scale_factor": (1.0, 1.0)}
    sample = of("mmdet.structures", "DetDataSample")(metainfo=about)
    boxes, labels = torch.from_numpy(picture.boxes), torch.from_numpy(picture.labels)
    sample.gt_instances = instances(bboxes=rotated(boxes), labels=labels)
    sample.ignored_instances = instances(bboxes=rotated(boxes[:0]), labels=labels[:0])
    return sample


def _found(result: Any) -> torch.Tensor:
    boxes = result.pred_instances.bboxes
    made: torch.Tensor = boxes if isinstance(boxes, torch.Tensor) else boxes.tensor
    return made


def _build(config: str, scenes: Sequence[Scene]) -> Model:
    folder = Path(of("mmrotate", "__file__")).parents[1] / "configs"
    seen = pictures(scenes, _SIZE)
    pixels = [(torch.from_numpy(each.pixels) * 255).to(torch.uint8) for each in seen]
    samples = [_sample(each) for each in seen]
    return build(folder / config, "mmrotate.registry", lambda _: (pixels, samples), _found)


_CONFIGS = {
    "rotated_retinanet": "rotated_retinanet/rotated-retinanet-rbox-le90_r50_fpn_1x_dota.py",
    "r3det": "r3det/r3det-oc_r50_fpn_1x_dota.py",
    "r3det_refine": "r3det/r3det-refine-oc_r50_fpn_1x_dota.py",
    "s2anet": "s2anet/s2anet-le135_r50_fpn_1x_dota.py",
    "oriented_rcnn": "oriented_rcnn/oriented-rcnn-le90_r50_fpn_1x_dota.py",
}

FRAMEWORK = Framework(
    "mmrotate",
    prepare,
    {name: partial(_build, config) for name, config in _CONFIGS.items()},
    packages=("mmdet==3.1.0", "mmcv-lite==2.0.1", "mmengine==0.10.7", *IMPORTS),
    checkout="--branch 1.x https://github.com/open-mmlab/mmrotate",
    marker="mmrotate/models",
)
