"""``pcdet.ops.bev_pool``: sums of the features of points that fall into the same cell.

In plain torch: no operator of detops is behind it.
"""

from __future__ import annotations

import torch

from ..torch._sentences import check_tensors

__all__ = ["QuickCumsum", "QuickCumsumCuda", "bev_pool"]


class QuickCumsum:
    """Sums of neighbouring rows of equal rank, as a function: ``QuickCumsum.apply``."""

    @staticmethod
    def apply(
        x: torch.Tensor, geom_feats: torch.Tensor, ranks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(K, C) and (K, 4): the sums, and the last row of ``geom_feats`` of each rank."""
        check_tensors("QuickCumsum", x=x, geom_feats=geom_feats, ranks=ranks)
        if not len(x) == len(geom_feats) == len(ranks):
            raise ValueError(
                f"QuickCumsum: x, geom_feats and ranks have {len(x)}, {len(geom_feats)} and "
                f"{len(ranks)} rows, expected the same number."
            )
        _, group, counts = torch.unique_consecutive(ranks, return_inverse=True, return_counts=True)
        sums = x.new_zeros((len(counts), *x.shape[1:])).index_add(0, group, x)
        return sums, geom_feats[counts.cumsum(0) - 1]


class QuickCumsumCuda:
    """:func:`bev_pool` of points that are in the order of their ranks, to (B, D, H, W, C)."""

    @staticmethod
    def apply(
        x: torch.Tensor, geom_feats: torch.Tensor, ranks: torch.Tensor, B: int, D: int, H: int, W: int
    ) -> torch.Tensor:
        return bev_pool(x, geom_feats, B, D, H, W).permute(0, 2, 3, 4, 1)


def bev_pool(
    feats: torch.Tensor,
    coords: torch.Tensor,
    B: int | torch.Tensor,
    D: int | torch.Tensor,
    H: int | torch.Tensor,
    W: int | torch.Tensor,
) -> torch.Tensor:
    """Sum features per cell, in the order of the points; differentiable with respect to them.

    Parameters
    ----------
    feats : tensor (N, C)
    coords : integer tensor (N, 4)
        (h, w, d, b) of each point's cell.
    B, D, H, W : int, or tensors of one element

    Returns
    -------
    tensor (B, C, D, H, W)
        0 where no point is.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.bev_pool import bev_pool
    >>> cells = torch.tensor([[0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]])
    >>> bev_pool(torch.tensor([[1.0], [2.0], [4.0]]), cells, 1, 1, 1, 2).ravel()
    tensor([2., 5.])
    """
    check_tensors("bev_pool", feats=feats, coords=coords)
    if feats.ndim != 2:
        raise ValueError(f"bev_pool: feats has shape {list(feats.shape)}, expected (N, C).")
    if coords.shape != (len(feats), 4):
        raise ValueError(
            f"bev_pool: coords has shape {list(coords.shape)}, expected ({len(feats)}, 4) for "
            f"N = {len(feats)} as in feats."
        )
    sizes = (int(H), int(W), int(D), int(B))
    cells = coords.long()
    outside = ((cells < 0) | (cells >= torch.tensor(sizes))).nonzero()
    if len(outside):
        row, column = outside[0].tolist()
        raise ValueError(
            f"bev_pool: coords has {coords[row, column].item()} at [{row}, {column}], expected 0 to "
            f"{sizes[column] - 1}."
        )
    h, w, d, b = cells.unbind(1)
    place = ((b * sizes[2] + d) * sizes[0] + h) * sizes[1] + w
    count = sizes[3] * sizes[2] * sizes[0] * sizes[1]
    sums = feats.new_zeros((count, feats.shape[1])).index_add(0, place, feats)
    made = sums.reshape(sizes[3], sizes[2], sizes[0], sizes[1], feats.shape[1])
    return made.permute(0, 4, 1, 2, 3).contiguous()
