"""One network in this process: stage after stage, each noted in a file as soon as it is done."""

from __future__ import annotations

import datetime
import json
import os
import statistics
import subprocess
import time
import warnings
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import torch

from .._measuring import machine, peak_memory
from . import scenes
from ._framework import Framework, Model
from ._shares import shares

STAGES = ("imports", "builds", "forward", "backward", "predicts")


class Diary:
    """What is known so far, in a file that another process reads: this one may end at any time."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.known: dict[str, Any] = {"done": [], "doing": ""}

    def write(self, **known: Any) -> None:
        self.known.update(known)
        made = self.file.with_suffix(".new")
        made.write_text(json.dumps(self.known), encoding="utf-8")
        os.replace(made, self.file)

    def stage(self, name: str, work: Callable[[], Any]) -> Any:
        self.write(doing=name)
        result = work()
        self.write(done=[*self.known["done"], name], doing="")
        return result


OPENCV = ("opencv-python-headless", "opencv-python", "opencv-contrib-python-headless", "opencv-contrib-python")
"""Packages that bring the same."""


def is_installed(package: str) -> bool:
    name = package.partition("==")[0]
    return any(any(metadata.distributions(name=each)) for each in (OPENCV if name in OPENCV else (name,)))


def missing(packages: tuple[str, ...]) -> list[str]:
    """Those of the packages that are not installed, as pip takes them."""
    return [package for package in packages if not is_installed(package)]


def how_to_install(absent: list[str]) -> str:
    """Those whose version matters without what they ask for, which is more than their models use."""
    fixed = [package for package in absent if "==" in package]
    free = [package for package in absent if "==" not in package]
    commands = [f"pip install --no-deps {' '.join(fixed)}"] if fixed else []
    commands += [f"pip install {' '.join(free)}"] if free else []
    return " && ".join(commands)


def other_versions(packages: tuple[str, ...]) -> str:
    """A remark on packages that are not in the version that was tried, or nothing."""
    found = []
    for name, _, tried in (package.partition("==") for package in packages if "==" in package):
        if (here := metadata.version(name)) != tried:
            found.append(f"{name} {here} (tried: {tried})")
    return f"; installed are {', '.join(found)}" if found else ""


def circumstances(packages: tuple[str, ...], checkout: Path | None) -> dict[str, Any]:
    """What figures depend on."""
    fixed = [package.partition("==")[0] for package in packages if "==" in package]
    versions = {name: metadata.version(name) for name in ("torch", *fixed)}
    if checkout is not None:
        command = ["git", "-C", str(checkout), "rev-parse", "--short=12", "HEAD"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        versions["checkout"] = run.stdout.strip() or "unknown"
    return {
        "versions": versions,
        "machine": machine(),
        "date": datetime.date.today().isoformat(),
        "threads": torch.get_num_threads(),
    }


def total(losses: Mapping[str, torch.Tensor]) -> torch.Tensor:
    parts = [loss for loss in losses.values() if loss.requires_grad]
    if not parts:
        raise ValueError("no loss depends on the parameters")
    loss = torch.stack([part.sum() for part in parts]).sum()
    if not torch.isfinite(loss):
        raise ValueError(f"the loss is {loss.item()}, expected a finite number")
    return loss


def check_gradients(module: torch.nn.Module) -> None:
    grads = {name: each.grad for name, each in module.named_parameters() if each.grad is not None}
    if not grads:
        raise ValueError("no parameter has a gradient")
    for name, grad in grads.items():
        if not torch.isfinite(grad).all():
            raise ValueError(f"the gradient of {name} is not finite")


def check_boxes(found: Any, batch: int) -> list[int]:
    counts = [len(boxes) for boxes in found]
    if len(counts) != batch:
        raise ValueError(f"boxes of {len(counts)} scenes, expected {batch}")
    if not all(bool(torch.isfinite(boxes).all()) for boxes in found):
        raise ValueError("a box is not finite")
    return counts


class Steps:
    """A network's training step and its evaluation."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.module = model.module
        self.optimizer = torch.optim.AdamW(self.module.parameters(), lr=1e-4)

    def train(self) -> float:
        """Forward, backward, clipping, AdamW: the loss."""
        loss = total(self.model.losses())
        self.optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), 10.0)
        self.optimizer.step()
        return float(loss.detach())

    def predict(self) -> Any:
        with torch.no_grad():
            return self.model.predict()


def timed(call: Callable[[], Any], count: int) -> float:
    """Seconds: the median of so many calls."""
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def measure(
    framework: Framework, network: str, checkout: Path | None, batch: int, steps: int, file: Path
) -> None:
    """Everything about one network, written into ``file``. What fails, fails with its exception."""
    warnings.filterwarnings("ignore")
    diary = Diary(file)
    packages = tuple(framework.packages)
    if absent := missing(packages):
        diary.write(needs=how_to_install(absent))
        return
    if framework.checkout and checkout is None:
        diary.write(needs=f"git clone {framework.checkout} and --checkout with its folder")
        return
    diary.write(remark=other_versions(packages), batch=batch, **circumstances(packages, checkout))
    torch.manual_seed(0)
    diary.stage("imports", lambda: framework.prepare(checkout))
    begin = time.perf_counter()
    generated = scenes.make(batch)
    model: Model = diary.stage("builds", lambda: framework.networks[network](generated))
    parameters = sum(each.numel() for each in model.module.parameters())
    diary.write(build=time.perf_counter() - begin, parameters=parameters)

    run = Steps(model)
    model.module.train()
    losses = [diary.stage("forward", lambda: total(model.losses()))]

    def backward() -> None:
        run.optimizer.zero_grad()
        torch.autograd.backward(losses.pop())
        check_gradients(model.module)

    diary.stage("backward", backward)
    model.module.eval()
    counts = diary.stage("predicts", lambda: check_boxes(run.predict(), batch))
    diary.write(boxes=counts, doing="measures")
    if steps > 0:
        diary.write(predict=timed(run.predict, steps), predict_shares=shares(run.predict))
        model.module.train()
        diary.write(step=timed(run.train, steps), step_shares=shares(run.train))
    diary.write(peak=peak_memory() / 1024, doing="")
