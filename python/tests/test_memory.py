"""Nothing is kept after a call, whether it succeeds or fails."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable
from typing import Any

import detops
import numpy as np
from dlpack_producer import CUDA, BrokenProducer, Producer

FEATURES = np.ones((1, 2, 2, 1), np.float32)
BOXES = np.zeros((1, 2, 2, 5), np.float32)
STRIDED = np.ones((1, 2, 2, 8), np.float32)[..., ::2]
SITES = np.array([[0, 0, 0], [0, 1, 1]])
OUT = np.empty_like(FEATURES)
LIST: Any = [1.0]
ARRAYS = [FEATURES, BOXES, STRIDED, SITES, OUT]

CALLS: list[Callable[[], object]] = [
    lambda: detops.rotated_feature_align_forward(FEATURES, BOXES),
    lambda: detops.rotated_feature_align_forward(FEATURES, BOXES, out=OUT),
    lambda: detops.rotated_feature_align_forward(STRIDED, BOXES),
    lambda: detops.rotated_feature_align_forward(Producer(FEATURES), BOXES, out=Producer(OUT)),
    lambda: detops.get_indice_pairs(SITES, 1, (2, 2), 3, padding=1),
    lambda: detops.roiaware_pool3d_compact_forward(
        np.ones((1, 7)), np.ones((2, 3)), np.ones((2, 1)), 2
    ),
    # These fail, at different stages.
    lambda: detops.rotated_feature_align_forward(FEATURES, BOXES, points=2),
    lambda: detops.rotated_feature_align_forward(LIST, BOXES),
    lambda: detops.rotated_feature_align_forward(Producer(FEATURES, CUDA), BOXES),
    lambda: detops.rotated_feature_align_forward(FEATURES, BrokenProducer()),
    lambda: detops.rotated_feature_align_forward(FEATURES, BOXES, out=STRIDED),
    lambda: detops.rotated_feature_align_forward(FEATURES, BOXES, out=FEATURES),
    lambda: detops.get_indice_pairs(SITES + 2**40, 1, (2, 2), 3),
    lambda: detops.get_indice_pairs(SITES, 1, (2, 2), 1, padding=-1, output_shape=2),
]


def run_all() -> None:
    for call in CALLS:
        with contextlib.suppress(Exception):
            call()


def test_nothing_is_kept() -> None:
    for _ in range(100):
        run_all()
    gc.collect()
    references = [sys.getrefcount(array) for array in ARRAYS]
    blocks = sys.getallocatedblocks()
    for _ in range(1000):
        run_all()
    gc.collect()
    assert [sys.getrefcount(array) for array in ARRAYS] == references
    # One block lost per call would be 1000.
    assert sys.getallocatedblocks() - blocks < 200
