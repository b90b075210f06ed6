"""torch's words for a GPU, on a machine that has none: the memory of the CPU is meant.

Only for programs that cannot do without: ``detops.install(..., device="cpu")`` puts these in, and
``uninstall`` takes them out. As on a machine with a GPU, what goes there is a copy.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import serialization

from .changes import Changes

__all__ = ["begin", "end", "has_gpu"]

# Functions and methods that are told by a keyword where to make a tensor.
_FACTORIES = """
    arange as_tensor asarray bartlett_window blackman_window empty empty_like empty_permuted
    empty_strided eye full full_like hamming_window hann_window kaiser_window linspace logspace
    normal ones ones_like rand rand_like randint randint_like randn randn_like randperm range
    scalar_tensor sparse_coo_tensor tensor tril_indices triu_indices zeros zeros_like
    """.split()
_NEW = "new_empty new_empty_strided new_full new_ones new_tensor new_zeros".split()
_TYPES = "BFloat16 Bool Byte Char Double Float Half Int Long Short".split()
_DO_NOTHING = """
    empty_cache init ipc_collect reset_max_memory_allocated reset_max_memory_cached
    reset_peak_memory_stats set_device set_stream synchronize
    """.split()

_to: Callable[..., torch.Tensor] = torch.Tensor.to
_module_to = torch.nn.Module.to
_type: Callable[..., Any] = torch.Tensor.type


def has_gpu() -> bool:
    """Without waking the driver up: what CUDA_VISIBLE_DEVICES says later still counts."""
    return torch.cuda.device_count() > 0


def _means_gpu(device: object) -> bool:
    """Whether a device is a GPU. Numbers are those of GPUs."""
    if isinstance(device, str):
        return device.partition(":")[0] == "cuda"
    if isinstance(device, torch.device):
        return device.type == "cuda"
    return isinstance(device, int) and not isinstance(device, bool)


# ---- tensors and modules -------------------------------------------------------------------------


def _cuda(
    self: torch.Tensor,
    device: object = None,
    non_blocking: bool = False,
    memory_format: torch.memory_format = torch.preserve_format,
) -> torch.Tensor:
    return _to(self, "cpu", copy=True, memory_format=memory_format)


def _on_cpu(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[bool, tuple[Any, ...]]:
    """Whether arguments of ``to`` meant a GPU, and those that mean the CPU instead."""
    if args and _means_gpu(args[0]):
        return True, ("cpu", *args[1:])
    if _means_gpu(kwargs.get("device")):
        kwargs["device"] = "cpu"
        return True, args
    return False, args


# Without the names of where it comes from: doctest would try torch's examples.
@functools.wraps(_to, assigned=("__name__", "__qualname__"))
def _tensor_to(self: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    was_gpu, args = _on_cpu(args, kwargs)
    if was_gpu:
        args = args[:3]  # The fourth says whether to copy.
        kwargs["copy"] = True
    return _to(self, *args, **kwargs)


@functools.wraps(_module_to)
def _module_to_cpu(self: torch.nn.Module, *args: Any, **kwargs: Any) -> torch.nn.Module:
    _, args = _on_cpu(args, kwargs)
    return _module_to(self, *args, **kwargs)


def _named_on_cpu(kind: object) -> object:
    return kind.replace("torch.cuda.", "torch.") if isinstance(kind, str) else kind


@functools.wraps(_type)
def _tensor_type(self: torch.Tensor, dtype: object = None, *args: Any, **kwargs: Any) -> Any:
    return _type(self, _named_on_cpu(dtype), *args, **kwargs)


def _pin_memory(self: torch.Tensor, device: object = None) -> torch.Tensor:
    return self.clone()


def _record_stream(self: torch.Tensor, stream: object) -> None:
    """There is only one order of things."""


def _told_where(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        if "device" in kwargs and _means_gpu(kwargs["device"]):
            kwargs["device"] = "cpu"
        return original(*args, **kwargs)

    return make


def _told_first(original: Callable[[Any], None], reading: Callable[[Any], Any]) -> Callable[[Any], None]:
    @functools.wraps(original)
    def make(first: Any) -> None:
        original(reading(first))

    return make


def _storage_cuda(self: Any, device: object = None, non_blocking: bool = False) -> Any:
    return self.clone()


_cross_entropy = torch._C._nn.binary_cross_entropy
_BESIDE = 1e-4


# torch looks at targets on CPUs only, and refuses those beside [0, 1]. Part-A2's are places in boxes,
# and 1e-5 m beside a box still counts as in it: beside 1 by as much, in parts of the box.
def _binary_cross_entropy(
    input: torch.Tensor, target: torch.Tensor, *args: Any, **kwargs: Any
) -> torch.Tensor:
    inside = target.clamp(0, 1)
    target = torch.where((target - inside).abs() <= _BESIDE, inside, target)
    return _cross_entropy(input, target, *args, **kwargs)


# ---- torch.cuda ----------------------------------------------------------------------------------


class _Nothing(contextlib.ContextDecorator):
    """``with torch.cuda.device(0):`` and ``with torch.cuda.stream(stream):``"""

    def __init__(self, which: object = None) -> None:
        self.idx = 0

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        return None


class _Event:
    """When it was recorded: all before it has been done by then."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        self.seconds = 0.0

    def record(self, stream: object = None) -> None:
        self.seconds = time.perf_counter()

    def wait(self, stream: object = None) -> None:
        """Nothing is under way."""

    def synchronize(self) -> None:
        """Nothing is under way."""

    def query(self) -> bool:
        return True

    def elapsed_time(self, end_event: _Event) -> float:
        return (end_event.seconds - self.seconds) * 1e3


