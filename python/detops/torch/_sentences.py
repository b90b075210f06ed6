"""Errors of drop-ins in the words of their callers: the names of layers and arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import torch

from .._settings import are_values_checked
from ._library import is_compiling, is_tracing, modes

__all__ = [
    "AssertedError",
    "TorchError",
    "check_finite",
    "check_tensors",
    "refused_as",
    "sizes_of",
    "told_as",
]

_T = TypeVar("_T")


class AssertedError(ValueError, AssertionError):
    """What the original of a drop-in asserts, so that programs may catch either."""


class TorchError(ValueError, RuntimeError):
    """What the original of a drop-in leaves to an operator of torch in C++."""


def check_tensors(caller: object, **tensors: object) -> None:
    """Refuse what is no tensor, and tensors on different devices.

    Arrays of NumPy have attributes of the same names, and would fail later with a riddle.
    """
    devices = []
    for name, tensor in tensors.items():
        if not isinstance(tensor, torch.Tensor):
            is_array = isinstance(tensor, np.ndarray)
            what = "an array of NumPy" if is_array else f"a {type(tensor).__name__}"
            hint = f" (torch.from_numpy({name}))" if is_array else ""
            raise ValueError(f"{caller}: {name} is {what}, expected a tensor{hint}.")
        devices.append(tensor.device)
    if any(device != devices[0] for device in devices):
        places = zip(tensors, devices, strict=True)
        where = ", ".join(f"{name} is on {device}" for name, device in places)
        raise ValueError(f"{caller}: {where}, expected all on the CPU.")


def check_finite(caller: object, **tensors: torch.Tensor) -> None:
    """Refuse NaN and Inf, unless somebody vouches for values, or makes a graph without them."""
    transformed = torch._C._are_functorch_transforms_active()
    if is_compiling() or modes() or is_tracing() or transformed or not are_values_checked():
        return
    for name, tensor in tensors.items():
        is_finite = torch.isfinite(tensor.detach())
        if not is_finite.all():
            place = torch.nonzero(~is_finite)[0].tolist()
            number = tensor[tuple(place)].item()
            raise ValueError(f"{caller}: {name}{place} is {number}, expected a finite number.")


def sizes_of(caller: object, count: int, **argument: Any) -> list[int]:
    """The numbers of an argument, given by its name: one for all axes, or ``count``."""
    ((name, value),) = argument.items()
    numbers: Sequence[Any] = ()
    if hasattr(value, "__index__") and not getattr(value, "shape", ()):
        numbers = [value] * count
    elif hasattr(value, "__len__") and not isinstance(value, str):
        numbers = list(value)
    if len(numbers) != count or not all(hasattr(number, "__index__") for number in numbers):
        raise ValueError(f"{caller}: {name} is {value!r}, expected an int or {count} of them.")
    made = [int(number) for number in numbers]
    if not is_compiling() and min(made) < 1:
        raise ValueError(f"{caller}: {name} is {value!r}, expected 1 or more along each axis.")
    return made


def told_as(
    caller: object, names: Mapping[str, str], work: Callable[..., _T], /, *args: Any, **kwargs: Any
) -> _T:
    """``work(...)``, whose errors speak of ``caller`` and call arguments by its ``names``."""
    if is_compiling():
        return work(*args, **kwargs)
    try:
        return work(*args, **kwargs)
    except (ValueError, NotImplementedError, MemoryError) as error:
        text = re.sub(r"^\w+: ", "", str(error))
        for theirs, ours in names.items():
            text = re.sub(rf"\b{theirs}\b", ours, text)
        kinds = (NotImplementedError, MemoryError, AssertedError, TorchError)
        kind = next((kind for kind in kinds if isinstance(error, kind)), ValueError)
        raise kind(f"{caller}: {text}") from None


def refused_as(
    kind: type[ValueError], work: Callable[..., _T], /, *args: Any, **kwargs: Any
) -> _T:
    """``work(...)``, whose refusals are of another class."""
    if is_compiling():
        return work(*args, **kwargs)
    try:
        return work(*args, **kwargs)
    except ValueError as error:
        raise kind(str(error)) from None
