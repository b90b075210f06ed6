"""Same seed, same weights: trains a small sparse network and prints a hash of its weights.

    python same_weights.py [--package detops.mmcv] [--threads 1 2] [--steps 5]

One line for every number of threads. With detops all hashes are equal, in every run; with the CPU
build of spconv (``--package spconv.pytorch``) those of several threads differ from run to run.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

PACKAGES = ("detops.spconv", "detops.mmcv", "spconv.pytorch")
SPACE = (16, 64, 64)
SITES = 8000


def load(package: str) -> Any:
    """The package whose layers are trained."""
    if package == "spconv.pytorch":
        # On a CPU-only torch its backward asks for the stream of a GPU that it does not use.
        stream = SimpleNamespace(cuda_stream=0)
        torch.cuda.current_stream = lambda *_: stream  # type: ignore[assignment]
    return importlib.import_module(package)


def make_network(spconv: Any) -> Any:
    words: dict[str, Any] = {"bias": False}
    if hasattr(spconv, "ConvAlgo"):  # The only one of spconv on CPUs; mmcv has no choice.
        words["algo"] = spconv.ConvAlgo.Native
    return spconv.SparseSequential(
        spconv.SubMConv3d(4, 16, 3, indice_key="first", **words),
        torch.nn.ReLU(),
        spconv.SparseConv3d(16, 32, 3, stride=2, padding=1, **words),
        torch.nn.ReLU(),
        spconv.SubMConv3d(32, 32, 3, indice_key="second", **words),
    )


def hash_after(spconv: Any, steps: int) -> str:
    """Of all weights, after so many steps of gradient descent from one seed."""
    torch.manual_seed(0)
    random = np.random.default_rng(0)
    cells = np.sort(random.choice(np.prod(SPACE), SITES, replace=False))
    places = np.stack(np.unravel_index(cells, SPACE), axis=1)
    sites = torch.from_numpy(np.insert(places, 0, 0, axis=1).astype(np.int32))
    features = torch.from_numpy(random.normal(size=(SITES, 4)).astype(np.float32))
    network = make_network(spconv)
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-5, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad()
        out = network(spconv.SparseConvTensor(features, sites, list(SPACE), 1)).features
        # The gradient of half the squared distance from 1; torch's own sum depends on its threads.
        out.backward(out.detach() - 1)
        optimizer.step()
    digest = hashlib.sha256()
    for weight in network.parameters():
        digest.update(weight.detach().numpy().tobytes())
    return digest.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--package", choices=PACKAGES, default=PACKAGES[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--steps", type=int, default=5)
    options = parser.parse_args()
    spconv = load(options.package)
    for threads in options.threads:
        torch.set_num_threads(threads)
        print(f"threads {threads}, steps {options.steps}: {hash_after(spconv, options.steps)}")


if __name__ == "__main__":
    main()
