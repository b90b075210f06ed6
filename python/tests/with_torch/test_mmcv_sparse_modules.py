"""Layers of detops.mmcv in the ways of mmcv: arguments, checkpoints, shared pairs, sequences."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import detops.mmcv as mmcv  # noqa: E402
from detops import spconv  # noqa: E402
from detops.mmcv import sparse_conv, sparse_modules, sparse_pool  # noqa: E402

from test_mmcv_sparse import some_tensor, torch_weight  # noqa: E402
from test_spconv_layers import DENSE, at_sites  # noqa: E402

LAYER = "in_channels out_channels kernel_size stride=1 padding=0 dilation=1 groups=1 bias=True "
SIGNATURES = {
    "SparseConv2d SparseConv3d SparseConv4d SparseConvTranspose2d SparseConvTranspose3d SubMConv2d "
    "SubMConv3d SubMConv4d": LAYER + "indice_key=None",
    "SparseInverseConv2d SparseInverseConv3d": "in_channels out_channels kernel_size "
    "indice_key=None bias=True",
    "SparseMaxPool2d SparseMaxPool3d": "kernel_size stride=1 padding=0 dilation=1",
    "SparseMaxPool": "ndim kernel_size stride=1 padding=0 dilation=1 subm=False",
    "SparseConvTensor": "features indices spatial_shape batch_size grid=None",
    "SparseConvolution": "ndim in_channels out_channels kernel_size=3 stride=1 padding=0 "
    "dilation=1 groups=1 bias=True subm=False output_padding=0 transposed=False inverse=False "
    "indice_key=None fused_bn=False",
}


@pytest.mark.parametrize("names", SIGNATURES)
def test_arguments_and_defaults(names: str) -> None:
    for name in names.split():
        places = (mmcv, sparse_conv, sparse_pool)
        found = next(getattr(place, name) for place in places if hasattr(place, name))
        words = [
            p.name if p.default is p.empty else f"{p.name}={p.default}"
            for p in inspect.signature(found).parameters.values()
        ]
        assert words == SIGNATURES[names].split(), name


def test_weights_are_laid_out_as_in_mmcv() -> None:
    layer = mmcv.SparseConv3d(4, 6, (1, 3, 2))
    shapes = {name: tuple(value.shape) for name, value in layer.state_dict().items()}
    assert shapes == {"weight": (1, 3, 2, 4, 6), "bias": (6,)}
    assert list(mmcv.SubMConv3d(4, 6, 3, bias=False).state_dict()) == ["weight"]
    assert list(mmcv.SparseMaxPool3d(2).state_dict()) == []


def test_weights_begin_as_in_mmcv() -> None:
    """kaiming_uniform_ on (kernel..., in, out): 1 / sqrt of what torch takes for the inputs."""
    layer = mmcv.SubMConv3d(16, 32, 3)
    bound = 1 / math.sqrt(3 * 3 * 16 * 32)
    assert 0.99 * bound < layer.weight.abs().max().item() <= bound
    assert layer.bias.abs().max().item() <= 1 / math.sqrt(27 * 16)
    torch.manual_seed(5)
    made = mmcv.SubMConv3d(16, 32, 3, bias=False).weight
    torch.manual_seed(5)
    expected = torch.nn.init.kaiming_uniform_(torch.empty(3, 3, 3, 16, 32), a=math.sqrt(5))
    assert torch.equal(made, expected)


@pytest.mark.parametrize("kind", ["SparseConv3d", "SubMConv3d", "SparseConvTranspose3d"])
def test_checkpoints_pass_between_the_packages(kind: str) -> None:
    """mmcv's layer takes spconv's weights and the other way round, and both compute the same."""
    x = some_tensor(3)
    ours, theirs = getattr(mmcv, kind)(3, 5, (3, 1, 2)), getattr(spconv, kind)(3, 5, (3, 1, 2))
    theirs.load_state_dict(ours.state_dict())
    assert torch.equal(theirs.weight, ours.weight.permute(4, 0, 1, 2, 3))
    other = spconv.SparseConvTensor(x.features, x.indices, x.spatial_shape, 2)
    y, z = ours.double()(x), theirs.double()(other)
    assert torch.equal(y.features, z.features) and torch.equal(y.indices, z.indices)
    again = getattr(mmcv, kind)(3, 5, (3, 1, 2)).double()
    again.load_state_dict(theirs.state_dict())
    assert torch.equal(again.weight, ours.weight)
    wrong = {"weight": torch.zeros(3, 1, 2, 3, 4), "bias": torch.zeros(5)}
    with pytest.raises(RuntimeError, match="size mismatch for weight"):
        ours.load_state_dict(wrong)


def test_equal_channels_are_mmcvs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a shape does not tell (in, out) from (out, in), a layer of mmcv takes it for its own."""
    weight = torch.randn(3, 3, 3, 4, 4)
    layer = mmcv.SubMConv3d(4, 4, 3, bias=False)
    layer.load_state_dict({"weight": weight})
    assert torch.equal(layer.weight, weight)
    # spconv 2.0 stored (out, in). Nobody but the caller can know.
    monkeypatch.setattr(spconv.constants, "SAVED_WEIGHT_LAYOUT", "RSKC")
    layer.load_state_dict({"weight": weight})
    assert torch.equal(layer.weight, weight.transpose(3, 4))


