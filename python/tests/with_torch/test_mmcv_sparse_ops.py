"""detops.mmcv.sparse_ops against the rule of sparse convolutions, pair by pair."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.mmcv.sparse_ops as ops
import torch

Site = tuple[int, ...]


def random_sites(space: list[int], batch: int, count: int, seed: int) -> torch.Tensor:
    rng = np.random.default_rng(seed)
    flat = rng.permutation(batch * int(np.prod(space)))[:count]
    return torch.tensor(np.stack(np.unravel_index(flat, (batch, *space)), 1), dtype=torch.int32)


def pairs_by_rule(
    sites: torch.Tensor,
    space: list[int],
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transpose: bool,
) -> set[tuple[int, int, Site]]:
    """(offset, input row, output site) of every pair."""
    found = set()
    for offset, r in enumerate(itertools.product(*map(range, kernel))):
        for row, (image, *site) in enumerate(sites.tolist()):
            out = [image]
            for axis, i in enumerate(site):
                if transpose:
                    o, rest = i * stride[axis] - padding[axis] + r[axis] * dilation[axis], 0
                else:
                    reached = i + padding[axis] - r[axis] * dilation[axis]
                    o, rest = divmod(reached, stride[axis])
                if rest == 0 and 0 <= o < space[axis]:
                    out.append(o)
            if len(out) == len(site) + 1:
                found.add((offset, row, tuple(out)))
    return found


def listed(outids: torch.Tensor, pairs: torch.Tensor, counts: torch.Tensor) -> list[Any]:
    sites = [tuple(site) for site in outids.tolist()]
    made = []
    for offset, ((inputs, outputs), count) in enumerate(
        zip(pairs.tolist(), counts.tolist(), strict=True)
    ):
        assert inputs[count:] == outputs[count:] == [-1] * (pairs.shape[2] - count)
        assert inputs[:count] == sorted(inputs[:count])
        made += [
            (offset, i, sites[o]) for i, o in zip(inputs[:count], outputs[:count], strict=True)
        ]
    return made


CONVOLUTIONS = {
    "stride 2": ([6, 7, 8], [3, 3, 3], [2, 2, 2], [1, 1, 1], [1, 1, 1]),
    "conv_out": ([5, 6, 4], [3, 1, 1], [2, 1, 1], [0, 0, 0], [1, 1, 1]),
    "dilated": ([9, 8], [3, 2], [1, 1], [2, 0], [2, 3]),
    "stride and dilation": ([9, 8], [3, 3], [2, 3], [1, 1], [2, 2]),
    "4-D": ([3, 4, 3, 3], [2, 1, 3, 2], [1, 2, 1, 1], [0, 0, 1, 1], [1, 1, 1, 1]),
}


@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_pairs_of_a_convolution(case: str) -> None:
    space, kernel, stride, padding, dilation = CONVOLUTIONS[case]
    sites = random_sites(space, 2, 40, 1)
    made = ops.get_indice_pairs(sites, 2, space, kernel, stride, padding, dilation)
    assert isinstance(made, list) and all(part.dtype == torch.int32 for part in made)
    out_space = ops.get_conv_output_size(space, kernel, stride, padding, dilation)
    dense = torch.zeros(1, *space)
    if len(space) < 4:
        layer = [torch.nn.functional.conv2d, torch.nn.functional.conv3d][len(space) - 2]
        filters = torch.zeros(1, 1, *kernel)
        shape = layer(dense[None], filters, None, stride, padding, dilation).shape[2:]
        assert out_space == list(shape)
    expected = pairs_by_rule(sites, out_space, kernel, stride, padding, dilation, False)
    pairs = listed(*made)
    assert len(pairs) == len(expected) and set(pairs) == expected
    outputs = [tuple(site) for site in made[0].tolist()]
    assert outputs == sorted({out for _, _, out in expected})


@pytest.mark.parametrize(
    ("stride", "padding", "dilation", "more"), [(2, 1, 1, 1), (1, 0, 2, 0), (3, 0, 1, 2)]
)
def test_pairs_of_a_transposed_convolution(
    stride: int, padding: int, dilation: int, more: int
) -> None:
    """As in mmcv the output space does not grow with dilation: what lies outside is left out."""
    space = [5, 4]
    sites = random_sites(space, 2, 15, 2)
    made = ops.get_indice_pairs(sites, 2, space, 3, stride, padding, dilation, more, transpose=True)
    lists = [3, 3], [stride] * 2, [padding] * 2, [dilation] * 2
    out_space = ops.get_deconv_output_size(space, *lists, [more] * 2)
    assert out_space == [(i - 1) * stride - 2 * padding + 3 + more for i in space]
    assert set(listed(*made)) == pairs_by_rule(sites, out_space, *lists, True)


@pytest.mark.parametrize(("kernel", "dilation"), [(3, 1), (5, 1), (2, 1), (3, 2)])
def test_pairs_of_a_submanifold_convolution(kernel: int, dilation: int) -> None:
    """Centred, also with dilation; stride and padding do not count."""
    space = [6, 7]
    sites = random_sites(space, 2, 30, 3)
    made = ops.get_indice_pairs(sites, 2, space, kernel, 2, 7, dilation, subm=True)
    assert torch.equal(made[0], sites)
    centre = [kernel // 2 * dilation] * 2
    lists = [kernel] * 2, [1, 1], centre, [dilation] * 2
    active = {tuple(site) for site in sites.tolist()}
    expected = {p for p in pairs_by_rule(sites, space, *lists, False) if p[2] in active}
    assert set(listed(*made)) == expected


def test_what_mmcv_takes() -> None:
    """Shapes as arrays, indices of int64, a grid."""
    sites = random_sites([4, 4], 1, 5, 4)
    shape: Any = np.array([4, 4])
    expected = ops.get_indice_pairs(sites, 1, [4, 4])
    for made in (
        ops.get_indice_pairs(sites, 1, shape),
        ops.get_indice_pairs(sites.long(), 1, torch.Size([4, 4])),
        ops.get_indice_pairs(sites, 1, [4, 4], (3, 3), (1, 1), grid=torch.zeros(16)),
    ):
        assert all(torch.equal(*both) for both in zip(made, expected, strict=True))


def test_wrong_sites_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"indices\[0, 2\] is 4, expected a coordinate in \[0, 4\)"
    ):
        ops.get_indice_pairs(torch.tensor([[0, 0, 4]]), 1, [4, 4], subm=True)
    with pytest.raises(ValueError, match=r"indices\[0, 0\] is 1"):
        ops.get_indice_pairs(torch.tensor([[1, 0, 3]]), 1, [4, 4])


def test_sizes_of_kernels_of_minus_one() -> None:
    assert ops.get_conv_output_size([9], [-1], [2], [3], [1]) == [1]
    with pytest.raises(ValueError, match="-1"):
        ops.get_deconv_output_size([9], [-1], [2], [3], [1], [0])


def convolved_by_loops(
    features: torch.Tensor,
    filters: torch.Tensor,
    pairs: torch.Tensor,
    counts: torch.Tensor,
    rows: int,
    inverse: bool,
) -> torch.Tensor:
    flat = filters.reshape(-1, *filters.shape[-2:])
    result = features.new_zeros(rows, flat.shape[2])
    for offset, count in enumerate(counts.tolist()):
        for i, o in pairs[offset, :, :count].T.tolist():
            source, goal = (o, i) if inverse else (i, o)
            step = torch.zeros_like(result)
            step[goal] = 1
            result = result + step * (features[source] @ flat[offset])
    return result


@pytest.mark.parametrize("inverse", [False, True])
def test_convolution_and_its_gradients(inverse: bool) -> None:
    torch.manual_seed(0)
    sites = random_sites([4, 5], 2, 15, 5)
    outids, pairs, counts = ops.get_indice_pairs(sites, 2, [4, 5], 3, 2, 1)
    rows_in, rows_out = (len(outids), 15) if inverse else (15, len(outids))
    assert len(outids) != 15
    features = torch.randn(rows_in, 3, dtype=torch.float64, requires_grad=True)
    filters = torch.randn(3, 3, 3, 4, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(4, dtype=torch.float64)
    expected = convolved_by_loops(features, filters, pairs, counts, rows_out, inverse)
    made = ops.indice_conv(features, filters, pairs, counts, rows_out, inverse)
    torch.testing.assert_close(made, expected)
    fused = ops.fused_indice_conv(features, filters, bias, pairs, counts, rows_out, inverse, False)
    torch.testing.assert_close(fused, expected + bias)
    gradient = torch.randn_like(expected)
    wanted = torch.autograd.grad(expected, (features, filters), gradient)
    torch.testing.assert_close(torch.autograd.grad(made, (features, filters), gradient), wanted)
    backward = ops.indice_conv_backward(
        features.detach(), filters.detach(), gradient, pairs, counts, inverse
    )
    assert isinstance(backward, list)
    torch.testing.assert_close(backward, list(wanted))


def test_submanifold_convolution_is_the_dense_one_at_its_sites() -> None:
    torch.manual_seed(0)
    space = [5, 6, 4]
    sites = random_sites(space, 2, 50, 6)
    outids, pairs, counts = ops.get_indice_pairs(sites, 2, space, subm=True)
    features, filters = torch.randn(50, 3), torch.randn(3, 3, 3, 3, 2)
    made = ops.indice_conv(features, filters, pairs, counts, 50, False, True)
    dense = torch.zeros(2, *space, 3)
    where = tuple(sites.long().T)
    dense[where] = features
    full = torch.nn.functional.conv3d(
        dense.permute(0, 4, 1, 2, 3), filters.permute(4, 3, 0, 1, 2), padding=1
    )
    torch.testing.assert_close(made, full.permute(0, 2, 3, 4, 1)[where], rtol=1e-5, atol=1e-5)


def test_no_sites() -> None:
    outids, pairs, counts = ops.get_indice_pairs(torch.zeros(0, 4).int(), 1, [4, 4, 4], 3, 2, 1)
    assert outids.shape == (0, 4) and pairs.shape == (27, 2, 0) and not counts.any()
    filters = torch.ones(3, 3, 3, 2, 5)
    assert ops.indice_conv(torch.zeros(0, 2), filters, pairs, counts, 0).shape == (0, 5)


SURFACE = {
    "fused_indice_conv": "features, filters, bias, indice_pairs, indice_pair_num, "
    "num_activate_out, inverse, subm",
    "get_conv_output_size": "input_size, kernel_size, stride, padding, dilation",
    "get_deconv_output_size": "input_size, kernel_size, stride, padding, dilation, output_padding",
    "get_indice_pairs": "indices, batch_size, spatial_shape, ksize=3, stride=1, padding=0, "
    "dilation=1, out_padding=0, subm=False, transpose=False, grid=None",
    "indice_conv": "features, filters, indice_pairs, indice_pair_num, num_activate_out, "
    "inverse=False, subm=False",
    "indice_conv_backward": "features, filters, out_bp, indice_pairs, indice_pair_num, "
    "inverse=False, subm=False",
    "indice_maxpool": "features, indice_pairs, indice_pair_num, num_activate_out",
    "indice_maxpool_backward": "features, out_features, out_bp, indice_pairs, indice_pair_num",
}


def test_maximum_begins_at_zero() -> None:
    sites = torch.tensor([[0, 0], [0, 1], [0, 5]])
    outids, pairs, counts = ops.get_indice_pairs(sites, 1, [6], 2, 2)
    features = torch.tensor([[1.0, -1], [3, -2], [-4, 0]], dtype=torch.float64)
    made = ops.indice_maxpool(features, pairs, counts, len(outids))
    assert made.tolist() == [[3, 0], [0, 0]]
    grad = ops.indice_maxpool_backward(features, made, torch.ones_like(made), pairs, counts)
    assert grad.tolist() == [[0, 0], [1, 0], [0, 1]]  # An input of 0 ties with the start.


@pytest.mark.parametrize("name", ops.__all__)
def test_arguments_are_those_of_mmcv(name: str) -> None:
    signature = inspect.signature(getattr(ops, name))
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    assert ", ".join(map(str, bare)) == SURFACE[name]
