"""Networks of detops.spconv: shared pairs, checkpoints, folding, odd inputs."""

from __future__ import annotations

import copy
import io
import pickle
from collections import OrderedDict
from typing import Any

import pytest

torch = pytest.importorskip("torch")

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


def test_pairs_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    original = spconv._pairs._new_pairs

    def count(*arguments: Any) -> Any:
        made.append(1)
        return original(*arguments)

    monkeypatch.setattr(spconv._pairs, "_new_pairs", count)
    layers = [spconv.SubMConv3d(3, 3, 3, indice_key=key).double() for key in ("a", "a", None, "b")]
    x = spconv.SparseSequential(*layers)(some_tensor(3))
    assert len(made) == 1 and set(x.indice_dict) == {"a", "b"}
    spconv.SubMConv3d(3, 3, (1, 3, 3)).double()(x)
    assert len(made) == 2


def test_layers_do_not_change_the_dictionary_of_their_input() -> None:
    x = some_tensor(3)
    y = spconv.SparseConv3d(3, 3, 3, 2, indice_key="a").double()(x)
    assert "a" in y.indice_dict and "a" not in x.indice_dict
    spconv.SparseConv3d(3, 3, 3, 1, indice_key="a").double()(x)


def test_misuse_of_keys() -> None:
    x = some_tensor(3)
    y = spconv.SubMConv3d(3, 3, 3, indice_key="a").double()(x)
    with pytest.raises(ValueError, match=r"indice_key 'a': stored with kernel_size \[3, 3, 3\]"):
        spconv.SubMConv3d(3, 3, (1, 3, 3), indice_key="a").double()(y)
    with pytest.raises(ValueError, match="stored with dilation"):
        spconv.SubMConv3d(3, 3, 3, dilation=2, indice_key="a").double()(y)
    with pytest.raises(ValueError, match="only submanifold layers may share"):
        spconv.SparseConv3d(3, 3, 3, indice_key="a").double()(y)
    with pytest.raises(ValueError, match="cannot be undone"):
        spconv.SparseInverseConv3d(3, 3, 3, "a").double()(y)
    with pytest.raises(ValueError, match="indice_key 'b' is not stored"):
        spconv.SparseInverseConv3d(3, 3, 3, "b").double()(y)
    down = spconv.SparseConv3d(3, 3, 3, 2, indice_key="d").double()(y)
    fewer = down.select_by_index(torch.arange(3))
    fewer.indice_dict = down.indice_dict
    with pytest.raises(ValueError, match="number of output sites"):
        spconv.SparseInverseConv3d(3, 3, 3, "d").double()(fewer)
    with pytest.raises(ValueError, match="stored with kernel_size"):
        spconv.SparseInverseConv3d(3, 3, 1, "d").double()(down)


def test_pairs_of_other_sites_are_not_taken() -> None:
    """Sites can be set, and pairs of the old ones would give wrong numbers."""
    x, layer = some_tensor(3), spconv.SubMConv3d(3, 3, 3).double()
    expected = layer(x).features.flip(0)
    x.indices = x.indices.flip(0).contiguous()
    torch.testing.assert_close(layer(x.replace_feature(x.features.flip(0))).features, expected)
    keyed = spconv.SubMConv3d(3, 3, 3, indice_key="a").double()
    y = keyed(x)
    y.indices = y.indices.flip(0)
    with pytest.raises(ValueError, match="stored for other sites"):
        keyed(y)
    down = spconv.SparseConv3d(3, 3, 3, 2, indice_key="d").double()(x)
    down.indices = down.indices.flip(0)
    with pytest.raises(ValueError, match="stored for other sites"):
        spconv.SparseInverseConv3d(3, 3, 3, "d").double()(down)


