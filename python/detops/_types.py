"""Types that the functions share."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt


@runtime_checkable
class SupportsDLPack(Protocol):
    """A tensor of any library that speaks DLPack, as ``numpy.ndarray`` and ``torch.Tensor``."""

    # Producers differ in the keywords they take; those are the business of the two libraries.
    @property
    def __dlpack__(self) -> Any: ...


ArrayLike: TypeAlias = SupportsDLPack
FloatArray: TypeAlias = npt.NDArray[Any]
IndexArray: TypeAlias = npt.NDArray[np.int32]
WideIndexArray: TypeAlias = npt.NDArray[np.int64]
Size2: TypeAlias = "int | tuple[int, int]"
Size3: TypeAlias = "int | tuple[int, int, int]"
Sizes: TypeAlias = "int | Shape"
Shape: TypeAlias = "tuple[int, ...] | list[int] | npt.NDArray[np.integer[Any]]"
Measures: TypeAlias = "tuple[float, ...] | list[float] | npt.NDArray[np.floating[Any]]"
Counts: TypeAlias = "SupportsDLPack | tuple[int, ...] | list[int]"

Convention: TypeAlias = Literal["rfcn", "torchvision", "consistent"]
Layout: TypeAlias = Literal["NHWC", "NCHW"]
Pool: TypeAlias = Literal["max", "avg"]
Reduce: TypeAlias = Literal["sum", "mean", "max"]
Start: TypeAlias = Literal["zero", "lowest"]
VoxelOrder: TypeAlias = Literal["first_point", "ascending"]
ZOrigin: TypeAlias = Literal["bottom", "center"]
Activation: TypeAlias = Literal["none", "relu", "leaky_relu"]
FiltersLayout: TypeAlias = Literal[
    "KIO", "OKI", "OIK", "DHWCN", "HWCN", "NDHWC", "NHWC", "NCDHW", "NCHW"
]
OverlapMode: TypeAlias = Literal["iou", "iof"]
OverlapGradient: TypeAlias = Literal["iou", "iof", "overlap"]
BoxFormat: TypeAlias = Literal["xyxy", "cxcywh", "cxcywha", "quad", "bev", "bev_upright"]
SoftMethod: TypeAlias = Literal["naive", "linear", "gaussian"]
