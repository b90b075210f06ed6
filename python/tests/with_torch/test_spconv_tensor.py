"""SparseConvTensor and functions on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from detops import spconv  # noqa: E402

from test_spconv_layers import some_tensor  # noqa: E402


def test_space_may_be_a_numpy_array() -> None:
    x = some_tensor(3)
    space = np.array(x.spatial_shape) + [1, 0, 0]
    y = spconv.SparseConvTensor(
        features=x.features, indices=x.indices, spatial_shape=space, batch_size=np.int64(2)
    )
    assert y.spatial_shape == [8, 7, 7] and y.spatial_size == 392
    assert spconv.SparseConv3d(3, 4, 3, 2, 1).double()(y).spatial_shape == [4, 4, 4]


@pytest.mark.parametrize(("changes", "message"), [
    ({"features": torch.ones(3)}, "features has rank 1"),
    ({"indices": torch.ones(3, dtype=torch.int32)}, "indices has rank 1"),
    ({"indices": torch.ones(3, 4)}, "indices has type torch.float32"),
    ({"spatial_shape": [4, 4]}, "spatial_shape has 2 numbers, expected 3"),
    ({"batch_size": 0}, "batch_size is 0"),
    ({"features": torch.ones(2, 5)}, "features has 2 rows and indices 3"),
])
def test_wrong_arguments(changes: dict[str, Any], message: str) -> None:
    right = {
        "features": torch.ones(3, 5),
        "indices": torch.zeros((3, 4), dtype=torch.int32),
        "spatial_shape": [4, 4, 4],
        "batch_size": 1,
    }
    spconv.SparseConvTensor(**right)
    with pytest.raises(ValueError, match=message):
        spconv.SparseConvTensor(**{**right, **changes})


def test_dense_and_back() -> None:
    x = some_tensor(3)
    last = x.dense(channels_first=False)
    assert torch.equal(last.permute(0, 4, 1, 2, 3), x.dense())
    assert int((last != 0).any(-1).sum()) == len(x.indices)
    for row in (0, 5):
        assert torch.equal(last[tuple(x.indices[row].long())], x.features[row])
    y = spconv.SparseConvTensor.from_dense(last)
    assert torch.equal(y.dense(), x.dense()) and y.batch_size == 2 and y.spatial_shape == [7, 7, 7]
    features = x.features.clone().requires_grad_()
    x.replace_feature(features).dense().sum().backward()
    assert torch.equal(features.grad, torch.ones_like(features))


@pytest.mark.parametrize(("row", "column", "value"), [(2, 0, 2), (1, 3, 7), (0, 1, -1)])
def test_dense_refuses_sites_outside(row: int, column: int, value: int) -> None:
    x = some_tensor(3)
    x.indices[row, column] = value
    with pytest.raises(ValueError, match=rf"indices\[{row}, {column}\] is {value}, expected"):
        x.dense()


def test_features_are_replaced_not_set() -> None:
    x = some_tensor(3)
    with pytest.raises(ValueError, match="replace_feature"):
        x.features = x.features
    y = x.replace_feature(x.features * 2)
    assert y.indices is x.indices and torch.equal(y.features, 2 * x.features)
    with pytest.raises(ValueError, match="feature has rank 1"):
        x.replace_feature(x.features[:, 0])
    assert torch.equal((x + y).features, 3 * x.features)
    assert torch.equal((x + x.features).features, 2 * x.features)
    assert torch.equal(x.minus().features, -x.features)
    assert repr(x).startswith("SparseConvTensor[")


def test_sites_may_follow_the_features() -> None:
    """VoxelNeXt and Focals Conv replace the features first and set the sites then."""
    x = some_tensor(3)
    more = x.select_by_index(torch.tensor([3, 1]))
    more.indices[:, 1:] = torch.tensor([[0, 0, 6], [6, 0, 0]])
    y = x.replace_feature(torch.cat([x.features, more.features]))
    y.indices = torch.cat([x.indices, more.indices])
    whole = spconv.SparseConvTensor(y.features, y.indices, x.spatial_shape, 2)
    layer = spconv.SparseConv3d(3, 4, 3, 2, 1).double()
    assert torch.equal(layer(y).features, layer(whole).features)
    assert torch.equal(y.dense(), whole.dense())


@pytest.mark.parametrize("use", [
    lambda x: x.dense(),
    lambda x: x.select_by_index(torch.arange(2)),
    lambda x: spconv.functional.sparse_add(x, x),
    lambda x: spconv.SubMConv3d(3, 3, 3).double()(x),
    lambda x: spconv.SubMConv3d(3, 3, 1).double()(x),
    lambda x: spconv.SparseMaxPool3d(2)(x),
    lambda x: spconv.SparseGlobalMaxPool()(x),
], ids=["dense", "select", "add", "submanifold", "one offset", "pool", "global pool"])
@pytest.mark.parametrize("rows", [5, 90])
def test_features_that_do_not_fit_the_sites(use: Any, rows: int) -> None:
    """Between the two steps nothing is computed from such a tensor."""
    x = some_tensor(3).replace_feature(torch.ones(rows, 3, dtype=torch.float64))
    with pytest.raises(ValueError, match=f"features has {rows} rows and indices"):
        use(x)


def test_selection_forgets_pairs() -> None:
    x = spconv.SubMConv3d(3, 3, 3, indice_key="a").double()(some_tensor(3))
    some = x.select_by_index(torch.tensor([3, 1]))
    assert some.indice_dict == {} and torch.equal(some.indices, x.indices[[3, 1]])
    spconv.SubMConv3d(3, 3, 3, indice_key="a").double()(some)
    assert x.find_indice_pair("a") is not None and x.find_indice_pair(None) is None


def test_sum_of_different_sites() -> None:
    x = some_tensor(3)
    y = x.select_by_index(torch.arange(0, len(x.indices), 2))
    total = spconv.functional.sparse_add(x, y, x)
    torch.testing.assert_close(total.dense(), 2 * x.dense() + y.dense())
    keys = total.indices.tolist()
    assert keys == sorted(keys) and len(keys) == len(x.indices)
    with pytest.raises(ValueError, match="spatial_shape"):
        spconv.functional.sparse_add(x, spconv.SparseConvTensor(x.features, x.indices, [9] * 3, 2))
    with pytest.raises(ValueError, match="channels"):
        spconv.functional.sparse_add(x, x.replace_feature(x.features[:, :1]))
