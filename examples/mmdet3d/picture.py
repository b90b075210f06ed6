"""A scene from above: points, what stands there, what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from streets import NAMES, RANGE, Streets

COLOURS = dict(zip(NAMES, ("tab:red", "tab:blue", "tab:orange"), strict=True))


def corners(box: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """(5, 2): once around a box."""
    around = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1], [1, 1]]) / 2 * box[3:5]
    cos, sin = np.cos(box[6]), np.sin(box[6])
    return np.asarray(around @ np.array([[cos, sin], [-sin, cos]]) + box[:2])


def draw(streets: Streets, found: list[Any], numbers: list[int], path: Path, sure: float = 0.3) -> None:
    """Scenes beside each other, as a PNG: found boxes in colours by their class, the truth in grey."""
    import matplotlib

    matplotlib.use("Agg")  # No window.
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(numbers), figsize=(5 * len(numbers), 5), layout="constrained")
    for axes, number in zip(np.atleast_1d(panels), numbers, strict=True):
        scene, instances = streets.scene(number), found[number]
        axes.scatter(scene.points[:, 0], scene.points[:, 1], s=0.5, c="0.7", linewidths=0)
        for box in scene.boxes:
            axes.fill(*corners(box).T, color="0.8", ec="0.4", lw=1)
        kept = instances.scores_3d >= sure
        boxes, labels = instances.bboxes_3d.tensor[kept].numpy(), instances.labels_3d[kept]
        for box, label in zip(boxes, labels.tolist(), strict=True):
            axes.plot(*corners(box).T, color=COLOURS[NAMES[label]], lw=2)
        axes.set_xlim(RANGE[0], RANGE[3])
        axes.set_ylim(RANGE[1], RANGE[4])
        axes.set_aspect("equal")
        axes.set_xlabel("metres ahead")
    shown = [*COLOURS.items(), ("truth", "0.6")]
    lines = [pyplot.Line2D([], [], color=colour, label=name) for name, colour in shown]
    figure.legend(handles=lines, loc="outside upper center", ncols=len(lines), frameon=False)
    figure.savefig(path, dpi=80)
    pyplot.close(figure)
