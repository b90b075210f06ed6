"""Functions of detops.spconv.ops and functional, and what programs import from spconv's modules."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from detops import spconv  # noqa: E402
from detops.spconv import functional, ops, test_utils  # noqa: E402

from test_install import run  # noqa: E402
from test_spconv_layers import some_tensor  # noqa: E402

SIZES: dict[str, tuple[Any, ...]] = {
    "SubMConv3d": ([3] * 3, [1] * 3, [1] * 3, [1] * 3, [0] * 3, True, False),
    "SparseConv3d": ([3] * 3, [2] * 3, [1] * 3, [1] * 3, [0] * 3, False, False),
    "SparseConvTranspose3d": ([3] * 3, [2] * 3, [1] * 3, [1] * 3, [0] * 3, False, True),
}


def layer_of(kind: str, **words: Any) -> Any:
    sizes = (3,) if kind == "SubMConv3d" else (3, 2, 1)
    return getattr(spconv, kind)(3, 5, *sizes, bias=False, **words).double()


@pytest.mark.parametrize("kind", SIZES)
def test_pairs_and_convolution_as_of_the_layer(kind: str) -> None:
    x, layer = some_tensor(3), layer_of(kind)
    outputs, *pairs = ops.get_indice_pairs(
        x.indices, 2, x.spatial_shape, spconv.ConvAlgo.Native, *SIZES[kind]
    )
    subm = kind == "SubMConv3d"
    y = layer(x)
    assert torch.equal(outputs, y.indices) and pairs[0].shape == (2, 27, len(x.indices))
    leaf = x.features.clone().requires_grad_()
    function = functional.indice_subm_conv if subm else functional.indice_conv
    bias = torch.linspace(-1, 1, 5, dtype=torch.float64)
    made = function(leaf, layer.weight, *pairs, len(outputs), None, x._timer, bias)
    torch.testing.assert_close(made, y.features + bias)
    grad = torch.randn(made.shape, dtype=torch.float64)
    wanted = torch.autograd.grad(made, [leaf, layer.weight], grad)
    found = ops.indice_conv_backward(x.features, layer.weight, grad, *pairs, False, subm)
    for mine, expected in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, expected)


def test_pairs_that_a_layer_has_stored() -> None:
    """Also with counts of all offsets, which spconv does not have for submanifold layers."""
    x, layer = some_tensor(3), layer_of("SubMConv3d", indice_key="a")
    y = layer(x)
    stored = y.find_indice_pair("a")
    pairs, counts = ops.in_spconv_layout(stored)
    for numbers in (counts, stored.indice_pair_num):
        made = ops.indice_conv(
            x.features, layer.weight, pairs, numbers, len(x.indices), subm=True
        )
        torch.testing.assert_close(made, y.features)
    down = layer_of("SparseConv3d", indice_key="d")
    z = down(x)
    pairs, counts = ops.in_spconv_layout(z.find_indice_pair("d"))
    up = spconv.SparseInverseConv3d(5, 4, 3, "d", bias=False).double()
    made = functional.indice_inverse_conv(z.features, up.weight, pairs, counts, len(x.indices))
    torch.testing.assert_close(made, up(z).features)


@pytest.mark.parametrize("kind", ["None_", "ReLU", "LeakyReLU", "Sigmoid"])
def test_activations(kind: str) -> None:
    x = some_tensor(3)
    act = {"act_type": getattr(spconv.Activation, kind), "act_alpha": 0.2}
    layer = layer_of("SubMConv3d", indice_key="a", **act)
    y = layer(x)
    pairs = ops.in_spconv_layout(y.find_indice_pair("a"))
    made = ops.indice_conv(x.features, layer.weight, *pairs, len(x.indices), subm=True, **act)
    torch.testing.assert_close(made, y.features)


def test_maximum() -> None:
    x, pool = some_tensor(3), spconv.SparseMaxPool3d(3, 2, 1, indice_key="p")
    y = pool(x)
    pairs = ops.in_spconv_layout(y.find_indice_pair("p"))
    leaf = x.features.clone().requires_grad_()
    made = functional.indice_maxpool(leaf, *pairs, len(y.indices))
    assert torch.equal(made, y.features)
    grad = torch.randn(made.shape, dtype=torch.float64)
    (expected,) = torch.autograd.grad(made, leaf, grad)
    found = ops.indice_maxpool_backward(x.features, y.features, grad, *pairs)
    torch.testing.assert_close(found, expected)


def test_what_functions_refuse() -> None:
    x = some_tensor(2)
    sizes = ([2, 3], [1, 1], [1, 1], [1, 1], [0, 0])
    with pytest.raises(ValueError, match=r"ksize is \[2, 3\], expected odd sizes for subm"):
        ops.get_indice_pairs(x.indices, 2, [7, 7], spconv.ConvAlgo.Native, *sizes, subm=True)
    pairs, counts = torch.zeros(9, 2, 4).int(), torch.zeros(9).int()
    told = r"indice_pairs has shape \[9, 2, 4\] and indice_pair_num \[9\], expected \(2, K, L\)"
    with pytest.raises(ValueError, match=f"indice_conv: {told}"):
        ops.indice_conv(x.features, torch.zeros(5, 3, 3, 3), pairs, counts, 4)
    for name in ("implicit_gemm", "get_indice_pairs_implicit_gemm", "indice_maxpool_implicit_gemm"):
        with pytest.raises(NotImplementedError, match=f"{name} is there on GPUs only"):
            getattr(ops, name)(x.features)
    with pytest.raises(ValueError, match=r"qbox_corners has shape \(2, 4\), expected \(N, 4, 2\)"):
        spconv.utils.rbbox_iou(np.zeros((1, 4, 2)), np.zeros((2, 4)), np.zeros((1, 2)), 0.0)
    with pytest.raises(ValueError, match=r"standup_iou has shape \(2, 1\), expected \(1, 2\)"):
        spconv.utils.rbbox_iou(np.zeros((1, 4, 2)), np.zeros((2, 4, 2)), np.zeros((2, 1)), 0.0)
    with pytest.raises(NotImplementedError, match="ImplicitGemmIndiceData is of spconv's algorithms"):
        spconv.core.ImplicitGemmIndiceData()


def test_data_for_tests() -> None:
    made = test_utils.generate_sparse_data([6, 8, 7], [20, 9], 3, integer=True, data_range=(-4, 4))
    sites, features, dense = made["indices"], made["features"], made["features_dense"]
    assert len({tuple(site) for site in sites.tolist()}) == 29 and sites.dtype == np.int32
    order = np.ascontiguousarray(sites[:, [3, 0, 1, 2]])
    x = spconv.SparseConvTensor(torch.from_numpy(features), torch.from_numpy(order), [6, 8, 7], 2)
    assert np.array_equal(x.dense().numpy(), dense)
    case = test_utils.TestCase()
    case.assertAllEqual([1.0, np.nan], [1.0, np.nan])
    case.assertAllClose({"a": [1.0]}, {"a": [1.0 + 1e-9]})
    for wrong in ([1.0, 2.0], [[1.0]]):
        with pytest.raises(AssertionError):
            case.assertAllClose([1.0], wrong)
        with pytest.raises(AssertionError):
            case.assertAllEqual([1.0], wrong)
    with pytest.raises(AssertionError, match="somewhere"):
        case.assertAllClose([1.0], [1.1], msg="somewhere")


def test_printing_modules(capsys: pytest.CaptureFixture[str]) -> None:
    x = some_tensor(3)
    layers = spconv.modules.PrintTensorMeta(), spconv.modules.PrintCurrentTime()
    for layer in layers:
        assert layer(x) is x
        assert layer(x.features) is x.features
    assert str(x.features.max()) in capsys.readouterr().out


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(spconv.__path__)])
def test_examples_of_the_documentation(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"detops.spconv.{name}"))
    assert result.failed == 0
    assert result.attempted > 0 or name not in ("core", "functional", "ops", "test_utils", "utils")


def test_imports_of_programs(tmp_path: Any) -> None:
    run(
        tmp_path,
        """
        assert detops.install("spconv") == ("spconv",)
        from spconv.core import AlgoHint, ConvAlgo
        from spconv.constants import ALL_WEIGHT_IS_KRSC, FILTER_HWIO
        from spconv.cppconstants import CPU_ONLY_BUILD
        from spconv.pytorch.constants import PYTORCH_VERSION, is_amp_enabled
        from spconv.pytorch.conv import SparseConvTensor, SparseModule, expand_nd
        from spconv.pytorch.core import ImplicitGemmIndiceData, IndiceData
        from spconv.pytorch.functional import SparseConvFunction, indice_conv, indice_subm_conv
        from spconv.pytorch.ops import get_indice_pairs, indice_conv_backward, implicit_gemm
        from spconv.pytorch.pool import ALL_POOL_LAYERS, SparseMaxPool
        from spconv.test_utils import TestCase, generate_sparse_data, params_grid
        from spconv.tools import CUDAKernelTimer
        from spconv.utils import nullcontext, rbbox_intersection, rbbox_iou
        import spconv
        import spconv.pytorch as sp
        assert spconv.AlgoHint is AlgoHint and ALL_WEIGHT_IS_KRSC and not FILTER_HWIO
        assert CPU_ONLY_BUILD and PYTORCH_VERSION >= [2, 10] and not is_amp_enabled()
        assert SparseConvTensor is sp.SparseConvTensor and expand_nd(3, 2) == [2, 2, 2]
        assert len(sp.conv.DEFAULT_SPARSE_CONV_TYPES) == 16 and len(ALL_POOL_LAYERS) == 9
        with CUDAKernelTimer(True).namespace("a") as _, nullcontext():
            pass
        """,
    )
