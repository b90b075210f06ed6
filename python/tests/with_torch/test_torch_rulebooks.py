"""Pairs that several layers share have a rulebook, of which nothing may be seen but the time."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import threading
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

operators = torch.ops.detops


class Used(list[bool]):
    """Whether calls have used a rulebook, in their order."""


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> Iterator[Used]:
    """Pairs of any size may have a rulebook."""
    found, find = Used(), _rulebooks._find

    def observe(*arguments: Any) -> Any:
        known = find(*arguments)
        found.append(known is not None)
        return known

    monkeypatch.setattr(_rulebooks, "_LEAST_NUMBERS", 0)
    monkeypatch.setattr(_rulebooks, "_find", observe)
    yield found


def make_sites(count: int = 300, seed: int = 1) -> torch.Tensor:
    """In no order."""
    torch.manual_seed(seed)
    rows = torch.randperm(2 * 8 * 9 * 7)[:count]
    return torch.stack([rows // 504, rows // 63 % 8, rows // 7 % 9, rows % 7], 1).int()


class Finder:
    """In the place of a layer whose pairs serve others too."""


FINDER = Finder()


def make_pairs(*, is_shared: bool = True, **words: Any) -> detops.torch.IndicePairs:
    pairs = detops.torch.get_indice_pairs(make_sites(), 2, (8, 9, 7), 3, **words)
    _rulebooks._convolutions_of[FINDER] = 2 if is_shared else 1
    _rulebooks.found_by(FINDER, pairs.indice_pairs)
    return pairs


def numbers(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, dtype=torch.double).to(dtype)


SUBMANIFOLD: dict[str, Any] = {"submanifold": True}
STRIDED: dict[str, Any] = {"stride": 2, "padding": 1}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("words", [SUBMANIFOLD, STRIDED], ids=["submanifold", "strided"])
@pytest.mark.parametrize("inverse", [False, True])
def test_same_bits_as_the_operators(
    used: Used, dtype: torch.dtype, words: dict[str, Any], inverse: bool
) -> None:
    pairs = make_pairs(**words)
    lists = (pairs.indice_pairs, pairs.indice_num)
    near, far = lists[0].shape[2], pairs.num_act_out
    rows, made = (far, near) if inverse else (near, far)
    features, filters = numbers(rows, 5, dtype=dtype), numbers(3, 3, 3, 5, 6, dtype=dtype)
    grad, bias = numbers(made, 6, dtype=dtype), numbers(6, dtype=dtype)
    residual = numbers(made, 6, dtype=dtype)
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
        ("forward", (features, filters, *lists, made), {}),
        (
            "forward_fused",
            (features, filters, *lists, made),
            {"bias": bias, "residual": residual, "activation": "leaky_relu"},
        ),
        ("backward_data", (grad, filters, *lists, rows), {}),
        ("backward_filter", (features, grad, *lists, filters.shape), {}),
    ]
    for name, arguments, others in calls:
        full = f"indice_convolution_{name}"
        found = getattr(detops.torch, full)(*arguments, inverse=inverse, **others)
        expected = getattr(operators, full)(*arguments, inverse=inverse, **others)
        assert_same_bits(found, expected)
    assert used == [True] * 4


@pytest.mark.parametrize("pool", ["max", "avg"])
def test_pooling_has_the_same_bits(used: Used, pool: Any) -> None:
    pairs = make_pairs(**STRIDED)
    lists = (pairs.indice_pairs, pairs.indice_num)
    features, grad = numbers(lists[0].shape[2], 5), numbers(pairs.num_act_out, 5)
    found = detops.torch.indice_pool_forward(features, *lists, pairs.num_act_out, pool=pool)
    expected = operators.indice_pool_forward(features, *lists, pairs.num_act_out, pool)
    assert_same_bits(found, expected)
    back = detops.torch.indice_pool_backward(grad, features, found, *lists, pool=pool)
    assert_same_bits(back, operators.indice_pool_backward(grad, features, found, *lists, None, pool))
    assert used == [True] * 2


class Net:
    """Layers that share pairs."""

    def __init__(self, layers: int, key: str | None) -> None:
        torch.manual_seed(3)
        made = [spconv.SubMConv3d(4, 4, 3, indice_key=key) for _ in range(layers)]
        self.net = spconv.SparseSequential(*made)

    def train(self, sites: torch.Tensor, *, graph: bool = False) -> list[torch.Tensor]:
        torch.manual_seed(5)
        leaf = numbers(300, 4).requires_grad_()
        x = self.net(spconv.SparseConvTensor(leaf, sites, [8, 9, 7], 2)).features
        leaves = [leaf, *self.net.parameters()]
        grads = torch.autograd.grad((x * x).sum(), leaves, create_graph=graph)
        if graph:
            squares = torch.stack([(grad * grad).sum() for grad in grads])
            grads += torch.autograd.grad(squares.sum(), leaves)
        return [x.detach(), *(grad.detach() for grad in grads)]


@pytest.fixture
def on_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers find pairs, as where others see their operators, and not at once a rulebook."""
    monkeypatch.setattr(_pairs, "_build_rulebook", lambda *_: None)


