"""Batch normalisation with the statistics of all processes, on CPUs.

torch's own SyncBatchNorm wants GPUs. These two are BatchNorm1d and BatchNorm2d to everything else
(state_dict, ``detops.spconv.fuse``), and one process alone runs the code of torch.
"""

from __future__ import annotations

from typing import Any

import torch
from detops import spconv
from distributed import processes, sum_over_processes
from torch import nn


def normalise(norm: nn.modules.batchnorm._BatchNorm, x: torch.Tensor) -> torch.Tensor:
    """What ``norm`` does in training to channels on axis 1, as if the rows of all processes were in
    one tensor. A process may have none. Statistics of fewer than two rows are not remembered: they
    have no variance, and 0 in its place would be divided by in eval mode."""
    axes = [axis for axis in range(x.ndim) if axis != 1]
    shape = [1, -1] + [1] * (x.ndim - 2)
    rows = x.new_full((1,), x.numel() // x.shape[1])
    sums = sum_over_processes(torch.cat([rows, x.sum(axes)]))
    count = sums[:1].detach().clamp(min=1)
    mean = sums[1:] / count
    centred = x - mean.view(shape)
    # From the centred rows: a difference of two large sums would cancel.
    variance = sum_over_processes(centred.square().sum(axes)) / count
    has_variance = bool(sums[0] > 1)
    if has_variance and norm.running_mean is not None and norm.running_var is not None:
        assert norm.momentum is not None and norm.num_batches_tracked is not None
        with torch.no_grad():
            unbiased = variance * count / (count - 1)
            norm.running_mean.lerp_(mean, norm.momentum)
            norm.running_var.lerp_(unbiased, norm.momentum)
            norm.num_batches_tracked.add_(1)
    scale = norm.weight * (variance + norm.eps).rsqrt()
    made: torch.Tensor = centred * scale.view(shape) + norm.bias.view(shape)
    return made


class SynchronisedBatchNorm1d(spconv.SparseBatchNorm):
    """Of the features of a sparse tensor."""

    def forward(self, input: Any) -> Any:
        if not self.training:
            return super().forward(input)
        rows = input.features
        # torch refuses a single row.
        if processes() == 1 and len(rows) > 1:
            return super().forward(input)
        return input.replace_feature(normalise(self, rows))


class SynchronisedBatchNorm2d(nn.BatchNorm2d):
    """Of maps (batch, C, H, W)."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if not self.training or processes() == 1:
            return super().forward(input)
        return normalise(self, input)
