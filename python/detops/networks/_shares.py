"""Where the time of a call goes, by the operators of torch it ends in."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

KINDS = ("dense", "norms", "ours", "other", "python")
"""Torch's convolutions and products of matrices; its norms and activations; operators of detops; all
other operators of torch; and what is left: Python, NumPy, autograd's own work, the profiler's."""

_DENSE = ("conv", "addmm", "bmm", "mm", "linear", "mv", "dot", "matmul", "einsum")
_NORMS = ("norm", "relu", "threshold_backward", "sigmoid", "softmax", "gelu", "silu", "elu", "hardtanh")


def kind_of(operator: str) -> str:
    """The kind of an operator by its name in torch, "aten::addmm"."""
    package, _, name = operator.partition("::")
    if package == "detops":
        return "ours"
    if package not in ("aten", "mkldnn", "mkl", "quantized"):
        return "python"
    if "norm" in name and "linalg" in name:
        return "other"
    if any(part in name for part in _NORMS):
        return "norms"
    if "conv" in name or name.strip("_") in _DENSE or name.startswith("mkldnn_linear"):
        return "dense"
    return "other"


def shares(call: Callable[[], Any]) -> dict[str, float]:
    """Parts of 1 for each of ``KINDS``, in one call under torch's profiler."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        begin = time.perf_counter()
        call()
        whole = time.perf_counter() - begin
    spent = dict.fromkeys(KINDS, 0.0)
    for event in profile.key_averages():
        # Without the operators it calls. All run in the thread that calls: nothing counts twice.
        spent[kind_of(event.key)] += 1e-6 * event.self_cpu_time_total
    spent["python"] = max(0.0, whole - sum(spent[kind] for kind in KINDS[:-1]))
    whole = sum(spent.values())
    return {kind: spent[kind] / whole for kind in KINDS}
