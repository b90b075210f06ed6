"""Average precision, as a metric of mmengine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from mmdet3d.structures import LiDARInstance3DBoxes
from mmengine.evaluator import BaseMetric
from streets import NAMES

LEAST_IOU = {"Car": 0.5, "Pedestrian": 0.25, "Cyclist": 0.25}
"""A thing is found by a box that shares so much of its volume with it."""


def verdicts(overlaps: torch.Tensor) -> np.ndarray[Any, Any]:
    """Of each found box, best first, whether it is on a thing that no better one has: (found, things)
    overlaps, 0 where they are too small."""
    right = np.zeros(len(overlaps), bool)
    free = overlaps.clone()
    for row in range(len(overlaps)):
        if free.shape[1] and float(free[row].max()) > 0:
            right[row] = True
            free[:, free[row].argmax()] = 0
    return right


def average_precision(scores: np.ndarray[Any, Any], right: np.ndarray[Any, Any], things: int) -> float:
    """The area under the best precision that can be had with at least some recall."""
    hits = np.cumsum(right[np.argsort(-scores, kind="stable")])
    precision = hits / np.arange(1, len(hits) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return float((best * np.diff(hits, prepend=0)).sum() / max(things, 1))


class AveragePrecision(BaseMetric):  # type: ignore[misc]
    default_prefix = "AP"

    def process(self, data_batch: Any, data_samples: Sequence[dict[str, Any]]) -> None:
        for sample in data_samples:
            found, truth = sample["pred_instances_3d"], sample["eval_ann_info"]
            order = found["scores_3d"].argsort(descending=True)
            boxes, scores = found["bboxes_3d"][order], found["scores_3d"][order]
            labels = found["labels_3d"][order]
            made = {}
            for label, name in enumerate(NAMES):
                things = truth["boxes"][truth["labels"] == label]
                overlaps = LiDARInstance3DBoxes.overlaps(boxes[labels == label], things)
                right = verdicts(overlaps * (overlaps >= LEAST_IOU[name]))
                made[name] = (scores[labels == label].numpy(), right, len(things))
            self.results.append(made)

    def compute_metrics(self, results: list[Any]) -> dict[str, float]:
        figures = {}
        for name in NAMES:
            scores, right, things = zip(*(scene[name] for scene in results), strict=True)
            figures[name] = average_precision(np.concatenate(scores), np.concatenate(right), sum(things))
        return figures
