"""The state of a run, on disk."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn


@dataclass
class Progress:
    """How far a run has come."""

    epoch: int = 0
    step: int = 0
    """Of this epoch."""
    seconds: float = 0.0


def save(
    folder: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    progress: Progress,
    settings: dict[str, Any],
) -> None:
    """All or nothing: whatever happens, ``last.pt`` is a whole checkpoint."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "progress": asdict(progress),
        "random": torch.get_rng_state(),
        "settings": settings,
    }
    unfinished = folder / "last.pt.unfinished"
    with unfinished.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(folder / "last.pt")


def restore(
    folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, settings: dict[str, Any]
) -> Progress:
    """Goes on where ``save`` was called. Other settings would make it another run."""
    path = folder / "last.pt"
    if not path.exists():
        raise SystemExit(f"nothing to resume: there is no {path}")
    state = torch.load(path, weights_only=True)
    for name, value in settings.items():
        if state["settings"].get(name) != value:
            raise SystemExit(
                f"{path} was made with {name} {state['settings'].get(name)}, not {value}"
            )
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["random"])
    return Progress(**state["progress"])
