"""Wrong arguments: an exception with a sentence that names them, and the next call works."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import torch
from support import Call, all_calls, assert_same_bits, identity

CALLS = {call.id: call for call in all_calls()}
# One call of each function, and each of its arguments.
FIRST = list({call.name: call for call in reversed(all_calls())}.values())


def tensors(wanted: Any = lambda tensor: True) -> list[Any]:
    return [
        pytest.param(call, key, id=f"{call.name}-{key}")
        for call in FIRST
        for key, value in call.arguments.items()
        if isinstance(value, torch.Tensor) and wanted(value)
    ]


def is_read(call: Call, key: str) -> bool:
    """Lists of the other kind of pooling, or reduction, are not looked at."""
    unread = {
        "max": ("pts_idx_of_voxels", "voxel_begins", "pts_idx"),
        "avg": ("argmax",),
    }
    of_groups = {"sum": ("count", "argmax"), "mean": ("argmax",), "max": ("count",)}
    if call.name == "scatter_reduce_backward":
        return key not in of_groups[call.arguments["reduce"]]
    return "backward" not in call.name or key not in unread.get(call.arguments.get("pool", ""), ())


def refuse(call: Call, message: str, kind: Any = ValueError, **changes: Any) -> None:
    expected = call.run()
    for right in (call, call.with_gradients()):
        kept = {key: value for key, value in changes.items() if key not in call.differentiable}
        wrong = right.replace(**(changes if right is call else kept))
        if kept or right is call:
            with pytest.raises(kind, match=message):
                wrong.run()
    assert_same_bits(call.run(), expected)


# ---- types ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("call", "key"), tensors(lambda t: t.is_floating_point()))
@pytest.mark.parametrize(
    ("dtype", "name"),
    [(torch.int32, "int32"), (torch.bool, "Bool"), (torch.complex64, "ComplexFloat")],
)
def test_numbers_of_another_kind(call: Call, key: str, dtype: torch.dtype, name: str) -> None:
    message = rf"{call.name}: {key} has type {name}, expected float"
    refuse(call, message, **{key: call.arguments[key].to(dtype)})


@pytest.mark.parametrize(
    ("call", "key"),
    [p for p in tensors(lambda t: t.is_floating_point()) if "grad_out" not in str(p.id)],
)
def test_mixed_numbers(call: Call, key: str) -> None:
    if (
        sum(isinstance(v, torch.Tensor) and v.is_floating_point() for v in call.arguments.values())
        == 1
    ):
        pytest.skip("nothing to mix with")
    if "scores" in call.arguments:
        pytest.skip("scores may have another type than boxes")
    with pytest.raises(
        ValueError, match=rf"{call.name}: \w+ has type float\d\d, expected float\d\d"
    ):
        call.replace(**{key: call.arguments[key].float()}).run()
    with pytest.raises(
        ValueError, match="expected float64 as the arguments before it|expected float32"
    ):
        call.replace(**{key: call.arguments[key].float()}).with_gradients().run()
    call.run()


@pytest.mark.parametrize(("call", "key"), tensors(lambda t: t.dtype == torch.int32))
@pytest.mark.parametrize("dtype", [torch.float32, torch.int16, torch.bool])
def test_indices_of_another_kind(call: Call, key: str, dtype: torch.dtype) -> None:
    if not is_read(call, key):
        pytest.skip("not read")
    name = (
        "float32" if dtype == torch.float32 else {torch.int16: "Short", torch.bool: "Bool"}[dtype]
    )
    message = rf"{call.name}: {key} has type {name}, expected int32 or int64"
    refuse(call, message, **{key: call.arguments[key].to(dtype)})


@pytest.mark.parametrize(("call", "key"), tensors(lambda t: t.dtype == torch.int32))
@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 2**40])
def test_indices_that_do_not_fit(call: Call, key: str, value: int) -> None:
    if not is_read(call, key):
        pytest.skip("not read")
    wide = call.arguments[key].long()
    wide.view(-1)[-1] = value
    place = ", ".join(str(extent - 1) for extent in wide.shape)
    # The library itself looks at indices that may be int64.
    found = rf"{key} has {value} at \[{place}\]|{key}\[{place}\] is {value}, "
    refuse(call, rf"{call.name}: ({found})", **{key: wide})


# ---- places --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("call", "key"), tensors())
def test_another_device(call: Call, key: str) -> None:
    """A tensor without memory among tensors with memory: no result may come out of that."""
    if sum(isinstance(value, torch.Tensor) for value in call.arguments.values()) == 1:
        pytest.skip("the only tensor")
    if not is_read(call, key):
        pytest.skip("not read")
    refuse(
        call, "meta|CPU|device", (ValueError, RuntimeError), **{key: call.arguments[key].to("meta")}
    )


@pytest.mark.parametrize(("call", "key"), tensors(lambda t: t.is_floating_point()))
def test_sparse_tensors(call: Call, key: str) -> None:
    with pytest.raises((NotImplementedError, ValueError, RuntimeError), match="SparseCPU|sparse"):
        call.replace(**{key: call.arguments[key].to_sparse()}).run()
    call.run()


# ---- shapes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("call", "key"), tensors())
def test_another_rank(call: Call, key: str) -> None:
    if not is_read(call, key):
        pytest.skip("not read")
    six_axes = call.arguments[key].reshape((1, -1, 1, 1, 1, 1))
    refuse(call, r"\w+: \w+ has ", **{key: six_axes})
    with pytest.raises(ValueError, match=rf"{key} has rank 9, expected 8 or less"):
        call.replace(**{key: call.arguments[key].reshape((-1, *(1,) * 8))}).run()


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("align-forward-1", {"bboxes": torch.zeros(2, 4, 5, 4, dtype=torch.float64)}, "bboxes"),
        ("align-forward-1", {"bboxes": torch.zeros(1, 4, 5, 5, dtype=torch.float64)}, "bboxes"),
        ("align-forward-1", {"points": 3}, "points is 3, expected 1 or 5"),
        ("align-forward-1", {"points": 2**40}, "points has 1099511627776"),
        ("align-backward-5", {"spatial_scale": -1.0}, "spatial_scale"),
        (
            "ps-forward-rfcn-NHWC",
            {"convention": "rcnn"},
            "convention is 'rcnn', expected one of 'rfcn'",
        ),
        ("ps-forward-rfcn-NHWC", {"layout": "HWC"}, "layout is 'HWC', expected one of 'NHWC'"),
        ("ps-forward-rfcn-NHWC", {"pooled_size": 5}, "expected a multiple of the 25 bins"),
        (
            "ps-forward-rfcn-NHWC",
            {"pooled_size": (1, 2, 3)},
            "pooled_size has 3 numbers, expected one or 2",
        ),
        ("ps-forward-rfcn-NHWC", {"pooled_size": ()}, "pooled_size has 0 numbers"),
        ("ps-forward-rfcn-NHWC", {"pooled_size": 0}, "pooled_size|multiple"),
        ("ps-forward-rfcn-NHWC", {"spatial_scale": 0.0}, "spatial_scale"),
        (
            "ps-forward-rfcn-NHWC",
            {"rois": torch.zeros(3, 4, dtype=torch.float64)},
            r"rois has shape \(.*\), expected \(R, 5\)",
        ),
        ("ps-backward-rfcn-NHWC", {"input_shape": (2, 5, 6)}, "has rank 3, expected 4"),
        ("ps-backward-rfcn-NHWC", {"input_shape": (2, 5, 6, 13)}, "has extent 13 on axis 3"),
        ("ps-backward-rfcn-NHWC", {"input_shape": (2, -5, 6, 12)}, "-5|input_shape"),
        ("ps-backward-rfcn-NHWC", {"convention": ""}, "convention is ''"),
        ("roiaware-forward-max", {"pool": "sum"}, "pool is 'sum', expected one of 'max', 'avg'"),
        (
            "roiaware-forward-max",
            {"z_origin": "top"},
            "z_origin is 'top', expected one of 'bottom'",
        ),
        ("roiaware-forward-max", {"out_size": (1, 2)}, "out_size has 2 numbers, expected one or 3"),
        ("roiaware-forward-max", {"out_size": 0}, "out_size|out_x"),
        ("roiaware-forward-max", {"max_pts_each_voxel": 0}, "max_pts_each_voxel"),
        ("roiaware-forward-max", {"xy_margin": -1.0}, "margin"),
        ("roiaware-forward-max", {"pts": torch.zeros(3, 3, dtype=torch.float64)}, "pts"),
        ("roiaware_compact-forward-max", {"pool": "sum"}, "pool is 'sum'"),
        ("roiaware_compact-forward-max", {"pts": torch.zeros(3, 3, dtype=torch.float64)}, "pts"),
        ("roiaware-backward-max", {"argmax": None}, "argmax"),
        ("roiaware-backward-avg", {"pts_idx_of_voxels": None}, "pts_idx_of_voxels"),
        ("roiaware-backward-max", {"pts_num": -1}, "pts_num|-1"),
        ("roiaware_compact-backward-max", {"argmax": None}, "argmax"),
        ("roiaware_compact-backward-avg", {"pts_idx": None}, "pts_idx"),
        ("roiaware_compact-backward-avg", {"voxel_begins": None}, "voxel_begins"),
        ("pairs-regular-1", {"spatial_shape": ()}, "spatial_shape has 0 numbers, expected 1 to 4"),
        (
            "pairs-regular-1",
            {"spatial_shape": (2,) * 5},
            "spatial_shape has 5 numbers, expected 1 to 4",
        ),
        (
            "pairs-regular-2",
            {"kernel_size": (3, 3, 3)},
            "kernel_size has 3 numbers, expected one or 2",
        ),
        ("pairs-regular-2", {"padding": (1, 1, 1)}, "padding has 3 numbers, expected one or 2"),
        ("pairs-regular-1", {"stride": 0}, "stride"),
        ("pairs-regular-1", {"stride": 0, "output_shape": None}, "output_shape would be 0|stride"),
        ("pairs-regular-1", {"kernel_size": 99, "output_shape": None}, "output_shape"),
        ("pairs-regular-1", {"padding": -1}, r"pad\[0\] is -1"),
        ("pairs-regular-1", {"batch_size": 0}, "batch"),
        ("pairs-regular-1", {"batch_size": 2**40}, "batch_size has 1099511627776"),
        ("pairs-submanifold-1", {"transposed": True}, "transpose"),
        ("pairs-submanifold-1", {"stride": 2}, "stride"),
        (
            "conv-forward-KIO",
            {"indice_num": torch.tensor([1, 2])},
            "indice_num has 2 numbers, expected K = 27",
        ),
        (
            "conv-forward-KIO",
            {"indice_num": torch.ones(27, 1, dtype=torch.int32)},
            "indice_num has rank 2, expected 1",
        ),
        (
            "conv-forward-KIO",
            {"indice_num": torch.full((27,), 99)},
            r"indice_num\[0\] is 99|indice_num",
        ),
        ("conv-forward-KIO", {"indice_num": torch.full((27,), -1)}, "indice_num"),
        (
            "conv-forward-KIO",
            {"indice_pairs": torch.zeros(2, 2, dtype=torch.int32)},
            r"indice_pairs has shape .*expected \(K, 2, L\)",
        ),
        (
            "conv-forward-KIO",
            {"filters_layout": "ABC"},
            "filters_layout is 'ABC', expected one of 'KIO'",
        ),
        (
            "conv-forward-KIO",
            {"filters_layout": "HWCN"},
            "filters has rank 5, which filters_layout does not fit",
        ),
        ("conv-forward-KIO", {"num_act_out": -1}, "num_act_out is -1, expected 0"),
        ("conv-forward-KIO", {"num_act_out": None}, "num_act_out is needed"),
        ("conv-backward_data-KIO-inverse", {"num_act_in": None}, "num_act_in is needed"),
        ("conv-backward_filter-KIO", {"filters_shape": (3, 3, 3, 3, 5)}, "output_grad|filters"),
        ("conv-backward_filter-KIO", {"filters_shape": (4,)}, "filters_shape has rank 1"),
        (
            "conv-forward_fused-KIO",
            {"activation": "tanh"},
            "activation is 'tanh', expected one of 'none'",
        ),
    ],
)
def test_wrong_arguments(name: str, changes: dict[str, Any], message: str) -> None:
    refuse(CALLS[name], message, **changes)


# ---- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("align-forward-1", "bboxes"),
        ("align-backward-5", "bboxes"),
        ("ps-forward-rfcn-NHWC", "rois"),
        ("ps-backward-consistent-NCHW", "rois"),
        ("roiaware-forward-max", "rois"),
        ("roiaware_compact-forward-avg", "rois"),
    ],
)
def test_boxes_that_are_no_numbers(name: str, key: str, value: float) -> None:
    call = CALLS[name]
    boxes = call.arguments[key].clone()
    boxes[(1, *(2,) * (boxes.ndim - 1))] = value
    place = ", ".join(["1", *["2"] * (boxes.ndim - 1)])
    refuse(call, rf"{key}\[{place}\] is {value}", **{key: boxes})


@pytest.mark.parametrize(
    ("name", "key", "place", "value"),
    [
        ("ps-forward-rfcn-NHWC", "rois", (3, 0), 2),
        ("ps-backward-rfcn-NHWC", "rois", (3, 0), -1),
        ("pairs-regular-3", "indices", (4, 1), 6),
        ("pairs-transposed-3", "indices", (4, 3), -1),
        ("pairs-submanifold-2", "indices", (4, 0), 2),
        ("conv-forward-KIO", "indice_pairs", (13, 0, 0), 99),
        ("conv-forward_fused-OKI", "indice_pairs", (13, 1, 0), 99),
        ("conv-backward_data-KIO", "indice_pairs", (13, 1, 0), -1),
        ("conv-backward_filter-KIO", "indice_pairs", (13, 0, 0), -5),
        ("roiaware-backward-max", "argmax", (1, 0, 1, 2, 0), 40),
        ("roiaware_compact-backward-max", "argmax", (2, 1), 40),
        ("roiaware_compact-backward-avg", "pts_idx", (3,), 40),
    ],
)
def test_values_out_of_range(name: str, key: str, place: tuple[int, ...], value: int) -> None:
    call = CALLS[name]
    changed = call.arguments[key].clone()
    changed[place] = value
    where = ", ".join(str(index) for index in place)
    refuse(call, rf"{key}\[{where}\] is {value}", **{key: changed})
    if not changed.is_floating_point():
        refuse(call, rf"{key}\[{where}\] is {value}", **{key: changed.long()})


def test_lists_of_dense_pooling_out_of_range() -> None:
    call = CALLS["roiaware-backward-avg"]
    lists = call.arguments["pts_idx_of_voxels"].clone()
    voxel = tuple(torch.nonzero(lists[..., 0])[0].tolist())
    lists[(*voxel, 1)] = 40
    where = ", ".join(str(index) for index in (*voxel, 1))
    refuse(call, rf"pts_idx_of_voxels\[{where}\] is 40", pts_idx_of_voxels=lists)


def test_beyond_a_limit() -> None:
    call = CALLS["pairs-regular-3"].replace(output_shape=None, kernel_size=1, stride=1, padding=0)
    with pytest.raises((NotImplementedError, RuntimeError), match="sites"):
        call.replace(
            indices=torch.zeros((1, 4), dtype=torch.int32),
            batch_size=2**30,
            spatial_shape=(2**31 - 1,) * 3,
        ).run()
    call.run()


@pytest.mark.parametrize("call", FIRST, ids=identity)
def test_what_is_no_tensor(call: Call) -> None:
    key = next(key for key, value in call.arguments.items() if isinstance(value, torch.Tensor))
    for wrong in (call.arguments[key].tolist(), 1.5, None):
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            call.replace(**{key: wrong}).run()
    call.run()
