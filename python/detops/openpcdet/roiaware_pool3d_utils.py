"""``pcdet.ops.roiaware_pool3d.roiaware_pool3d_utils``: pooling in boxes, and points in boxes.

z of a box is its centre, and boxes are a little wider than they say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import torch

from .._types import Pool
from ..torch import points_in_boxes
from ..torch._drop_ins import (
    check_batches,
    find_all_boxes,
    in_one_type,
    pool_points,
    tensor_of,
)
from ..torch._sentences import check_finite, told_as

__all__ = [
    "RoIAwarePool3d",
    "RoIAwarePool3dFunction",
    "points_in_boxes_cpu",
    "points_in_boxes_gpu",
]

# OpenPCDet's own numbers are of float, also where its sums are of double. That the two differ is
# its own doing too.
MARGIN_OF_GPU = float(np.float32(1e-5))
_MARGIN_OF_CPU = float(np.float32(1e-2))


@overload
def points_in_boxes_cpu(
    points: torch.Tensor | npt.NDArray[Any], boxes: torch.Tensor
) -> torch.Tensor: ...


@overload
def points_in_boxes_cpu(
    points: torch.Tensor | npt.NDArray[Any], boxes: npt.NDArray[Any]
) -> npt.NDArray[np.int32]: ...


def points_in_boxes_cpu(
    points: torch.Tensor | npt.NDArray[Any], boxes: torch.Tensor | npt.NDArray[Any]
) -> torch.Tensor | npt.NDArray[np.int32]:
    """All points that each box holds. Boxes are 0.01 wider on each side along x and y.

    Parameters
    ----------
    points : tensor or array (M, 3)
    boxes : tensor or array (T, 7)
        (x, y, z, dx, dy, dz, angle in radians); z is the centre.

    Returns
    -------
    int32 tensor (T, M), or an array if boxes is one
        1 where box t holds point m, else 0.

    Examples
    --------
    >>> import numpy as np
    >>> from detops.openpcdet import points_in_boxes_cpu
    >>> boxes = np.array([[0, 0, 0, 2, 2, 2, 0]], np.float32)
    >>> points = np.array([[1.005, 0, 0], [1.02, 0, 0], [0, 0, 1], [0, 0, 1.005]], np.float32)
    >>> points_in_boxes_cpu(points, boxes)
    array([[1, 0, 1, 0]], dtype=int32)
    """
    for name, array, last in (("points", points, 3), ("boxes", boxes, 7)):
        if not isinstance(array, np.ndarray | torch.Tensor):
            raise ValueError(
                f"points_in_boxes_cpu: {name} is a {type(array).__name__}, expected a tensor or an "
                "array of NumPy."
            )
        if isinstance(array, np.ma.MaskedArray):
            raise ValueError(
                f"points_in_boxes_cpu: {name} is a masked array, whose mask nobody would see. Pass "
                "what its method filled(...) returns."
            )
        if len(array.shape) != 2 or array.shape[1] != last:
            letter = "M" if name == "points" else "T"
            raise ValueError(
                f"points_in_boxes_cpu: {name} has shape {list(array.shape)}, "
                f"expected ({letter}, {last})."
            )
    check_finite("points_in_boxes_cpu", boxes=tensor_of(boxes))
    found = torch.zeros((boxes.shape[0], points.shape[0]), dtype=torch.int32)
    find_all_boxes(
        tensor_of(points), tensor_of(boxes), found, z_origin="center", xy_margin=_MARGIN_OF_CPU
    )
    return found if isinstance(boxes, torch.Tensor) else found.numpy()


def points_in_boxes_gpu(points: torch.Tensor, boxes: torch.Tensor) -> torch.Tensor:
    """The first box that holds each point. Boxes are 1e-5 wider on each side along x and y.

    Parameters
    ----------
    points : tensor (B, M, 3)
        In the memory of the CPU, in spite of the name.
    boxes : tensor (B, T, 7)
        (x, y, z, dx, dy, dz, angle in radians); z is the centre.

    Returns
    -------
    int32 tensor (B, M)
        -1 where no box holds the point.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet import points_in_boxes_gpu
    >>> boxes = torch.tensor([[[9.0, 9, 0, 2, 2, 2, 0], [0, 0, 0, 2, 2, 2, 0]]])
    >>> points_in_boxes_gpu(torch.tensor([[[0.5, 0, -1], [0.5, 0, 1.1]]]), boxes)
    tensor([[ 1, -1]], dtype=torch.int32)
    """
    caller = "points_in_boxes_gpu"
    check_batches(caller, points, boxes)
    return told_as(caller, {}, points_in_boxes, *in_one_type(points, boxes))


class RoIAwarePool3dFunction:
    """The operator as a function: ``RoIAwarePool3dFunction.apply``."""

    @staticmethod
    def apply(
        rois: torch.Tensor,
        pts: torch.Tensor,
        pts_feature: torch.Tensor,
        out_size: int | Sequence[int],
        max_pts_each_voxel: int,
        pool_method: Pool,
    ) -> torch.Tensor:
        """As :meth:`RoIAwarePool3d.forward`."""
        if pool_method not in ("max", "avg"):
            raise ValueError(
                f"RoIAwarePool3dFunction: pool_method is {pool_method!r}, expected 'max' or 'avg'."
            )
        return pool_points(
            rois,
            pts,
            pts_feature,
            out_size,
            max_pts_each_voxel,
            pool=pool_method,
            z_origin="center",
            xy_margin=MARGIN_OF_GPU,
            name_of_max_pts="max_pts_each_voxel",
        )


class RoIAwarePool3d(torch.nn.Module):
    """Cut every box into voxels and pool the features of the points in each.

    Parameters
    ----------
    out_size : int or (X, Y, Z)
    max_pts_each_voxel : int
        A voxel keeps the first ``max_pts_each_voxel - 1`` points.

    Examples
    --------
    >>> import torch
    >>> from detops.openpcdet import RoIAwarePool3d
    >>> pool = RoIAwarePool3d((2, 1, 1))
    >>> rois = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0]])
    >>> pts, features = torch.tensor([[-0.5, 0, 1], [-0.2, 0, -1]]), torch.tensor([[3.0], [5.0]])
    >>> pool(rois, pts, features, pool_method="avg").ravel().tolist()
    [4.0, 0.0]
    """

    def __init__(self, out_size: int | Sequence[int], max_pts_each_voxel: int = 128) -> None:
        super().__init__()
        self.out_size = out_size
        self.max_pts_each_voxel = max_pts_each_voxel

    def forward(
        self,
        rois: torch.Tensor,
        pts: torch.Tensor,
        pts_feature: torch.Tensor,
        pool_method: Pool = "max",
    ) -> torch.Tensor:
        """Pool (P, C) features of (P, 3) points in (B, 7) boxes to (B, X, Y, Z, C).

        z of a box is its centre, and boxes are 1e-5 wider on each side along x and y.
        Differentiable with respect to ``pts_feature``.
        """
        return RoIAwarePool3dFunction.apply(
            rois, pts, pts_feature, self.out_size, self.max_pts_each_voxel, pool_method
        )
