"""mmdetection3d: its networks for laser scanners, from the configurations that its wheel brings along."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .._installing import install
from ._framework import Framework, Model
from ._openmm import IMPORTS, begin, build, of
from .scenes import CLASSES, Scene

__all__ = ["FRAMEWORK"]

_NUSCENES = {"Car": "car", "Pedestrian": "pedestrian", "Cyclist": "bicycle"}
"""What the things of our scenes are called there."""


def prepare(_: Path | None) -> None:
    install("mmcv", "spconv", replace=True, quiet=True)
    importlib.import_module("mmdet3d.models")
    begin("mmdet3d")


def _sample(scene: Scene, classes: Sequence[str], span: Sequence[float], like_nuscenes: bool) -> tuple[Any, Any]:
    """Points and annotations of a scene, as the framework's loader gives them."""
    names = [_NUSCENES[name] if like_nuscenes else name for name in CLASSES]
    labels = np.array([classes.index(name) if name in classes else -1 for name in names])[scene.labels]
    points, boxes = scene.points, scene.boxes
    low, high = np.array(span[:2], np.float32), np.array(span[3:5], np.float32)
    kept = (labels >= 0) & ((boxes[:, :2] > low) & (boxes[:, :2] < high)).all(1)
    boxes, labels = boxes[kept], labels[kept]
    if like_nuscenes:  # How long ago a point was seen, and the speed of a box.
        points = np.column_stack([points, np.zeros(len(points), np.float32)])
        boxes = np.column_stack([boxes, np.zeros((len(boxes), 2), np.float32)])
    kind = of("mmdet3d.structures", "LiDARInstance3DBoxes")
    made = kind(torch.from_numpy(boxes), box_dim=boxes.shape[1], origin=(0.5, 0.5, 0.5))
    sample = of("mmdet3d.structures", "Det3DDataSample")(metainfo={"box_type_3d": kind})
    truth = of("mmengine.structures", "InstanceData")(bboxes_3d=made, labels_3d=torch.from_numpy(labels))
    sample.gt_instances_3d = truth
    return torch.from_numpy(points), sample


def _chosen(points: torch.Tensor, span: Sequence[float], count: int | None) -> torch.Tensor:
    """As many points in the range, for networks that take so many of each scene."""
    if count is None:
        return points
    inside = ((points[:, :3] > torch.tensor(span[:3])) & (points[:, :3] < torch.tensor(span[3:]))).all(1)
    (rows,) = inside.nonzero(as_tuple=True)
    return points[rows[torch.randint(len(rows), (count,), generator=torch.Generator().manual_seed(0))]]


def _build(config: str, scenes: Sequence[Scene]) -> Model:
    folder = Path(of("mmdet3d", "__file__")).parent / ".mim" / "configs"

    def load(made: Any) -> tuple[Any, list[Any]]:
        samples = [_sample(scene, made.class_names, made.point_cloud_range, "_nus" in config) for scene in scenes]
        wanted = next((step.num_points for step in made.train_pipeline if step.type == "PointSample"), None)
        clouds = [_chosen(points, made.point_cloud_range, wanted) for points, _ in samples]
        return {"points": clouds}, [about for _, about in samples]

    return build(
        folder / config, "mmdet3d.registry", load, lambda found: found.pred_instances_3d.bboxes_3d.tensor
    )


_CONFIGS = {
    "second": "second/second_hv_secfpn_8xb6-80e_kitti-3d-3class.py",
    "second_dynamic": "dynamic_voxelization/second_dv_secfpn_8xb2-cosine-80e_kitti-3d-3class.py",
    "pointpillars": "pointpillars/pointpillars_hv_secfpn_8xb6-160e_kitti-3d-3class.py",
    "pointpillars_dynamic": "dynamic_voxelization/pointpillars_dv_secfpn_8xb6-160e_kitti-3d-car.py",
    "parta2": "parta2/parta2_hv_secfpn_8xb2-cyclic-80e_kitti-3d-3class.py",
    # Their operators on points are in plain torch.
    "pv_rcnn": "pv_rcnn/pv_rcnn_8xb2-80e_kitti-3d-3class.py",
    "point_rcnn": "point_rcnn/point-rcnn_8xb2_kitti-3d-3class.py",
    "centerpoint_voxel": "centerpoint/centerpoint_voxel01_second_secfpn_8xb4-cyclic-20e_nus-3d.py",
    "centerpoint_pillar": "centerpoint/centerpoint_pillar02_second_secfpn_8xb4-cyclic-20e_nus-3d.py",
    "centerpoint_dcn": "centerpoint/centerpoint_voxel01_second_secfpn_head-dcn-circlenms_8xb4-cyclic-20e_nus-3d.py",
}

FRAMEWORK = Framework(
    "mmdet3d",
    prepare,
    {name: partial(_build, config) for name, config in _CONFIGS.items()},
    packages=("mmdet3d==1.4.0", "mmdet==3.3.0", "mmcv-lite==2.1.0", "mmengine==0.10.7", *IMPORTS),
)
