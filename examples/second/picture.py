"""A scene from above: points, true boxes, found boxes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from boxes import LEAST_POINTS
from evaluate import SURE, Answer
from overlap import corners


def find_matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise SystemExit(
            "The picture needs matplotlib: pip install matplotlib, or say --no-picture"
        ) from None
    matplotlib.use("Agg")  # No window.
    from matplotlib import pyplot

    return pyplot


def outline(axes: Any, box: np.ndarray[Any, Any], label: str | None = None, **words: Any) -> None:
    """A box, and a line from its middle to its front."""
    around = corners(box)
    front = (around[0] + around[3]) / 2
    axes.plot(*np.concatenate([around, around[:1]]).T, label=label, **words)
    axes.plot(*np.stack([box[:2], front]).T, **words)


def draw(answers: list[Answer], path: Path) -> None:
    """Scenes beside each other, as a PNG."""
    pyplot = find_matplotlib()
    figure, panels = pyplot.subplots(
        1, len(answers), figsize=(5 * len(answers), 5), squeeze=False, layout="constrained"
    )
    for axes, (scene, found) in zip(panels[0], answers, strict=True):
        on_car = scene.owners >= 0
        for chosen, colour in ((~on_car, "0.6"), (on_car, "black")):
            points = scene.points[chosen]
            axes.scatter(points[:, 0], points[:, 1], s=0.6, c=colour, linewidths=0)
        hidden = scene.visible < LEAST_POINTS
        groups = (
            ("hidden car", scene.boxes[hidden], {"color": "tab:green", "ls": ":", "lw": 1}),
            ("car", scene.boxes[~hidden], {"color": "tab:green", "lw": 2}),
            ("found", found.boxes[found.scores >= SURE], {"color": "tab:red", "lw": 1}),
        )
        for name, boxes, words in groups:
            for number, box in enumerate(boxes):
                outline(axes, box, name if number == 0 else None, **words)
        axes.set_aspect("equal")
        # Above the scene, where it hides nothing.
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
        axes.set_xlabel("metres ahead")
    figure.savefig(path, dpi=90)
    pyplot.close(figure)
