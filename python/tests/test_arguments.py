"""Arguments that are no arrays: what is taken, and that refusals name the argument."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import detops
import numpy as np
import pytest

MAP, BOXES = np.ones((1, 2, 2, 4), np.float32), np.zeros((1, 2, 2, 5), np.float32)
ROIS = np.array([[0, 0, 0, 1, 1]], np.float32)
SCENE = {
    "rois": np.array([[0, 0, 0, 2, 2, 2, 0]], np.float32),
    "pts": np.zeros((1, 3), np.float32),
    "pts_feature": np.ones((1, 1), np.float32),
    "out_size": (1, 1, 1),
    "max_pts_each_voxel": 2,
    "pool": "max",
    "z_origin": "bottom",
    "xy_margin": 0.5,
}
ROW, FILTERS = np.ones((1, 1), np.float32), np.ones((1, 1, 1), np.float32)
PAIRS = {"indice_pairs": np.zeros((1, 2, 1), np.int32), "indice_num": [1]}
WORDS = {"filters_layout": "KIO", "inverse": False}
CALLS: dict[str, dict[str, Any]] = {
    "rotated_feature_align_forward": {
        "input": MAP, "bboxes": BOXES, "spatial_scale": 1.0, "points": 1,
    },
    "rotated_feature_align_backward": {
        "top_output": MAP, "bboxes": BOXES, "spatial_scale": 1.0, "points": 1,
    },
    "psroipool_forward": {
        "input": MAP, "rois": ROIS, "pooled_size": (2, 2), "spatial_scale": 1.0,
        "convention": "rfcn", "layout": "NHWC",
    },
    "psroipool_backward": {
        "top_grad": np.ones((1, 2, 2, 1), np.float32), "rois": ROIS, "input_shape": (1, 2, 2, 4),
        "spatial_scale": 1.0, "convention": "consistent", "layout": "NHWC",
    },
    "roiaware_pool3d_forward": SCENE,
    "roiaware_pool3d_backward": {
        "grad_out": np.ones((1, 1, 1, 1, 1), np.float32), "argmax": np.zeros((1, 1, 1, 1, 1), np.int32),
        "pts_idx_of_voxels": None, "pts_num": 1, "pool": "max",
    },
    "roiaware_pool3d_compact_forward": SCENE,
    "roiaware_pool3d_compact_backward": {
        "grad_out": ROW, "voxel_begins": None, "pts_idx": None, "argmax": np.zeros((1, 1), np.int32),
        "pts_num": 1, "pool": "max",
    },
    "get_indice_pairs": {
        "indices": np.zeros((1, 4), np.int32), "batch_size": 1, "spatial_shape": (2, 2, 2),
        "kernel_size": (1, 1, 1), "stride": (1, 1, 1), "padding": (0, 0, 0), "dilation": (1, 1, 1),
        "submanifold": False, "transposed": False, "output_padding": (0, 0, 0),
        "output_shape": (2, 2, 2),
    },
    "indice_convolution_forward": {
        "features": ROW, "filters": FILTERS, **PAIRS, "num_act_out": 1, **WORDS,
    },
    "indice_convolution_forward_fused": {
        "features": ROW, "filters": FILTERS, **PAIRS, "num_act_out": 1, "activation": "leaky_relu",
        "negative_slope": 0.5, **WORDS,
    },
    "indice_convolution_backward_data": {
        "output_grad": ROW, "filters": FILTERS, **PAIRS, "num_act_in": 1, **WORDS,
    },
    "indice_convolution_backward_filter": {
        "features": ROW, "output_grad": ROW, **PAIRS, "filters_shape": (1, 1, 1), **WORDS,
    },
    "indice_pool_forward": {
        "features": ROW, **PAIRS, "num_act_out": 1, "pool": "max", "start": "zero",
    },
    "indice_pool_backward": {
        "output_grad": ROW, "features": ROW, "features_out": ROW, **PAIRS, "num_act_in": 1,
        "pool": "max",
    },
    "points_in_boxes": {"points": np.zeros((1, 1, 3), np.float32), "boxes": np.zeros((1, 1, 7), np.float32)},
    "points_in_polygons": {"points": np.zeros((1, 2), np.float32), "polygons": np.zeros((1, 8), np.float32)},
    "sort_sites": {"indices": np.zeros((1, 4), np.int32)},
    "voxelization": {
        "points": np.zeros((1, 3), np.float32), "voxel_size": (1.0, 1.0, 1.0),
        "coors_range": (0.0, 0.0, 0.0, 1.0, 1.0, 1.0), "max_points": 1, "max_voxels": 1,
    },
    "voxel_coordinates": {
        "points": ROW, "voxel_size": (1.0,), "range_min": (0.0,), "grid": (4,),
    },
    "dynamic_point_to_voxel_forward": {
        "feats": ROW, "coors": np.zeros((1, 3), np.int32), "reduce": "max",
    },
    "dynamic_point_to_voxel_backward": {
        "grad_voxel_feats": ROW, "feats": ROW, "voxel_feats": ROW,
        "point2voxel_map": np.zeros(1, np.int32), "voxel_points_count": np.ones(1, np.int32),
        "reduce": "max",
    },
    "scatter_reduce_forward": {
        "src": ROW, "index": np.zeros(1, np.int32), "num_groups": 1, "reduce": "max",
        "count": True, "argmax": True,
    },
    "scatter_reduce_backward": {
        "grad_out": ROW, "index": np.zeros(1, np.int32), "count": None, "argmax": None,
        "reduce": "sum",
    },
    "point_to_voxel": {
        "points": ROW, "voxel_size": (1.0,), "range_min": (0.0,), "grid": (4,),
        "max_points_per_voxel": 1, "max_voxels_per_cloud": 1, "order": "ascending", "voxels": True,
        "means": False,
    },
}  # fmt: skip
PLAIN = [
    (function, name, value)
    for function, arguments in CALLS.items()
    for name, value in arguments.items()
    if isinstance(value, bool | int | float | str | tuple | list)
]
OF_A_KIND = {
    kind: [(f, n, v) for f, n, v in PLAIN if type(v[0] if isinstance(v, tuple | list) else v) is kind]
    for kind in (bool, int, float, str)
}
LISTS = [(f, n, v) for f, n, v in PLAIN if isinstance(v, tuple | list)]
WIDE = {"num_act_out", "num_act_in", "pts_num", "input_shape", "filters_shape", "indice_num",
        "max_points_per_voxel", "max_voxels_per_cloud", "num_groups"}  # fmt: skip
ARRAYS = {"input", "bboxes", "boxes", "top_output", "rois", "top_grad", "pts", "pts_feature", "grad_out",
          "argmax", "pts_idx_of_voxels", "voxel_begins", "pts_idx", "indices", "features", "filters",
          "indice_pairs", "bias", "residual", "output_grad", "features_out", "points", "polygons",
          "cloud_begins", "mapping_channel", "out", "feats", "coors", "grad_voxel_feats",
          "voxel_feats", "point2voxel_map", "voxel_points_count", "src", "index", "count"}  # fmt: skip


def run(function: str, **changes: Any) -> Any:
    return getattr(detops, function)(**{**CALLS[function], **changes})


def refused(kind: type[Exception], function: str, name: str, value: Any, text: str) -> None:
    with pytest.raises(kind) as caught:
        run(function, **{name: value})
    assert caught.type is kind and str(caught.value) == f"{function}: {name} {text}"


def test_the_calls_hold_every_argument() -> None:
    families = ("rot", "ps", "roi", "get_in", "indice", "point", "vox", "dyn", "scat", "sort")
    functions = [n for n in detops.__all__ if n.startswith(families)]
    assert sorted(CALLS) == sorted(functions)
    for function in functions:
        run(function)
        parameters = set(inspect.signature(getattr(detops, function)).parameters)
        plain = {name for f, name, _ in PLAIN if f == function}
        assert parameters - ARRAYS == plain - ARRAYS, function


@pytest.mark.parametrize(("function", "name", "value"), OF_A_KIND[int])
def test_integers(function: str, name: str, value: Any) -> None:
    several = isinstance(value, tuple | list)

    def of(number: Any) -> Any:
        return [number, *value[1:]] if several else number

    expected = run(function)
    for same in (np.int64(1), np.uint8(1), np.array(1)):
        if value in (1, (1, 1, 1), [1]):
            assert repr(run(function, **{name: of(same)})) == repr(expected)
    holds, has = ("holds", "has") if several else ("is", "is")
    for wrong in (1.0, "1", np.float64(1), None, np.array([1, 1])):
        if wrong is None and name in ("num_act_out", "num_act_in"):
            continue
        word = type(wrong).__name__
        refused(TypeError, function, name, of(wrong), f"{holds} a {word}, expected int.")
    wide = name in WIDE
    fit = "expected numbers that fit" if several else "expected a number that fits"
    size = "int64" if wide else "int32"
    for bits in (63, 64, 80) if wide else (31, 32, 63, 64, 80):
        for number in (2**bits, -(2**bits) - 1):
            refused(ValueError, function, name, of(number), f"{has} {number}, {fit} {size}.")
    if hasattr(sys, "get_int_max_str_digits"):  # Then Python does not print this one.
        text = f"{has} a number of thousands of digits, {fit} {size}."
        refused(ValueError, function, name, of(10**5000), text)


@pytest.mark.parametrize(("function", "name", "value"), LISTS)
def test_several_numbers(function: str, name: str, value: Any) -> None:
    expected = repr(run(function))
    for same in (tuple(value), list(value), np.array(value)):
        assert repr(run(function, **{name: same})) == expected
    if name == "indice_num":  # An array, or a list that stands for one.
        return
    # Whoever takes one number for all axes takes one of NumPy, too.
    if name in ("pooled_size", "out_size", "kernel_size", "stride", "padding", "dilation"):
        for one in (value[0], np.int32(value[0]), np.array(value[0])):
            assert repr(run(function, **{name: one})) == expected
    kind = type(value[0]).__name__
    optional = name in ("padding", "output_shape")
    for wrong in ("1", {1: 1}, {1}, 1.5, *([] if optional else [None])):
        refused(TypeError, function, name, wrong, f"is not a sequence, expected a tuple of {kind}.")
    if kind == "int":
        refused(TypeError, function, name, np.array(value, float), "holds a float64, expected int.")
        refused(TypeError, function, name, np.array([value]), "holds a ndarray, expected int.")


@pytest.mark.parametrize(("function", "name", "value"), OF_A_KIND[float])
def test_floating_numbers(function: str, name: str, value: Any) -> None:
    several = isinstance(value, tuple | list)

    def of(number: Any) -> Any:
        return (number, *value[1:]) if several else number

    plain = value[0] if several else value
    for same in (np.float64(plain), np.float32(plain), np.array(plain)):
        assert repr(run(function, **{name: of(same)})) == repr(run(function))
    verb = "holds" if several else "is"
    for wrong in ("1", None, 1j, [1.0]):
        word = type(wrong).__name__
        refused(TypeError, function, name, of(wrong), f"{verb} a {word}, expected float.")
    text = "has {}, expected numbers that fit" if several else "is {}, expected a number that fits"
    refused(ValueError, function, name, of(10**400), f"{text.format(10**400)} float64.")


@pytest.mark.parametrize(("function", "name", "value"), OF_A_KIND[str])
def test_words(function: str, name: str, value: str) -> None:
    for wrong in (1, None, value.encode(), (value,)):
        refused(TypeError, function, name, wrong, f"is a {type(wrong).__name__}, expected str.")
    with pytest.raises(ValueError, match=rf"^{function}: \w+ .*'{value}x'"):
        run(function, **{name: value + "x"})


@pytest.mark.parametrize(("function", "name", "value"), OF_A_KIND[bool])
def test_switches(function: str, name: str, value: bool) -> None:
    for wrong in (1, None, "yes", 0.0):
        refused(TypeError, function, name, wrong, f"is a {type(wrong).__name__}, expected bool.")


def test_numbers_of_threads() -> None:
    for function in (detops.set_num_threads, detops.threads):
        for number, text in ((-1, "0 or more"), (2**31, "a number that fits int32")):
            with pytest.raises(ValueError, match=f"^num_threads is {number}, expected {text}"):
                function(number)
        for wrong in (1.5, "2", None):
            kind = type(wrong).__name__
            with pytest.raises(TypeError, match=f"^num_threads is a {kind}, expected int"):
                function(wrong)  # type: ignore[arg-type]


class Unwilling:
    """A number that fails with an error of its own, which must come through."""

    def __index__(self) -> int:
        raise LookupError("of its own")

    def __float__(self) -> float:
        raise LookupError("of its own")

    def __len__(self) -> int:
        raise LookupError("of its own")


@pytest.mark.parametrize("name", ["spatial_scale", "points"])
def test_errors_of_the_caller(name: str) -> None:
    with pytest.raises(LookupError, match="of its own"):
        run("rotated_feature_align_forward", **{name: Unwilling()})
    with pytest.raises(LookupError, match="of its own"):
        run("get_indice_pairs", kernel_size=Unwilling())
