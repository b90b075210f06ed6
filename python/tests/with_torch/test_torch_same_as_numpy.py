"""The same bits as the functions on NumPy arrays, for all types and any strides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops
import detops.torch
import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import NAMED_LAYOUTS
from support import (
    FLOATS,
    Call,
    align_calls,
    all_calls,
    assert_same_bits,
    convolution_calls,
    identity,
    pair_calls,
    psroipool_calls,
    roiaware_calls,
)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("call", all_calls(), ids=identity)
def test_all_types(call: Call, dtype: torch.dtype) -> None:
    if dtype == torch.bfloat16:
        pytest.importorskip("ml_dtypes")
    call = call.cast(dtype)
    result = call.run()
    assert_same_bits(result, call.run_numpy())
    for part in result if isinstance(result, tuple) else [result]:
        assert not isinstance(part, torch.Tensor) or part.is_contiguous()
    # Recorded for gradients a call takes another way through torch; numbers are the same.
    assert_same_bits(call.with_gradients().run(), result)


# ---- strides -------------------------------------------------------------------------------------


@st.composite
def strided(draw: st.DrawFn, tensor: torch.Tensor) -> torch.Tensor:
    """The same numbers in memory of another order, with gaps and from another begin."""
    order = draw(st.permutations(range(tensor.ndim)))
    steps = [draw(st.integers(1, 3)) for _ in order]
    begins = [draw(st.integers(0, 2)) for _ in order]
    sizes = [
        begin + max(extent * step, 1)
        for begin, extent, step in zip(begins, tensor.shape, steps, strict=True)
    ]
    room = torch.full([sizes[axis] for axis in order], 77, dtype=tensor.dtype)
    room = room.permute([order.index(axis) for axis in range(tensor.ndim)])
    cut = tuple(
        slice(begin, begin + extent * step, step)
        for begin, extent, step in zip(begins, tensor.shape, steps, strict=True)
    )
    view = room[cut]
    view.copy_(tensor)
    return view


def calls(seed: int, dtype: torch.dtype) -> list[Call]:
    shape = (1 + seed % 2, 2 + seed % 3, 2 + seed % 4, 1 + seed % 9)
    made = [
        *align_calls(seed, shape),
        *psroipool_calls(seed, (1 + seed % 3, 1 + seed % 2), seed % 8),
        *roiaware_calls(seed, 1 + seed % 4, 1 + seed % 50),
        *pair_calls(seed),
        *convolution_calls(seed, 1 + seed % 4, 1 + seed % 9, 1 + seed % 17, 1 + seed % 30),
    ]
    return [call.cast(dtype) for call in made]


@settings(max_examples=120)
@given(st.data(), st.integers(0, 10**6), st.sampled_from(FLOATS))
def test_any_strides(data: st.DataObject, seed: int, dtype: torch.dtype) -> None:
    if dtype == torch.bfloat16:
        pytest.importorskip("ml_dtypes")
    call = data.draw(st.sampled_from(calls(seed, dtype)))
    views = {
        key: data.draw(strided(value))
        for key, value in call.arguments.items()
        if isinstance(value, torch.Tensor)
    }
    assert_same_bits(call.replace(**views).run(), call.run_numpy())


@pytest.mark.parametrize("call", all_calls(), ids=identity)
def test_expanded(call: Call) -> None:
    """Rows that are all the first one in memory."""
    views = {
        key: value[:1].expand(value.shape)
        for key, value in call.arguments.items()
        if isinstance(value, torch.Tensor) and value.is_floating_point() and value.ndim > 1
    }
    expanded = call.replace(**views)
    copied = call.replace(
        **{key: view.clone(memory_format=torch.contiguous_format) for key, view in views.items()}
    )
    assert_same_bits(expanded.run(), copied.run_numpy())


@pytest.mark.parametrize("call", [c for c in all_calls() if "NCHW" in c.id], ids=identity)
def test_channels_last(call: Call) -> None:
    key = call.differentiable[0]
    changed = call.arguments[key].contiguous(memory_format=torch.channels_last)
    assert not changed.is_contiguous()
    result = call.replace(**{key: changed}).run()
    assert result.is_contiguous()
    assert_same_bits(result, call.run_numpy())


def test_channels_last_is_taken_in_place() -> None:
    """As the documentation of rotated_feature_align_forward says."""
    call = align_calls()[0]
    map_of_torch = (
        call.arguments["input"].permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)
    )
    view = map_of_torch.permute(0, 2, 3, 1)
    assert view.is_contiguous() and view.data_ptr() == map_of_torch.data_ptr()
    assert_same_bits(call.replace(input=view).run(), call.run_numpy())


@pytest.mark.parametrize("call", align_calls(), ids=identity)
def test_negated_and_zero_tensors(call: Call) -> None:
    """Tensors of torch whose memory does not hold their numbers."""
    key = call.differentiable[0]
    values = call.arguments[key]
    negated = torch.complex(values, values).conj().imag
    assert negated.is_neg()
    assert_same_bits(call.replace(**{key: negated}).run(), call.replace(**{key: -values}).run())
    zeros = torch._efficientzerotensor(values.shape, dtype=values.dtype)
    assert_same_bits(
        call.replace(**{key: zeros}).run(), call.replace(**{key: torch.zeros_like(values)}).run()
    )


@pytest.mark.parametrize("call", all_calls(), ids=identity)
def test_indices_of_int64(call: Call) -> None:
    wide = {
        key: value.long()
        for key, value in call.arguments.items()
        if isinstance(value, torch.Tensor) and value.dtype == torch.int32
    }
    assert_same_bits(call.replace(**wide).run(), call.run())


@pytest.mark.parametrize("call", all_calls(), ids=identity)
def test_inputs_are_not_changed_and_results_are_new(call: Call) -> None:
    tensors = [v for v in call.arguments.values() if isinstance(v, torch.Tensor)]
    before = [tensor.clone() for tensor in tensors]
    first, second = call.run(), call.run()
    for tensor, copy in zip(tensors, before, strict=True):
        assert_same_bits(tensor, copy)
    made = [
        part.data_ptr()
        for result in (first, second)
        for part in (result if isinstance(result, tuple) else [result])
        if isinstance(part, torch.Tensor) and part.numel() > 0
    ]
    assert len(set(made)) == len(made)
    assert not set(made) & {tensor.data_ptr() for tensor in tensors}


# ---- words and defaults --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        {"kernel_size": 3},
        {"kernel_size": 3, "stride": 2, "padding": 1},
        {"kernel_size": [3, 1], "stride": [2, 1], "dilation": [2, 1]},
        {"kernel_size": 3, "submanifold": True},
        {"kernel_size": (3, 2), "dilation": 2, "submanifold": True},
        {"kernel_size": 2, "stride": 2, "transposed": True},
        {"kernel_size": 3, "stride": 2, "padding": 1, "output_padding": 1, "transposed": True},
        {"kernel_size": 3, "output_shape": 4},
        {"kernel_size": 3, "output_shape": (9, 3)},
    ],
)
def test_defaults_of_get_indice_pairs(words: dict[str, Any]) -> None:
    arguments = {
        "indices": torch.tensor([[0, 1, 2], [0, 8, 9], [0, 4, 4]]),
        "batch_size": 1,
        "spatial_shape": (9, 10),
        **words,
    }
    call = Call("", "get_indice_pairs", arguments)
    result = call.run()
    assert isinstance(result.num_act_out, int) and isinstance(result.output_shape, tuple)
    assert_same_bits(result, call.run_numpy())


KINDS: dict[str, Callable[[Any], Any]] = {
    "list": list,
    "torch.Size": torch.Size,
    "array": np.array,
    "tensor": torch.tensor,
    "numbers of NumPy": lambda sizes: tuple(map(np.int64, sizes)),
    "tensors": lambda sizes: list(map(torch.tensor, sizes)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "words",
    [
        {"kernel_size": (3, 2), "submanifold": True},
        {"kernel_size": (3, 2), "stride": (2, 1), "padding": (1, 0), "dilation": (1, 2)},
        {"kernel_size": (2, 3), "stride": (2, 2), "output_padding": (1, 0), "transposed": True},
        {"kernel_size": (3, 3), "output_shape": (9, 3)},
    ],
)
def test_sizes_of_any_kind(kind: str, words: dict[str, Any]) -> None:
    """Arrays and tensors are taken, and the output space is made of int of Python."""
    words = {"spatial_shape": (9, 10), **words}
    sites = torch.tensor([[0, 1, 2], [0, 8, 9], [0, 4, 4]])
    expected = detops.torch.get_indice_pairs(sites, 1, **words)
    assert list(map(type, expected.output_shape)) == [int, int]
    same = {k: KINDS[kind](v) if isinstance(v, tuple) else v for k, v in words.items()}
    found = detops.torch.get_indice_pairs(sites, 1, **same)
    assert_same_bits(found, expected)
    assert type(found.output_shape) is tuple and list(map(type, found.output_shape)) == [int, int]


@pytest.mark.parametrize("three", [(3,), np.int64(3), np.array(3), torch.tensor(3), torch.tensor([3])])
def test_one_number_of_any_kind(three: Any) -> None:
    sites = torch.tensor([[0, 1, 2], [0, 8, 9], [0, 4, 4]])
    expected = detops.torch.get_indice_pairs(sites, 1, (9, 10), 3, 3, 3, 3, output_shape=3)
    found = detops.torch.get_indice_pairs(sites, 1, (9, 10), three, three, three, three, output_shape=three)
    assert_same_bits(found, expected)
    assert list(map(type, found.output_shape)) == [int, int]


@pytest.mark.parametrize("size", [2, (2, 2), [2, 2]])
def test_sizes_may_be_one_number(size: Any) -> None:
    call = psroipool_calls(pooled=(2, 2))[0]
    assert_same_bits(call.replace(pooled_size=size).run(), call.run())


@pytest.mark.parametrize("out_size", [2, (2, 2, 2), [2, 2, 2]])
@pytest.mark.parametrize("words", [{}, {"z_origin": "center", "xy_margin": 0.5}])
def test_words_of_roiaware(out_size: Any, words: dict[str, Any]) -> None:
    for call in roiaware_calls():
        if "out_size" in call.arguments:
            changed = call.replace(**words)
            plain = changed.replace(out_size=(2, 2, 2)).run_numpy()
            assert_same_bits(changed.replace(out_size=out_size).run(), plain)


@pytest.mark.parametrize(("name", "shape", "same"), NAMED_LAYOUTS)
def test_names_of_the_library(name: Any, shape: tuple[int, ...], same: Any) -> None:
    random = np.random.default_rng(1)
    filters = torch.from_numpy(random.normal(size=shape)).requires_grad_()
    features = torch.from_numpy(random.normal(size=(7, 4))).requires_grad_()
    pairs = torch.from_numpy(random.integers(0, 7, size=(6, 2, 7)))
    results = []
    for layout in (name, same):
        out = detops.torch.indice_convolution_forward(
            features, filters, pairs, torch.arange(6), 7, filters_layout=layout
        )
        results.append((out, *torch.autograd.grad(out.square().sum(), (features, filters))))
    assert_same_bits(results[0], results[1])


def test_rows_that_the_pairs_tell() -> None:
    forward, *_ = [call for call in convolution_calls() if call.id == "conv-forward-KIO-inverse"]
    assert_same_bits(forward.replace(num_act_out=None).run(), forward.run())
    data, *_ = [call for call in convolution_calls() if call.id == "conv-backward_data-OKI"]
    assert_same_bits(data.replace(num_act_in=None).run(), data.run())


def test_no_grad_and_inference_mode() -> None:
    for call in all_calls():
        expected = call.run()
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                result = call.with_gradients().run() if mode is torch.no_grad else call.run()
            assert_same_bits(result, expected)
            for part in result if isinstance(result, tuple) else [result]:
                assert not isinstance(part, torch.Tensor) or not part.requires_grad
