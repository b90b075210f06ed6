"""sort_sites against NumPy's lexsort."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import detops


@pytest.mark.parametrize("columns", [2, 3, 4, 5])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_against_lexsort(columns: int, kind: Any) -> None:
    random = np.random.default_rng(columns)
    sites = random.integers(-2, 4, (500, columns), dtype=kind)
    indices, order = detops.sort_sites(sites)
    expected = np.lexsort(sites.T[::-1])  # It keeps the order of equal ones, too.
    assert indices.dtype == order.dtype == np.int32
    np.testing.assert_array_equal(order, expected)
    np.testing.assert_array_equal(indices, sites[expected])


def test_results_in_memory_of_the_caller() -> None:
    sites = np.array([[1, 0], [0, 7], [0, -3]], np.int32)
    out = np.empty((3, 2), np.int32), np.empty(3, np.int32)
    made = detops.sort_sites(sites, out=out)
    assert made.indices is out[0] and made.order is out[1]
    assert out[0].tolist() == [[0, -3], [0, 7], [1, 0]] and out[1].tolist() == [2, 1, 0]


def test_few_sites_and_errors() -> None:
    assert detops.sort_sites(np.empty((0, 4), np.int32)).order.shape == (0,)
    assert detops.sort_sites(np.array([[3, 4]])).indices.tolist() == [[3, 4]]
    with pytest.raises(ValueError, match=r"indices has extent 1 on axis 1, expected 2 to 5"):
        detops.sort_sites(np.zeros((3, 1), np.int32))
    with pytest.raises(ValueError, match=r"indices has rank 1, expected 2"):
        detops.sort_sites(np.zeros(3, np.int32))
    with pytest.raises(TypeError, match=r"indices"):
        detops.sort_sites(np.zeros((3, 2), np.float32))
