"""Gradients, once and twice, against slopes; and what autograd is told."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.torch
import torch
from support import (
    Call,
    assert_same_bits,
    convolution_calls,
    identity,
    number_parts,
    psroipool_calls,
    differentiable_calls,
)
from torch.autograd import gradcheck, gradgradcheck
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint


def of_leaves(call: Call) -> tuple[Any, tuple[torch.Tensor, ...]]:
    """The results with numbers as a function of the leaves alone, and the leaves."""
    leaves = tuple(call.with_gradients().leaves)

    def function(*values: torch.Tensor) -> Any:
        changes = dict(zip(call.differentiable, values, strict=True))
        return tuple(number_parts(call.replace(**changes).run()))

    return function, leaves


# The gradient of torchvision's forward is that of another forward, of one row and column more.
DIFFERENTIABLE = [call for call in differentiable_calls() if "ps-forward-torchvision" not in call.id]


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=identity)
def test_first_derivative(call: Call) -> None:
    function, leaves = of_leaves(call)
    assert gradcheck(function, leaves, fast_mode=False)


@pytest.mark.parametrize("call", [call for call in DIFFERENTIABLE if call.twice], ids=identity)
def test_second_derivative(call: Call) -> None:
    function, leaves = of_leaves(call)
    assert gradgradcheck(function, leaves, fast_mode=True, gen_non_contig_grad_outputs=True)


@pytest.mark.parametrize("call", [call for call in DIFFERENTIABLE if not call.twice], ids=identity)
def test_second_derivatives_that_are_not_there_say_so(call: Call) -> None:
    function, leaves = of_leaves(call)
    first = torch.autograd.grad(function(*leaves)[0].square().sum(), leaves, create_graph=True)
    with pytest.raises(NotImplementedError, match=f"{call.name}: there are no second derivatives"):
        torch.autograd.grad(first[0].sum(), leaves)


@pytest.mark.parametrize("ndim", [1, 2, 4])
@pytest.mark.parametrize("name", ["forward", "forward_fused"])
def test_kernels_of_other_ranks(ndim: int, name: str) -> None:
    for call in convolution_calls(ndim=ndim, count=8):
        if call.name == f"indice_convolution_{name}":
            function, leaves = of_leaves(call)
            assert gradcheck(function, leaves, fast_mode=True)
            assert gradgradcheck(function, leaves, fast_mode=True)


@pytest.mark.parametrize("activation", ["none", "relu", "leaky_relu"])
@pytest.mark.parametrize("missing", ["bias", "residual"])
def test_fused_activations(activation: str, missing: str) -> None:
    (call,) = [c for c in convolution_calls() if c.id == "conv-forward_fused-KIO"]
    differentiable = tuple(key for key in call.differentiable if key != missing)
    call = Call("", call.name, {**call.arguments, "activation": activation, missing: None}, differentiable)
    function, leaves = of_leaves(call)
    assert gradcheck(function, leaves)
    assert gradgradcheck(function, leaves, fast_mode=True)


def test_fused_is_the_sum_of_its_parts() -> None:
    """The same gradients as torch's own activation, also with slope 0."""
    (plain,) = [c for c in convolution_calls() if c.id == "conv-forward-KIO"]
    (fused,) = [c for c in convolution_calls() if c.id == "conv-forward_fused-KIO"]
    for slope in (0.0, 0.25):
        one = fused.replace(negative_slope=slope).with_gradients()
        leaves = one.leaves
        keys = plain.arguments.keys()
        parts = plain.replace(**{k: v for k, v in one.arguments.items() if k in keys}).run()
        parts = parts + one.arguments["bias"] + one.arguments["residual"]
        whole = torch.nn.functional.leaky_relu(parts, slope)
        weights = torch.linspace(-1, 1, whole.numel(), dtype=whole.dtype).reshape(whole.shape)
        torch.testing.assert_close(one.run(), whole, rtol=1e-12, atol=1e-12)
        torch.testing.assert_close(
            torch.autograd.grad(one.run(), leaves, weights),
            torch.autograd.grad(whole, leaves, weights),
            rtol=1e-12,
            atol=1e-12,
        )


