"""What is accepted as an array: types, strides, DLPack, out; and what is said of others."""

from __future__ import annotations

import array
from typing import Any

import detops
import numpy as np
import numpy.typing as npt
import pytest
from dlpack_producer import (
    BFLOAT,
    CUDA,
    BrokenProducer,
    KeepingProducer,
    Producer,
    RawProducer,
    capsule_name,
    from_bfloat16_bits,
    to_bfloat16_bits,
)
from hypothesis import given
from hypothesis import strategies as st

SHAPE = (1, 3, 4, 6)


def features(dtype: str = "float32") -> npt.NDArray[Any]:
    return np.arange(72).reshape(SHAPE).astype(dtype)


def boxes(dtype: str = "float32") -> npt.NDArray[Any]:
    result = np.zeros((*SHAPE[:3], 5), dtype)
    result[..., 0], result[..., 1] = 1, 2
    return result


def align(source: Any, out: Any = None, bboxes: Any = None) -> npt.NDArray[Any]:
    if bboxes is None:
        bboxes = boxes(str(getattr(source, "dtype", "float32")))
    return detops.rotated_feature_align_forward(source, bboxes, out=out)


EXPECTED = features("float64") + features("float64")[:, 1:2, 2:3]


@given(st.data())
def test_any_strides(data: st.DataObject) -> None:
    """A view of a larger array in any order of axes, with steps of either sign."""
    order = data.draw(st.permutations(range(4)))
    steps = [data.draw(st.sampled_from([-3, -2, -1, 1, 2, 3])) for _ in order]
    dtype = data.draw(st.sampled_from(["float16", "float32", "float64"]))
    lengths = [SHAPE[axis] * abs(step) for axis, step in zip(order, steps, strict=True)]
    memory = np.full(lengths, np.nan, dtype)
    view = memory[tuple(slice(None, None, step) for step in steps)].transpose(np.argsort(order))
    assert view.shape == SHAPE
    view[...] = features(dtype)
    np.testing.assert_array_equal(align(view), EXPECTED)
    np.testing.assert_array_equal(align(Producer(view), bboxes=boxes(dtype)), EXPECTED)


@given(st.sampled_from(["float16", "float32", "float64"]), st.integers(1, 7))
def test_any_alignment(dtype: str, offset: int) -> None:
    memory = np.zeros(features(dtype).nbytes + 8, np.uint8)
    view = memory[offset : offset + features(dtype).nbytes].view(dtype).reshape(SHAPE)
    view[...] = features(dtype)
    np.testing.assert_array_equal(align(view), EXPECTED)
    packed = np.zeros(SHAPE, np.dtype([("tag", "u1"), ("value", dtype)]))
    packed["value"] = features(dtype)
    np.testing.assert_array_equal(align(packed["value"]), EXPECTED)


def test_broadcast_and_read_only_inputs() -> None:
    same_box = np.broadcast_to(boxes()[:1, :1, :1], (*SHAPE[:3], 5))
    np.testing.assert_array_equal(align(features(), bboxes=same_box), EXPECTED)
    fixed = features()
    fixed.flags.writeable = False
    np.testing.assert_array_equal(align(fixed), EXPECTED)


@pytest.mark.parametrize("maker", [Producer, RawProducer, memoryview])
def test_producers(maker: Any) -> None:
    source, box = features(), boxes()
    out = np.empty(SHAPE, np.float32)
    assert isinstance(align(maker(source), bboxes=maker(box)), np.ndarray)
    target = maker(out)
    assert align(maker(source), bboxes=maker(box), out=target) is target
    np.testing.assert_array_equal(out, EXPECTED)


def test_results_do_not_share_memory_with_inputs() -> None:
    source = features()
    assert not np.shares_memory(align(source), source)


