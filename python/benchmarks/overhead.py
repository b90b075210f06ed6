"""What a call costs beyond the C function that does the work, from NumPy and from torch.

    python python/benchmarks/overhead.py [FILE.json]

Problems are as small as they get, with one thread, so that reaching the work is most of the time.
The C functions are timed through ctypes with everything prepared; the cost of ctypes itself, found
with a function that ignores the same arguments, is taken off. Best of many.
"""

from __future__ import annotations

import ctypes
import datetime
import json
import sys
import timeit
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import detops
import numpy as np
import numpy.typing as npt

try:
    import detops.torch as detops_torch
    import torch
    from detops._measuring import machine
except ImportError:
    torch = None  # type: ignore[assignment]

CALLS, ROUNDS = 2000, 60
NUMPY_GOAL, TORCH_GOAL = 5.0, 10.0
FLOAT, INT32 = 2, 6  # mluOpDataType_t
NHWC, ARRAY = 1, 4  # mluOpTensorLayout_t

library = ctypes.CDLL(detops.config()["library"])
integer, size = ctypes.c_int64, ctypes.c_size_t
kept: list[npt.NDArray[Any]] = []


@dataclass
class Case:
    """The same small problem in C, which may take more than one call, and in Python."""

    name: str
    arguments: tuple[Any, ...]
    c_calls: list[tuple[str, Sequence[Any]]]
    keywords: dict[str, Any] = field(default_factory=dict)


def microseconds(function: Callable[[], Any]) -> float:
    return min(timeit.repeat(function, number=CALLS, repeat=ROUNDS)) / CALLS * 1e6


def check(status: int) -> None:
    if status != 0:
        library.detopsGetLastError.restype = ctypes.c_char_p
        raise RuntimeError(library.detopsGetLastError(None).decode())


def of(array: npt.NDArray[Any], layout: int = ARRAY) -> tuple[ctypes.c_void_p, ctypes.c_void_p]:
    """A descriptor and the address. Both live as long as the program."""
    kept.append(array)
    descriptor = ctypes.c_void_p()
    check(library.mluOpCreateTensorDescriptor(ctypes.byref(descriptor)))
    dims = (integer * array.ndim)(*array.shape)
    kind = INT32 if array.dtype == np.int32 else FLOAT
    check(library.mluOpSetTensorDescriptor_v2(descriptor, layout, kind, array.ndim, dims))
    return descriptor, ctypes.c_void_p(array.ctypes.data)


def time_in_c(case: Case) -> float:
    total, nothing = 0.0, library.detopsGetVersion
    for name, arguments in case.c_calls:
        function = getattr(library, name)
        check(function(*arguments))
        total += microseconds(partial(function, *arguments))
        total -= microseconds(partial(nothing, *arguments))
    return total


def make_handle() -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    check(library.mluOpCreate(ctypes.byref(handle)))
    check(library.detopsSetProfile(handle, 1))
    check(library.detopsSetNumThreads(handle, 1))
    return handle


def floats(*shape: int) -> npt.NDArray[Any]:
    return np.random.default_rng(1).random(shape, np.float32)


def integers(*shape: int) -> npt.NDArray[Any]:
    return np.empty(shape, np.int32)


def align_case(handle: ctypes.c_void_p) -> Case:
    grid, boxes, out = floats(1, 2, 2, 8), floats(1, 2, 2, 5), floats(1, 2, 2, 8)
    arguments = (handle, *of(grid, NHWC), *of(boxes), ctypes.c_float(1), 1, *of(out, NHWC))
    return Case(
        "rotated_feature_align_forward",
        (grid, boxes),
        [("mluOpRotatedFeatureAlignForward", arguments)],
    )


def psroipool_case(handle: ctypes.c_void_p) -> Case:
    score, rois = floats(1, 4, 4, 36), np.array([[0, 0, 0, 2, 2]], np.float32)
    bins, outputs = (3, 3, ctypes.c_double(1), 4), of(floats(1, 3, 3, 4), NHWC)
    arguments = (handle, 0, *bins, *of(score, NHWC), *of(rois), *outputs, None, None)
    return Case("psroipool_forward", (score, rois, 3), [("detopsPsRoiPoolForward", arguments)])


def roiaware_cases(handle: ctypes.c_void_p) -> list[Case]:
    boxes, points = np.array([[0, 0, 0, 2, 2, 2, 0]], np.float32), floats(4, 3)
    values, cells = floats(4, 4), (1, 2, 2, 2)
    inputs = (*of(boxes), *of(points), *of(values))
    method, margin, shape = (handle, 0, 0), ctypes.c_double(0), (8, 2, 2, 2)
    dense = (*of(integers(*cells, 4)), *of(integers(*cells, 8)), *of(floats(*cells, 4)))
    found = (ctypes.byref(integer()), ctypes.byref(integer()))
    rooms = (integers(4, 4), integers(5), integers(4), integers(4, 4), floats(4, 4))
    compact = [part for room in rooms for part in of(room)]
    arguments = (boxes, points, values, 2, 8)
    return [
        Case(
            "roiaware_pool3d_forward",
            arguments,
            [("detopsRoiAwarePool3dForward", (*method, margin, *inputs, *dense))],
        ),
        Case(
            "roiaware_pool3d_compact_forward",
            arguments,
            [
                ("detopsCountRoiAwareVoxels", (handle, 0, margin, *shape, *inputs[:4], *found)),
                (
                    "detopsRoiAwarePool3dCompactForward",
                    (*method, margin, *shape, *inputs, *compact, *found),
                ),
            ],
        ),
    ]


