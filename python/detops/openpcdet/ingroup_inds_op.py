"""``pcdet.ops.ingroup_inds.ingroup_inds_op``: which of its group each element is."""

from __future__ import annotations

import torch

from ..torch._sentences import check_tensors

__all__ = ["IngroupIndicesFunction", "ingroup_inds"]


def ingroup_inds(group_inds: torch.Tensor) -> torch.Tensor:
    """(N,): how many elements of the same group come before. On GPUs the order within a group is
    that of the threads.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet.ingroup_inds_op import ingroup_inds
    >>> ingroup_inds(torch.tensor([7, 2, 7, 7, 2]))
    tensor([0, 0, 1, 2, 1])
    """
    check_tensors("ingroup_inds", group_inds=group_inds)
    if group_inds.ndim != 1 or group_inds.is_floating_point():
        raise ValueError(
            f"ingroup_inds: group_inds has shape {tuple(group_inds.shape)} and type "
            f"{group_inds.dtype}, expected integers of shape (N,)."
        )
    order = torch.argsort(group_inds, stable=True)
    _, counts = torch.unique_consecutive(group_inds[order], return_counts=True)
    begins = torch.repeat_interleave(counts.cumsum(0) - counts, counts)
    made = torch.empty_like(group_inds)
    made[order] = (torch.arange(len(group_inds)) - begins).to(made.dtype)
    return made


class IngroupIndicesFunction:
    """The operator as a function: ``IngroupIndicesFunction.apply``."""

    apply = staticmethod(ingroup_inds)
