"""Generated streets as a laser scanner on a car's roof sees them, and pictures of them from above.

A scene is decided by its seed. Everything is an upright box to the rays, and what stands in front hides
what is behind. Axes are those of KITTI and nuScenes: x ahead, y to the left, z up, the sensor at 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

CLASSES = ("Car", "Pedestrian", "Cyclist")
GROUND = -1.73
"""The height of the street."""
_COUNTS = {"Car": 14, "Pedestrian": 8, "Cyclist": 6, "wall": 6}
_LEAST_POINTS = 5
"""Of a thing that counts: the others are hidden."""
_SIZES = {"Car": (4.2, 1.8, 1.55), "Pedestrian": (0.8, 0.7, 1.75), "Cyclist": (1.8, 0.7, 1.75)}
_SIZES["wall"] = (12.0, 0.4, 3.0)


@dataclass(frozen=True)
class Scene:
    points: Array
    """(P, 4) float32: x, y, z, intensity between 0 and 1."""
    boxes: Array
    """(N, 7) float32: x, y, z of the centre, length, width, height, angle against x."""
    labels: Array
    """(N,) int64: positions in ``CLASSES``."""


@dataclass(frozen=True)
class Picture:
    """A scene from above."""

    pixels: Array
    """(3, size, size) float32 between 0 and 1."""
    boxes: Array
    """(N, 5) float32: x, y of the centre, length, width in pixels, angle in radians, clockwise on
    the picture, whose y points down."""
    labels: Array


def make(count: int, *, seed: int = 0, ahead: bool = True, beams: int = 64, turns: int = 1800) -> list[Scene]:
    """So many scenes, of about 80 000 points. ``ahead``: things stand in x 0 to 70, y -40 to 40, as
    KITTI has them; else within 50 m all around. The scanner looks all around in any case."""
    return [_scene(np.random.default_rng((seed, each)), ahead, beams, turns) for each in range(count)]


def _scene(random: np.random.Generator, ahead: bool, beams: int, turns: int) -> Scene:
    kinds = np.repeat(np.arange(len(_COUNTS)), list(_COUNTS.values()))
    boxes = _placed(random, kinds, ahead)
    points, owners = _scan(random, boxes, beams, turns)
    seen = np.bincount(owners + 1, minlength=len(boxes) + 1)[1:]
    counts = (kinds < len(CLASSES)) & (seen >= _LEAST_POINTS)
    shine = np.append(random.uniform(0.3, 0.9, len(boxes)), 0.2)[owners]  # The last is the street's.
    intensity = np.clip(shine + random.normal(0.0, 0.03, len(owners)), 0.0, 1.0)
    return Scene(
        np.column_stack([points, intensity]).astype(np.float32),
        boxes[counts].astype(np.float32),
        kinds[counts].astype(np.int64),
    )


def _placed(random: np.random.Generator, kinds: Array, ahead: bool) -> Array:
    """(N, 7): a box of each kind, where no other stands, nor the scanner."""
    low, high = ((3.0, -36.0), (66.0, 36.0)) if ahead else ((-46.0, -46.0), (46.0, 46.0))
    sizes = np.array(list(_SIZES.values()))[kinds] * random.uniform(0.9, 1.1, (len(kinds), 3))
    taken = np.array([[0.0, 0.0, 2.5]])
    rows = []
    for size in sizes:
        radius = np.hypot(*size[:2]) / 2 + 0.2
        while True:
            place = random.uniform(low, high)
            if (np.hypot(*(taken[:, :2] - place).T) > taken[:, 2] + radius).all():
                break
        taken = np.vstack([taken, [*place, radius]])
        # Along the street or across it, mostly.
        angle = random.choice([0.0, 0.5, 1.0, -0.5]) * np.pi + random.normal(0, 0.15)
        rows.append([*place, GROUND + size[2] / 2, *size, angle])
    return np.array(rows)


def _scan(random: np.random.Generator, boxes: Array, beams: int, turns: int) -> tuple[Array, Array]:
    """Where each ray that comes back ended, (P, 3), and on which box, -1 for the street."""
    # Beams are closer to each other near the horizon, where a degree is many metres of street.
    slope = np.tan(np.radians(-24.0 + 27.0 * np.linspace(0.0, 1.0, beams) ** 0.6))
    turn = np.linspace(-np.pi, np.pi, turns, endpoint=False)
    along = np.stack([np.cos(turn), np.sin(turn)])
    street = np.divide(GROUND, slope, where=slope < 0, out=np.full(beams, np.inf))
    distance = np.tile(street, (turns, 1))
    owners = np.full(distance.shape, -1)
    for number, box in enumerate(boxes):
        enter, leave = _crossing(along, box)
        (columns,) = np.nonzero(enter < leave)
        front, back, nearest = enter[columns, None], leave[columns, None], distance[columns]
        height, top = front * slope, box[2] + box[5] / 2
        # A ray that passes above the front may come down on the roof.
        roof = np.divide(top, slope, where=slope < 0, out=np.full(beams, np.inf))
        roof = np.where((height > top) & (roof < back), roof, np.inf)
        met = np.where((height <= top) & (height >= top - box[5]), front, roof)
        distance[columns] = np.minimum(met, nearest)
        owners[columns] = np.where(met < nearest, number, owners[columns])
    kept = np.nonzero((distance < 80.0) & (random.random(distance.shape) < 0.95))
    far = distance[kept] + random.normal(0.0, 0.02, len(kept[0]))
    x, y = along[:, kept[0]] * far
    return np.column_stack([x, y, far * slope[kept[1]]]), owners[kept]


def _crossing(along: Array, box: Array) -> tuple[Array, Array]:
    """Where rays from the sensor, seen from above, enter a box and leave it; apart if they miss it."""
    cos, sin = np.cos(box[6]), np.sin(box[6])
    turned = np.array([[cos, sin], [-sin, cos]])
    ahead, centre = turned @ along, turned @ box[:2]
    ahead = np.where(np.abs(ahead) < 1e-9, 1e-9, ahead)
    sides = (centre[:, None, None] + np.array([-0.5, 0.5])[:, None] * box[3:5, None, None]) / ahead[:, None]
    enter, leave = sides.min(1).max(0), sides.max(1).min(0)
    return np.maximum(enter, 0.0), leave


def pictures(scenes: Sequence[Scene], size: int, metres: float = 72.0) -> list[Picture]:
    """Scenes from above, as many pixels wide and high, for detectors of rotated things on pictures:
    returns bright on dark, and what stands there painted in."""
    return [_picture(scene, size, metres) for scene in scenes]


def _picture(scene: Scene, size: int, metres: float) -> Picture:
    scale = size / metres
    corner = np.array([0.0, metres / 2])
    pixels = np.zeros((3, size, size), np.float32)
    boxes = np.empty((len(scene.boxes), 5), np.float32)
    # x ahead is to the right on the picture, y to the left is up.
    boxes[:, 0] = (scene.boxes[:, 0] - corner[0]) * scale
    boxes[:, 1] = (corner[1] - scene.boxes[:, 1]) * scale
    boxes[:, 2:4] = scene.boxes[:, 3:5] * scale
    boxes[:, 4] = -scene.boxes[:, 6]
    rows, columns = np.mgrid[:size, :size] + 0.5
    for (x, y, length, width, angle), label in zip(boxes, scene.labels, strict=True):
        dx, dy = columns - x, rows - y
        cos, sin = np.cos(angle), np.sin(angle)
        inside = (np.abs(dx * cos + dy * sin) < length / 2) & (np.abs(dy * cos - dx * sin) < width / 2)
        pixels[label, inside] = 0.8
    at = np.stack([corner[1] - scene.points[:, 1], scene.points[:, 0] - corner[0]]) * scale
    row, column = at[:, ((at >= 0) & (at < size)).all(0)].astype(np.int64)
    pixels[:, row, column] = 1.0
    return Picture(pixels, boxes, scene.labels)
