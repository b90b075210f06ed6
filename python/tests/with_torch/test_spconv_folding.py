"""Batch normalisation and ReLU that convolutions do, while a network predicts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import detops.mmcv as mmcv  # noqa: E402
from detops import spconv  # noqa: E402
from torch import nn  # noqa: E402

from test_spconv_fuse import some_norm  # noqa: E402
from test_spconv_layers import some_sites  # noqa: E402

SPACE = [6, 6, 6]
BARS = {torch.float64: 1e-12, torch.float32: 2e-6, torch.bfloat16: 4e-2}


def some_input(rows: int, dtype: Any = torch.float64, package: Any = spconv) -> Any:
    sites = some_sites(3, 6, 2, 120)[:rows]
    generator = torch.Generator().manual_seed(rows)
    features = torch.randn(len(sites), 3, generator=generator, dtype=torch.float64).to(dtype)
    return package.SparseConvTensor(features, sites, SPACE, 2)


def layers_of(package: Any = spconv, activation: Any = None, **options: Any) -> Any:
    """Five channels, so that 70 rows have more results than the largest weight has numbers."""
    torch.manual_seed(2)
    activation = nn.ReLU() if activation is None else activation
    kinds = [
        package.SubMConv3d(3, 3, (1, 1, 3), indice_key="a", **options),
        package.SparseConv3d(3, 4, (1, 3, 1), (1, 2, 1), indice_key="b", **options),
        package.SubMConv3d(4, 4, 1, **options),
        package.SparseInverseConv3d(4, 5, (1, 3, 1), "b", **options),
    ]
    parts: list[Any] = []
    for kind in kinds:
        kind.weight.data *= 4  # So that features do not die out.
        parts += [kind, some_norm(kind.out_channels), activation]
    return package.SparseSequential(*parts).double().eval()


@contextmanager
def without_folding(package: Any = spconv) -> Iterator[None]:
    package.constants.FOLD_IN_EVAL = False
    try:
        yield
    finally:
        package.constants.FOLD_IN_EVAL = True


class Calls:
    """How often torch's batch normalisation and ReLU ran."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        for kind in (nn.BatchNorm1d, nn.ReLU, nn.LeakyReLU):
            monkeypatch.setattr(kind, "forward", self._counted(kind.forward))

    def _counted(self, forward: Any) -> Any:
        def counted(module: Any, x: Any) -> Any:
            self.count += 1
            return forward(module, x)

        return counted


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


def predict(network: Any, x: Any) -> Any:
    with torch.no_grad():
        return network(x).features


@pytest.mark.parametrize("dtype", BARS)
@pytest.mark.parametrize("package", [spconv, mmcv], ids=["spconv", "mmcv"])
@pytest.mark.parametrize("options", [{"bias": True}, {"bias": False}], ids=["bias", "no_bias"])
def test_same_results(dtype: Any, package: Any, options: Any, calls: Calls) -> None:
    network = layers_of(package, **options).to(dtype)
    found = predict(network, some_input(80, dtype, package))
    assert calls.count == 0
    with without_folding():
        expected = predict(network, some_input(80, dtype, package))
    assert calls.count == 8 and expected.std(0).max() > 0.1 and found.dtype == dtype
    torch.testing.assert_close(found, expected, rtol=BARS[dtype], atol=BARS[dtype])


@pytest.mark.parametrize("activation", [nn.LeakyReLU(0.25), spconv.SparseReLU(), nn.Sigmoid()])
def test_activations(activation: Any, calls: Calls) -> None:
    network = layers_of(activation=activation)
    found = predict(network, some_input(80))
    assert calls.count == 0  # A sigmoid is called; the normalisation before it is not.
    with without_folding():
        torch.testing.assert_close(found, predict(network, some_input(80)))


def test_activation_without_a_norm(calls: Calls) -> None:
    network = spconv.SparseSequential(spconv.SubMConv3d(3, 3, 3), nn.ReLU()).double().eval()
    found = predict(network, some_input(5))
    assert calls.count == 0
    with without_folding():
        assert torch.equal(found, predict(network, some_input(5)))


def test_not_a_number_stays_one() -> None:
    network, x = layers_of(), some_input(80)
    x.features[::3] = torch.nan
    found = predict(network, x)
    with without_folding():
        assert torch.equal(found.isnan(), predict(network, x).isnan()) and found.isnan().any()


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_few_rows(rows: int) -> None:
    network = layers_of()
    found = predict(network, some_input(rows))
    with without_folding():
        torch.testing.assert_close(found, predict(network, some_input(rows)))


def test_what_is_written_later_counts() -> None:
    """Also by ways that leave no trace, as averages of weights do."""
    network, x = layers_of(), some_input(80)
    before = predict(network, x)
    network[0].weight.data.mul_(2)
    network[1].running_mean.data.add_(1)
    network[1].weight.data = network[1].weight.data * 3
    after = predict(network, x)
    assert not torch.allclose(before, after)
    with without_folding():
        torch.testing.assert_close(after, predict(network, x))


def hooked(network: Any) -> None:
    network[1].register_forward_hook(lambda *_: None)
    network[3].register_forward_pre_hook(lambda *_: None)
    network[8].register_forward_hook(lambda *_: None)


def in_training(network: Any) -> None:
    network.train()


def in_half(network: Any) -> None:
    network.half()


def without_statistics(network: Any) -> None:
    for norm in (part for part in network if isinstance(part, nn.BatchNorm1d)):
        norm.running_mean = norm.running_var = None


def parametrized(network: Any) -> None:
    for part in network:
        if isinstance(part, (nn.BatchNorm1d, spconv.SubMConv3d)):
            nn.utils.parametrizations.weight_norm(part, "weight", dim=None)


@pytest.mark.parametrize(
    ("change", "count"),
    [(hooked, 6), (in_training, 8), (in_half, 8), (without_statistics, 8), (parametrized, 8)],
)
def test_what_is_left_alone(change: Any, count: int, calls: Calls) -> None:
    """All calls happen that would be missed."""
    network = layers_of()
    change(network)
    predict(network, some_input(80, network[4].bias.dtype))
    assert calls.count == count


def test_gradients_and_autocast(calls: Calls) -> None:
    network = layers_of()
    network(some_input(80)).features.sum().backward()
    assert calls.count == 8 and network[1].weight.grad.abs().max() > 0
    network.requires_grad_(False)
    network(some_input(80))
    assert calls.count == 8
    with torch.autocast("cpu"):
        predict(network, some_input(80))
    assert calls.count == 16
