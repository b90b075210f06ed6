"""detops.spconv beside spconv 2.3.8 itself, for test_spconv_peer.py: a program, and what it checks.

It runs with one thread, in a process of its own.
"""

from __future__ import annotations

import importlib
import io
import sys
import traceback
import types
from collections.abc import Callable
from typing import Any

import torch

LAYERS = [
    ("SubMConv1d", (4, 8, 3), {}),
    ("SubMConv2d", (4, 8, 5), {}),
    ("SubMConv3d", (4, 8, 3), {}),
    ("SubMConv3d", (4, 8, 3), {"bias": False}),
    ("SubMConv3d", (4, 8, 3), {"dilation": 2}),
    ("SparseConv1d", (4, 8, 3, 2, 1), {}),
    ("SparseConv2d", (4, 8, 3, 1, 0, 2), {}),
    ("SparseConv3d", (4, 8, 3, 2, 1), {}),
    ("SparseConv3d", (4, 8, (3, 1, 1), (2, 1, 1)), {}),
    ("SparseConv3d", (4, 8, 1, 2), {}),
    ("SparseConvTranspose2d", (4, 8, 3, 2, 1), {}),
    ("SparseConvTranspose3d", (4, 8, 2, 2), {}),
]

CHECKS: dict[str, Callable[[], None]] = {}


def check(function: Callable[[], None]) -> Callable[[], None]:
    CHECKS[function.__name__] = function
    return function


def both() -> tuple[Any, Any]:
    """spconv and detops, as far as tests name them."""
    import spconv.pytorch as theirs

    import detops.spconv as ours

    return theirs, ours


def cloud(ndim: int = 3, dtype: Any = torch.float32) -> tuple[torch.Tensor, torch.Tensor]:
    from test_spconv_layers import some_sites

    torch.manual_seed(0)
    sites = some_sites(ndim, 12, 2, 150)
    return sites, torch.randn(len(sites), 4, dtype=dtype)


