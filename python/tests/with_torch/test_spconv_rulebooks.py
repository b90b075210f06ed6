"""Layers find their pairs as a rulebook: the same bits as on pairs, in memory that is used again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.torch
import torch
from detops import spconv
from detops.spconv import _pairs
from detops.torch import _rulebooks
from support import assert_same_bits
from torch.utils.checkpoint import checkpoint

SPACE = [8, 9, 7]


@pytest.fixture(autouse=True)
def any_size(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Few sites have a rulebook too."""
    monkeypatch.setattr(_rulebooks, "_LEAST_NUMBERS", 0)
    gc.collect()
    yield


def make_sites(order: str = "shuffled", count: int = 300) -> torch.Tensor:
    torch.manual_seed(1)
    rows = torch.randperm(2 * 8 * 9 * 7)[:count]
    if order == "sorted":
        rows = rows.sort().values
    if order == "twice":
        rows[-20:] = rows[:20]
    return torch.stack([rows // 504, rows // 63 % 8, rows // 7 % 9, rows % 7], 1).int()


def networks() -> torch.nn.ModuleList:
    """Every kind of layer: an encoder, two ways on, of which one goes back to its first sites."""
    torch.manual_seed(2)
    encoder = spconv.SparseSequential(
        spconv.SubMConv3d(4, 8, 3, indice_key="a"),
        spconv.SubMConv3d(8, 8, 3, indice_key="a"),
        spconv.SparseConv3d(8, 12, 3, 2, 1, indice_key="b"),
        spconv.SubMConv3d(12, 12, (3, 1, 3), dilation=2),
    )
    on = spconv.SparseSequential(
        spconv.SparseConvTranspose3d(12, 6, 2, 2),
        spconv.SubMConv3d(6, 6, 3, act_type=spconv.Activation.ReLU),
    )
    return torch.nn.ModuleList([encoder, on, spconv.SparseInverseConv3d(12, 5, 3, indice_key="b")])


def run(nets: torch.nn.ModuleList, sites: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """What comes out of the networks, and all gradients."""
    torch.manual_seed(3)
    leaf = torch.randn(len(sites), 4, requires_grad=True)
    middle = nets[0](spconv.SparseConvTensor(leaf, sites, SPACE, 2))
    y, z = nets[1](middle), nets[2](middle)
    loss = (y.features**2).sum() + (z.features**3).sum()
    grads = torch.autograd.grad(loss, [leaf, *nets.parameters()])
    return y.features.detach(), y.indices, z.features.detach(), z.indices, *grads


def on_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_pairs, "_build_rulebook", lambda *_: None)


@pytest.mark.parametrize("order", ["sorted", "shuffled", "twice"])
def test_same_bits_as_on_pairs(monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    nets, sites = networks(), make_sites(order)
    found = run(nets, sites)
    again = run(nets, sites)  # In the memory of the first.
    on_pairs(monkeypatch)
    expected = run(nets, sites)
    assert_same_bits(found, expected)
    assert_same_bits(again, expected)


def layer_and_tensor(order: str = "shuffled", grad: bool = False) -> tuple[Any, Any]:
    torch.manual_seed(4)
    layer = spconv.SubMConv3d(4, 4, 3, indice_key="a")
    sites = make_sites(order)
    features = torch.randn(len(sites), 4, requires_grad=grad)
    return layer, spconv.SparseConvTensor(features, sites, SPACE, 2)


@pytest.mark.parametrize("stride", [1, 2])
def test_pairs_are_found_when_somebody_asks(stride: int) -> None:
    _, x = layer_and_tensor()
    subm = stride == 1
    kind = spconv.SubMConv3d if subm else spconv.SparseConv3d
    y = kind(4, 4, 3, stride, 1, indice_key="a")(x)
    data = y.indice_dict["a"]
    assert _rulebooks.is_stand_in(data.for_operators())
    assert data.for_operators().untyped_storage().nbytes() == 4
    expected = detops.torch.get_indice_pairs(
        x.indices, 2, tuple(SPACE), 3, stride, 1, submanifold=subm
    )
    assert torch.equal(data.indice_pair_num, expected.indice_num)
    assert torch.equal(data.out_indices, expected.out_indices)
    assert torch.equal(data.indice_pairs, expected.indice_pairs)
    assert data[2] is data.indice_pairs is data.for_operators()  # They may be written into now.
    data.indice_pair_num.zero_()
    with torch.no_grad():
        again = kind(4, 4, 3, stride, 1, bias=False, indice_key="a")(y if subm else x)
    assert subm is not bool(again.features.any())


def test_memory_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    freed: list[int] = []
    build, destroy = _rulebooks._build, _rulebooks._destroy

    def observe(rulebook: int, *arguments: Any) -> Any:
        found = build(rulebook, *arguments)
        assert rulebook in (0, found[2])
        made.append(found[2])
        return found

    def forget(rulebook: int) -> None:
        freed.append(rulebook)
        destroy(rulebook)

    monkeypatch.setattr(_rulebooks, "_build", observe)
    monkeypatch.setattr(_rulebooks, "_destroy", forget)
    layer, x = layer_and_tensor()
    first = layer(x)
    x.indices = make_sites("sorted")
    second = layer(x)  # While the first is there.
    assert made[0] != made[1] and not freed
    del first
    x = spconv.SparseConvTensor(x.features[:200], make_sites("shuffled", 200), SPACE, 2)
    third = layer(x)
    assert made[2] == made[0] and not freed
    del second, third, x
    gc.collect()
    assert freed == [made[0]] or freed == [made[1]]  # One is enough for the next time.
    del layer
    gc.collect()
    assert sorted(freed) == sorted(made[:2])


def test_a_refused_call_is_the_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    layer, x = layer_and_tensor()
    expected = layer(x).features
    x.indices = x.indices.clone()
    x.indices[7, 2] = 9
    with pytest.raises(
        ValueError, match=r"indices\[7, 2\] is 9, expected a coordinate in \[0, 9\)"
    ):
        layer(x)
    _, x = layer_and_tensor()
    assert_same_bits(layer(x).features, expected)


# Outputs are more than eight times the inputs, for whom there is no room at first.
def test_many_outputs() -> None:
    sites = torch.tensor([[0, 2, 2, 2], [1, 5, 5, 3]], dtype=torch.int32)
    x = spconv.SparseConvTensor(torch.ones(2, 4), sites, SPACE, 2)
    y = spconv.SparseConv3d(4, 4, 3, 1, 1, indice_key="a")(x)
    assert _rulebooks.is_stand_in(y.indice_dict["a"].for_operators())
    expected = detops.torch.get_indice_pairs(sites, 2, tuple(SPACE), 3, 1, 1)
    assert len(y.indices) == 54 and torch.equal(y.indices, expected.out_indices)


def test_indices_that_were_changed_have_no_pairs() -> None:
    layer, x = layer_and_tensor()
    data = layer(x).indice_dict["a"]
    x.indices[0] = x.indices[1]
    with pytest.raises(RuntimeError, match="indices have been written into"):
        _ = data.indice_pairs


# ---- where others see the operators --------------------------------------------------------------


def gradients(layer: Any, x: Any, backward: Any) -> tuple[torch.Tensor, ...]:
    y = layer(x)
    with backward:
        return torch.autograd.grad((y.features**2).sum(), [x.features, layer.weight])


class Seen(torch.utils._python_dispatch.TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def test_backward_where_others_see_it() -> None:
    layer, x = layer_and_tensor(grad=True)
    expected = gradients(layer, x, torch.enable_grad())
    assert_same_bits(gradients(layer, x, Seen()), expected)
    found = gradients(layer, x, torch.autocast("cpu", torch.bfloat16))
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine.float(), theirs, rtol=0.05, atol=0.5)
    with Seen():
        assert_same_bits(gradients(layer, x, torch.enable_grad()), expected)


def test_hooks_of_saved_tensors() -> None:
    layer, x = layer_and_tensor(grad=True)
    expected = gradients(layer, x, torch.enable_grad())
    with torch.autograd.graph.save_on_cpu():
        assert_same_bits(gradients(layer, x, torch.enable_grad()), expected)
    y = checkpoint(lambda f: layer(x.replace_feature(f)).features, x.features, use_reentrant=False)
    found = torch.autograd.grad((y**2).sum(), [x.features, layer.weight])
    assert_same_bits(found, expected)


def test_a_graph_of_gradients() -> None:
    layer, x = layer_and_tensor(grad=True)

    def twice() -> tuple[torch.Tensor, ...]:
        y = layer(x)
        grads = torch.autograd.grad((y.features**2).sum(), [x.features], create_graph=True)
        return torch.autograd.grad((grads[0] ** 2).sum(), [x.features, layer.weight])

    found = twice()
    with pytest.MonkeyPatch.context() as patch:
        on_pairs(patch)
        assert_same_bits(found, twice())


class Pools(torch.nn.Module):
    """A pooling on the pairs of a submanifold layer, one with a key, and the way back from it."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.on_same_sites = getattr(spconv, kind)(3, 1, 1, indice_key="a")
        self.on_same_sites.subm = True
        self.pool = getattr(spconv, kind)(3, 2, 1, indice_key="b")
        self.back = spconv.SparseInverseConv3d(4, 4, 3, indice_key="b")

    def forward(self, y: Any) -> Any:
        return self.back(self.pool(self.on_same_sites(y)))


@pytest.mark.parametrize("kind", ["SparseMaxPool3d", "SparseAvgPool3d"])
@pytest.mark.parametrize("order", ["sorted", "shuffled", "twice"])
def test_pools_share_rulebooks(monkeypatch: pytest.MonkeyPatch, order: str, kind: str) -> None:
    layer, x = layer_and_tensor(order, grad=True)
    pools = Pools(kind)

    def once() -> tuple[torch.Tensor, ...]:
        y = pools(layer(x))
        wanted = [x.features, *layer.parameters(), *pools.parameters()]
        return y.features.detach(), *torch.autograd.grad((y.features**2).sum(), wanted)

    def twice() -> tuple[torch.Tensor, ...]:
        loss = (pools(layer(x)).features ** 2).sum()
        grads = torch.autograd.grad(loss, [x.features], create_graph=True)
        return torch.autograd.grad((grads[0] ** 2).sum(), [x.features, layer.weight])

    with monkeypatch.context() as patch:
        patch.setattr(_rulebooks, "_real", None)  # Nobody asks for the pairs.
        found = once()
        y = pools.pool(layer(x))
        assert all(_rulebooks.is_stand_in(y.indice_dict[key].for_operators()) for key in "ab")
    with torch.autograd.graph.save_on_cpu():
        assert_same_bits(once(), found)
    with Seen():
        assert_same_bits(once(), found)
    of_gradients = twice()
    on_pairs(monkeypatch)
    assert_same_bits(found, once())
    assert_same_bits(of_gradients, twice())


def test_inference_mode_and_training_share() -> None:
    layer, x = layer_and_tensor()
    with torch.inference_mode():
        y = layer(x)
        assert _rulebooks.is_stand_in(y.indice_dict["a"].for_operators())
    z = spconv.SubMConv3d(4, 4, 3, indice_key="a")(x.replace_feature(x.features.clone()))
    z.features.sum().backward()
    assert z.indices is y.indices


def test_it_does_not_outlive_the_network() -> None:
    layer, x = layer_and_tensor()
    stand_in = layer(x).indice_dict["a"].for_operators()
    key = id(stand_in)
    assert key in _rulebooks._known
    del layer, x, stand_in
    gc.collect()
    assert key not in _rulebooks._known
