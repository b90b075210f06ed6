"""Networks of detops.spconv: checkpoints, odd inputs, modules."""

from __future__ import annotations

import copy
import io
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import detops.mmcv as mmcv  # noqa: E402
from detops import spconv  # noqa: E402

from test_spconv_layers import some_sites, some_tensor  # noqa: E402


def small_network() -> Any:
    return spconv.SparseSequential(
        spconv.SubMConv3d(3, 8, 3, bias=False, indice_key="subm1"),
        torch.nn.BatchNorm1d(8),
        torch.nn.ReLU(),
        spconv.SparseConv3d(8, 16, 3, 2, 1, bias=False, indice_key="down"),
        torch.nn.BatchNorm1d(16),
        torch.nn.LeakyReLU(0.2),
        spconv.SubMConv3d(16, 16, 3, indice_key="subm2"),
        spconv.SparseInverseConv3d(16, 4, 3, "down"),
    ).double()


@pytest.mark.parametrize("layout", ["KRSC", "RSCK", "RSKC"])
def test_checkpoints_of_all_layouts(layout: str) -> None:
    layer = spconv.SparseConv3d(3, 5, (1, 2, 4))
    orders = {"KRSC": (0, 1, 2, 3, 4), "RSCK": (1, 2, 3, 4, 0), "RSKC": (1, 2, 3, 0, 4)}
    stored = {"weight": layer.weight.detach().permute(orders[layout]), "bias": layer.bias.detach()}
    other = spconv.SparseConv3d(3, 5, (1, 2, 4))
    other.load_state_dict(stored)
    assert torch.equal(other.weight, layer.weight)


def test_ambiguous_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = spconv.SparseConv3d(5, 5, (1, 2, 4), bias=False)
    stored = {"weight": layer.weight.detach().permute(1, 2, 3, 4, 0)}
    with pytest.raises((ValueError, RuntimeError), match="RSCK or RSKC"):
        spconv.SparseConv3d(5, 5, (1, 2, 4), bias=False).load_state_dict(stored)
    monkeypatch.setattr(spconv.constants, "SAVED_WEIGHT_LAYOUT", "RSCK")
    other = spconv.SparseConv3d(5, 5, (1, 2, 4), bias=False)
    other.load_state_dict(stored)
    assert torch.equal(other.weight, layer.weight)


def test_layout_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spconv.constants, "SAVED_WEIGHT_LAYOUT", "CKRS")
    layer = spconv.SubMConv3d(3, 5, 3)
    with pytest.raises(ValueError, match="'CKRS', expected one of KRSC, RSCK, RSKC, or nothing"):
        layer.load_state_dict(layer.state_dict())


def test_checkpoint_that_fits_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """(3, 3, 3, 3, 3) may be anything, and is taken for what the layer has."""
    layer, other = spconv.SubMConv3d(3, 3, 3), spconv.SubMConv3d(3, 3, 3)
    other.load_state_dict(layer.state_dict())
    assert torch.equal(other.weight, layer.weight)
    monkeypatch.setattr(spconv.constants, "SAVED_WEIGHT_LAYOUT", "RSCK")
    other.load_state_dict(layer.state_dict())
    assert torch.equal(other.weight, layer.weight.permute(4, 0, 1, 2, 3))


def test_wrong_weight_shape_is_told() -> None:
    with pytest.raises(RuntimeError, match="size mismatch for weight"):
        spconv.SubMConv3d(3, 5, 3).load_state_dict({"weight": torch.zeros(5, 3, 3, 3, 4)}, False)


def test_state_dict_keys() -> None:
    assert list(spconv.SubMConv3d(3, 5, 3).state_dict()) == ["weight", "bias"]
    assert list(spconv.SubMConv3d(3, 5, 3, bias=False).state_dict()) == ["weight"]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("make", [
    lambda: spconv.SparseConv3d(3, 5, 3, record_voxel_count=True).double(),
    lambda: spconv.SparseMaxPool3d(2, record_voxel_count=True),
], ids=["convolution", "pooling"])
def test_counting_of_voxels(make: Any, training: bool) -> None:
    """In eval mode too, whatever the buffer is called."""
    layer, x = make().train(training), some_tensor(3)
    y = layer(x)
    layer(x.select_by_index(torch.arange(2)))
    assert layer.get_max_num_voxels().tolist() == [len(y.indices)]
    assert "max_num_voxels_during_training" in layer.state_dict()


def test_counters_of_checkpoints() -> None:
    layer = spconv.SparseConv3d(3, 5, 3, record_voxel_count=True)
    layer.load_state_dict(spconv.SparseConv3d(3, 5, 3).state_dict())
    # Where the sites are known before, nothing is counted.
    for kind in ({"subm": True}, {"inverse": True}):
        layer = spconv.SparseConvolution(3, 3, 5, 3, **kind, record_voxel_count=True)
        assert list(layer.state_dict()) == ["weight", "bias"] and layer.get_max_num_voxels() is None
        layer.load_state_dict(layer.state_dict())


