"""Threads, value checks, and what the package is made of."""

from __future__ import annotations

from types import TracebackType
from typing import TypedDict

from . import _native

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
    if num_threads < 0:
        raise ValueError(f"num_threads is {num_threads}, expected 0 or more.")
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


class threads:
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
        self._num_threads = _checked_thread_count(num_threads)
        self._before: list[int] = []

    def __enter__(self) -> None:
        self._before.append(_native.swap_threads_of_this_thread(self._num_threads))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _native.swap_threads_of_this_thread(self._before.pop())


class value_checks:
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
        self._on = bool(on)
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(_native.swap_value_checks(self._on))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _native.swap_value_checks(self._before.pop())


class Config(TypedDict):
    """What :func:`config` tells."""

    version: str
    target: str
    supported_targets: list[str]
    num_threads: int
    profile: str
    library: str


def config() -> Config:
    """Version, SIMD target, threads, profile and the path of the library.

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
    """
    found = config()
    print(f"detops             {found['version']}")
    print(f"target             {found['target']}")
    print(f"supported targets  {', '.join(found['supported_targets'])}")
    print(f"threads            {found['num_threads']}")
    print(f"profile            {found['profile']}")
    print(f"library            {found['library']}")
