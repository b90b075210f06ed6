"""CenterPoint's networks (its own repository, whose package is det3d), of its own configurations and
through its own pipeline: augmentation, voxels, labels, reformatting, the trainer's transfer.

Nothing of its sources is changed, but for what ``detops.install`` does. Of a configuration, what cannot be had here is: objects pasted in from other scenes, and the least
score, since weights are random.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .._installing import install
from . import scenes as generated
from ._framework import Framework, Model
from .scenes import Scene

_CONFIGURATIONS = {
    "voxelnet": "waymo/voxelnet/waymo_centerpoint_voxelnet_1x",
    "voxelnet_nuscenes": "nusc/voxelnet/nusc_centerpoint_voxelnet_0075voxel_fix_bn_z",
}
# What the datasets call the things of a scene, in the order of its classes.
_NAMES = {
    "WaymoDataset": ("VEHICLE", "PEDESTRIAN", "CYCLIST"),
    "NuScenesDataset": ("car", "pedestrian", "bicycle"),
}


def prepare(checkout: Path | None) -> None:
    sys.path.insert(0, str(checkout))
    install("centerpoint", quiet=True)
    install("spconv", replace=True, quiet=True)
    importlib.import_module("det3d.models")
    importlib.import_module("det3d.datasets.pipelines")


def _turned(boxes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """(x, y, z, w, l, h, vx, vy, angle), clockwise from -y, of (x, y, z, l, w, h, angle)."""
    still = np.zeros((len(boxes), 2), np.float32)
    angle = -boxes[:, 6:7] - np.float32(np.pi / 2)
    return np.hstack([boxes[:, [0, 1, 2, 4, 3, 5]], still, angle]).astype(np.float32)


def _sample(scene: Scene, dataset: str, columns: int) -> dict[str, Any]:
    room = ((0, 0), (0, columns - scene.points.shape[1]))
    points = np.pad(scene.points, room)
    annotations = {"boxes": _turned(scene.boxes), "names": np.array(_NAMES[dataset])[scene.labels]}
    return {
        "type": dataset,
        "metadata": {"image_prefix": "", "num_point_features": columns, "token": "generated"},
        "lidar": {"points": points, "combined": points.copy(), "annotations": annotations},
    }


def build(configuration: str, scenes: Sequence[Scene]) -> Model:
    torchie: Any = importlib.import_module("det3d.torchie")
    root = Path(torchie.__file__).parents[2]
    config = torchie.Config.fromfile(str(root / "configs" / f"{configuration}.py"))
    config.train_preprocessor.db_sampler = None
    config.test_cfg.score_threshold = 0.0
    scenes = generated.make(len(scenes), ahead=False)
    columns = config.model.reader.num_input_features
    registry: Any = importlib.import_module("det3d.datasets.registry")
    utils: Any = importlib.import_module("det3d.utils")
    parallel: Any = importlib.import_module("det3d.torchie.parallel")
    trainer: Any = importlib.import_module("det3d.torchie.trainer.trainer")
    models: Any = importlib.import_module("det3d.models")

    def pipeline(preprocessor: Any) -> list[Any]:
        voxels, labels = config.voxel_generator, config.train_cfg["assigner"]
        steps: list[Any] = [{"type": "Preprocess", "cfg": preprocessor}]
        steps += [{"type": "Voxelization", "cfg": voxels}, {"type": "AssignLabel", "cfg": labels}]
        steps += [{"type": "Reformat"}]
        return [utils.build_from_cfg(step, registry.PIPELINES) for step in steps]

    def batch(steps: Sequence[Any]) -> Any:
        samples = []
        for scene in scenes:
            sample: Any = _sample(scene, config.dataset_type, columns)
            for step in steps:
                sample, _ = step(sample, {})
            samples.append(sample)
        collated = parallel.collate_kitti(samples)
        return trainer.example_to_device(collated, torch.cuda.current_device())

    training, evaluation = pipeline(config.train_preprocessor), pipeline(config.val_preprocessor)
    module = models.build_detector(config.model, train_cfg=config.train_cfg, test_cfg=config.test_cfg)
    module.cuda()

    def losses() -> dict[str, torch.Tensor]:
        of_tasks = module(batch(training), return_loss=True)["loss"]
        return {f"loss_{task}": loss for task, loss in enumerate(of_tasks)}

    def predict() -> list[torch.Tensor]:
        found = module(batch(evaluation), return_loss=False)
        return [each["box3d_lidar"] for each in found]

    return Model(module, losses, predict)


FRAMEWORK = Framework(
    "centerpoint",
    prepare,
    {name: functools.partial(build, file) for name, file in _CONFIGURATIONS.items()},
    packages=("numba", "nuscenes-devkit", "pycocotools", "terminaltables"),
    checkout="https://github.com/tianweiy/CenterPoint",
    marker="det3d/models",
)
