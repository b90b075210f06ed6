"""Rows at places of a dense tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from ._graphs import assert_in_graph

__all__ = ["check_inside", "scatter_nd"]


def check_inside(indices: torch.Tensor, limits: Sequence[int]) -> None:
    """Refuse rows of ``indices`` that are not in [0, limit) in each column."""
    outside = (indices < 0) | (indices >= torch.tensor(limits, device=indices.device))
    if torch.compiler.is_compiling():
        assert_in_graph(~outside.any(), "indices are outside of spatial_shape or of the batch.")
    elif bool(outside.any()):
        row, column = (int(number) for number in outside.nonzero()[0])
        raise ValueError(
            f"indices[{row}, {column}] is {int(indices[row, column])}, expected a number in "
            f"[0, {limits[column]}); are indices and spatial_shape in the same order?"
        )


def scatter_nd(
    indices: torch.Tensor, updates: torch.Tensor, shape: Sequence[int]
) -> torch.Tensor:
    """A tensor of zeros of ``shape`` in which rows of ``updates`` stand at ``indices``.

    Of rows for the same place the last one stands there, whatever the number of threads, and it
    alone has a gradient.
    """
    count = indices.shape[-1]
    places = indices.reshape(-1, count).long()
    rows = updates.reshape(places.shape[0], *shape[count:])
    check_inside(places, shape[:count])
    if torch.compiler.is_compiling():
        return _scatter_in_graph(places, rows, shape)
    made = torch.zeros(*shape, dtype=updates.dtype, device=updates.device)
    kept = _last_of_each(places, shape[:count])
    if kept is not None:
        places, rows = places[kept], rows[kept]
    return made.index_put(places.unbind(1), rows)


def _cells(places: torch.Tensor, extents: Sequence[int]) -> torch.Tensor:
    """Places as numbers, row by row."""
    steps = [math.prod(extents[axis + 1 :]) for axis in range(len(extents))]
    return (places * places.new_tensor(steps)).sum(1)


def _scatter_in_graph(
    places: torch.Tensor, rows: torch.Tensor, shape: Sequence[int]
) -> torch.Tensor:
    """The same where the number of rows that stand cannot be known: the others go into one cell
    more, which is cut off."""
    count = places.shape[1]
    cells, total = _cells(places, shape[:count]), math.prod(shape[:count])
    ordered, order = cells.sort(stable=True)
    behind = torch.searchsorted(ordered, ordered, right=True)
    is_last = behind == torch.arange(1, places.shape[0] + 1, device=places.device)
    stands = torch.zeros_like(is_last).index_put((order,), is_last)
    made = rows.new_zeros((total + 1, *shape[count:]))
    made = made.index_put((torch.where(stands, cells, total),), rows)
    return made[:total].reshape(list(shape))


def _last_of_each(places: torch.Tensor, extents: Sequence[int]) -> torch.Tensor | None:
    """Of equal rows the last ones, or None where all rows differ."""
    cells = _cells(places, extents)
    if bool((cells[1:] > cells[:-1]).all()):  # As rows of regular convolutions are.
        return None
    ordered, order = cells.sort(stable=True)
    is_last = torch.ones_like(ordered, dtype=torch.bool)
    is_last[:-1] = ordered[1:] != ordered[:-1]
    return None if bool(is_last.all()) else order[is_last]
