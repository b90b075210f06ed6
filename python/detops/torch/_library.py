"""Loads the operators into torch, and what all of them share: gradients, autocast, the short way."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _settings
from .._torch_check import REBUILD

try:
    import torch
except ImportError as error:
    raise ImportError("detops.torch needs PyTorch 2.10 or later: pip install torch") from error

__all__ = [
    "Operator",
    "autocast_numbers",
    "autocast_pooling",
    "call",
    "is_compiling",
    "is_tracing",
    "modes",
    "named",
    "ops",
    "plain",
    "register",
    "register_gradient",
    "register_shapes",
]


def _load() -> Any:
    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 10):
        raise ImportError(f"detops.torch needs PyTorch 2.10 or later, found {torch.__version__}.")
    if not _settings.TORCH_LIBRARY.exists():
        raise ImportError(
            f"This detops was built without PyTorch. Build it again, {REBUILD}"
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


def plain(name: str) -> Callable[..., Any]:
    """The operator ``_name``, which has no gradient: torch goes straight to its kernel.

    This is the function in C++ that an operator calls, without the frame of Python before it.
    """
    op = getattr(ops, "_" + name).default
    _LIBRARY.impl("_" + name, _torch_library.fallthrough_kernel, "Autograd")
    made: Callable[..., Any] = getattr(op, "_op", op)
    return made


class Operator:
    """An operator, and its short ways: :func:`call` chooses one."""

    __slots__ = ("name", "op", "plain", "recorded", "transformed")

    def __init__(self, name: str) -> None:
        self.name = name
        self.op = getattr(ops, name).default
        self.plain = plain(name)
        self.recorded: Callable[..., Any] = self.op
        self.transformed: Callable[..., Any] = self.op


def register_shapes(op: Any, fake: Any) -> None:
    """The shapes of an operator's results."""

    names = [argument.name for argument in op._schema.arguments]

    @functools.wraps(fake)
    def on_one_device(*args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        devices = {n: v.device for n, v in given.items() if isinstance(v, torch.Tensor)}
        if len(set(devices.values())) > 1:
            function = op._schema.name.removeprefix("detops::").removeprefix("_")
            where = ", ".join(f"{name} is on {device}" for name, device in devices.items())
            raise ValueError(f"{function}: {where}, expected all on the CPU.")
        return fake(*args, **kwargs)

    _torch_library.register_fake(op, on_one_device)


def register_gradient(op: Any, gradient: Any, save: Any) -> None:
    """How gradients come back through an operator."""
    _torch_library.register_autograd(op, gradient, setup_context=save)


def register(operator: Operator, fake: Any, gradient: Any = None, save: Any = None) -> None:
    """The shapes of an operator's results, and how gradients come back through it."""
    for name in (operator.name, "_" + operator.name):
        register_shapes(getattr(ops, name).default, fake)
    if gradient is not None:
        register_gradient(operator.op, gradient, save)
        operator.recorded = _recorder(operator, gradient, save)
        operator.transformed = _transformer(operator, gradient, save)


def _recorder(operator: Operator, gradient: Any, save: Any) -> Callable[..., Any]:
    """The operator with its gradient as a function of autograd.

    The way through the dispatcher ends in such a function too, and takes three times as long.
    """

    def forward(ctx: Any, *arguments: Any) -> Any:
        # Autograd has seen the call, and is off.
        made = call(operator, (), arguments)
        save(ctx, arguments, made)
        return made

    members = {"forward": staticmethod(forward), "backward": staticmethod(gradient)}
    function: Any = type(operator.name, (torch.autograd.Function,), members)
    made: Callable[..., Any] = function.apply
    return made


def _transformer(operator: Operator, gradient: Any, save: Any) -> Callable[..., Any]:
    """The same for transforms of torch.func, which want to see the two steps of forward apart.

    That of torch's dispatcher has them in one, so that torch.func refuses it.
    """

    def forward(*arguments: Any) -> Any:
        return call(operator, (), arguments)

    members = {
        "forward": staticmethod(forward),
        "setup_context": staticmethod(save),
        "backward": staticmethod(gradient),
        "generate_vmap_rule": True,
    }
    function: Any = type(operator.name, (torch.autograd.Function,), members)
    made: Callable[..., Any] = function.apply
    return made


_forward_ad: Any = torch.autograd.forward_ad
_is_grad_enabled = torch.is_grad_enabled
# Who makes a graph, and modes that want to see calls, must see operators under their own names.
is_compiling = torch.compiler.is_compiling
modes: Callable[[], int] = torch._C._len_torch_dispatch_stack

_C: Any = torch._C
is_tracing: Callable[[], Any] = torch._C._get_tracing_state  # Of torch.jit.trace: None if it is not.
_PLAIN = (torch.Tensor, torch.nn.Parameter, type(None))


def _way_of_gradients(operator: Operator, tensors: tuple[torch.Tensor | None, ...]) -> Any:
    """How a call is recorded: shortly, if nobody but autograd wants to see it."""
    has_autocast = torch.is_autocast_enabled("cpu")
    if _C._are_functorch_transforms_active():
        if has_autocast:
            raise NotImplementedError(
                f"{operator.name}: derivatives of torch.func cannot be taken under autocast; "
                "convert the tensors instead."
            )
        return operator.transformed
    if has_autocast or is_tracing():
        return operator.op
    for tensor in tensors:
        if type(tensor) not in _PLAIN:
            return operator.op
    return operator.recorded


def _refuse_tangents(tensors: tuple[torch.Tensor | None, ...]) -> None:
    # torch would take a derivative that nobody has written for zero.
    for tensor in tensors:
        if tensor is not None and _forward_ad.unpack_dual(tensor).tangent is not None:
            raise NotImplementedError("detops.torch has no derivatives in forward mode.")


named = tuple.__new__
"""``named(cls, values)`` makes a NamedTuple, without the frame of Python of its own constructor."""


def call(
    operator: Operator, smooth: tuple[torch.Tensor | None, ...], arguments: tuple[Any, ...]
) -> Any:
    """Calls an operator: past autograd, unless it or a tracer must see the call.

    ``smooth`` are those of the arguments that gradients reach. All arguments must be given.
    """
    if getattr(_forward_ad, "_current_level", -1) >= 0:
        _refuse_tangents(smooth)
    if is_compiling() or modes():
        return operator.op(*arguments)
    if _is_grad_enabled():
        for tensor in smooth:
            # What is no tensor, torch will refuse.
            if getattr(tensor, "requires_grad", False):
                return _way_of_gradients(operator, smooth)(*arguments)
    try:
        return operator.plain(*arguments)
    except RuntimeError:
        pass
    # What torch itself refuses, it refuses once more, under the name that is known.
    return operator.op(*arguments)


def _with_autocast_off(op: Any, *args: Any, **kwargs: Any) -> Any:
    with torch.autocast("cpu", enabled=False):
        return op(*args, **kwargs)


def _cast(value: Any, dtype: torch.dtype) -> Any:
    # As torch's own rule: double stays, and so do indices.
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value if value.dtype == torch.float64 else value.to(dtype)
    return value


def _autocast(name: str, convert: Callable[..., Any]) -> None:
    for each in (name, "_" + name):
        kernel = functools.partial(convert, getattr(ops, each).default)
        _LIBRARY.impl(each, kernel, "AutocastCPU")


def autocast_numbers(name: str) -> None:
    """Under autocast all floating numbers are of its type. Sums are still those of float."""

    def kernel(op: Any, *args: Any, **kwargs: Any) -> Any:
        dtype = torch.get_autocast_dtype("cpu")
        cast = {key: _cast(value, dtype) for key, value in kwargs.items()}
        return _with_autocast_off(op, *(_cast(value, dtype) for value in args), **cast)

    _autocast(name, kernel)


def autocast_pooling(name: str, numbers: int, result: int | None = None) -> None:
    """Under autocast an operator with coordinates works in float.

    Its numbers of another type are converted; the result (that of index ``result``) has the type of
    argument ``numbers``. Half precision would move boxes by whole cells.
    """

    def kernel(op: Any, *args: Any, **kwargs: Any) -> Any:
        wanted = args[numbers].dtype
        made = _with_autocast_off(op, *(_cast(value, torch.float32) for value in args), **kwargs)
        if result is None:
            return made.to(wanted)
        parts = list(made)
        parts[result] = parts[result].to(wanted)
        return tuple(parts)

    _autocast(name, kernel)
