"""Generated streets as a dataset of mmengine: what a loader of mmdetection3d would give."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch
from detops.networks import scenes
from mmdet3d.structures import Det3DDataSample, LiDARInstance3DBoxes
from mmengine.structures import InstanceData
from torch.utils.data import Dataset

RANGE = (0.0, -25.6, -3.0, 51.2, 25.6, 1.0)
"""The part of the world that is looked at: least x, y, z, then most."""
NAMES = tuple(scenes.CLASSES)


class Streets(Dataset[dict[str, Any]]):
    """``count`` scenes. Those of another seed are others."""

    metainfo = {"classes": NAMES}

    def __init__(self, count: int, seed: int) -> None:
        self.count, self.seed = count, seed

    def __len__(self) -> int:
        return self.count

    @functools.cache  # noqa: B019 - a dataset lives as long as the program.
    def scene(self, number: int) -> scenes.Scene:
        """What of a scene is within ``RANGE``."""
        (made,) = scenes.make(1, seed=self.seed + number, beams=48, turns=1440)
        low, high = np.array(RANGE[:3], np.float32), np.array(RANGE[3:], np.float32)
        near = ((made.points[:, :3] > low) & (made.points[:, :3] < high)).all(1)
        whole = ((made.boxes[:, :2] > low[:2] + 1) & (made.boxes[:, :2] < high[:2] - 1)).all(1)
        return scenes.Scene(made.points[near], made.boxes[whole], made.labels[whole])

    def __getitem__(self, number: int) -> dict[str, Any]:
        if not 0 <= number < self.count:
            raise IndexError(f"scene {number} of {self.count}")
        scene = self.scene(number)
        sample = Det3DDataSample(metainfo={"box_type_3d": LiDARInstance3DBoxes, "number": number})
        # Ours are placed by their centre, those of mmdetection3d by the middle of their bottom.
        boxes = LiDARInstance3DBoxes(torch.from_numpy(scene.boxes), origin=(0.5, 0.5, 0.5))
        labels = torch.from_numpy(scene.labels)
        sample.gt_instances_3d = InstanceData(bboxes_3d=boxes, labels_3d=labels)
        sample.eval_ann_info = {"boxes": boxes, "labels": labels}
        return {"inputs": {"points": torch.from_numpy(scene.points)}, "data_samples": sample}
