"""Whole sparse encoders, as networks have them, with the bound of the whole beside their time.

    python -m detops.encoders [--case NAME] [--voxels N] [--order scan|sorted] [--repeat N]
                              [--threads N] [--gflops N] [--layers] [--huge-pages]

SECOND's encoder, the residual one of CenterPoint, and VoxelNeXt with its sparse heads, on two
made-up scans whose voxels come in the order of the scanner's rays (``sorted``: ascending). For
detops and, where it is installed, spconv: inference and a training step, batch norm and ReLU
included, as best, p50, p99 and p99.9 over ``--repeat``, the last two where there are 100 and 1,000
calls, and the peak of memory. ``--layers`` prints what share the kinds of operators have in detops'
inference.

The bound is the arithmetic of the convolutions, 2 * pairs * channels in * channels out, at the speed
of ``--gflops``; a training step has three times as much. Without ``--gflops`` that is what a product
of 4,096 rows by 256 x 256 channels reaches here: ``./dev bench`` prints the machine's own peak.

``--huge-pages``: the C library of GNU asks the system for large pages (glibc 2.35 and later). Tensors
are made of fresh memory in every layer, and of small pages that takes a twentieth of the time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ._measuring import (
    COLUMNS,
    count_flops,
    load,
    peak_memory,
    print_times,
    product_speed,
    run_apart,
    seconds,
    version_of_spconv,
)
from ._sparse_encoders import CHANNELS, MAKERS, NAMES, Layers

SPACE = (41, 1440, 1440)
PARTS = {"inference": 1, "step": 3}
"""And how many times the bound they have."""
SWEEPS, RINGS = 10, 32


def scan(points: int, seed: int) -> np.ndarray[Any, Any]:
    """Voxels (z, y, x) of some sweeps of a scanner that drives on, in the order of its points."""
    random = np.random.default_rng(seed)
    turns = max(1, points // (SWEEPS * RINGS))
    things = [
        (
            random.uniform(-np.pi, np.pi),
            random.uniform(4, 50),
            random.uniform(1, 12),
            random.uniform(-0.5, 2.5),
        )
        for _ in range(150)
    ]
    sweeps = []
    for sweep in range(SWEEPS):
        slope = np.tile(np.linspace(-0.55, 0.18, RINGS), turns)
        angle = np.repeat(np.linspace(-np.pi, np.pi, turns), RINGS)
        with np.errstate(divide="ignore"):
            distance = np.where(slope < -0.02, -1.8 / slope, 120.0)
        for towards, away, width, top in things:
            is_met = (np.abs(angle - towards) < width / away / 2) & (slope * away < top)
            distance = np.where(is_met & (away < distance), away, distance)
        distance = distance + random.normal(0, 0.05, distance.size)
        leaves = random.random(distance.size) < 0.3
        distance = np.where(leaves, distance * random.uniform(0.5, 1, distance.size), distance)
        slope = np.where(leaves, slope + random.normal(0, 0.08, slope.size), slope)
        y, x = distance * np.sin(angle), distance * np.cos(angle) + 0.4 * sweep
        sweeps.append(np.column_stack([distance * slope, y, x]))
    cells = np.floor((np.concatenate(sweeps) - [-3.2, -54, -54]) / [0.2, 0.075, 0.075]).astype(
        np.int64
    )
    cells = cells[((cells >= 0) & (cells < SPACE)).all(1)]
    _, first = np.unique(cells, axis=0, return_index=True)
    return cells[np.sort(first)]


def make_sites(voxels: int, order: str) -> torch.Tensor:
    """Of two scans, about so many."""
    scans = [scan(int(voxels * 0.6), seed) for seed in (1, 2)]
    sites = np.concatenate(
        [np.insert(cells, 0, batch, axis=1) for batch, cells in enumerate(scans)]
    )
    if order == "sorted":
        sites = sites[np.lexsort(sites.T[::-1])]
    return torch.from_numpy(sites).int()


# ---- measuring -----------------------------------------------------------------------------------


def measure(key: str, contestant: str, options: argparse.Namespace) -> dict[str, Any]:
    spconv = load(contestant)
    sites = make_sites(options.voxels, options.order)
    torch.manual_seed(1)
    features = torch.randn(len(sites), CHANNELS)
    before = peak_memory()
    torch.manual_seed(0)
    network = MAKERS[key](Layers(spconv))

    def run() -> Any:
        return network(spconv.SparseConvTensor(features, sites, list(SPACE), 2))

    def step() -> None:
        y = run().features
        y.backward(torch.ones_like(y))
        network.zero_grad()

    def infer() -> None:
        with torch.no_grad():
            run()

    found: dict[str, Any] = {"voxels": len(sites)}
    network.eval()
    if contestant == "detops":
        found["flops"] = count_flops(network, run)
        found["speed"] = options.gflops * 1e9 or product_speed()
    found["inference"] = seconds(infer, options.repeat)
    network.train()
    found["step"] = seconds(step, max(3, options.repeat // 3))
    found["peak"] = (peak_memory() - before) / 1024
    # Last: the profiler's own records would count as memory.
    network.eval()
    operators = profile(infer) if options.layers and contestant == "detops" else []
    found["lines"] = [f"{1e3 * took:10.2f} ms  {name}" for name, took in operators]
    return found


def profile(call: Callable[[], Any], calls: int = 5) -> list[tuple[str, float]]:
    """Seconds of each operator in one call, the longest first."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:
        for _ in range(calls):
            call()
    times = [(str(e.key), e.self_cpu_time_total / 1e6 / calls) for e in seen.key_averages()]
    return sorted(times, key=lambda pair: -pair[1])[:8]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m detops.encoders", description=__doc__)
    parser.add_argument("--case", choices=NAMES, action="append", help="only this one")
    parser.add_argument("--voxels", type=int, default=120_000, help="about so many, of two scans")
    parser.add_argument("--order", choices=("scan", "sorted"), default="scan")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--gflops", type=float, default=0.0, help="the machine's peak")
    parser.add_argument("--layers", action="store_true", help="the shares of operators")
    parser.add_argument("--huge-pages", action="store_true", help="for tensors")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    if options.one:
        key, contestant, file = options.one
        torch.save(measure(key, contestant, options), file)
        return
    version = version_of_spconv()
    print(f"torch {torch.__version__}, {f'spconv {version}' if version else 'no spconv'}, ", end="")
    print(f"{options.threads} threads, sites in {options.order} order")
    print(COLUMNS)
    given = sys.argv[1:] if arguments is None else list(arguments)
    pages = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"} if options.huge_pages else {}
    for key in options.case or NAMES:
        found: dict[str, dict[str, Any]] = {}
        for name in ("detops", *(("spconv",) if version else ())):
            words = (*given, "--one", key, name)
            made = run_apart("detops.encoders", words, f"{NAMES[key]}: {name}", pages)
            if made is not None:
                found[name] = made
        if "detops" in found:
            print_times(NAMES[key], found, PARTS)


if __name__ == "__main__":
    main()
