"""Made-up street scenes, as a LiDAR on a car's roof would see them.

Everything is an upright box to the rays: cars (a body and a cabin), walls, poles, bushes. A ray goes
on until it hits something, so what stands in front hides what is behind it. A scene is decided by
its seed alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from grid import Grid

GROUND = -1.73
"""The height of the street; the sensor is at 0."""


@dataclass(frozen=True)
class Town:
    """How scenes look. Ranges are (least, most)."""

    grid: Grid = Grid()
    cars: tuple[int, int] = (7, 14)
    walls: tuple[int, int] = (1, 3)
    poles: tuple[int, int] = (4, 10)
    bushes: tuple[int, int] = (4, 10)
    rings: int = 40
    columns: int = 400


class Scene(NamedTuple):
    seed: tuple[int, ...]
    points: np.ndarray[Any, Any]
    """(P, 4) float32: x, y, z, intensity."""
    owners: np.ndarray[Any, Any]
    """(P,): the row in ``boxes`` of the car that a point lies on, -1 for the rest."""
    boxes: np.ndarray[Any, Any]
    """(N, 7) float32, the cars: x, y, z of the centre, length, width, height, angle."""

    @property
    def visible(self) -> np.ndarray[Any, Any]:
        """(N,): on how many points each car is seen."""
        return np.bincount(self.owners[self.owners >= 0], minlength=len(self.boxes))


class Boxes(NamedTuple):
    """What rays may hit, M boxes."""

    places: np.ndarray[Any, Any]
    """(M, 7), as those of a scene."""
    owners: np.ndarray[Any, Any]
    depth: np.ndarray[Any, Any]
    """(M,): how far rays go into them, at most; bushes are soft."""
    intensity: np.ndarray[Any, Any]


def to_local(x: Any, y: Any, boxes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """Vectors in the axes of each box: along its length, across it."""
    cos, sin = np.cos(boxes[:, 6]), np.sin(boxes[:, 6])
    return x * cos + y * sin, y * cos - x * sin


def is_free(box: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> bool:
    """Whether the circle around a box stays away from the others and from the sensor."""
    radius = 0.5 * np.hypot(box[3], box[4])
    along, across = to_local(box[0] - others[:, 0], box[1] - others[:, 1], others)
    gaps = np.hypot(
        np.maximum(np.abs(along) - others[:, 3] / 2, 0),
        np.maximum(np.abs(across) - others[:, 4] / 2, 0),
    )
    return bool(np.hypot(box[0], box[1]) > radius + 2.5 and (gaps > radius + 0.3).all())


SIZES = {
    "walls": ((5.0, 0.2, 2.0), (14.0, 0.5, 3.5)),
    "cars": ((3.8, 1.6, 1.4), (5.0, 2.0, 1.8)),
    "bushes": ((0.8, 0.6, 0.6), (4.0, 2.2, 2.0)),
    "poles": ((0.15, 0.15, 2.5), (0.4, 0.4, 5.0)),
}
"""Least and most length, width, height; in the order in which things find their place."""


def candidates(
    random: np.random.Generator, town: Town, kind: str, count: int
) -> np.ndarray[Any, Any]:
    """(count, 7) boxes of a kind, wherever they fall."""
    least, most = SIZES[kind]
    sizes = random.uniform(least, most, (count, 3))
    edge = 1.5 if kind == "cars" else 0.0
    low, high = np.array(town.grid.low[:2]) + edge, np.array(town.grid.high[:2]) - edge
    where = random.uniform(low, high, (count, 2))
    # Half of all things follow the street, some cross it, others stand as they like.
    quarters = random.choice(4, count, p=[0.35, 0.15, 0.35, 0.15])
    angles = quarters * np.pi / 2 + random.normal(0, 0.1, count)
    angles = np.where(random.random(count) < 0.3, random.uniform(0, 2 * np.pi, count), angles)
    angles = np.arctan2(np.sin(angles), np.cos(angles))
    return np.column_stack([where, GROUND + sizes[:, 2] / 2, sizes, angles])


def place(random: np.random.Generator, town: Town) -> dict[str, np.ndarray[Any, Any]]:
    """Boxes of each kind, (count, 7), that do not touch each other."""
    taken = np.empty((0, 7))
    made: dict[str, np.ndarray[Any, Any]] = {}
    for kind in SIZES:
        first = len(taken)
        least, most = getattr(town, kind)
        count = int(random.integers(least, most, endpoint=True))
        # Where there is no room left, there are fewer.
        for box in candidates(random, town, kind, 6 * count):
            if len(taken) - first == count:
                break
            if is_free(box, taken):
                taken = np.concatenate([taken, box[None]])
        made[kind] = taken[first:]
    return made


def car_parts(random: np.random.Generator, cars: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A body and a cabin for each: the bonnet is what tells front from back. (2 * N, 7)"""
    body, cabin = cars.copy(), cars.copy()
    clearance, height = 0.2, cars[:, 5]
    shoulder = random.uniform(0.5, 0.6, len(cars)) * height
    body[:, 5] = shoulder - clearance
    body[:, 2] = GROUND + (shoulder + clearance) / 2
    cabin[:, 3] *= random.uniform(0.5, 0.6, len(cars))
    cabin[:, 4] *= 0.85
    cabin[:, 5] = height - shoulder
    cabin[:, 2] = GROUND + (height + shoulder) / 2
    back = 0.12 * cars[:, 3]
    cabin[:, 0] -= back * np.cos(cars[:, 6])
    cabin[:, 1] -= back * np.sin(cars[:, 6])
    return np.concatenate([body, cabin])


