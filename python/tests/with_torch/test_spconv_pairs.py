"""Which pairs the layers of detops.spconv share, and which they refuse."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from detops import spconv  # noqa: E402

from test_spconv_layers import some_tensor  # noqa: E402


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
        spconv.SparseInverseConv3d(3, 3, (1, 3, 3), "d").double()(down)


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


def test_pairs_of_sites_that_are_written_are_not_taken() -> None:
    """As VoxelNeXt does: x.indices[:, 1:] *= 2. The tensor stays the same, its numbers do not."""
    x, layer = some_tensor(3), spconv.SubMConv3d(3, 3, 3).double()
    layer(x)
    x.indices[:, 1:] = 6 - x.indices[:, 1:].flip(1)
    fresh = spconv.SparseConvTensor(x.features, x.indices.clone(), x.spatial_shape, 2)
    torch.testing.assert_close(layer(x).features, layer(fresh).features)
    keyed = spconv.SubMConv3d(3, 3, 3, indice_key="a").double()
    with torch.no_grad():
        y = keyed(x)
    for same in (copy.deepcopy(y), pickle.loads(pickle.dumps(y))):
        keyed(same)
    down = spconv.SparseConv3d(3, 3, 3, 2, indice_key="d").double()(y)
    y.indices[0, 1] = 0
    with pytest.raises(ValueError, match="stored for other sites"):
        keyed(y)
    down.indices[0, 1] = 2
    with pytest.raises(ValueError, match="stored for other sites"):
        spconv.SparseInverseConv3d(3, 3, 3, "d").double()(down)


def test_inference_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs that are made there serve in training too, and are made once."""
    layer, original = spconv.SubMConv3d(3, 3, 3).double(), spconv._pairs._new_pairs
    x, made = some_tensor(3), []
    monkeypatch.setattr(spconv._pairs, "_new_pairs", lambda *a: (made.append(1), original(*a))[1])
    with torch.inference_mode():
        expected = layer(x).features
        assert expected.is_inference()
    y = layer(x)
    torch.testing.assert_close(y.features, expected)
    y.features.sum().backward()
    assert layer.weight.grad is not None and len(made) == 1
    with torch.inference_mode():
        inside = spconv.SparseConvTensor(x.features, x.indices.clone(), x.spatial_shape, 2)
        layer(layer(inside))
        assert len(made) == 2
        inside.indices.copy_(inside.indices.flip(0))  # no version counts this
        flipped = inside.replace_feature(inside.features.flip(0))
        torch.testing.assert_close(layer(flipped).features, expected.flip(0))


@pytest.mark.parametrize("order", [(3, 1), (1, 3)])
@pytest.mark.parametrize("kind", ["SubMConv3d", "SparseConv3d", "SparseConvTranspose3d"])
def test_kernels_of_one_offset_need_no_pairs(kind: str, order: tuple[int, int]) -> None:
    """They neither take those of their key nor store any, and rows stay: a shortcut can be added."""
    x = some_tensor(3)
    one = getattr(spconv, kind)(3, 3, 1, indice_key="a").double()
    layers = {1: one, 3: spconv.SubMConv3d(3, 3, 3, indice_key="a").double()}
    y = spconv.SparseSequential(*(layers[size] for size in order))(x)
    assert y.indice_dict["a"].ksize == [3, 3, 3] and y.indices is x.indices
    expected = x.features @ one.weight.reshape(3, 3) + one.bias
    torch.testing.assert_close(one(x).features, expected)
    assert one(x).indice_dict == {}
    back = spconv.SparseInverseConv3d(3, 3, 1, "b").double()  # of a layer that stored none
    assert back(one(x)).indices is x.indices
    twice = spconv.SparseConvTensor(x.features, x.indices[:1].expand(len(x.indices), 4), [7] * 3, 2)
    torch.testing.assert_close(one(twice).features, expected)