@pytest.mark.parametrize("call", differentiable_calls(), ids=identity)
def test_arguments_that_are_left_out(call: Call) -> None:
    """torch does not hand on what is the default; gradients must not count on it."""
    optional = {
        "spatial_scale": 1.0,
        "points": 1,
        "convention": "rfcn",
        "layout": "NHWC",
        "max_pts_each_voxel": 128,
        "pool": "max",
        "start": "zero",
        "bias": None,
        "residual": None,
        "activation": "none",
        "negative_slope": 0.01,
        "filters_layout": "KIO",
        "inverse": False,
    }
    kept = {key: value for key, value in call.arguments.items() if key not in optional}
    if {"OKI", "OIK", "NCHW", "avg", "inverse"} & set(call.id.split("-")):
        pytest.skip("the default would not fit these shapes")
    differentiable = tuple(key for key in call.differentiable if key in kept)
    short = Call("", call.name, kept, differentiable)
    full = call.replace(**{k: v for k, v in optional.items() if k in call.arguments})
    results = []
    for one, run in (
        (short, Call.run),
        (short, Call.run_operator),
        (Call("", full.name, full.arguments, differentiable), Call.run),
    ):
        one = one.with_gradients()
        (out,) = number_parts(run(one))
        results.append((out, *torch.autograd.grad(out.square().sum(), one.leaves)))
    assert_same_bits(results[0], results[2])
    assert_same_bits(results[1], results[2])


