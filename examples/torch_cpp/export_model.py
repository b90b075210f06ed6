"""Package a small sparse network, so that a program in C++ can run it without Python.

    python export_model.py FOLDER

writes into the folder:

    model.pt2   the network, compiled by AOTInductor for the kind of machine that this runs on
    samples.pt  inputs of several sizes, and what the network made of them in Python
"""

from __future__ import annotations

import sys
from pathlib import Path

import detops.torch
import torch

BATCH = 2
SPACE = (8, 24, 24)
# The sites that the network is traced with, and others that the tracer never saw.
TRACED, OTHERS = 700, (2500, 60)


class SparseNet(torch.nn.Module):
    """Two sparse convolutions, the second of stride 2, then one row of scores per batch."""

    def __init__(self, channels_in: int = 4, hidden: int = 16, scores: int = 3) -> None:
        super().__init__()
        self.filters1 = torch.nn.Parameter(torch.randn(3, 3, 3, channels_in, hidden) / 5)
        self.bias1 = torch.nn.Parameter(torch.randn(hidden) / 5)
        self.filters2 = torch.nn.Parameter(torch.randn(3, 3, 3, hidden, hidden) / 10)
        self.bias2 = torch.nn.Parameter(torch.randn(hidden) / 5)
        self.head = torch.nn.Linear(hidden, scores)

    def forward(
        self, sites: torch.Tensor, features: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Sites (L, 4) and features (L, Ci) to output sites (M, 4) and scores (BATCH, scores)."""
        same = detops.torch.get_indice_pairs(sites, BATCH, SPACE, 3, submanifold=True)
        features = detops.torch.indice_convolution_forward_fused(
            features,
            self.filters1,
            same.indice_pairs,
            same.indice_num,
            same.num_act_out,
            bias=self.bias1,
            activation="relu",
        )
        # How many sites there are now depends on where the sites were: no tracer can know it.
        half = detops.torch.get_indice_pairs(sites, BATCH, SPACE, 3, stride=2, padding=1)
        features = detops.torch.indice_convolution_forward_fused(
            features,
            self.filters2,
            half.indice_pairs,
            half.indice_num,
            half.num_act_out,
            bias=self.bias2,
            activation="relu",
        )
        # Features are 0 or more by now, so that 0 is the maximum of a batch without sites.
        rows = half.out_indices[:, :1].long().expand_as(features)
        pooled = features.new_zeros(BATCH, features.shape[1])
        return half.out_indices, self.head(pooled.scatter_reduce(0, rows, features, "amax"))


def make_input(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Sites anywhere in both batches, no two the same, and random features."""
    random = torch.Generator().manual_seed(seed)
    cells = torch.randperm(BATCH * SPACE[0] * SPACE[1] * SPACE[2], generator=random)[:count]
    sites = torch.stack(torch.unravel_index(cells, (BATCH, *SPACE)), dim=1).to(torch.int32)
    return sites, torch.randn(count, 4, generator=random)


def main(folder: Path) -> None:
    torch.manual_seed(0)
    model = SparseNet().eval()
    inputs = [make_input(count, seed) for seed, count in enumerate((TRACED, *OTHERS))]
    folder.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        any_number = {0: torch.export.Dim.DYNAMIC}
        exported = torch.export.export(
            model,
            tuple(one.clone() for one in inputs[0]),  # The tracer leaves marks on its tensors.
            dynamic_shapes=(any_number, any_number),
        )
        torch._inductor.aoti_compile_and_package(exported, package_path=str(folder / "model.pt2"))
        # Expected numbers are those of the module itself, not of what was compiled from it.
        samples = [(*one, *model(*one)) for one in inputs]
    torch.save(samples, folder / "samples.pt")
    for sites, _, out_sites, scores in samples:
        numbers = " ".join(f"{score:.4f}" for score in scores[0])
        print(f"{len(sites)} sites -> {len(out_sites)}, scores of batch 0: {numbers}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    main(Path(sys.argv[1]))
