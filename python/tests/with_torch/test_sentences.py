"""What drop-ins say of wrong input: the layer and the argument as their user knows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops.mmcv
import detops.openpcdet
import detops.spconv as spconv
import detops.torch


def some_tensor(**changes: Any) -> Any:
    sites = torch.tensor([[0, 0, 0, 0], [0, 1, 1, 1]], dtype=torch.int32)
    words = {"features": torch.ones(2, 4), "indices": sites, "spatial_shape": [4, 4, 4]}
    return spconv.SparseConvTensor(**{**words, "batch_size": 1, **changes})


LAYER = r"SubMConv3d\(4, 6, kernel_size=\[3, 3, 3\], stride=\[1, 1, 1\]\): "


@pytest.mark.parametrize("size", [1, 3])
def test_a_layer_of_another_type_than_its_input(size: int) -> None:
    half = spconv.SubMConv3d(4, 6, size).half()
    said = "features are torch.float32 and the layer's weight is torch.float16, expected one type"
    with pytest.raises(ValueError, match=said):
        half(some_tensor())
    full = spconv.SubMConv3d(4, 6, size)
    with pytest.raises(ValueError, match=r"or layer.to\(torch.float16\)"):
        full(some_tensor(features=torch.ones(2, 4).half()))
    with torch.autocast("cpu", torch.bfloat16):
        assert full(some_tensor(features=torch.ones(2, 4).bfloat16())).features.shape == (2, 6)


def test_a_layer_on_another_device() -> None:
    layer = spconv.SubMConv3d(4, 6, 3).to("meta")
    with pytest.raises(ValueError, match=LAYER + "features are on cpu and the layer's weight"):
        layer(some_tensor())


def test_channels_name_the_layer() -> None:
    network = spconv.SparseSequential(spconv.SubMConv3d(4, 6, 3), spconv.SparseConv3d(5, 6, 3, 2))
    said = r"SparseConv3d\(5, 6, kernel_size=.*features have 6 channels, expected in_channels = 5"
    with pytest.raises(ValueError, match=said):
        network(some_tensor())


def test_sites_name_the_layer() -> None:
    outside = some_tensor(indices=torch.tensor([[0, 0, 0, 0], [0, 1, 9, 1]]))
    with pytest.raises(ValueError, match=LAYER + r"indices\[1, 2\] is 9, expected a coordinate"):
        spconv.SubMConv3d(4, 6, 3)(outside)
    with pytest.raises(ValueError, match=r"^SparseMaxPool3d\(.*: indices\[1, 2\] is 9, expected a"):
        spconv.SparseMaxPool3d(3, 2)(outside)
    with pytest.raises(ValueError, match=r"^SparseConv3d\(.*output space would be \[-2, -2, -2\]"):
        spconv.SparseConv3d(4, 6, 7)(some_tensor())


def test_no_names_of_the_c_interface() -> None:
    """Neither in functions of detops nor in drop-ins."""
    maps, boxes = torch.ones(1, 2, 3, 3), torch.full((1, 3, 3, 5), torch.nan)
    with pytest.raises(ValueError, match=r"^rotated_feature_align: best_rbboxes\[0, 0, 0, 0\] is"):
        detops.mmcv.rotated_feature_align(maps, boxes)
    with pytest.raises(ValueError, match=r"^rotated_feature_align_forward: bboxes\[0, 0, 0, 0\]"):
        detops.torch.rotated_feature_align_forward(maps.permute(0, 2, 3, 1), boxes)
    sites = torch.tensor([[0, 9]])
    with pytest.raises(ValueError, match=r"^get_indice_pairs: indices\[0, 1\] is 9"):
        detops.torch.get_indice_pairs(sites, 1, (4,), 3)
    with pytest.raises(ValueError, match=r"^get_indice_pairs: pad\[0\] is -9"):
        detops.torch.get_indice_pairs(sites, 1, (4,), 3, padding=-9, output_shape=4)


def test_devices_name_the_arguments() -> None:
    maps, boxes = torch.ones(1, 3, 3, 2, device="meta"), torch.zeros(1, 3, 3, 5)
    with pytest.raises(ValueError, match="input is on meta, bboxes is on cpu, expected all on the"):
        detops.torch.rotated_feature_align_forward(maps, boxes)
    with pytest.raises(ValueError, match="input could not be read through DLPack"):
        detops.rotated_feature_align_forward(maps, boxes)
    points, places = torch.zeros(1, 2, 3), torch.zeros(1, 2, 7, device="meta")
    with pytest.raises(ValueError, match="points is on cpu, boxes is on meta"):
        detops.openpcdet.points_in_boxes_gpu(points, places)


def test_points_that_are_no_tensors() -> None:
    points: Any = [[0, 0, 0]]
    with pytest.raises(ValueError, match="points is a list, expected a tensor or an array"):
        detops.openpcdet.points_in_boxes_cpu(points, torch.zeros(1, 7))
    masked: Any = np.ma.masked_less(np.zeros((2, 3)), 1)
    with pytest.raises(ValueError, match="points is a masked array"):
        detops.openpcdet.points_in_boxes_cpu(masked, torch.zeros(1, 7))
    batch: Any = np.zeros((1, 2, 3))
    with pytest.raises(ValueError, match="points_in_boxes_all: points is an array of NumPy"):
        detops.mmcv.points_in_boxes_all(batch, torch.zeros(1, 2, 7))


def test_memory_that_is_not_there() -> None:
    huge = torch.ones(1).expand(1, 2**20, 2**20, 1)
    said = r"input has shape \(1, 1048576, 1048576, 1\) and is expanded, or has gaps"
    with pytest.raises(MemoryError, match=said):
        detops.torch.rotated_feature_align_forward(huge, huge.expand(1, 2**20, 2**20, 5))
    rois, points, features = torch.zeros(2**20, 7), torch.zeros(1, 3), torch.zeros(1, 1)
    said = r"roiaware_pool3d_forward: there is no memory for a result of shape \(1048576, 99,"
    with pytest.raises(MemoryError, match=said):
        detops.torch.roiaware_pool3d_forward(rois, points, features, 99)
