"""The sparse convolutions against the reference, and the gradients as adjoints."""

from __future__ import annotations

from typing import Any

import detops
import numpy as np
import pytest
from detops._types import Activation, FiltersLayout
from hypothesis import given
from hypothesis import strategies as st
from reference import NAMED_LAYOUTS, Array, convolution

LAYOUTS: list[FiltersLayout] = ["KIO", "OKI", "OIK"]


def arrange(filters: Array, layout: str) -> Array:
    """From (kernel..., Ci, Co)."""
    kernel = tuple(range(filters.ndim - 2))
    into, out = filters.ndim - 2, filters.ndim - 1
    order = {"KIO": (*kernel, into, out), "OKI": (out, *kernel, into), "OIK": (out, into, *kernel)}
    return np.ascontiguousarray(filters.transpose(order[layout]))


class Problem:
    """A convolution of random sites."""

    def __init__(self, seed: int, ndim: int, submanifold: bool = False) -> None:
        random = np.random.default_rng(seed)
        shape, kernel = (5,) * ndim, tuple(int(k) for k in random.integers(1, 4, size=ndim))
        sites = np.unique(random.integers(0, 5, size=(25, ndim)), axis=0)
        sites = np.concatenate([np.zeros((len(sites), 1), int), sites], axis=1)
        self.book = detops.get_indice_pairs(
            sites, 1, shape, kernel, padding=[k // 2 for k in kernel], submanifold=submanifold
        )
        self.kernel = kernel
        self.into, self.out = (int(c) for c in random.integers(1, 9, size=2))
        self.features = random.normal(size=(len(sites), self.into))
        self.filters = random.normal(size=(*kernel, self.into, self.out))
        self.rows = self.book.num_act_out
        self.gradient = random.normal(size=(self.rows, self.out))

    def reference(self) -> Array:
        return convolution(
            self.features,
            self.filters.reshape(-1, self.into, self.out),
            self.book.indice_pairs,
            self.book.indice_num,
            self.rows,
        )

    @property
    def pairs(self) -> tuple[Array, Array]:
        return self.book.indice_pairs, self.book.indice_num


seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 4), st.sampled_from(LAYOUTS), st.booleans())
def test_forward(seed: int, ndim: int, layout: FiltersLayout, submanifold: bool) -> None:
    p = Problem(seed, ndim, submanifold)
    result = detops.indice_convolution_forward(
        p.features, arrange(p.filters, layout), *p.pairs, p.rows, filters_layout=layout
    )
    np.testing.assert_allclose(result, p.reference(), rtol=1e-11, atol=1e-12)


@given(seeds, st.integers(1, 4), st.sampled_from(LAYOUTS))
def test_gradients_are_adjoints(seed: int, ndim: int, layout: FiltersLayout) -> None:
    p = Problem(seed, ndim)
    filters = arrange(p.filters, layout)
    product = np.vdot(p.reference(), p.gradient)
    data = detops.indice_convolution_backward_data(
        p.gradient, filters, *p.pairs, filters_layout=layout
    )
    assert data.shape == p.features.shape
    assert np.vdot(p.features, data) == pytest.approx(product, rel=1e-9, abs=1e-9)
    weights = detops.indice_convolution_backward_filter(
        p.features, p.gradient, *p.pairs, filters.shape, filters_layout=layout
    )
    assert weights.shape == filters.shape
    assert np.vdot(filters, weights) == pytest.approx(product, rel=1e-9, abs=1e-9)


@given(seeds, st.integers(1, 3))
def test_inverse_runs_back(seed: int, ndim: int) -> None:
    p = Problem(seed, ndim)
    pairs, counts = p.pairs
    swapped = np.ascontiguousarray(pairs[:, ::-1])
    back = detops.indice_convolution_forward(
        p.gradient, p.filters.swapaxes(-1, -2), pairs, counts, inverse=True
    )
    matrices = p.filters.swapaxes(-1, -2).reshape(-1, p.out, p.into)
    expected = convolution(p.gradient, matrices, swapped, counts, len(p.features))
    np.testing.assert_allclose(back, expected, rtol=1e-11, atol=1e-12)
    product = np.vdot(back, p.features)
    data = detops.indice_convolution_backward_data(
        p.features, p.filters.swapaxes(-1, -2), pairs, counts, p.rows, inverse=True
    )
    assert np.vdot(p.gradient, data) == pytest.approx(product, rel=1e-9, abs=1e-9)
    weights = detops.indice_convolution_backward_filter(
        p.gradient, p.features, pairs, counts, (*p.kernel, p.out, p.into), inverse=True
    )
    assert np.vdot(p.filters.swapaxes(-1, -2), weights) == pytest.approx(
        product, rel=1e-9, abs=1e-9
    )


@pytest.mark.parametrize("activation", ["none", "relu", "leaky_relu"])
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("has_residual", [False, True])
def test_fused(activation: Activation, has_bias: bool, has_residual: bool) -> None:
    p = Problem(17, 3)
    bias = np.linspace(-1, 1, p.out) if has_bias else None
    residual = p.gradient if has_residual else None
    result = detops.indice_convolution_forward_fused(
        p.features,
        p.filters,
        *p.pairs,
        p.rows,
        bias=bias,
        residual=residual,
        activation=activation,
        negative_slope=0.25,
    )
    expected = p.reference()
    expected += 0 if bias is None else bias
    expected += 0 if residual is None else residual
    slope = {"none": 1.0, "relu": 0.0, "leaky_relu": 0.25}[activation]
    expected = np.where(expected < 0, slope * expected, expected)
    np.testing.assert_allclose(result, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("dtype", "limit"), [("float16", 3e-3), ("float32", 1e-5)])
