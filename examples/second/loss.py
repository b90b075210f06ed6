"""What training makes small."""

from __future__ import annotations

from typing import NamedTuple

import torch
from boxes import Targets
from distributed import processes, sum_over_processes
from model import Maps
from torch.nn import functional

WEIGHTS = (1.0, 2.0, 0.2)
"""Of scores, boxes, directions."""


class Loss(NamedTuple):
    to_minimise: torch.Tensor
    """For ``backward``. With several processes each has its own."""
    parts: torch.Tensor
    """(3,) scores, boxes, directions, weighted; the same number in all processes."""


def focal(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The sum of cross-entropies; those of anchors that are right already count little."""
    wanted = labels.to(scores.dtype)
    entropy = functional.binary_cross_entropy_with_logits(scores, wanted, reduction="none")
    surprise = (scores.sigmoid() - wanted).abs()
    balance = torch.where(labels == 1, 0.25, 0.75)
    return (balance * surprise.square() * entropy).sum()


def box_difference(found: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Smooth L1; of angles the sine of their difference, to which front and back are the same."""
    turn = (found[:, 6:] - wanted[:, 6:]).sin()
    difference = torch.cat([found[:, :6] - wanted[:, :6], turn], 1)
    return functional.smooth_l1_loss(
        difference, torch.zeros_like(difference), reduction="sum", beta=1 / 9
    )


def measure(maps: Maps, targets: Targets) -> Loss:
    """The loss per anchor with a car, of the batch of all processes together."""
    known = targets.labels >= 0
    cars = targets.labels == 1
    sums = torch.stack(
        [
            focal(maps.scores[known], targets.labels[known]),
            box_difference(maps.boxes[cars], targets.residuals),
            functional.binary_cross_entropy_with_logits(
                maps.directions[cars], targets.directions, reduction="sum"
            ),
        ]
    )
    sums = sums * sums.new_tensor(WEIGHTS)
    count = sum_over_processes(cars.sum().to(sums.dtype)).clamp(min=1)
    # DistributedDataParallel divides the sum of all gradients by the number of processes.
    mine = sums.sum() / count * processes()
    return Loss(mine, sum_over_processes(sums.detach()) / count)
