"""Loads the operators into torch, and what all of them share: gradients, autocast, fast paths."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from .. import _settings
from .._torch_check import REBUILD

try:
    import torch
except ImportError as error:
    raise ImportError("detops.torch needs PyTorch 2.10 or later: pip install torch") from error

__all__ = [
    "Operator",
    "call",
    "call_one",
    "is_compiling",
    "is_tracing",
    "modes",
    "named",
    "operators",
    "ops",
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


class Operator:
    """An operator, and its fast paths: :func:`call` chooses one."""

    __slots__ = ("autograd_op", "func_op", "name", "no_grad_op", "op")

    def __init__(self, name: str) -> None:
        self.name = name
        self.op = getattr(ops, name).default
        # The function in C++ that the operator calls, without the frame of Python before it.
        self.no_grad_op: Callable[..., Any] = getattr(self.op, "_op", self.op)
        self.autograd_op: Callable[..., Any] = self.op
        self.func_op: Callable[..., Any] = self.op

    def register(
        self, shapes: Callable[[Any], Any], gradient: Any = None, save: Any = None
    ) -> None:
        """The shapes of the results, and how gradients come back.

        ``shapes`` gets an object with the arguments as attributes and returns empty tensors;
        ``gradient`` may leave out the arguments behind the last that has one.
        """
        _torch_library.register_fake(self.op, self._fake(shapes))
        if gradient is None:
            return
        count = len(self.op._schema.arguments)

        @functools.wraps(gradient)
        def of_all_arguments(ctx: Any, *grads: Any) -> tuple[Any, ...]:
            made: tuple[Any, ...] = gradient(ctx, *grads)
            return made + (None,) * (count - len(made))

        _torch_library.register_autograd(self.op, of_all_arguments, setup_context=save)
        self.autograd_op = self._function_of_autograd(of_all_arguments, save)
        self.func_op = self._function_of_torch_func(of_all_arguments, save)

    def register_constant(self, shapes: Callable[[Any], Any]) -> None:
        """The shapes of results that nothing is learnt through."""

        def save(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            ctx.mark_non_differentiable(*(output if isinstance(output, tuple) else (output,)))

        self.register(shapes, lambda *_: (), save)

    def _fake(self, shapes: Callable[[Any], Any]) -> Callable[..., Any]:
        arguments = self.op._schema.arguments
        names = [argument.name for argument in arguments]
        usual = {each.name: each.default_value for each in arguments if each.has_default_value()}

        def on_one_device(*args: Any, **kwargs: Any) -> Any:
            given = {**usual, **dict(zip(names, args, strict=False)), **kwargs}
            devices = {n: v.device for n, v in given.items() if isinstance(v, torch.Tensor)}
            if len(set(devices.values())) > 1:
                where = ", ".join(f"{name} is on {device}" for name, device in devices.items())
                raise ValueError(f"{self.name}: {where}, expected all on the CPU.")
            return shapes(SimpleNamespace(**given))

        return on_one_device

    def _function_of_autograd(self, gradient: Any, save: Any) -> Callable[..., Any]:
        """The operator with its gradient as a function of autograd.

        The way through the dispatcher ends in such a function too, and takes three times as long.
        """

        def forward(ctx: Any, *arguments: Any) -> Any:
            # Autograd has seen the call, and is off.
            made = call(self, (), arguments)
            save(ctx, arguments, made)
            return made

        return _function(self.name, forward=forward, backward=gradient)

    def _function_of_torch_func(self, gradient: Any, save: Any) -> Callable[..., Any]:
        """The same for transforms of torch.func, which want to see the two steps of forward apart.

        That of torch's dispatcher has them in one, so that torch.func refuses it.
        """

        def forward(*arguments: Any) -> Any:
            return call(self, (), arguments)

        steps = {"forward": forward, "setup_context": save, "backward": gradient}
        return _function(self.name, generate_vmap_rule=True, **steps)

    def autocast_numbers(self) -> None:
        """Under autocast all floating numbers are of its type. Sums are still those of float."""

        def kernel(*args: Any, **kwargs: Any) -> Any:
            dtype = torch.get_autocast_dtype("cpu")
            cast = {key: _cast(value, dtype) for key, value in kwargs.items()}
            with torch.autocast("cpu", enabled=False):
                return self.op(*(_cast(value, dtype) for value in args), **cast)

        _LIBRARY.impl(self.name, kernel, "AutocastCPU")

    def autocast_pooling(self, numbers: int, result: int | None = None) -> None:
        """Under autocast an operator with coordinates works in float.

        Its numbers of another type are converted; the result (that of index ``result``) has the type
        of argument ``numbers``. Half precision would move boxes by whole cells.
        """

        def kernel(*args: Any, **kwargs: Any) -> Any:
            wanted = args[numbers].dtype
            with torch.autocast("cpu", enabled=False):
                made = self.op(*(_cast(value, torch.float32) for value in args), **kwargs)
            if result is None:
                return made.to(wanted)
            parts = list(made)
            parts[result] = parts[result].to(wanted)
            return tuple(parts)

        _LIBRARY.impl(self.name, kernel, "AutocastCPU")


def operators(family: str, *names: str) -> Iterator[Operator]:
    """Those of a family, ``operators("psroipool", "forward", "backward")``."""
    return (Operator(f"{family}_{name}") for name in names)


def _function(name: str, **members: Any) -> Callable[..., Any]:
    static = {key: staticmethod(value) if callable(value) else value for key, value in members.items()}
    made: Any = type(name, (torch.autograd.Function,), static)
    apply: Callable[..., Any] = made.apply
    return apply


def _cast(value: Any, dtype: torch.dtype) -> Any:
    # As torch's own rule: double stays, and so do indices.
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value if value.dtype == torch.float64 else value.to(dtype)
    return value


_forward_ad: Any = torch.autograd.forward_ad
_is_grad_enabled = torch.is_grad_enabled
# Who makes a graph, and modes that want to see calls, must see operators under their own names.
is_compiling = torch.compiler.is_compiling
modes: Callable[[], int] = torch._C._len_torch_dispatch_stack

_C: Any = torch._C
_past_autograd: Any = _C._AutoDispatchBelowAutograd
is_tracing: Callable[[], Any] = torch._C._get_tracing_state  # Of torch.jit.trace: None if it is not.
_PLAIN = (torch.Tensor, torch.nn.Parameter, type(None))


def _gradient_path(operator: Operator, tensors: tuple[torch.Tensor | None, ...]) -> Any:
    """How a call is recorded: the fast path, if nobody but autograd wants to see it."""
    has_autocast = torch.is_autocast_enabled("cpu")
    if _C._are_functorch_transforms_active():
        if has_autocast:
            raise NotImplementedError(
                f"{operator.name}: derivatives of torch.func cannot be taken under autocast; "
                "convert the tensors instead."
            )
        return operator.func_op
    if has_autocast or is_tracing():
        return operator.op
    for tensor in tensors:
        if type(tensor) not in _PLAIN:
            return operator.op
    return operator.autograd_op


def _refuse_tangents(tensors: tuple[torch.Tensor | None, ...]) -> None:
    # torch would take a derivative that nobody has written for zero.
    for tensor in tensors:
        if tensor is not None and _forward_ad.unpack_dual(tensor).tangent is not None:
            raise NotImplementedError("detops.torch has no derivatives in forward mode.")


named = tuple.__new__
"""``named(cls, values)`` makes a NamedTuple, without the frame of Python of its own constructor."""


def call(
    operator: Operator, differentiable: tuple[torch.Tensor | None, ...], arguments: tuple[Any, ...]
) -> Any:
    """Calls an operator: past autograd, unless it or a tracer must see the call.

    ``differentiable`` are those of the arguments that gradients reach. All arguments must be given.
    """
    if getattr(_forward_ad, "_current_level", -1) >= 0:
        _refuse_tangents(differentiable)
    if is_compiling() or modes():
        return operator.op(*arguments)
    if _is_grad_enabled():
        for tensor in differentiable:
            # What is no tensor, torch will refuse.
            if getattr(tensor, "requires_grad", False):
                return _gradient_path(operator, differentiable)(*arguments)
    # The fast path: torch goes straight to the kernel, past that of autograd, which is in Python.
    with _past_autograd():
        return operator.no_grad_op(*arguments)


call_one: Callable[..., torch.Tensor] = call
""":func:`call` of an operator whose result is one tensor."""
