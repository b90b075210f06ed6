"""Residual blocks with a forward of their own, which convolutions do while a network predicts."""

from __future__ import annotations

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import detops.mmcv as mmcv  # noqa: E402
from detops import spconv  # noqa: E402
from detops.spconv._residual import read_residual  # noqa: E402
from torch import nn  # noqa: E402

from test_spconv_folding import BARS, Calls, calls, predict, without_folding  # noqa: E402, F401
from test_spconv_fuse import some_norm  # noqa: E402
from test_spconv_layers import some_sites  # noqa: E402


def replace_feature(x: Any, feature: Any) -> Any:
    """As OpenPCDet and mmdetection3d have it, for two versions of spconv."""
    if "replace_feature" in x.__dir__():
        return x.replace_feature(feature)
    x.features = feature
    return x


class Parts(spconv.SparseModule):
    def __init__(self, package: Any = spconv, bias: bool = True, **options: Any) -> None:
        super().__init__()

        def layer() -> Any:
            made = package.SubMConv3d(4, 4, (1, 3, 3), bias=bias, indice_key="a", **options)
            made.weight.data *= 4
            return made

        self.conv1, self.conv2 = layer(), layer()
        self.bn1, self.bn2 = some_norm(4), some_norm(4)
        self.relu = nn.ReLU(inplace=True)
        self.downsample: Any = None


class OfOpenPCDet(Parts):
    def forward(self, x: Any) -> Any:
        identity = x
        out = self.conv1(x)
        out = replace_feature(out, self.bn1(out.features))
        out = replace_feature(out, self.relu(out.features))
        out = self.conv2(out)
        out = replace_feature(out, self.bn2(out.features))
        if self.downsample is not None:
            identity = self.downsample(x)
        out = replace_feature(out, out.features + identity.features)
        return replace_feature(out, self.relu(out.features))


class OfMmdetection3d(Parts):
    @property
    def norm1(self) -> Any:
        return self.bn1

    @property
    def norm2(self) -> Any:
        return self.bn2

    def forward(self, x: Any) -> Any:
        identity = x.features
        assert x.features.dim() == 2, f"x.features.dim()={x.features.dim()}"
        out = self.conv1(x)
        out = replace_feature(out, self.norm1(out.features))
        out = replace_feature(out, self.relu(out.features))
        out = self.conv2(out)
        out = replace_feature(out, self.norm2(out.features))
        if self.downsample is not None:
            identity = self.downsample(x).features
        out = replace_feature(out, out.features + identity)
        return replace_feature(out, self.relu(out.features))


class OfSequences(Parts):
    def __init__(self, package: Any = spconv, **options: Any) -> None:
        super().__init__(package, **options)
        self.first = package.SparseSequential(self.conv1, self.bn1, nn.LeakyReLU(0.125))
        self.second = package.SparseSequential(self.conv2, self.bn2)

    def forward(self, x: Any) -> Any:
        y = self.second(self.first(x))
        return y.replace_feature(torch.relu(x.features + y.features))


KINDS = (OfOpenPCDet, OfMmdetection3d, OfSequences)


def network_of(kind: Any, package: Any = spconv, **options: Any) -> Any:
    torch.manual_seed(3)
    blocks = [kind(package, **options) for _ in range(2)]
    return package.SparseSequential(*blocks).double().eval()


def some_input(dtype: Any = torch.float64, package: Any = spconv, rows: int = 120) -> Any:
    sites = some_sites(3, 6, 2, 120)[:rows]
    generator = torch.Generator().manual_seed(5)
    features = torch.randn(len(sites), 4, generator=generator, dtype=torch.float64).to(dtype)
    return package.SparseConvTensor(features, sites, [6, 6, 6], 2)


