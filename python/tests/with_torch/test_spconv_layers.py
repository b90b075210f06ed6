"""Layers of detops.spconv against torch's dense convolutions."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from detops import spconv  # noqa: E402


def dense_functions(name: str) -> dict[int, Any]:
    """Those of torch for 1 to 3 axes."""
    return {ndim: getattr(torch.nn.functional, f"{name}{ndim}d") for ndim in (1, 2, 3)}


DENSE, DENSE_TRANSPOSED = dense_functions("conv"), dense_functions("conv_transpose")


def some_sites(ndim: int, extent: int, batch: int, count: int, seed: int = 0) -> torch.Tensor:
    random = torch.Generator().manual_seed(seed)
    columns = [torch.randint(batch, (count, 1), generator=random)]
    columns += [torch.randint(extent, (count, 1), generator=random) for _ in range(ndim)]
    sites = torch.unique(torch.cat(columns, 1), dim=0).int()
    return sites[torch.randperm(len(sites), generator=random)]


def some_tensor(ndim: int, channels: int = 3, extent: int = 7, **more: Any) -> Any:
    sites = some_sites(ndim, extent, 2, 12 * ndim)
    random = torch.Generator().manual_seed(1)
    features = torch.randn(len(sites), channels, generator=random, dtype=torch.float64)
    return spconv.SparseConvTensor(features, sites, [extent] * ndim, 2, **more)


def at_sites(dense: torch.Tensor, sites: torch.Tensor) -> torch.Tensor:
    """Rows of a tensor (batch, C, space...) at (batch, coordinates)."""
    last = dense.permute(0, *range(2, dense.ndim), 1)
    return last[tuple(sites.long().unbind(1))]


def torch_weight(layer: Any) -> torch.Tensor:
    """(out, in, kernel...)"""
    weight = layer.weight
    if layer.conv1x1:  # kept as (in, out), as in spconv 2
        weight = weight.reshape(layer.in_channels, -1).T.reshape(weight.shape)
    return weight.permute(0, weight.ndim - 1, *range(1, weight.ndim - 1))


def is_reached(dense_input: torch.Tensor, convolve: Any, shape: Any, **words: Any) -> torch.Tensor:
    """Output cells that a site contributes to, as (batch, coordinates) in ascending order."""
    mask = (dense_input != 0).any(1, keepdim=True).double()
    return (convolve(mask, torch.ones(shape).double(), **words)[:, 0] > 0.5).nonzero()


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("kernel", "stride", "padding", "dilation"), [
    (3, 1, 0, 1), (3, 2, 1, 1), (2, 2, 0, 1), (3, 1, 1, 2), (3, 2, 2, 2), (1, 1, 0, 1), (1, 2, 0, 1),
])
def test_regular(
    ndim: int, bias: bool, kernel: int, stride: int, padding: int, dilation: int
) -> None:
    x = some_tensor(ndim)
    layer = getattr(spconv, f"SparseConv{ndim}d")(3, 5, kernel, stride, padding, dilation, bias=bias)
    layer = layer.double()
    y = layer(x)
    words = {"stride": stride, "padding": padding, "dilation": dilation}
    dense = DENSE[ndim](x.dense(), torch_weight(layer), layer.bias, **words)
    reached = is_reached(x.dense(), DENSE[ndim], (1, 1, *[kernel] * ndim), **words)
    assert y.spatial_shape == list(dense.shape[2:])
    if kernel == stride == 1:
        assert y.indices is x.indices  # a product of features and weight: rows stay
    else:
        assert torch.equal(y.indices.long(), reached)  # ascending, each once
    torch.testing.assert_close(y.features, at_sites(dense, y.indices))


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize(("kernel", "stride", "padding"), [(3, 2, 1), (2, 2, 0), (3, 1, 0)])
def test_transposed(ndim: int, kernel: int, stride: int, padding: int) -> None:
    x = some_tensor(ndim)
    layer = getattr(spconv, f"SparseConvTranspose{ndim}d")(3, 5, kernel, stride, padding).double()
    y = layer(x)
    weight = torch_weight(layer).transpose(0, 1)
    dense = DENSE_TRANSPOSED[ndim](x.dense(), weight, layer.bias, stride, padding)
    assert y.spatial_shape == list(dense.shape[2:])
    torch.testing.assert_close(y.features, at_sites(dense, y.indices))


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize(("kernel", "dilation"), [(1, 1), (3, 1), (5, 1), (3, 2)])
def test_submanifold(ndim: int, kernel: int, dilation: int) -> None:
    x = some_tensor(ndim)
    layer = getattr(spconv, f"SubMConv{ndim}d")(3, 5, kernel, dilation=dilation).double()
    y = layer(x)
    padding = kernel // 2 * dilation
    dense = DENSE[ndim](
        x.dense(), torch_weight(layer), layer.bias, padding=padding, dilation=dilation
    )
    assert y.indices is x.indices and y.spatial_shape == x.spatial_shape
    torch.testing.assert_close(y.features, at_sites(dense, x.indices))


def check_four_dimensions(x: Any, layer: Any, weight: torch.Tensor) -> None:
    """A kernel of 2 along each axis; ``weight`` is (kernel..., in, out)."""
    y = layer(x)
    assert y.spatial_shape == [4, 4, 4, 4]
    # Written out for one row: the sum over the 16 cells under the kernel.
    row, last = y.indices[7].tolist(), x.dense(channels_first=False)
    total = layer.bias.clone()
    for offset in torch.cartesian_prod(*[torch.arange(2)] * 4).tolist():
        place = [row[0], *(c + o for c, o in zip(row[1:], offset, strict=True))]
        total = total + last[tuple(place)] @ weight[tuple(offset)]
    torch.testing.assert_close(y.features[7], total)


def test_four_dimensions() -> None:
    x = some_tensor(4, extent=5)
    layer = spconv.SparseConv4d(3, 2, 2, stride=1).double()
    check_four_dimensions(x, layer, layer.weight.permute(1, 2, 3, 4, 5, 0))
    assert spconv.SubMConv4d(3, 2, 3).double()(x).features.shape == (len(x.indices), 2)
    assert spconv.SparseConvTranspose4d(3, 2, 2, 2).double()(x).spatial_shape == [10] * 4


@pytest.mark.parametrize("ndim", [1, 2, 3, 4])
def test_inverse_is_the_adjoint_in_shape(ndim: int) -> None:
    x = some_tensor(ndim, extent=6)
    down = getattr(spconv, f"SparseConv{ndim}d")(3, 4, 3, 2, 1, bias=False, indice_key="d").double()
    up = getattr(spconv, f"SparseInverseConv{ndim}d")(4, 3, 3, "d", bias=False).double()
    y = down(x)
    z = up(y)
    assert z.indices is x.indices and z.spatial_shape == x.spatial_shape
    # With the transposed weight the inverse is the gradient of the forward one.
    up.weight.data = down.weight.data.transpose(0, -1).contiguous()
    features = x.features.clone().requires_grad_()
    out = down(x.replace_feature(features))
    (grad,) = torch.autograd.grad(out.features, features, y.features)
    torch.testing.assert_close(up(y).features, grad)


@pytest.mark.parametrize("kind", ["SparseConv2d", "SubMConv2d", "SparseConvTranspose2d"])
@pytest.mark.parametrize("act", ["None_", "ReLU", "LeakyReLU", "Sigmoid"])
@pytest.mark.parametrize("training", [True, False])
def test_activation_and_residual(kind: str, act: str, training: bool) -> None:
    """Bias and activation work in training and in eval mode."""
    x = some_tensor(2)
    words = {"act_type": spconv.Activation[act], "act_alpha": 0.1}
    layer = getattr(spconv, kind)(3, 4, 3, **words).double().train(training)
    plain = getattr(spconv, kind)(3, 4, 3).double()
    plain.load_state_dict(layer.state_dict())
    expected = plain(x)
    added = expected.replace_feature(torch.ones_like(expected.features))
    activation = {
        "None_": lambda v: v,
        "ReLU": torch.relu,
        "LeakyReLU": lambda v: torch.nn.functional.leaky_relu(v, 0.1),
        "Sigmoid": torch.sigmoid,
    }[act]
    torch.testing.assert_close(layer(x).features, activation(expected.features))
    torch.testing.assert_close(layer(x, added).features, activation(expected.features + 1))


@pytest.mark.parametrize("kind", ["SparseConv2d", "SubMConv2d", "SparseConvTranspose2d"])
def test_gradients(kind: str) -> None:
    x = some_tensor(2, channels=2, extent=4)
    layer = getattr(spconv, kind)(2, 3, 3).double()

    def run(features: Any, weight: Any, bias: Any) -> Any:
        changed = {"weight": weight, "bias": bias}
        inputs = (x.replace_feature(features),)
        return torch.func.functional_call(layer, changed, inputs).features

    arguments = (x.features, layer.weight.data, layer.bias.data)
    assert torch.autograd.gradcheck(run, [a.clone().requires_grad_() for a in arguments])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_rounded_once(dtype: torch.dtype) -> None:
    x = some_tensor(3, channels=64)
    layer = spconv.SubMConv3d(64, 64, 3).to(dtype)
    y = layer(x.replace_feature(x.features.to(dtype)))
    exact = layer.double()(x.replace_feature(x.features.to(dtype).double())).features
    assert y.features.dtype == dtype
    eps = torch.finfo(dtype).eps
    bound = 0.51 * eps * exact.abs() + 1e-5
    assert bool(((y.features.double() - exact).abs() <= bound).all())


def test_autocast() -> None:
    x = some_tensor(3).replace_feature(some_tensor(3).features.float())
    layer = spconv.SparseSequential(spconv.SubMConv3d(3, 8, 3), torch.nn.ReLU())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = layer(x)
        assert y.features.dtype == torch.bfloat16
    y.features.float().sum().backward()
    assert layer[0].weight.grad.dtype == torch.float32
