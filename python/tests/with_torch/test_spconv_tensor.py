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
    ({"spatial_shape": [4, 4]}, r"indices has 4 columns, expected 3 for spatial_shape \[4, 4\]"),
    ({"spatial_shape": [4] * 4}, r"expected 5 for.*for each axis. Is the column of the batch miss"),
    ({"features": np.ones((3, 5))}, "features is an array of NumPy, expected a tensor"),
    ({"indices": np.ones((3, 4), int)}, r"indices is an array of NumPy.*torch.from_numpy\(ind"),
    ({"indices": [[0, 0, 0, 0]]}, "indices is a list, expected a tensor"),
    ({"features": torch.ones(3, 5, device="meta")}, "features is on meta, indices is on cpu"),
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


@pytest.mark.parametrize("use", [
    lambda x: x.dense(),
    lambda x: spconv.functional.sparse_add(x, some_tensor(3)),
    lambda x: spconv.functional.sparse_add(some_tensor(3), x),
    lambda x: spconv.functional.sparse_add(x),
    lambda x: spconv.SubMConv3d(3, 3, 3).double()(x),
    lambda x: spconv.SubMConv3d(3, 3, 1).double()(x),
    lambda x: spconv.SparseConv3d(3, 3, 1).double()(x),
    lambda x: spconv.SparseConv3d(3, 3, 3, 2, 1).double()(x),
    lambda x: spconv.SparseMaxPool3d(2)(x),
    lambda x: spconv.SparseGlobalMaxPool()(x),
    lambda x: spconv.SparseGlobalAvgPool()(x),
    lambda x: spconv.tables.AddTableMisaligned()([x, x]),
], ids=[
    "dense", "add", "add to", "add alone", "submanifold", "one offset", "one offset, regular",
    "regular", "pool", "global maximum", "global average", "misaligned",
])
@pytest.mark.parametrize(("row", "column", "value"), [(2, 0, 2), (4, 0, -1), (1, 3, 7), (0, 1, -1)])
def test_sites_outside_are_refused(use: Any, row: int, column: int, value: int) -> None:
    x = some_tensor(3)
    x.indices[row, column] = value
    with pytest.raises(ValueError, match=rf"indices\[{row}, {column}\] is {value}, expected"):
        use(x)


def test_sites_that_int32_does_not_hold() -> None:
    sites = torch.tensor([[0, 1, 1, 1], [0, 1, 2**32 + 1, 1]])
    with pytest.raises(ValueError, match=r"indices\[1, 2\] is 4294967297, expected"):
        spconv.SparseConvTensor(torch.ones(2, 3), sites, [4, 4, 4], 1)


