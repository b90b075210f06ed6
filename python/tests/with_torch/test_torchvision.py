"""detops.torchvision against a loop from the description, and bit by bit against torchvision."""

from __future__ import annotations

import doctest
import importlib
import inspect
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.torchvision
import torch
from detops.torchvision import PSRoIPool, ps_roi_pool


@pytest.fixture
def original() -> Any:
    """torchvision's own operators. Builds for another torch cannot be imported."""
    try:
        module = importlib.import_module("torchvision.ops")
    except (ImportError, RuntimeError) as error:
        pytest.skip(f"torchvision cannot be imported: {error}")
    return module


def random_rois(count: int, images: int, extent: float, seed: int) -> torch.Tensor:
    """Many of them reach over the border, some are turned around, some empty."""
    generator = torch.Generator().manual_seed(seed)
    rois = torch.rand(count, 5, generator=generator, dtype=torch.float64) * extent * 1.4
    rois[:, 1:] -= 0.2 * extent
    rois[:, 0] = torch.randint(images, (count,), generator=generator)
    return rois


def rounded(value: float) -> int:
    return math.floor(abs(value) + 0.5) * (1 if value >= 0 else -1)


def bins(start: int, end: int, parts: int, last: int) -> list[range]:
    """Each bin's pixels along one axis; as in torchvision, the last pixel is never among them."""
    size = max(end - start, 1) / parts
    edges = [
        (math.floor(p * size) + start, math.ceil((p + 1) * size) + start) for p in range(parts)
    ]
    return [range(min(max(a, 0), last), min(max(b, 0), last)) for a, b in edges]


def pooled_by_loops(
    maps: torch.Tensor, rois: torch.Tensor, size: tuple[int, int], scale: float
) -> torch.Tensor:
    channels = maps.shape[1] // (size[0] * size[1])
    result = maps.new_zeros(len(rois), channels, *size)
    for r, roi in enumerate(rois.tolist()):
        x1, y1, x2, y2 = (rounded(number * scale) for number in roi[1:])
        rows = bins(y1, y2, size[0], maps.shape[2] - 1)
        columns = bins(x1, x2, size[1], maps.shape[3] - 1)
        for c in range(channels):
            for i, ys in enumerate(rows):
                for j, xs in enumerate(columns):
                    plane = maps[int(roi[0]), (c * size[0] + i) * size[1] + j]
                    values = [plane[y, x].item() for y in ys for x in xs]
                    result[r, c, i, j] = sum(values) / max(len(values), 1)
    return result


@pytest.mark.parametrize(("size", "scale"), [((2, 3), 1.0), ((3, 3), 0.25)])
def test_forward(size: tuple[int, int], scale: float) -> None:
    torch.manual_seed(0)
    maps = torch.randn(2, 2 * size[0] * size[1], 8, 9, dtype=torch.float64)
    rois = random_rois(30, 2, 9 / scale, 1)
    expected = pooled_by_loops(maps, rois, size, scale)
    assert expected.any() and (expected == 0).any()
    torch.testing.assert_close(ps_roi_pool(maps, rois, size, scale), expected)
    assert torch.equal(PSRoIPool(size, scale)(maps, rois), ps_roi_pool(maps, rois, size, scale))


def test_boxes_of_each_image_as_a_list() -> None:
    maps = torch.randn(3, 8, 7, 7)
    rois = random_rois(10, 1, 7, 2).float()
    rois[:, 0] = torch.tensor([0] * 4 + [2] * 6)
    parts = [rois[:4, 1:], torch.zeros(0, 4), rois[4:, 1:]]
    expected = ps_roi_pool(maps, rois, 2)
    assert torch.equal(ps_roi_pool(maps, parts, 2), expected)
    assert torch.equal(ps_roi_pool(maps, tuple(parts), (2, 2)), expected)


def test_gradients_inside_of_the_map() -> None:
    """At the border torchvision's gradient is not that of its forward pass; inside it is."""
    torch.manual_seed(0)
    maps = torch.randn(1, 8, 6, 6, dtype=torch.float64, requires_grad=True)
    rois = torch.tensor([[0, 0, 0, 4, 4], [0, 1, 2, 4, 5], [0, 2, 2, 3, 3]], dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x: ps_roi_pool(x, rois, 2), maps)


