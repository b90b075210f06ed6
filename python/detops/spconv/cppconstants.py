"""How the package was built: for the CPU alone."""

from __future__ import annotations

__all__ = ["COMPILED_CUDA_ARCHS", "COMPILED_CUDA_GEMM_ARCHS", "CPU_ONLY_BUILD", "HAS_BOOST"]

CPU_ONLY_BUILD = True
HAS_BOOST = False
COMPILED_CUDA_ARCHS: set[tuple[int, int]] = set()
COMPILED_CUDA_GEMM_ARCHS: set[tuple[int, int]] = set()
