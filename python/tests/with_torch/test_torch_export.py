"""torch.export: programs with the operators, of sizes that are not known, saved and loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.torch
import torch
from network import SparseNetwork, cloud
from support import align_calls, assert_same_bits, psroipool_calls, roiaware_calls
from torch.export import Dim

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_a_network_of_sparse_convolutions(tmp_path: Path) -> None:
    network = SparseNetwork().requires_grad_(False)
    count = Dim("count", min=2)
    program = torch.export.export(
        network, cloud(1, 40), dynamic_shapes={"sites": {0: count}, "features": {0: count}}
    )
    names = {str(node.target) for node in program.graph.nodes if node.op == "call_function"}
    assert "detops.get_indice_pairs.default" in names
    assert "detops.indice_convolution_forward_fused.default" in names
    torch.export.save(program, tmp_path / "network.pt2")
    loaded = torch.export.load(tmp_path / "network.pt2")
    for size in (40, 7, 130):
        inputs = cloud(size, size)
        expected = network(*inputs)
        assert_same_bits(program.module()(*inputs), expected)
        assert_same_bits(loaded.module()(*inputs), expected)


class Head(torch.nn.Module):
    """Align, then pool regions, then pool points with the strongest answer."""

    def forward(
        self,
        image: torch.Tensor,
        boxes: torch.Tensor,
        rois: torch.Tensor,
        rois3d: torch.Tensor,
        pts: torch.Tensor,
        pts_feature: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        aligned = detops.torch.rotated_feature_align_forward(image, boxes, points=5)
        pooled = detops.torch.psroipool_forward(aligned, rois, 1, convention="consistent")
        dense = detops.torch.roiaware_pool3d_forward(rois3d, pts, pts_feature, 2, 4, pool="avg")
        compact = detops.torch.roiaware_pool3d_compact_forward(rois3d, pts, pts_feature, 2, 4)
        return pooled, dense.pooled_features, compact.voxels, compact.pooled_features.sum(0)


def inputs_of_head(seed: int) -> tuple[torch.Tensor, ...]:
    align = align_calls(seed, (2, 3 + seed, 4 + seed, 3))[0].arguments
    rois = psroipool_calls(seed, rois=2 + seed)[0].arguments["rois"]
    pooling = roiaware_calls(seed, 2 + seed, 20 + seed)[0].arguments
    scene = (pooling["rois"], pooling["pts"], pooling["pts_feature"])
    return (align["input"], align["bboxes"], rois, *scene)


def test_pooling(tmp_path: Path) -> None:
    height, width, points = Dim("height", min=2), Dim("width", min=2), Dim("points", min=2)
    shapes = {
        "image": {1: height, 2: width},
        "boxes": {1: height, 2: width},
        "rois": {0: Dim("regions", min=2)},
        "rois3d": {0: Dim("boxes", min=2)},
        "pts": {0: points},
        "pts_feature": {0: points},
    }
    program = torch.export.export(Head(), inputs_of_head(1), dynamic_shapes=shapes)
    torch.export.save(program, tmp_path / "head.pt2")
    loaded = torch.export.load(tmp_path / "head.pt2")
    for seed in (1, 2, 5):
        expected = Head()(*inputs_of_head(seed))
        assert_same_bits(tuple(loaded.module()(*inputs_of_head(seed))), expected)