def in_order(x: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows by their sites: spconv gives them in another order."""
    keys = sorted(range(len(x.indices)), key=lambda row: x.indices[row].tolist())
    return x.features[keys], x.indices[keys]


CLOSE: dict[Any, dict[str, float]] = {
    torch.float32: {"rtol": 1e-4, "atol": 1e-4},
    torch.float64: {"rtol": 1e-10, "atol": 1e-10},
}


def compare(make: Callable[[Any], Any], ndim: int = 3, dtypes: Any = tuple(CLOSE)) -> None:
    """Output, space and all gradients of the module that ``make`` builds of either package."""
    for dtype in dtypes:
        compare_in(dtype, make, ndim)


def compare_in(dtype: Any, make: Callable[[Any], Any], ndim: int) -> None:
    theirs, ours = both()
    sites, numbers = cloud(ndim, dtype)
    modules = [make(package).to(dtype) for package in (theirs, ours)]
    modules[1].load_state_dict(modules[0].state_dict())
    assert list(modules[1].state_dict()) == list(modules[0].state_dict())
    found = []
    for package, module in zip((theirs, ours), modules, strict=True):
        features = numbers.clone().requires_grad_()
        y = module(package.SparseConvTensor(features, sites, [12] * ndim, 2))
        rows, places = in_order(y)
        weights = torch.linspace(-1, 1, rows.numel(), dtype=dtype).reshape(rows.shape)
        grads = torch.autograd.grad(rows, [features, *module.parameters()], weights)
        found.append((rows, places, list(y.spatial_shape), grads))
    (a, sites_a, space_a, grads_a), (b, sites_b, space_b, grads_b) = found
    assert torch.equal(sites_a, sites_b) and space_a == space_b and bool(a.any())
    torch.testing.assert_close(b, a)
    for expected, grad in zip(grads_a, grads_b, strict=True):
        torch.testing.assert_close(grad, expected, **CLOSE[dtype])


@check
def layers() -> None:
    for name, arguments, words in LAYERS:
        compare(lambda package: native(package, name, *arguments, **words), int(name[-2]))


def native(package: Any, name: str, *arguments: Any, **words: Any) -> Any:
    return getattr(package, name)(*arguments, **words, algo=package.ConvAlgo.Native)


@check
def transposed_with_output_padding() -> None:
    for padding in (1, [1, 0, 1]):
        words = {"transposed": True, "output_padding": padding}
        compare(lambda package: package.conv.SparseConvolution(
            3, 4, 5, 3, 2, 1, **words, algo=package.ConvAlgo.Native
        ))


@check
def kernels_of_one_offset() -> None:
    """Defect 4: spconv reads their weight transposed. So does detops, as checkpoints are trained so."""
    _, ours = both()
    for ndim in (1, 2, 3, 4):
        for kind in ("SubMConv", "SparseConv", "SparseConvTranspose"):
            compare(lambda package: native(package, f"{kind}{ndim}d", 4, 6, 1), ndim)
        # The inverse stays at its sites too, with or without pairs under its key.
        back = f"SparseInverseConv{ndim}d"
        compare(lambda package: native(package, back, 4, 6, 1, indice_key="a"), ndim)
        compare(lambda package: package.SparseSequential(
            native(package, f"SparseConv{ndim}d", 4, 5, 1, stride=2, indice_key="a"),
            native(package, back, 5, 6, 1, indice_key="a", bias=False),
        ), ndim)
    words = {"transposed": True, "output_padding": [1, 0, 2], "algo": None}
    compare(lambda package: package.conv.SparseConvolution(3, 4, 6, 1, **words))
    compare(lambda package: native(package, "SubMConv3d", 4, 8, 1, stride=2, padding=1))
    compare(lambda package: native(package, "SparseConv3d", 4, 8, 1, stride=2))
    # Among others of the same key: they neither take nor leave pairs.
    for sizes in ((3, 1, 3), (1, 3)):
        compare(lambda package: package.SparseSequential(
            *(native(package, "SubMConv3d", 4, 4, size, indice_key="a") for size in sizes)
        ))
    ours.constants.COMPATIBLE_1X1 = False
    try:
        compare(lambda package: native(package, "SubMConv3d", 4, 8, 1))
    except AssertionError:
        pass
    else:
        raise AssertionError("spconv reads the weight of a kernel of one offset as it is stored")
    finally:
        ours.constants.COMPATIBLE_1X1 = True


class Heads(torch.nn.Module):
    """Heads as VoxelNeXt builds them: each ends in a kernel of one offset, under a key of its own."""

    def __init__(self, package: Any) -> None:
        super().__init__()
        for name, outputs, depth in (("center", 2, 2), ("dim", 3, 3), ("hm", 1, 2), ("iou", 4, 1)):
            layers = [
                package.SparseSequential(
                    native(package, "SubMConv2d", 4, 4, 3, padding=1, bias=False, indice_key=name),
                    torch.nn.BatchNorm1d(4),
                    torch.nn.ReLU(),
                )
                for _ in range(depth - 1)
            ]
            layers.append(native(package, "SubMConv2d", 4, outputs, 1, indice_key=f"{name}out"))
            setattr(self, name, torch.nn.Sequential(*layers))

    def forward(self, x: Any) -> Any:
        rows = [head(x).features for head in self.children()]
        return x.replace_feature(torch.cat(rows, 1))


@check
def heads_of_voxelnext() -> None:
    """Checkpoints go both ways, through a file too."""
    theirs, ours = both()
    compare(Heads, ndim=2)
    for source, target in ((theirs, ours), (ours, theirs)):
        torch.manual_seed(5)
        trained, loaded = Heads(source).eval(), Heads(target).eval()
        file = io.BytesIO()
        torch.save(trained.state_dict(), file)
        file.seek(0)
        loaded.load_state_dict(torch.load(file))
        sites, numbers = cloud(2)
        made = [
            heads(package.SparseConvTensor(numbers, sites, [12, 12], 2)).features
            for package, heads in ((source, trained), (target, loaded))
        ]
        torch.testing.assert_close(made[1], made[0])
        for name, stored in trained.state_dict().items():
            assert torch.equal(loaded.state_dict()[name], stored)


@check
def inverse_convolution() -> None:
    """After a regular convolution, and after a pooling."""
    for first in (("SparseConv3d", 4, 4, 3, 2, 1), ("SparseMaxPool3d", 3, 2, 1)):
        compare(lambda package: package.SparseSequential(
            native(package, *first, indice_key="k"),
            torch.nn.ReLU(),
            native(package, "SparseInverseConv3d", 4, 5, 3, indice_key="k"),
        ))


@check
def maximum() -> None:
    """Its gradient too, which is 0 where a maximum is negative."""
    for name, *sizes in (("SparseMaxPool3d", 2), ("SparseMaxPool3d", 3, 2, 1), ("SparseMaxPool2d", 3)):
        compare(lambda package: native(package, name, *sizes), int(str(name)[-2]))


@check
def encoder() -> None:
    """A SECOND encoder of a few channels in double, where rounding turns no ReLU on or off."""

    def make(package: Any) -> Any:
        made: list[Any] = []

        def add(name: str, *arguments: Any, key: str) -> None:
            made.append(native(package, name, *arguments, bias=False, indice_key=key))
            made.extend([torch.nn.BatchNorm1d(arguments[1], eps=1e-3), torch.nn.ReLU()])

        add("SubMConv3d", 4, 6, 3, key="subm1")
        add("SubMConv3d", 6, 6, 3, key="subm1")
        add("SparseConv3d", 6, 8, 3, 2, 1, key="down2")
        add("SubMConv3d", 8, 8, 3, key="subm2")
        add("SubMConv3d", 8, 8, 3, key="subm2")
        add("SparseConv3d", 8, 8, 3, 2, (0, 1, 1), key="down3")
        add("SubMConv3d", 8, 8, 3, key="subm3")
        add("SparseConv3d", 8, 10, (2, 1, 1), (2, 1, 1), key="out")
        return package.SparseSequential(*made)

    compare(make, dtypes=[torch.float64])


@check
def tensors() -> None:
    """dense, from_dense, sums of tensors with the same sites and with others."""
    theirs, ours = both()
    sites, numbers = cloud()
    found = []
    for package in (theirs, ours):
        features = numbers.clone().requires_grad_()
        x = package.SparseConvTensor(features, sites, [12] * 3, 2)
        other = package.SparseConvTensor(2 * features[:40], sites[:40], [12] * 3, 2)
        shifted = sites[:50].clone()
        shifted[:, 1] = (shifted[:, 1] + 1) % 12
        moved = package.SparseConvTensor(3 * features[:50], shifted, [12] * 3, 2)
        whole = package.SparseConvTensor.from_dense(x.dense(channels_first=False).detach())
        parts = [x.dense(), x.dense(channels_first=False), *in_order(whole), (x + x).features]
        # Its tables are not exported by name.
        tables = sys.modules[f"{package.__name__}.tables"]
        parts += [tables.AddTable()([x, x]).features, tables.JoinTable()([x, x]).features]
        add = sys.modules[f"{package.__name__}.functional"].sparse_add
        for total in (add(x, other), add(x, moved, other)):
            parts += [total.features, total.indices]  # ascending, in both
        loss = sum((part * part).sum() for part in parts if part.requires_grad)
        found.append([*parts, *torch.autograd.grad(loss, features)])
    for expected, mine in zip(*found, strict=True):
        torch.testing.assert_close(mine, expected)


@check
def stored_pairs() -> None:
    """Pairs in spconv's layout are those of spconv."""
    theirs, ours = both()
    sites, numbers = cloud()
    for name, *arguments in (("SubMConv3d", 4, 4, 3), ("SparseConv3d", 4, 4, 3, 2, 1)):
        lists = []
        for package in (theirs, ours):
            layer = native(package, name, *arguments, indice_key="a")
            y = layer(package.SparseConvTensor(numbers, sites, [12] * 3, 2))
            stored = y.find_indice_pair("a")
            pairs, counts = stored.indice_pairs, stored.indice_pair_num
            if package is ours:
                pairs, counts = ours.ops.in_spconv_layout(stored)
            assert pairs.shape == (2, 27, len(sites)) and pairs.dtype == torch.int32
            # Of submanifold layers offsets behind the centre have as many as those before it.
            full = [int(n) for n in counts]
            if layer.subm:
                full = [*full[:13], len(sites), *full[12::-1]]
            to = y.indices.tolist()
            lists.append([
                sorted((before, to[behind]) for before, behind in pairs[:, k, :n].T.tolist())
                for k, n in enumerate(full)
            ] + [counts.tolist()])
        assert lists[0] == lists[1]


def sets_of(pairs: torch.Tensor, counts: list[int], outputs: torch.Tensor) -> list[Any]:
    """Pairs (2, K, L) of each offset, with sites in the place of output rows."""
    to = outputs.tolist()
    return [
        sorted((before, to[behind]) for before, behind in pairs[:, k, :n].T.tolist())
        for k, n in enumerate(counts)
    ]


@check
def functions_on_pairs() -> None:
    """spconv.pytorch.ops and functional, on pairs that either of them has made."""
    theirs, ours = both()
    sites, numbers = cloud(2)
    native = theirs.ConvAlgo.Native
    weight = torch.randn(6, 3, 3, 4)
    for sizes, subm, transposed in (
        (([3, 3], [1, 1], [1, 1], [1, 1], [0, 0]), True, False),
        (([3, 3], [2, 2], [1, 1], [1, 1], [0, 0]), False, False),
        (([3, 3], [2, 1], [1, 0], [1, 1], [1, 0]), False, True),
    ):
        arguments = (sites, 2, [12, 12], native, *sizes, subm, transposed)
        a, b = (package.ops.get_indice_pairs(*arguments) for package in (theirs, ours))
        assert [t.dtype for t in a] == [t.dtype for t in b] and a[1].shape == b[1].shape
        assert a[2].tolist() == b[2].tolist()
        assert sets_of(a[1], a[2].tolist(), a[0]) == sets_of(b[1], b[2].tolist(), b[0])
        outputs, *pairs = a
        count = len(outputs)
        for inverse in (False, True) if not subm else (False,):
            rows = torch.randn(count, 4) if inverse else numbers
            results = len(sites) if inverse else count
            grad = torch.randn(results, 6)
            call = (*pairs, results, inverse, subm)
            compute, pull = ([getattr(package.ops, name) for package in (theirs, ours)]
                             for name in ("indice_conv", "indice_conv_backward"))
            wanted, made = (function(rows, weight, *call) for function in compute)
            torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-4)
            back = (rows, weight, grad, *pairs, inverse, subm)
            for mine, expected in zip(*(function(*back) for function in pull), strict=True):
                torch.testing.assert_close(expected, mine, rtol=1e-4, atol=1e-4)
            name = "indice_inverse_conv" if inverse else "indice_subm_conv" if subm else "indice_conv"
            found = []
            for package in (theirs, ours):
                leaf = rows.clone().requires_grad_()
                function = getattr(sys.modules[f"{package.__name__}.functional"], name)
                y = function(leaf, weight, *pairs, results, native)
                found.append((y, torch.autograd.grad(y, leaf, grad)[0]))
            for expected, mine in zip(*found, strict=True):
                torch.testing.assert_close(mine, expected, rtol=1e-4, atol=1e-4)
        if not subm:
            grad = torch.randn(count, 4)
            wanted, made = (p.ops.indice_maxpool(numbers, *pairs, count) for p in (theirs, ours))
            assert torch.equal(wanted, made)
            wanted, made = (
                p.ops.indice_maxpool_backward(numbers, made, grad, *pairs) for p in (theirs, ours)
            )
            torch.testing.assert_close(made, wanted)
    for package in (theirs, ours):
        number = torch.tensor([3], dtype=torch.int32)
        for value, expected in ((7, 7), (5, 7)):
            package.ops.maximum_value_int_(number, value)
            assert number.tolist() == [expected]


