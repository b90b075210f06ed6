"""A few steps of examples/second on its share of each batch: what test_second.py starts twice.

    second_worker.py FOLDER

writes FOLDER/rank<number>.pt: losses, and the gradients of all parameters after each step.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples" / "second"))

import data
import distributed
import loss
import torch
from grid import Grid
from model import Second
from scenes import Town
from torch.nn.parallel import DistributedDataParallel

STEPS, BATCH = 3, 4
TINY = Town(
    grid=Grid((0.0, -6.4, -3.0), (12.8, 6.4, 1.0)),
    cars=(1, 2),
    walls=(0, 1),
    poles=(0, 1),
    bushes=(0, 1),
    rings=16,
    columns=60,
)


class ScenesWithGaps(data.Scenes):
    """Of every eight scenes two are without a point: those of process 1 in every second batch."""

    def __getitem__(self, number: int) -> Any:
        scene, targets = super().__getitem__(number)
        if number % 8 not in (1, 3):
            return scene, targets
        nothing = scene._replace(points=scene.points[:0], owners=scene.owners[:0])
        return nothing, targets


def run() -> list[dict[str, Any]]:
    """The same numbers in one process and in several, if all is well."""
    torch.manual_seed(1)
    model = Second(TINY.grid).double()
    parallel: Any = model
    if distributed.processes() > 1:
        parallel = DistributedDataParallel(model)
    made = []
    for batch in data.load(ScenesWithGaps(TINY, 5), range(STEPS * BATCH), BATCH, 0):
        batch = batch.double()
        model.zero_grad()
        maps = parallel(batch.features, batch.indices, len(batch.scenes))
        found = loss.measure(maps, batch.targets)
        found.to_minimise.backward()
        gradients = {name: p.grad.clone() for name, p in model.named_parameters()}
        made.append({"voxels": len(batch.features), "loss": found.parts, "gradients": gradients})
        with torch.no_grad():  # By hand: torch.optim takes a second to import.
            for name, parameter in model.named_parameters():
                parameter -= 0.01 * gradients[name]
    made.append({"state": model.state_dict()})
    return made


def main() -> None:
    torch.set_num_threads(1)
    distributed.start()
    torch.save(run(), Path(sys.argv[1]) / f"rank{distributed.rank()}.pt")
    distributed.stop()


if __name__ == "__main__":
    main()
