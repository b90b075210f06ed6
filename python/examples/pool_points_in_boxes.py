"""Pools the points of a small scene in its boxes, and shows one of them from above as text."""

from __future__ import annotations

from typing import Any

import detops
import numpy as np
import numpy.typing as npt

GRID = (12, 6, 4)  # voxels of a box along x, y, z


def make_scene() -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Three cars on a ground: boxes, points, and (height, intensity) as features."""
    random = np.random.default_rng(1)
    # cx, cy, cz (the bottom), dx, dy, dz, rz
    boxes = np.array(
        [
            [8, 2, 0, 4.2, 1.8, 1.6, 0.3],
            [15, -4, 0, 4.6, 1.9, 1.5, -1.2],
            [30, 9, 0, 4, 1.7, 1.5, 2],
        ]
    )
    parts = [
        np.column_stack(
            [
                random.uniform(0, 40, 4000),
                random.uniform(-15, 15, 4000),
                random.normal(0, 0.02, 4000),
            ]
        )
    ]
    for cx, cy, cz, dx, dy, dz, rz in boxes:
        # Points on the hull of a car: near one of its sides.
        unit = random.uniform(-0.5, 0.5, size=(1500, 3))
        side = random.integers(0, 2, size=1500)
        unit[np.arange(1500), side] = np.sign(unit[np.arange(1500), side]) * 0.48
        local = unit * (dx, dy, dz)
        x = local[:, 0] * np.cos(rz) - local[:, 1] * np.sin(rz) + cx
        y = local[:, 0] * np.sin(rz) + local[:, 1] * np.cos(rz) + cy
        parts.append(np.column_stack([x, y, local[:, 2] + cz + dz / 2]))
    points = np.concatenate(parts).astype(np.float32)
    features = np.column_stack([points[:, 2], random.uniform(0, 1, len(points))])
    return boxes.astype(np.float32), points, features.astype(np.float32)


def main() -> None:
    boxes, points, features = make_scene()
    pooled = detops.roiaware_pool3d_compact_forward(boxes, points, features, GRID, pool="max")
    print(f"{len(points)} points, {len(boxes)} boxes of {GRID[0]}x{GRID[1]}x{GRID[2]} voxels")
    counts = np.diff(pooled.voxel_begins)
    for box in range(len(boxes)):
        mine = pooled.voxels[:, 0] == box
        highest = pooled.pooled_features[mine, 0].max()
        print(
            f"box {box}: {mine.sum():3} voxels hold {counts[mine].sum():4} points, "
            f"the highest at {highest:.2f} m"
        )

    print("box 0 from above, height of the highest point in decimetres:")
    top = np.full(GRID[:2], -1.0)
    for (box, x, y, _), feature in zip(pooled.voxels, pooled.pooled_features, strict=True):
        if box == 0:
            top[x, y] = max(top[x, y], feature[0])
    for row in top.T[::-1]:
        print("  " + " ".join(" ." if height < 0 else f"{10 * height:2.0f}" for height in row))

    # Backward: which points have decided something, and how often.
    gradient = np.ones_like(pooled.pooled_features)
    slope = detops.roiaware_pool3d_compact_backward(
        gradient, None, None, pooled.argmax, len(points)
    )
    print(f"{np.count_nonzero(slope.any(axis=1))} points are the maximum of a voxel")


if __name__ == "__main__":
    main()
