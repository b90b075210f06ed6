"""What tests of sparse networks take from ``spconv.test_utils``."""

from __future__ import annotations

import itertools
import unittest
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["TestCase", "generate_sparse_data", "params_grid"]


class TestCase(unittest.TestCase):
    """Assertions on arrays, and what can be made one."""

    def assertAllEqual(self, a: Any, b: Any) -> None:
        """Equal shapes and numbers; NaN equals NaN."""
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str = ""
    ) -> None:
        """Equal shapes and close numbers, ``b`` being the measure; or two dictionaries of such."""
        if isinstance(a, dict) != isinstance(b, dict):
            raise ValueError(f"a is a {type(a).__name__} and b a {type(b).__name__}. {msg}")
        if isinstance(a, dict):
            self.assertEqual(set(a), set(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, f"{key}: {msg}")
            return
        a, b = np.asarray(a), np.asarray(b)
        self.assertEqual(a.shape, b.shape, msg)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=msg)


def params_grid(*params: Sequence[Any]) -> list[list[Any]]:
    """All choices of one of each, the last changing first.

    Examples
    --------
    >>> from detops.spconv.test_utils import params_grid
    >>> params_grid([1, 2], "ab")
    [[1, 'a'], [1, 'b'], [2, 'a'], [2, 'b']]
    """
    return [list(choice) for choice in itertools.product(*params)]


def generate_sparse_data(
    shape: Sequence[int],
    num_points: Sequence[int],
    num_channels: int,
    integer: bool = False,
    data_range: tuple[float, float] = (-1, 1),
    with_dense: bool = True,
    dtype: Any = np.float32,
    shape_scale: int = 1,
) -> dict[str, Any]:
    """Random features at random sites, of NumPy's global generator.

    Parameters
    ----------
    shape : the space
    num_points : how many sites each sample has
    shape_scale : coordinates are multiples of it

    Returns
    -------
    dict
        ``features`` (N, C), ``indices`` (N, D + 1) int32, which are coordinates with the sample
        **behind** them, and with ``with_dense`` ``features_dense`` (samples, C, space...).

    Examples
    --------
    >>> from detops.spconv.test_utils import generate_sparse_data
    >>> made = generate_sparse_data([4, 5], [3, 2], 7)
    >>> made["features"].shape, made["indices"].shape, made["features_dense"].shape
    ((5, 7), (5, 3), (2, 7, 4, 5))
    """
    axes = [np.arange(extent // shape_scale) * shape_scale for extent in shape]
    cells = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, len(shape))
    parts = []
    for sample, count in enumerate(num_points):
        np.random.shuffle(cells)
        chosen = cells[:count]
        parts.append(np.column_stack([chosen, np.full(len(chosen), sample)]))
    indices = np.concatenate(parts).astype(np.int32)
    size = (len(indices), num_channels)
    low, high = data_range
    if integer:
        features = np.random.randint(int(low), int(high), size).astype(dtype)
    else:
        features = np.random.uniform(low, high, size).astype(dtype)
    made = {"features": features, "indices": indices}
    if with_dense:
        dense = np.zeros((len(num_points), num_channels, *shape), dtype)
        dense[(indices[:, -1], slice(None), *indices[:, :-1].T)] = features
        made["features_dense"] = dense
    return made
