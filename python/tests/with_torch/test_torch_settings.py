"""detops.value_checks and detops.threads hold for detops.torch too."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops
import detops.torch
import torch
from support import align_calls

CALL = align_calls()[0]


def is_checked() -> bool:
    """With one point the angle is not used, so that a wrong one is harmless."""
    boxes = CALL.arguments["bboxes"].clone()
    boxes[0, 0, 0, 4] = torch.inf
    results = set()
    for call in (CALL, CALL.with_gradients()):
        try:
            out = call.replace(bboxes=boxes).run()
        except ValueError as error:
            assert "bboxes[0, 0, 0, 4] is inf" in str(error)
            results.add(True)
        else:
            assert bool(out.isfinite().all())
            results.add(False)
    (found,) = results
    return found


def test_value_checks() -> None:
    assert is_checked()
    with detops.value_checks(False):
        assert not is_checked()
        with detops.value_checks(True):
            assert is_checked()
        assert not is_checked()
    assert is_checked()


def test_the_backward_pass_is_in_the_block() -> None:
    """The gradient of a checked call, asked for within a block, and the other way round."""
    boxes = CALL.arguments["bboxes"].clone()
    boxes[0, 0, 0, 4] = torch.inf
    call = CALL.replace(bboxes=boxes).with_gradients()
    with detops.value_checks(False):
        out = call.run()
        (gradient,) = torch.autograd.grad(out.sum(), call.leaves, retain_graph=True)
        assert bool(gradient.isfinite().all())
    with pytest.raises(ValueError, match="is inf"):
        torch.autograd.grad(out.sum(), call.leaves)


def test_blocks_end_with_exceptions() -> None:
    with pytest.raises(KeyError), detops.value_checks(False), detops.threads(3):
        raise KeyError
    assert is_checked()
    with pytest.raises(ValueError, match="points is 3"), detops.value_checks(False):
        CALL.replace(points=3).run()
    assert is_checked()


def test_blocks_hold_for_their_thread() -> None:
    with detops.value_checks(False), ThreadPoolExecutor(1) as pool:
        assert pool.submit(is_checked).result()
        assert not is_checked()


def test_blocks_hold_for_both_packages() -> None:
    boxes = CALL.arguments["bboxes"].clone()
    boxes[0, 0, 0, 4] = torch.inf
    with detops.value_checks(False):
        CALL.replace(bboxes=boxes).run()
        CALL.replace(bboxes=boxes).run_numpy()
    for run in ("run", "run_numpy"):
        with pytest.raises(ValueError, match="is inf"):
            getattr(CALL.replace(bboxes=boxes), run)()


def test_a_block_around_a_compiled_program() -> None:
    torch.compiler.reset()
    boxes = CALL.arguments["bboxes"].clone()
    boxes[0, 0, 0, 4] = torch.inf
    compiled = torch.compile(CALL.function, fullgraph=True, backend="aot_eager")
    arguments = {**CALL.arguments, "bboxes": boxes}
    with detops.value_checks(False):
        assert bool(compiled(**arguments).isfinite().all())
    with pytest.raises(ValueError, match="is inf"):
        compiled(**arguments)
