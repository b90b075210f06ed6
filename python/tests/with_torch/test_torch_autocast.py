"""Autocast: convolutions in its type with one rounding, pooling in float."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.torch
import numpy as np
import torch
from reference import convolution
from support import (
    Call,
    align_calls,
    assert_compiled_like_eager,
    assert_same_bits,
    convolution_calls,
    identity,
    number_parts,
    pool_calls,
    psroipool_calls,
    roiaware_calls,
    to_numpy,
)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

HALVES = [torch.float16, torch.bfloat16]
EPSILON = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8}  # Half a unit in the last place.


def exact(call: Call) -> Any:
    """The convolution of these very numbers in double precision; filters are "KIO"."""
    arguments = call.cast(torch.float64).arguments
    filters = to_numpy(arguments["filters"])
    return convolution(
        to_numpy(arguments["features"]),
        filters.reshape(-1, *filters.shape[-2:]),
        to_numpy(arguments["indice_pairs"]),
        to_numpy(arguments["indice_num"]),
        arguments["num_act_out"],
    )


def wide_convolution() -> Call:
    """Many terms for each sum, so that sums in half precision would show."""
    call, *_ = convolution_calls(seed=11, into=64, out=8)
    return call.cast(torch.float32)


@pytest.mark.parametrize("dtype", HALVES)
def test_convolution_is_rounded_once(dtype: torch.dtype) -> None:
    call = wide_convolution()
    with torch.autocast("cpu", dtype):
        result = call.run()
    assert result.dtype == dtype
    rounded = call.cast(dtype)
    expected = exact(rounded)
    # Where the exact sum is small against its terms, the error of float's sum is seen too.
    magnitudes = exact(
        rounded.replace(
            features=rounded.arguments["features"].abs(), filters=rounded.arguments["filters"].abs()
        )
    )
    error = np.abs(to_numpy(result.double()) - expected)
    assert (error <= EPSILON[dtype] * np.abs(expected) + 64 * 2.0**-24 * magnitudes).all()
    assert_same_bits(result, rounded.run())


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("call", convolution_calls(), ids=identity)
def test_convolution(call: Call, dtype: torch.dtype) -> None:
    """The type of autocast, the numbers of a call with rounded inputs, float32 gradients."""
    call = call.cast(torch.float32).with_gradients()
    with torch.autocast("cpu", dtype):
        result = call.run()
    assert result.dtype == dtype
    assert_same_bits(result, call.cast(dtype).run())
    result.float().square().sum().backward()
    for key, leaf in zip(call.differentiable, call.leaves, strict=True):
        assert leaf.grad is not None and leaf.grad.dtype == torch.float32, key
        assert bool(leaf.grad.isfinite().all()) and bool(leaf.grad.any())


@pytest.mark.parametrize("dtype", HALVES)
def test_gradients_are_those_of_half_precision(dtype: torch.dtype) -> None:
    call = wide_convolution().with_gradients()
    with torch.autocast("cpu", dtype):
        result = call.run()
    weights = torch.linspace(-1, 1, result.numel()).reshape(result.shape).to(dtype)
    found = torch.autograd.grad(result, call.leaves, weights)
    half = call.cast(dtype).with_gradients()
    expected = torch.autograd.grad(half.run(), half.leaves, weights)
    for left, right in zip(found, expected, strict=True):
        assert_same_bits(left, right.float())


def pooling_calls() -> list[Call]:
    # A gradient over pairs is of the type of the features, as that of a network is.
    over_pairs = [call for call in pool_calls() if "pool-backward-max" not in call.id]
    return [*align_calls(), *psroipool_calls(), *roiaware_calls(), *over_pairs]


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("call", pooling_calls(), ids=identity)
def test_pooling_works_in_float(call: Call, dtype: torch.dtype) -> None:
    """Features in half precision and boxes in float32, as networks have them under autocast."""
    call = call.cast(torch.float32)
    key = call.differentiable[0]
    mixed = call.replace(**{key: call.arguments[key].to(dtype)}).with_gradients()
    with torch.autocast("cpu", dtype):
        result = mixed.run()
    (out,) = number_parts(result)
    assert out.dtype == dtype
    wide = mixed.cast(torch.float32).run()
    (expected,) = number_parts(wide)
    assert_same_bits(out, expected.to(dtype))
    if isinstance(result, tuple):
        for left, right in zip(result, wide, strict=True):
            if left is not None and not left.is_floating_point():
                assert_same_bits(left, right)
    (gradient,) = torch.autograd.grad(out.float().sum(), mixed.leaves)
    assert gradient.dtype == dtype
    assert bool(gradient.isfinite().all()) and bool(gradient.any())


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("call", pool_calls(), ids=identity)
def test_pooling_over_pairs_keeps_the_type(call: Call, dtype: torch.dtype) -> None:
    """Features that tie only in half precision do not, forward, backward and inside of autocast."""
    call = call.cast(torch.float32)
    for key in ("features", "output_grad"):
        if call.arguments.get(key) is not None:
            close = call.arguments[key] * 2.0**-14 + 1
            assert not torch.equal(close, close.to(dtype).float())
            call = call.replace(**{key: close})
    if "max" in call.id and "backward" in call.id:
        words = {key: call.arguments[key] for key in ("features", "indice_pairs", "indice_num")}
        rows = call.arguments["output_grad"].shape[0]
        out = detops.torch.indice_pool_forward(**words, num_act_out=rows, start="lowest")
        call = call.replace(features_out=out)
    results = []
    for enabled in (True, False):
        one = call.with_gradients()
        with torch.autocast("cpu", dtype, enabled=enabled):
            out = one.run()
            gradients = torch.autograd.grad(out.sum(), one.leaves)
        assert out.dtype == torch.float32
        results.append((out, *gradients))
    assert_same_bits(*results)


@pytest.mark.parametrize("call", [*pooling_calls(), *convolution_calls()], ids=identity)
def test_double_stays(call: Call) -> None:
    with torch.autocast("cpu", torch.bfloat16):
        result = call.run()
    assert_same_bits(result, call.run())


@pytest.mark.parametrize(
    "call",
    [align_calls()[0], psroipool_calls()[1], roiaware_calls()[2], convolution_calls()[0]],
    ids=identity,
)
def test_compiled(call: Call) -> None:
    call = call.cast(torch.float32)
    if call.name.startswith(("rotated", "psroi", "roiaware")):
        call = call.replace(**{call.differentiable[0]: call.arguments[call.differentiable[0]].bfloat16()})

    def program(**arguments: Any) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            (out,) = number_parts(call.function(**arguments))
        return out

    assert assert_compiled_like_eager(program, call).dtype == torch.bfloat16


def test_nested_and_off() -> None:
    call = convolution_calls()[0].cast(torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        with torch.autocast("cpu", enabled=False):
            assert_same_bits(call.run(), call.run_numpy())
        assert call.run().dtype == torch.bfloat16
    assert call.run().dtype == torch.float32
