"""Pooling layers of detops.spconv."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from detops import spconv  # noqa: E402

from test_spconv_layers import at_sites, dense_functions, some_tensor  # noqa: E402

DENSE_MAX, DENSE_SUM = dense_functions("max_pool"), dense_functions("avg_pool")


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize(("kernel", "stride", "padding"), [(2, None, 0), (3, 2, 1), (3, 1, 0)])
def test_maximum(ndim: int, kernel: int, stride: int | None, padding: int) -> None:
    x = some_tensor(ndim)
    y = getattr(spconv, f"SparseMaxPool{ndim}d")(kernel, stride, padding)(x)
    # From zero: cells without a site do not count, and neither do negative numbers.
    dense = DENSE_MAX[ndim](x.dense().clamp(min=0), kernel, stride, padding)
    assert y.spatial_shape == list(dense.shape[2:])
    torch.testing.assert_close(y.features, at_sites(dense, y.indices))


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_maximum_from_the_lowest(ndim: int) -> None:
    x = some_tensor(ndim)
    y = getattr(spconv, f"SparseMaxPool{ndim}d")(3, 2, 1, start="lowest")(x)
    dense = x.dense()
    dense = torch.where((dense != 0).any(1, keepdim=True), dense, -torch.inf)
    expected = DENSE_MAX[ndim](dense, 3, 2, 1)
    torch.testing.assert_close(y.features, at_sites(expected, y.indices))
    assert bool((y.features < 0).any())


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_average_of_the_sites_there_are(ndim: int) -> None:
    x = some_tensor(ndim)
    y = getattr(spconv, f"SparseAvgPool{ndim}d")(3, 2, 1)(x)
    mask = (x.dense() != 0).any(1, keepdim=True).double()
    sums, counts = (DENSE_SUM[ndim](t, 3, 2, 1) for t in (x.dense(), mask))
    torch.testing.assert_close(y.features, at_sites(sums / counts, y.indices))


@pytest.mark.parametrize("kind", ["SparseMaxPool2d", "SparseAvgPool2d"])
def test_gradients(kind: str) -> None:
    x, layer = some_tensor(2), getattr(spconv, kind)(3, 2, 1)

    def run(features: Any) -> Any:
        return layer(x.replace_feature(features)).features

    features = (x.features.abs() + 0.1).requires_grad_()  # away from the jump at 0
    assert torch.autograd.gradcheck(run, [features])


def test_inverse_after_pooling() -> None:
    x = some_tensor(3)
    y = spconv.SparseMaxPool3d(2, indice_key="p")(x)
    z = spconv.SparseInverseConv3d(3, 4, 2, "p").double()(y)
    assert z.indices is x.indices and z.features.shape == (len(x.indices), 4)
    assert spconv.SparseMaxPool4d(2)(some_tensor(4, extent=4)).spatial_shape == [2] * 4


def test_global_pooling() -> None:
    x = some_tensor(3)
    x = x.select_by_index(x.indices[:, 0] == 1)  # nothing in sample 0
    most, mean = spconv.SparseGlobalMaxPool()(x), spconv.SparseGlobalAvgPool()(x)
    torch.testing.assert_close(most[1], x.features.amax(0))
    torch.testing.assert_close(mean[1], x.features.mean(0))
    assert most.shape == (2, 3) and not most[0].any() and not mean[0].any()


def test_gradient_of_equal_maxima() -> None:
    """One of them gets all of it, as in spconv."""
    x = some_tensor(3)
    features = torch.ones_like(x.features).requires_grad_()
    spconv.SparseGlobalMaxPool()(x.replace_feature(features)).sum().backward()
    per_sample = [features.grad[x.indices[:, 0] == sample] for sample in (0, 1)]
    for rows in per_sample:
        assert len(rows) > 1 and rows.sum(0).tolist() == rows.amax(0).tolist() == [1.0] * 3
