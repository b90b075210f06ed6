"""Layers and networks of detops.spconv on no voxel, one, equal ones, and an empty sample."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.nn.functional import leaky_relu  # noqa: E402

from detops import spconv  # noqa: E402

from test_spconv_layers import some_sites, some_tensor  # noqa: E402
from test_spconv_networks import run_of, small_network  # noqa: E402


def with_statistics(network: Any) -> Any:
    """Normalisations that are not the identity."""
    random = torch.Generator().manual_seed(2)
    for part in network.modules():
        if isinstance(part, torch.nn.BatchNorm1d):
            for values in (part.running_mean, part.running_var):
                values.copy_(torch.rand(len(values), generator=random) + 0.5)
    return network.eval()


def test_nothing() -> None:
    network = with_statistics(small_network())
    y = run_of(network, torch.zeros((0, 4), dtype=torch.int32))
    assert y.features.shape == (0, 4) and torch.equal(y.dense(), torch.zeros_like(y.dense()))
    assert y.dense().shape == (2, 4, 7, 7, 7)
    y.features.sum().backward()
    assert all(not part.grad.any() for part in network.parameters() if part.grad is not None)
    small_network()(some_tensor(3).select_by_index(torch.arange(0)))  # batch norm in training mode


def norm(part: Any, rows: torch.Tensor) -> torch.Tensor:
    return (rows - part.running_mean) / (part.running_var + part.eps).sqrt()


@pytest.mark.parametrize("site", [[1, 6, 6, 6], [0, 3, 3, 3], [1, 0, 2, 5]])
def test_one_voxel(site: list[int]) -> None:
    """Written out: which offsets of the kernels it meets."""
    network = with_statistics(small_network())
    y = run_of(network, torch.tensor([site]))
    assert y.indices.tolist() == [site] and y.spatial_shape == [7, 7, 7]
    first, norm1, _, down, norm2, _, second, up = network
    row = first.weight[:, 1, 1, 1] @ torch.ones(3, dtype=torch.float64)
    row = norm(norm1, row).relu()
    # Offset r of the strided layer leads to output (site + 1 - r) / 2, where that is whole.
    outputs: dict[tuple[int, ...], tuple[int, ...]] = {}
    for offset in torch.cartesian_prod(*[torch.arange(3)] * 3).tolist():
        twice = [c + 1 - r for c, r in zip(site[1:], offset, strict=True)]
        if all(t % 2 == 0 and 0 <= t // 2 < 4 for t in twice):
            outputs[tuple(t // 2 for t in twice)] = tuple(offset)
    rows = {
        place: leaky_relu(norm(norm2, down.weight[(slice(None), *offset)] @ row), 0.2)
        for place, offset in outputs.items()
    }
    total = up.bias.clone()
    for place, offset in outputs.items():
        deep = second.bias.clone()
        for other, value in rows.items():
            step = tuple(o - p + 1 for o, p in zip(other, place, strict=True))
            deep = deep + second.weight[(slice(None), *step)] @ value
        total = total + up.weight[(slice(None), *offset)] @ deep
    torch.testing.assert_close(y.features[0], total)


def test_empty_sample() -> None:
    network = with_statistics(small_network())
    sites = some_sites(3, 7, 1, 30)  # nothing in the second sample, then nothing in the first
    alone = run_of(network, sites, 1)
    for sample in (0, 1):
        moved = sites.clone()
        moved[:, 0] = sample
        both = run_of(network, moved, 2)
        torch.testing.assert_close(both.features, alone.features)
        dense = both.dense()
        torch.testing.assert_close(dense[sample], alone.dense()[0])
        assert dense[sample].any() and not dense[1 - sample].any()


@pytest.mark.parametrize(("kind", "arguments"), [
    ("SparseConv2d", (3, 4, 3, 2, 1)),
    ("SparseConvTranspose2d", (3, 4, 2, 2)),
    ("SparseAvgPool2d", (3, 2, 1)),
    ("SparseMaxPool2d", (3, 2, 1)),
])
def test_equal_voxels_in_regular_layers(kind: str, arguments: tuple[int, ...]) -> None:
    """Each row counts, as if sites that are equal were near each other."""
    x = some_tensor(2)
    rows = torch.cat([torch.arange(len(x.indices)), torch.arange(5)])
    twice = spconv.SparseConvTensor(x.features[rows], x.indices[rows], x.spatial_shape, 2)
    layer = getattr(spconv, kind)(*arguments)
    layer = layer.double() if "Conv" in kind else layer
    y = layer(twice)
    assert torch.equal(y.indices, layer(x).indices)
    if kind == "SparseMaxPool2d":
        expected = layer(x).features
    elif kind == "SparseAvgPool2d":
        pairs = spconv._pairs.find_pairs(layer, twice)[0]
        expected = torch.zeros_like(y.features)
        counts = torch.zeros(len(expected), 1, dtype=torch.float64)
        for lists, count in zip(pairs.indice_pairs, pairs.indice_pair_num.tolist(), strict=True):
            for before, behind in lists[:, :count].T.tolist():
                expected[behind] += twice.features[before]
                counts[behind] += 1
        expected = expected / counts
    else:
        summed = x.features.clone()
        summed[:5] += x.features[:5]
        expected = layer(x.replace_feature(summed)).features
    torch.testing.assert_close(y.features, expected)


def test_equal_voxels_in_submanifold_layers() -> None:
    """Each row counts, and the sum of a site stands in the last of its rows; others get the bias."""
    x = some_tensor(2)
    count = len(x.indices)
    rows = torch.cat([torch.arange(count), torch.arange(5)])
    features = torch.cat([x.features, torch.ones(5, 3, dtype=torch.float64)])
    twice = spconv.SparseConvTensor(features, x.indices[rows], x.spatial_shape, 2)
    layer = spconv.SubMConv2d(3, 4, 3).double()
    summed = x.features.clone()
    summed[:5] += 1
    once, y = layer(x.replace_feature(summed)).features, layer(twice).features
    torch.testing.assert_close(y[5:], torch.cat([once[5:], once[:5]]))
    assert torch.equal(y[:5], layer.bias.expand(5, 4))
