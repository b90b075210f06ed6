"""Points to voxels in detops.spconv.utils: the classes of spconv 2 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from detops import spconv  # noqa: E402

utils: Any = spconv.utils


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
    make = utils.PointToVoxel([2.0] * 3, [0.0] * 3 + [8.0] * 3, 4, 30, 5)
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
    gathered = utils.gather_features_by_pc_voxel_id(voxels[:, 0], of_point, -7)
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


def some_points(count: int = 400, columns: int = 4) -> torch.Tensor:
    return torch.rand(count, columns, generator=torch.Generator().manual_seed(3)) * 10 - 1


@pytest.mark.parametrize(("high", "size", "cells"), [
    (2.5, 0.2, 13),  # 12.5, and 4.5 below: away from zero, not to the even number
    (4.5, 1.0, 5),
    (2.4, 0.2, 12),
    (70.4, 0.05, 1408),
])
def test_cells_of_a_range(high: float, size: float, cells: int) -> None:
    make = utils.PointToVoxel([size, 1.0], [0.0, 0.0, high, 3.0], 2, 10, 1)
    assert make.grid_size == [3, cells] and make.grid_stride == [cells, 1]
    assert make.vsize == [1.0, float(np.float32(size))] and make.device == torch.device("cpu")
    assert make.coors_range == [0.0, 0.0, 3.0, float(np.float32(high))]  # (y, x), then again
    points = torch.tensor([[(cells - 0.6) * size, 0.5]])
    assert make(points)[1].tolist() == [[0, cells - 1]]


def test_voxels_are_float() -> None:
    points = some_points().double()
    make = utils.PointToVoxel([2.0] * 3, [0.0] * 3 + [8.0] * 3, 4, 30, 5)
    voxels, indices, counts, ids = make.generate_voxel_with_id(points, empty_mean=True)
    types = (voxels.dtype, indices.dtype, counts.dtype, ids.dtype)
    assert types == (torch.float32, torch.int32, torch.int32, torch.int64)
    single = make(points.float(), empty_mean=True)
    torch.testing.assert_close((voxels, indices, counts), single)


@pytest.mark.parametrize(("changes", "message"), [
    ({"vsize_xyz": [1, 0, 1]}, r"vsize_xyz is \[1, 0, 1\], expected positive"),
    ({"vsize_xyz": [1, float("nan"), 1]}, "vsize_xyz is"),
    ({"coors_range_xyz": [0, 0, 0, 4, 4, 0.1]}, "coors_range_xyz is .* expected a voxel or more"),
    ({"coors_range_xyz": [0, 0, 0, 4, 4]}, "coors_range_xyz has 5 numbers, expected 6"),
    ({"device": "meta"}, "device is meta, expected the CPU"),
])
def test_wrong_grids(changes: dict[str, Any], message: str) -> None:
    right = {
        "vsize_xyz": [1, 1, 1],
        "coors_range_xyz": [0, 0, 0, 4, 4, 4],
        "num_point_features": 4,
        "max_num_voxels": 9,
        "max_num_points_per_voxel": 2,
    }
    utils.PointToVoxel(**right)
    with pytest.raises(ValueError, match=message):
        utils.PointToVoxel(**{**right, **changes})


@pytest.mark.parametrize("shape", [(), (4,), (2, 3)])
def test_gathering_of_any_rank(shape: tuple[int, ...]) -> None:
    """Labels (V,) as well as features (V, C)."""
    rows = torch.arange(3).reshape(3, *[1] * len(shape)).expand(3, *shape) + 5
    made = utils.gather_features_by_pc_voxel_id(rows, torch.tensor([2, -1, 0]), -7)
    assert made.dtype == rows.dtype and made.shape == (3, *shape)
    assert [int(row.flatten()[0]) for row in made] == [7, -7, 5]


GRID = ([0.5, 1.0, 2.0], [0.0, -1.0, 0.0, 8.0, 9.0, 8.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_generators_of_spconv_1(dtype: Any) -> None:
    """As OpenPCDet's data processor calls them: arrays of NumPy, arguments by name."""
    words = {"voxel_size": GRID[0], "point_cloud_range": np.array(GRID[1]), "max_num_points": 3}
    points = some_points().numpy().astype(dtype)
    make = utils.VoxelGeneratorV2(**words, max_voxels=40)
    made = make.generate(points)
    expected = utils.PointToVoxel(*GRID, 4, 40, 3)(torch.from_numpy(points))
    names = ("voxels", "coordinates", "num_points_per_voxel")
    for name, wanted in zip(names, expected, strict=True):
        assert isinstance(made[name], np.ndarray)
        np.testing.assert_array_equal(made[name], wanted.numpy().astype(made[name].dtype))
    assert made["voxels"].dtype == dtype and made["coordinates"].dtype == np.int32
    assert made["voxel_num"] == len(made["voxels"]) == 40
    counts = made["num_points_per_voxel"]
    assert made["voxel_point_mask"].shape == (40, 3, 1) and counts.max() == 3 and counts.min() < 3
    np.testing.assert_array_equal(made["voxel_point_mask"].sum((1, 2)), counts)
    assert make.grid_size.tolist() == [16, 10, 4] and make.max_num_points_per_voxel == 3
    assert make.voxel_size.tolist() == GRID[0] and make.point_cloud_range.tolist() == GRID[1]
    assert len(make.generate(points, max_voxels=7)["voxels"]) == 7
    assert make.generate(points[:0])["voxels"].shape == (0, 3, 4)
    # The older one gives a tuple, with the mean behind the points.
    old = utils.VoxelGenerator(**words, max_voxels=40)
    filled = utils.PointToVoxel(*GRID, 4, 40, 3)(torch.from_numpy(points), empty_mean=True)
    for array, wanted in zip(old.generate(points), filled, strict=True):
        np.testing.assert_allclose(array, wanted.numpy(), rtol=1e-6)
    plain = utils.VoxelGenerator(**words, max_voxels=40, full_mean=False)
    np.testing.assert_array_equal(plain.generate(points)[0], made["voxels"])
    with pytest.raises(ValueError, match="block_filtering is True, expected False"):
        utils.VoxelGeneratorV2(**words, block_filtering=True)


