"""Trains a small SECOND on made-up scenes, on CPUs.

    python train.py                                 one process
    torchrun --nproc-per-node=2 train.py            two, with the same result

Ctrl-C ends the run after the step it is in; --resume goes on from there.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import checkpoint
import distributed
import loss
import picture
import torch
from checkpoint import Progress
from data import Batch, Scenes, load
from evaluate import LEAST_IOU, SURE, examine, judge
from model import Second
from schedule import set_rate
from scenes import Town
from torch import nn
from torch.nn.parallel import DistributedDataParallel

TRAINING, HELD_OUT = 0, 1


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--epochs", type=int, default=6, help="default: %(default)s")
    length.add_argument("--minutes", type=float, help="train for so long instead")
    parser.add_argument("--scenes", type=int, default=256, help="per epoch; none comes twice")
    parser.add_argument("--batch", type=int, default=4, help="scenes per step, of all processes")
    parser.add_argument("--workers", type=int, default=1, help="that make scenes, per process")
    parser.add_argument("--threads", type=int, help="per process; default: its share of the cores")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--held-out", type=int, default=100, help="scenes to judge by")
    parser.add_argument("--checkpoint", type=Path, default=Path("second_run"), help="a folder")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint")
    parser.add_argument("--no-picture", action="store_true", help="do without matplotlib")
    options = parser.parse_args(arguments)
    if not 1 <= options.batch <= options.scenes:
        parser.error("--batch must be at least 1, and at most --scenes")
    if options.epochs < 1:
        parser.error("--epochs must be at least 1")
    if options.minutes is not None and not options.minutes > 0:
        parser.error("--minutes must be more than 0")
    if options.held_out < 1:
        parser.error("--held-out must be at least 1")
    if options.workers < 0:
        parser.error("--workers must be at least 0")
    if not options.no_picture:
        picture.find_matplotlib()  # Better now than after the training.
    return options


class Interrupt:
    """Ctrl-C and SIGTERM as a wish, so that no step is left half done and no worker is left behind."""

    wanted = False
    signals = (signal.SIGINT, signal.SIGTERM)

    def __enter__(self) -> Interrupt:
        self.before = {each: signal.signal(each, self.note) for each in self.signals}
        return self

    def __exit__(self, *_: object) -> None:
        for each, handler in self.before.items():
            signal.signal(each, handler)

    def note(self, *_: object) -> None:
        self.wanted = True


class Run:
    """A network in training."""

    def __init__(self, options: argparse.Namespace, town: Town) -> None:
        self.options, self.town = options, town
        torch.manual_seed(options.seed)
        self.model = Second(town.grid)
        self.parallel: nn.Module = self.model
        if distributed.processes() > 1:
            self.parallel = DistributedDataParallel(self.model)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), weight_decay=0.01)
        self.progress = Progress()
        self.stopped = False
        """Whether all processes have agreed to stop."""
        self.steps = options.scenes // options.batch
        """Of an epoch."""
        names = ("seed", "batch", "scenes", *(["epochs"] if options.minutes is None else []))
        self.settings: dict[str, Any] = {name: getattr(options, name) for name in names}
        if options.resume:
            self.progress = checkpoint.restore(
                options.checkpoint, self.model, self.optimizer, self.settings
            )

    @property
    def done(self) -> float:
        """The part of the run that is over."""
        part: float
        if self.options.minutes is not None:
            part = self.progress.seconds / (60 * self.options.minutes)
        else:
            steps = self.progress.epoch * self.steps + self.progress.step
            part = steps / (self.options.epochs * self.steps)
        return min(1.0, part)

    def save(self) -> None:
        if distributed.rank() == 0:
            checkpoint.save(
                self.options.checkpoint, self.model, self.optimizer, self.progress, self.settings
            )

    def step(self, batch: Batch) -> loss.Loss:
        set_rate(self.optimizer, self.done)
        self.optimizer.zero_grad()
        maps = self.parallel(batch.features, batch.indices, len(batch.scenes))
        found = loss.measure(maps, batch.targets)
        found.to_minimise.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), 10.0)
        self.optimizer.step()
        return found

    def epoch(self, interrupt: Interrupt) -> bool:
        """The rest of the epoch; whether the run is over."""
        progress, scenes = self.progress, Scenes(self.town, TRAINING, self.options.seed)
        first = (progress.epoch * self.steps + progress.step) * self.options.batch
        numbers = range(first, first + (self.steps - progress.step) * self.options.batch)
        before, begin, total = progress.seconds, time.monotonic(), torch.zeros(3)
        count = 0
        for batch in load(scenes, numbers, self.options.batch, self.options.workers):
            parts = self.step(batch).parts
            total, count = total + parts, count + 1
            progress.step += 1
            # The clock of process 0, and the wishes of all. A wish that comes later than this waits
            # for the next step: another process may not know of it.
            now = before + time.monotonic() - begin if distributed.rank() == 0 else 0.0
            told = distributed.sum_over_processes(
                torch.tensor([now, interrupt.wanted], dtype=torch.float64)
            )
            progress.seconds, self.stopped = float(told[0]), bool(told[1])
            self.show(total / count)
            if self.stopped or self.done == 1:
                break
        if progress.step == self.steps:
            progress.epoch, progress.step = progress.epoch + 1, 0
        self.show(total / max(count, 1), last=True)
        self.save()
        return self.stopped or self.done == 1

    def show(self, parts: torch.Tensor, last: bool = False) -> None:
        """A bar that moves on a terminal, a line per epoch elsewhere."""
        terminal = sys.stdout.isatty()
        if distributed.rank() != 0 or not (terminal or last):
            return
        scores, boxes, directions = parts.tolist()
        filled = round(30 * self.done)
        bar = f"[{'#' * filled}{'.' * (30 - filled)}] " if terminal else ""
        print(
            f"{chr(13) if terminal else ''}{bar}{100 * self.done:5.1f} %  "
            f"epoch {self.progress.epoch:2}  loss {scores + boxes + directions:.3f}"
            f" = scores {scores:.3f} + boxes {boxes:.3f} + directions {directions:.3f}"
            f"  {self.progress.seconds:.0f} s",
            end="\n" if last else "",
            flush=True,
        )

    def train(self) -> bool:
        """Whether the run came to its end."""
        with Interrupt() as interrupt:
            while self.done < 1:
                if self.epoch(interrupt):
                    break
        return not self.stopped


def report(run: Run) -> None:
    """Judges the network by scenes it has not seen."""
    options = run.options
    scenes = Scenes(run.town, HELD_OUT, options.seed)
    begin = time.monotonic()
    answers = examine(run.model, scenes, options.held_out, options.batch, options.workers)
    if distributed.rank() != 0:
        return
    figures = judge(answers)
    print(
        f"{len(answers)} scenes held out with {figures.cars} cars, {time.monotonic() - begin:.0f} s\n"
        f"average precision at IoU {LEAST_IOU}: {figures.precision:.3f}\n"
        f"cars found (score {SURE} or more): {100 * figures.recall:.1f} %, "
        f"false boxes per scene: {figures.false_boxes:.2f}"
    )
    if not options.no_picture:
        path = options.checkpoint / "scenes.png"
        picture.draw(answers[:2], path)
        print(f"picture: {path}")


def main(arguments: list[str] | None = None, town: Town | None = None) -> None:
    options = parse(arguments)
    distributed.start()
    try:
        here = int(os.environ.get("LOCAL_WORLD_SIZE", 1))
        torch.set_num_threads(options.threads or max(1, len(os.sched_getaffinity(0)) // here))
        run = Run(options, town or Town())
        if run.train():
            report(run)
        elif distributed.rank() == 0:
            print(f"interrupted; {options.checkpoint}/last.pt is where --resume goes on")
    finally:
        distributed.stop()


if __name__ == "__main__":
    main()
