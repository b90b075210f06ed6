"""What functions on points ask of their arguments, in one sentence each."""

from __future__ import annotations

import torch

from ..torch._sentences import check_tensors

__all__ = ["check_counts", "check_indices", "check_shapes"]


def check_shapes(caller: str, sizes: dict[str, int], **expected: tuple[torch.Tensor, str]) -> None:
    """Tensors beside shapes as "B N 3": a letter is the same number wherever it stands. What the
    letters are is put into ``sizes``."""
    check_tensors(caller, **{name: tensor for name, (tensor, _) in expected.items()})
    for name, (tensor, shape) in expected.items():
        axes = shape.split()
        said = f"{caller}: {name} has shape {list(tensor.shape)}, expected ({', '.join(axes)})"
        if tensor.ndim != len(axes):
            raise ValueError(f"{said}.")
        for axis, extent in zip(axes, tensor.shape, strict=True):
            wanted = int(axis) if axis.isdigit() else sizes.setdefault(axis, extent)
            if extent != wanted:
                raise ValueError(f"{said}{'' if axis.isdigit() else f' with {axis} = {wanted}'}.")


def check_indices(caller: str, name: str, indices: torch.Tensor, ends: torch.Tensor | int) -> torch.Tensor:
    """int64 indices between 0 and an end, which may differ from place to place."""
    if indices.is_floating_point():
        raise ValueError(f"{caller}: {name} is {indices.dtype}, expected integers.")
    outside = ((indices < 0) | (indices >= ends)).nonzero()
    if len(outside):
        place = outside[0].tolist()
        end = ends if isinstance(ends, int) else int(ends.expand(indices.shape)[tuple(place)])
        raise ValueError(
            f"{caller}: {name} has {indices[tuple(place)].item()} at {place}, expected 0 to {end - 1}."
        )
    return indices.long()


def check_counts(caller: str, **counts: tuple[torch.Tensor, int]) -> list[list[int]]:
    """How many rows each cloud has; they make up all rows, and there are as many clouds in each."""
    found: list[list[int]] = []
    for name, (tensor, rows) in counts.items():
        check_tensors(caller, **{name: tensor})
        numbers = tensor.flatten().tolist()
        if tensor.ndim != 1 or min(numbers, default=0) < 0 or sum(numbers) != rows:
            raise ValueError(f"{caller}: {name} is {numbers}, expected counts that add up to {rows} rows.")
        if found and len(numbers) != len(found[0]):
            raise ValueError(f"{caller}: {name} has {len(numbers)} clouds, expected {len(found[0])}.")
        found.append([int(number) for number in numbers])
    return found
