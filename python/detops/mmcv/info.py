"""mmcv.ops.info: what mmcv.utils.collect_env tells of the operators."""

from __future__ import annotations

from .. import __version__

__all__ = ["get_compiler_version", "get_compiling_cuda_version"]


def get_compiler_version() -> str:
    return f"detops {__version__}"


def get_compiling_cuda_version() -> str:
    return "not available"
