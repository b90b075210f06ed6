"""detops beside spconv's CPU build and a plain loop of torch operators, on the same layers.

    python -m detops.compare [--quick] [--repeat N] [--threads N] [--case NAME] [--voxels N]
                             [--gflops N] [--json FILE]

Layers and the encoders of SECOND, CenterPoint and VoxelNeXt, forward and forward with backward, in
training mode: the best time and percentiles, memory and agreement, and the bound of the convolutions'
arithmetic (as of ``detops.encoders``, which measures inference). Each measurement runs in a process
of its own. The sites are those of made-up laser scans. Without spconv (``pip install spconv==2.3.8``)
its lines are missing.

Results differ by the largest difference over the largest number: of the output, whose rows are
matched by their coordinates, and of the gradients of input and parameters. The latter are computed
in double, as rounding turns one or the other ReLU of an encoder on or off; all by one thread, as
spconv loses updates on several.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from . import encoders
from ._measuring import (
    COLUMNS,
    count_flops,
    load,
    machine,
    peak_memory,
    percentiles,
    print_times,
    product_speed,
    run_apart,
    seconds,
    version_of_spconv,
)
from ._sparse_encoders import CHANNELS, MAKERS, NAMES, Layers, second

CONTESTANTS = ("detops", "spconv", "torch loop")
SECONDS, LEAST_CALLS = 3.0, 3
PARTS = {"forward": 1, "both": 3}
"""And how many times the bound they have."""


@dataclass(frozen=True)
class Case:
    name: str
    voxels: int
    """About; the scan decides."""
    channels: int


CASES = {
    "subm 16-16": Case("SubMConv3d 16-16, 3x3x3", 120_000, 16),
    "subm 32-32": Case("SubMConv3d 32-32, 3x3x3", 100_000, 32),
    "subm 64-64": Case("SubMConv3d 64-64, 3x3x3", 50_000, 64),
    "subm 128-128": Case("SubMConv3d 128-128, 3x3x3", 30_000, 128),
    "down 64-128": Case("SparseConv3d 64-128, 3x3x3, stride 2", 60_000, 64),
    "encoder": Case("SECOND encoder, 12 layers", 40_000, 4),
    "centerpoint": Case(NAMES["centerpoint"], 40_000, CHANNELS),
    "voxelnext": Case(NAMES["voxelnext"], 40_000, CHANNELS),
}
SPACE = (41, 1600, 1408)


def scan(voxels: int, seed: int = 1) -> torch.Tensor:
    """Sites (batch, z, y, x) of about so many voxels: rings of a scanner on ground, walls, cars."""
    random = np.random.default_rng(seed)
    rings, turns = 64, max(1, voxels * 5 // (4 * 64))
    slope = np.repeat(np.linspace(-0.42, 0.035, rings), turns)
    angle = np.tile(np.linspace(-np.pi / 2, np.pi / 2, turns), rings)
    with np.errstate(divide="ignore"):
        distance = np.where(slope < -0.02, -1.73 / slope, 120.0)
    for _ in range(60):
        towards, away, width = random.uniform(-1.5, 1.5), random.uniform(4, 65), random.uniform(1, 9)
        near = np.abs(angle - towards) < width / away / 2
        low = slope * away < random.uniform(-0.5, 1.5)
        distance = np.where(near & low & (away < distance), away, distance)
    distance = distance + random.normal(0, 0.02, distance.size)
    points = np.column_stack(
        [distance * slope, distance * np.sin(angle), distance * np.cos(angle)]
    )
    cells = np.floor((points - [-3.0, -40.0, 0.0]) / [0.1, 0.05, 0.05]).astype(np.int64)
    inside = ((cells >= 0) & (cells < SPACE)).all(1)
    # In the order of the scanner's points, as a voxeliser has them.
    cells = cells[inside]
    _, first = np.unique(cells, axis=0, return_index=True)
    cells = cells[np.sort(first)]
    return torch.from_numpy(np.pad(cells, ((0, 0), (1, 0)))).int()


def network_of(key: str, contestant: str) -> tuple[Any, Any]:
    """The module, and its package."""
    spconv = load(contestant)
    words = {"algo": spconv.ConvAlgo.Native}
    torch.manual_seed(0)
    if key == "encoder":
        return second(Layers(spconv), CASES[key].channels), spconv
    if key in MAKERS:
        return MAKERS[key](Layers(spconv)), spconv
    if key == "down 64-128":
        return spconv.SparseConv3d(64, 128, 3, 2, 1, bias=False, indice_key="d", **words), spconv
    channels = CASES[key].channels
    return spconv.SubMConv3d(channels, channels, 3, bias=False, indice_key="s", **words), spconv


class TorchLoop(torch.autograd.Function):
    """The layer as people write it by hand: gather, multiply, add, for each offset."""

    @staticmethod
    def forward(ctx: Any, features: Any, weight: Any, pairs: Any, rows: int) -> Any:
        ctx.save_for_backward(features, weight)
        ctx.pairs = pairs
        out = features.new_zeros((rows, weight.shape[2]))
        for matrix, (inputs, outputs) in zip(weight, pairs, strict=True):
            out.index_add_(0, outputs, features.index_select(0, inputs) @ matrix)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        features, weight = ctx.saved_tensors
        data, filters = torch.zeros_like(features), torch.zeros_like(weight)
        for offset, (inputs, outputs) in enumerate(ctx.pairs):
            rows = grads[0].index_select(0, outputs)
            data.index_add_(0, inputs, rows @ weight[offset].T)
            filters[offset] = features.index_select(0, inputs).T @ rows
        return data, filters, None, None


def make_loops(network: Any, x: Any) -> None:
    """Of the convolutions of a network of detops. They are given pairs and sites: what they show is
    the cost of the layers alone."""
    from .spconv.conv import SparseConvolution

    known: dict[int, Any] = {}

    def replace(layer: Any, inputs: Any, y: Any) -> None:
        stored = None if layer.conv1x1 else y.find_indice_pair(layer.indice_key)
        key = id(stored) if stored is not None else -len(y.indices)
        known.setdefault(key, (stored, _lists(stored, len(y.indices))))
        layer.forward = _loop(layer, known[key][1], y)

    layers = [m for m in network.modules() if isinstance(m, SparseConvolution)]
    hooks = [layer.register_forward_hook(replace) for layer in layers]
    with torch.no_grad():
        network(x)
    for hook in hooks:
        hook.remove()


def _lists(stored: Any, rows: int) -> list[Any]:
    if stored is None:  # A product: each row with itself.
        return [(torch.arange(rows), torch.arange(rows))]
    return [
        (both[0, :count].long(), both[1, :count].long())
        for both, count in zip(stored.indice_pairs, stored.indice_pair_num.tolist(), strict=True)
    ]


def _loop(layer: Any, lists: list[Any], y: Any) -> Callable[[Any], Any]:
    apply: Any = TorchLoop.apply
    sites, space, make = y.indices, y.spatial_shape, type(y)

    def forward(x: Any) -> Any:
        weight = layer.weight.movedim(0, -1).flatten(0, -3)
        if layer.conv1x1:  # The original takes the weight of a product as it lies in memory.
            weight = layer.weight.view(weight.shape)
        rows = apply(x.features, weight, lists, len(sites))
        rows = rows if layer.bias is None else rows + layer.bias
        return make(rows, sites, space, x.batch_size)

    return forward


def runner(
    key: str, contestant: str, voxels: int, dtype: torch.dtype = torch.float32
) -> tuple[Callable[[bool], Any], Any, int]:
    """A function that runs the case once, with or without backward; the module, and the number of
    voxels."""
    voxels = voxels or CASES[key].voxels
    if key in MAKERS:
        sites, space, samples = encoders.make_sites(voxels, "scan"), encoders.SPACE, 2
    else:
        sites, space, samples = scan(voxels), SPACE, 1
    torch.manual_seed(1)
    features = torch.randn(len(sites), CASES[key].channels).to(dtype)
    module, spconv = network_of(key, contestant)
    module = module.to(dtype)

    def tensor(rows: torch.Tensor) -> Any:
        return spconv.SparseConvTensor(rows, sites, list(space), samples)

    if contestant == "torch loop":
        make_loops(module, tensor(features))
    parameters = list(module.parameters())
    weights: list[torch.Tensor] = []

    def run(backward: bool) -> Any:
        leaf = features.clone().requires_grad_(backward)
        with torch.set_grad_enabled(backward):
            y = module(tensor(leaf))
        if not weights:
            weights.append(some_gradient(y.indices, y.features))
        wanted = [leaf, *parameters]
        grads = torch.autograd.grad(y.features, wanted, weights[0]) if backward else ()
        return y.features.detach(), y.indices, grads

    return run, module, len(sites)


def some_gradient(sites: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """A gradient of the output that depends on sites, not on the order of rows."""
    phase = (sites.double() * torch.tensor([1.0, 0.31, 0.047, 0.0131])[: sites.shape[1]]).sum(1)
    return torch.cos(phase[:, None] + torch.arange(features.shape[1])).to(features.dtype)


def values(key: str, contestant: str, voxels: int) -> dict[str, Any]:
    """Output and gradients of one step, rows in an order that all contestants share."""
    features, sites, _ = runner(key, contestant, voxels)[0](False)
    _, _, grads = runner(key, contestant, voxels, torch.float64)[0](True)
    order = torch.argsort(sites.long() @ torch.tensor([2**48, 2**32, 2**16, 1])[-sites.shape[1] :])
    return {"features": features[order], "sites": sites[order], "gradients": list(grads)}


def difference(mine: dict[str, Any], other: dict[str, Any]) -> tuple[float, float]:
    """Of the output and of the gradients, relative to the largest number of each."""

    def relative(a: torch.Tensor, b: torch.Tensor) -> float:
        return float((a.double() - b.double()).abs().max() / a.double().abs().max())

    if not torch.equal(mine["sites"], other["sites"]):
        return math.inf, math.inf
    # What is added in front of a batch normalisation has no gradient but rounding.
    least = 1e-9 * max(float(grad.abs().max()) for grad in mine["gradients"])
    pairs = [
        both
        for both in zip(mine["gradients"], other["gradients"], strict=True)
        if max(float(grad.abs().max()) for grad in both) > least
    ]
    return relative(mine["features"], other["features"]), max(relative(a, b) for a, b in pairs)


def measure(key: str, contestant: str, options: argparse.Namespace) -> dict[str, Any]:
    load(contestant)
    before = peak_memory()
    run, module, voxels = runner(key, contestant, options.voxels)
    calls = options.repeat or LEAST_CALLS
    at_least = 0 if options.repeat else SECONDS / 10 if options.quick else SECONDS
    found = {
        "voxels": voxels,
        "forward": seconds(lambda: run(False), calls, at_least),
        "both": seconds(lambda: run(True), calls, at_least),
        "peak": (peak_memory() - before) / 1024,
        "lines": [],
    }
    if contestant == "detops":
        found["flops"] = count_flops(module, lambda: run(False))
        found["speed"] = options.gflops * 1e9 or product_speed()
    return found


def one(what: str, key: str, contestant: str, options: argparse.Namespace, file: str) -> None:
    if what == "measure":
        torch.save(measure(key, contestant, options), file)
    else:
        torch.save(values(key, contestant, options.voxels), file)


def compare(
    key: str, contestants: Sequence[str], options: argparse.Namespace
) -> dict[str, dict[str, Any]]:
    """Results by contestant, without those that failed."""
    given = ["--voxels", str(options.voxels), "--repeat", str(options.repeat)]
    given += ["--gflops", str(options.gflops), *(["--quick"] if options.quick else [])]

    def make(what: str, contestant: str) -> Any:
        threads = options.threads if what == "measure" else 1
        words = [*given, "--threads", str(threads), "--one", what, key, contestant]
        alone = {} if what == "measure" else {"OMP_NUM_THREADS": "1"}
        return run_apart("detops.compare", words, f"{CASES[key].name}: {contestant}", alone)

    made: dict[str, dict[str, Any]] = {}
    expected: dict[str, Any] = {}
    for contestant in contestants:
        found = make("measure", contestant)
        numbers = None if found is None else make("values", contestant)
        if numbers is None:
            continue
        if expected:
            output, gradients = found["differs"] = difference(expected, numbers)
            found["lines"] = [f"differs   output {output:.0e}, gradients {gradients:.0e}"]
        expected = expected or numbers
        made[contestant] = found
    return made


def figures_of(results: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The same as numbers: best times under the names of the parts, and all else beside them."""
    figures: dict[str, Any] = {}
    for contestant, found in results.items():
        kept = {key: found[key] for key in ("voxels", "peak", "differs") if key in found}
        best = {part: found[part][0] for part in PARTS}
        more = {part: {"calls": len(found[part]), **percentiles(found[part])} for part in PARTS}
        figures[contestant] = {**kept, **best, "percentiles": more}
        if "flops" in found:
            figures[contestant]["bound"] = found["flops"] / found["speed"]
    return figures


