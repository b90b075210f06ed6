"""From points to one layer of a sparse network to a picture.

Writes sparse_layer.png if matplotlib is there, otherwise sparse_layer.ppm.
"""

from __future__ import annotations

import importlib
from typing import Any

import detops
import numpy as np
import numpy.typing as npt

VOXEL = np.array([0.4, 0.25, 0.25])  # metres along z, y, x
LOW = np.array([-2.0, -20.0, 0.0])
SHAPE = (10, 160, 160)


def make_points() -> npt.NDArray[Any]:
    """Rings of a laser scanner on a ground with some walls: z, y, x, intensity."""
    random = np.random.default_rng(2)
    angle = np.tile(np.linspace(-1.2, 1.2, 900), 24)
    slope = np.repeat(np.linspace(-0.35, -0.03, 24), 900)
    distance = np.minimum(-1.7 / slope, 45)
    for wall in (12.0, 22.0, 31.0):
        hit = np.abs(np.sin(3 * angle + wall)) > 0.8
        distance = np.where(hit, np.minimum(distance, wall / np.cos(angle)), distance)
    distance += random.normal(0, 0.02, distance.size)
    z, y, x = slope * distance, distance * np.sin(angle), distance * np.cos(angle)
    return np.column_stack([z, y, x, random.uniform(0, 1, distance.size)])


def voxelize(points: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Sites (batch, z, y, x) and their mean features."""
    cells = np.floor((points[:, :3] - LOW) / VOXEL).astype(np.int32)
    inside = ((cells >= 0) & (cells < SHAPE)).all(axis=1)
    sites, place, counts = np.unique(cells[inside], axis=0, return_inverse=True, return_counts=True)
    sums = np.zeros((len(sites), points.shape[1]))
    np.add.at(sums, place.ravel(), points[inside])
    sites = np.concatenate([np.zeros((len(sites), 1), np.int32), sites], axis=1)
    return sites, (sums / counts[:, None]).astype(np.float32)


def save(image: npt.NDArray[Any]) -> str:
    levels = np.sqrt(image / max(float(image.max()), 1e-9))
    try:
        matplotlib_image: Any = importlib.import_module("matplotlib.image")
    except ImportError:
        grey = (255 * levels).astype(np.uint8)
        with open("sparse_layer.ppm", "wb") as file:
            file.write(b"P6 %d %d 255\n" % (image.shape[1], image.shape[0]))
            file.write(np.repeat(grey[..., None], 3, axis=2).tobytes())
        return "sparse_layer.ppm"
    matplotlib_image.imsave("sparse_layer.png", levels, cmap="magma")
    return "sparse_layer.png"


def main() -> None:
    random = np.random.default_rng(3)
    points = make_points()
    sites, features = voxelize(points)
    print(f"{len(points)} points, {len(sites)} active voxels of {np.prod(SHAPE)}")

    pairs = detops.get_indice_pairs(sites, 1, SHAPE, 3, stride=2, padding=1)
    print(
        f"{pairs.num_act_out} output sites in {pairs.output_shape}, {pairs.indice_num.sum()} pairs"
    )

    filters = (random.normal(size=(3, 3, 3, features.shape[1], 16)) / 5).astype(np.float32)
    bias = np.zeros(16, np.float32)
    layer = detops.indice_convolution_forward_fused(
        features,
        filters,
        pairs.indice_pairs,
        pairs.indice_num,
        pairs.num_act_out,
        bias=bias,
        activation="relu",
    )
    print(f"features {features.shape} -> {layer.shape}, mean {layer.mean():.4f}")

    # From above: the strongest channel of the strongest site of each column.
    image = np.zeros(pairs.output_shape[1:], np.float32)
    np.maximum.at(image, (pairs.out_indices[:, 2], pairs.out_indices[:, 3]), layer.max(axis=1))
    print(f"picture of {image.shape[1]}x{image.shape[0]}: {save(image)}")


if __name__ == "__main__":
    main()
