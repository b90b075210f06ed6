"""Layers of detops.mmcv against torch's dense convolutions."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

import detops.mmcv as mmcv  # noqa: E402
from detops.mmcv import sparse_conv, sparse_functional, sparse_ops  # noqa: E402

from test_spconv_layers import (  # noqa: E402
    DENSE,
    DENSE_TRANSPOSED,
    at_sites,
    check_four_dimensions,
    is_reached,
    some_sites,
)


def some_tensor(ndim: int, channels: int = 3, extent: int = 7) -> mmcv.SparseConvTensor:
    sites = some_sites(ndim, extent, 2, 12 * ndim)
    random = torch.Generator().manual_seed(1)
    features = torch.randn(len(sites), channels, generator=random, dtype=torch.float64)
    return mmcv.SparseConvTensor(features, sites, [extent] * ndim, 2)


def torch_weight(layer: Any) -> torch.Tensor:
    """(kernel..., in, out) as (out, in, kernel...)"""
    weight = layer.weight
    return weight.permute(weight.ndim - 1, weight.ndim - 2, *range(weight.ndim - 2))


@pytest.mark.parametrize("ndim", [2, 3])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("kernel", "stride", "padding", "dilation"), [
    (3, 1, 0, 1), (3, 2, 1, 1), (2, 2, 0, 1), (3, 1, 1, 2), (3, 2, 2, 2),
])
def test_regular(
    ndim: int, bias: bool, kernel: int, stride: int, padding: int, dilation: int
) -> None:
    x = some_tensor(ndim)
    make = getattr(sparse_conv, f"SparseConv{ndim}d")
    layer = make(3, 5, kernel, stride, padding, dilation, bias=bias).double()
    y = layer(x)
    words = {"stride": stride, "padding": padding, "dilation": dilation}
    dense = DENSE[ndim](x.dense(), torch_weight(layer), layer.bias, **words)
    reached = is_reached(x.dense(), DENSE[ndim], (1, 1, *[kernel] * ndim), **words)
    assert type(y) is mmcv.SparseConvTensor and y.spatial_shape == list(dense.shape[2:])
    assert torch.equal(y.indices.long(), reached)
    torch.testing.assert_close(y.features, at_sites(dense, y.indices))


@pytest.mark.parametrize("ndim", [2, 3])
@pytest.mark.parametrize(("kernel", "stride", "padding"), [(3, 2, 1), (2, 2, 0), (3, 1, 0)])
def test_transposed(ndim: int, kernel: int, stride: int, padding: int) -> None:
    x = some_tensor(ndim)
    make = getattr(sparse_conv, f"SparseConvTranspose{ndim}d")
    layer = make(3, 5, kernel, stride, padding).double()
    y = layer(x)
    weight = torch_weight(layer).transpose(0, 1)
    dense = DENSE_TRANSPOSED[ndim](x.dense(), weight, layer.bias, stride, padding)
    assert y.spatial_shape == list(dense.shape[2:])
    torch.testing.assert_close(y.features, at_sites(dense, y.indices))


def test_transposed_space_does_not_grow_with_dilation() -> None:
    y = mmcv.SparseConvTranspose2d(3, 4, 3, dilation=2).double()(some_tensor(2))
    assert y.spatial_shape == [9, 9]  # 7 - 1 + 3; torch has 11


@pytest.mark.parametrize("ndim", [2, 3])
@pytest.mark.parametrize(("kernel", "dilation"), [(3, 1), (5, 1), (3, 2)])
def test_submanifold(ndim: int, kernel: int, dilation: int) -> None:
    """Centred also where it is dilated; stride and padding do not count."""
    x = some_tensor(ndim)
    make = getattr(sparse_conv, f"SubMConv{ndim}d")
    layer = make(3, 5, kernel, 1, 7, dilation).double()
    y = layer(x)
    words = {"padding": kernel // 2 * dilation, "dilation": dilation}
    dense = DENSE[ndim](x.dense(), torch_weight(layer), layer.bias, **words)
    assert y.indices is x.indices and y.spatial_shape == x.spatial_shape
    torch.testing.assert_close(y.features, at_sites(dense, x.indices))


def test_four_dimensions() -> None:
    x = some_tensor(4, extent=5)
    layer = sparse_conv.SparseConv4d(3, 2, 2).double()
    check_four_dimensions(x, layer, layer.weight)
    assert sparse_conv.SubMConv4d(3, 2, 3).double()(x).features.shape == (len(x.indices), 2)


@pytest.mark.parametrize("kind", ["SparseConv2d", "SubMConv2d", "SparseConvTranspose2d"])
def test_one_offset_keeps_the_rows(kind: str) -> None:
    """Whatever stride and padding are, as in mmcv: a shortcut may be added row by row."""
    x = some_tensor(2)
    layer = getattr(mmcv, kind)(3, 5, 1, stride=2, padding=1, indice_key="one").double()
    y = layer(x)
    expected = x.features @ layer.weight.reshape(3, 5) + layer.bias
    torch.testing.assert_close(y.features, expected)
    assert y.indices is x.indices and y.spatial_shape == x.spatial_shape
    assert x.indice_dict == {}


@pytest.mark.parametrize("ndim", [2, 3])
def test_inverse_goes_back_to_the_sites(ndim: int) -> None:
    x = some_tensor(ndim, extent=6)
    make_down = getattr(sparse_conv, f"SparseConv{ndim}d")
    make_up = getattr(sparse_conv, f"SparseInverseConv{ndim}d")
    down = make_down(3, 4, 3, 2, 1, bias=False, indice_key="d").double()
    up = make_up(4, 3, 3, "d", bias=False).double()
    y = down(x)
    z = up(y)
    assert z.indices is x.indices and z.spatial_shape == x.spatial_shape
    # With the transposed weight the inverse is the gradient of the forward one.
    up.weight.data = down.weight.data.transpose(-1, -2).contiguous()
    features = x.features.clone().requires_grad_()
    out = down(mmcv.SparseConvTensor(features, x.indices, x.spatial_shape, 2))
    (grad,) = torch.autograd.grad(out.features, features, y.features)
    torch.testing.assert_close(up(y).features, grad)


@pytest.mark.parametrize("ndim", [2, 3])
@pytest.mark.parametrize(("kernel", "stride", "padding"), [(2, None, 0), (2, 2, 0), (3, 2, 1)])
def test_pooling(ndim: int, kernel: int, stride: int | None, padding: int) -> None:
    """The stride is 1 unless it is given, and a maximum begins at 0."""
    x = some_tensor(ndim)
    words = {"padding": padding} if stride is None else {"stride": stride, "padding": padding}
    y = getattr(mmcv, f"SparseMaxPool{ndim}d")(kernel, **words)(x)
    pool = [torch.nn.functional.max_pool2d, torch.nn.functional.max_pool3d][ndim - 2]
    # torch pads with -infinity, cells without a site are 0: the same as beginning at 0.
    dense = pool(x.dense(), kernel, stride or 1, padding).clamp(min=0)
    assert y.spatial_shape == list(dense.shape[2:]) and bool((x.features < 0).any())
    torch.testing.assert_close(y.features, at_sites(dense, y.indices))
    assert torch.equal(y.dense(), dense)


@pytest.mark.parametrize("kind", ["SparseConv2d", "SubMConv2d", "SparseConvTranspose2d"])
@pytest.mark.parametrize("kernel", [1, 3])
def test_gradients(kind: str, kernel: int) -> None:
    x = some_tensor(2, channels=2, extent=4)
    layer = getattr(mmcv, kind)(2, 3, kernel).double()

    def run(features: Any, weight: Any, bias: Any) -> Any:
        changed = {"weight": weight, "bias": bias}
        inputs = (mmcv.SparseConvTensor(features, x.indices, x.spatial_shape, 2),)
        return torch.func.functional_call(layer, changed, inputs).features

    arguments = (x.features, layer.weight.data, layer.bias.data)
    assert torch.autograd.gradcheck(run, [a.clone().requires_grad_() for a in arguments])


def test_functions() -> None:
    x = some_tensor(2)
    made = sparse_ops.get_indice_pairs(x.indices, 2, x.spatial_shape, 3, 2, 1)
    layer = mmcv.SparseConv2d(3, 5, 3, 2, 1, bias=False).double()
    arguments = (layer.weight, made[1], made[2], len(made[0]))
    y = sparse_functional.indice_conv(x.features, *arguments)
    assert torch.equal(y, layer(x).features)
    assert torch.equal(sparse_functional.SparseConvFunction.apply(x.features, *arguments), y)
    back = layer.weight.transpose(-1, -2)
    up = sparse_functional.indice_inverse_conv(y, back, *made[1:], len(x.indices))
    features = x.features.clone().requires_grad_()
    again = sparse_functional.indice_conv(features, *arguments)
    torch.testing.assert_close(torch.autograd.grad(again, features, y)[0], up)
    pooled = sparse_functional.indice_maxpool(x.features, *made[1:], len(made[0]))
    assert torch.equal(pooled, mmcv.SparseMaxPool2d(3, 2, 1)(x).features)
    near = sparse_ops.get_indice_pairs(x.indices, 2, x.spatial_shape, 3, subm=True)
    layer = mmcv.SubMConv2d(3, 5, 3, bias=False).double()
    y = sparse_functional.indice_subm_conv(x.features, layer.weight, *near[1:], len(x.indices))
    assert torch.equal(y, layer(x).features)