def test_lenient_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine lists of pairs for 27 offsets: the first nine offsets count."""
    monkeypatch.setattr(spconv.constants, "LENIENT_INDICE_KEYS", True)
    x = some_tensor(3)
    y = spconv.SubMConv3d(3, 3, (1, 3, 3), indice_key="a").double()(x)
    layer = spconv.SubMConv3d(3, 5, 3, bias=False, indice_key="a").double()
    z = layer(y)
    flat = spconv.SubMConv3d(3, 5, (1, 3, 3), bias=False).double()
    flat.weight.data = layer.weight.data[:, :1].contiguous()
    torch.testing.assert_close(z.features, flat(y).features)


def test_fused_network_gives_the_same() -> None:
    network, x = small_network(), some_tensor(3)
    for _ in range(3):
        network(x)  # moves the running statistics
    network.eval()
    fused = spconv.fuse(network)
    torch.testing.assert_close(fused(x).features, network(x).features)
    kinds = [type(module).__name__ for module in fused]
    assert kinds.count("SparseIdentity") == 4 and not fused.training
    assert network[1].__class__ is torch.nn.BatchNorm1d and network[0].bias is None
    assert fused[0].act_type == spconv.Activation.ReLU and fused[3].act_alpha == 0.2


def test_fusing_stops_where_something_is_between() -> None:
    layers = (spconv.SubMConv3d(3, 4, 3), torch.nn.ReLU(), torch.nn.BatchNorm1d(4))
    fused = spconv.fuse(spconv.SparseSequential(*layers).double())
    assert isinstance(fused[2], torch.nn.BatchNorm1d)
    x, expected = some_tensor(3), spconv.SparseSequential(*layers).eval()
    torch.testing.assert_close(fused(x).features, expected(x).features)


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


def test_wrong_weight_shape_is_told() -> None:
    with pytest.raises(RuntimeError, match="size mismatch for weight"):
        spconv.SubMConv3d(3, 5, 3).load_state_dict({"weight": torch.zeros(5, 3, 3, 3, 4)}, False)


def test_state_dict_keys() -> None:
    assert list(spconv.SubMConv3d(3, 5, 3).state_dict()) == ["weight", "bias"]
    assert list(spconv.SubMConv3d(3, 5, 3, bias=False).state_dict()) == ["weight"]
    recording = spconv.SparseConv3d(3, 5, 3, record_voxel_count=True).double()
    assert "max_num_voxels_during_training" in recording.state_dict()
    y = recording(some_tensor(3))
    assert recording.get_max_num_voxels().item() == len(y.indices)
    recording.load_state_dict(spconv.SparseConv3d(3, 5, 3).state_dict())


def test_compatible_1x1(monkeypatch: pytest.MonkeyPatch) -> None:
    x, layer = some_tensor(3), spconv.SubMConv3d(3, 5, 1, bias=False).double()
    weight = layer.weight.reshape(5, 3)
    torch.testing.assert_close(layer(x).features, x.features @ weight.T)
    monkeypatch.setattr(spconv.constants, "COMPATIBLE_1X1", True)
    torch.testing.assert_close(layer(x).features, x.features @ weight.reshape(3, 5))


def run_of(network: Any, sites: torch.Tensor, batch: int = 2) -> Any:
    features = torch.ones(len(sites), 3, dtype=torch.float64)
    return network(spconv.SparseConvTensor(features, sites, [7, 7, 7], batch))


def test_odd_inputs() -> None:
    network = small_network().eval()
    nothing = run_of(network, torch.zeros((0, 4), dtype=torch.int32))
    assert nothing.features.shape == (0, 4) and nothing.dense().shape == (2, 4, 7, 7, 7)
    one = run_of(network, torch.tensor([[1, 6, 6, 6]]))
    assert one.features.shape == (1, 4)
    sites = some_sites(3, 7, 1, 30)  # nothing in the second sample
    empty_sample = run_of(network, sites)
    torch.testing.assert_close(empty_sample.features, run_of(network, sites, 1).features)
    duplicates = torch.cat([sites, sites[:5]])
    assert run_of(network, duplicates).features.shape == (len(duplicates), 4)
    small_network()(some_tensor(3).select_by_index(torch.arange(0)))  # batch norm in training mode


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
    with pytest.raises(ValueError, match="features have 3 channels, expected 4"):
        spconv.SubMConv3d(4, 4, 3)(x)
    with pytest.raises(ValueError, match="the layer is for 2 axes"):
        spconv.SubMConv2d(3, 4, 3)(x)
    with pytest.raises(ValueError, match="the kernel does not fit"):
        spconv.SparseConv3d(3, 4, 3)(x)
    with pytest.raises(ValueError, match="groups is 2"):
        spconv.SubMConv3d(4, 4, 3, groups=2)
    with pytest.raises(ValueError, match="expected a SparseConvTensor"):
        spconv.SubMConv3d(3, 4, 3)(torch.ones(2, 3))


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


def test_compiled_layer_gives_the_same() -> None:
    x, layer = some_tensor(3), spconv.SubMConv3d(3, 8, 3).double()
    pairs = layer(x)._pairs_of_sites
    assert pairs

    @torch.compile(backend="aot_eager")
    def run(features: Any) -> Any:
        return layer(x.replace_feature(features)).features

    torch.testing.assert_close(run(x.features), layer(x).features)