class _Stream(_Nothing):
    """What is put into it has been done by then."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def wait_stream(self, stream: object) -> None:
        """Nothing is under way."""

    def wait_event(self, event: object) -> None:
        """Nothing is under way."""

    def synchronize(self) -> None:
        """Nothing is under way."""

    def record_event(self, event: _Event | None = None) -> _Event:
        event = event or _Event()
        event.record()
        return event

    def query(self) -> bool:
        return True


def _returns(value: object) -> Callable[..., Any]:
    return lambda *args, **kwargs: value


def _of_torch_cuda() -> Iterator[tuple[str, object]]:
    yield from ((name, _returns(None)) for name in _DO_NOTHING)
    yield from ((f"{name}Tensor", getattr(torch, f"{name}Tensor")) for name in _TYPES)
    yield from (("is_available", _returns(False)), ("device_count", _returns(0)))
    yield from (("current_device", _returns(0)), ("device", _Nothing), ("device_of", _Nothing))
    stream = _returns(_Stream())
    yield from (("stream", _Nothing), ("current_stream", stream), ("default_stream", stream))
    yield from (("Stream", _Stream), ("Event", _Event))


def _all() -> Iterator[tuple[object, str, object]]:
    """Module or class, name, what is put there."""
    of_tensors = (_cuda, _tensor_to, _tensor_type, _pin_memory, _record_stream)
    names = ("cuda", "to", "type", "pin_memory", "record_stream")
    yield from ((torch.Tensor, *pair) for pair in zip(names, of_tensors, strict=True))
    yield torch.nn.Module, "to", _module_to_cpu
    yield from ((kind, "cuda", _storage_cuda) for kind in (torch.UntypedStorage, torch.TypedStorage))
    for owner, made in ((torch.Tensor, _NEW), (torch, _FACTORIES)):
        yield from ((owner, name, _told_where(getattr(owner, name))) for name in made)
    yield torch._C._nn, "binary_cross_entropy", _binary_cross_entropy
    device = _told_first(torch.set_default_device, lambda at: "cpu" if _means_gpu(at) else at)
    yield torch, "set_default_device", device
    kind = _told_first(torch.set_default_tensor_type, _named_on_cpu)
    yield torch, "set_default_tensor_type", kind
    yield from ((torch.cuda, *pair) for pair in _of_torch_cuda())


# ---- torch.jit, torch.load -----------------------------------------------------------------------


def _builtins_of_scripts() -> dict[int, str]:
    """What torch.jit.script takes for an operator of its own, by identity."""
    table: dict[int, str] = torch.jit._builtins._get_builtin_table()  # type: ignore[no-untyped-call]
    return table


def _restore(storage: Any, location: str) -> Any:
    """torch.load asks it about each storage, before it asks for a GPU."""
    return storage if _means_gpu(location) else None


_FROM_FILES = (0, _returns(None), _restore)
_changes = Changes()
_scripted: list[int] = []


def begin() -> None:
    if _changes.made:
        return
    builtins = _builtins_of_scripts()
    for owner, name, value in _all():
        before = id(vars(owner).get(name))
        _changes.put(owner, name, value)
        if before in builtins:
            builtins[id(value)] = builtins[before]
            _scripted.append(id(value))
    serialization._package_registry.insert(0, _FROM_FILES)


def end() -> None:
    if not _changes.made:
        return
    for identity in _scripted:
        del _builtins_of_scripts()[identity]
    _scripted.clear()
    serialization._package_registry.remove(_FROM_FILES)
    _changes.undo()
