"""Functions on tensors have the text of their twins on arrays, and say themselves what is different."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["as_its_twin"]

_F = TypeVar("_F", bound=Callable[..., Any])
_SECTIONS = re.compile(r"(?:^|\n\n)(Parameters|Returns|Examples)\n-+\n")


def as_its_twin(twin: Callable[..., Any]) -> Callable[[_F], _F]:
    """Documents a function: the twin's text, then its own remarks, and examples of its own."""

    def document(function: _F) -> _F:
        # Python may run without them (-OO).
        if twin.__doc__ is None or function.__doc__ is None:
            return function
        head, _, parameters, _, results, *_ = _SECTIONS.split(inspect.cleandoc(twin.__doc__))
        remarks, _, examples = _SECTIONS.split(inspect.cleandoc(function.__doc__))
        known = inspect.signature(function).parameters
        # A parameter is a line with names, and those behind it that are indented.
        blocks = (_of_these(block, known) for block in re.split(r"\n(?=\S)", parameters))
        text = "\n\n".join(part for part in (head, remarks) if part)
        text += "\n\nParameters\n----------\n" + "\n".join(block for block in blocks if block)
        text += "\n\nReturns\n-------\n" + results
        text = re.sub(r"\barray(s?)\b", r"tensor\1", text).replace(": K int", ": int tensor (K,)")
        function.__doc__ = f"{text}\n\nExamples\n--------\n{examples}"
        return function

    return document


def _of_these(block: str, known: Any) -> str:
    """The text of parameters without the names that a function does not have."""
    names = re.split(r" : |\n", block)[0]
    kept = ", ".join(name for name in names.split(", ") if name in known)
    return kept + block[len(names) :] if kept else ""
