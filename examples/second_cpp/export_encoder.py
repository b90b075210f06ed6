"""Writes the sparse encoder of examples/second for a program in C++.

    python export_encoder.py [--checkpoint RUN] FOLDER

writes into the folder, in the format that README.md describes:

    encoder.bin  the layers: batch normalisation folded into weights and biases
    sample.bin   voxels of some scenes, and the bird's-eye view that Python makes of them
"""

from __future__ import annotations

import argparse
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import torch
from detops import spconv
from torch import nn

sys.path.append(str(Path(__file__).resolve().parents[1] / "second"))

from data import Collate, Scenes  # noqa: E402
from model import Second  # noqa: E402
from scenes import Town  # noqa: E402

VERSION = 1
TRAINING, HELD_OUT = 0, 1
"""The series of scenes that train.py trains on, and that by which it judges."""
WITHOUT_EFFECT = (spconv.SparseSequential, spconv.SparseIdentity, nn.Identity, nn.Dropout)
"""In eval mode."""


def convolutions(encoder: nn.Module) -> Iterator[spconv.SparseConvolution]:
    """The layers of a fused encoder in the order in which they run."""
    for name, module in encoder.named_modules():
        if isinstance(module, spconv.SparseConvolution):
            activation = module.act_type.name
            if module.transposed or module.inverse or module.ndim != 3:
                raise ValueError(f"{name}: only regular and submanifold layers in space, not {module}")
            if activation not in ("None_", "ReLU"):
                raise ValueError(f"{name}: the activation is {activation}, expected ReLU or none")
            yield module
        elif not isinstance(module, WITHOUT_EFFECT):
            raise ValueError(f"{name}: a {type(module).__name__} cannot be folded into a convolution")


def write_numbers(file: BinaryIO, *numbers: int) -> None:
    file.write(struct.pack(f"<{len(numbers)}i", *numbers))


def write_array(file: BinaryIO, array: torch.Tensor, kind: str) -> None:
    file.write(np.ascontiguousarray(array.detach().numpy()).astype(kind).tobytes())


def write_encoder(path: Path, encoder: nn.Module, space: list[int]) -> None:
    """``encoder`` as ``spconv.fuse`` returns it."""
    layers = list(convolutions(encoder))
    keys: dict[str | int, int] = {}
    with path.open("wb") as file:
        file.write(b"DETOPS_E")
        write_numbers(file, VERSION, *space, len(layers))
        for layer in layers:
            # A layer without a key has a number to itself.
            key = keys.setdefault(layer.indice_key or id(layer), len(keys))
            write_numbers(file, 0 if layer.subm else 1, *layer.kernel_size, *layer.stride)
            write_numbers(file, *layer.padding, *layer.dilation)
            write_numbers(file, layer.in_channels, layer.out_channels, key)
            has_relu = layer.act_type.name == "ReLU"
            write_numbers(file, int(has_relu), int(layer.bias is not None))
            weight = layer.weight
            if layer.conv1x1:  # As spconv's, it is kept as (in, out), whatever its shape says.
                weight = weight.reshape(layer.in_channels, layer.out_channels).T
            write_array(file, weight, "<f4")
            if layer.bias is not None:
                write_array(file, layer.bias, "<f4")


def write_sample(path: Path, given: spconv.SparseConvTensor, made: spconv.SparseConvTensor) -> None:
    """Input and output of the encoder; also the output as the network's next part gets it."""
    view = made.dense().flatten(1, 2)
    with path.open("wb") as file:
        file.write(b"DETOPS_S")
        write_numbers(file, VERSION, given.batch_size, *given.features.shape)
        write_array(file, given.indices, "<i4")
        write_array(file, given.features, "<f4")
        write_numbers(file, len(made.indices))
        write_array(file, made.indices, "<i4")
        write_numbers(file, *view.shape)
        write_array(file, view, "<f4")


def make_network(checkpoint: Path | None, seed: int, town: Town) -> Second:
    torch.manual_seed(seed)
    network = Second(town.grid)
    if checkpoint is not None:
        state = torch.load(checkpoint / "last.pt", weights_only=True)
        network.load_state_dict(state["model"])
    else:  # With the statistics of some scenes, so that there is something to fold.
        batch = make_batch(town, range(2), TRAINING, seed)
        for module in network.encoder.modules():
            if isinstance(module, nn.BatchNorm1d):
                module.momentum = 1.0
        with torch.no_grad():
            network.encode(batch.features, batch.indices, len(batch.scenes))
    return network.eval()


def make_batch(town: Town, numbers: range, *series: int) -> Any:
    scenes = Scenes(town, *series)
    return Collate(town)([scenes[number] for number in numbers])


def export(folder: Path, network: Second, town: Town, scenes: int, seed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    encoder = spconv.fuse(network.encoder)
    write_encoder(folder / "encoder.bin", encoder, town.grid.shape)
    batch = make_batch(town, range(scenes), HELD_OUT, seed)
    given = spconv.SparseConvTensor(batch.features, batch.indices, town.grid.shape, scenes)
    with torch.no_grad():
        made = encoder(given)
        unfused = network.encode(batch.features, batch.indices, scenes)
    write_sample(folder / "sample.bin", given, made)
    difference = (made.dense().flatten(1, 2) - unfused).abs().max()
    print(f"{scenes} scenes, {len(given.indices)} voxels -> {len(made.indices)} sites")
    print(f"folding batch normalisation changes numbers by {difference:.1e} at most")


def main(arguments: list[str] | None = None, town: Town | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--checkpoint", type=Path, help="the folder of a run of train.py")
    parser.add_argument("--scenes", type=int, default=2, help="in the sample; default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="of scenes, and of a new network")
    options = parser.parse_args(arguments)
    if options.scenes < 1:
        parser.error("--scenes must be at least 1")
    town = town or Town()
    network = make_network(options.checkpoint, options.seed, town)
    export(options.folder, network, town, options.scenes, options.seed)


if __name__ == "__main__":
    main()
