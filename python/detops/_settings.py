"""Threads, value checks, and what the package is made of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Generic, TypedDict, TypeVar

from . import _native

# The operators of detops.torch; not there if the package was built without torch.
TORCH_LIBRARY = Path(__file__).resolve().parent / "libdetops_torch.so"

__all__ = [
    "Config",
    "config",
    "get_num_threads",
    "set_num_threads",
    "show_config",
    "threads",
    "value_checks",
]


def _checked_thread_count(num_threads: int) -> int:
    if not hasattr(num_threads, "__index__"):
        raise TypeError(f"num_threads is a {type(num_threads).__name__}, expected int.")
    if num_threads < 0:
        raise ValueError(f"num_threads is {num_threads}, expected 0 or more.")
    if num_threads >= 2**31:
        raise ValueError(f"num_threads is {num_threads}, expected a number that fits int32.")
    return num_threads


def set_num_threads(num_threads: int) -> None:
    """Set how many threads work on a call, in all threads of this process.

    0 is the default: as many as the process may use, or the environment variable
    DETOPS_NUM_THREADS. Results have the same bits for any number.

    Examples
    --------
    >>> import detops
    >>> detops.set_num_threads(1)
    >>> detops.get_num_threads()
    1
    >>> detops.set_num_threads(0)
    """
    _native.set_process_threads(_checked_thread_count(num_threads))


def get_num_threads() -> int:
    """The number of threads that work on calls of this thread; never 0.

    Examples
    --------
    >>> import detops
    >>> detops.get_num_threads() >= 1
    True
    """
    return _native.get_num_threads()


_T = TypeVar("_T", int, bool)


class _Setting(Generic[_T]):
    """A setting of the calling thread, in each of the package's extensions."""

    def __init__(self, swap: Callable[[_T], _T]) -> None:
        # Each sets a value and returns the one before.
        self.swaps: list[Callable[[_T], _T]] = [swap]

    def put(self, value: _T) -> list[_T]:
        return [swap(value) for swap in self.swaps]

    def put_back(self, before: list[_T]) -> None:
        for swap, value in zip(self.swaps, before, strict=False):
            swap(value)


_threads = _Setting(_native.swap_threads_of_this_thread)
_value_checks = _Setting(_native.swap_value_checks)


def add_swap_threads(swap: Callable[[int], int]) -> None:
    """Another extension whose calls :class:`threads` holds for."""
    _threads.swaps.append(swap)


def add_swap_value_checks(swap: Callable[[bool], bool]) -> None:
    """Another extension whose calls :class:`value_checks` holds for."""
    _value_checks.swaps.append(swap)


def are_values_checked() -> bool:
    """In this thread; for checks that are written in Python."""
    before = _native.swap_value_checks(True)
    _native.swap_value_checks(before)
    return before


class _Block(Generic[_T]):
    def __init__(self, setting: _Setting[_T], value: _T) -> None:
        self._setting: _Setting[_T] = setting
        self._value: _T = value
        self._before: list[list[_T]] = []

    def __enter__(self) -> None:
        self._before.append(self._setting.put(self._value))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._setting.put_back(self._before.pop())


class threads(_Block[int]):
    """Within ``with detops.threads(n):``, calls of this thread use n threads.

    Blocks may be nested; the number before comes back at the end of a block.

    Examples
    --------
    >>> import detops
    >>> with detops.threads(2):
    ...     detops.get_num_threads()
    2
    """

    def __init__(self, num_threads: int) -> None:
        super().__init__(_threads, _checked_thread_count(num_threads))


class value_checks(_Block[bool]):
    """Within ``with detops.value_checks(False):``, calls of this thread trust values in arrays.

    Normally indices, batch ids and numbers in boxes are looked at before anything is written. Who
    vouches for them saves that time; what a wrong value then does is undefined, and it may crash.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> sites = np.zeros((1, 4), np.int32)
    >>> with detops.value_checks(False):
    ...     detops.get_indice_pairs(sites, 1, (1, 1, 1), 1).num_act_out
    1
    """

    def __init__(self, on: bool) -> None:
        super().__init__(_value_checks, bool(on))


class Config(TypedDict):
    """What :func:`config` tells."""

    version: str
    target: str
    supported_targets: list[str]
    num_threads: int
    profile: str
    library: str
    torch_operators: bool


def config() -> Config:
    """Version, SIMD target, threads, profile, the path of the library, and what was built.

    Examples
    --------
    >>> import detops
    >>> detops.config()["profile"]
    'full'
    """
    return {
        "version": _native.version(),
        "target": _native.target(),
        "supported_targets": _native.supported_targets().split(","),
        "num_threads": _native.get_num_threads(),
        "profile": "full",
        "library": _native.library_path(),
        "torch_operators": TORCH_LIBRARY.exists(),
    }


def show_config() -> None:
    """Print :func:`config`, one line each.

    Examples
    --------
    >>> import detops
    >>> detops.show_config()  # doctest: +ELLIPSIS
    detops             ...
    target             ...
    supported targets  ...
    threads            ...
    profile            full
    library            ...
    torch operators    ...
    """
    found = config()
    print(f"detops             {found['version']}")
    print(f"target             {found['target']}")
    print(f"supported targets  {', '.join(found['supported_targets'])}")
    print(f"threads            {found['num_threads']}")
    print(f"profile            {found['profile']}")
    print(f"library            {found['library']}")
    print(f"torch operators    {'built' if found['torch_operators'] else 'not built'}")