@pytest.mark.parametrize("graph", [False, True], ids=["once", "twice"])
@pytest.mark.parametrize("key", [None, "one"])
def test_layers_have_the_same_bits(
    used: Used, on_pairs: None, key: str | None, graph: bool
) -> None:
    net = Net(3, key)
    expected = net.train(make_sites(), graph=graph)
    assert not any(used)
    gc.collect()
    assert_same_bits(tuple(net.train(make_sites(), graph=graph)), tuple(expected))
    assert any(used)


def test_when_it_is_made(used: Used, on_pairs: None) -> None:
    alone, two = Net(1, "one"), Net(2, None)
    for net, calls in ((alone, 3), (two, 6)):  # Forward and two gradients of each layer.
        for times in range(3):
            used.clear()
            net.train(make_sites(seed=times))
            assert used == [net is two and times > 0] * calls
    used.clear()
    sites = torch.unique(make_sites(), dim=0)  # Ascending: there is nothing to sort.
    two.train(sites)
    two.train(sites)
    assert not any(used)


def test_small_pairs_have_none() -> None:
    before = len(_rulebooks._known)
    pairs = make_pairs(**SUBMANIFOLD)
    assert pairs.indice_pairs.numel() < _rulebooks._LEAST_NUMBERS
    assert len(_rulebooks._known) == before


# ---- how long it lives ---------------------------------------------------------------------------


@pytest.fixture
def freed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    gc.collect()  # What other tests have left.
    made: list[int] = []
    destroy = _rulebooks._destroy

    def observe(rulebook: int) -> None:
        made.append(rulebook)
        destroy(rulebook)

    monkeypatch.setattr(_rulebooks, "_destroy", observe)
    return made


def convolve(pairs: Any, features: torch.Tensor | None = None) -> torch.Tensor:
    rows = pairs.indice_pairs.shape[2]
    features = torch.ones(rows, 2) if features is None else features
    lists = (pairs.indice_pairs, pairs.indice_num)
    filters = torch.arange(108.0).reshape(3, 3, 3, 2, 2)
    return detops.torch.indice_convolution_forward(features, filters, *lists, pairs.num_act_out)


def test_it_is_freed_with_the_pairs(used: Used, freed: list[int]) -> None:
    pairs = make_pairs(**SUBMANIFOLD)
    key = id(pairs.indice_pairs)
    convolve(pairs)
    assert used == [True] and key in _rulebooks._known and not freed
    del pairs
    assert key not in _rulebooks._known and len(freed) == 1


def test_a_graph_keeps_it(used: Used, freed: list[int]) -> None:
    pairs = make_pairs(**SUBMANIFOLD)
    leaf = torch.ones(300, 2, requires_grad=True)
    made = convolve(pairs, leaf)
    key = id(pairs.indice_pairs)
    del pairs
    gc.collect()
    assert key in _rulebooks._known and not freed
    torch.autograd.grad(made.sum(), leaf)
    assert used == [True, True]
    del made
    gc.collect()
    assert key not in _rulebooks._known and len(freed) == 1


