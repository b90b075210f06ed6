"""``torchvision.transforms.functional``: reflections of pictures that are tensors."""

from __future__ import annotations

import torch

__all__ = ["hflip", "vflip"]


def hflip(img: torch.Tensor) -> torch.Tensor:
    """The picture with left and right exchanged, (..., H, W).

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision.functional import hflip
    >>> hflip(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """
    return _picture("hflip", img).flip(-1)


def vflip(img: torch.Tensor) -> torch.Tensor:
    """The picture upside down, (..., H, W).

    Examples
    --------
    >>> import torch
    >>> from detops.torchvision.functional import vflip
    >>> vflip(torch.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """
    return _picture("vflip", img).flip(-2)


def _picture(function: str, img: torch.Tensor) -> torch.Tensor:
    if not isinstance(img, torch.Tensor) or img.ndim < 2:
        found = f"{img.ndim} axes" if isinstance(img, torch.Tensor) else f"type {type(img).__name__}"
        raise ValueError(f"{function}: img (argument 1) has {found}, expected a tensor (..., H, W).")
    return img
