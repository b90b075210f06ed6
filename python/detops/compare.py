"""detops beside spconv's CPU build and a plain loop of torch operators, on the same layers.

    python -m detops.compare [--quick] [--threads N]

Layers and a whole SECOND encoder, forward and forward with backward: time, memory and agreement.
Each measurement runs in a process of its own. The sites are those of a made-up laser scan. Without
spconv (``pip install spconv``) its column stays empty.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
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


def runner(key: str, contestant: str) -> tuple[Callable[[bool], Any], int]:
    """A function that runs the case once, with or without backward; and the number of voxels."""
    case, sites = CASES[key], scan(CASES[key].voxels)
    torch.manual_seed(1)
    features = torch.randn(len(sites), case.channels)
    module, spconv = network_of(key, contestant)
    parameters = list(module.parameters())

    def run(backward: bool) -> Any:
        leaf = features.clone().requires_grad_(backward)
        x = spconv.SparseConvTensor(leaf, sites, list(SPACE), 1)
        with torch.set_grad_enabled(backward):
            y = module(x)
        grads = torch.autograd.grad(y.features.sum(), [leaf, *parameters]) if backward else ()
        return y.features.detach(), y.indices, grads

    if contestant != "torch loop":
        return run, len(sites)
    # Pairs are given to the loop: what it shows is the cost of the layer alone.
    x = spconv.SparseConvTensor(features, sites, list(SPACE), 1)
    y = module(x)
    stored = next(iter(y.indice_dict.values()))
    pairs = [
        (lists[0, :count].long(), lists[1, :count].long())
        for lists, count in zip(
            stored.indice_pairs, stored.indice_pair_num.tolist(), strict=True
        )
    ]
    weight = module.weight.detach().movedim(0, -1)
    weight = weight.reshape(-1, *weight.shape[-2:]).contiguous()

    def loop(backward: bool) -> Any:
        leaf = features.clone().requires_grad_(backward)
        matrices = weight.clone().requires_grad_(backward)
        apply: Any = TorchLoop.apply
        made = apply(leaf, matrices, pairs, len(y.indices))
        grads = torch.autograd.grad(made.sum(), [leaf, matrices]) if backward else ()
        return made.detach(), y.indices, grads

    return loop, len(sites)


def best_time(call: Callable[[], Any], quick: bool) -> float:
    call()
    times: list[float] = []
    until = time.perf_counter() + (SECONDS / 10 if quick else SECONDS)
    while len(times) < LEAST_CALLS or time.perf_counter() < until:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def checksum(features: torch.Tensor, sites: torch.Tensor) -> list[float]:
    """Numbers that agree if rows do, whatever their order."""
    weights = torch.cos((sites.double() * torch.tensor([1.0, 0.31, 0.047, 0.0131])).sum(1))
    rows = features.double()
    return [float((rows * weights[:, None]).sum()), float((rows.abs() * weights.abs()[:, None]).sum())]


def measure(key: str, contestant: str, quick: bool) -> dict[str, Any]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run, voxels = runner(key, contestant)
    features, sites, _ = run(False)
    forward = best_time(lambda: run(False), quick)
    both = best_time(lambda: run(True), quick)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {
        "voxels": voxels,
        "forward": forward,
        "both": both,
        "peak": peak / 1024,
        "sum": checksum(features, sites),
    }


def measure_apart(key: str, contestant: str, quick: bool, threads: int) -> dict[str, Any] | None:
    command = [sys.executable, "-m", "detops.compare", "--one", key, contestant]
    command += ["--threads", str(threads)] + (["--quick"] if quick else [])
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        made: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
        return made
    last = run.stderr.strip().splitlines()[-1] if run.stderr.strip() else "no reason given"
    print(f"{CASES[key].name}: {contestant} failed: {last}", file=sys.stderr)
    return None


def agreement(mine: dict[str, Any], other: dict[str, Any]) -> float:
    return float(abs(mine["sum"][0] - other["sum"][0]) / mine["sum"][1])


def report(key: str, results: dict[str, dict[str, Any] | None]) -> list[float]:
    """Prints a case; how many times as long spconv takes, forward and both."""
    mine = results["detops"]
    assert mine is not None
    print(f"\n{CASES[key].name}, {mine['voxels']} voxels")
    ratios: list[float] = []
    for contestant, found in results.items():
        if found is None:
            continue
        line = f"  {contestant:11}{1e3 * found['forward']:10.1f} ms{1e3 * found['both']:10.1f} ms"
        line += f"{found['peak']:8.0f} MiB"
        if found is not mine:
            faster = [found[part] / mine[part] for part in ("forward", "both")]
            line += f"{faster[0]:8.1f}x{faster[1]:7.1f}x   differs by {agreement(mine, found):.0e}"
            ratios = faster if contestant == "spconv" else ratios
        print(line)
    return ratios


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m detops.compare", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the time")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--one", nargs=2, metavar=("CASE", "CONTESTANT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.one:
        key, contestant = options.one
        print(json.dumps(measure(key, contestant, options.quick)))
        return
    print(f"torch {torch.__version__}, {options.threads} threads")
    print(f"{'':13}{'forward':>13}{'and backward':>13}{'memory':>12}   detops is faster")
    ratios: list[float] = []
    for key in CASES:
        names = [name for name in CONTESTANTS if name != "torch loop" or key != "encoder"]
        results = {
            name: measure_apart(key, name, options.quick, options.threads) for name in names
        }
        ratios += report(key, results)
    if ratios:
        print(f"\nagainst spconv: {statistics.geometric_mean(ratios):.1f}x, geometric mean")


if __name__ == "__main__":
    main()