def test_tensor() -> None:
    x = some_tensor(3)
    assert x.sparity == pytest.approx(len(x.indices) / 7**3 / 2) and x.spatial_size == 343
    assert x.grid is None and x.indice_dict == {} and x.find_indice_pair("a") is None
    x.features = x.features * 2
    torch.testing.assert_close(x.dense().sum(), x.features.sum())
    assert x.dense(channels_first=False).shape == (2, 7, 7, 7, 3)
    assert mmcv.SparseConvTensor(x.features, x.indices.long(), [7] * 3, 2).indices.dtype == torch.int32
    rows = mmcv.scatter_nd(x.indices.long(), x.features, [2, 7, 7, 7, 3])
    assert torch.equal(rows, x.dense(channels_first=False))
    x.features = x.features[:-1]
    with pytest.raises(ValueError, match="features has"):
        mmcv.SubMConv3d(3, 3, 3).double()(x)


def test_other_sites_have_other_pairs() -> None:
    """Sites are an attribute that can be set; pairs of the old ones are not taken for the new."""
    x, layer = some_tensor(2), mmcv.SubMConv2d(3, 4, 3).double()
    layer(x)
    x.indices = x.indices.flip(0).contiguous()
    dense = DENSE[2](x.dense(), torch_weight(layer), layer.bias, padding=1)
    torch.testing.assert_close(layer(x).features, at_sites(dense, x.indices))


def test_all_tensors_of_a_network_share_pairs() -> None:
    x = some_tensor(3)
    down = mmcv.SparseConv3d(3, 3, 3, 2, 1, indice_key="d").double()
    y = down(x)
    assert y.indice_dict is x.indice_dict and set(x.indice_dict) == {"d"}
    # A second call on the same tensor finds its own pairs.
    again = down(x)
    assert torch.equal(again.features, y.features) and again.indices is y.indices
    # A tensor that does not descend from down's result can be taken back all the same.
    other = mmcv.SparseConvTensor(y.features, y.indices, y.spatial_shape, 2)
    other.indice_dict = x.indice_dict
    assert mmcv.SparseInverseConv3d(3, 3, 3, "d").double()(other).indices is x.indices


def test_stored_pairs_are_mmcvs_tuple_too() -> None:
    x = some_tensor(3)
    y = mmcv.SparseConv3d(3, 3, 3, 2, 1, indice_key="d").double()(x)
    outids, indices, pairs, counts, spatial_shape = stored = x.indice_dict["d"]
    assert outids is y.indices and indices is x.indices and spatial_shape == x.spatial_shape
    assert pairs is stored.indice_pairs and counts is stored.indice_pair_num
    assert stored[0] is outids and stored[-1] == x.spatial_shape and len(stored) == 5
    assert [id(part) for part in stored[1:3]] == [id(indices), id(pairs)]


