"""The timer of spconv, which measures nothing without a GPU, as there."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

__all__ = ["CUDAKernelTimer"]


class CUDAKernelTimer:
    """Accepted wherever spconv takes one. It is never enabled."""

    def __init__(self, enable: bool = True) -> None:
        self.enable = False

    def namespace(self, name: str) -> AbstractContextManager[Any]:
        return nullcontext()

    def record(self, name: str, stream: int = 0) -> AbstractContextManager[Any]:
        return nullcontext()

    def get_all_pair_time(self) -> dict[str, float]:
        return {}

    @staticmethod
    def collect_by_name(name: str, res: dict[str, float]) -> dict[str, float]:
        """Those times of ``res`` whose dotted key has ``name`` as a part."""
        return {key: value for key, value in res.items() if name in key.split(".")}