# What the modules of spconv define and detops has not, by module; docs/dropins.md says why.
LEFT_OUT = {
    "pytorch.core": {"ThrustSortAllocator"},
    "pytorch.functional": {
        "SparseAvgPoolImplicitGemmFunction",
        "SparseImplicitGemmFunction",
        "SparseMaxPoolImplicitGemmFunction",
        "identity_decorator",
    },
}


@check
def names() -> None:
    """Functions and classes of the modules that programs import from."""
    for module in (
        "core", "test_utils", "tools", "utils", "pytorch", "pytorch.constants", "pytorch.conv",
        "pytorch.core", "pytorch.functional", "pytorch.identity", "pytorch.modules", "pytorch.ops",
        "pytorch.pool", "pytorch.tables", "pytorch.utils",
    ):
        theirs = importlib.import_module(f"spconv.{module}")
        place = {"core": "conv", "pytorch": ""}.get(module, module.removeprefix("pytorch."))
        ours = importlib.import_module(f"detops.spconv.{place}".rstrip("."))
        defined = {
            name
            for name, value in vars(theirs).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == theirs.__name__
        }
        missing = {name for name in defined if not hasattr(ours, name)}
        assert missing == LEFT_OUT.get(module, set()), (module, missing)


@check
def data_of_tests() -> None:
    """spconv.test_utils draws the same numbers of the same seed."""
    import numpy as np
    from spconv import test_utils as theirs

    from detops.spconv import test_utils as ours

    for words in ({}, {"integer": True, "data_range": (-5, 5)}, {"shape_scale": 2}):
        made = []
        for package in (theirs, ours):
            np.random.seed(4)
            made.append(package.generate_sparse_data([6, 8, 7], [20, 9], 3, **words))
        assert set(made[0]) == set(made[1])
        for name, wanted in made[0].items():
            assert wanted.dtype == made[1][name].dtype and np.array_equal(wanted, made[1][name])
    lists = [1, 2], ["a"], [3, 4, 5]
    assert theirs.params_grid(*lists) == ours.params_grid(*lists)


