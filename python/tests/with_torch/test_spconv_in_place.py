"""A ReLU in a sequence writes over the batch normalisation before it, where nobody can tell."""

from __future__ import annotations

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import detops.mmcv as mmcv  # noqa: E402
from detops import spconv  # noqa: E402
from torch import nn  # noqa: E402

from test_spconv_layers import some_sites  # noqa: E402


class InPlace:
    """The calls of a ReLU that writes over what it reads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.written: list[bool] = []
        original = nn.functional.relu_

        def relu_(x: Any) -> Any:
            self.written.append(True)
            return original(x)

        monkeypatch.setattr(nn.functional, "relu_", relu_)


@pytest.fixture
def in_place(monkeypatch: pytest.MonkeyPatch) -> InPlace:
    return InPlace(monkeypatch)


def layers_of(package: Any = spconv, norm: Any = nn.BatchNorm1d, relu: Any = nn.ReLU) -> Any:
    torch.manual_seed(4)
    parts: list[Any] = []
    for _ in range(2):
        parts += [package.SubMConv3d(3, 3, 3, indice_key="a"), norm(3), relu()]
    return package.SparseSequential(*parts)


def some_input(package: Any = spconv, rows: int = 60) -> Any:
    sites = some_sites(3, 6, 2, 60)[:rows]
    generator = torch.Generator().manual_seed(5)
    features = torch.randn(len(sites), 3, generator=generator, requires_grad=True)
    return package.SparseConvTensor(features, sites, [6, 6, 6], 2)


def step(network: Any, x: Any) -> list[Any]:
    features = x.features
    y = network(x).features
    (y * torch.arange(y.numel()).reshape(y.shape)).sum().backward()
    numbers = [parameter.grad for parameter in network.parameters()]
    return [y.detach(), features.grad, *numbers, *network.state_dict().values()]


@pytest.mark.parametrize("package", [spconv, mmcv], ids=["spconv", "mmcv"])
@pytest.mark.parametrize("rows", [2, 60])
def test_same_bits(package: Any, rows: int, in_place: InPlace) -> None:
    """Results, gradients, running statistics."""
    network = layers_of(package)
    plain = copy.deepcopy(network)
    found = step(network, some_input(package, rows))
    assert len(in_place.written) == 2
    for part in plain:  # A hook sees what the module made.
        part.register_forward_hook(lambda *_: None)
    expected = step(plain, some_input(package, rows))
    assert len(in_place.written) == 2
    for mine, theirs in zip(found, expected, strict=True):
        assert torch.equal(mine, theirs)


def test_without_rows(in_place: InPlace) -> None:
    assert layers_of()(some_input(rows=0)).features.shape == (0, 3)
    assert not in_place.written


class OtherNorm(nn.BatchNorm1d):
    """It may keep what it has made."""


class OtherRelu(nn.ReLU):
    """It may want to read what it gets."""


@pytest.mark.parametrize("kinds", [(OtherNorm, nn.ReLU), (nn.BatchNorm1d, OtherRelu), (nn.Identity, nn.ReLU)])
def test_other_kinds_are_left_alone(kinds: Any, in_place: InPlace) -> None:
    norm, relu = kinds
    x = some_input()
    layers_of(norm=(lambda _: norm()) if norm is nn.Identity else norm, relu=relu)(x)
    assert not in_place.written


def with_forward_hook(norm: Any, relu: Any) -> list[Any]:
    kept: list[Any] = []
    norm.register_forward_hook(lambda _, __, made: kept.append((made, made.detach().clone())))
    return kept


def with_pre_hook(norm: Any, relu: Any) -> list[Any]:
    kept: list[Any] = []
    relu.register_forward_pre_hook(lambda _, given: kept.append((given[0], given[0].detach().clone())))
    return kept


def with_backward_hooks(norm: Any, relu: Any) -> list[Any]:
    norm.register_full_backward_hook(lambda *_: None)
    relu.register_full_backward_pre_hook(lambda *_: None)
    return []


def with_own_forward(norm: Any, relu: Any) -> list[Any]:
    kept: list[Any] = []
    original = norm.forward

    def forward(x: Any) -> Any:
        made = original(x)
        kept.append((made, made.detach().clone()))
        return made

    norm.forward = forward
    return kept


@pytest.mark.parametrize(
    "change", [with_forward_hook, with_pre_hook, with_backward_hooks, with_own_forward]
)
def test_who_looks_sees_what_was_made(change: Any, in_place: InPlace) -> None:
    network = layers_of()
    kept = [pair for place in (0, 3) for pair in [change(network[place + 1], network[place + 2])]]
    step(network, some_input())
    assert not in_place.written
    for pairs in kept:
        assert all(torch.equal(then.detach(), now) for then, now in pairs)


def test_autocast_and_second_call(in_place: InPlace) -> None:
    network, x = layers_of(), some_input()
    first = network(x).features
    assert torch.equal(network(x).features, first) and len(in_place.written) == 4
    with torch.autocast("cpu"):
        network(x)
    assert len(in_place.written) == 4