@pytest.mark.parametrize("dtype", BARS)
@pytest.mark.parametrize("package", [spconv, mmcv], ids=["spconv", "mmcv"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bias", [True, False])
def test_same_results(kind: Any, package: Any, bias: bool, dtype: Any, calls: Calls) -> None:  # noqa: F811
    network = network_of(kind, package, bias=bias).to(dtype)
    x = some_input(dtype, package)
    before = x.features.clone()
    found = predict(network, x)
    assert calls.count == 0 and torch.equal(x.features, before)
    with without_folding():
        expected = predict(network, x)
    assert calls.count == 2 * (3 if kind is OfSequences else 4)
    assert expected.std(0).max() > 0.1 and found.dtype == dtype
    torch.testing.assert_close(found, expected, rtol=BARS[dtype], atol=BARS[dtype])


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_few_rows(rows: int) -> None:
    network = network_of(OfOpenPCDet)
    found = predict(network, some_input(rows=rows))
    with without_folding():
        torch.testing.assert_close(found, predict(network, some_input(rows=rows)))


class Before(OfOpenPCDet):
    """The normalisation comes first."""

    def forward(self, x: Any) -> Any:
        out = self.conv1(x.replace_feature(self.relu(self.bn1(x.features + 0))))
        out = self.conv2(out.replace_feature(self.bn2(out.features)))
        return out.replace_feature(out.features + x.features)


class WithoutLastRelu(OfOpenPCDet):
    def forward(self, x: Any) -> Any:
        out = self.conv1(x)
        out = out.replace_feature(self.relu(self.bn1(out.features)))
        out = self.conv2(out)
        return out.replace_feature(self.bn2(out.features) + x.features)


class ReluBeforeSum(OfOpenPCDet):
    def forward(self, x: Any) -> Any:
        out = self.conv1(x)
        out = out.replace_feature(self.relu(self.bn1(out.features)))
        out = self.conv2(out)
        out = out.replace_feature(self.relu(self.bn2(out.features)))
        return out.replace_feature(out.features + x.features)


class InnerSum(OfOpenPCDet):
    """Adds what the first convolution made, not the input."""

    def forward(self, x: Any) -> Any:
        out = self.conv1(x)
        inner = self.relu(self.bn1(out.features))
        out = self.conv2(out.replace_feature(inner))
        out = out.replace_feature(self.bn2(out.features) + inner)
        return out.replace_feature(self.relu(out.features))


class Counting(OfOpenPCDet):
    calls = 0

    def forward(self, x: Any) -> Any:
        self.calls += 1
        return super().forward(x)


class Scaled(OfOpenPCDet):
    def forward(self, x: Any) -> Any:
        return super().forward(x.replace_feature(x.features * 2))


@pytest.mark.parametrize("kind", [Before, WithoutLastRelu, ReluBeforeSum, InnerSum, Scaled])
def test_other_blocks_are_called(kind: Any) -> None:
    network = network_of(kind)
    assert read_residual(network[0]) is None
    found = predict(network, some_input())
    with without_folding():
        torch.testing.assert_close(found, predict(network, some_input()), rtol=1e-12, atol=1e-12)


def test_a_forward_is_called_as_often_as_ever() -> None:
    network = network_of(Counting)
    for _ in range(3):
        predict(network, some_input())
    assert [block.calls for block in network] == [3, 3]


def with_hooks(network: Any) -> None:
    network[0].bn1.register_forward_hook(lambda *_: None)
    network[1].register_forward_hook(lambda *_: None)


def with_hooks_on_convolutions(network: Any) -> None:
    network[0].conv2.register_forward_pre_hook(lambda *_: None)
    network[1].conv1.register_forward_hook(lambda *_: None)


def in_training(network: Any) -> None:
    network.train()


def in_half(network: Any) -> None:
    network.half()


def changed(network: Any) -> None:
    for block in network:
        block.forward = lambda x, block=block: OfOpenPCDet.forward(block, x)


def with_downsample(network: Any) -> None:
    for block in network:
        block.downsample = spconv.SparseSequential(spconv.SubMConv3d(4, 4, 1).double(), some_norm(4))


@pytest.mark.parametrize(
    ("change", "count"),
    [
        (with_hooks, 8),
        (with_hooks_on_convolutions, 8),
        (in_training, 8),
        (in_half, 8),
        (changed, 8),
    ],
)
def test_what_is_left_alone(change: Any, count: int, calls: Calls) -> None:  # noqa: F811
    network = network_of(OfOpenPCDet)
    change(network)
    predict(network, some_input(network[0].conv1.weight.dtype))
    assert calls.count == count


def test_a_second_branch_is_left_alone(calls: Calls) -> None:  # noqa: F811
    network = network_of(OfOpenPCDet)
    with_downsample(network)
    network.double().eval()
    found = predict(network, some_input())
    with without_folding():
        torch.testing.assert_close(found, predict(network, some_input()))
    assert calls.count == 8 + 2 * 5  # The sequence of the branch is folded by itself.


def test_gradients_and_autocast(calls: Calls) -> None:  # noqa: F811
    network = network_of(OfOpenPCDet)
    network(some_input()).features.sum().backward()
    assert calls.count == 8 and network[1].bn1.weight.grad.abs().max() > 0
    with torch.autocast("cpu"):
        predict(network, some_input())
    assert calls.count == 16


def test_what_is_written_later_counts() -> None:
    network = network_of(OfMmdetection3d)
    other = copy.deepcopy(network)
    before = predict(network, some_input())
    network[0].bn2.running_var.data.mul_(4)
    network[1].conv1.weight.data.add_(1)
    after = predict(network, some_input())
    assert not torch.allclose(before, after)
    assert torch.equal(before, predict(other, some_input()))
    with without_folding():
        torch.testing.assert_close(after, predict(network, some_input()))


def test_not_a_number_stays_one() -> None:
    network, x = network_of(OfOpenPCDet), some_input()
    x.features[::7] = torch.nan
    found = predict(network, x)
    with without_folding():
        expected = predict(network, x)
    assert torch.equal(found.isnan(), expected.isnan()) and found.isnan().any()
