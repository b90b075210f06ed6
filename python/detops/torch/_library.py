"""Loads the operators into torch, and what all of them share: gradients, autocast, the short way."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

try:
    import torch
except ImportError as error:
    raise ImportError("detops.torch needs PyTorch 2.10 or later: pip install torch") from error

from .. import _settings

__all__ = [
    "Operator",
    "autocast_numbers",
    "autocast_pooling",
    "call",
    "is_compiling",
    "named",
    "ops",
    "register",
    "short_way",
]

Operator: TypeAlias = "Callable[..., torch.Tensor]"
"""An operator with one result."""


def _load() -> Any:
    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 10):
        raise ImportError(f"detops.torch needs PyTorch 2.10 or later, found {torch.__version__}.")
    if not _settings.TORCH_LIBRARY.exists():
        raise ImportError(
            "This detops was built without PyTorch. Build it where torch is installed: "
            "pip install --no-build-isolation ."
        )
    operators: Any = torch.ops
    operators.load_library(str(_settings.TORCH_LIBRARY))
    loaded = operators.detops
    _settings.add_swap_threads(loaded._swap_threads_of_this_thread.default)
    _settings.add_swap_value_checks(loaded._swap_value_checks.default)
    return loaded


ops = _load()

# Gradients, shapes of results and autocast are registered here, from Python; the work is in C++.
_torch_library: Any = torch.library  # Without types, as it has few.
_LIBRARY: Any = _torch_library.Library("detops", "FRAGMENT")


def register(op: Any, fake: Any, gradient: Any = None, save: Any = None) -> None:
    """The shapes of an operator's results, and how gradients come back through it."""

    @functools.wraps(fake)
    def on_one_device(*args: Any, **kwargs: Any) -> Any:
        tensors = (v for v in (*args, *kwargs.values()) if isinstance(v, torch.Tensor))
        devices = {str(tensor.device) for tensor in tensors}
        if len(devices) > 1:
            name = op._schema.name.removeprefix("detops::")
            raise ValueError(f"{name}: tensors are on {' and '.join(sorted(devices))}.")
        return fake(*args, **kwargs)

    _torch_library.register_fake(op, on_one_device)
    if gradient is not None:
        _torch_library.register_autograd(op, gradient, setup_context=save)
    _recorders[op] = op if gradient is None else _recorder(op, gradient, save)


# What :func:`call` records an operator with, by operator.
_recorders: dict[Any, Callable[..., Any]] = {}


def _recorder(op: Any, gradient: Any, save: Any) -> Callable[..., Any]:
    """The operator with its gradient as a function of autograd.

    The way through the dispatcher ends in such a function too, and takes three times as long.
    """

    def forward(ctx: Any, *arguments: Any) -> Any:
        with BelowAutograd():
            made = op(*arguments)
        save(ctx, arguments, made)
        return made

    members = {"forward": staticmethod(forward), "backward": staticmethod(gradient)}
    function: Any = type(op._schema.name.removeprefix("detops::"), (torch.autograd.Function,), members)
    made: Callable[..., Any] = function.apply
    return made


_forward_ad: Any = torch.autograd.forward_ad
_is_grad_enabled = torch.is_grad_enabled
is_compiling = torch.compiler.is_compiling
_modes: Callable[[], int] = torch._C._len_torch_dispatch_stack

# Below autograd a call goes straight to the kernel: a third of the time. Where torch should lose
# this guard, or what :func:`short_way` asks for, calls take the usual way.
BelowAutograd: Any = getattr(torch._C, "_AutoDispatchBelowAutograd", None)
if not hasattr(ops.get_indice_pairs.default, "_op"):
    BelowAutograd = None


_C: Any = torch._C
_PLAIN = (torch.Tensor, torch.nn.Parameter, type(None))


def _is_plain(tensors: tuple[torch.Tensor | None, ...]) -> bool:
    """Whether nobody but autograd wants to see a call: no autocast, transform or tracer."""
    for tensor in tensors:
        if type(tensor) not in _PLAIN:
            return False
    return not (
        torch.is_autocast_enabled("cpu")
        or _C._are_functorch_transforms_active()
        or _C._get_tracing_state()
    )


def _refuse_tangents(tensors: tuple[torch.Tensor | None, ...]) -> None:
    # torch would take a derivative that nobody has written for zero.
    for tensor in tensors:
        if tensor is not None and _forward_ad.unpack_dual(tensor).tangent is not None:
            raise NotImplementedError("detops.torch has no derivatives in forward mode.")


def short_way(op: Any) -> Callable[..., Any]:
    """The function in C++ that an operator calls, without the frame of Python before it.

    That is a microsecond less. While a graph is made the operator itself must be called.
    """
    return getattr(op, "_op", op)


named = tuple.__new__
"""``named(cls, values)`` makes a NamedTuple, without the frame of Python of its own constructor."""


def call(op: Any, smooth: tuple[torch.Tensor | None, ...], arguments: tuple[Any, ...]) -> Any:
    """Calls an operator: below autograd, unless it or a tracer must see the call.

    ``smooth`` are those of the arguments that gradients reach. All arguments must be given.
    """
    if getattr(_forward_ad, "_current_level", -1) >= 0:
        _refuse_tangents(smooth)
    if BelowAutograd is None or is_compiling() or _modes():
        return op(*arguments)
    if _is_grad_enabled():
        for tensor in smooth:
            # What is no tensor, torch will refuse.
            if getattr(tensor, "requires_grad", False):
                return _recorders[op](*arguments) if _is_plain(smooth) else op(*arguments)
    with BelowAutograd():
        return op._op(*arguments)


def _with_autocast_off(op: Any, *args: Any, **kwargs: Any) -> Any:
    with torch.autocast("cpu", enabled=False):
        return op(*args, **kwargs)


def _cast(value: Any, dtype: torch.dtype) -> Any:
    # As torch's own rule: double stays, and so do indices.
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value if value.dtype == torch.float64 else value.to(dtype)
    return value


def autocast_numbers(name: str) -> None:
    """Under autocast all floating numbers are of its type. Sums are still those of float."""
    op = getattr(ops, name).default

    def kernel(*args: Any, **kwargs: Any) -> Any:
        dtype = torch.get_autocast_dtype("cpu")
        cast = {key: _cast(value, dtype) for key, value in kwargs.items()}
        return _with_autocast_off(op, *(_cast(value, dtype) for value in args), **cast)

    _LIBRARY.impl(name, kernel, "AutocastCPU")


def autocast_pooling(name: str, numbers: int, result: int | None = None) -> None:
    """Under autocast an operator with coordinates works in float.

    Its numbers of another type are converted; the result (that of index ``result``) has the type of
    argument ``numbers``. Half precision would move boxes by whole cells.
    """
    op = getattr(ops, name).default

    def kernel(*args: Any, **kwargs: Any) -> Any:
        wanted = args[numbers].dtype
        made = _with_autocast_off(op, *(_cast(value, torch.float32) for value in args), **kwargs)
        if result is None:
            return made.to(wanted)
        parts = list(made)
        parts[result] = parts[result].to(wanted)
        return tuple(parts)

    _LIBRARY.impl(name, kernel, "AutocastCPU")
