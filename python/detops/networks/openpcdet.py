"""OpenPCDet's networks, of its own configurations (``tools/cfgs``) and through its own data processor.

Nothing of its sources is changed. Of a configuration, what cannot be had here is: objects pasted in
from other scenes (``gt_sampling``), and the least score, since weights are random.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .._installing import install
from . import scenes as generated
from ._framework import Framework, Model
from .scenes import CLASSES, Scene

_CONFIGURATIONS = {
    "second": "kitti_models/second",
    "second_multihead": "kitti_models/second_multihead",
    "second_iou": "kitti_models/second_iou",
    "PartA2": "kitti_models/PartA2",
    "PartA2_free": "kitti_models/PartA2_free",
    "pointpillar": "kitti_models/pointpillar",
    "centerpoint_nuscenes": "nuscenes_models/cbgs_voxel0075_res3d_centerpoint",
    "centerpoint_waymo": "waymo_models/centerpoint",
    "voxelnext": "nuscenes_models/cbgs_voxel0075_voxelnext",
    "centerpoint_dyn_pillar": "waymo_models/centerpoint_dyn_pillar_1x",
    # Their operators on points are in plain torch.
    "pv_rcnn": "kitti_models/pv_rcnn",
    "pv_rcnn_plusplus": "waymo_models/pv_rcnn_plusplus",
    "voxel_rcnn_car": "kitti_models/voxel_rcnn_car",
    "pointrcnn": "kitti_models/pointrcnn",
}
# What the datasets call the things of a scene, in the order of CLASSES.
_NAMES = {
    "KittiDataset": CLASSES,
    "NuScenesDataset": ("car", "pedestrian", "bicycle"),
    "WaymoDataset": ("Vehicle", "Pedestrian", "Cyclist"),
}


def prepare(checkout: Path | None) -> None:
    sys.path.insert(0, str(checkout))
    install("openpcdet", quiet=True)
    install("spconv", replace=True, quiet=True)
    importlib.import_module("pcdet.datasets.dataset")
    importlib.import_module("pcdet.models")


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Configurations name each other from there."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _configuration(name: str) -> Any:
    config: Any = importlib.import_module("pcdet.config")
    made = importlib.import_module("easydict").EasyDict()
    with _inside(config.cfg.ROOT_DIR / "tools"):
        config.cfg_from_yaml_file(f"cfgs/{name}.yaml", made)
    made.DATA_CONFIG.DATA_AUGMENTOR.DISABLE_AUG_LIST = ["gt_sampling"]
    _lower_scores(made.MODEL)
    return made


def _lower_scores(config: Any) -> None:
    for key, value in config.items():
        if key == "SCORE_THRESH":
            config[key] = [0.0] * len(value) if isinstance(value, list) else 0.0
        elif isinstance(value, Mapping):
            _lower_scores(value)


def _dataset(config: Any, scenes: Sequence[Scene], training: bool) -> Any:
    """Generated scenes in the place of a dataset's files."""
    template: Any = importlib.import_module("pcdet.datasets.dataset").DatasetTemplate
    data = config.DATA_CONFIG
    columns = len(data.POINT_FEATURE_ENCODING.src_feature_list)
    speed = np.zeros((1, 2), np.float32) if data.get("PRED_VELOCITY") else np.zeros((1, 0), np.float32)
    names = np.array(_NAMES[data.DATASET])

    class Generated(template):  # type: ignore[misc]
        def __len__(self) -> int:
            return len(scenes)

        def __getitem__(self, index: int) -> Any:
            scene = scenes[index]
            room = ((0, 0), (0, columns - scene.points.shape[1]))
            sample = {
                "points": np.pad(scene.points, room),
                "gt_boxes": np.hstack([scene.boxes, np.repeat(speed, len(scene.boxes), 0)]),
                "gt_names": names[scene.labels],
                "frame_id": index,
                "use_lead_xyz": True,
            }
            return self.prepare_data(data_dict=sample)

        def batch(self) -> Any:
            return self.collate_batch([self[index] for index in range(len(self))])

    return Generated(data, config.CLASS_NAMES, training, Path(), logging.getLogger("pcdet"))


def build(configuration: str, scenes: Sequence[Scene]) -> Model:
    config = _configuration(configuration)
    if config.DATA_CONFIG.POINT_CLOUD_RANGE[0] < 0:
        scenes = generated.make(len(scenes), ahead=False)
    training, evaluation = (_dataset(config, scenes, is_training) for is_training in (True, False))
    models: Any = importlib.import_module("pcdet.models")
    module = models.build_network(config.MODEL, len(config.CLASS_NAMES), training)
    module.cuda()
    step = models.model_fn_decorator()

    def losses() -> dict[str, torch.Tensor]:
        return {"loss": step(module, training.batch()).loss}

    def predict() -> list[torch.Tensor]:
        batch = evaluation.batch()
        models.load_data_to_gpu(batch)
        found, _ = module(batch)
        return [each["pred_boxes"] for each in found]

    return Model(module, losses, predict)


FRAMEWORK = Framework(
    "openpcdet",
    prepare,
    {name: functools.partial(build, file) for name, file in _CONFIGURATIONS.items()},
    packages=(
        "easydict",
        "pyyaml",
        "tqdm",
        "scikit-image",
        "numba",
        "SharedArray",
        "opencv-python-headless",
        "pandas",
        "av2==0.2.1",
        "kornia==0.6.8",
    ),
    checkout="https://github.com/open-mmlab/OpenPCDet",
    marker="pcdet/models",
)
