"""A small network of sparse convolutions, for tests that compile and export."""

from __future__ import annotations

import detops.torch
import numpy as np
import torch

SPACE = (12, 12, 6)


def cloud(seed: int, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Different sites of two images, and their features."""
    random = np.random.default_rng(seed)
    cells = random.choice(2 * SPACE[0] * SPACE[1] * SPACE[2], size=count, replace=False)
    sites = np.stack(np.unravel_index(np.sort(cells), (2, *SPACE)), axis=1)
    return torch.from_numpy(sites), torch.from_numpy(random.normal(size=(count, 3)))


class SparseNetwork(torch.nn.Module):
    """Convolution, relu, convolution, and the sum of all sites; in double."""

    def __init__(self) -> None:
        super().__init__()
        random = torch.Generator().manual_seed(7)
        first = torch.randn(3, 3, 3, 3, 8, generator=random, dtype=torch.float64)
        second = torch.randn(3, 3, 3, 8, 4, generator=random, dtype=torch.float64)
        self.first, self.second = torch.nn.Parameter(first), torch.nn.Parameter(second)
        self.bias = torch.nn.Parameter(torch.ones(4, dtype=torch.float64))

    def forward(self, sites: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        near = detops.torch.get_indice_pairs(sites, 2, SPACE, 3, submanifold=True)
        x = detops.torch.indice_convolution_forward(
            features, self.first, near.indice_pairs, near.indice_num, near.num_act_out
        )
        down = detops.torch.get_indice_pairs(near.out_indices, 2, SPACE, 3, stride=2, padding=1)
        x = detops.torch.indice_convolution_forward_fused(
            torch.relu(x),
            self.second,
            down.indice_pairs,
            down.indice_num,
            down.num_act_out,
            bias=self.bias,
            activation="relu",
        )
        return x.sum(0)