class OfCumm:
    """What cumm.tensorview.from_numpy gives, as far as it matters here."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def numpy_view(self) -> Any:
        return self.array


@pytest.mark.parametrize("wrap", [OfCumm, np.asarray, torch.as_tensor])
def test_generators_of_spconv_2(wrap: Any) -> None:
    points = some_points()
    words = {"num_point_features": 4, "max_num_points_per_voxel": 3, "max_num_voxels": 40}
    make = utils.Point2VoxelCPU3d(vsize_xyz=GRID[0], coors_range_xyz=GRID[1], **words)
    expected = utils.PointToVoxel(*GRID, 4, 40, 3)
    found = make.point_to_voxel(wrap(points.numpy()))
    for array, wanted in zip(found, expected(points), strict=True):
        np.testing.assert_array_equal(array.numpy(), wanted.numpy())
    found = make.point_to_voxel_empty_mean(wrap(points.numpy()))
    for array, wanted in zip(found, expected(points, empty_mean=True), strict=True):
        np.testing.assert_array_equal(array.numpy(), wanted.numpy())
    assert make.grid_size == [4, 10, 16]
    with pytest.raises(ValueError, match="vsize_xyz has 3 numbers, expected 2"):
        utils.Point2VoxelCPU2d(GRID[0], GRID[1], 4, 40, 3)


def test_voxels_in_ascending_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same ones, with the same points, also where there are more than are wanted."""
    points = some_points()
    make = utils.PointToVoxel(*GRID, 4, 40, 3)
    generator = utils.VoxelGeneratorV2(*GRID, 3, 40)
    first = [*make.generate_voxel_with_id(points, empty_mean=True)]
    of_old = generator.generate(points.numpy())
    monkeypatch.setattr(spconv.constants, "VOXEL_ORDER", "ascending")
    voxels, indices, counts, of_point = make.generate_voxel_with_id(points, empty_mean=True)
    order = [i for _, i in sorted((row, i) for i, row in enumerate(first[1].tolist()))]
    assert len(order) == 40 and order != sorted(order)
    for found, expected in zip((voxels, indices, counts), first[:3], strict=True):
        assert torch.equal(found, expected[order])
    place = torch.tensor([*torch.tensor(order).argsort().tolist(), -1])
    assert torch.equal(of_point, place[first[3]])
    for name, expected in of_old.items():
        found = generator.generate(points.numpy())[name]
        np.testing.assert_array_equal(found, expected if name == "voxel_num" else expected[order])
    monkeypatch.setattr(spconv.constants, "VOXEL_ORDER", "downwards")
    with pytest.raises(ValueError, match="order is 'downwards', expected one of 'first_point'"):
        make(points)
