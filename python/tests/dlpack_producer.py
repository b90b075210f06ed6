"""Producers of DLPack tensors that are no NumPy arrays, as other libraries would have them."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

CPU, CUDA = 1, 2
FLOAT, BFLOAT = 2, 4


class Producer:
    """Hands on the capsules of a NumPy array, and offers nothing else."""

    def __init__(self, array: npt.NDArray[Any], device: int = CPU) -> None:
        self._array = array
        self._device = device

    def __dlpack__(self, **keywords: Any) -> Any:
        return self._array.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (self._device, 0)


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class RawProducer:
    """Makes the old kind of capsule itself: without strides, of any type and device."""

    def __init__(self, array: npt.NDArray[Any], code: int = FLOAT, device: int = CPU) -> None:
        assert array.flags.c_contiguous
        self._array = array
        self._shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        self._tensor = _Tensor(
            array.ctypes.data, device, 0, array.ndim, code, 8 * array.itemsize, 1, self._shape
        )

    def __dlpack__(self) -> Any:
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self._tensor), b"dltensor", None)


class KeepingProducer:
    """Hands out the same capsule each time, against the rule."""

    def __init__(self, array: npt.NDArray[Any], versioned: bool) -> None:
        if versioned:
            words: Any = {"max_version": (1, 0)}
            self.capsule: Any = array.__dlpack__(**words)
        else:
            self.capsule = array.__dlpack__()

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.capsule


def capsule_name(capsule: Any) -> str:
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    found: bytes = name(capsule)
    return found.decode()


class BrokenProducer:
    """Refuses, as a tensor that needs a gradient does."""

    def __dlpack__(self, **keywords: Any) -> Any:
        raise BufferError("cannot export this tensor")


def to_bfloat16_bits(array: npt.NDArray[Any]) -> npt.NDArray[np.uint16]:
    """Cut off, for numbers that bfloat16 holds exactly."""
    return (array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def from_bfloat16_bits(bits: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    return (bits.astype(np.uint32) << 16).view(np.float32)