def voxel_case(handle: ctypes.c_void_p) -> Case:
    points, sizes, begins, cells = floats(4, 4), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (4, 4, 4)
    triple = ctypes.c_double * 3
    where = (3, triple(*begins), triple(*sizes), (ctypes.c_int * 3)(*cells), integer(2), integer(0), 0)
    results = [floats(4, 2, 4), None, integers(4, 3), integers(4), integers(4)]
    rooms = [part for room in results for part in ((None, None) if room is None else of(room))]
    arguments = (handle, *where, *of(points), None, None, *rooms, ctypes.byref(integer()))
    return Case(
        "point_to_voxel", (points, sizes, begins, cells, 2), [("detopsPointToVoxel", arguments)]
    )


def sparse_cases(handle: ctypes.c_void_p) -> list[Case]:
    sites = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 3, 3, 3]], np.int32)
    pairs = detops.get_indice_pairs(sites, 1, (4, 4, 4), 3, submanifold=True)
    rows, filters = floats(3, 4), floats(3, 3, 3, 4, 4)
    counts = (integer * 27)(*pairs.indice_num.tolist())
    inputs = (handle, *of(rows), *of(filters), *of(pairs.indice_pairs), counts, integer(3))
    arguments = (rows, filters, pairs.indice_pairs, pairs.indice_num, 3)
    flags, out = (integer(0), integer(0)), of(floats(3, 4))
    ones, threes, fours = ((ctypes.c_int * 3)(n, n, n) for n in (1, 3, 4))
    space = ctypes.c_void_p()
    check(library.mluOpCreateSparseConvolutionDescriptor(ctypes.byref(space)))
    sizes = (ones, ones, ones, None, fours, threes, fours)
    check(library.detopsSetSparseConvolutionDescriptor(space, 3, 1, *sizes, 1, 0, 0))
    lists, found, reached = of(integers(27, 2, 3)), of(integers(27)), of(integers(3, 4))
    needed = size()
    tensors = (of(sites)[0], lists[0], reached[0], found[0])
    asked = (handle, space, *tensors, ctypes.byref(needed))
    check(library.mluOpGetIndicePairsWorkspaceSize(*asked))
    workspace = (ctypes.create_string_buffer(needed.value + 1), needed)
    return [
        Case(
            "get_indice_pairs",
            (sites, 1, (4, 4, 4), 3),
            [
                ("mluOpGetIndicePairsWorkspaceSize", asked),
                ("mluOpGetIndicePairs", (handle, space, *of(sites), *workspace, *lists, *reached, *found)),
            ],
            {"submanifold": True},
        ),
        Case(
            "indice_convolution_forward",
            arguments,
            [("mluOpIndiceConvolutionForward", (*inputs, *flags, None, size(0), *out))],
        ),
        Case(
            "indice_convolution_forward_fused",
            arguments,
            [
                (
                    "detopsIndiceConvolutionForwardFused",
                    (*inputs, *flags, None, None, None, None, 1, ctypes.c_float(0), *out),
                )
            ],
            {"activation": "relu"},
        ),
    ]


def write_figures(file: Path, cases: dict[str, dict[str, float]]) -> None:
    """What tools/figures.py keeps."""
    about = {
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "threads": 1,
        "unit": "us a call",
        "versions": {"torch": torch.__version__},
    }
    file.write_text(json.dumps({**about, "cases": cases}, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    files = [Path(argument) for argument in sys.argv[1:]]
    if len(files) > 1 or (files and torch is None):
        sys.exit("usage: overhead.py [FILE.json]; figures in a file need torch")
    figures: dict[str, dict[str, float]] = {}
    detops.set_num_threads(1)
    if torch is not None:
        torch.set_num_threads(1)
    handle = make_handle()
    cases = [align_case(handle), psroipool_case(handle)]
    cases += [*roiaware_cases(handle), voxel_case(handle), *sparse_cases(handle)]
    print(f"{'microseconds':34}{'C':>7}{'NumPy':>9}{'more':>7}{'torch':>9}{'more':>7}")
    for case in cases:
        in_c = time_in_c(case)
        in_numpy = microseconds(
            partial(getattr(detops, case.name), *case.arguments, **case.keywords)
        )
        figures[case.name] = {"C": in_c, "NumPy": in_numpy}
        line = f"{case.name:34}{in_c:7.2f}{in_numpy:9.2f}{in_numpy - in_c:7.2f}"
        if torch is not None:
            tensors = [
                torch.from_numpy(argument) if isinstance(argument, np.ndarray) else argument
                for argument in case.arguments
            ]
            in_torch = microseconds(
                partial(getattr(detops_torch, case.name), *tensors, **case.keywords)
            )
            figures[case.name]["torch"] = in_torch
            line += f"{in_torch:9.2f}{in_torch - in_c:7.2f}"
        print(line)
    print(f"goals: {NUMPY_GOAL:g} more from NumPy, {TORCH_GOAL:g} more from torch")
    for file in files:
        write_figures(file, figures)


if __name__ == "__main__":
    main()
