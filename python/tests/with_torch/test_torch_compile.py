"""Compiled programs compute what eager ones do, forward and backward, without graph breaks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.torch
import numpy as np
import torch
from network import SparseNetwork, cloud
from support import (
    Call,
    align_calls,
    all_calls,
    assert_same_bits,
    convolution_calls,
    identity,
    number_parts,
    psroipool_calls,
    roiaware_calls,
)
from torch._dynamo.testing import CompileCounterWithBackend

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(autouse=True)
def _forget_compiled_programs() -> Iterator[None]:
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def results_and_gradients(function: Any, call: Call) -> list[Any]:
    if not call.differentiable:
        result = function(**call.arguments)
        return list(result) if isinstance(result, tuple) else [result]
    call = call.with_gradients()
    result = function(**call.arguments)
    (out,) = number_parts(result)
    weights = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).reshape(out.shape)
    gradients = torch.autograd.grad(out, call.leaves, weights)
    return [*(result if isinstance(result, tuple) else [result]), *gradients]


@pytest.mark.parametrize("call", all_calls(), ids=identity)
def test_like_eager(call: Call) -> None:
    """Backend aot_eager runs the traced graphs of both passes without changing any number."""
    compiled = torch.compile(call.function, fullgraph=True, dynamic=True, backend="aot_eager")
    expected = results_and_gradients(call.function, call)
    assert_same_bits(tuple(results_and_gradients(compiled, call)), tuple(expected))


@pytest.mark.parametrize(
    "call",
    [align_calls()[1], psroipool_calls()[0], roiaware_calls()[2], convolution_calls()[1]],
    ids=identity,
)
def test_inductor(call: Call) -> None:
    """The default backend, with an operation of torch before and after that it may fuse."""
    call = call.cast(torch.float32)

    def program(**arguments: Any) -> torch.Tensor:
        first = call.differentiable[0]
        (out,) = number_parts(call.function(**{**arguments, first: arguments[first] * 2}))
        return out.transpose(0, -1) + 1

    compiled = torch.compile(program, fullgraph=True, dynamic=True)
    found, expected = (results_and_gradients(f, call) for f in (compiled, program))
    assert_same_bits(tuple(found), tuple(expected))


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_a_network_with_sizes_that_depend_on_data(backend: str) -> None:
    network = SparseNetwork()
    compiled = torch.compile(network, fullgraph=True, dynamic=True, backend=backend)
    for count in (30, 31, 7, 90):
        sites, features = cloud(count, count)
        gradients = []
        for run in (compiled, network):
            out = run(sites, features)
            weights = tuple(network.parameters())
            gradients.append((out, *torch.autograd.grad(out.square().sum(), weights)))
        for found, expected in zip(*gradients, strict=True):
            torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


def test_other_sizes_need_no_other_program() -> None:
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(SparseNetwork(), fullgraph=True, dynamic=True, backend=counter)
    for count in (30, 8, 55, 100, 201, 64):
        compiled(*cloud(count, count))
    assert counter.frame_count <= 2


@pytest.mark.parametrize(
    "name", ["rotated_feature_align", "psroipool", "roiaware_pool3d", "roiaware_pool3d_compact"]
)
def test_pooling_of_other_sizes_needs_no_other_program(name: str) -> None:
    counter = CompileCounterWithBackend("aot_eager")
    function = getattr(detops.torch, f"{name}_forward")
    compiled: Any = torch.compile(function, fullgraph=True, dynamic=True, backend=counter)
    for seed in range(2, 7):
        made = [
            *align_calls(seed, (seed, 2 + seed, 9 - seed, 3 * seed)),
            *psroipool_calls(seed, rois=2 + seed),
            # Not as many boxes as channels: sizes that are equal once are taken to be equal always.
            *roiaware_calls(seed, 6 + seed, 10 * seed),
        ]
        call, *_ = [c for c in made if c.name == f"{name}_forward"]
        assert_same_bits(compiled(**call.arguments), call.run())
    assert counter.frame_count <= 2


def test_errors_of_compiled_programs() -> None:
    """Values are looked at when the program runs; the next call works."""
    call = align_calls()[0]
    compiled = torch.compile(call.function, fullgraph=True, dynamic=True, backend="aot_eager")
    expected = compiled(**call.arguments)
    boxes = call.arguments["bboxes"].clone()
    boxes[0, 1, 2, 3] = np.nan
    with pytest.raises(ValueError, match=r"bboxes\[0, 1, 2, 3\] is nan"):
        compiled(**{**call.arguments, "bboxes": boxes})
    assert_same_bits(compiled(**call.arguments), expected)
