"""Position-sensitive RoI pooling: ``torchvision.ops.ps_roi_pool``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..torch import psroipool_forward
from ..torch._drop_ins import in_one_type
from ..torch._sentences import check_tensors, sizes_of, told_as

__all__ = ["PSRoIPool", "ps_roi_pool"]


def _with_images(boxes: Sequence[torch.Tensor], like: torch.Tensor) -> torch.Tensor:
    """(K, 5) regions of one (L, 4) tensor for each image."""
    for image, of_image in enumerate(boxes):
        check_tensors("ps_roi_pool", **{f"boxes[{image}]": of_image})
        if of_image.ndim != 2 or of_image.shape[1] != 4:
            raise ValueError(
                f"ps_roi_pool: boxes[{image}] has shape {list(of_image.shape)}, expected (L, 4)."
            )
    if not boxes:
        return like.new_empty((0, 5))
    rows = torch.cat(tuple(boxes))
    # Numbers of images must be exact: bfloat16 counts to 256, half to 2048.
    if rows.is_floating_point() and len(boxes) - 1 > 2 / torch.finfo(rows.dtype).eps:
        rows = rows.float()
    images = (rows.new_full((len(of_image), 1), i) for i, of_image in enumerate(boxes))
    return torch.cat((torch.cat(tuple(images)), rows), 1)


def _pool_in_script(
    input: torch.Tensor,
    boxes: torch.Tensor | list[torch.Tensor],
    output_size: int | list[int] | tuple[int, int],
    spatial_scale: float,
) -> torch.Tensor:
    """ps_roi_pool in the Python that TorchScript knows."""
    if isinstance(boxes, torch.Tensor):
        rois = boxes
    elif len(boxes) == 0:
        rois = input.new_empty([0, 5])
    else:
        rows = torch.cat(boxes)
        # Numbers of images must be exact: bfloat16 counts to 256, half to 2048.
        if rows.dtype == torch.half or rows.dtype == torch.bfloat16:
            rows = rows.float()
        images = [torch.full([len(of_image), 1], i) for i, of_image in enumerate(boxes)]
        rois = torch.cat([torch.cat(images).to(rows), rows], 1)
    if isinstance(output_size, int):
        size = [output_size, output_size]
    elif isinstance(output_size, list):
        size = output_size
    else:
        size = [output_size[0], output_size[1]]
    dtype = torch.promote_types(input.dtype, rois.dtype)
    made: torch.Tensor = torch.ops.detops.psroipool_forward(
        input.to(dtype), rois.to(dtype), size, spatial_scale, "torchvision", "NCHW"
    )
    return made.to(input.dtype)


# Types of arguments are those that TorchScript can tell apart; sequences of other kinds work too.
def ps_roi_pool(
    input: torch.Tensor,
    boxes: torch.Tensor | list[torch.Tensor],
    output_size: int | list[int] | tuple[int, int],
    spatial_scale: float = 1.0,
) -> torch.Tensor:
    """Average, for each bin of each region, the map's channels that belong to the bin (R-FCN).

    As torchvision computes it, bit by bit, in both directions. Differentiable with respect to
    ``input``.

    Parameters
    ----------
    input : tensor (N, C * PH * PW, H, W)
    boxes : tensor (K, 5), or a list of N tensors (L, 4)
        (image, x1, y1, x2, y2) of each region, or (x1, y1, x2, y2) of the regions of each image.
    output_size : int or (PH, PW)
    spatial_scale : float
        What coordinates are multiplied with.

    Returns
    -------
    tensor (K, C, PH, PW)

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision import ps_roi_pool
    >>> input = torch.arange(16.0).reshape(1, 1, 4, 4)
    >>> ps_roi_pool(input, [torch.tensor([[0.0, 0, 2, 2]])], 1)
    tensor([[[[2.5000]]]])
    """
    if torch.jit.is_scripting():  # type: ignore[attr-defined]
        return _pool_in_script(input, boxes, output_size, spatial_scale)
    # What is neither is refused below.
    rois: Any = _with_images(boxes, input) if isinstance(boxes, list | tuple) else boxes
    height, width = sizes_of("ps_roi_pool", 2, output_size=output_size)
    check_tensors("ps_roi_pool", input=input, boxes=rois)
    numbers, rois = in_one_type(input, rois)
    made = told_as(
        "ps_roi_pool",
        {"rois": "boxes", "pooled_size": "output_size"},
        psroipool_forward,
        numbers,
        rois,
        (height, width),
        spatial_scale,
        convention="torchvision",
        layout="NCHW",
    )
    return made.to(input.dtype)


# As torchvision's: one node in the graphs of torch.fx.
torch.fx.wrap("ps_roi_pool")


class PSRoIPool(torch.nn.Module):
    """:func:`ps_roi_pool` as a module.

    Examples
    --------
    >>> from detops.torchvision import PSRoIPool
    >>> PSRoIPool(7, 1 / 16)
    PSRoIPool(output_size=7, spatial_scale=0.0625)
    """

    def __init__(
        self, output_size: int | list[int] | tuple[int, int], spatial_scale: float
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale

    def forward(
        self, input: torch.Tensor, rois: torch.Tensor | list[torch.Tensor]
    ) -> torch.Tensor:
        """As :func:`ps_roi_pool`."""
        return ps_roi_pool(input, rois, self.output_size, float(self.spatial_scale))

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name}(output_size={self.output_size}, spatial_scale={self.spatial_scale})"
