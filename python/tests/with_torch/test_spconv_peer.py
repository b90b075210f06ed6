"""detops.spconv beside spconv itself, where that is installed (2.3.8 for the CPU).

spconv runs in a process with one thread: with more, its scatter loses updates, and its results
differ from run to run. Left out by name: kernels of one offset, whose weight it reads transposed
(constants.COMPATIBLE_1X1 is compared instead), and the gradient of its average pooling.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

HERE = Path(__file__).resolve().parent

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

PROGRAM = """
import sys, types, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
import torch
torch.set_num_threads(1)
# On a CPU-only torch its backward fails when it asks for the stream of a GPU it does not use.
torch.cuda.current_stream = lambda *_: types.SimpleNamespace(cuda_stream=0)
import spconv.pytorch as theirs
import detops.spconv as ours
from test_spconv_peer import LAYERS
from test_spconv_layers import some_sites

def rows(x):
    keys = sorted(range(len(x.indices)), key=lambda row: x.indices[row].tolist())
    return x.features[keys], x.indices[keys]

def compare(name, arguments, words):
    torch.manual_seed(0)
    ndim = int(name[-2])
    sites = some_sites(ndim, 12, 2, 150)
    values = torch.randn(len(sites), 4)
    found = []
    layer = getattr(theirs, name)(*arguments, **words, algo=theirs.ConvAlgo.Native)
    mine = getattr(ours, name)(*arguments, **words)
    mine.load_state_dict(layer.state_dict())
    assert list(mine.state_dict()) == list(layer.state_dict())
    for package, module in ((theirs, layer), (ours, mine)):
        features = values.clone().requires_grad_()
        y = module(package.SparseConvTensor(features, sites, [12] * ndim, 2))
        numbers, places = rows(y)
        weights = torch.linspace(-1, 1, numbers.numel()).reshape(numbers.shape)
        grads = torch.autograd.grad(numbers, [features, *module.parameters()], weights)
        found.append((numbers, places, list(y.spatial_shape), grads))
    (a, ai, ashape, agrads), (b, bi, bshape, bgrads) = found
    assert torch.equal(ai, bi) and ashape == bshape
    torch.testing.assert_close(b, a)
    for theirs_grad, my_grad in zip(agrads, bgrads, strict=True):
        torch.testing.assert_close(my_grad, theirs_grad, rtol=1e-4, atol=1e-4)

for layer in LAYERS:
    compare(*layer)
ours.constants.COMPATIBLE_1X1 = True
for name in ("SubMConv3d", "SparseConv3d", "SparseConvTranspose3d"):
    compare(name, (4, 8, 1), {})
compare("SubMConv3d", (4, 8, 1), {"stride": 2, "padding": 1})
compare("SparseConv3d", (4, 8, 1), {"stride": 2})

# A kernel of one offset among others of the same key: it neither takes nor leaves pairs.
sites, values = some_sites(3, 12, 2, 150), torch.randn(len(some_sites(3, 12, 2, 150)), 4)
for sizes in ((3, 1, 3), (1, 3)):
    found = []
    for package in (theirs, ours):
        torch.manual_seed(1)
        layers = [package.SubMConv3d(4, 4, size, indice_key="a") for size in sizes]
        if package is ours:
            for layer, other in zip(layers, found[0][1], strict=True):
                layer.load_state_dict(other.state_dict())
        y = package.SparseSequential(*layers)(package.SparseConvTensor(values, sites, [12] * 3, 2))
        found.append((y, layers))
    assert torch.equal(found[0][0].indices, found[1][0].indices)
    torch.testing.assert_close(found[1][0].features, found[0][0].features, rtol=1e-4, atol=1e-4)

# A max pooling, then the inverse convolution that undoes it.
torch.manual_seed(0)
sites, values = some_sites(3, 12, 2, 150), torch.randn(150, 4)[: len(some_sites(3, 12, 2, 150))]
back = theirs.SparseInverseConv3d(4, 5, 2, "p", algo=theirs.ConvAlgo.Native)
mine = ours.SparseInverseConv3d(4, 5, 2, "p")
mine.load_state_dict(back.state_dict())
pool = theirs.SparseMaxPool3d(2, indice_key="p", algo=theirs.ConvAlgo.Native)
a = back(pool(theirs.SparseConvTensor(values, sites, [12] * 3, 2)))
b = mine(ours.SparseMaxPool3d(2, indice_key="p")(ours.SparseConvTensor(values, sites, [12] * 3, 2)))
assert torch.equal(a.indices, b.indices)
torch.testing.assert_close(b.features, a.features)

# Points to voxels, also those on borders, and a range of 12.5 voxels. Left out: means, of which
# spconv carries each over into the next voxel that is not full.
from spconv.pytorch.utils import PointToVoxel
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
        for wanted, made in zip(*(make.generate_voxel_with_id(cloud) for make in (a, b))):
            assert made.dtype == wanted.dtype and torch.equal(made, wanted)
print("compared")
"""


START = """
import sys, torch, warnings
warnings.simplefilter("ignore")
torch.set_num_threads(1)
torch.set_grad_enabled(False)
def some_output(spconv, network):
    sites = torch.tensor([[0, 0, 1, 2], [0, 3, 3, 3], [1, 2, 2, 2]], dtype=torch.int32)
    features = torch.arange(12.0).reshape(3, 4) - 6
    return network.eval()(spconv.SparseConvTensor(features, sites, [4] * 3, 2)).dense()
"""
SAVE = """
import spconv.pytorch as spconv
network = spconv.SparseSequential(
    spconv.SparseConv3d(4, 8, 3, 2, 1, bias=False, indice_key="a", algo=spconv.ConvAlgo.Native),
    torch.nn.BatchNorm1d(8),
    spconv.SparseMaxPool3d(2, algo=spconv.ConvAlgo.Native),
)
torch.save((network, some_output(spconv, network)), sys.argv[1])
"""
LOAD = """
import detops
assert detops.install("spconv", replace=True) == ("spconv",)
network, expected = torch.load(sys.argv[1], weights_only=False)
import detops.spconv as spconv
assert type(network[0]) is spconv.SparseConv3d and type(network[2]) is spconv.SparseMaxPool3d
torch.testing.assert_close(some_output(spconv, network), expected)
network.load_state_dict(network.state_dict())
repr(network)
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("spconv") is None, reason="spconv itself is not installed"
)


def test_same_as_spconv() -> None:
    made = run(PROGRAM, str(HERE))
    assert made.returncode == 0 and "compared" in made.stdout, made.stdout + made.stderr


def test_networks_that_spconv_has_pickled(tmp_path: Path) -> None:
    for program in (SAVE, LOAD):
        made = run(START + program, str(tmp_path / "network.pt"))
        assert made.returncode == 0, made.stderr