@check
def points_to_voxels() -> None:
    """Also points on borders, and a range of 12.5 voxels. Left out: means, of which spconv carries
    each over into the next voxel that is not full."""
    from spconv.pytorch.utils import PointToVoxel

    _, ours = both()
    for size, span, columns in (
        ([0.05, 0.05, 0.1], [0, -40, -3, 70.4, 40, 1], 4),
        ([0.3, 0.3, 0.3], [0, 0, 0, 1, 1, 1], 3),
        ([0.2, 0.2], [0, 0, 2.5, 2.5], 3),
    ):
        count, sizes = len(size), torch.tensor(size)
        low, high = torch.tensor(span[:count]), torch.tensor(span[count:])
        points = torch.rand(3000, columns)
        points[:, :count] = low + (points[:, :count] * 1.2 - 0.1) * (high - low)
        points[:1000, :count] = low + ((points[:1000, :count] - low) / sizes).floor() * sizes
        a, b = (kind(size, span, columns, 500, 3) for kind in (PointToVoxel, ours.utils.PointToVoxel))
        for name in ("vsize", "grid_size", "grid_stride", "coors_range"):
            assert list(getattr(a, name)) == getattr(b, name), name
        for cloud in (points, points.double()):
            results = [make.generate_voxel_with_id(cloud) for make in (a, b)]
            for wanted, made in zip(*results, strict=True):
                assert made.dtype == wanted.dtype and torch.equal(made, wanted)


