"""Averages of maps in the cells of regions, upright or rotated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch

from .weighted_sums import WeightedSums, as_rows, wide

__all__ = [
    "roi_align_backward",
    "roi_align_forward",
    "roi_align_rotated_backward",
    "roi_align_rotated_forward",
]

_SAMPLES = 1 << 20
"""At a time, so that memory stays bounded: 32 bytes for each of four corners."""


class _Regions(NamedTuple):
    """Regions on a map, a row each."""

    image: torch.Tensor
    start: torch.Tensor
    """(N, 2): y, x of the first corner; of rotated ones from the centre, before they are rotated."""
    extent: torch.Tensor
    """(N, 2): height and width."""
    turn: torch.Tensor
    """(N, 4): cosine, sine, y and x of the centre. Of upright ones 1, 0, 0, 0."""


class _Grid(NamedTuple):
    """What is the same for all regions."""

    shape: torch.Size
    """Of the maps: (B, C, H, W)."""
    cells: tuple[int, int]
    ratio: int
    """Samples along each axis of a cell; below 1: as many as it has pixels, rounded up."""


def _check(function: str, rois: torch.Tensor, images: int, extent: torch.Tensor, aligned: bool) -> None:
    if not bool(torch.isfinite(rois).all()):
        raise ValueError(f"{function}: rois (argument 2) has a number that is not finite.")
    image = rois[:, 0]
    if bool(((image < 0) | (image >= images)).any()):
        wrong = int(((image < 0) | (image >= images)).nonzero()[0])
        raise ValueError(
            f"{function}: rois (argument 2) has image {image[wrong].item():g} in row {wrong}, "
            f"expected 0 to {images - 1}."
        )
    if aligned and bool((extent < 0).any()):
        wrong = int((extent < 0).any(1).nonzero()[0])
        raise ValueError(f"{function}: rois (argument 2) has a negative size in row {wrong}.")


def _upright(rois: torch.Tensor, images: int, scale: float, aligned: bool) -> _Regions:
    corners = wide(rois[:, 1:]) * scale - (0.5 if aligned else 0.0)
    start, extent = corners[:, [1, 0]], corners[:, [3, 2]] - corners[:, [1, 0]]
    _check("roi_align", rois, images, extent, aligned)
    turn = extent.new_tensor([1.0, 0.0, 0.0, 0.0]).expand(len(rois), 4)
    return _Regions(rois[:, 0].long(), start, extent if aligned else extent.clamp(min=1.0), turn)


def _rotated(rois: torch.Tensor, images: int, scale: float, aligned: bool, clockwise: bool) -> _Regions:
    numbers = wide(rois[:, 1:])
    centre, extent = numbers[:, [1, 0]] * scale - (0.5 if aligned else 0.0), numbers[:, [3, 2]] * scale
    _check("roi_align_rotated", rois, images, extent, aligned)
    extent = extent if aligned else extent.clamp(min=1.0)
    angle = -numbers[:, 4] if clockwise else numbers[:, 4]
    turn = torch.cat((torch.stack((angle.cos(), angle.sin()), 1), centre), 1)
    return _Regions(rois[:, 0].long(), -extent / 2, extent, turn)


def _counts(regions: _Regions, grid: _Grid) -> torch.Tensor:
    """(N, 2): samples along y and x of a cell."""
    cells = regions.extent.new_tensor(grid.cells)
    if grid.ratio > 0:
        return torch.full_like(regions.extent, grid.ratio, dtype=torch.int64)
    return (regions.extent / cells).ceil().long()


def _places(regions: _Regions, counts: torch.Tensor, grid: _Grid) -> tuple[torch.Tensor, torch.Tensor]:
    """The cell of each sample, counted through all regions, and its (y, x)."""
    cells_in_all, cells_in_row = grid.cells[0] * grid.cells[1], grid.cells[1]
    in_cell = counts.prod(1)
    ends = (in_cell * cells_in_all).cumsum(0)
    region = torch.repeat_interleave(torch.arange(len(counts)), in_cell * cells_in_all)
    number = torch.arange(len(region)) - (ends - in_cell * cells_in_all)[region]
    cell, inside = number // in_cell[region], number % in_cell[region]
    across = counts[region, 1]
    step = torch.stack((inside // across, inside % across), 1) + 0.5
    at = torch.stack((cell // cells_in_row, cell % cells_in_row), 1)
    size = (regions.extent / regions.extent.new_tensor(grid.cells))[region]
    y, x = (regions.start[region] + at * size + step * size / counts[region]).unbind(1)
    cos, sin, centre_y, centre_x = regions.turn[region].unbind(1)
    turned = torch.stack((y * cos - x * sin + centre_y, y * sin + x * cos + centre_x), 1)
    return region * cells_in_all + cell, turned


def _sums(regions: _Regions, counts: torch.Tensor, grid: _Grid) -> WeightedSums:
    """Of each cell the sum of its samples. One further than a pixel from the map counts nothing; of
    others the map's border is as wide as they need."""
    images, _, height, width = grid.shape
    cell, places = _places(regions, counts, grid)
    size = torch.tensor([height, width])
    kept = ((places >= -1) & (places <= size)).all(1) & bool(images)
    cell, places = cell[kept], places[kept].clamp(min=0)
    low = torch.minimum(places.long(), size - 1)
    high = torch.minimum(low + 1, size - 1)
    part = torch.where(low == size - 1, 0, places - low)
    image = regions.image[cell // (grid.cells[0] * grid.cells[1])]
    rows = torch.stack((low[:, 0], high[:, 0]), 1)[:, :, None] + (image * height)[:, None, None]
    positions = rows * width + torch.stack((low[:, 1], high[:, 1]), 1)[:, None, :]
    weights = torch.stack((1 - part, part), 2)
    weights = weights[:, 0, :, None] * weights[:, 1, None, :]
    count = len(counts) * grid.cells[0] * grid.cells[1]
    return WeightedSums.make(cell.repeat_interleave(4), positions.flatten(), weights.flatten(), count)


def _pieces(regions: _Regions, grid: _Grid) -> Iterator[tuple[slice, torch.Tensor, WeightedSums]]:
    """Some regions at a time: which, how many samples a cell of each has, and the sums of cells."""
    counts = _counts(regions, grid)
    ends = (counts.prod(1) * grid.cells[0] * grid.cells[1]).cumsum(0)
    begin = 0
    while begin < len(counts):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(torch.searchsorted(ends, before + _SAMPLES, right=True)))
        part = slice(begin, end)
        some = _Regions(*(column[part] for column in regions))
        yield part, counts[part].prod(1).clamp(min=1)[:, None, None], _sums(some, counts[part], grid)
        begin = end