def test_misuse_of_keys() -> None:
    x = some_tensor(3)
    y = mmcv.SubMConv3d(3, 3, 3, indice_key="a").double()(x)
    z = mmcv.SparseConv3d(3, 3, 3, 2, 1, indice_key="d").double()(y)
    misuses: list[tuple[Any, Any, str]] = [
        (mmcv.SubMConv3d(3, 3, (1, 3, 3), indice_key="a"), y, "stored with kernel_size"),
        (mmcv.SubMConv3d(3, 3, 3, indice_key="d"), y, "only submanifold layers may share"),
        (mmcv.SparseConv3d(3, 3, 3, indice_key="a"), y, "only submanifold layers may share"),
        (mmcv.SparseConv3d(3, 3, 3, 1, 1, indice_key="d"), x, "stored with stride"),
        (mmcv.SparseConv3d(3, 3, 3, 2, 0, indice_key="d"), x, "stored with padding"),
        (mmcv.SparseConvTranspose3d(3, 3, 3, 2, 1, indice_key="d"), x, "stored with transposed"),
        (mmcv.SparseConv3d(3, 3, 3, 2, 1, indice_key="d"), z, "stored with"),
        (mmcv.SparseInverseConv3d(3, 3, 3, "a"), y, "cannot be undone"),
        (mmcv.SparseInverseConv3d(3, 3, 3), z, "is not stored"),
        (mmcv.SparseInverseConv3d(3, 3, 2, "d"), z, "stored with kernel_size"),
    ]
    for layer, input, message in misuses:
        with pytest.raises(ValueError, match=message):
            layer.double()(input)
    z.indices = z.indices.flip(0)
    with pytest.raises(ValueError, match="other sites"):
        mmcv.SparseInverseConv3d(3, 3, 3, "d").double()(z)