@check
def second_on_a_street() -> None:
    """The bird's-eye view that SECOND's encoder makes of a whole laser scan, in training and after."""
    from detops._sparse_encoders import Layers
    from detops._sparse_encoders import second as encoder_of_second
    from detops.compare import SPACE
    from detops.networks import scenes
    from detops.networks.spconv import voxels

    features, sites = voxels(scenes.make(1, beams=24, turns=600))
    assert len(sites) > 2000
    torch.manual_seed(0)
    a, b = (encoder_of_second(Layers(package), 4) for package in both())
    b.load_state_dict(a.state_dict())
    for training in (True, False):
        views = []
        for package, module in zip(both(), (a, b), strict=True):
            module.train(training)
            with torch.no_grad():
                x = module(package.SparseConvTensor(features, sites, list(SPACE), 1))
            views.append(x.dense().flatten(1, 2))
        largest = float(views[0].abs().max())
        assert views[0].shape == (1, 256, 200, 176) and largest > 0
        torch.testing.assert_close(views[1], views[0], rtol=1e-4, atol=1e-5 * largest)


def main() -> None:
    torch.set_num_threads(1)
    # On a CPU-only torch its backward fails when it asks for the stream of a GPU it does not use.
    stream: Any = lambda *_: types.SimpleNamespace(cuda_stream=0)  # noqa: E731
    torch.cuda.current_stream = stream
    for name, function in CHECKS.items():
        try:
            function()
        except Exception:
            print(f"differs: {name}\n{traceback.format_exc()}")
        else:
            print(f"same: {name}")


if __name__ == "__main__":
    main()