def _forward(maps: torch.Tensor, regions: _Regions, grid: _Grid, output: torch.Tensor) -> None:
    rows = as_rows(maps)
    for part, samples, sums in _pieces(regions, grid):
        made = sums.of(rows).view(len(samples), grid.cells[0] * grid.cells[1], rows.shape[1]) / samples
        output[part] = made.transpose(1, 2).reshape(output[part].shape)


def _backward(gradient: torch.Tensor, regions: _Regions, grid: _Grid, result: torch.Tensor) -> None:
    images, channels, height, width = grid.shape
    total = wide(gradient).new_zeros(images * height * width, channels)
    for part, samples, sums in _pieces(regions, grid):
        given = wide(gradient[part]).flatten(2).transpose(1, 2) / samples
        total += sums.transposed(len(total)).of(given.flatten(0, 1))
    result += total.view(images, height, width, channels).permute(0, 3, 1, 2)


def roi_align_forward(
    input: torch.Tensor,
    rois: torch.Tensor,
    output: torch.Tensor,
    argmax_y: torch.Tensor,
    argmax_x: torch.Tensor,
    aligned_height: int,
    aligned_width: int,
    spatial_scale: float,
    sampling_ratio: int,
    pool_mode: int,
    aligned: bool,
) -> None:
    _only_averages(pool_mode)
    grid = _Grid(input.shape, (aligned_height, aligned_width), sampling_ratio)
    _forward(input, _upright(rois, len(input), spatial_scale, aligned), grid, output)


def roi_align_backward(
    grad_output: torch.Tensor,
    rois: torch.Tensor,
    argmax_y: torch.Tensor,
    argmax_x: torch.Tensor,
    grad_input: torch.Tensor,
    aligned_height: int,
    aligned_width: int,
    spatial_scale: float,
    sampling_ratio: int,
    pool_mode: int,
    aligned: bool,
) -> None:
    _only_averages(pool_mode)
    grid = _Grid(grad_input.shape, (aligned_height, aligned_width), sampling_ratio)
    regions = _upright(rois, len(grad_input), spatial_scale, aligned)
    _backward(grad_output, regions, grid, grad_input)


def roi_align_rotated_forward(
    input: torch.Tensor,
    rois: torch.Tensor,
    output: torch.Tensor,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    sampling_ratio: int,
    aligned: bool,
    clockwise: bool,
) -> None:
    grid = _Grid(input.shape, (pooled_height, pooled_width), sampling_ratio)
    _forward(input, _rotated(rois, len(input), spatial_scale, aligned, clockwise), grid, output)


def roi_align_rotated_backward(
    top_grad: torch.Tensor,
    rois: torch.Tensor,
    bottom_grad: torch.Tensor,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    sampling_ratio: int,
    aligned: bool,
    clockwise: bool,
) -> None:
    grid = _Grid(bottom_grad.shape, (pooled_height, pooled_width), sampling_ratio)
    regions = _rotated(rois, len(bottom_grad), spatial_scale, aligned, clockwise)
    _backward(top_grad, regions, grid, bottom_grad)


def _only_averages(pool_mode: int) -> None:
    if pool_mode != 1:
        raise NotImplementedError("roi_align: pool_mode is 'max', detops has 'avg'.")
