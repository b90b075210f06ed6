"""get_indice_pairs against the reference, in 1 to 4 dimensions and all modes."""

from __future__ import annotations

from typing import Any

import detops
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import indice_pairs

MODES = ["regular", "submanifold", "transposed"]


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    mode = draw(st.sampled_from(MODES))
    ndim = draw(st.integers(1, 4))

    def axes(low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(low, high)) for _ in range(ndim))

    shape, kernel = axes(1, 6), axes(1, 3)
    batch = draw(st.integers(1, 2))
    seed = draw(st.integers(0, 2**32 - 1))
    count = draw(st.integers(0, 30))
    random = np.random.default_rng(seed)
    sites = np.stack([random.integers(0, n, size=count) for n in (batch, *shape)], axis=1)
    submanifold = mode == "submanifold"
    return {
        "indices": sites.astype(draw(st.sampled_from([np.int32, np.int64]))),
        "batch_size": batch,
        "spatial_shape": shape,
        "kernel_size": kernel,
        "stride": (1,) * ndim if submanifold else axes(1, 3),
        "padding": axes(0, 2),
        "dilation": axes(1, 2),
        "output_shape": shape if submanifold else axes(1, 7),
        "submanifold": submanifold,
        "transposed": mode == "transposed",
    }


@given(problems())
def test_agrees_with_the_reference(problem: dict[str, Any]) -> None:
    result = detops.get_indice_pairs(**problem)
    outputs, pairs = indice_pairs(
        problem["indices"],
        problem["kernel_size"],
        problem["stride"],
        problem["padding"],
        problem["dilation"],
        problem["output_shape"],
        problem["submanifold"],
        problem["transposed"],
    )
    sites = len(problem["indices"])
    assert result.num_act_out == len(outputs)
    assert [tuple(row) for row in result.out_indices.tolist()] == outputs
    assert result.out_indices.shape == (len(outputs), len(problem["spatial_shape"]) + 1)
    assert result.indice_num.tolist() == [len(offset) for offset in pairs]
    assert result.indice_pairs.shape == (len(pairs), 2, sites)
    for found, offset in zip(result.indice_pairs, pairs, strict=True):
        expected = np.full((2, sites), -1)
        if offset:
            expected[:, : len(offset)] = np.array(offset).T
        np.testing.assert_array_equal(found, expected)
    assert result.output_shape == tuple(problem["output_shape"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"kernel_size": 3}, (7, 8)),
        ({"kernel_size": 3, "stride": 2, "padding": 1}, (5, 5)),
        ({"kernel_size": (3, 1), "stride": (2, 1), "dilation": (2, 1)}, (3, 10)),
        ({"kernel_size": 3, "submanifold": True}, (9, 10)),
        ({"kernel_size": 2, "stride": 2, "transposed": True}, (18, 20)),
        (
            {"kernel_size": 3, "stride": 2, "padding": 1, "output_padding": 1, "transposed": True},
            (18, 20),
        ),
    ],
)
def test_the_usual_output_shape(arguments: dict[str, Any], expected: tuple[int, ...]) -> None:
    sites = np.array([[0, 1, 2]], np.int32)
    assert detops.get_indice_pairs(sites, 1, (9, 10), **arguments).output_shape == expected


def test_padding_of_submanifold_is_centred() -> None:
    sites = np.array([[0, 2, 2, 2], [0, 2, 2, 4]], np.int32)
    result = detops.get_indice_pairs(sites, 1, (5, 5, 5), 3, dilation=2, submanifold=True)
    assert result.indice_num[13] == 2 and result.indice_num.sum() == 4


def test_nothing_is_reached() -> None:
    sites = np.array([[0, 1]], np.int32)
    result = detops.get_indice_pairs(sites, 1, (2,), 1, stride=2)
    assert result.num_act_out == 0 and result.out_indices.shape == (0, 2)
    assert result.indice_num.tolist() == [0] and (result.indice_pairs == -1).all()


def test_out() -> None:
    sites = np.array([[0, 0], [0, 3]], np.int32)
    expected = detops.get_indice_pairs(sites, 1, (4,), 3, padding=1)
    room = (np.empty((4, 2), np.int32), np.empty((3, 2, 2), np.int32), np.empty(3, np.int32))
    result = detops.get_indice_pairs(sites, 1, (4,), 3, padding=1, out=room)
    assert result.out_indices is room[0] and result.indice_pairs is room[1]
    assert result.indice_num is room[2] and result.num_act_out == 4
    np.testing.assert_array_equal(room[1], expected.indice_pairs)
    few = (np.empty((2, 2), np.int32), None, None)
    with pytest.raises(ValueError, match=r"out_indices has extent 2 .* expected at least 4"):
        detops.get_indice_pairs(sites, 1, (4,), 3, padding=1, out=few)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"indices": np.array([[0, 9]], np.int32)}, ValueError, r"indices\[0, 1\] is 9"),
        ({"indices": np.array([[3, 1]], np.int32)}, ValueError, r"indices\[0, 0\] is 3"),
        (
            {"indices": np.array([[0.0, 1.0]])},
            TypeError,
            "indices has type float64, expected int32",
        ),
        ({"indices": np.array([[0, 2**40]])}, ValueError, r"indices has 1099511627776 at \[0, 1\]"),
        ({"indices": np.array([[0, 1, 1]], np.int32)}, ValueError, "indices"),
        ({"spatial_shape": ()}, ValueError, "spatial_shape has 0 numbers, expected 1 to 4"),
        ({"spatial_shape": 4}, TypeError, "spatial_shape is not a sequence"),
        ({"kernel_size": (3, 3)}, ValueError, "kernel_size has 2 numbers, expected one or 1"),
        ({"kernel_size": 1.5}, TypeError, "kernel_size"),
        ({"kernel_size": 6}, ValueError, "output_shape would be 0 on axis 0"),
        ({"stride": 0}, ValueError, "get_indice_pairs: stride has 0, expected 1 or more"),
        ({"kernel_size": 0}, ValueError, "kernel_size has 0, expected 1 or more"),
        ({"dilation": -1}, ValueError, "dilation has -1, expected 1 or more"),
        ({"stride": 0, "output_shape": 4}, ValueError, "stride"),
        ({"padding": -1, "kernel_size": 1}, ValueError, r"pad\[0\] is -1"),
        ({"batch_size": 0}, ValueError, "batch"),
        ({"submanifold": True, "transposed": True}, ValueError, "transpose"),
        ({"submanifold": True, "stride": 2}, ValueError, "stride"),
        ({"batch_size": 2**30, "spatial_shape": (2**31 - 1,) * 3}, NotImplementedError, "sites"),
    ],
)
def test_errors(change: dict[str, Any], kind: type[Exception], message: str) -> None:
    arguments: dict[str, Any] = {
        "indices": np.array([[0, 1]], np.int32),
        "batch_size": 1,
        "spatial_shape": (4,),
        "kernel_size": 3,
    }
    arguments.update(change)
    if kind is NotImplementedError:
        arguments["indices"] = np.zeros((1, 4), np.int32)
    with pytest.raises(kind, match=message):
        detops.get_indice_pairs(**arguments)