def test_changed_pairs_have_none(used: Used, freed: list[int]) -> None:
    for change in ("indice_pairs", "indice_num"):
        pairs = make_pairs(**SUBMANIFOLD)
        before = convolve(pairs)
        getattr(pairs, change)[13].zero_()
        used.clear()
        after = convolve(pairs)
        assert used == [False] and len(freed) == 1 and not torch.equal(before, after)
        fresh = pairs._replace(indice_pairs=pairs.indice_pairs.clone())
        assert_same_bits(after, convolve(fresh))
        freed.clear()


def test_other_counts_have_none(used: Used) -> None:
    pairs = make_pairs(**SUBMANIFOLD)
    convolve(pairs._replace(indice_num=pairs.indice_num.clone()))
    convolve(pairs._replace(indice_num=torch.zeros_like(pairs.indice_num)))
    assert used == [False] * 2


def test_copies_have_none(used: Used) -> None:
    x = spconv.SparseConvTensor(numbers(300, 4), make_sites(), [8, 9, 7], 2)
    layer = spconv.SubMConv3d(4, 4, 3, indice_key="one")
    _rulebooks._convolutions_of[layer] = 2
    y = layer(x)
    assert used == [True]
    data = y.indice_dict["one"]
    assert _rulebooks.is_stand_in(data.for_operators())
    for other in (copy.copy(data), copy.deepcopy(data), pickle.loads(pickle.dumps(data))):
        assert other.for_operators() is other.indice_pairs
        is_same = other.indice_pairs is data.indice_pairs
        assert is_same == (other.indice_pairs.data_ptr() == data.indice_pairs.data_ptr())
        assert id(other.indice_pairs) not in _rulebooks._known
    copy.deepcopy(layer)
    pickle.loads(pickle.dumps(layer))


# ---- who must see the operator itself ------------------------------------------------------------


def test_refusals_are_those_of_the_operator(used: Used) -> None:
    pairs = make_pairs(**SUBMANIFOLD)
    lists = (pairs.indice_pairs, pairs.indice_num)
    good = (torch.ones(300, 2), torch.ones(3, 3, 3, 2, 2), *lists, 300)
    wrong: list[tuple[int, Any]] = [
        (0, torch.ones(299, 2)),
        (0, torch.ones(300, 3)),
        (0, torch.ones(300, 2, dtype=torch.double)),
        (1, torch.ones(3, 3, 2, 2, 2)),
        (4, 299),
        (4, 2**40),
        (4, -1),
        (4, "x"),
    ]
    detops.torch.indice_convolution_forward(*good)
    for place, value in wrong:
        arguments = (*good[:place], value, *good[place + 1 :])
        with pytest.raises(Exception) as expected:
            operators.indice_convolution_forward(*arguments)
        with pytest.raises(expected.type) as found:
            detops.torch.indice_convolution_forward(*arguments)
        assert str(found.value) == str(expected.value)
    assert all(used)


def test_autocast_and_transforms_have_none(used: Used) -> None:
    pairs = make_pairs(**SUBMANIFOLD)
    expected = convolve(pairs)
    with torch.autocast("cpu", torch.bfloat16):
        assert convolve(pairs).dtype == torch.bfloat16
    several = torch.ones(2, 300, 2)
    made = torch.func.vmap(lambda features: convolve(pairs, features))(several)
    assert_same_bits(made[1], expected)
    assert used[0] and not any(used[1:])


def test_inference_mode(used: Used) -> None:
    with torch.inference_mode():
        pairs = make_pairs(**SUBMANIFOLD)
        made = [convolve(pairs) for _ in range(3)]
    assert not any(used)  # Such tensors do not count their changes.
    assert_same_bits(made[2], convolve(make_pairs(is_shared=False, **SUBMANIFOLD)))


def test_threads_share_it(used: Used) -> None:
    pairs = make_pairs(**SUBMANIFOLD)
    found: list[torch.Tensor] = []

    def work() -> None:
        found.extend(convolve(pairs) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80 and sum(used) >= 40
    for each in found:
        assert_same_bits(each, convolve(make_pairs(is_shared=False, **SUBMANIFOLD)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_the_child_of_a_fork_has_it_too(used: Used) -> None:
    pairs = make_pairs(**SUBMANIFOLD)
    expected = convolve(pairs)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            is_same = torch.equal(convolve(pairs), expected)
            code = 0 if is_same and used[-1] else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert_same_bits(convolve(pairs), expected)