def write_figures(
    file: str, versions: dict[str, Any], options: argparse.Namespace, cases: dict[str, Any]
) -> None:
    """What tools/chart.py draws, in addition to the cases that the file has. Times are in seconds,
    memory in MiB; the bound is that of forward."""
    if os.path.exists(file):
        with open(file, encoding="utf-8") as known:
            cases = {**json.load(known)["cases"], **cases}
    about = {
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "threads": options.threads,
        "versions": versions,
    }
    with open(file, "w", encoding="utf-8") as out:
        json.dump({**about, "cases": cases}, out, indent=1)
        out.write("\n")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m detops.compare", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the time")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--case", choices=CASES, action="append", help="only this one")
    parser.add_argument("--voxels", type=int, default=0, help="about so many in all cases")
    parser.add_argument("--repeat", type=int, default=0, help="so many calls instead of seconds")
    parser.add_argument("--gflops", type=float, default=0.0, help="the machine's peak")
    parser.add_argument("--json", help="add the figures to this file, too")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    if options.one:
        what, key, contestant, file = options.one
        one(what, key, contestant, options, file)
        return
    version = version_of_spconv()
    peer = f"spconv {version}" if version else "no spconv"
    print(f"torch {torch.__version__}, {peer}, {options.threads} threads")
    print(COLUMNS)
    ratios: list[float] = []
    cases: dict[str, Any] = {}
    for key in options.case or CASES:
        contestants = [name for name in CONTESTANTS if version or name != "spconv"]
        results = compare(key, contestants, options)
        if "detops" not in results:
            continue
        print_times(CASES[key].name, results, PARTS)
        cases[CASES[key].name] = figures_of(results)
        if "spconv" in results:
            ratios += [results["spconv"][part][0] / results["detops"][part][0] for part in PARTS]
    if ratios:
        print(f"\nagainst spconv: {statistics.geometric_mean(ratios):.1f}x as fast, geometric mean")
    if options.json:
        write_figures(options.json, {"torch": torch.__version__, "spconv": version}, options, cases)


if __name__ == "__main__":
    main()
