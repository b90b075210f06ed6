"""Scenes as batches of voxels and targets, made by worker processes."""

from __future__ import annotations

import dataclasses
import signal
from collections.abc import Iterator
from typing import Any, NamedTuple

import detops
import distributed
import numpy as np
import torch
from boxes import LEAST_POINTS, Targets, assign, make_anchors
from scenes import Scene, Town, make_scene
from torch.utils.data import DataLoader, Dataset, Sampler


class Batch(NamedTuple):
    features: torch.Tensor
    """(V, 4): the mean point of each voxel; coordinates from -1 to 1."""
    indices: torch.Tensor
    """(V, 4) int32: scene, z, y, x."""
    targets: Targets
    """Labels (batch, rows, columns, anchors); the rest of one scene behind the other."""
    scenes: list[Scene]

    def double(self) -> Batch:
        labels, residuals, directions = self.targets
        targets = Targets(labels, residuals.double(), directions.double())
        return self._replace(features=self.features.double(), targets=targets)


class Scenes(Dataset[tuple[Scene, Targets]]):
    """Scenes by number; ``series`` tells those for training from those held out."""

    def __init__(self, town: Town, *series: int) -> None:
        self.town, self.series = town, series
        self.anchors = make_anchors(town.grid)

    def __getitem__(self, number: int) -> tuple[Scene, Targets]:
        scene = make_scene((*self.series, number), self.town)
        return scene, assign(scene.boxes, scene.visible >= LEAST_POINTS, self.anchors)


@dataclasses.dataclass(frozen=True)
class Collate:
    """Joins scenes to a batch; a class, because worker processes may have to pickle it."""

    town: Town

    def __call__(self, items: list[tuple[Scene, Targets]]) -> Batch:
        grid = self.town.grid
        scenes = [scene for scene, _ in items]
        made = detops.point_to_voxel(
            np.concatenate([scene.points for scene in scenes]),
            (grid.voxel,) * 3,
            grid.low,
            grid.counts,
            cloud_begins=np.cumsum([0] + [len(scene.points) for scene in scenes]),
            order="ascending",
            voxels=False,
            means=True,
        )
        assert made.means is not None
        low, high = np.array(grid.low), np.array(grid.high)
        features = made.means
        features[:, :3] = 2 * (features[:, :3] - low) / (high - low) - 1
        labels, residuals, directions = zip(*(targets for _, targets in items), strict=True)
        targets = Targets(torch.stack(labels), torch.cat(residuals), torch.cat(directions))
        return Batch(
            torch.from_numpy(features), torch.from_numpy(made.coordinates), targets, scenes
        )


class Shares(Sampler[list[int]]):
    """Batches of consecutive numbers. Each process has its even share of every batch, so that
    together they do what one alone would do."""

    def __init__(self, numbers: range, batch: int) -> None:
        if batch < distributed.processes():
            raise ValueError(
                f"a batch of {batch} cannot be split over {distributed.processes()} processes"
            )
        self.numbers, self.batch = numbers, batch

    def __iter__(self) -> Iterator[list[int]]:
        for first in range(0, len(self.numbers), self.batch):
            whole = self.numbers[first : first + self.batch]
            share = list(whole[distributed.rank() :: distributed.processes()])
            if share:  # The last batch may be too small for all.
                yield share


def _ignore_interrupt(_: int) -> None:
    # Ctrl-C reaches all processes of a terminal; the one that trains decides what happens.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def load(scenes: Scenes, numbers: range, batch: int, workers: int) -> DataLoader[Any]:
    return DataLoader(
        scenes,
        batch_sampler=Shares(numbers, batch),
        num_workers=workers,
        collate_fn=Collate(scenes.town),
        worker_init_fn=_ignore_interrupt,
        # Of its own: it draws a number each time it begins, which would make a run that was resumed
        # differ from one that was not.
        generator=torch.Generator(),
    )