class Seen(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch has no types here
    """Notes the operators of detops that are called."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace == "detops":
            self.names.append(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))


def test_modes_see_what_is_recorded() -> None:
    (call,) = [c for c in convolution_calls() if c.id == "conv-forward-KIO"]
    call = call.with_gradients()
    (usual,) = number_parts(call.run())
    with Seen() as seen:
        (out,) = number_parts(call.run())
        found = torch.autograd.grad(out.sum(), call.leaves)
    name = "indice_convolution_"
    assert seen.names == [name + "forward", name + "backward_data", name + "backward_filter"]
    # The gradient of a sum is one number seen everywhere: a tensor with gaps.
    assert_same_bits(found, torch.autograd.grad(usual, call.leaves, torch.ones_like(usual)))


def test_a_negative_slope_has_no_gradient() -> None:
    (call,) = [c for c in convolution_calls() if c.id == "conv-forward_fused-KIO"]
    call = call.replace(negative_slope=-0.5)
    assert_same_bits(call.run(), call.run_numpy())
    with pytest.raises(ValueError, match=r"negative_slope is -0\.5, expected 0 or more"):
        call.with_gradients().run()


def test_second_derivative_of_torchvision() -> None:
    """That of its backward, whose adjoint is the consistent forward."""
    for call in psroipool_calls():
        if call.arguments["convention"] != "torchvision" or call.name != "psroipool_forward":
            continue
        call = call.with_gradients()
        out = call.run()
        weights = torch.ones_like(out).requires_grad_()
        (first,) = torch.autograd.grad(out, call.leaves, weights, create_graph=True)
        slope = torch.linspace(-1, 1, first.numel(), dtype=first.dtype).reshape(first.shape)
        (second,) = torch.autograd.grad(first, weights, slope)
        expected = call.replace(input=slope, convention="consistent").run()
        assert torch.equal(second, expected)


def test_second_derivative_of_tied_maxima() -> None:
    """All that tie get the gradient, so what comes back for it is the sum over all of them."""
    pairs, counts = torch.tensor([[[0, 1, 2, 3], [0, 0, 0, 1]]]), torch.tensor([4])
    features = torch.tensor([[2.0], [2.0], [1.0], [-1.0]], dtype=torch.double, requires_grad=True)
    out = detops.torch.indice_pool_forward(features, pairs, counts, 2)
    assert out.tolist() == [[2.0], [0.0]]
    (first,) = torch.autograd.grad(out.pow(3).sum(), features, create_graph=True)
    assert first.ravel().tolist() == [12.0, 12.0, 0.0, 0.0]
    weights = torch.tensor([[1.0], [10.0], [100.0], [1000.0]], dtype=torch.double)
    (second,) = torch.autograd.grad(first, features, weights, create_graph=True)
    assert second.ravel().tolist() == [12.0 * 11, 12.0 * 11, 0.0, 0.0]  # 6 * out * (1 + 10)
    (third,) = torch.autograd.grad(second, features, weights)
    assert third.ravel().tolist() == [6.0 * 121, 6.0 * 121, 0.0, 0.0]


@pytest.mark.parametrize("call", differentiable_calls(), ids=identity)
def test_gradients_are_the_backward_functions(call: Call) -> None:
    """Each argument alone, and all together, give the same bits."""
    function, leaves = of_leaves(call)
    (out,) = function(*leaves)
    weights = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).reshape(out.shape)
    together = torch.autograd.grad(out, leaves, weights)
    for place, expected in enumerate(together):
        values = [leaf.detach() for leaf in leaves]
        values[place] = values[place].clone().requires_grad_()
        (result,) = function(*values)
        (alone,) = torch.autograd.grad(result, values[place], weights)
        assert_same_bits(alone, expected)


@pytest.mark.parametrize("convention", ["rfcn", "torchvision", "consistent"])
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_gradient_of_psroipool(convention: str, layout: str) -> None:
    """The bits of psroipool_backward; for torchvision this is all that can be said."""
    (call,) = [c for c in psroipool_calls() if c.id == f"ps-forward-{convention}-{layout}"]
    call = call.with_gradients()
    out = call.run()
    weights = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).reshape(out.shape)
    (found,) = torch.autograd.grad(out, call.leaves, weights)
    words = {key: call.arguments[key] for key in ("spatial_scale", "convention", "layout")}
    expected = detops.torch.psroipool_backward(
        weights, call.arguments["rois"], call.arguments["input"].shape, **words
    )
    assert_same_bits(found, expected)


@pytest.mark.parametrize("call", differentiable_calls(), ids=identity)
def test_who_asks_for_gradients(call: Call) -> None:
    for part in number_parts(call.run()):
        assert not part.requires_grad
    recorded = call.with_gradients().run()
    for part in number_parts(recorded):
        assert part.requires_grad
    for part in recorded if isinstance(recorded, tuple) else ():
        if isinstance(part, torch.Tensor) and not part.is_floating_point():
            assert not part.requires_grad


@pytest.mark.parametrize("call", differentiable_calls(), ids=identity)
def test_boxes_and_points_have_no_gradient(call: Call) -> None:
    geometry = [key for key in ("bboxes", "rois", "pts") if key in call.arguments]
    leaves = {key: call.arguments[key].clone().requires_grad_() for key in geometry}
    changed = call.with_gradients().replace(**leaves)
    (out,) = number_parts(changed.run())
    asked = [*changed.leaves, *leaves.values()]
    found = torch.autograd.grad(out.sum(), asked, allow_unused=True)
    assert [gradient is not None for gradient in found] == [
        place < len(changed.leaves) for place in range(len(asked))
    ]


def test_checkpoint() -> None:
    for call in differentiable_calls():
        function, leaves = of_leaves(call)
        (plain,) = function(*leaves)
        (again,) = checkpoint(function, *leaves, use_reentrant=False)
        assert_same_bits(again, plain)
        assert_same_bits(
            torch.autograd.grad(again.sum(), leaves), torch.autograd.grad(plain.sum(), leaves)
        )


def test_inputs_changed_in_place_are_noticed() -> None:
    (call,) = [c for c in convolution_calls() if c.id == "conv-forward-KIO"]
    call = call.with_gradients()
    out = call.run()
    call.arguments["indice_pairs"].add_(0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(out.sum(), call.leaves)
