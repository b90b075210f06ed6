"""A step of Part-A2 and its evaluation on a small scene, by mmdetection3d itself; prints the numbers.

    python mmdet3d_worker.py lite|replace|reference

"lite": mmcv-lite's own Python calls detops; "replace": functions of detops are in its place;
"reference": those on boxes that mmcv-lite calls are box_reference's.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import detops
import numpy as np
import torch

SPAN = [0.0, -6.4, -3.0, 12.8, 6.4, 1.0]
KINDS = [(0.8, 0.6, 1.73), (1.76, 0.6, 1.73), (3.9, 1.6, 1.56)]


def of(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def small(settings: Any) -> Any:
    """The real network on a ground of 12.8 m; true boxes are proposals too, and nothing is too unsure."""
    model = settings.model
    model.data_preprocessor.voxel_layer.point_cloud_range = SPAN
    model.middle_encoder.sparse_shape = [41, 256, 256]
    heights = [box[2] for box in model.rpn_head.anchor_generator.ranges]
    model.rpn_head.anchor_generator.ranges = [[*SPAN[:2], z, *SPAN[3:5], z] for z in heights]
    model.train_cfg.rcnn.sampler.add_gt_as_proposals = True
    model.train_cfg.rcnn.sampler.num = 32
    model.test_cfg.rcnn.score_thr = 0.0
    return model


def scene(kind: Any) -> tuple[torch.Tensor, Any]:
    """Points, and boxes with the class of each."""
    random = np.random.default_rng(5)
    labels = np.array([0, 1, 2, 2, 0])
    centres = np.array([[2, -4], [3, 2], [8, -3], [9, 3.5], [5, 5]])
    sizes = np.array(KINDS)[labels]
    angles = random.uniform(-3, 3, len(labels))
    boxes = np.column_stack([centres, np.full(len(labels), -1.7), sizes, angles])
    parts = [np.column_stack([random.uniform([0, -6.4, -1.8], [12.8, 6.4, -1.6], (3000, 3))])]
    for x, y, z, *size, angle in boxes:
        local = random.uniform(-0.5, 0.5, (250, 3)) * size
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        parts.append(np.column_stack([local[:, :2] @ turn + [x, y], local[:, 2] + z + size[2] / 2]))
    points = np.concatenate(parts)
    points = np.column_stack([points, random.uniform(0, 1, len(points))])
    instances = of("mmengine.structures", "InstanceData")(
        bboxes_3d=kind(torch.from_numpy(boxes).float()), labels_3d=torch.from_numpy(labels)
    )
    return torch.from_numpy(points).float(), instances


def run(module: Any, training: bool, points: torch.Tensor, sample: Any) -> Any:
    batch = {"inputs": {"points": [points]}, "data_samples": [sample.clone()]}
    torch.manual_seed(7)
    np.random.seed(7)
    data = module.data_preprocessor(batch, training)
    return module(**data, mode="loss" if training else "predict")


def main(how: str) -> None:
    # mmdetection3d then takes mmcv's layers: the real spconv has no gradients in a torch without a GPU.
    sys.modules["spconv"] = None  # type: ignore[assignment]
    detops.install("mmcv", replace=how == "replace", quiet=True)
    importlib.import_module("mmdet3d.models")
    of("mmengine.registry", "init_default_scope")("mmdet3d")
    of("mmengine.logging", "MMLogger").get_current_instance().setLevel("ERROR")
    if how == "reference":
        reference = importlib.import_module("box_reference")
        extension = importlib.import_module("mmcv._ext")
        for name in reference.NAMES:
            setattr(extension, name, getattr(reference, name))
    folder = Path(of("mmdet3d", "__file__")).parent / ".mim" / "configs" / "parta2"
    settings = of("mmengine.config", "Config").fromfile(folder / "parta2_hv_secfpn_8xb2-cyclic-80e_kitti-3d-3class.py")
    torch.manual_seed(3)
    module = of("mmdet3d.registry", "MODELS").build(small(settings))
    module.init_weights()
    kind = of("mmdet3d.structures", "LiDARInstance3DBoxes")
    points, instances = scene(kind)
    sample = of("mmdet3d.structures", "Det3DDataSample")(metainfo={"box_type_3d": kind})
    sample.gt_instances_3d = instances
    loss, parts = module.parse_losses(run(module.train(), True, points, sample))
    loss.backward()
    gradients = {name: each.grad for name, each in module.named_parameters() if each.grad is not None}
    missing = [name for name, each in module.named_parameters() if each.grad is None]
    with torch.no_grad():
        found = run(module.eval(), False, points, sample)[0].pred_instances_3d
    made = {
        "losses": {name: float(value) for name, value in parts.items()},
        "gradients": {name: float(each.abs().sum()) for name, each in gradients.items()},
        "without": missing,
        "boxes": found.bboxes_3d.tensor.tolist(),
        "labels": found.labels_3d.tolist(),
    }
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1])