def test_bfloat16_through_dlpack() -> None:
    source = RawProducer(to_bfloat16_bits(features()), BFLOAT)
    box = RawProducer(to_bfloat16_bits(boxes()), BFLOAT)
    bits = np.empty(SHAPE, np.uint16)
    align(source, bboxes=box, out=RawProducer(bits, BFLOAT))
    np.testing.assert_array_equal(from_bfloat16_bits(bits), EXPECTED)


def test_bfloat16_of_ml_dtypes() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    source, box = features().astype(ml_dtypes.bfloat16), boxes().astype(ml_dtypes.bfloat16)
    result = align(source, bboxes=box)
    assert result.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(result.astype(np.float64), EXPECTED)
    np.testing.assert_array_equal(align(source[:, ::-1], bboxes=box).shape, SHAPE)
    out = np.empty(SHAPE, ml_dtypes.bfloat16)
    assert align(source, bboxes=box, out=out) is out
    np.testing.assert_array_equal(out.astype(np.float64), EXPECTED)
    through_dlpack = align(
        RawProducer(to_bfloat16_bits(features()), BFLOAT),
        bboxes=RawProducer(to_bfloat16_bits(boxes()), BFLOAT),
    )
    assert through_dlpack.dtype == ml_dtypes.bfloat16


def test_bfloat16_without_ml_dtypes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", None)
    source = RawProducer(to_bfloat16_bits(features()), BFLOAT)
    box = RawProducer(to_bfloat16_bits(boxes()), BFLOAT)
    with pytest.raises(ImportError, match="needs the package ml_dtypes, or an array passed as out"):
        align(source, bboxes=box)


def test_int64_indices_become_int32() -> None:
    wide = np.array([[0, 0, 1], [0, 1, 1]])
    assert wide.dtype == np.int64
    expected = detops.get_indice_pairs(wide.astype(np.int32), 1, (2, 2), 2)
    for indices in (wide, np.asfortranarray(wide), Producer(wide)):
        result = detops.get_indice_pairs(indices, 1, (2, 2), 2)
        np.testing.assert_array_equal(result.indice_pairs, expected.indice_pairs)
        assert result.indice_pairs.dtype == np.int32


