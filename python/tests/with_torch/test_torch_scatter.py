"""detops.torch_scatter against torch's own scatters, and OpenPCDet's ranks in groups."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import detops
import pytest
import torch
from detops import torch_scatter
from detops.openpcdet.ingroup_inds_op import IngroupIndicesFunction, ingroup_inds


def test_as_openpcdet_calls_it() -> None:
    src, index = torch.tensor([[3.0], [1.0], [3.0], [2.0]]), torch.tensor([0, 0, 0, 2])
    values, places = torch_scatter.scatter_max(src, index, dim=0)
    assert values.ravel().tolist() == [3, 0, 2] and places.ravel().tolist() == [0, 4, 3]
    mean = torch_scatter.scatter_mean(src, index, dim=0)
    torch.testing.assert_close(mean, torch.tensor([[7 / 3], [0], [2]]))
    assert torch_scatter.scatter_add is torch_scatter.scatter_sum


@pytest.mark.parametrize("dim", [0, 1, 2, -1])
@pytest.mark.parametrize("whole", [False, True])
def test_any_axis(dim: int, whole: bool) -> None:
    torch.manual_seed(1)
    src = torch.randn(4, 6, 5, dtype=torch.double)
    length = src.shape[dim]
    index = torch.randint(0, 3, src.shape if whole else (length,))
    shape = [1, 1, 1]
    shape[dim] = length
    full = index if whole else index.view(shape).expand_as(src)
    size = list(src.shape)
    size[dim] = 4
    words: dict[str, Any] = {"dim": dim, "dim_size": 4}
    zeros = torch.zeros(size, dtype=torch.double)
    total = zeros.scatter_add(dim, full, src)
    counts = zeros.scatter_add(dim, full, torch.ones_like(src))
    lowest = torch.full(size, -torch.inf, dtype=torch.double).scatter_reduce(dim, full, src, "amax")
    for reduce, expected in (
        ("sum", total),
        ("add", total),
        ("mean", total / counts.clamp(min=1)),
        ("max", lowest.where(counts > 0, 0)),
        ("min", zeros.scatter_reduce(dim, full, src, "amin", include_self=False)),
    ):
        torch.testing.assert_close(torch_scatter.scatter(src, index, **words, reduce=reduce), expected)
    for extreme in (torch_scatter.scatter_max, torch_scatter.scatter_min):
        values, places = extreme(src, index, dim, dim_size=4)
        padded = torch.cat([src, torch.zeros_like(src.narrow(dim, 0, 1))], dim)
        assert torch.equal(padded.gather(dim, places), values)
    start = torch.randn(size, dtype=torch.double)
    out = start.clone()
    assert torch_scatter.scatter_sum(src, index, dim, out) is out
    torch.testing.assert_close(out, start + total)
    torch.testing.assert_close(
        torch_scatter.scatter_mean(src, index, dim, start.clone()),
        (start + total) / counts.clamp(min=1),
    )


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min"])
def test_gradients(reduce: str) -> None:
    torch.manual_seed(2)
    src = torch.randn(9, 3, dtype=torch.double, requires_grad=True)
    for index in (torch.randint(0, 4, (9,)), torch.randint(0, 4, (9, 3))):

        def of(numbers: torch.Tensor, index: torch.Tensor = index) -> torch.Tensor:
            return torch_scatter.scatter(numbers, index, 0, dim_size=5, reduce=reduce)

        assert torch.autograd.gradcheck(of, (src,))
        assert torch.autograd.gradgradcheck(of, (src,))


def test_nothing_and_wrong_things() -> None:
    nothing = torch.zeros(0, 2)
    assert torch_scatter.scatter_sum(nothing, torch.zeros(0, dtype=torch.long), 0).shape == (0, 2)
    values, places = torch_scatter.scatter_max(nothing, torch.zeros(0, dtype=torch.long), 0, dim_size=2)
    assert values.tolist() == [[0, 0], [0, 0]] and places.tolist() == [[0, 0], [0, 0]]
    src, index = torch.ones(3, 2), torch.tensor([0, 1, 0])
    no_tensor: Any = [0]
    for wrong, text in (
        (lambda: torch_scatter.scatter(src, index, 0, reduce="mul"), "scatter: reduce is 'mul', expected"),
        (lambda: torch_scatter.scatter_sum(src, index, 2), "scatter_sum: dim is 2, expected an axis"),
        (lambda: torch_scatter.scatter_max(src, index, 1), "scatter_max: index has 3 numbers, expected 2"),
        (lambda: torch_scatter.scatter_mean(src, no_tensor, 0), "scatter_mean: index is a list"),
        (lambda: torch_scatter.scatter_sum(src, index, 0, dim_size=1), r"index\[1\] is 1, expected -1"),
    ):
        with pytest.raises(ValueError, match=text):
            wrong()
    with pytest.raises(NotImplementedError, match="^scatter_max: out is a tensor, expected None"):
        torch_scatter.scatter_max(src, index, 0, torch.zeros(2, 2))


def test_install() -> None:
    assert detops.install("torch_scatter", quiet=True) == ("torch_scatter",)
    try:
        scatter_mean = importlib.import_module("torch_scatter").scatter_mean

        assert scatter_mean is torch_scatter.scatter_mean
        assert sys.modules["torch_scatter"].__version__ == "2.1.2"
        with pytest.raises(ImportError, match="detops stands in for torch_scatter and has no"):
            exec("from torch_scatter import segment_csr")
    finally:
        detops.uninstall("torch_scatter")
    assert "torch_scatter" not in sys.modules


def test_ranks_in_groups() -> None:
    groups = torch.randint(-2, 9, (500,))
    ranks = ingroup_inds(groups)
    seen: dict[int, int] = {}
    for group, rank in zip(groups.tolist(), ranks.tolist(), strict=True):
        assert rank == seen.get(group, 0)
        seen[group] = rank + 1
    assert torch.equal(IngroupIndicesFunction.apply(groups), ranks)
    assert ingroup_inds(groups[:0]).shape == (0,)
    with pytest.raises(ValueError, match="^ingroup_inds: group_inds has shape"):
        ingroup_inds(torch.zeros(2, 2))
