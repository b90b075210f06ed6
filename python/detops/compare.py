"""detops beside spconv's CPU build and a plain loop of torch operators, on the same layers.

    python -m detops.compare [--quick] [--threads N] [--case NAME] [--voxels N]

Layers and a whole SECOND encoder, forward and forward with backward: time, memory and agreement.
Each measurement runs in a process of its own. The sites are those of a made-up laser scan. Without
spconv (``pip install spconv==2.3.8``) its lines are missing.

Results differ by the largest difference over the largest number: of the output, whose rows are
matched by their coordinates, and of the gradients of input and parameters. The latter are computed
in double, as rounding turns one or the other ReLU of an encoder on or off; all by one thread, as
spconv loses updates on several.
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

CONTESTANTS = ("detops", "spconv", "torch loop")
SECONDS, LEAST_CALLS = 3.0, 3


@dataclass(frozen=True)
class Case:
    name: str
    voxels: int
    """About; the scan decides."""
    channels: int


CASES = {
    "subm 16-16": Case("SubMConv3d 16-16, 3x3x3", 120_000, 16),
    "subm 128-128": Case("SubMConv3d 128-128, 3x3x3", 30_000, 128),
    "down 64-128": Case("SparseConv3d 64-128, 3x3x3, stride 2", 60_000, 64),
    "encoder": Case("SECOND encoder, 12 layers", 40_000, 4),
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
    cells = np.unique(cells[inside], axis=0)
    return torch.from_numpy(np.pad(cells, ((0, 0), (1, 0)))).int()


def load(contestant: str) -> Any:
    if contestant != "spconv":
        from . import spconv

        return spconv
    original: Any = importlib.import_module("spconv.pytorch")
    # On a CPU-only torch its backward fails when it asks for the stream of a GPU it does not use.
    torch.cuda.current_stream = lambda *_: SimpleNamespace(cuda_stream=0)  # type: ignore[assignment]
    return original


def encoder(spconv: Any, words: dict[str, Any]) -> Any:
    """The sparse encoder of SECOND for KITTI."""

    def block(layer: Any, channels: int) -> Any:
        norm = torch.nn.BatchNorm1d(channels, eps=1e-3, momentum=0.01)
        return spconv.SparseSequential(layer, norm, torch.nn.ReLU())

    def subm(inputs: int, outputs: int, key: str) -> Any:
        layer = spconv.SubMConv3d(inputs, outputs, 3, bias=False, indice_key=key, **words)
        return block(layer, outputs)

    def down(inputs: int, outputs: int, size: Any, stride: Any, padding: Any, key: str) -> Any:
        layer = spconv.SparseConv3d(
            inputs, outputs, size, stride, padding, bias=False, indice_key=key, **words
        )
        return block(layer, outputs)

    stages = [subm(4, 16, "subm1"), subm(16, 16, "subm1")]
    for number, (inputs, outputs, padding) in enumerate(
        [(16, 32, 1), (32, 64, 1), (64, 64, (0, 1, 1))], 2
    ):
        stages.append(down(inputs, outputs, 3, 2, padding, f"spconv{number}"))
        stages += [subm(outputs, outputs, f"subm{number}") for _ in range(2)]
    stages.append(down(64, 128, (3, 1, 1), (2, 1, 1), 0, "spconv_down2"))
    return spconv.SparseSequential(*stages)


def network_of(key: str, contestant: str) -> tuple[Any, Any]:
    """The module, and its package."""
    spconv = load(contestant)
    words = {"algo": spconv.ConvAlgo.Native}
    torch.manual_seed(0)
    if key == "encoder":
        return encoder(spconv, words), spconv
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


class Loop(torch.nn.Module):
    """A network of detops as such a loop. It is given the pairs: what it shows is the cost of the
    layers alone."""

    def __init__(self, network: Any, x: Any) -> None:
        super().__init__()
        self.network = network
        with torch.no_grad():
            y = network(x)
        self.sites = y.indices
        is_layer = hasattr(network, "weight")
        self.blocks: list[Any] = [[network]] if is_layer else [list(block) for block in network]
        self.pairs = {key: self._lists(stored) for key, stored in y.indice_dict.items()}
        for layer, *_ in self.blocks:
            weight = layer.weight.detach().movedim(0, -1)
            layer.weight = torch.nn.Parameter(weight.flatten(0, 2).contiguous())

    @staticmethod
    def _lists(stored: Any) -> tuple[list[Any], int]:
        counts = stored.indice_pair_num.tolist()
        lists = [
            (both[0, :count].long(), both[1, :count].long())
            for both, count in zip(stored.indice_pairs, counts, strict=True)
        ]
        return lists, len(stored.out_indices)

    def forward(self, x: Any) -> Any:
        apply: Any = TorchLoop.apply
        features = x.features
        for layer, *rest in self.blocks:
            features = apply(features, layer.weight, *self.pairs[layer.indice_key])
            for module in rest:
                features = module(features)
        return SimpleNamespace(features=features, indices=self.sites)


def runner(
    key: str, contestant: str, voxels: int, dtype: torch.dtype = torch.float32
) -> tuple[Callable[[bool], Any], int]:
    """A function that runs the case once, with or without backward; and the number of voxels."""
    sites = scan(voxels or CASES[key].voxels)
    torch.manual_seed(1)
    features = torch.randn(len(sites), CASES[key].channels).to(dtype)
    module, spconv = network_of(key, contestant)
    module = module.to(dtype)

    def tensor(rows: torch.Tensor) -> Any:
        return spconv.SparseConvTensor(rows, sites, list(SPACE), 1)

    if contestant == "torch loop":
        module = Loop(module, tensor(features))
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

    return run, len(sites)


def some_gradient(sites: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """A gradient of the output that depends on sites, not on the order of rows."""
    phase = (sites.double() * torch.tensor([1.0, 0.31, 0.047, 0.0131])).sum(1)
    return torch.cos(phase[:, None] + torch.arange(features.shape[1])).to(features.dtype)


def best_time(call: Callable[[], Any], quick: bool) -> float:
    call()
    times: list[float] = []
    until = time.perf_counter() + (SECONDS / 10 if quick else SECONDS)
    while len(times) < LEAST_CALLS or time.perf_counter() < until:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def values(key: str, contestant: str, voxels: int) -> dict[str, Any]:
    """Output and gradients of one step, in an order that all contestants share."""
    features, sites, _ = runner(key, contestant, voxels)[0](False)
    _, _, grads = runner(key, contestant, voxels, torch.float64)[0](True)
    order = torch.argsort(sites.long() @ torch.tensor([2**48, 2**32, 2**16, 1]))
    # Weights as (out, offsets, in).
    grads = [grad.movedim(2, 0) if grad.ndim == 3 else grad for grad in grads]
    grads = [grad.flatten(1, 3) if grad.ndim == 5 else grad for grad in grads]
    return {"features": features[order], "sites": sites[order], "gradients": grads}


def difference(mine: dict[str, Any], other: dict[str, Any]) -> tuple[float, float]:
    """Of the output and of the gradients, relative to the largest number of each."""

    def relative(a: torch.Tensor, b: torch.Tensor) -> float:
        return float((a.double() - b.double()).abs().max() / a.double().abs().max())

    if not torch.equal(mine["sites"], other["sites"]):
        return math.inf, math.inf
    pairs = zip(mine["gradients"], other["gradients"], strict=True)
    return relative(mine["features"], other["features"]), max(relative(a, b) for a, b in pairs)


def peak_memory() -> int:
    """KiB. Not ru_maxrss, which a process inherits from the one that started it."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def measure(key: str, contestant: str, options: argparse.Namespace) -> dict[str, Any]:
    load(contestant)
    before = peak_memory()
    run, voxels = runner(key, contestant, options.voxels)
    forward = best_time(lambda: run(False), options.quick)
    both = best_time(lambda: run(True), options.quick)
    peak = peak_memory() - before
    return {"voxels": voxels, "forward": forward, "both": both, "peak": peak / 1024}