def test_kernels_of_one_offset_are_as_in_spconv(monkeypatch: pytest.MonkeyPatch) -> None:
    x, layer = some_tensor(3), spconv.SubMConv3d(3, 5, 1, bias=False).double()
    torch.testing.assert_close(layer(x).features, x.features @ layer.weight.reshape(3, 5))
    monkeypatch.setattr(spconv.constants, "COMPATIBLE_1X1", False)
    torch.testing.assert_close(layer(x).features, x.features @ layer.weight.reshape(5, 3).T)


def test_compatible_1x1_is_for_products_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stride spconv searches pairs as for any kernel, and reads the weight as (out, in)."""
    x, layer = some_tensor(3), spconv.SparseConv3d(3, 5, 1, stride=2, bias=False).double()
    expected = layer(x).dense()
    even = x.dense()[:, :, ::2, ::2, ::2]
    weight = layer.weight.reshape(5, 3)
    torch.testing.assert_close(expected, torch.einsum("bcxyz,kc->bkxyz", even, weight))
    monkeypatch.setattr(spconv.constants, "COMPATIBLE_1X1", False)
    torch.testing.assert_close(layer(x).dense(), expected)
    assert not spconv.SparseConv3d(3, 5, 1, padding=1).conv1x1


@pytest.mark.parametrize("channels", [(3, 5), (4, 4)])
@pytest.mark.parametrize("wanted", ["", "same"])
def test_kernels_of_one_offset_of_older_checkpoints(
    channels: tuple[int, int], wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """spconv 1, mmcv, spconv 2.0 and 2.3 keep them in different shapes, and all as (in, out)."""
    before, after = channels
    x, numbers = some_tensor(3, before), torch.randn(before, after, dtype=torch.float64)
    shapes = {
        "KRSC": (after, 1, 1, 1, before),
        "RSCK": (1, 1, 1, before, after),
        "RSKC": (1, 1, 1, after, before),
    }
    for layout, shape in shapes.items():
        if wanted:
            monkeypatch.setattr(spconv.constants, "SAVED_WEIGHT_LAYOUT", layout)
        state = {"weight": numbers.reshape(shape)}
        for package in (spconv, mmcv):
            layer = package.SubMConv3d(before, after, 1, bias=False).double()
            layer.load_state_dict(dict(state))
            y = mmcv.SparseConvTensor(x.features, x.indices, x.spatial_shape, 2)
            torch.testing.assert_close(layer(y).features, x.features @ numbers)
    monkeypatch.setattr(spconv.constants, "SAVED_WEIGHT_LAYOUT", "")
    # With a stride they are kernels as others, in both packages.
    layer = spconv.SparseConv3d(before, after, 1, 2, bias=False).double()
    other = mmcv.SparseConv3d(before, after, 1, 2, bias=False).double()
    other.load_state_dict(layer.state_dict())
    weight = other.weight.reshape(before, after)
    torch.testing.assert_close(weight, layer.weight.reshape(after, before).T)


def run_of(network: Any, sites: torch.Tensor, batch: int = 2) -> Any:
    features = torch.ones(len(sites), 3, dtype=torch.float64)
    return network(spconv.SparseConvTensor(features, sites, [7, 7, 7], batch))


def test_samples_do_not_meet() -> None:
    network, sites = small_network().eval(), some_sites(3, 7, 2, 60)
    whole = run_of(network, sites)
    for sample in (0, 1):
        mine = sites[:, 0] == sample
        alone = sites[mine].clone()
        alone[:, 0] = 0
        torch.testing.assert_close(whole.features[mine], run_of(network, alone, 1).features)


def test_errors_name_row_and_value() -> None:
    sites = torch.tensor([[0, 0, 0, 0], [0, 1, 9, 1]])
    with pytest.raises(ValueError, match=r"indices\[1, 2\] is 9.*same order"):
        run_of(small_network(), sites)
    x = spconv.SparseConvTensor(torch.ones(2, 3), sites, [2, 10, 4], 1)
    with pytest.raises(ValueError, match="features have 3 channels, expected in_channels = 4"):
        spconv.SubMConv3d(4, 4, 3)(x)
    with pytest.raises(ValueError, match="indices has 4 columns, expected 3"):
        spconv.SubMConv2d(3, 4, 3)(x)
    with pytest.raises(ValueError, match="the kernel does not fit"):
        spconv.SparseConv3d(3, 4, 3)(x)
    with pytest.raises(ValueError, match="groups is 2"):
        spconv.SubMConv3d(4, 4, 3, groups=2)
    with pytest.raises(ValueError, match="expected a SparseConvTensor"):
        spconv.SubMConv3d(3, 4, 3)(torch.ones(2, 3))


@pytest.mark.parametrize(("words", "message"), [
    ({"stride": 0}, r"stride is 0, expected 1 or more"),
    ({"kernel_size": -1}, r"kernel_size is -1, expected 1 or more"),
    ({"kernel_size": (3, 0, 3)}, r"kernel_size is \(3, 0, 3\), expected 1 or more"),
    ({"kernel_size": (3, 3)}, r"kernel_size is \(3, 3\), expected an int or 3"),
    ({"kernel_size": 3.5}, "kernel_size is 3.5, expected an int or 3"),
    ({"padding": -1}, "padding is -1, expected 0 or more"),
    ({"dilation": [1, 1, 0]}, r"dilation is \[1, 1, 0\], expected 1 or more"),
])
def test_wrong_sizes(words: dict[str, Any], message: str) -> None:
    for make in (lambda **w: spconv.SparseConv3d(3, 4, **w), spconv.SparseMaxPool3d):
        made: Any = make
        with pytest.raises(ValueError, match=message):
            made(**{"kernel_size": 3, **words})
    made = spconv.SparseConv3d(3, 4, np.int64(3), torch.tensor(2), np.array([1, 0, 1]))
    assert (made.kernel_size, made.stride, made.padding) == ([3] * 3, [2] * 3, [1, 0, 1])
    with pytest.raises(ValueError, match="out_channels is -1, expected 0 or more"):
        spconv.SparseConv3d(3, -1, 3)
    with pytest.raises(ValueError, match="output_padding is -1"):
        spconv.SparseConvTranspose3d(3, 4, 3, output_padding=-1)


def test_pickle_and_deepcopy() -> None:
    network, x = small_network().eval(), some_tensor(3)
    with torch.no_grad():
        expected = network(x)
    for other in (copy.deepcopy(network), pickle.loads(pickle.dumps(network))):
        assert torch.equal(other(x).features, expected.features)
    for tensor in (copy.deepcopy(expected), pickle.loads(pickle.dumps(expected))):
        assert torch.equal(tensor.dense(), expected.dense())
    file = io.BytesIO()
    torch.save(network.state_dict(), file)
    file.seek(0)
    small_network().load_state_dict(torch.load(file))


OF_DETOPS = "act_type act_alpha act_beta algo fp32_accum record_voxel_count name start output_padding"


def test_models_that_others_have_pickled() -> None:
    """Layers of mmcv and pooling of spconv have fewer attributes, and convolutions of spconv a hook
    that loads weights."""
    network = spconv.SparseSequential(
        spconv.SparseConv3d(3, 4, 3, 2, 1, indice_key="d"),
        spconv.SparseMaxPool3d(2),
    ).double()
    expected = network(some_tensor(3)).features
    convolution, pool = network
    convolution._register_load_state_dict_pre_hook(convolution._load_weight_different_layout)
    for name in OF_DETOPS.split():
        if name != "output_padding":  # mmcv's convolutions have it
            vars(convolution).pop(name, None)
        vars(pool).pop(name, None)
    for name in ("_sparse_unique_name", "weight_shape"):
        vars(convolution).pop(name, None)
    del vars(pool)["indice_key"]
    other = pickle.loads(pickle.dumps(network))
    assert torch.equal(other(some_tensor(3)).features, expected)
    assert repr(other) and not other[0]._load_state_dict_pre_hooks
    assert other[0].weight_shape == [4, 3, 3, 3, 3]
    other.load_state_dict(other.state_dict())


def test_training_learns() -> None:
    torch.manual_seed(0)
    x, network = some_tensor(3), small_network()
    wanted = torch.randn(len(x.indices), 4, dtype=torch.float64)
    optimizer = torch.optim.Adam(network.parameters(), 0.02)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = (network(x).features - wanted).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]


def test_sequential_is_built_as_usual() -> None:
    layers = OrderedDict(a=spconv.SubMConv3d(3, 3, 3), b=torch.nn.ReLU())
    network = spconv.SparseSequential(layers)
    network.add(torch.nn.ReLU())
    assert [name for name, _ in network.named_children()] == ["a", "b", "2"] and len(network) == 3
    assert isinstance(network[-1], torch.nn.ReLU)
    with pytest.raises(IndexError):
        network[3]
    with pytest.raises(KeyError):
        network.add(torch.nn.ReLU(), "a")
    by_name = spconv.SparseSequential(conv=spconv.SubMConv3d(3, 3, 3), act=torch.nn.ReLU())
    assert list(by_name.state_dict()) == ["conv.weight", "conv.bias"]
    spconv.assign_name_for_sparse_modules(by_name)
    assert by_name[0]._sparse_unique_name == "conv"


def test_tables_and_layers_on_features() -> None:
    x = some_tensor(3)
    both = spconv.ConcatTable().add(spconv.Identity()).add(spconv.SparseReLU())(x)
    relu = x.features.clamp(min=0)
    assert torch.equal(spconv.AddTable()(both).features, x.features + relu)
    assert torch.equal(spconv.JoinTable()(both).features, torch.cat([x.features, relu], 1))
    norm = spconv.SparseBatchNorm(3).double()
    torch.testing.assert_close(norm(x).features.mean(0), torch.zeros(3, dtype=torch.float64))
    assert torch.equal(spconv.SparseIdentity()(x).features, x.features)
    assert torch.equal(spconv.ToDense()(x), x.dense())


@pytest.mark.parametrize("kind", [spconv.AddTable, spconv.JoinTable])
def test_tables_need_the_same_sites(kind: Any) -> None:
    x, name = some_tensor(3), kind.__name__
    wider = spconv.SparseConvTensor(x.features, x.indices, [8, 7, 7], 2)
    longer = spconv.SparseConvTensor(x.features, x.indices, x.spatial_shape, 3)
    moved = x.shadow_copy()
    moved.indices = x.indices.flip(0)
    count = len(x.indices)
    for other, message in (
        (wider, r"a tensor has spatial_shape \[8, 7, 7\], expected \[7, 7, 7\]"),
        (longer, "a tensor has batch_size 3, expected 2"),
        (x.select_by_index(torch.arange(5)), f"a tensor has 5 sites, expected {count}"),
        (moved, "a tensor has other sites than the first; AddTableMisaligned"),
    ):
        with pytest.raises(ValueError, match=f"{name}: {message}"):
            kind()([x, other])
    kind()([x, spconv.SparseConvTensor(x.features, x.indices.clone(), x.spatial_shape, 2)])
    one = x.replace_feature(x.features[:, :1])
    if kind is spconv.JoinTable:
        assert torch.equal(kind()([x, one]).features, torch.cat([x.features, one.features], 1))
    else:
        with pytest.raises(ValueError, match="AddTable: a tensor has 1 channels, expected 3"):
            kind()([x, one])


def test_sizes_before_tables() -> None:
    tables = spconv.tables
    for table in (tables.JoinTable(), tables.AddTable(), tables.AddTableMisaligned()):
        assert table.input_spatial_size([3, 4]) == [3, 4]
    assert tables.ConcatTable().add(spconv.Identity()).input_spatial_size(5) == 5


def test_names_of_the_original() -> None:
    """What programs take from the modules below ``spconv.pytorch``."""
    assert spconv.SubMConv3d(3, 5, (1, 2, 3)).weight_shape == [5, 1, 2, 3, 3]
    assert issubclass(spconv.SparseConv2d, spconv.conv.SparseConvolutionBase)
    assert spconv.identity.Identity().input_spatial_size(7) == 7
    assert spconv.SPCONV_VERSION_NUMBERS == [int(n) for n in spconv.__version__.split(".")]
    assert spconv.ops.ConvAlgo is spconv.ConvAlgo
    assert spconv.ops.get_conv_output_size([8, 9], [3, 2], [2, 1], [1, 0], [1, 2]) == [4, 7]
    assert spconv.ops.get_deconv_output_size([4], [3], [2], [1], [1], [1]) == [8]
    for kind in ("SubMConv3d", "SparseConv3d", "SparseConvTranspose2d"):  # of spconv 1
        assert getattr(spconv, kind)(3, 5, 3, indice_key="a", use_hash=True).indice_key == "a"
    x = some_tensor(3)
    for kind in ("Max", "Avg"):
        whole = getattr(spconv.pool, f"Sparse{kind}Pool")
        assert issubclass(getattr(spconv, f"Sparse{kind}Pool3d"), whole)
        assert whole(3).kernel_size == [3] * 3 and whole(3).stride == [1] * 3
        same = getattr(spconv, f"Sparse{kind}Pool3d")(2, 1)(x).features
        assert torch.equal(whole(3, 2)(x).features, same)
        both = spconv.pool.SparseGlobalMaxOrAvgPool(is_mean=kind == "Avg")
        found = getattr(spconv, f"SparseGlobal{kind}Pool")()
        assert isinstance(found, type(both)) and torch.equal(both(x), found(x))


def test_compiled_layer_gives_the_same() -> None:
    x, layer = some_tensor(3), spconv.SubMConv3d(3, 8, 3).double()
    pairs = layer(x)._pairs_of_sites
    assert pairs

    @torch.compile(backend="aot_eager")
    def run(features: Any) -> Any:
        return layer(x.replace_feature(features)).features

    torch.testing.assert_close(run(x.features), layer(x).features)
