"""How many cars a network finds, and how often it sees some where there are none."""

from __future__ import annotations

from typing import Any, NamedTuple

import distributed
import numpy as np
import torch
from boxes import LEAST_POINTS, decode
from data import Scenes, load
from detops import spconv
from model import Maps, Second
from overlap import iou, suppress
from scenes import Scene

Array = np.ndarray[Any, Any]
LEAST_IOU = 0.5
"""A car is found where a box overlaps it by this much, seen from above."""
SURE = 0.3
"""The score from which on a box counts as said, where there is no curve to draw."""


class Found(NamedTuple):
    """The boxes (K, 7) found in a scene and their scores (K,), best first."""

    boxes: Array
    scores: Array


class Answer(NamedTuple):
    scene: Scene
    found: Found


class Figures(NamedTuple):
    precision: float
    """The average precision, 0 to 1."""
    recall: float
    """The share of cars that boxes with a score of SURE or more find."""
    false_boxes: float
    """Of such boxes those that are on no car, per scene."""
    cars: int


def select(maps: Maps, anchors: torch.Tensor, most: int = 150) -> list[Found]:
    """The boxes of each scene of a batch."""
    made = []
    for scores, residuals, directions in zip(*maps, strict=True):
        chance = scores.flatten().sigmoid()
        best = chance.topk(min(most, len(chance))).indices
        best = best[chance[best] > 0.05]
        residuals, back = residuals.flatten(0, 2)[best], directions.flatten()[best] > 0
        boxes = decode(residuals, back, anchors.flatten(0, 2)[best]).numpy()
        chances = chance[best].numpy()
        kept = suppress(boxes, chances, 0.1)  # Cars do not drive through each other.
        made.append(Found(boxes[kept], chances[kept]))
    return made


def match(found: Found, boxes: Array, asked: Array) -> Array:
    """(K,) of each found box: 1 a car that no better one has found, 0 false, -1 not counted: it is
    on a car that is not asked for."""
    verdicts = np.zeros(len(found.boxes), np.int64)
    overlaps = iou(found.boxes, boxes)
    free = asked.copy()
    for row, overlap in enumerate(overlaps):
        best = int(np.argmax(np.where(free, overlap, -1))) if len(boxes) else 0
        if len(boxes) and free[best] and overlap[best] >= LEAST_IOU:
            verdicts[row], free[best] = 1, False
        elif (overlap[~asked] >= LEAST_IOU).any():
            verdicts[row] = -1
    return verdicts


def average_precision(verdicts: Array, scores: Array, cars: int, points: int = 40) -> float:
    """The mean, over ``points`` equal steps of recall up to 1, of the best precision that can be
    had with at least that recall."""
    order = np.argsort(-scores, kind="stable")
    order = order[verdicts[order] >= 0]
    right = np.cumsum(verdicts[order])
    precision = right / np.arange(1, len(order) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    wanted = np.arange(1, points + 1) / points * cars
    # The first place where enough cars are found; none is a precision of 0.
    first = np.searchsorted(right, wanted - 1e-9)
    return float(np.append(best, 0.0)[first].mean())


def judge(answers: list[Answer]) -> Figures:
    asked = [answer.scene.visible >= LEAST_POINTS for answer in answers]
    verdicts = [
        match(answer.found, answer.scene.boxes, wanted)
        for answer, wanted in zip(answers, asked, strict=True)
    ]
    cars = sum(int(wanted.sum()) for wanted in asked)
    verdict = np.concatenate([*verdicts, np.empty(0, np.int64)])
    scores = np.concatenate([*(answer.found.scores for answer in answers), np.empty(0)])
    said = verdict[scores >= SURE]
    return Figures(
        average_precision(verdict, scores, cars),
        float((said == 1).sum()) / max(cars, 1),
        float((said == 0).sum()) / max(len(answers), 1),
        cars,
    )


@torch.no_grad()
def examine(model: Second, scenes: Scenes, count: int, batch: int, workers: int) -> list[Answer]:
    """What the network finds in the first ``count`` scenes; the processes share them."""
    network = spconv.fuse(model)
    anchors = torch.from_numpy(scenes.anchors)
    made: list[Answer] = []
    for part in load(scenes, range(count), batch, workers):
        maps = network(part.features, part.indices, len(part.scenes))
        made += map(Answer, part.scenes, select(maps, anchors))
    return sorted(distributed.gather(made), key=lambda answer: answer.scene.seed)
