"""Calls without a gradient take a fast path past autograd, which must not be noticed."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.torch
import torch
from support import Call, all_calls, assert_same_bits, identity
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils import _python_dispatch

FIRST = list({call.name: call for call in reversed(all_calls())}.values())
SITES = torch.tensor([[0, 0, 0, 0], [0, 0, 0, 1], [0, 3, 3, 3], [1, 2, 0, 1]], dtype=torch.int32)
DispatchMode: Any = _python_dispatch.TorchDispatchMode  # It has no annotations.


class Names(DispatchMode):  # type: ignore[misc]
    """The operators of detops that a tracer sees."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace == "detops":
            self.seen.append(func._schema.name)
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("call", all_calls(), ids=identity)
def test_same_bits_as_the_operator(call: Call) -> None:
    with torch.no_grad():
        whole = call.run_operator()
    fast = call.run()
    if isinstance(whole, torch.Tensor):
        assert_same_bits(fast, whole)
        return
    # None stands for results without elements; behind them are those that are no tensors.
    for mine, theirs in zip(fast, whole, strict=False):
        if mine is None:
            assert theirs.numel() == 0
        else:
            assert_same_bits(mine, theirs)


@pytest.mark.parametrize("call", FIRST, ids=lambda call: call.name)
def test_tracers_see_the_known_name(call: Call) -> None:
    with Names() as names:
        call.run()
    assert names.seen == [f"detops::{call.name}"]


@pytest.mark.parametrize("call", [c for c in FIRST if c.differentiable], ids=lambda call: call.name)
def test_fast_path_has_no_gradient(call: Call) -> None:
    recorded = call.with_gradients()
    with torch.no_grad():
        made = recorded.run()
    first = [t for t in (made if isinstance(made, tuple) else (made,)) if isinstance(t, torch.Tensor)]
    assert not any(tensor.requires_grad for tensor in first)


@pytest.mark.parametrize("call", FIRST, ids=lambda call: call.name)
def test_fake_tensors_outside_of_their_mode(call: Call) -> None:
    mode = FakeTensorMode(shape_env=torch.fx.experimental.symbolic_shapes.ShapeEnv())
    fakes = {
        key: mode.from_tensor(value) if isinstance(value, torch.Tensor) else value
        for key, value in call.arguments.items()
    }
    made = call.replace(**fakes).run()
    tensors = [t for t in (made if isinstance(made, tuple) else (made,)) if isinstance(t, torch.Tensor)]
    assert tensors and all(isinstance(tensor, FakeTensor) for tensor in tensors)


# ---- lists, which functions turn into those of operators -----------------------------------------


def outcome(function: Any, *arguments: Any) -> Any:
    try:
        made = function(*arguments)
        return [tensor.tolist() for tensor in made[:3]]
    except Exception as error:
        assert error.__context__ is None
        return type(error), str(error)


def lists(size: Any) -> Any:
    return (size,) if isinstance(size, int) else size


LISTS = ["kernel_size", "stride", "padding", "dilation", "output_padding"]
ODD = [1.5, (), (2, 2), (2, 2, 2), [1, 1, 1], -1, (-1, -1, -1), "3", 2**40, 2**70]
# None of another argument is refused by the function, which computes the output space.
OF_A_KIND = [*itertools.product(LISTS, ODD), ("kernel_size", None), ("padding", None)]


@pytest.mark.parametrize(("place", "value"), OF_A_KIND)
@pytest.mark.parametrize("submanifold", [False, True])
def test_pairs_of_any_argument(place: str, value: Any, submanifold: bool) -> None:
    usual: dict[str, Any] = dict(zip(LISTS, (3, 1, None, 1, 0), strict=True))
    kernel, stride, padding, dilation, more = {**usual, place: value}.values()
    direct = torch.ops.detops.get_indice_pairs.default

    def function() -> Any:
        words = {"submanifold": submanifold, "output_padding": more}
        sizes = (kernel, stride, padding, dilation)
        return detops.torch.get_indice_pairs(SITES, 2, (4, 4, 4), *sizes, **words)

    def operator() -> Any:
        numbers = [lists(size) for size in (kernel, stride, padding, dilation)]
        return direct(SITES, 2, (4, 4, 4), *numbers, submanifold, False, lists(more))

    assert outcome(function) == outcome(operator)


@pytest.mark.parametrize("place", ["indices", "batch_size", "spatial_shape", "submanifold", "transposed"])
@pytest.mark.parametrize("value", [None, 1.5, "x", [], (4, 4), 2**70])
def test_refusals_are_those_of_the_operator(place: str, value: Any) -> None:
    words: dict[str, Any] = {
        "indices": SITES,
        "batch_size": 2,
        "spatial_shape": (4, 4, 4),
        "submanifold": False,
        "transposed": False,
        place: value,
    }
    indices, batch, shape, submanifold, transposed = words.values()

    def function() -> Any:
        return detops.torch.get_indice_pairs(
            indices, batch, shape, 3, submanifold=submanifold, transposed=transposed
        )

    def operator() -> Any:
        direct = torch.ops.detops.get_indice_pairs.default
        return direct(indices, batch, shape, (3,), None, None, None, submanifold, transposed)

    expected = outcome(operator)
    assert outcome(function) == expected
    if place == "indices":
        assert isinstance(expected, tuple)


@pytest.mark.parametrize(
    ("place", "value"),
    list(itertools.product(range(10), [None, 1.5, "x", (), (2.0,), [1], True, -1, 2**70])),
)
def test_points_of_any_argument(place: int, value: Any) -> None:
    points = torch.tensor([[0.5, 0.0], [2.5, 8.0], [0.7, 4.0]])
    arguments: list[Any] = [points, (1.0,), (0.0,), (4,), 2, 0, None, "first_point", True, False]
    arguments[place] = value
    words = dict(zip(("cloud_begins", "order", "voxels", "means"), arguments[6:], strict=True))

    def function() -> Any:
        return detops.torch.point_to_voxel(*arguments[:6], **words)[2:]

    def operator() -> Any:
        return torch.ops.detops.point_to_voxel.default(*arguments)[2:]

    assert outcome(function) == outcome(operator)
