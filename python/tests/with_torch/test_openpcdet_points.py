"""detops.openpcdet on points: samples, neighbours, groups, the points of boxes and cells.

Hand cases, and loops over single points in NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch.library", reason="PyTorch is not installed")

from detops.openpcdet import bev_pool as bev
from detops.openpcdet.ingroup_inds_op import IngroupIndicesFunction, ingroup_inds
from detops.openpcdet.pointnet2_batch import pointnet2_utils as batch
from detops.openpcdet.pointnet2_stack import pointnet2_utils as stack
from detops.openpcdet.pointnet2_stack import voxel_query_utils as voxels
from detops.openpcdet.roipoint_pool3d_utils import RoIPointPool3d, RoIPointPool3dFunction

NAN, INF = float("nan"), float("inf")


def line(*values: float) -> Any:
    """(N, 3): points on the x axis."""
    return torch.tensor([[value, 0.0, 0.0] for value in values]).reshape(-1, 3)


def counts(*numbers: int) -> Any:
    return torch.tensor(numbers, dtype=torch.int32)


@pytest.mark.parametrize(
    ("points", "centre", "radius", "size", "wanted"),
    [
        ((0, 1, 2, 3), 0, 2, 4, [0, 1, 0, 0]),  # The border is out.
        ((2, 1, 0.5), 0, 3, 2, [0, 1]),  # In the order of the points, not the nearest.
        ((NAN, 1, INF, 0.5), 0, 2, 3, [1, 3, 1]),
        ((0, 1), NAN, 2, 2, None),
        ((0, 1), 0, 0, 2, None),
        ((0.3,), 0.2, 0.1, 1, None),  # 0.010000002 is not below 0.010000001.
        ((5, 6), 0, 1, 3, None),
        ((), 0, 1, 2, None),
    ],
)
def test_balls(points: Any, centre: float, radius: float, size: int, wanted: list[int] | None) -> None:
    found, none = stack.ball_query(
        radius, size, line(*points), counts(len(points)), line(centre), counts(1)
    )
    assert found.dtype == torch.int32 and found.tolist() == [wanted or [0] * size]
    assert none.tolist() == [wanted is None]
    same = batch.ball_query(radius, size, line(*points)[None], line(centre)[None])
    assert same.dtype == torch.int32 and same.tolist() == [found.tolist()]


def test_balls_of_clouds() -> None:
    points, centres = line(0, 1, 10, 11, 12), line(0, 11)
    found, none = stack.ball_query(1.5, 2, points, counts(2, 3), centres, counts(1, 1))
    assert found.tolist() == [[0, 1], [0, 1]] and not none.any()


def test_balls_beside_a_loop() -> None:
    draw = np.random.default_rng(1)
    points, centres = (draw.uniform(0, 3, (rows, 3)).astype(np.float32) for rows in (3000, 700))
    found = batch.ball_query(0.4, 5, torch.from_numpy(points)[None], torch.from_numpy(centres)[None])[0]
    for row, centre in zip(found.numpy(), centres, strict=True):
        x, y, z = (centre - points).T
        inside = np.flatnonzero(x * x + y * y + z * z < np.float32(0.4) ** 2)[:5]
        assert row.tolist() == [*inside, *[inside[0] if len(inside) else 0] * (5 - len(inside))]


@pytest.mark.parametrize(
    ("unknown", "known", "indices", "squares"),
    [
        (0.9, (0, 1, 2, 3), [1, 0, 2], [0.010000004, 0.80999994, 1.21]),
        (0, (1, -1, 2, -2), [0, 1, 2], [1, 1, 4]),
        (1, (0, 0, 0, 0), [0, 1, 2], [1, 1, 1]),
        (0, (2, 1), [1, 0, 0], [1, 4, INF]),
        (0, (NAN, 3, 1, 2), [2, 3, 1], [1, 4, 9]),
        (NAN, (3, 1, 2), [0, 0, 0], [INF, INF, INF]),
        (0, (), [0, 0, 0], [INF, INF, INF]),
    ],
)
def test_three_nearest(unknown: float, known: Any, indices: list[int], squares: list[float]) -> None:
    distance, found = stack.three_nn(line(unknown), counts(1), line(*known), counts(len(known)))
    assert found.dtype == torch.int32 and found.tolist() == [indices]
    assert torch.equal(distance, torch.tensor([squares]).sqrt())
    same = batch.three_nn(line(unknown)[None], line(*known)[None])
    assert torch.equal(same[0][0], distance) and torch.equal(same[1][0], found)


def test_three_nearest_of_clouds() -> None:
    distance, found = stack.three_nn(line(0), counts(0, 1), line(5, 6, 1, 3), counts(2, 2))
    assert found.tolist() == [[2, 3, 2]] and distance.tolist() == [[1, 3, INF]]


def test_three_nearest_beside_a_loop() -> None:
    draw = np.random.default_rng(2)
    # Of a grid, so that many are equally far.
    unknown, known = (draw.integers(0, 4, (rows, 3)).astype(np.float32) for rows in (1500, 900))
    distance, found = batch.three_nn(torch.from_numpy(unknown)[None], torch.from_numpy(known)[None])
    for row, far, centre in zip(found[0].numpy(), distance[0].numpy(), unknown, strict=True):
        squares = ((centre - known) ** 2).sum(1)
        wanted = np.argsort(squares, kind="stable")[:3]
        assert row.tolist() == wanted.tolist() and np.array_equal(far, np.sqrt(squares[wanted]))


def test_interpolation() -> None:
    rows = torch.tensor([[10.0], [20], [30], [40]], requires_grad=True)
    places, weights = torch.tensor([[1, 3, 0], [2, 2, 0]]).int(), torch.tensor([[0.5, 0.25, 0.25]] * 2)
    made = stack.three_interpolate(rows, places, weights)
    assert made.tolist() == [[22.5], [25]]
    made.backward(torch.tensor([[1.0], [2]]))
    assert rows.grad.ravel().tolist() == [0.75, 0.5, 1.5, 0.25]
    leaf = rows.detach().mT[None].clone().requires_grad_()
    made = batch.three_interpolate(leaf, places[None], weights[None].requires_grad_())
    assert made.tolist() == [[[22.5, 25]]]
    made.backward(torch.tensor([[[1.0, 2]]]))
    assert torch.equal(leaf.grad[0, 0], rows.grad[:, 0])


@pytest.mark.parametrize(
    ("points", "count", "wanted"),
    [
        ((0, 1, 2, 3, 4), 5, [0, 4, 2, 1, 3]),
        ((0, -1, 1, 0.5), 2, [0, 1]),
        ((7, 7, 7), 3, [0, 0, 0]),
        ((0, 1), 4, [0, 1, 0, 0]),
        ((0, 1, NAN, 3), 3, [0, 3, 1]),
        ((0, 3e5, 2e5), 2, [0, 1]),
        ((NAN, 2, 5), 2, [1, 2]),
        ((NAN, INF), 2, [0, 0]),
        ((1, 2), 0, []),
    ],
)
def test_furthest_points(points: Any, count: int, wanted: list[int]) -> None:
    found = batch.furthest_point_sample(line(*points)[None], count)
    assert found.dtype == torch.int32 and found.tolist() == [wanted]
    assert stack.stack_farthest_point_sample(line(*points), counts(len(points)), count).tolist() == wanted


def test_furthest_points_in_a_plane_and_of_clouds() -> None:
    corners = torch.tensor([[0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0], [2, 1.5, 0]])
    assert batch.farthest_point_sample(corners[None], 5).tolist() == [[0, 2, 1, 3, 4]]
    rows = line(0, 5, 1, 0, 1, 9)
    for number in ([2, 3], counts(2, 3)):
        assert stack.stack_farthest_point_sample(rows, counts(3, 3), number).tolist() == [0, 1, 3, 5, 4]
    assert stack.farthest_point_sample is batch.farthest_point_sample


def test_groups() -> None:
    maps = torch.tensor([[[1.0, 2, 3], [4, 5, 6]]], requires_grad=True)
    taken = batch.gather_operation(maps, torch.tensor([[2, 0, 2]]).int())
    assert taken.tolist() == [[[3, 1, 3], [6, 4, 6]]]
    taken.sum().backward()
    assert maps.grad.tolist() == [[[1, 0, 2], [1, 0, 2]]]
    grouped = batch.grouping_operation(maps, torch.tensor([[[2], [0], [2]]]).int())
    assert torch.equal(grouped[..., 0], taken)
    rows = torch.tensor([[1.0], [2], [10], [20], [30]], requires_grad=True)
    made = stack.grouping_operation(rows, counts(2, 3), torch.tensor([[1, 0], [2, 2]]).int(), counts(1, 1))
    assert made.tolist() == [[[2, 1]], [[30, 30]]]
    made += 1  # Programs go on in place.
    made.sum().backward()
    assert rows.grad.ravel().tolist() == [1, 1, 0, 0, 2]


def test_balls_as_layers() -> None:
    points, centre = line(0, 1, 5), line(1)
    features = torch.tensor([[7.0], [8], [9]])
    wanted = [[-1.0, 0, -1], [0, 0, 0], [0, 0, 0], [7, 8, 7]]
    made = batch.QueryAndGroup(1.5, 3)(points[None], centre[None], features.mT[None])
    assert made.tolist() == [[[row] for row in wanted]]
    group = stack.QueryAndGroup(1.5, 3)
    made, found = group(points, counts(3), centre, counts(1), features)
    assert made.tolist() == [wanted] and found.tolist() == [[0, 1, 0]]
    nothing, _ = group(points, counts(3), line(50), counts(1), features)
    assert nothing.shape == (1, 4, 3) and not nothing.any()
    assert stack.QueryAndGroup(1.5, 3, use_xyz=False)(points, counts(3), centre, counts(1), features)[
        0].tolist() == [wanted[3:]]
    assert batch.QueryAndGroup(1.5, 3)(points[None], centre[None]).shape == (1, 3, 1, 3)
    whole = batch.GroupAll()(points[None], None, features.mT[None])
    assert whole[0, :, 0].tolist() == [[0, 1, 5], [0, 0, 0], [0, 0, 0], [7, 8, 9]]
    assert batch.GroupAll(False)(points[None], None, features.mT[None]).shape == (1, 1, 1, 3)


def test_voxels_around() -> None:
    points, cells = line(0.5, 2.5, 3.5), torch.tensor([[[[0, -1, 1, 2]]]]).int()
    here = torch.tensor([[0, 0, 0, 2], [0, 0, 0, 9]]).int()
    found, none = voxels.voxel_query((0, 0, 1), 1.0, 3, points, line(2.5, 9), here, cells)
    assert found.tolist() == [[1, 2, 1], [0, 0, 0]] and none.tolist() == [False, True]


def test_voxels_around_beside_a_loop() -> None:
    """Clouds of different numbers of centres, cells at the rim."""
    draw = np.random.default_rng(3)
    shape, sizes, reach, size = (2, 3, 6, 7), (50, 20), (1, 2, 1), 4
    table = np.full(shape, -1)
    cells = [draw.permutation(126)[:40] for _ in range(2)]
    rows = 0
    for cloud, of_cloud in enumerate(cells):
        table[cloud].reshape(-1)[of_cloud] = np.arange(40) + rows
        rows += 40
    xyz = draw.uniform(0, 3, (80, 3)).astype(np.float32)
    centres = draw.uniform(0, 3, (70, 3)).astype(np.float32)
    places = draw.integers(-1, 7, (70, 3))
    coords = np.column_stack([np.repeat([0, 1], sizes), places])
    features = torch.arange(80.0)[:, None].requires_grad_()
    layer = voxels.VoxelQueryAndGrouping(reach, 1.2, size)
    inputs = (coords, xyz, np.array([40, 40]), centres, np.array(sizes))
    grouped, near, none = layer(*map(torch.from_numpy, inputs), features, torch.from_numpy(table))
    for number, (cloud, z, y, x) in enumerate(coords):
        found = [
            row
            for dz in range(-1, 2) for dy in range(-2, 3) for dx in range(-1, 2)
            if all(0 <= at < end for at, end in zip((z + dz, y + dy, x + dx), shape[1:], strict=True))
            and (row := table[cloud, z + dz, y + dy, x + dx]) >= 0
            and ((centres[number] - xyz[row]) ** 2).sum() <= np.float32(1.2) ** 2
        ][:size]
        assert none[number].item() == (not found)
        if found:
            wanted = found + [found[0]] * (size - len(found))
            assert grouped[number, 0].tolist() == wanted
            assert np.array_equal(near[number].numpy().T, xyz[wanted])
    near -= 1
    grouped[~none].sum().backward()
    assert features.grad.sum() == (~none).sum() * size


def test_points_of_boxes() -> None:
    points = torch.tensor([[0.0, 0, 1], [1, 0, 1], [0, 0, 2], [0, 0, -0.1], [0.5, 0.5, 0]])
    boxes = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0], [100, 0, 0, 2, 2, 2, 0]])
    leaf = torch.arange(5.0).reshape(1, 5, 1).requires_grad_()
    pooled, empty = RoIPointPool3d(5, 0.0)(points[None], leaf, boxes[None])
    assert pooled.shape == (1, 2, 5, 4) and empty.tolist() == [[0, 1]] and empty.dtype == torch.int32
    assert pooled[0, 0, :, 3].tolist() == [0, 1, 3, 4, 0] and not pooled[0, 1].any()
    assert torch.equal(pooled[0, 0, :4, :3], points[[0, 1, 3, 4]])
    pooled[..., 3].sum().backward()
    assert leaf.grad.ravel().tolist() == [2, 1, 0, 1, 1]
    wider, _ = RoIPointPool3dFunction.apply(points[None], leaf, boxes[None], (0.0, 0.0, 2.0), 2)
    assert wider[0, 0, :, 3].tolist() == [0, 1]
    many = RoIPointPool3d(3)(points.expand(2, 5, 3), torch.ones(2, 5, 0), boxes.flip(0).expand(2, 2, 7))
    assert many[1].tolist() == [[1, 0]] * 2 and torch.equal(many[0][0], many[0][1])
    nothing = RoIPointPool3d(3)(torch.zeros(1, 0, 3), torch.zeros(1, 0, 2), boxes[None])
    assert nothing[0].shape == (1, 2, 3, 5) and nothing[1].tolist() == [[1, 1]]


def test_sums_of_cells() -> None:
    leaf = torch.tensor([[3.0], [5], [4]], requires_grad=True)
    cells = torch.tensor([[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]])
    made = bev.bev_pool(leaf, cells, 1, torch.tensor([1]), 2, 2)
    assert made.tolist() == [[[[[0, 5], [7, 0]]]]]
    made.backward(torch.arange(4.0).reshape(made.shape))
    assert leaf.grad.ravel().tolist() == [2, 1, 2]
    # Another order of axes, beside a loop.
    draw = np.random.default_rng(4)
    cells = np.column_stack([draw.integers(0, end, 200) for end in (4, 5, 3, 2)])
    rows = draw.normal(size=(200, 6))
    wanted = np.zeros((2, 6, 3, 4, 5))
    for (h, w, d, b), row in zip(cells, rows, strict=True):
        wanted[b, :, d, h, w] += row
    made = bev.bev_pool(torch.from_numpy(rows), torch.from_numpy(cells), 2, 3, 4, 5)
    assert np.array_equal(made.numpy(), wanted)
    ranks = torch.from_numpy(cells @ [30, 6, 2, 1])
    same = bev.QuickCumsumCuda.apply(torch.from_numpy(rows), torch.from_numpy(cells), ranks, 2, 3, 4, 5)
    assert torch.equal(same.permute(0, 4, 1, 2, 3), made)
    assert not bev.bev_pool(torch.zeros(0, 2), torch.zeros(0, 4).int(), 1, 1, 2, 2).any()
    sums, last = bev.QuickCumsum.apply(leaf, torch.arange(12).reshape(3, 4), torch.tensor([1, 4, 4]))
    assert sums.tolist() == [[3], [9]] and last.tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]]


def test_places_in_groups() -> None:
    groups = torch.tensor([7, -2, 7, 7, -2, 0])
    assert ingroup_inds(groups).tolist() == [0, 0, 1, 2, 1, 0]
    assert IngroupIndicesFunction.apply(groups[:0]).tolist() == []


def near(point: Any, centre: Any, reach: float, ball: int) -> bool:
    away = np.abs(point - centre)
    return bool((away**2).sum() <= reach**2 if ball else (away <= reach).all())


SIZES, CENTRES = (40, 0, 25), (6, 2, 5)


def clouds() -> tuple[Any, Any, list[tuple[int, range]]]:
    """Points, centres, and for each centre the points of its cloud."""
    draw = np.random.default_rng(5)
    begins = np.cumsum((0, *SIZES))
    owners = [range(begins[cloud], begins[cloud + 1]) for cloud, many in enumerate(CENTRES) for _ in range(many)]
    points = draw.uniform(-1, 1, (sum(SIZES), 3))
    return points, draw.uniform(-1, 1, (sum(CENTRES), 3)), list(enumerate(owners))


@pytest.mark.parametrize("limit", [-1, 2])
@pytest.mark.parametrize("ball", [0, 1])
def test_three_nearest_among_the_near_ones(ball: int, limit: int) -> None:
    points, centres, owners = clouds()
    cells = centres[:, None] + np.random.default_rng(6).uniform(-0.5, 0.5, (len(centres), 4, 3))
    found, idx, mean = stack.three_nn_for_vector_pool_by_two_step(
        torch.from_numpy(points), counts(*SIZES), torch.from_numpy(centres), torch.from_numpy(cells),
        counts(*CENTRES), 0.3, limit, ball, 1, 4, 2.0)  # fmt: skip
    total = 0
    for number, rows in owners:
        chosen = [row for row in rows if near(points[row], centres[number], 0.6, ball)]
        chosen = chosen[:limit] if limit > 0 else chosen
        total += len(chosen)
        for cell in range(4):
            far = {row: np.linalg.norm(points[row] - cells[number, cell]) for row in chosen}
            order = sorted(far, key=far.__getitem__)[:3]
            order += [*order[:1], -1][:1] * (3 - len(order))
            assert idx[number, cell].tolist() == order
            assert found[number, cell].tolist() == pytest.approx([far.get(row, INF) for row in order])
    assert mean == -(-total // len(centres)) and total > 10


@pytest.mark.parametrize("limit", [-1, 2])
@pytest.mark.parametrize("pooling", [0, 1])
@pytest.mark.parametrize("ball", [0, 1])
def test_cells_around_centres(ball: int, pooling: int, limit: int) -> None:
    points, centres, owners = clouds()
    rows = np.random.default_rng(7).normal(size=(len(points), 6))
    leaf = torch.from_numpy(rows).requires_grad_()
    made, middle, mean, number_of = stack.vector_pool_with_voxel_query_op(
        torch.from_numpy(points), counts(*SIZES), leaf, torch.from_numpy(centres), counts(*CENTRES),
        3, 2, 1, 0.7, 3, 1, 20, limit, ball, pooling)  # fmt: skip
    taken: dict[tuple[int, int], list[int]] = {}
    for number, some in owners:
        left = limit if limit > 0 else len(points)
        for row in some:
            if left and near(points[row], centres[number], 0.7, ball):
                x, y, _ = np.minimum((points[row] - centres[number] + 0.7) // (1.4 / np.array([3, 2, 1])), (2, 1, 0))
                cell = taken.setdefault((number, int(2 * x + y)), [])
                if pooling == 0 or not cell:
                    cell.append(row)
                    left -= 1
    wanted, slope = np.zeros((len(centres), 6, 3)), np.zeros_like(rows)
    places, sizes = np.zeros_like(wanted), np.zeros((len(centres), 6), int)
    given = np.random.default_rng(8).normal(size=wanted.shape)
    for (number, cell), some in taken.items():
        wanted[number, cell] = (rows[some, :3] + rows[some, 3:]).mean(0)
        places[number, cell] = (points[some] - centres[number]).mean(0)
        sizes[number, cell] = len(some)
        for row in some:
            slope[row] += np.tile(given[number, cell] / len(some), 2)
    made.backward(torch.from_numpy(given).reshape(made.shape))
    assert np.allclose(made.detach().numpy().reshape(wanted.shape), wanted)
    assert np.allclose(middle.numpy().reshape(places.shape), places)
    assert number_of.dtype == torch.int32 and np.array_equal(number_of.numpy(), sizes)
    assert np.allclose(leaf.grad.numpy(), slope)
    assert mean.tolist() == [-(-sizes.sum() // len(centres))] and sizes.sum() > 10


TWO, CLOUD = torch.zeros(1, 2, 3), torch.zeros(1, 4, 3)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: batch.ball_query(1, 2, CLOUD[0], TWO),
         r"ball_query: xyz has shape \[4, 3\], expected \(B, N, 3\)\."),
        (lambda: batch.three_nn(CLOUD, TWO.expand(2, 2, 3)),
         r"three_nn: known has shape \[2, 2, 3\], expected \(B, M, 3\) with B = 1\."),
        (lambda: batch.ball_query(1, 2, CLOUD.numpy(), TWO),
         r"ball_query: xyz is an array of NumPy, expected a tensor \(torch.from_numpy\(xyz\)\)\."),
        (lambda: batch.gather_operation(CLOUD, torch.tensor([[0, 3]])),
         r"gather_operation: idx has 3 at \[0, 1\], expected 0 to 2\."),
        (lambda: batch.gather_operation(CLOUD, TWO[0, :1]),
         r"gather_operation: idx is torch.float32, expected integers\."),
        (lambda: batch.farthest_point_sample(CLOUD[:, :0], 2),
         r"farthest_point_sample: xyz has no points, expected some for npoint = 2\."),
        (lambda: batch.QueryAndGroup(1, 2, False)(CLOUD, TWO),
         r"QueryAndGroup: features is None, expected a tensor as use_xyz is False\."),
        (lambda: stack.QueryAndGroup(1, 2, False)(CLOUD[0], counts(4), TWO[0], counts(2)),
         r"QueryAndGroup: features is None, expected a tensor as use_xyz is False\."),
        (lambda: stack.vector_pool_with_voxel_query_op(
            CLOUD[0], counts(4), torch.zeros(4, 5), TWO[0], counts(2), 2, 2, 2, 1.0, 3, 1),
         r"vector_pool_with_voxel_query_op: num_c_out_each_grid is 3, expected a divisor of 5 channels\."),
        (lambda: stack.three_nn_for_vector_pool_by_two_step(
            CLOUD[0], counts(4), TWO[0], torch.zeros(2, 7, 3), counts(2), 1.0, -1, 0, 9, 8, 1.0),
         r"three_nn_for_vector_pool_by_two_step: new_xyz_grid_centers has shape \[2, 7, 3\], expected \(M, 8, 3\)\."),
        (lambda: stack.ball_query(1, 2, CLOUD[0], counts(3), TWO[0], counts(2)),
         r"ball_query: xyz_batch_cnt is \[3\], expected counts that add up to 4 rows\."),
        (lambda: stack.ball_query(1, 2, CLOUD[0], counts(4), TWO[0], counts(1, 1)),
         r"ball_query: new_xyz_batch_cnt has 2 clouds, expected 1\."),
        (lambda: stack.grouping_operation(
            CLOUD[0], counts(1, 3), torch.tensor([[0], [3]]), counts(1, 1)),
         r"grouping_operation: idx has 3 at \[1, 0\], expected 0 to 2\."),
        (lambda: stack.stack_farthest_point_sample(CLOUD[0], counts(0, 4), 1),
         r"stack_farthest_point_sample: cloud 0 has no points, expected some for npoint = 1\."),
        (lambda: stack.stack_farthest_point_sample(CLOUD[0], counts(4), [1, 2]),
         r"stack_farthest_point_sample: npoint is \[1, 2\], expected a number for each of 1 clouds\."),
        (lambda: voxels.voxel_query((1, 1, 1), 1, 2, CLOUD[0], line(0), torch.tensor([[1, 0, 0, 0]]),
                                    torch.zeros(1, 1, 1, 1).int()),
         r"voxel_query: new_coords has 1 at \[0, 0\], expected 0 to 0\."),
        (lambda: RoIPointPool3d()(CLOUD, TWO, torch.zeros(1, 1, 7)),
         r"RoIPointPool3d: point_features has shape \[1, 2, 3\], expected \(1, 4, C\) as points has"),
        (lambda: bev.bev_pool(TWO[0], torch.tensor([[0, 0, 0, 0], [0, 2, 0, 0]]), 1, 1, 1, 2),
         r"bev_pool: coords has 2 at \[1, 1\], expected 0 to 1\."),
        (lambda: bev.bev_pool(TWO[0], torch.zeros(3, 4).int(), 1, 1, 1, 2),
         r"bev_pool: coords has shape \[3, 4\], expected \(2, 4\) for N = 2 as in feats\."),
        (lambda: bev.QuickCumsum.apply(TWO[0], TWO[0], counts(1)),
         r"QuickCumsum: x, geom_feats and ranks have 2, 2 and 1 rows, expected the same number\."),
        (lambda: ingroup_inds(TWO), r"ingroup_inds: group_inds has shape \(1, 2, 3\) and type torch.float32"),
    ],
)  # fmt: skip
def test_wrong_arguments(call: Any, said: str) -> None:
    with pytest.raises(ValueError, match=rf"^{said}"):
        call()
