"""The learning rate in the course of a run."""

from __future__ import annotations

import math

import torch

HIGHEST = 4e-3
RISE = 0.3
"""The part of a run in which the rate rises."""


def between(first: float, last: float, part: float) -> float:
    """From first to last on half a cosine."""
    return last + (first - last) * (1 + math.cos(math.pi * part)) / 2


def set_rate(optimizer: torch.optim.Optimizer, progress: float) -> float:
    """One cycle: up, then down to nearly nothing; the momentum the other way round."""
    if progress < RISE:
        rate, momentum = (
            between(HIGHEST / 10, HIGHEST, progress / RISE),
            between(0.95, 0.85, progress / RISE),
        )
    else:
        part = min(1.0, (progress - RISE) / (1 - RISE))
        rate, momentum = between(HIGHEST, HIGHEST / 1000, part), between(0.85, 0.95, part)
    for group in optimizer.param_groups:
        group["lr"], group["betas"] = rate, (momentum, 0.99)
    return rate