@pytest.mark.parametrize("threads", [1, 2])
def test_dense_of_equal_sites(threads: int) -> None:
    """The last row counts, and it alone has a gradient."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        random = torch.Generator().manual_seed(3)
        sites = torch.randint(4, (20_000, 4), generator=random).int()  # 256 cells
        sites[:, 0] %= 2
        features = torch.randn(len(sites), 2, generator=random).requires_grad_()
        made = spconv.SparseConvTensor(features, sites, [4] * 3, 2).dense(channels_first=False)
    finally:
        torch.set_num_threads(before)
    last = {tuple(site): row for row, site in enumerate(sites.tolist())}
    expected, counts = torch.zeros(2, 4, 4, 4, 2), torch.zeros(len(sites))
    for site, row in last.items():
        expected[site] = features[row].detach()
        counts[row] = 1
    assert len(last) == 128 and torch.equal(made, expected)
    made.sum().backward()
    assert torch.equal(features.grad, counts[:, None].expand(-1, 2))
    found = spconv.scatter_nd(torch.tensor([[[1], [0]], [[1], [2]]]), torch.arange(4.0).view(2, 2), [4])
    assert found.tolist() == [1, 2, 3, 0]
    with pytest.raises(ValueError, match=r"indices\[1, 0\] is 4, expected a number in \[0, 4\)"):
        spconv.scatter_nd(torch.tensor([[0], [4]]), torch.ones(2), [4])


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


def test_sum_needs_the_same_sites() -> None:
    """As AddTable: rows of other sites in the same number would be added as they come."""
    x = some_tensor(3)
    same = spconv.SparseConvTensor(x.features, x.indices.clone(), x.spatial_shape, 2)
    assert torch.equal((x + same).features, 2 * x.features)
    other = spconv.SparseConvTensor(x.features, x.indices.flip(0), x.spatial_shape, 2)
    fewer = x.select_by_index(torch.arange(1))  # torch would add its row to all
    wider = spconv.SparseConvTensor(x.features, x.indices, [8, 7, 7], 2)
    for y, message in (
        (other, "other sites than the first; AddTableMisaligned, or functional.sparse_add, adds"),
        (fewer, f"1 sites, expected {len(x.indices)}"),
        (wider, r"spatial_shape \[8, 7, 7\], expected \[7, 7, 7\]"),
    ):
        with pytest.raises(ValueError, match=rf"\+: a tensor has {message}"):
            x + y
        with pytest.raises(ValueError, match=rf"\+: a tensor has {message}"):
            x += y


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
    with pytest.raises(ValueError, match="no tensors"):
        spconv.functional.sparse_add()
    twice = spconv.SparseConvTensor(torch.tensor([[1.0], [2.0]]), torch.zeros(2, 2).int(), [3], 1)
    alone = spconv.functional.sparse_add(twice)
    assert alone.features.tolist() == [[3.0]] and alone.indices.tolist() == [[0, 0]]


@pytest.mark.parametrize("add", [
    spconv.functional.sparse_add,
    spconv.functional.sparse_add_hash_based,
    lambda *tens: spconv.tables.AddTableMisaligned()(tens),
], ids=["sparse_add", "hash", "table"])
def test_sum_keeps_pairs_of_its_sites(add: Any) -> None:
    """Where one of the tensors has all sites an inverse convolution can follow."""
    x = some_tensor(3)
    down = spconv.SparseConv3d(3, 4, 3, 2, 1, indice_key="d").double()(x)
    some = down.select_by_index(torch.arange(0, len(down.indices), 2))
    back = spconv.SparseInverseConv3d(4, 3, 3, "d").double()
    total = add(some, down)
    assert torch.equal(total.indices, down.indices)
    expected = down.features.clone()
    expected[::2] += some.features
    torch.testing.assert_close(total.features, expected)
    found = back(total)
    assert found.indices is x.indices
    torch.testing.assert_close(found.features, back(down.replace_feature(expected)).features)
    # Other sites than those of any of them.
    other = some_tensor(3, 4, 4)
    assert not torch.equal(add(some, other).indices, other.indices)
    with pytest.raises(ValueError, match="indice_key 'd' is not stored"):
        back(add(some, other))


def test_sum_of_rows_in_another_order() -> None:
    """Pairs of those rows are not true of the sum; those of earlier sites are."""
    x = some_tensor(3)  # its rows are not in order
    layer = spconv.SubMConv3d(3, 3, 3, indice_key="a").double()
    y = layer(x)
    down = spconv.SparseConv3d(3, 3, 2, 2, indice_key="d").double()(y)
    total = spconv.functional.sparse_add(y, y.select_by_index(torch.arange(3)))
    assert not torch.equal(total.indices, y.indices) and total.indice_dict == {}
    fresh = spconv.SparseConvTensor(total.features, total.indices.clone(), total.spatial_shape, 2)
    torch.testing.assert_close(layer(total).features, layer(fresh).features)
    flipped = down.select_by_index(torch.arange(len(down.indices) - 1, -1, -1))
    flipped.indice_dict = down.indice_dict
    again = spconv.functional.sparse_add(flipped, flipped)
    assert set(again.indice_dict) == {"a", "d"}  # in order again


def test_sum_of_tensors_of_mmcv() -> None:
    import detops.mmcv as mmcv

    x = some_tensor(3)
    y = mmcv.SparseConvTensor(x.features, x.indices, x.spatial_shape, 2)
    total = spconv.functional.sparse_add(y, y)
    total.features = total.features / 2
    assert torch.equal(total.dense(), x.dense()) and type(total) is mmcv.SparseConvTensor