def test_gradient_at_the_border() -> None:
    """Forward leaves out the last row and column, backward does not."""
    maps = torch.ones(1, 1, 4, 4, requires_grad=True)
    pooled = ps_roi_pool(maps, torch.tensor([[0.0, 2, 2, 4, 4]]), 1)
    assert pooled.item() == 1
    upstream = torch.ones(1, 1, 1, 1, requires_grad=True)
    (gradient,) = torch.autograd.grad(pooled, maps, upstream, create_graph=True)
    assert gradient[0, 0].tolist() == [[0, 0, 0, 0]] * 2 + [[0, 0, 0.25, 0.25]] * 2
    # The second derivative is that of backward. (torchvision has none.)
    weights = torch.arange(16.0).reshape(1, 1, 4, 4)
    (second,) = torch.autograd.grad((gradient * weights).sum(), upstream)
    assert second.item() == (10 + 11 + 14 + 15) / 4


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("size", [1, 3, (2, 5), (7, 7)])
@pytest.mark.parametrize("scale", [1.0, 1 / 16, 0.3])
def test_bits_are_those_of_torchvision(
    original: Any, dtype: torch.dtype, size: int | tuple[int, int], scale: float
) -> None:
    torch.manual_seed(1)
    height, width = (size, size) if isinstance(size, int) else size
    maps = torch.randn(3, 3 * height * width, 13, 17, dtype=dtype, requires_grad=True)
    rois = random_rois(200, 3, 17 / scale, 3).to(dtype)
    ours, theirs = (
        ps_roi_pool(maps, rois, size, scale),
        original.ps_roi_pool(maps, rois, size, scale),
    )
    assert torch.equal(ours, theirs) and ours.stride() == theirs.stride()
    gradient = torch.randn_like(ours)
    made, expected = (torch.autograd.grad(result, maps, gradient) for result in (ours, theirs))
    assert torch.equal(made[0], expected[0])
    assert expected[0][:, :, -1].any(), "The last row must take part."


def test_lists_and_layers_are_those_of_torchvision(original: Any) -> None:
    maps = torch.randn(2, 18, 9, 9)
    parts = [random_rois(5, 1, 9, 4)[:, 1:].float(), random_rois(4, 1, 9, 5)[:, 1:].float()]
    layer, original_layer = PSRoIPool((3, 3), 0.5), original.PSRoIPool((3, 3), 0.5)
    assert torch.equal(layer(maps, parts), original_layer(maps, parts))
    assert repr(layer) == repr(original_layer)
    assert layer.state_dict() == original_layer.state_dict()


@pytest.mark.parametrize("name", detops.torchvision.__all__)
def test_arguments_are_those_of_torchvision(original: Any, name: str) -> None:
    ours, theirs = (inspect.signature(getattr(m, name)) for m in (detops.torchvision, original))
    assert [(p.name, p.default, p.kind) for p in ours.parameters.values()] == [
        (p.name, p.default, p.kind) for p in theirs.parameters.values()
    ]


def test_mixed_types() -> None:
    """Half features of a network in mixed precision with regions in float."""
    maps, rois = torch.randn(1, 8, 7, 7).half().requires_grad_(), random_rois(5, 1, 7, 6).float()
    pooled = ps_roi_pool(maps, rois, 2)
    assert pooled.dtype == torch.float16
    assert torch.equal(pooled, ps_roi_pool(maps.float(), rois, 2).half())
    (gradient,) = torch.autograd.grad(pooled.sum(), maps)
    assert gradient.dtype == torch.float16 and gradient.any()


@pytest.mark.parametrize(("dtype", "images"), [(torch.bfloat16, 300), (torch.float16, 2100)])
def test_images_that_the_type_of_the_boxes_cannot_count(dtype: torch.dtype, images: int) -> None:
    """In bfloat16 257 is 256, in half 2049 is 2048."""
    input = torch.arange(images).to(dtype).reshape(-1, 1, 1, 1).repeat(1, 1, 3, 3).requires_grad_()
    boxes = [torch.tensor([[0, 0, 2, 2]], dtype=dtype)] * images
    found = ps_roi_pool(input, boxes, 1)
    assert found.dtype == dtype and torch.equal(found, input[:, :, :1, :1])
    (grad,) = torch.autograd.grad(found.sum(), input)
    assert grad.dtype == dtype and (grad.float().sum((1, 2, 3)) == 1).all()


@pytest.mark.parametrize("boxes", [torch.zeros(0, 5), [], [torch.zeros(0, 4)]])
def test_no_regions(boxes: torch.Tensor | list[torch.Tensor]) -> None:
    maps = torch.randn(1, 8, 7, 7, requires_grad=True)
    pooled = ps_roi_pool(maps, boxes, 2)
    assert pooled.shape == (0, 2, 2, 2)
    (gradient,) = torch.autograd.grad(pooled.sum(), maps)
    assert gradient.shape == maps.shape and not gradient.any()


