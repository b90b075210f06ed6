"""Results that the next layer writes over: what backward keeps, and what it must still notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.mmcv
import detops.spconv
import detops.torch
import numpy as np
import torch
from support import (
    Call,
    assert_compiled_like_eager,
    assert_same_bits,
    convolution_calls,
    identity,
    numbers,
    pool_calls,
    sites,
)

CONVOLUTIONS = [c for c in convolution_calls() if "forward" in c.name]
WAYS: list[Callable[[Call], Any]] = [Call.run, Call.run_operator]


def is_fused(call: Call) -> bool:
    return call.name == "indice_convolution_forward_fused"


def fused(activation: str) -> Call:
    return next(filter(is_fused, CONVOLUTIONS)).replace(activation=activation)


def kept_by(call: Call, way: Callable[[Call], Any]) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """The result, and the tensors that backward will read."""
    kept: list[torch.Tensor] = []

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        kept.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        out = way(call.with_gradients())
    return out, kept


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("call", CONVOLUTIONS, ids=identity)
def test_the_result_is_kept_only_for_an_activation(call: Call, way: Any) -> None:
    for activation in ("none", "relu", "leaky_relu") if is_fused(call) else ("none",):
        one = call.replace(activation=activation) if is_fused(call) else call
        out, kept = kept_by(one, way)
        is_kept = any(tensor.data_ptr() == out.data_ptr() for tensor in kept)
        assert is_kept == (activation != "none")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("call", CONVOLUTIONS, ids=identity)
def test_a_result_that_is_written_over(call: Call, way: Any) -> None:
    call = call.replace(activation="none") if is_fused(call) else call
    results = []
    for inplace in (True, False):
        one = call.with_gradients()
        out = torch.nn.functional.leaky_relu(way(one), 0.25, inplace)
        results.append((out, *torch.autograd.grad(out.square().sum(), one.leaves)))
    assert_same_bits(*results)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("activation", ["relu", "leaky_relu"])
def test_activations_notice_what_backward_needs(way: Any, activation: str) -> None:
    """A bias and a residual may be written over; the result, from which signs are found, may not."""
    call = fused(activation)
    recorded = call.with_gradients()
    weights = torch.linspace(-1, 1, recorded.run().numel(), dtype=torch.double)
    expected = torch.autograd.grad(recorded.run().reshape(-1), recorded.leaves, weights)
    changed = call.with_gradients()
    out = way(changed)
    with torch.no_grad():
        changed.arguments["bias"].neg_()
        changed.arguments["residual"].neg_()
    assert_same_bits(torch.autograd.grad(out.reshape(-1), changed.leaves, weights), expected)
    for place in ("features", "filters", "the result"):
        again = call.with_gradients()
        out = way(again)
        with torch.no_grad():
            (out if place == "the result" else again.arguments[place]).neg_()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            torch.autograd.grad(out.reshape(-1), again.leaves, weights)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("call", [c for c in pool_calls() if "forward" in c.id], ids=identity)
def test_pooling_over_pairs(call: Call, way: Any) -> None:
    """A maximum is compared with the inputs again; an average is not kept."""
    results = []
    for inplace in (True, False):
        one = call.with_gradients()
        out = torch.nn.functional.leaky_relu(way(one), 0.25, inplace)
        if inplace and call.arguments["pool"] == "max":
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                torch.autograd.grad(out.square().sum(), one.leaves)
            return
        results.append((out, *torch.autograd.grad(out.square().sum(), one.leaves)))
    assert_same_bits(*results)


MODULES: dict[str, Callable[[bool], torch.nn.Module]] = {
    "relu": lambda inplace: torch.nn.ReLU(inplace),
    "leaky_relu": lambda inplace: torch.nn.LeakyReLU(0.2, inplace),
    "dropout": lambda inplace: torch.nn.Dropout(0.5, inplace),
}


def some_tensor(package: Any) -> Any:
    random = np.random.default_rng(3)
    indices = sites(random, 60, 2, (7, 7, 7))
    return package.SparseConvTensor(numbers(random, len(indices), 3), indices, [7, 7, 7], 2)


def network(package: Any, module: str, inplace: bool) -> Any:
    """A module directly behind every kind of layer whose result may be written over."""
    torch.manual_seed(1)
    between = MODULES[module]
    more: list[Any] = []
    if package is detops.spconv:
        more = [package.SparseAvgPool3d(2, 1), between(inplace)]
    return package.SparseSequential(
        package.SubMConv3d(3, 8, 3, indice_key="subm"),
        between(inplace),
        package.SubMConv3d(8, 8, 1),
        between(inplace),
        package.SparseConv3d(8, 16, 3, 2, 1, bias=False, indice_key="down"),
        between(inplace),
        package.SparseInverseConv3d(16, 4, 3, "down"),
        between(inplace),
        package.SparseConvTranspose3d(4, 4, 2, 2),
        between(inplace),
        *more,
    ).double()


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("package", [detops.spconv, detops.mmcv])
def test_networks_with_modules_in_place(package: Any, module: str, training: bool) -> None:
    results = []
    for inplace in (True, False):
        net = network(package, module, inplace).train(training)
        torch.manual_seed(2)  # The same elements are dropped.
        out = net(some_tensor(package)).features
        gradients = torch.autograd.grad(out.square().sum(), list(net.parameters()))
        assert all(bool(gradient.any()) for gradient in gradients)
        results.append((out, *gradients))
    assert_same_bits(*results)


@pytest.mark.parametrize("package", [detops.spconv, detops.mmcv])
def test_features_that_are_added_to(package: Any) -> None:
    x, layer = some_tensor(package), package.SubMConv3d(3, 4, 3).double()
    y = layer(x).features
    y += 1
    found = torch.autograd.grad(y.square().sum(), list(layer.parameters()))
    expected = torch.autograd.grad((layer(x).features + 1).square().sum(), list(layer.parameters()))
    assert_same_bits(found, expected)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_compiled() -> None:
    call = fused("none")

    def program(**arguments: Any) -> torch.Tensor:
        out: torch.Tensor = detops.torch.indice_convolution_forward_fused(**arguments)
        return torch.relu_(out.mul_(2))

    assert_compiled_like_eager(program, call)
