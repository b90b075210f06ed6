"""Pooling layers and PointToVoxel of detops.spconv."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from detops import spconv  # noqa: E402

from test_spconv_layers import at_sites, some_tensor  # noqa: E402

DENSE_MAX: dict[int, Any] = {
    1: torch.nn.functional.max_pool1d,
    2: torch.nn.functional.max_pool2d,
    3: torch.nn.functional.max_pool3d,
}
DENSE_SUM: dict[int, Any] = {
    1: torch.nn.functional.avg_pool1d,
    2: torch.nn.functional.avg_pool2d,
    3: torch.nn.functional.avg_pool3d,
}


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


def by_hand(points: Any, size: float, low: float, cells: int, most: int, room: int) -> Any:
    """Voxels in the order of their first points: lists of points, and of each point's voxel."""
    places: dict[tuple[int, ...], int] = {}
    lists: list[list[Any]] = []
    of_point = []
    for point in points:
        cell = tuple(int(((c - low) / size).floor()) for c in point[:3])
        if any(not 0 <= c < cells for c in cell):
            of_point.append(-1)
            continue
        if cell not in places and len(lists) < most:
            places[cell] = len(lists)
            lists.append([])
        of_point.append(places.get(cell, -1))
        if cell in places and len(lists[places[cell]]) < room:
            lists[places[cell]].append(point)
    return list(places), lists, of_point


@pytest.mark.parametrize("empty_mean", [False, True])
def test_points_to_voxels(empty_mean: bool) -> None:
    random = torch.Generator().manual_seed(3)
    points = torch.rand(400, 4, generator=random) * 10 - 1
    make = spconv.utils.PointToVoxel([2.0] * 3, [0.0] * 3 + [8.0] * 3, 4, 30, 5)
    voxels, indices, counts, of_point = make.generate_voxel_with_id(points, empty_mean=empty_mean)
    cells, lists, expected = by_hand(points, 2.0, 0.0, 4, 30, 5)
    assert make.grid_size == [4, 4, 4]
    assert indices.tolist() == [list(cell)[::-1] for cell in cells]
    assert counts.tolist() == [len(found) for found in lists] and of_point.tolist() == expected
    for voxel, found in zip(voxels, lists, strict=True):
        rows = torch.stack(found)
        assert torch.equal(voxel[: len(found)], rows)
        rest = rows.mean(0) if empty_mean else torch.zeros(4)
        torch.testing.assert_close(voxel[len(found) :], rest.expand(5 - len(found), 4))
    gathered = spconv.utils.gather_features_by_pc_voxel_id(voxels[:, 0], of_point, -7)
    assert torch.equal(gathered[of_point < 0], torch.full((expected.count(-1), 4), -7.0))


def test_points_straight_into_a_network() -> None:
    points = torch.rand(300, 4) * 8
    begins = torch.tensor([0, 100, 100, 300])
    from detops import torch as ops

    made = ops.point_to_voxel(
        points, (1.0,) * 3, (0.0,) * 3, (8,) * 3, cloud_begins=begins, order="ascending",
        voxels=False, means=True,
    )
    x = spconv.SparseConvTensor(made.means, made.coordinates, [8, 8, 8], 3)
    y = spconv.SparseConv3d(4, 8, 3, 2, 1)(x)
    assert set(y.indices[:, 0].tolist()) == {0, 2}
    rows = made.coordinates.tolist()
    assert rows == sorted(rows)
