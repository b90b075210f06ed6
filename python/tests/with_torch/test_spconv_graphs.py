"""Layers of detops.spconv in graphs: torch.export, torch.compile, torch.func; torch.jit.trace refuses."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import detops.mmcv.sparse_modules as mmcv_modules  # noqa: E402
import detops.torch  # noqa: E402
from detops import mmcv, spconv  # noqa: E402

from network import SparseNetwork, cloud  # noqa: E402
from test_spconv_layers import some_sites  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    # vmap falls back to a loop and says that this is slow.
    pytest.mark.filterwarnings("ignore:There is a performance drop"),
]
nn = torch.nn
COUNTS = (40, 13, 150)
SPACE = [9, 9, 9]


def norm(channels: int) -> Any:
    """Numbers that are not those of a new layer."""
    made = nn.BatchNorm1d(channels)
    for values in (made.weight.data, made.bias.data, made.running_mean, made.running_var):
        values.copy_(torch.linspace(0.5, 1.5, channels))
    return made


def encoder() -> Any:
    return spconv.SparseSequential(
        spconv.SubMConv3d(3, 5, 3, bias=False, indice_key="a"),
        norm(5),
        nn.ReLU(),
        spconv.SparseConv3d(5, 6, 3, 2, 1, bias=False, indice_key="d"),
        norm(6),
        nn.ReLU(),
        spconv.SubMConv3d(6, 6, 3, indice_key="b"),
        spconv.SubMConv3d(6, 6, 3, indice_key="b"),
        spconv.SparseInverseConv3d(6, 4, 3, indice_key="d"),
    )


class Residual(spconv.SparseModule):
    """Sums of tensors of the same sites, which a forward of its own calls layers for."""

    def __init__(self) -> None:
        super().__init__()
        self.first = spconv.SubMConv3d(3, 3, 3, indice_key="a")
        self.down = spconv.SparseConv3d(3, 4, 3, 2, 1)
        self.one = spconv.SubMConv3d(4, 4, 1)

    def forward(self, x: Any) -> Any:
        y = self.first(x)
        y = self.down(y.replace_feature(torch.relu(y.features)) + x)
        y = spconv.AddTable()([self.one(y) + y, y])
        return spconv.JoinTable()([y, y])


def sequence(*layers: Any) -> Callable[[], Any]:
    return lambda: spconv.SparseSequential(*(layer() for layer in layers))


def down() -> Any:
    return spconv.SparseConv3d(3, 5, 3, 2, 1)


NETWORKS: dict[str, Callable[[], Any]] = {
    "regular": sequence(down, nn.ReLU),
    "transposed": sequence(
        lambda: spconv.SparseConvTranspose3d(3, 5, 3, 2, 1),
        lambda: spconv.SparseBatchNorm(5),
        spconv.SparseReLU,
    ),
    "one offset": sequence(lambda: spconv.SubMConv3d(3, 5, 1)),
    "encoder": encoder,
    "fused": lambda: spconv.fuse(encoder()),
    "residual": Residual,
    "in a sequence of torch": sequence(
        down,
        lambda: nn.Sequential(norm(5), nn.ReLU()),
        lambda: spconv.SubMConv3d(5, 4, 3),
        lambda: nn.LayerNorm(4),
    ),
    "dense": sequence(down, lambda: norm(5), nn.ReLU, spconv.ToDense),
    "maximum": sequence(down, lambda: spconv.SparseMaxPool3d(2, 1), nn.ReLU),
    "average": sequence(down, lambda: spconv.SparseAvgPool3d(2, 2)),
    "global maximum": sequence(down, spconv.SparseGlobalMaxPool),
    "global average": sequence(down, spconv.SparseGlobalAvgPool),
    "counted": sequence(
        lambda: spconv.SparseConv3d(3, 5, 3, 2, 1, record_voxel_count=True), nn.ReLU
    ),
}


class Program(nn.Module):
    """Takes and gives tensors of torch, as programs that are exported must."""

    def __init__(self, network: Any, tensor: Any = spconv.SparseConvTensor) -> None:
        super().__init__()
        self.network, self.tensor = network, tensor

    def forward(self, features: torch.Tensor, indices: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = self.network(self.tensor(features, indices, SPACE, 2))
        return (y,) if isinstance(y, torch.Tensor) else (y.features, y.indices)


def program(name: str) -> Any:
    torch.manual_seed(2)
    return Program(NETWORKS[name]()).double()


def inputs(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    sites = some_sites(3, 9, 2, count, count)
    random = torch.Generator().manual_seed(count)
    return torch.randn(len(sites), 3, generator=random, dtype=torch.float64), sites


def export(made: Any, **words: Any) -> Any:
    count = torch.export.Dim("count", min=2)
    shapes = {"features": {0: count}, "indices": {0: count}}
    return torch.export.export(made, inputs(40), dynamic_shapes=shapes, **words)


def assert_like(found: Any, expected: Any) -> None:
    for mine, wanted in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-12, atol=1e-12)


@pytest.fixture(autouse=True)
def _forget_compiled_programs() -> Iterator[None]:
    torch.compiler.reset()
    yield
    torch.compiler.reset()


@pytest.mark.parametrize(
    ("name", "strict"), [*((name, False) for name in NETWORKS), ("encoder", True), ("dense", True)]
)
def test_exported(name: str, strict: bool, tmp_path: Path) -> None:
    """One program for any number of sites, also from a file."""
    network = program(name).eval()
    made = export(network, strict=strict)
    torch.export.save(made, tmp_path / "network.pt2")
    loaded = torch.export.load(tmp_path / "network.pt2").module()
    for count in COUNTS:
        expected = network(*inputs(count))
        assert_like(made.module()(*inputs(count)), expected)
        assert_like(loaded(*inputs(count)), expected)


@pytest.mark.parametrize(
    ("name", "is_training"),
    [*((name, True) for name in NETWORKS), ("encoder", False), ("in a sequence of torch", False)],
)
def test_compiled(name: str, is_training: bool) -> None:
    """Results, all gradients and running statistics, without a break in the graph."""
    network = program(name).train(is_training)
    other = copy.deepcopy(network)
    compiled = torch.compile(other, fullgraph=True, dynamic=True, backend="aot_eager")
    for count in COUNTS:
        found = []
        for run, module in ((network, network), (compiled, other)):
            features, sites = inputs(count)
            y, *rest = run(features.requires_grad_(), sites)
            weights = torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape)
            grads = torch.autograd.grad(y, [features, *module.parameters()], weights)
            found.append([y, *rest, *grads, *module.buffers()])
        assert_like(found[1], found[0])


@pytest.mark.parametrize("name", ["encoder", "dense", "global maximum"])
def test_inductor(name: str) -> None:
    network = program(name).eval()
    compiled = torch.compile(network, fullgraph=True, dynamic=True)
    for count in COUNTS:
        assert_like(compiled(*inputs(count)), network(*inputs(count)))


@pytest.mark.parametrize("dynamic", [True, None])
def test_compiled_on_sparse_tensors(dynamic: bool | None) -> None:
    """A network itself: a sparse tensor goes in and comes out."""
    network = Residual().double()
    compiled = torch.compile(network, fullgraph=True, dynamic=dynamic, backend="aot_eager")
    for count in COUNTS:
        found, expected = (
            run(spconv.SparseConvTensor(*inputs(count), SPACE, 2)) for run in (compiled, network)
        )
        assert_like((found.features, found.indices), (expected.features, expected.indices))
        assert found.spatial_shape == expected.spatial_shape == [5, 5, 5]


def test_layers_of_mmcv() -> None:
    network = mmcv.SparseSequential(
        mmcv.SubMConv3d(3, 5, 3, indice_key="a"),
        norm(5),
        nn.ReLU(inplace=True),
        mmcv.SparseConv3d(5, 5, 3, 2, 1),
        norm(5),
        mmcv.SparseMaxPool3d(2, 2),
        mmcv_modules.ToDense(),
    )
    made = Program(network, mmcv.SparseConvTensor).double().eval()
    exported = export(made).module()
    compiled = torch.compile(made, fullgraph=True, dynamic=True, backend="aot_eager")
    for count in COUNTS:
        expected = made(*inputs(count))
        assert_like(exported(*inputs(count)), expected)
        assert_like(compiled(*inputs(count)), expected)


def test_no_output_sites() -> None:
    """The sites are behind the last place of the kernel."""
    layers = spconv.SparseConv3d(3, 5, 2, 4), norm(5), nn.ReLU(), spconv.ToDense()
    network = Program(spconv.SparseSequential(*layers)).double().eval()
    sites = torch.tensor([[0, 3, 3, 3], [1, 7, 7, 7]], dtype=torch.int32)
    (found,) = export(network).module()(torch.ones(2, 3, dtype=torch.float64), sites)
    assert found.shape == (2, 5, 2, 2, 2) and not found.any()


def test_equal_sites_of_dense() -> None:
    """The last row counts and has the gradient, as in eager mode."""
    network = Program(spconv.ToDense())
    compiled = torch.compile(network, fullgraph=True, dynamic=True)
    random = torch.Generator().manual_seed(3)
    sites = torch.randint(2, (300, 4), generator=random).int()
    features = torch.randn(300, 3, generator=random).requires_grad_()
    (found,), (expected,) = (run(features, sites) for run in (compiled, network))
    assert torch.equal(found, expected)
    weights = torch.randn(found.shape, generator=random)
    pulled = [torch.autograd.grad(y, features, weights)[0] for y in (found, expected)]
    assert torch.equal(*pulled) and (pulled[0].any(1).sum() == 16)


@pytest.mark.parametrize("layer", [
    spconv.ToDense(), spconv.SubMConv3d(3, 4, 1), spconv.SparseGlobalMaxPool(),
], ids=["dense", "one offset", "global"])
def test_sites_outside_are_refused_by_the_graph(layer: Any) -> None:
    network = Program(layer.double())
    features, sites = inputs(40)
    runs = export(network).module(), torch.compile(network, fullgraph=True, backend="aot_eager")
    for run in runs:
        for row, column, value in ((2, 1, -1), (0, 3, 9), (5, 0, 2)):
            wrong = sites.clone()
            wrong[row, column] = value
            with pytest.raises(RuntimeError, match="indices are outside of spatial_shape or of the"):
                run(features, wrong)
        run(features, sites)


def test_sites_that_int32_does_not_hold() -> None:
    network = Program(spconv.ToDense())
    compiled = torch.compile(network, fullgraph=True, backend="aot_eager")
    features, sites = inputs(40)
    assert_like(compiled(features, sites.long()), network(features, sites))
    wrong = sites.long()
    wrong[3, 1] += 2**32
    with pytest.raises(RuntimeError, match="indices have numbers of more than 31 bits"):
        compiled(features, wrong)


def test_sums_of_other_sites_are_refused_by_the_graph() -> None:
    def add(a: Any, b: Any, sites: Any, others: Any) -> Any:
        x, y = (spconv.SparseConvTensor(f, i, SPACE, 2) for f, i in ((a, sites), (b, others)))
        return (x + y).features

    compiled = torch.compile(add, fullgraph=True, dynamic=True, backend="aot_eager")
    features, sites = inputs(40)
    assert torch.equal(compiled(features, features, sites, sites.clone()), 2 * features)
    with pytest.raises(RuntimeError, match="sparse tensors have other sites"):
        compiled(features, features, sites, sites.flip(0))


def test_sum_of_different_sites_in_a_graph() -> None:
    def add(a: Any, sites: Any, b: Any, others: Any) -> Any:
        x, y = (spconv.SparseConvTensor(f, i, SPACE, 2) for f, i in ((a, sites), (b, others)))
        total = spconv.functional.sparse_add(x, y)
        return total.features, total.indices

    compiled = torch.compile(add, fullgraph=True, dynamic=True, backend="aot_eager")
    for count in COUNTS:
        arguments = *inputs(count), *inputs(count + 9)
        assert_like(compiled(*arguments), add(*arguments))


def test_a_trace_is_refused() -> None:
    """It would use the pairs of its example for all inputs."""
    for name in ("regular", "encoder", "one offset", "maximum", "dense"):
        with pytest.raises(RuntimeError, match=r"torch\.jit\.trace would use the sites of its exam"):
            torch.jit.trace(program(name).eval(), inputs(40))
    with pytest.raises(RuntimeError, match="get_indice_pairs: torch.jit.trace would use the number"):
        torch.jit.trace(SparseNetwork(), cloud(1, 40))
    program("dense")(*inputs(40))  # afterwards all is as before


def test_functions_of_torch_func() -> None:
    """grad, with respect to features and to parameters; grad of grad; vmap; jacrev."""
    network = program("encoder").eval()
    features, sites = inputs(13)

    def loss(features: torch.Tensor) -> torch.Tensor:
        return network(features, sites)[0].square().sum()

    leaf = features.clone().requires_grad_()
    (expected,) = torch.autograd.grad(loss(leaf), leaf, create_graph=True)
    (second,) = torch.autograd.grad(expected.square().sum(), leaf)
    grad = torch.func.grad(loss)
    assert_like([grad(features)], [expected])
    assert_like([torch.func.grad(lambda v: grad(v).square().sum())(features)], [second])
    several = torch.stack([features, 2 * features])
    assert_like([torch.func.vmap(grad)(several)], [torch.stack([grad(v) for v in several])])
    rows = torch.func.jacrev(lambda v: network(v, sites)[0])(features)
    assert rows.shape == (len(sites), 4, *features.shape)
    values = network(features, sites)[0]
    assert_like([(2 * values[:, :, None, None] * rows).sum((0, 1))], [expected])

    def loss_of(parameters: Any) -> Any:
        return torch.func.functional_call(network, parameters, (features, sites))[0].square().sum()

    parameters = dict(network.named_parameters())
    found = torch.func.grad(loss_of)(parameters)
    wanted = torch.autograd.grad(loss_of(parameters), list(parameters.values()))
    assert_like([found[name] for name in parameters], wanted)
    with pytest.raises(NotImplementedError, match="no derivatives in forward mode"):
        torch.func.jvp(loss, (features,), (features,))


def test_torch_func_under_autocast() -> None:
    features, filters = torch.randn(3, 2), torch.randn(1, 2, 2)
    pairs, counts = torch.arange(3).repeat(1, 2, 1), torch.tensor([3])

    def loss(features: torch.Tensor) -> torch.Tensor:
        made = detops.torch.indice_convolution_forward(features, filters, pairs, counts, 3)
        return made.float().square().sum()

    told = "indice_convolution_forward: derivatives of torch.func cannot be taken under autocast"
    with torch.autocast("cpu"), pytest.raises(NotImplementedError, match=told):
        torch.func.grad(loss)(features)
