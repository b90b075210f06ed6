"""What ``detops.compare`` and ``detops.encoders`` share: contestants, times, memory, bounds, lines of a report."""

from __future__ import annotations

import importlib
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import torch

# ---- contestants ---------------------------------------------------------------------------------


def load(contestant: str) -> Any:
    if contestant != "spconv":
        from . import spconv

        return spconv
    original: Any = importlib.import_module("spconv.pytorch")
    # On a CPU-only torch its backward fails when it asks for the stream of a GPU it does not use.
    torch.cuda.current_stream = lambda *_: SimpleNamespace(cuda_stream=0)  # type: ignore[assignment]
    return original


def version_of_spconv() -> str | None:
    try:
        return str(importlib.import_module("spconv").__version__)
    except ImportError:
        return None


def machine() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        names = (line.partition(":")[2].strip() for line in info if line.startswith("model name"))
        return f"{next(names, platform.machine())}, {os.cpu_count()} cores"


def run_apart(
    program: str, words: Sequence[str], about: str, environment: Mapping[str, str]
) -> Any:
    """What a module, run in a process of its own, saves into the file that is its last argument.
    None if it fails, which is said."""
    with tempfile.NamedTemporaryFile(suffix=".pt") as file:
        command = [sys.executable, "-m", program, *words, file.name]
        both = {**os.environ, **environment}
        run = subprocess.run(command, capture_output=True, text=True, check=False, env=both)
        if run.returncode == 0:
            return torch.load(file.name)
    last = run.stderr.strip().splitlines()[-1] if run.stderr.strip() else "no reason given"
    print(f"{about} failed: {last}", file=sys.stderr)
    return None


# ---- measuring -----------------------------------------------------------------------------------


def seconds(call: Callable[[], Any], least_calls: int, at_least: float = 0.0) -> list[float]:
    """Of so many calls and for so many seconds, ascending."""
    call()
    times: list[float] = []
    until = time.perf_counter() + at_least
    while len(times) < least_calls or time.perf_counter() < until:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return sorted(times)


PERCENTILES = {"p50": 500, "p99": 990, "p99.9": 999}
"""As so many of a thousand."""


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """Of ascending times, those that so many of the calls do not exceed; without those for which
    there are too few calls, so that none could exceed them."""
    count = len(times)
    return {
        name: times[-(-count * share // 1000) - 1]
        for name, share in PERCENTILES.items()
        if count * (1000 - share) >= 1000
    }


def peak_memory() -> int:
    """KiB. Not ru_maxrss, which a process inherits from the one that started it."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


# ---- bounds --------------------------------------------------------------------------------------


def count_flops(network: torch.nn.Module, run: Callable[[], Any]) -> float:
    """Of the convolutions of one forward. ``network`` is of detops."""
    from .spconv.conv import SparseConvolution

    found: list[float] = []

    def look(layer: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pairs = inputs[0].indices.shape[0]
        stored = output.find_indice_pair(layer.indice_key)
        if not layer.conv1x1:
            pairs = int(stored.indice_pair_num.sum())
        found.append(2.0 * pairs * layer.in_channels * layer.out_channels)

    hooks = [
        m.register_forward_hook(look) for m in network.modules() if isinstance(m, SparseConvolution)
    ]
    with torch.no_grad():
        run()
    for hook in hooks:
        hook.remove()
    return sum(found)


def product_speed() -> float:
    """FLOP a second of a product that stays in the caches."""
    from . import torch as operators

    rows, channels = 4096, 256
    numbers = torch.arange(rows, dtype=torch.int32)
    lists = (torch.stack([numbers, numbers])[None], torch.tensor([rows], dtype=torch.int32))
    features, filters = torch.ones(rows, channels), torch.ones(1, channels, channels)
    times = seconds(
        lambda: operators.indice_convolution_forward(features, filters, *lists, rows), 100
    )
    return 2.0 * rows * channels * channels / times[0]


# ---- reports -------------------------------------------------------------------------------------

COLUMNS = f"{'ms':23}{'best':>10}" + "".join(f"{name:>10}" for name in PERCENTILES)


def print_times(
    name: str, results: Mapping[str, Mapping[str, Any]], parts: Mapping[str, int]
) -> None:
    """By contestant, detops among them: each of ``parts`` next to the bound, of which it takes so
    many, and memory; then the lines that a contestant has."""
    mine = results["detops"]
    bound = mine["flops"] / mine["speed"]
    print(f"\n{name}, {mine['voxels']} voxels: {mine['flops'] / 1e9:.1f} GFLOP, ", end="")
    print(f"bound {1e3 * bound:.1f} ms at {mine['speed'] / 1e9:.0f} GFLOP/s")
    for contestant, found in results.items():
        for part, times_of_bound in parts.items():
            best, known = found[part][0], percentiles(found[part])
            line = f"  {contestant:11}{part:10}{1e3 * best:10.1f}"
            for percentile in PERCENTILES:
                line += f"{1e3 * known[percentile]:10.1f}" if percentile in known else f"{'-':>10}"
            line += f"   best / bound {best / bound / times_of_bound:5.2f}"
            if found is not mine:
                line += f"   detops is {best / mine[part][0]:.1f}x as fast"
            print(line)
        print(f"  {contestant:11}{'memory':10}{found['peak']:10.0f} MiB")
        for line in found["lines"]:
            print(f"  {'':11}{line}")