ALLOWED = "expected float16, float32, float64 or bfloat16"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (features("int32"), f"input has type int32, {ALLOWED}"),
        (features("bool"), f"input has type bool, {ALLOWED}"),
        (features("complex64"), f"input has type complex64, {ALLOWED}"),
        (features(">f4"), f"input has type >f4, {ALLOWED}"),
        (features("longdouble"), f"input has type (longdouble|float128), {ALLOWED}"),
        (features().astype(object), "input"),
        (np.zeros(3, "datetime64[s]"), "input"),
        ([[1.0]], "input is of type list, expected a NumPy array or an object with __dlpack__"),
        (None, "input is of type NoneType"),
        (1.0, "input is of type float"),
        (b"1234", f"input has type of a bytes, {ALLOWED}"),
        (array.array("i", [1]), f"input has type of a array.array, {ALLOWED}"),
    ],
)
def test_wrong_types(source: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        align(source, bboxes=boxes())


def test_types_must_agree() -> None:
    with pytest.raises(
        TypeError, match="bboxes has type float64, expected float32 as the arguments"
    ):
        align(features(), bboxes=boxes("float64"))
    with pytest.raises(TypeError, match="out has type float64, expected float32"):
        align(features(), out=np.empty(SHAPE))


def test_wrong_device() -> None:
    with pytest.raises(
        ValueError, match=r"input is on DLPack device type 2, expected the CPU \(1\)"
    ):
        align(Producer(features(), CUDA), bboxes=boxes())
    with pytest.raises(ValueError, match="out is on DLPack device type 2"):
        align(features(), out=RawProducer(np.empty(SHAPE, np.float32), device=CUDA))


def test_a_producer_that_refuses() -> None:
    said = "input could not be read through DLPack: cannot export this tensor"
    with pytest.raises(BufferError, match=said):
        align(BrokenProducer(), bboxes=boxes())


def test_a_capsule_that_is_handed_out_twice() -> None:
    """Who takes a capsule owns its tensor: a second time that would be freed memory."""
    for versioned in (True, False):
        producer = KeepingProducer(features(), versioned)
        expected = align(features(), bboxes=boxes())
        np.testing.assert_array_equal(align(producer, bboxes=boxes()), expected)
        assert capsule_name(producer.capsule) == f"used_dltensor{'_versioned' if versioned else ''}"
        for _ in range(2):
            with pytest.raises(ValueError, match="input hands out a DLPack capsule that was used"):
                align(producer, bboxes=boxes())
    # Two arguments of one call that are the same capsule are two times too.
    keeper = KeepingProducer(boxes(), False)
    with pytest.raises(ValueError, match="bboxes hands out a DLPack capsule that was used"):
        align(keeper, bboxes=keeper)


def test_a_producer_of_something_else() -> None:
    producer = KeepingProducer(features(), False)
    producer.capsule = 7
    with pytest.raises(ValueError, match=r"input hands out an object of type int .*expected a DL"):
        align(producer, bboxes=boxes())


def test_masked_arrays_are_refused() -> None:
    """Their buffer is that of all numbers, also of those that are masked."""
    masked = np.ma.masked_less(features(), 0)
    with pytest.raises(TypeError, match=r"input is a masked array.*filled"):
        align(masked, bboxes=boxes())
    with pytest.raises(TypeError, match="out is a masked array"):
        align(features(), out=masked)
    expected = align(features(), bboxes=boxes())
    np.testing.assert_array_equal(align(features().view(np.memmap), bboxes=boxes()), expected)


def test_a_copy_that_does_not_fit_into_memory() -> None:
    huge = np.broadcast_to(np.float32(1), (1, 2**20, 2**20, 1))
    place = np.broadcast_to(np.float32(1), (1, 2**20, 2**20, 5))
    said = r"input has shape \(1, 1048576, 1048576, 1\) and is expanded.*no memory for a copy"
    with pytest.raises(MemoryError, match=said):
        align(huge, bboxes=place)


def test_outputs_that_are_refused() -> None:
    fixed = np.zeros(SHAPE, np.float32)
    fixed.flags.writeable = False
    view: Any = fixed
    for out in (fixed, memoryview(view)):
        with pytest.raises(ValueError, match="out is read-only, expected a writable array"):
            align(features(), out=out)
    gaps = np.zeros((1, 3, 4, 12), np.float32)[..., ::2]
    with pytest.raises(ValueError, match="out is not C-contiguous"):
        align(features(), out=gaps)
    with pytest.raises(ValueError, match=r"out has shape \(3,\), expected \(1, 3, 4, 6\)"):
        align(features(), out=np.zeros(3, np.float32))
    assert not fixed.any() and not gaps.any()


def test_overlap_is_refused_by_the_library() -> None:
    source = features()
    with pytest.raises(ValueError, match="overlap"):
        align(source, out=source)
    np.testing.assert_array_equal(source, features())


def test_ranks() -> None:
    for shape in ((), (3,), (1,) * 5):
        with pytest.raises(ValueError, match=r"rank|dimNb"):
            align(np.zeros(shape, np.float32), bboxes=boxes())
    with pytest.raises(ValueError, match="input has rank 9, expected 8 or less"):
        align(np.zeros((1,) * 9, np.float32), bboxes=boxes())


def test_a_tensor_that_no_memory_can_hold() -> None:
    tensor = RawProducer(features())
    tensor._shape[1] = 2**62
    with pytest.raises(ValueError, match="input has more bytes than int64 can count"):
        align(tensor, bboxes=boxes())


def test_numbers_of_numpy_are_numbers() -> None:
    scale: Any = np.float32(1)
    points: Any = np.int64(1)
    result = detops.rotated_feature_align_forward(features(), boxes(), scale, points)
    np.testing.assert_array_equal(result, EXPECTED)
    with pytest.raises(TypeError):
        detops.rotated_feature_align_forward(features(), boxes(), "1")  # type: ignore[arg-type]
