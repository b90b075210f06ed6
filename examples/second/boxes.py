"""Anchors, and boxes as a network learns them.

A box is x, y, z of its centre, length, width, height and the angle of its length to x.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch
from grid import Grid
from scenes import GROUND

SIZE = (4.4, 1.8, 1.6)
"""Of an anchor: the usual car."""
LEAST_POINTS = 10
"""A car on fewer points is neither asked for nor wrong."""
LARGEST = 8.0
CORE = 0.25
"""Cells this near to the middle of a car, in parts of its length and width, have to find it."""
WIDEST = np.radians(50)
"""An anchor is for cars of up to this angle to it; more than 45 degrees, so that both learn those
in between."""


class Targets(NamedTuple):
    labels: torch.Tensor
    """(rows, columns, anchors) int8: 1 car, 0 none, -1 either is right."""
    residuals: torch.Tensor
    """(P, 7): of the P anchors with label 1, in their order."""
    directions: torch.Tensor
    """(P,): 1 where a car looks the other way than its anchor."""


def make_anchors(grid: Grid) -> np.ndarray[Any, Any]:
    """(rows, columns, 2, 7): in the middle of each cell, along x and along y."""
    rows, columns = grid.bev
    made = np.empty((rows, columns, 2, 7), np.float32)
    made[..., 0] = (grid.low[0] + (np.arange(columns) + 0.5) * grid.cell)[None, :, None]
    made[..., 1] = (grid.low[1] + (np.arange(rows) + 0.5) * grid.cell)[:, None, None]
    made[..., 2] = GROUND + SIZE[2] / 2
    made[..., 3:6] = SIZE
    made[..., 6] = [0, np.pi / 2]
    return made


def encode(boxes: torch.Tensor, anchors: torch.Tensor) -> torch.Tensor:
    """How boxes differ from anchors, in numbers of about 1."""
    diagonal = anchors[..., 3:5].norm(dim=-1, keepdim=True)
    scale = torch.cat([diagonal, diagonal, anchors[..., 5:6]], -1)
    return torch.cat(
        [
            (boxes[..., :3] - anchors[..., :3]) / scale,
            (boxes[..., 3:6] / anchors[..., 3:6]).log(),
            boxes[..., 6:] - anchors[..., 6:],
        ],
        -1,
    )


def looks_back(boxes: torch.Tensor, anchors: torch.Tensor) -> torch.Tensor:
    return (boxes[..., 6] - anchors[..., 6]).cos() < 0


def decode(
    residuals: torch.Tensor, back: torch.Tensor, anchors: torch.Tensor
) -> torch.Tensor:
    """The boxes that ``encode`` and ``looks_back`` tell of; angles in [-pi, pi).

    Only the line of the angle is taken from ``residuals``: which of its two ends is the front,
    ``back`` says. No box is more than LARGEST times its anchor: a network that has learnt nothing
    yet may say anything.
    """
    diagonal = anchors[..., 3:5].norm(dim=-1, keepdim=True)
    scale = torch.cat([diagonal, diagonal, anchors[..., 5:6]], -1)
    half = torch.pi / 2
    line = torch.remainder(residuals[..., 6] + half, torch.pi) - half
    angle = anchors[..., 6] + line + torch.pi * back
    angle = torch.remainder(angle + torch.pi, 2 * torch.pi) - torch.pi
    return torch.cat(
        [
            residuals[..., :3] * scale + anchors[..., :3],
            residuals[..., 3:6].clamp(max=math.log(LARGEST)).exp() * anchors[..., 3:6],
            angle[..., None],
        ],
        -1,
    )


def assign(
    boxes: np.ndarray[Any, Any], asked: np.ndarray[Any, Any], anchors: np.ndarray[Any, Any]
) -> Targets:
    """What every anchor should say of a scene with these cars."""
    labels = np.zeros(anchors.shape[:3], np.int8)
    owner = np.full(anchors.shape[:3], -1)
    for number, (box, is_asked) in enumerate(zip(boxes, asked, strict=True)):
        cos, sin = np.cos(box[6]), np.sin(box[6])
        x, y = anchors[..., 0] - box[0], anchors[..., 1] - box[1]
        along = np.abs(x * cos + y * sin) / box[3]
        across = np.abs(y * cos - x * sin) / box[4]
        labels[(along < 0.5) & (across < 0.5) & (labels == 0)] = -1
        if not is_asked:
            continue
        core = (along < CORE) & (across < CORE)
        distance = np.hypot(x, y)
        core |= distance == distance.min()
        line = np.abs(np.remainder(box[6] - anchors[..., 6] + np.pi / 2, np.pi) - np.pi / 2)
        mine = core & (line < WIDEST)
        labels[core & (line > 1.2 * WIDEST)] = 0
        labels[mine], owner[mine] = 1, number
    positive = labels == 1
    found = torch.from_numpy(boxes[owner[positive]])
    matched = torch.from_numpy(anchors[positive])
    return Targets(
        torch.from_numpy(labels), encode(found, matched), looks_back(found, matched).float()
    )