def run_apart(what: str, key: str, contestant: str, options: argparse.Namespace, file: str) -> bool:
    """``measure`` or ``values`` in another process, which writes the result into a file."""
    threads = options.threads if what == "measure" else 1
    command = [sys.executable, "-m", "detops.compare", "--one", what, key, contestant, file]
    command += ["--threads", str(threads), "--voxels", str(options.voxels)]
    command += ["--quick"] if options.quick else []
    environment = {**os.environ, **({} if what == "measure" else {"OMP_NUM_THREADS": "1"})}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if run.returncode == 0:
        return True
    last = run.stderr.strip().splitlines()[-1] if run.stderr.strip() else "no reason given"
    print(f"{CASES[key].name}: {contestant} failed: {last}", file=sys.stderr)
    return False


def one(what: str, key: str, contestant: str, options: argparse.Namespace, file: str) -> None:
    if what == "measure":
        torch.save(measure(key, contestant, options), file)
    else:
        torch.save(values(key, contestant, options.voxels), file)


def compare(
    key: str, contestants: Sequence[str], options: argparse.Namespace
) -> dict[str, dict[str, Any]]:
    """Results by contestant, without those that failed."""
    made: dict[str, dict[str, Any]] = {}
    expected: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/result.pt"
        for contestant in contestants:
            if not run_apart("measure", key, contestant, options, file):
                continue
            found = torch.load(file)
            if not run_apart("values", key, contestant, options, file):
                continue
            numbers = torch.load(file)
            expected = expected or numbers
            made[contestant] = {**found, "differs": difference(expected, numbers)}
    return made


def report(key: str, results: dict[str, dict[str, Any]]) -> list[float]:
    """Prints a case; how many times as long spconv takes, forward and both."""
    mine = results["detops"]
    print(f"\n{CASES[key].name}, {mine['voxels']} voxels")
    ratios: list[float] = []
    for contestant, found in results.items():
        line = f"  {contestant:11}{1e3 * found['forward']:10.1f} ms{1e3 * found['both']:10.1f} ms"
        line += f"{found['peak']:8.0f} MiB"
        if found is not mine:
            faster = [found[part] / mine[part] for part in ("forward", "both")]
            output, gradients = found["differs"]
            line += f"{faster[0]:8.1f}x{faster[1]:7.1f}x   differs by {output:.0e}, {gradients:.0e}"
            ratios = faster if contestant == "spconv" else ratios
        print(line)
    return ratios


def version_of_spconv() -> str | None:
    try:
        return str(importlib.import_module("spconv").__version__)
    except ImportError:
        return None


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m detops.compare", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the time")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--case", choices=CASES, action="append", help="only this one")
    parser.add_argument("--voxels", type=int, default=0, help="about so many in all cases")
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
    print(f"{'':13}{'forward':>13}{'and backward':>13}{'memory':>12}   detops is faster")
    ratios: list[float] = []
    for key in options.case or CASES:
        contestants = [name for name in CONTESTANTS if version or name != "spconv"]
        ratios += report(key, compare(key, contestants, options))
    if ratios:
        print(f"\nagainst spconv: {statistics.geometric_mean(ratios):.1f}x, geometric mean")


if __name__ == "__main__":
    main()