def test_lenient_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine lists of pairs for 27 offsets: the first nine offsets count, as in mmcv."""
    monkeypatch.setattr(spconv.constants, "LENIENT_INDICE_KEYS", True)
    x = some_tensor(3)
    y = mmcv.SubMConv3d(3, 3, (1, 3, 3), indice_key="a").double()(x)
    layer = mmcv.SubMConv3d(3, 5, 3, bias=False, indice_key="a").double()
    flat = mmcv.SubMConv3d(3, 5, (1, 3, 3), bias=False).double()
    flat.weight.data = layer.weight.data[:1].contiguous()
    torch.testing.assert_close(layer(y).features, flat(y).features)


def small_network() -> Any:
    return mmcv.SparseSequential(
        mmcv.SubMConv3d(3, 8, 3, bias=False, indice_key="subm1"),
        torch.nn.BatchNorm1d(8),
        torch.nn.ReLU(),
        mmcv.SparseConv3d(8, 16, 3, 2, 1, indice_key="down"),
        torch.nn.BatchNorm1d(16),
        torch.nn.ReLU(),
        mmcv.SubMConv3d(16, 16, 1),
        mmcv.SparseInverseConv3d(16, 4, 3, "down"),
        sparse_modules.RemoveGrid(),
        sparse_modules.ToDense(),
        torch.nn.Conv3d(4, 2, 3),
    ).double()


def test_sequence() -> None:
    network, x = small_network(), some_tensor(3)
    expected = x.sparity
    y = network(x)
    assert y.shape == (2, 2, 5, 5, 5) and len(network) == 11
    assert sorted(network.sparity_dict) == sorted("0 3 6 7 8 9".split())
    assert network.sparity_dict["0"] == network.sparity_dict["9"] == pytest.approx(expected)
    y.sum().backward()
    assert all(value.grad is not None for value in network.parameters())


def test_ordinary_modules_set_the_features_of_their_input() -> None:
    x = some_tensor(2)
    before = x.features
    y = mmcv.SparseSequential(torch.nn.ReLU())(x)
    assert y is x and torch.equal(x.features, before.relu()) and bool((before < 0).any())


@pytest.mark.parametrize("how", ["fused", "fuse"])
def test_folding_batch_normalisation(how: str) -> None:
    """mmcv's sequence.fused(), and detops.spconv.fuse; a convolution's own bias counts too."""
    network, x = small_network(), some_tensor(3)

    def run(some: Any) -> Any:
        return some(mmcv.SparseConvTensor(x.features, x.indices, x.spatial_shape, 2))

    for _ in range(3):
        run(network)  # moves the running statistics
    network[1].running_var[0] = 1e-4  # where eps inside or outside of the root is not the same
    network.eval()
    fused = network.fused() if how == "fused" else spconv.fuse(network)
    assert not any(isinstance(module, torch.nn.BatchNorm1d) for module in fused)
    torch.testing.assert_close(run(fused), run(network))
    if how == "fused":
        assert len(fused) == 9 and fused[0].fused_bn and not network[0].fused_bn
    assert network[0].bias is None and len(network) == 11


def test_folding_a_convolution_that_stands_twice() -> None:
    convolution = mmcv.SubMConv3d(3, 3, 3)
    norms = [torch.nn.BatchNorm1d(3) for _ in range(2)]
    for place, norm in enumerate(norms):
        norm.running_mean.fill_(place + 1)
        norm.running_var.fill_(place + 2)
    layers = (convolution, norms[0], convolution, norms[1])
    network = mmcv.SparseSequential(*layers).double().eval()
    expected = network(some_tensor(3)).features
    torch.testing.assert_close(network.fused()(some_tensor(3)).features, expected)
    torch.testing.assert_close(spconv.fuse(network)(some_tensor(3)).features, expected)


def test_no_sites() -> None:
    x = mmcv.SparseConvTensor(
        torch.zeros(0, 3, dtype=torch.float64), torch.zeros(0, 4, dtype=torch.int32), [7] * 3, 2
    )
    y = small_network().train()(x)
    assert y.shape == (2, 2, 5, 5, 5)
    pooled = mmcv.SparseMaxPool3d(2, 2)(x)
    assert pooled.features.shape == (0, 3) and pooled.spatial_shape == [3, 3, 3]
    assert x.sparity == 0


def test_copies_and_pickles() -> None:
    network = small_network().eval()

    def run(some: Any) -> Any:
        return some(some_tensor(3))

    expected = run(network)
    for other in (copy.deepcopy(network), pickle.loads(pickle.dumps(network))):
        assert torch.equal(run(other), expected)
    x = some_tensor(3)
    mmcv.SubMConv3d(3, 3, 3, indice_key="a").double()(x)
    made = pickle.loads(pickle.dumps(x))
    assert torch.equal(made.features, x.features) and set(made.indice_dict) == {"a"}


def test_modules_of_spconv_work_among_those_of_mmcv() -> None:
    """mmcv has no tables; those of detops.spconv take its tensors."""
    x = some_tensor(2)
    branches = spconv.ConcatTable()
    branches.add(mmcv.SubMConv2d(3, 4, 3)).add(mmcv.SubMConv2d(3, 4, 1))
    y = mmcv.SparseSequential(branches, spconv.JoinTable(), spconv.SparseReLU()).double()(x)
    assert type(y) is mmcv.SparseConvTensor and y.features.shape == (len(x.indices), 8)
    assert bool((y.features >= 0).all())


def test_wrong_input() -> None:
    with pytest.raises(ValueError, match="expected a SparseConvTensor"):
        mmcv.SubMConv2d(3, 4, 3)(torch.zeros(2, 3))
    with pytest.raises(ValueError, match=r"SubMConv2d\(5.*3 channels, expected in_channels = 5"):
        mmcv.SubMConv2d(5, 4, 3)(some_tensor(2))
    with pytest.raises(ValueError, match="groups is 2"):
        mmcv.SubMConv2d(4, 4, 3, groups=2)


@pytest.mark.parametrize("rows", [4, 90])
def test_features_that_do_not_fit_the_sites(rows: int) -> None:
    """They can be set, so that each layer looks, also those whose pairs leave the number open."""
    x = some_tensor(2)
    down = mmcv.SparseConv2d(3, 3, 3, 2, 1, indice_key="d").double()
    y = down(x)
    y.features = torch.ones(rows, 3, dtype=torch.float64)
    for layer in (
        mmcv.SparseInverseConv2d(3, 3, 3, indice_key="d").double(),
        mmcv.SubMConv2d(3, 3, 3).double(),
        mmcv.SparseMaxPool2d(2),
    ):
        with pytest.raises(ValueError, match=f"features has {rows} rows and indices"):
            layer(y)
