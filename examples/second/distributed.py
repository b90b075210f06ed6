"""One process or several: what they have to tell each other."""

from __future__ import annotations

import os
from typing import Any

import torch
import torch.distributed as dist

_groups: list[Any] = []


def start() -> None:
    """Joins the other processes, if ``torchrun`` has started this one."""
    if "WORLD_SIZE" not in os.environ:
        return
    dist.init_process_group("gloo")
    # Of its own: DistributedDataParallel sends gradients in the default group at the same time, and
    # what is sent in one group has to have the same order in all processes.
    _groups[:] = [dist.new_group()]


def stop() -> None:
    if dist.is_initialized():
        _groups.clear()
        dist.destroy_process_group()


def processes() -> int:
    return dist.get_world_size() if dist.is_initialized() else 1


def rank() -> int:
    return dist.get_rank() if dist.is_initialized() else 0


class _Sum(torch.autograd.Function):
    @staticmethod
    def forward(_: Any, tensor: torch.Tensor) -> torch.Tensor:
        total = tensor.clone()
        dist.all_reduce(total, group=_groups[0])
        return total

    @staticmethod
    def backward(_: Any, *gradients: torch.Tensor) -> torch.Tensor:
        total = gradients[0].clone()
        dist.all_reduce(total, group=_groups[0])
        return total


def sum_over_processes(tensor: torch.Tensor) -> torch.Tensor:
    """The sum of a tensor over all processes; its gradient is the sum of theirs."""
    if processes() == 1:
        return tensor
    made: torch.Tensor = _Sum.apply(tensor)  # type: ignore[no-untyped-call]
    return made


def gather(items: list[Any]) -> list[Any]:
    """The items of all processes, those of process 0 first."""
    if processes() == 1:
        return items
    made: list[list[Any]] = [[] for _ in range(processes())]
    dist.all_gather_object(made, items)
    return [item for part in made for item in part]
