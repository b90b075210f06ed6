"""torch's own checks of the operators: schema, fake kernels, autograd, compiled like eager."""

from __future__ import annotations

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import torch
from support import Call, all_calls, identity, differentiable_calls

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.parametrize("call", all_calls(), ids=identity)
def test_opcheck(call: Call) -> None:
    torch.library.opcheck(call.operator, (), call.arguments)


@pytest.mark.parametrize("call", differentiable_calls(), ids=identity)
def test_opcheck_with_gradients(call: Call) -> None:
    checks = ["test_schema", "test_autograd_registration", "test_faketensor"]
    # The last check adds all results to the first, which must not be one of integers for that;
    # test_torch_compile.py compares gradients of the compact form.
    if call.name != "roiaware_pool3d_compact_forward":
        checks.append("test_aot_dispatch_dynamic")
    arguments = call.cast(torch.float32).with_gradients().arguments
    torch.library.opcheck(call.operator, (), arguments, test_utils=checks)
