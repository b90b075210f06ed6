"""R-FCN on operators of torchvision: proposals, position-sensitive pooling, suppression of boxes.

R-FCN: Object Detection via Region-based Fully Convolutional Networks, https://arxiv.org/abs/1605.06409.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from .._installing import install
from ._framework import Framework, Model
from .scenes import CLASSES, Picture, Scene, pictures

_SIZE, _STRIDE, _BINS = 512, 16, 7
_SIDES = (12.0, 24.0, 48.0)
_PROPOSALS = 300


def prepare(_: Path | None) -> None:
    install("torchvision", replace=True, quiet=True)
    importlib.import_module("torchvision.ops")


def upright(picture: Picture) -> torch.Tensor:
    """(N, 4): x1, y1, x2, y2 around the turned boxes."""
    x, y, length, width, angle = picture.boxes.T
    cos, sin = np.abs(np.cos(angle)), np.abs(np.sin(angle))
    half = 0.5 * np.stack([length * cos + width * sin, length * sin + width * cos])
    return torch.from_numpy(np.stack([x - half[0], y - half[1], x + half[0], y + half[1]], 1))


def anchors() -> torch.Tensor:
    """(cells * sides, 4): squares around the middle of each cell."""
    middles = (torch.arange(_SIZE // _STRIDE) + 0.5) * _STRIDE
    y, x = torch.meshgrid(middles, middles, indexing="ij")
    middle = torch.stack([x, y, x, y], -1).reshape(-1, 1, 4)
    half = torch.tensor([[-side / 2, -side / 2, side / 2, side / 2] for side in _SIDES])
    return (middle + half).reshape(-1, 4)


def encode(boxes: torch.Tensor, around: torch.Tensor) -> torch.Tensor:
    """Boxes as a network learns them: shifts and growth of others."""
    middle, size = (boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]
    place, side = (around[:, :2] + around[:, 2:]) / 2, around[:, 2:] - around[:, :2]
    return torch.cat([(middle - place) / side, torch.log(size / side)], 1)


def decode(learnt: torch.Tensor, around: torch.Tensor) -> torch.Tensor:
    place, side = (around[:, :2] + around[:, 2:]) / 2, around[:, 2:] - around[:, :2]
    middle, half = place + learnt[:, :2] * side, side * learnt[:, 2:].clamp(max=4.0).exp() / 2
    return torch.cat([middle - half, middle + half], 1).clamp(0.0, float(_SIZE))


class RFCN(nn.Module):
    """Everything that has weights runs once over the whole picture."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for inputs, outputs in ((3, 32), (32, 64), (64, 128), (128, 256)):
            for stride, channels in ((2, inputs), (1, outputs)):
                layers += [nn.Conv2d(channels, outputs, 3, stride, 1, bias=False)]
                layers += [nn.BatchNorm2d(outputs), nn.ReLU()]
        self.body = nn.Sequential(*layers)
        self.proposals = nn.Conv2d(256, len(_SIDES) * 5, 1)
        self.scores = nn.Conv2d(256, (len(CLASSES) + 1) * _BINS**2, 1)
        self.boxes = nn.Conv2d(256, 4 * _BINS**2, 1)
        ops: Any = importlib.import_module("torchvision.ops")
        self.pool = ops.PSRoIPool(_BINS, 1 / _STRIDE)
        self.ops = ops
        self.register_buffer("anchors", anchors(), persistent=False)

    def propose(self, learnt: torch.Tensor) -> torch.Tensor:
        """(up to 300, 4): the best that do not overlap by much."""
        with torch.no_grad():
            score, order = learnt[:, 0].topk(2000)
            found = decode(learnt[order, 1:], self.anchors[order])  # type: ignore[index]
            wide = ((found[:, 2:] - found[:, :2]) > 2.0).all(1)
            kept = self.ops.nms(found[wide], score[wide], 0.7)[:_PROPOSALS]
            return found[wide][kept]

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """What is learnt of anchors (B, A, 5), and the maps that rois are pooled from."""
        x = self.body(images)
        learnt = self.proposals(x).permute(0, 2, 3, 1).reshape(len(images), -1, 5)
        return learnt, self.scores(x), self.boxes(x)

    def pooled(self, maps: torch.Tensor, rois: list[torch.Tensor]) -> list[torch.Tensor]:
        """(rois, channels) of each picture: each bin votes."""
        votes = self.pool(maps, rois).mean((2, 3))
        return list(torch.split(votes, [len(each) for each in rois]))


def matched(ops: Any, boxes: torch.Tensor, truth: torch.Tensor, least: float) -> tuple[torch.Tensor, Any]:
    """Which boxes are on one of the truth, and on which."""
    overlap, which = ops.box_iou(boxes, truth).max(1)
    return overlap >= least, which


def losses_of(model: RFCN, images: torch.Tensor, drawn: Sequence[Picture]) -> dict[str, torch.Tensor]:
    learnt, scores, boxes = model(images)
    sums = {name: images.new_zeros(()) for name in ("objects", "places", "classes", "boxes")}
    truths = [upright(picture).float() for picture in drawn]
    rois = [torch.cat([model.propose(each), truth]) for each, truth in zip(learnt, truths, strict=True)]
    votes, moves = model.pooled(scores, rois), model.pooled(boxes, rois)
    for each, truth, roi, vote, move, picture in zip(learnt, truths, rois, votes, moves, drawn, strict=True):
        around: Any = model.anchors
        on, which = matched(model.ops, around, truth, 0.4)
        sums["objects"] += functional.binary_cross_entropy_with_logits(each[:, 0], on.float())
        wanted = encode(truth[which[on]], around[on])
        sums["places"] += functional.smooth_l1_loss(each[on, 1:], wanted, reduction="sum") / len(around)
        on, which = matched(model.ops, roi, truth, 0.5)
        label = torch.where(on, torch.from_numpy(picture.labels)[which] + 1, 0)
        sums["classes"] += functional.cross_entropy(vote, label)
        sums["boxes"] += functional.smooth_l1_loss(move[on], encode(truth[which[on]], roi[on]))
    return sums


def boxes_of(model: RFCN, images: torch.Tensor) -> list[torch.Tensor]:
    learnt, scores, boxes = model(images)
    rois = [model.propose(each) for each in learnt]
    found = []
    votes, moves = model.pooled(scores, rois), model.pooled(boxes, rois)
    for roi, vote, move in zip(rois, votes, moves, strict=True):
        score, label = vote.softmax(1)[:, 1:].max(1)
        placed = decode(move, roi)
        kept = model.ops.batched_nms(placed, score, label, 0.3)[:100]
        found.append(torch.cat([placed[kept], score[kept, None], label[kept, None]], 1))
    return found


def rfcn(scenes: Sequence[Scene]) -> Model:
    drawn = pictures(scenes, _SIZE)
    images = torch.from_numpy(np.stack([picture.pixels for picture in drawn]))
    module = RFCN()
    return Model(module, lambda: losses_of(module, images, drawn), lambda: boxes_of(module, images))


FRAMEWORK = Framework("torchvision", prepare, {"rfcn": rfcn})