def build(random: np.random.Generator, things: dict[str, np.ndarray[Any, Any]]) -> Boxes:
    cars = things["cars"]
    rest = [things[kind] for kind in ("walls", "poles", "bushes")]
    places = np.concatenate([car_parts(random, cars), *rest])
    owners = np.full(len(places), -1)
    owners[: 2 * len(cars)] = np.tile(np.arange(len(cars)), 2)
    depth = np.zeros(len(places))
    if len(things["bushes"]):
        depth[-len(things["bushes"]) :] = 0.8
    intensity = random.uniform(0.1, 0.9, len(places))
    return Boxes(places, owners, depth, intensity)


def cast(
    random: np.random.Generator, boxes: Boxes, slopes: np.ndarray[Any, Any], angles: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """How far, along the ground, each ray (column, ring) goes, and the box it hits (-1: none).

    Seen from above all rays of a column are one, so each box is cut by columns first. Only columns
    that meet a box look at its height.
    """
    places = boxes.places
    with np.errstate(divide="ignore"):
        street = np.where(slopes < 0, GROUND / slopes, np.inf)
    nearest = np.tile(street, (len(angles), 1))
    hit = np.full(nearest.shape, -1)
    ahead = to_local(np.cos(angles)[:, None], np.sin(angles)[:, None], places)
    start = to_local(-places[:, 0], -places[:, 1], places)
    enter, leave = np.full((2, len(angles), len(places)), [[[0.0]], [[np.inf]]])
    for axis in range(2):
        step = np.where(np.abs(ahead[axis]) < 1e-9, 1e-9, ahead[axis])
        half = places[:, 3 + axis] / 2
        walls = (-half - start[axis]) / step, (half - start[axis]) / step
        enter = np.maximum(enter, np.minimum(*walls))
        leave = np.minimum(leave, np.maximum(*walls))
    column, box = np.nonzero(enter < leave)
    into, out = enter[column, box][:, None], leave[column, box][:, None]
    low = (places[box, 2] - places[box, 5] / 2)[:, None]
    high = (places[box, 2] + places[box, 5] / 2)[:, None]
    height = into * slopes
    with np.errstate(divide="ignore", invalid="ignore"):
        roof = high / slopes
    on_roof = (height > high) & (slopes < 0) & (roof < out)
    distance = np.where((height >= low) & (height <= high), into, np.where(on_roof, roof, np.inf))
    soft = boxes.depth[box][:, None]
    distance = distance + np.minimum(soft * random.random(distance.shape), out - into)
    np.minimum.at(nearest, column, distance)
    pair, ring = np.nonzero(distance == nearest[column])
    seen = np.isfinite(distance[pair, ring])
    hit[column[pair[seen]], ring[seen]] = box[pair[seen]]
    return nearest, hit


def make_scene(seed: tuple[int, ...], town: Town) -> Scene:
    random = np.random.default_rng(seed)
    things = place(random, town)
    boxes = build(random, things)
    # Rings are closer to each other near the horizon, where a degree is many metres of street.
    slopes = np.tan(np.radians(-22 + 24 * np.linspace(0, 1, town.rings) ** 0.6))
    angles = np.radians(np.linspace(-75, 75, town.columns))
    distance, hit = cast(random, boxes, slopes, angles)
    kept = np.isfinite(distance) & (random.random(distance.shape) < 0.92)
    column, ring = np.nonzero(kept)
    box = hit[kept]
    # A range error of 2 cm, along the ray.
    far = distance[kept] * (1 + random.normal(0, 0.02, len(box)) / np.maximum(distance[kept], 1.0))
    points = np.empty((len(box), 4), np.float32)
    points[:, 0] = far * np.cos(angles[column])
    points[:, 1] = far * np.sin(angles[column])
    points[:, 2] = far * slopes[ring]
    bright = np.append(boxes.intensity, 0.3)[box]  # The last is the street's.
    points[:, 3] = bright + random.normal(0, 0.05, len(box))
    grid = town.grid
    inside = ((points[:, :3] >= grid.low) & (points[:, :3] < grid.high)).all(1)
    owners = np.append(boxes.owners, -1)[box]
    return Scene(seed, points[inside], owners[inside], things["cars"].astype(np.float32))