@pytest.mark.parametrize(
    ("boxes", "size", "text"),
    [
        (torch.tensor([[1.0, 0, 0, 4, 4]]), 2, r"boxes\[0, 0\] is 1"),
        (torch.tensor([[0.0, 0, math.nan, 4, 4]]), 2, r"boxes\[0, 2\] is nan"),
        (torch.zeros(1, 4), 2, r"ps_roi_pool: boxes has shape \(1, 4\), expected \(R, 5\)"),
        (torch.zeros(1, 5, device="meta"), 2, "input is on cpu, boxes is on meta"),
        (np.zeros((1, 5)), 2, "boxes is an array of NumPy, expected a tensor"),
        ([[0, 0, 4, 4]], 2, r"boxes\[0\] is a list, expected a tensor"),
        ([torch.zeros(1, 5)], 2, r"boxes\[0\] has shape \[1, 5\], expected \(L, 4\)"),
        (torch.zeros(1, 5), (2, 2, 2), r"output_size is \(2, 2, 2\), expected an int or 2"),
        (torch.zeros(1, 5), 3.0, "output_size is 3.0, expected an int or 2 of them"),
        (torch.zeros(1, 5), (2, 2.0), r"output_size is \(2, 2.0\), expected an int or 2"),
        (torch.zeros(1, 5), "22", "output_size is '22', expected an int or 2"),
        (torch.zeros(1, 5), -1, "output_size is -1, expected 1 or more along each axis"),
        (torch.zeros(1, 5), 3, "channels|axis|input"),
    ],
)
def test_what_is_refused(boxes: Any, size: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        ps_roi_pool(torch.zeros(1, 8, 7, 7), boxes, size)


class Network(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pool = PSRoIPool(2, 0.5)

    def forward(self, maps: torch.Tensor, rois: torch.Tensor) -> torch.Tensor:
        pooled: torch.Tensor = self.pool(maps, rois)
        return pooled * 2


def test_one_node_in_graphs_of_fx() -> None:
    graph = torch.fx.symbolic_trace(Network())
    assert [node.target for node in graph.graph.nodes if node.op == "call_function"][
        0
    ] is ps_roi_pool
    inputs = torch.randn(1, 8, 7, 7), random_rois(5, 1, 14, 7).float()
    assert torch.equal(graph(*inputs), Network()(*inputs))


def test_compiled() -> None:
    inputs = torch.randn(1, 8, 7, 7), random_rois(5, 1, 14, 7).float()
    compiled = torch.compile(Network(), backend="aot_eager", fullgraph=True, dynamic=True)
    assert torch.equal(compiled(*inputs), Network()(*inputs))


# TorchScript is on its way out, and says so.
in_script = pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")


@in_script
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_scripted(dtype: torch.dtype) -> None:
    scripted: Any = torch.jit.script(ps_roi_pool)
    maps, rois = torch.randn(2, 8, 7, 7).to(dtype), random_rois(5, 2, 14, 7).float()
    per_image = [rois[rois[:, 0] == image, 1:].to(dtype) for image in range(2)]
    for boxes in (rois, per_image):
        for size in (2, [2, 2], (2, 2)):
            found = scripted(maps, boxes, size, 0.5)
            assert found.dtype == dtype
            assert torch.equal(found, ps_roi_pool(maps, boxes, size, 0.5))  # type: ignore[arg-type]
    exact = maps.double().requires_grad_()
    weights = torch.linspace(-1, 1, len(rois) * 8, dtype=torch.float64).reshape(-1, 2, 2, 2)
    found, expected = (f(exact, rois, 2) for f in (scripted, ps_roi_pool))
    pulled, pulled_here = (torch.autograd.grad(y, exact, weights) for y in (found, expected))
    assert torch.equal(pulled[0], pulled_here[0])


@in_script
@pytest.mark.parametrize("size", [2, (2, 2), [2, 2]])
def test_scripted_module(size: Any, tmp_path: Path) -> None:
    """Also where a number of the module is an int, and where it is part of another one, in a file."""
    maps, rois = torch.randn(1, 8, 7, 7), random_rois(5, 1, 14, 7).float()
    for module, boxes in ((PSRoIPool(size, 1), [rois[:, 1:]]), (PSRoIPool(size, 0.5), rois)):
        scripted: Any = torch.jit.script(module)
        assert torch.equal(scripted(maps, boxes), module(maps, boxes))
    torch.jit.save(torch.jit.script(Network()), tmp_path / "network.pt")
    loaded: Any = torch.jit.load(tmp_path / "network.pt")
    assert torch.equal(loaded(maps, rois), Network()(maps, rois))


@pytest.mark.parametrize("name", ["boxes", "ps_roi_pool"])
def test_examples_of_the_documentation(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"detops.torchvision.{name}"))
    assert result.attempted > 2 and result.failed == 0
