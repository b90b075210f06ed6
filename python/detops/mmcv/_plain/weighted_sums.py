"""Sums of rows with weights, of which interpolation on maps consists."""

from __future__ import annotations

from typing import NamedTuple

import torch

__all__ = ["WeightedSums", "as_rows", "wide"]


class WeightedSums(NamedTuple):
    """A matrix with few entries: sum b has those from ``offsets[b]`` on, up to the next sum's."""

    positions: torch.Tensor
    """(K,) int64: the row that each entry takes."""
    weights: torch.Tensor
    """(K,)"""
    offsets: torch.Tensor
    """(B + 1,) int64, ascending from 0 to K."""

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        """(B, C) from (R, C); differentiable in the rows and in the weights."""
        if rows.shape[0] == 0 or self.positions.numel() == 0:
            # Embeddings of no rows are an error. Times 0, for gradients to find their way.
            made = rows.new_zeros(len(self.offsets) - 1, rows.shape[1])
            return made + 0 * (rows.sum() + self.weights.sum())
        return torch.nn.functional.embedding_bag(
            self.positions,
            rows,
            self.offsets,
            mode="sum",
            per_sample_weights=self.weights.to(rows.dtype),
            include_last_offset=True,
        )

    def transposed(self, rows: int) -> WeightedSums:
        """The matrix of the gradient: sums are of rows, rows are of sums."""
        order = torch.argsort(self.positions, stable=True)
        counts = self.offsets.diff()
        sums = torch.repeat_interleave(torch.arange(len(counts)), counts)
        return WeightedSums(sums[order], self.weights[order], _offsets(self.positions, rows))

    @staticmethod
    def make(sums: torch.Tensor, positions: torch.Tensor, weights: torch.Tensor, count: int) -> WeightedSums:
        """From the sum that each entry belongs to; these ascend."""
        return WeightedSums(positions, weights, _offsets(sums, count))


def _offsets(groups: torch.Tensor, count: int) -> torch.Tensor:
    counts = torch.bincount(groups, minlength=count)
    return torch.nn.functional.pad(counts.cumsum(0), (1, 0))


def wide(tensor: torch.Tensor) -> torch.Tensor:
    """half and bfloat16 are added up in float."""
    return tensor if tensor.dtype == torch.float64 else tensor.float()


def as_rows(maps: torch.Tensor) -> torch.Tensor:
    """(B, C, H, W) as (B * H * W, C)."""
    return wide(maps).permute(0, 2, 3, 1).reshape(-1, maps.shape[1])