def test_narrow_types(dtype: str, limit: float) -> None:
    p = Problem(23, 3)
    p.features, p.filters = p.features.astype(dtype), p.filters.astype(dtype)
    result = detops.indice_convolution_forward(p.features, p.filters, *p.pairs, p.rows)
    assert result.dtype == dtype
    expected = p.reference()
    assert np.abs(result - expected).sum() / np.abs(expected).sum() < limit


@pytest.mark.parametrize(("name", "shape", "same"), NAMED_LAYOUTS)
def test_names_of_the_library(
    name: FiltersLayout, shape: tuple[int, ...], same: FiltersLayout
) -> None:
    random = np.random.default_rng(1)
    features, filters = random.normal(size=(7, 4)), random.normal(size=shape)
    pairs = random.integers(0, 7, size=(6, 2, 7))
    counts = list(range(6))
    first, second = (
        detops.indice_convolution_forward(
            features, filters, pairs, counts, 7, filters_layout=layout
        )
        for layout in (name, same)
    )
    np.testing.assert_array_equal(first, second)
    with pytest.raises(ValueError, match="filters has rank 3, which filters_layout does not fit"):
        detops.indice_convolution_forward(
            features, filters.reshape(6, 4, 5), pairs, counts, 7, filters_layout=name
        )


def test_empty_inputs() -> None:
    pairs, counts = np.empty((3, 2, 0), np.int32), np.zeros(3, np.int32)
    features, filters = np.zeros((0, 2)), np.ones((3, 2, 4))
    assert not detops.indice_convolution_forward(features, filters, pairs, counts, 5).any()
    assert detops.indice_convolution_forward(features, filters, pairs, counts, 0).shape == (0, 4)
    fused = detops.indice_convolution_forward_fused(
        features, filters, pairs, counts, 5, bias=np.arange(4.0)
    )
    np.testing.assert_array_equal(fused, np.tile(np.arange(4.0), (5, 1)))
    data = detops.indice_convolution_backward_data(np.zeros((0, 4)), filters, pairs, counts)
    assert data.shape == (0, 2)
    weights = detops.indice_convolution_backward_filter(
        features, np.zeros((0, 4)), pairs, counts, (3, 2, 4)
    )
    assert weights.shape == (3, 2, 4) and not weights.any()


def test_rows_of_out() -> None:
    p = Problem(2, 2)
    out = np.empty((p.rows, p.out))
    result = detops.indice_convolution_forward(p.features, p.filters, *p.pairs, out=out)
    assert result is out
    np.testing.assert_allclose(out, p.reference(), rtol=1e-11, atol=1e-12)
    with pytest.raises(TypeError, match="num_act_out is needed"):
        detops.indice_convolution_forward(p.features, p.filters, *p.pairs)
    with pytest.raises(TypeError, match="num_act_in is needed"):
        detops.indice_convolution_backward_data(p.features, p.filters, *p.pairs, inverse=True)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"indice_num": [1, 2]}, ValueError, "indice_num has 2 numbers, expected K = 1"),
        ({"indice_num": [5]}, ValueError, "indice_num"),
        ({"indice_num": np.array([1.0])}, TypeError, "indice_num has type float64"),
        ({"indice_num": [1.5]}, TypeError, "indice_num holds a float, expected int"),
        ({"indice_pairs": np.zeros((1, 2, 2))}, TypeError, "indice_pairs has type float64"),
        ({"indice_pairs": np.zeros((2, 2), int)}, ValueError, r"indice_pairs has shape \(2, 2\)"),
        ({"indice_pairs": np.full((1, 2, 2), 7)}, ValueError, r"indice_pairs\[0, 0, 0\] is 7"),
        ({"filters": np.zeros((1, 4, 1))}, ValueError, "filters|features"),
        ({"filters": np.zeros(3)}, ValueError, "filters has rank 1"),
        ({"filters_layout": "ABC"}, ValueError, "filters_layout is 'ABC', expected one of 'KIO'"),
        ({"num_act_out": -1}, ValueError, "num_act_out is -1, expected 0"),
        ({"activation": "tanh"}, ValueError, "activation is 'tanh'"),
        ({"bias": np.zeros(3)}, ValueError, "bias"),
        ({"bias": np.zeros(1, np.float32)}, TypeError, "bias has type float32, expected float64"),
    ],
)
def test_errors(change: dict[str, Any], kind: type[Exception], message: str) -> None:
    arguments: dict[str, Any] = {
        "features": np.zeros((2, 1)),
        "filters": np.zeros((1, 1, 1)),
        "indice_pairs": np.zeros((1, 2, 2), np.int32),
        "indice_num": [2],
        "num_act_out": 2,
    }
    with pytest.raises(kind, match=message):
        detops.indice_convolution_forward_fused(**{**arguments, **change})