def test_inverse_kernels_of_one_offset(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in spconv they stay where they are; without COMPATIBLE_1X1 they go back."""
    x = some_tensor(3)
    down = spconv.SparseConv3d(3, 3, 1, 2, indice_key="d").double()(x)
    back = spconv.SparseInverseConv3d(3, 5, 1, "d", bias=False).double()
    stays = back(down)
    assert stays.indices is down.indices and stays.spatial_shape == down.spatial_shape
    torch.testing.assert_close(stays.features, down.features @ back.weight.reshape(3, 5))
    monkeypatch.setattr(spconv.constants, "COMPATIBLE_1X1", False)
    returns = back(down)
    assert returns.indices is x.indices and returns.spatial_shape == x.spatial_shape
    even = (x.indices[:, 1:] % 2 == 0).all(1)
    assert not returns.features[~even].any() and returns.features[even].any()


def test_output_padding_of_kernels_of_one_offset() -> None:
    x = some_tensor(3)
    words = {"transposed": True, "output_padding": [1, 0, 2]}
    y = spconv.SparseConvolution(3, 3, 5, 1, **words).double()(x)
    assert y.spatial_shape == [8, 7, 9] and y.indices is x.indices


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


def test_lenient_keys_need_lists_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """More lists than offsets are nobody's; of an inverse layer neither are fewer."""
    monkeypatch.setattr(spconv.constants, "LENIENT_INDICE_KEYS", True)
    x = some_tensor(3)
    y = spconv.SubMConv3d(3, 3, 3, indice_key="a").double()(x)
    told = "indice_key 'a': stored with 27 lists of pairs, but this layer's kernel "
    with pytest.raises(ValueError, match=told + r"\[1, 3, 3\] has 9 offsets"):
        spconv.SubMConv3d(3, 3, (1, 3, 3), indice_key="a").double()(y)
    down = spconv.SparseConv3d(3, 4, (1, 3, 3), 2, 1, indice_key="d").double()(x)
    for kernel in (3, (1, 1, 3)):
        layer = spconv.SparseInverseConv3d(4, 3, kernel, "d").double()
        offsets = layer.weight[0, ..., 0].numel()
        with pytest.raises(ValueError, match=f"stored with 9 lists .* has {offsets} offsets"):
            layer(down)
    # As many, in another order: taken, as spconv 1 does.
    layer = spconv.SparseInverseConv3d(4, 3, (3, 3, 1), "d").double()
    right = spconv.SparseInverseConv3d(4, 3, (1, 3, 3), "d").double()
    right.load_state_dict({"weight": layer.weight.reshape(3, 1, 3, 3, 4), "bias": layer.bias})
    torch.testing.assert_close(layer(down).features, right(down).features)


def test_pairs_in_the_layout_of_spconv() -> None:
    """(2, K, L); of a submanifold layer the offsets before the centre are counted."""
    x = some_tensor(2)
    sites = x.indices.tolist()
    for layer, half in (
        (spconv.SubMConv2d(3, 3, 3, indice_key="a"), 4),
        (spconv.SparseConv2d(3, 3, 3, 2, 1, indice_key="a"), 9),
    ):
        y = layer.double()(x)
        stored = y.find_indice_pair("a")
        pairs, counts = spconv.ops.in_spconv_layout(stored)
        assert pairs.shape == (2, 9, len(sites)) and pairs.is_contiguous()
        assert counts[:half].tolist() == stored.indice_pair_num[:half].tolist()
        assert not counts[half:].any()
        inputs, outputs = (pairs[side, 1, : counts[1]].tolist() for side in (0, 1))
        assert len(inputs) > 0
        for before, behind in zip(inputs, outputs, strict=True):  # offset (0, 1)
            (b, y0, x0), (c, y1, x1) = sites[before], y.indices[behind].tolist()
            stride = layer.stride[0]
            assert b == c and (y0 + 1, x0) == (y1 * stride, x1 * stride)


def test_products_of_the_same_rows_find_their_pairs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    real = spconv._pairs._rows_with_themselves
    monkeypatch.setattr(spconv._pairs, "_rows_with_themselves", lambda *a: made.append(real(*a)) or made[-1])
    layers = [spconv.SubMConv2d(2, 3, 1), spconv.SubMConv2d(3, 2, 1), spconv.SparseConv2d(2, 1, 1)]
    sites = torch.tensor([[0, 0, 1], [0, 2, 2], [1, 1, 1]], dtype=torch.int32)
    x = spconv.SparseConvTensor(torch.randn(3, 2), sites, [3, 3], 2)
    with torch.inference_mode():
        first = layers[0](x)
    y = first.replace_feature(first.features.clone())
    for layer in layers[1:]:
        y = layer(y)
    y.features.sum().backward()
    weight = layers[0].weight.reshape(2, 3)
    torch.testing.assert_close(first.features, x.features @ weight + layers[0].bias)
    assert len(made) == 1 and y.indices is sites
    # Sites that somebody has moved, or a batch that has shrunk, are looked at anew.
    sites[2, 0] = 0
    layers[0](x)
    assert len(made) == 2
    x.batch_size = 1
    sites[0, 0] = 1
    with pytest.raises(ValueError, match=r"indices\[0, 0\] is 1, expected"):
        layers[0](x)
