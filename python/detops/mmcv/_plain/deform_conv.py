"""Convolutions that look where offsets tell them to, on batches of maps."""

from __future__ import annotations

from typing import NamedTuple

import torch

from .weighted_sums import WeightedSums, as_rows, wide

__all__ = [
    "deform_conv_backward_input",
    "deform_conv_backward_parameters",
    "deform_conv_forward",
    "modulated_deform_conv_backward",
    "modulated_deform_conv_forward",
]


class _Kernel(NamedTuple):
    """Pairs are of y and x."""

    size: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]
    groups: int
    offset_groups: int


def _places(offset: torch.Tensor, kernel: _Kernel) -> torch.Tensor:
    """(B, offset groups, entries of the kernel, 2, H, W): y and x of every sample."""
    entries = torch.cartesian_prod(*(torch.arange(count) for count in kernel.size)).view(-1, 2)
    starts = torch.cartesian_prod(*(torch.arange(count) for count in offset.shape[2:])).view(-1, 2)
    strides, paddings, dilations = map(torch.tensor, (kernel.stride, kernel.padding, kernel.dilation))
    places = (entries * dilations - paddings)[:, None] + starts * strides
    places = places.transpose(1, 2).reshape(len(entries), 2, *offset.shape[2:])
    return places + offset.view(len(offset), kernel.offset_groups, len(entries), 2, *offset.shape[2:])


def _sums(places: torch.Tensor, mask: torch.Tensor | None, height: int, width: int) -> WeightedSums:
    """A sum for each of (B, entries, H, W): the map between its pixels, 0 around it.

    ``places``: (B, entries, 2, H, W), ``mask``: (B, entries, H, W).
    """
    low = places.detach().floor()
    part = places - low
    pixels = low.long()[:, :, :, None] + torch.arange(2)[:, None, None]
    parts = torch.stack((1 - part, part), 3)
    y, x = pixels[:, :, 0, :, None], pixels[:, :, 1, None]
    kept = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    weights = torch.where(kept, parts[:, :, 0, :, None] * parts[:, :, 1, None], 0)
    if mask is not None:
        weights = weights * mask[:, :, None, None]
    image = torch.arange(len(places)).view(-1, 1, 1, 1, 1, 1)
    positions = (image * height + y.clamp(0, height - 1)) * width + x.clamp(0, width - 1)
    # (B, entries, 2, 2, H, W) to (B, entries, H, W, 4): the corners of a sample follow each other.
    positions, weights = (
        each.flatten(2, 3).movedim(2, -1).reshape(-1) for each in (positions, weights)
    )
    return WeightedSums(positions, weights, torch.arange(0, len(positions) + 1, 4))


def _columns(
    maps: torch.Tensor, offset: torch.Tensor, mask: torch.Tensor | None, kernel: _Kernel
) -> torch.Tensor:
    """(B, entries, H, W, C): what each entry of the kernel meets."""
    places = _places(offset, kernel)
    if not bool(torch.isfinite(places).all()):
        raise ValueError("deform_conv: offset has a number that is not finite.")
    # Far away there is nothing either; numbers so large would not fit.
    edge = float(max(maps.shape[2:]) + 2)
    places = places.clamp(-edge, edge)
    batch, groups, entries, _, height, width = places.shape
    masks = None if mask is None else mask.view(batch, groups, entries, height, width)
    found = []
    for group, some in enumerate(maps.chunk(groups, 1)):
        factors = None if masks is None else masks[:, group]
        sums = _sums(places[:, group], factors, *maps.shape[2:])
        found.append(sums.of(as_rows(some)).view(batch, entries, height, width, some.shape[1]))
    return torch.cat(found, -1)


