"""torch.func and forward-mode differentiation: the right numbers or an error."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.torch
import torch
from support import Call, assert_same_bits, identity, number_parts, differentiable_calls
from torch.autograd import forward_ad

pytestmark = [
    # vmap falls back to a loop and says that this is slow.
    pytest.mark.filterwarnings("ignore:There is a performance drop"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

ad: Any = forward_ad  # Most of it has no annotations.
# What torch says where an operator does not know a transform.
REFUSALS = (RuntimeError, NotImplementedError, ValueError)


def one_argument(call: Call) -> tuple[Any, torch.Tensor]:
    """The numbers of the result as a function of the first argument with gradients."""
    key = call.differentiable[0]

    def function(value: torch.Tensor) -> torch.Tensor:
        (out,) = number_parts(call.replace(**{key: value}).run())
        return out

    return function, call.arguments[key]


# One call of each function.
DIFFERENTIABLE = list({call.name: call for call in reversed(differentiable_calls())}.values())


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=identity)
def test_vmap(call: Call) -> None:
    function, value = one_argument(call)
    values = torch.stack([value, value.flip(0) * 2, -value])
    expected = [function(v) for v in values]
    try:
        found = torch.func.vmap(function)(values)
    except REFUSALS as error:
        assert str(error)
        return
    assert_same_bits(found, torch.stack(expected))


def test_vmap_over_sites_that_give_different_sizes() -> None:
    sites = torch.tensor([[[0, 1], [0, 2]], [[0, 0], [0, 1]]], dtype=torch.int32)

    def outputs(indices: torch.Tensor) -> torch.Tensor:
        return detops.torch.get_indice_pairs(indices, 1, (5,), 3, padding=1).out_indices

    assert [len(outputs(one)) for one in sites] == [4, 3]
    with pytest.raises(REFUSALS):
        torch.func.vmap(outputs)(sites)


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=identity)
def test_func_grad(call: Call) -> None:
    function, value = one_argument(call)
    leaf = value.clone().requires_grad_()
    (expected,) = torch.autograd.grad(function(leaf).square().sum(), leaf)
    found = torch.func.grad(lambda v: function(v).square().sum())(value)
    assert_same_bits(found, expected)
    made: Any = torch.func.vjp(lambda v: function(v).square().sum(), value)
    loss, pull = made
    assert_same_bits(pull(torch.ones_like(loss))[0], expected)


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=identity)
def test_forward_mode(call: Call) -> None:
    """A tangent that is left out would be taken for zero."""
    function, value = one_argument(call)
    tangent = torch.linspace(1, 2, value.numel(), dtype=value.dtype).reshape(value.shape)
    step = 1e-4
    slope = (function(value + step * tangent) - function(value - step * tangent)) / (2 * step)
    assert bool(slope.any())
    try:
        with ad.dual_level():
            found = ad.unpack_dual(function(ad.make_dual(value, tangent))).tangent
    except REFUSALS as error:
        assert "forward" in str(error)
    else:
        assert found is not None
        torch.testing.assert_close(found, slope, rtol=1e-6, atol=1e-6)
