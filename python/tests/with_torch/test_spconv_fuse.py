"""detops.spconv.fuse: batch normalisation and activation folded into convolutions."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from detops import spconv  # noqa: E402

from test_spconv_layers import some_tensor  # noqa: E402
from test_spconv_networks import small_network  # noqa: E402


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


def some_norm(channels: int) -> Any:
    """A batch normalisation that is not the identity."""
    norm, random = torch.nn.BatchNorm1d(channels).double(), torch.Generator().manual_seed(4)
    for values in (norm.weight.data, norm.bias.data, norm.running_mean, norm.running_var):
        values.copy_(torch.rand(channels, generator=random) + 0.5)
    return norm


def assert_fused_gives_the_same(network: Any) -> Any:
    x, fused = some_tensor(3), spconv.fuse(network.double().eval())
    torch.testing.assert_close(fused(x).features, network(x).features)
    return fused


def test_fusing_kernels_of_one_offset(monkeypatch: pytest.MonkeyPatch) -> None:
    network = spconv.SparseSequential(spconv.SubMConv3d(3, 5, 1, bias=False), some_norm(5))
    for compatible in (False, True):
        monkeypatch.setattr(spconv.constants, "COMPATIBLE_1X1", compatible)
        fused = assert_fused_gives_the_same(network)
        assert isinstance(fused[1], spconv.SparseIdentity)


def test_fusing_leaves_norms_without_statistics() -> None:
    """Those of each input count, in eval mode too; the rest of the network is folded."""
    network = spconv.SparseSequential(
        spconv.SubMConv3d(3, 5, 3),
        torch.nn.BatchNorm1d(5, track_running_stats=False),
        torch.nn.ReLU(),
        spconv.SubMConv3d(5, 4, 3),
        some_norm(4),
        torch.nn.ReLU(),
    )
    fused = assert_fused_gives_the_same(network)
    kinds = [type(module).__name__ for module in fused]
    assert kinds == ["SubMConv3d", "BatchNorm1d", "ReLU", "SubMConv3d", *["SparseIdentity"] * 2]


def test_fusing_leaves_shared_convolutions() -> None:
    """What is folded into a convolution would be in all of its calls."""

    class Shared(torch.nn.Module):
        def __init__(self, convolution: Any) -> None:
            super().__init__()
            self.alone = convolution
            self.layers = spconv.SparseSequential(convolution, some_norm(3), torch.nn.ReLU())

        def forward(self, x: Any) -> Any:
            return self.layers(self.alone(x))

    convolution = spconv.SubMConv3d(3, 3, 3)
    twice = (convolution, some_norm(3), convolution, some_norm(3), torch.nn.ReLU())
    for network in (spconv.SparseSequential(*twice), Shared(convolution)):
        fused = assert_fused_gives_the_same(network)
        assert not any(isinstance(module, spconv.SparseIdentity) for module in fused.modules())
    # A sequence that stands in two places is folded: nobody calls its parts alone.
    sequence = spconv.SparseSequential(spconv.SubMConv3d(3, 3, 3), some_norm(3))
    fused = assert_fused_gives_the_same(spconv.SparseSequential(sequence, sequence))
    assert isinstance(fused[1][1], spconv.SparseIdentity)