def _convolve(
    maps: torch.Tensor,
    offset: torch.Tensor,
    mask: torch.Tensor | None,
    weight: torch.Tensor,
    kernel: _Kernel,
) -> torch.Tensor:
    """(B, O, H, W), differentiable in all tensors."""
    columns = _columns(maps, offset, mask, kernel)
    batch, entries, height, width, channels = columns.shape
    made = []
    for some, filters in zip(columns.chunk(kernel.groups, -1), weight.chunk(kernel.groups), strict=True):
        rows = some.permute(0, 2, 3, 4, 1).reshape(batch * height * width, channels // kernel.groups * entries)
        made.append((rows @ filters.flatten(1).T).view(batch, height, width, len(filters)))
    return torch.cat(made, -1).permute(0, 3, 1, 2)


class _Call(NamedTuple):
    """The tensors of a convolution."""

    maps: torch.Tensor
    offset: torch.Tensor
    mask: torch.Tensor | None
    weight: torch.Tensor
    kernel: _Kernel

    def widened(self) -> _Call:
        return self._replace(
            maps=wide(self.maps),
            offset=wide(self.offset),
            mask=None if self.mask is None else wide(self.mask),
            weight=wide(self.weight),
        )

    def run(self) -> torch.Tensor:
        return _convolve(*self.widened())

    def gradients(self, gradient: torch.Tensor, *names: str) -> list[torch.Tensor]:
        """Those of some tensors, from that of the result."""
        wanted = self.widened()
        leaves = {name: getattr(wanted, name).detach().requires_grad_() for name in names}
        with torch.enable_grad():
            made = _convolve(*wanted._replace(**leaves))
            return list(torch.autograd.grad(made, list(leaves.values()), wide(gradient)))


def _kernel(numbers: dict[str, int], names: tuple[tuple[str, str], ...]) -> _Kernel:
    size, stride, padding, dilation = ((numbers[y], numbers[x]) for y, x in names)
    return _Kernel(size, stride, padding, dilation, numbers["group"], numbers["deformable_group"])


def _plain_call(
    maps: torch.Tensor, offset: torch.Tensor, weight: torch.Tensor, numbers: dict[str, int]
) -> _Call:
    names = ("kH", "kW"), ("dH", "dW"), ("padH", "padW"), ("dilationH", "dilationW")
    return _Call(maps, offset, None, weight, _kernel(numbers, names))


def deform_conv_forward(
    input: torch.Tensor,
    weight: torch.Tensor,
    offset: torch.Tensor,
    output: torch.Tensor,
    columns: torch.Tensor,
    ones: torch.Tensor,
    **numbers: int,
) -> None:
    """``numbers``: kW, kH, dW, dH, padW, padH, dilationW, dilationH, group, deformable_group."""
    output.copy_(_plain_call(input, offset, weight, numbers).run())


def deform_conv_backward_input(
    input: torch.Tensor,
    offset: torch.Tensor,
    gradOutput: torch.Tensor,
    gradInput: torch.Tensor,
    gradOffset: torch.Tensor,
    weight: torch.Tensor,
    columns: torch.Tensor,
    **numbers: int,
) -> None:
    call = _plain_call(input, offset, weight, numbers)
    for result, made in zip((gradInput, gradOffset), call.gradients(gradOutput, "maps", "offset"), strict=True):
        result.copy_(made)


def deform_conv_backward_parameters(
    input: torch.Tensor,
    offset: torch.Tensor,
    gradOutput: torch.Tensor,
    gradWeight: torch.Tensor,
    columns: torch.Tensor,
    ones: torch.Tensor,
    scale: float = 1.0,
    **numbers: int,
) -> None:
    call = _plain_call(input, offset, gradWeight, numbers)
    gradWeight.add_(call.gradients(gradOutput, "weight")[0], alpha=scale)


def _modulated_call(
    maps: torch.Tensor,
    offset: torch.Tensor,
    mask: torch.Tensor,
    weight: torch.Tensor,
    numbers: dict[str, int],
) -> _Call:
    names = tuple((f"{each}_h", f"{each}_w") for each in ("kernel", "stride", "pad", "dilation"))
    return _Call(maps, offset, mask, weight, _kernel(numbers, names))


def modulated_deform_conv_forward(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    ones: torch.Tensor,
    offset: torch.Tensor,
    mask: torch.Tensor,
    output: torch.Tensor,
    columns: torch.Tensor,
    *,
    with_bias: bool,
    **numbers: int,
) -> None:
    """``numbers``: kernel_h, kernel_w, and so on for stride, pad, dilation; group, deformable_group."""
    made = _modulated_call(input, offset, mask, weight, numbers).run()
    output.copy_(made + wide(bias)[:, None, None] if with_bias else made)


def modulated_deform_conv_backward(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    ones: torch.Tensor,
    offset: torch.Tensor,
    mask: torch.Tensor,
    columns: torch.Tensor,
    grad_input: torch.Tensor,
    grad_weight: torch.Tensor,
    grad_bias: torch.Tensor,
    grad_offset: torch.Tensor,
    grad_mask: torch.Tensor,
    grad_output: torch.Tensor,
    *,
    with_bias: bool,
    **numbers: int,
) -> None:
    call = _modulated_call(input, offset, mask, weight, numbers)
    made = call.gradients(grad_output, "maps", "weight", "offset", "mask")
    for result, part in zip((grad_input, grad_weight, grad_offset, grad_mask), made, strict=True):
        result.copy_(part)
    if with_bias:
        grad_bias.copy_(wide(grad_output).sum((0, 2, 3)))
