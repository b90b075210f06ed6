"""mmcv's voxels of points: hard, dynamic, and one row for each."""

from __future__ import annotations

import detops.mmcv
import pytest
import torch
from detops.mmcv import _ext, scatter_points, voxelize

POINTS = torch.tensor(
    [[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [0.6, 0.6, 0.6], [-0.1, 0, 0], [0, 0, 0], [2, 0, 0]]
)
SIZE, RANGE = [1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 2.0, 2.0, 1.0]
FEATS = torch.tensor([[1.0, 5], [2, 4], [3, 3], [4, 2], [2, 9], [7, 7]])
COORS = torch.tensor([[0, 1, 0], [0, 0, 2], [0, 1, 0], [-1, 3, 3], [0, 0, 2], [0, 0, 2]])
NONE = [-1, -1, -1]


@pytest.mark.parametrize("deterministic", [True, False])
def test_hard(deterministic: bool) -> None:
    voxels, coors, counts = detops.mmcv.voxelization(POINTS, SIZE, RANGE, 2, 5, deterministic)
    assert coors.tolist() == [[0, 0, 0], [0, 0, 1]] and counts.tolist() == [2, 1]
    assert torch.equal(voxels[0], POINTS[[0, 2]]) and torch.equal(voxels[1, 0], POINTS[1])
    assert not voxels[1, 1].any()
    for name in ("apply",):
        again = getattr(voxelize._Voxelization, name)(POINTS, SIZE, RANGE, 2, 5, deterministic)
        assert all(map(torch.equal, again, (voxels, coors, counts)))


def test_dynamic() -> None:
    expected = [[0, 0, 0], [0, 0, 1], [0, 0, 0], NONE, [0, 0, 0], NONE]
    for limits in ((-1, 20), (35, -1), (-1, -1)):
        found = detops.mmcv.voxelization(POINTS, torch.tensor(SIZE), torch.tensor(RANGE), *limits)
        assert isinstance(found, torch.Tensor)
        assert found.tolist() == expected and found.dtype == torch.int32


def test_layer() -> None:
    layer = detops.mmcv.Voxelization(SIZE, RANGE, 1, (1, 2))
    assert layer.grid_size.tolist() == [2, 2, 1] and layer.pcd_shape == [1, 2, 2]
    assert len(layer(POINTS)[1]) == 1
    assert len(layer.eval()(POINTS)[1]) == 2
    assert detops.mmcv.Voxelization(SIZE, RANGE, 1).max_voxels == (20000, 20000)
    assert repr(layer) == (
        "Voxelization(voxel_size=[1.0, 1.0, 1.0], point_cloud_range=[0.0, 0.0, 0.0, 2.0, 2.0, 1.0], "
        "max_num_points=1, max_voxels=(1, 2), deterministic=True)"
    )


def test_wrong_sizes() -> None:
    with pytest.raises(ValueError, match="^hard_voxelize: points is a list, expected a tensor"):
        detops.mmcv.voxelization([[1.0]], SIZE, RANGE)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^hard_voxelize: voxel_size\[2\] is -1"):
        detops.mmcv.voxelization(POINTS, [1, 1, -1], RANGE)
    with pytest.raises(ValueError, match="expected a voxel or more along each axis"):
        detops.mmcv.Voxelization(SIZE, [0, 0, 0, 0, 1, 1], 1)


@pytest.mark.parametrize(
    ("reduce", "rows"), [("max", [[7, 9], [3, 5]]), ("sum", [[11, 20], [4, 8]])]
)
def test_dynamic_scatter(reduce: str, rows: list[list[float]]) -> None:
    feats = FEATS.clone().requires_grad_()
    found, coors = detops.mmcv.dynamic_scatter(feats, COORS, reduce)  # type: ignore[arg-type]
    assert found.tolist() == rows and coors.tolist() == [[0, 0, 2], [0, 1, 0]]
    assert coors.dtype == COORS.dtype
    again = scatter_points._DynamicScatter.apply(FEATS, COORS, reduce)  # type: ignore[arg-type]
    assert torch.equal(found, again[0])
    found.backward(torch.tensor([[1.0, 2], [3, 4]]))
    spread = {
        "max": [[0, 4], [0, 0], [3, 0], [0, 0], [0, 2], [1, 0]],
        "sum": [[3, 4], [1, 2], [3, 4], [0, 0], [1, 2], [1, 2]],
    }
    assert feats.grad is not None and feats.grad.tolist() == spread[reduce]


def test_maximum_of_nan_alone_has_no_gradient() -> None:
    """mmcv writes it behind the tensor."""
    feats = torch.full((2, 1), float("nan"), requires_grad=True)
    found, _ = detops.mmcv.dynamic_scatter(feats, torch.zeros(2, 3, dtype=torch.int32))
    found.backward(torch.ones(1, 1))
    assert found.item() == -float("inf")
    assert feats.grad is not None and not feats.grad.any()


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("spread", [1, 100_000])
def test_any_number_of_columns(columns: int, spread: int) -> None:
    """Numbers whose product fits 31 bits, and such as need a table of what there is."""
    torch.manual_seed(columns)
    coors = torch.randint(-1, 4, (300, columns))
    coors = torch.where(coors > 0, coors * spread, coors).int()
    feats = torch.randn(300, 2)
    made = scatter_points.dynamic_point_to_voxel(feats, coors, "sum")
    inside = (coors >= 0).all(1)
    rows, number, counts = torch.unique(
        coors[inside], dim=0, return_inverse=True, return_counts=True
    )
    assert torch.equal(made.voxel_coors, rows)
    assert torch.equal(made.point2voxel_map[inside].long(), number)
    assert (made.point2voxel_map[~inside] == -1).all()
    assert torch.equal(made.voxel_points_count.long(), counts)
    expected = torch.zeros(len(rows), 2).index_add(0, number, feats[inside])
    torch.testing.assert_close(made.voxel_feats, expected)


def test_clouds_without_order() -> None:
    """mmcv takes as many clouds as the last row says, and loses those behind."""
    layer = detops.mmcv.DynamicScatter(SIZE, RANGE, average_points=True)
    coors = torch.tensor([[2, 0, 0, 0], [0, 0, 0, 0], [2, 0, 0, 0]])
    found, where = layer(torch.tensor([[1.0], [2.0], [5.0]]), coors)
    assert found.tolist() == [[2.0], [3.0]] and where.tolist() == [[0, 0, 0, 0], [2, 0, 0, 0]]
    assert repr(layer).startswith("DynamicScatter(voxel_size=[1.0, 1.0, 1.0], ")
    nothing = layer(torch.zeros(0, 1), torch.zeros(0, 4, dtype=torch.int32))
    assert [tensor.shape for tensor in nothing] == [(0, 1), (0, 4)]
    with pytest.raises(ValueError, match=r"coors has shape \(3,\), expected \(P, D\)"):
        detops.mmcv.dynamic_scatter(torch.zeros(3, 1), torch.zeros(3, dtype=torch.int32))


def test_compiled_functions() -> None:
    size, span = torch.tensor(SIZE), torch.tensor(RANGE)
    voxels, coors = torch.full((4, 2, 3), 8.0), torch.full((4, 3), 8, dtype=torch.int32)
    counts, number = torch.full((4,), 8, dtype=torch.int32), torch.zeros((), dtype=torch.long)
    words = {"max_points": 2, "max_voxels": 4, "NDim": 3, "deterministic": True}
    _ext.hard_voxelize_forward(POINTS, size, span, voxels, coors, counts, number, **words)
    assert number.item() == 2 and counts.tolist() == [2, 1, 8, 8]
    assert coors[:2].tolist() == [[0, 0, 0], [0, 0, 1]] and (voxels[2:] == 8).all()
    found = torch.zeros(6, 3, dtype=torch.int32)
    _ext.dynamic_voxelize_forward(POINTS, size, span, found, NDim=3)
    assert found.tolist() == detops.mmcv.voxelization(POINTS, SIZE, RANGE, -1).tolist()  # type: ignore[union-attr]

    made = _ext.dynamic_point_to_voxel_forward(FEATS, COORS.int(), "max")
    assert [tensor.dtype for tensor in made[1:]] == [torch.int32] * 3
    grad = torch.full_like(FEATS, 9)
    above = torch.tensor([[1.0, 2], [3, 4]])
    rows, _, voxel_map, counts = made
    _ext.dynamic_point_to_voxel_backward(grad, above, FEATS, rows, voxel_map, counts, "max")
    assert grad.tolist() == [[0, 4], [0, 0], [3, 0], [0, 0], [0, 2], [1, 0]]
