"""Functions of mmcv's extension in plain torch, beside other formulas for the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import torch
from detops.mmcv import _ext
from torch.nn import functional

Tensors = tuple[torch.Tensor, ...]
pytestmark = pytest.mark.usefixtures("one_thread")


def random(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def normal(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(*shape, generator=random(seed), dtype=torch.float64)


# ---- regions -------------------------------------------------------------------------------------

_MAPS = normal(3, 4, 7, 9)
_UPRIGHT = torch.tensor(
    [
        [0, 1.0, 2, 15, 9],
        [2, -5.0, -3, 4, 6],  # Over the border.
        [2, 3.3, 2.1, 3.4, 2.2],  # Less than a pixel.
        [1, 40.0, 40, 60, 60],  # Far away.
        [0, 0.0, 0, 0, 0],
        [1, 15.0, 11, 18, 14],  # At the last pixels.
    ],
    dtype=torch.float64,
)
_ROTATED = torch.tensor(
    [
        [0, 8.0, 6, 9, 4, 0.3],
        [2, 1.0, 1, 12, 5, -2.0],
        [1, 9.0, 7, 0.2, 0.3, 1.0],
        [1, 90.0, 90, 6, 6, 0.5],
        [0, 5.0, 5, 0, 0, 0.1],
        [2, 17.0, 12, 6, 3, math.pi / 2],
    ],
    dtype=torch.float64,
)


def sampled(image: torch.Tensor, y: float, x: float) -> torch.Tensor:
    """A map (C, H, W) between its pixels; 0 further than one of them away from it."""
    height, width = image.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0 * image[:, 0, 0]
    grid = torch.tensor([2 * x / (width - 1) - 1, 2 * y / (height - 1) - 1], dtype=image.dtype)
    return functional.grid_sample(
        image[None], grid.view(1, 1, 1, 2), padding_mode="border", align_corners=True
    )[0, :, 0, 0]


def by_hand(maps: torch.Tensor, roi: torch.Tensor, cells: tuple[int, int], ratio: int, words: dict[str, Any]) -> Any:
    """(C, rows, columns) of one region, in loops."""
    scale, shift = words["spatial_scale"], 0.5 if words["aligned"] else 0.0
    numbers = [float(each) for each in roi]
    if len(numbers) == 5:
        left, top, right, bottom = (each * scale - shift for each in numbers[1:])
        x, y, width, height, angle = (left + right) / 2, (top + bottom) / 2, right - left, bottom - top, 0.0
        if not words["aligned"]:  # From the corner, whatever is added.
            x, y = left + max(width, 1) / 2, top + max(height, 1) / 2
    else:
        x, y, width, height = (each * scale for each in numbers[1:5])
        x, y, angle = x - shift, y - shift, -numbers[5] if words["clockwise"] else numbers[5]
    if not words["aligned"]:
        width, height = max(width, 1), max(height, 1)
    counts = [ratio or math.ceil(size / cell) for size, cell in zip((height, width), cells, strict=True)]
    rows = []
    for row in range(cells[0] * counts[0]):
        for column in range(cells[1] * counts[1]):
            v = ((row + 0.5) / (cells[0] * counts[0]) - 0.5) * height
            u = ((column + 0.5) / (cells[1] * counts[1]) - 0.5) * width
            at_x = x + u * math.cos(angle) + v * math.sin(angle)
            at_y = y - u * math.sin(angle) + v * math.cos(angle)
            rows.append(sampled(maps[int(roi[0])], at_y, at_x))
    if not rows:
        return maps.new_zeros(maps.shape[1], *cells)
    made = torch.stack(rows, 1).view(-1, cells[0], counts[0], cells[1], counts[1])
    return made.mean((2, 4))


def pooled(
    maps: torch.Tensor, rois: torch.Tensor, cells: tuple[int, int], ratio: int, words: dict[str, Any]
) -> Tensors:
    """Values, and the gradient of the maps for a given one of the values."""
    out = maps.new_zeros(len(rois), maps.shape[1], *cells)
    given, slopes = normal(*out.shape).to(maps.dtype), torch.zeros_like(maps)
    if rois.shape[1] == 5:
        more = (maps.new_zeros(0), maps.new_zeros(0))
        words = {"aligned_height": cells[0], "aligned_width": cells[1], "pool_mode": 1, **words}
        _ext.roi_align_forward(maps, rois, out, *more, sampling_ratio=ratio, **words)
        _ext.roi_align_backward(given, rois, *more, slopes, sampling_ratio=ratio, **words)
    else:
        words = {"pooled_height": cells[0], "pooled_width": cells[1], **words}
        _ext.roi_align_rotated_forward(maps, rois, out, sampling_ratio=ratio, **words)
        _ext.roi_align_rotated_backward(given, rois, slopes, sampling_ratio=ratio, **words)
    return out, slopes


@pytest.mark.parametrize("ratio", [0, 2])
@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize(("rois", "turns"), [(_UPRIGHT, [None]), (_ROTATED, [True, False])], ids=["upright", "rotated"])
def test_regions_beside_loops(rois: torch.Tensor, turns: list[Any], aligned: bool, ratio: int) -> None:
    for turn in turns:
        words: dict[str, Any] = {"spatial_scale": 0.5, "aligned": aligned}
        words |= {} if turn is None else {"clockwise": turn}
        out, slopes = pooled(_MAPS, rois, (2, 3), ratio, words)
        leaf = _MAPS.clone().requires_grad_()
        expected = torch.stack([by_hand(leaf, roi, (2, 3), ratio, words) for roi in rois])
        torch.testing.assert_close(out, expected)
        assert out.abs().amax((1, 2, 3)).gt(0.01).sum() >= 3
        (gradient,) = torch.autograd.grad(expected, leaf, normal(*out.shape))
        torch.testing.assert_close(slopes, gradient)


def test_rotated_regions_that_are_upright_or_stand() -> None:
    upright = torch.tensor([[1, 2.0, 1, 12, 9]], dtype=torch.float64)
    flat = torch.tensor([[1, 7.0, 5, 10, 8, 0]], dtype=torch.float64)
    words = {"spatial_scale": 0.5, "aligned": True}
    expected, _ = pooled(_MAPS, upright, (4, 4), 2, words)
    for turn in (True, False):
        torch.testing.assert_close(pooled(_MAPS, flat, (4, 4), 2, {**words, "clockwise": turn})[0], expected)
    # A quarter turn, with width and height exchanged, is the same region seen from its side.
    standing = torch.tensor([[1, 7.0, 5, 8, 10, math.pi / 2]], dtype=torch.float64)
    clockwise, _ = pooled(_MAPS, standing, (4, 4), 2, {**words, "clockwise": True})
    counter, _ = pooled(_MAPS, standing, (4, 4), 2, {**words, "clockwise": False})
    torch.testing.assert_close(clockwise, torch.rot90(expected, 1, (2, 3)))
    torch.testing.assert_close(counter, torch.rot90(expected, -1, (2, 3)))


@pytest.mark.parametrize("rois", [_UPRIGHT, _ROTATED], ids=["upright", "rotated"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_regions_in_other_types(dtype: torch.dtype, rois: torch.Tensor) -> None:
    rois = rois.to(dtype)
    words = {"spatial_scale": 0.5, "aligned": True, **({} if rois.shape[1] == 5 else {"clockwise": True})}
    found = pooled(_MAPS.to(dtype), rois, (2, 3), 2, words)
    expected = pooled(_MAPS, rois.double(), (2, 3), 2, words)
    near = 8 * torch.finfo(dtype).eps
    for here, there in zip(found, expected, strict=True):
        assert here.dtype == dtype
        torch.testing.assert_close(here.double(), there, rtol=near, atol=near)


def test_no_regions_and_many() -> None:
    """More samples than are taken at a time."""
    words = {"spatial_scale": 0.5, "aligned": True, "clockwise": True}
    out, slopes = pooled(_MAPS, _ROTATED[:0], (2, 3), 0, words)
    assert out.shape == (0, 4, 2, 3) and not slopes.any()
    large = torch.tensor([[0, 8.0, 6, 1600, 900, 0.3]], dtype=torch.float64)
    rois = torch.cat((_ROTATED[:2], large.repeat(3, 1), _ROTATED[:2]))
    out, slopes = pooled(_MAPS, rois, (2, 3), 0, words)
    one, _ = pooled(_MAPS, large, (2, 3), 0, words)
    few, _ = pooled(_MAPS, _ROTATED[:2], (2, 3), 0, words)
    torch.testing.assert_close(out, torch.cat((few, one, one, one, few)), rtol=0, atol=0)
    # The sum of all weights of a cell is at most 1.
    ones = torch.ones(3, 1, 7, 9, dtype=torch.float64)
    assert pooled(ones, rois, (2, 3), 0, words)[0].max() <= 1 + 1e-12


def _call(rois: torch.Tensor, mode: int = 1) -> None:
    out = _MAPS.new_zeros(len(rois), 4, 2, 2)
    words = {"aligned_height": 2, "aligned_width": 2, "spatial_scale": 1.0, "sampling_ratio": 2, "aligned": True}
    _ext.roi_align_forward(_MAPS, rois, out, out[:0], out[:0], pool_mode=mode, **words)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ([3.0, 0, 0, 1, 1], r"roi_align: rois \(argument 2\) has image 3 in row 1, expected 0 to 2\."),
        ([-1.0, 0, 0, 1, 1], r"roi_align: rois \(argument 2\) has image -1 in row 1, expected 0 to 2\."),
        ([0, math.nan, 0, 1, 1], r"roi_align: rois \(argument 2\) has a number that is not finite\."),
        ([0, 5.0, 0, 4, 1], r"roi_align: rois \(argument 2\) has a negative size in row 1\."),
    ],
)
def test_wrong_regions(row: list[float], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        _call(torch.stack((_UPRIGHT[0], torch.tensor(row, dtype=torch.float64))))


def test_maxima_of_regions_are_not_there() -> None:
    with pytest.raises(NotImplementedError, match=r"^roi_align: pool_mode is 'max', detops has 'avg'\.$"):
        _call(_UPRIGHT, mode=0)


# ---- convolutions that look elsewhere ------------------------------------------------------------


def elsewhere(
    maps: torch.Tensor, offset: torch.Tensor, mask: Any, weight: torch.Tensor, c: dict[str, Any]
) -> torch.Tensor:
    """The same by torch's sampling of grids, entry of the kernel by entry."""
    batch, channels, height, width = maps.shape
    rows, columns = offset.shape[2:]
    parts, per = c["parts"], channels // c["parts"]
    result = 0
    for entry in range(weight.shape[2] * weight.shape[3]):
        i, j = divmod(entry, weight.shape[3])
        met = []
        for part in range(parts):
            first = 2 * (part * weight.shape[2] * weight.shape[3] + entry)
            y = torch.arange(rows)[:, None] * c["stride"][0] - c["padding"][0] + i * c["dilation"][0] + offset[:, first]
            x = torch.arange(columns) * c["stride"][1] - c["padding"][1] + j * c["dilation"][1] + offset[:, first + 1]
            grid = torch.stack(((2 * x + 1) / width - 1, (2 * y + 1) / height - 1), -1)
            some = functional.grid_sample(maps[:, part * per : (part + 1) * per], grid, align_corners=False)
            if mask is not None:
                some = some * mask[:, first // 2, None]
            met.append(some)
        result = result + functional.conv2d(torch.cat(met, 1), weight[:, :, i : i + 1, j : j + 1], groups=c["groups"])
    return result


def conv_words(c: dict[str, Any], kernel: torch.Tensor, plain: bool) -> dict[str, Any]:
    """As mmcv names them."""
    pairs = [tuple(kernel.shape[2:]), c["stride"], c["padding"], c["dilation"]]
    if plain:
        names = [("kH", "kW"), ("dH", "dW"), ("padH", "padW"), ("dilationH", "dilationW")]
    else:
        names = [(f"{name}_h", f"{name}_w") for name in ("kernel", "stride", "pad", "dilation")]
    words = {name[axis]: pair[axis] for name, pair in zip(names, pairs, strict=True) for axis in (0, 1)}
    return {**words, "group": c["groups"], "deformable_group": c["parts"]}


_CONVOLUTIONS = [
    {"kernel": (3, 3), "stride": (1, 1), "padding": (1, 1), "dilation": (1, 1), "groups": 1, "parts": 1},
    {"kernel": (3, 2), "stride": (2, 1), "padding": (2, 0), "dilation": (1, 2), "groups": 2, "parts": 2},
    {"kernel": (1, 1), "stride": (1, 3), "padding": (0, 0), "dilation": (1, 1), "groups": 1, "parts": 4},
]


def convolution(c: dict[str, Any], images: int = 2) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Maps, offsets, mask and weight that fit; offsets reach over the border."""
    maps, weight = normal(images, 4, 7, 6), normal(6, 4 // c["groups"], *c["kernel"], seed=2)
    entries, size = c["kernel"][0] * c["kernel"][1], []
    for axis, length in enumerate(maps.shape[2:]):
        reach = c["dilation"][axis] * (c["kernel"][axis] - 1) + 1
        size.append((length + 2 * c["padding"][axis] - reach) // c["stride"][axis] + 1)
    offset = 2 * normal(images, 2 * c["parts"] * entries, *size, seed=3)
    return maps, offset, normal(images, c["parts"] * entries, *size, seed=4), weight


def plain(maps: torch.Tensor, offset: torch.Tensor, weight: torch.Tensor, c: dict[str, Any]) -> list[torch.Tensor]:
    """Result and gradients for maps, offsets and weight."""
    words, none = conv_words(c, weight, True), maps.new_empty(0)
    out = maps.new_empty(len(maps), len(weight), *offset.shape[2:])
    _ext.deform_conv_forward(maps, weight, offset, out, none, none, im2col_step=1, **words)
    given = normal(*out.shape, seed=5).to(out.dtype)
    slopes = [torch.zeros_like(each) for each in (maps, offset, weight)]
    _ext.deform_conv_backward_input(maps, offset, given, *slopes[:2], weight, none, im2col_step=1, **words)
    _ext.deform_conv_backward_parameters(
        maps, offset, given, slopes[2], none, none, scale=1, im2col_step=1, **words
    )
    return [out, *slopes]


@pytest.mark.parametrize("c", _CONVOLUTIONS)
def test_convolutions_beside_grids(c: dict[str, Any]) -> None:
    maps, offset, _, weight = convolution(c)
    leaves = [each.clone().requires_grad_() for each in (maps, offset, weight)]
    expected = elsewhere(leaves[0], leaves[1], None, leaves[2], c)
    gradients = torch.autograd.grad(expected, leaves, normal(*expected.shape, seed=5))
    for here, there in zip(plain(maps, offset, weight, c), [expected, *gradients], strict=True):
        torch.testing.assert_close(here, there.detach())


@pytest.mark.parametrize("with_bias", [True, False])
@pytest.mark.parametrize("c", _CONVOLUTIONS)
def test_modulated_convolutions_beside_grids(c: dict[str, Any], with_bias: bool) -> None:
    maps, offset, mask, weight = convolution(c)
    bias, none = normal(6, seed=6), maps.new_empty(0)
    leaves = [each.clone().requires_grad_() for each in (maps, weight, bias, offset, mask)]
    expected = elsewhere(leaves[0], leaves[3], leaves[4], leaves[1], c)
    expected = expected + (leaves[2][:, None, None] if with_bias else 0 * leaves[2].sum())
    given = normal(*expected.shape, seed=5)
    gradients = torch.autograd.grad(expected, leaves, given)
    words = {**conv_words(c, weight, False), "with_bias": with_bias}
    out = torch.empty_like(expected)
    slopes = [torch.zeros_like(each) for each in leaves]
    bias = bias if with_bias else none
    _ext.modulated_deform_conv_forward(maps, weight, bias, none, offset, mask, out, none, **words)
    _ext.modulated_deform_conv_backward(
        maps, weight, bias, none, offset, mask, none, *slopes, given, **words
    )
    for here, there in zip([out, *slopes], [expected, *gradients], strict=True):
        torch.testing.assert_close(here, there.detach())


def test_offsets_of_whole_pixels_are_exact() -> None:
    """Without offsets a convolution; nothing of a neighbour, however large, comes in."""
    c = _CONVOLUTIONS[0]
    maps, offset, _, weight = convolution(c)
    expected = functional.conv2d(maps, weight, padding=1)
    torch.testing.assert_close(plain(maps, 0 * offset, weight, c)[0], expected)
    one = {"kernel": (1, 1), "stride": (1, 1), "padding": (0, 0), "dilation": (1, 1), "groups": 1, "parts": 1}
    row = torch.tensor([[[[1e30, 1.0, 1e30]]]])
    found = plain(row, torch.zeros(1, 2, 1, 3), torch.ones(1, 1, 1, 1), one)[0]
    assert found[0, 0, 0, 1] == 1


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_convolutions_in_other_types(dtype: torch.dtype) -> None:
    c = _CONVOLUTIONS[1]
    maps, offset, _, weight = (each.to(dtype) for each in convolution(c))
    found = plain(maps, offset, weight, c)
    expected = plain(maps.double(), offset.double(), weight.double(), c)
    near = 16 * torch.finfo(dtype).eps
    for here, there in zip(found, expected, strict=True):
        assert here.dtype == dtype
        torch.testing.assert_close(here.double(), there, rtol=near, atol=near * float(there.abs().max()))


def test_convolutions_of_nothing_and_far_away() -> None:
    c = _CONVOLUTIONS[0]
    maps, offset, _, weight = convolution(c, images=0)
    found = plain(maps, offset, weight, c)
    assert found[0].shape == (0, 6, 7, 6) and not found[3].any()
    maps, offset, _, weight = convolution(c)
    found = plain(maps, torch.full_like(offset, 1e30), weight, c)
    assert not any(part.any() for part in found)
    offset[0, 0, 0, 0] = math.nan
    with pytest.raises(ValueError, match=r"^deform_conv: offset has a number that is not finite\.$"):
        plain(maps, offset, weight, c)


# ---- losses --------------------------------------------------------------------------------------


def sigmoid_focal(logits: torch.Tensor, target: torch.Tensor, weight: Any, gamma: float, alpha: float) -> torch.Tensor:
    hot = functional.one_hot(target, logits.shape[1] + 1)[:, :-1].to(logits.dtype)
    loss = functional.binary_cross_entropy_with_logits(logits, hot, reduction="none")
    right = hot * logits.sigmoid() + (1 - hot) * (1 - logits.sigmoid())
    loss = loss * (1 - right) ** gamma * (hot * alpha + (1 - hot) * (1 - alpha))
    return loss if weight is None else loss * weight[target][:, None]


def softmax_focal(logits: torch.Tensor, target: torch.Tensor, weight: Any, gamma: float, alpha: float) -> torch.Tensor:
    loss = functional.cross_entropy(logits, target, reduction="none", ignore_index=-1)
    right = torch.exp(-loss)
    loss = alpha * loss * (1 - right) ** gamma
    loss = loss if weight is None else loss * weight[target]
    return torch.where(target < 0, 0, loss)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("gamma", [0.0, 0.5, 2.0, 3.0])
@pytest.mark.parametrize("name", ["sigmoid", "softmax"])
def test_losses_beside_cross_entropy(name: str, gamma: float, weighted: bool) -> None:
    formula: Callable[..., torch.Tensor] = sigmoid_focal if name == "sigmoid" else softmax_focal
    logits = (3 * normal(40, 5)).requires_grad_()
    # Weights are of classes; without them a row may be of none: 5 for the first loss, -1 for the second.
    target = torch.randint(0, 5, (40,), generator=random(1))
    if not weighted:
        target[::4] = 5 if name == "sigmoid" else -1
    weight = normal(5, seed=2).abs() if weighted else None
    expected = formula(logits, target, weight, gamma, 0.25)
    (gradient,) = torch.autograd.grad(expected.sum(), logits)
    numbers = logits.detach() if name == "sigmoid" else logits.detach().softmax(1)
    weights = numbers.new_empty(0) if weight is None else weight
    out, slopes = torch.empty_like(expected), torch.empty_like(gradient)
    more = () if name == "sigmoid" else (numbers.new_empty(40),)
    getattr(_ext, f"{name}_focal_loss_forward")(numbers, target, weights, out, gamma=gamma, alpha=0.25)
    getattr(_ext, f"{name}_focal_loss_backward")(numbers, target, weights, *more, slopes, gamma=gamma, alpha=0.25)
    torch.testing.assert_close(out, expected.detach())
    torch.testing.assert_close(slopes, gradient)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_losses_of_what_is_certain(dtype: torch.dtype) -> None:
    logits = torch.tensor([[200.0, -200.0], [-200.0, 200.0]], dtype=dtype)
    target, none = torch.tensor([0, 0]), logits.new_empty(0)
    out, slopes = torch.empty_like(logits), torch.empty_like(logits)
    _ext.sigmoid_focal_loss_forward(logits, target, none, out, gamma=2.0, alpha=0.25)
    _ext.sigmoid_focal_loss_backward(logits, target, none, slopes, gamma=2.0, alpha=0.25)
    assert out.isfinite().all() and slopes.isfinite().all()
    assert not out[0].any() and (out[1] > 20).all() and slopes[1, 0] == -0.25 and slopes[1, 1] == 0.75
    certain, out, buffer = logits.softmax(1), out[:, 0].clone(), out[:, 1].clone()
    for gamma in (0.5, 2.0):
        _ext.softmax_focal_loss_forward(certain, target, none, out, gamma=gamma, alpha=0.25)
        _ext.softmax_focal_loss_backward(certain, target, none, buffer, slopes, gamma=gamma, alpha=0.25)
        assert out.isfinite().all() and slopes.isfinite().all() and out[0] == 0 and out[1] > 20


@pytest.mark.parametrize(
    ("name", "label", "weighted"),
    [("sigmoid", 6, False), ("sigmoid", -1, False), ("sigmoid", 5, True), ("softmax", 5, False), ("softmax", -1, True)],
)
def test_wrong_labels(name: str, label: int, weighted: bool) -> None:
    numbers, target = torch.rand(3, 5), torch.tensor([0, 1, label])
    weight = torch.ones(5) if weighted else torch.empty(0)
    sentence = rf"^{name}_focal_loss: target \(argument 2\) has label {label} in row 2, of 5 classes\.$"
    with pytest.raises(ValueError, match=sentence):
        getattr(_ext, f"{name}_focal_loss_forward")(numbers, target, weight, numbers.clone(), gamma=2.0, alpha=0.25)


# ---- filters in several orientations -------------------------------------------------------------


def test_rotated_filters_beside_loops() -> None:
    filters = normal(2, 3, 4, 3, 3)
    entries, rotations = 4 * 3 * 3, 5
    orders = torch.stack([torch.randperm(entries, generator=random(each)) for each in range(rotations)], 1)
    indices = (orders + 1).int().view(4, 3, 3, rotations)
    out = torch.empty(2 * rotations, 3 * 4, 3, 3, dtype=torch.float64)
    _ext.active_rotated_filter_forward(filters, indices, out)
    given, slopes = normal(*out.shape, seed=2), torch.empty_like(filters)
    _ext.active_rotated_filter_backward(given, indices, slopes)
    expected = torch.zeros_like(filters)
    for outer in range(2):
        for rotation in range(rotations):
            for inner in range(3):
                row = out[outer * rotations + rotation].view(3, entries)[inner]
                slope = given[outer * rotations + rotation].view(3, entries)[inner]
                for entry in range(entries):
                    place = orders[entry, rotation]
                    assert row[place] == filters[outer, inner].flatten()[entry]
                    expected[outer, inner].view(-1)[entry] += slope[place]
    torch.testing.assert_close(slopes, expected)


def test_wrong_orders_of_rotated_filters() -> None:
    indices = torch.zeros(1, 3, 3, 8, dtype=torch.int32)
    sentence = r"^active_rotated_filter: indices \(argument 2\) has 0 to 0, expected 1 to 9\.$"
    with pytest.raises(ValueError, match=sentence):
        _ext.active_rotated_filter_forward(torch.ones(1, 1, 1, 3, 3), indices, torch.ones(8, 1, 3, 3))
