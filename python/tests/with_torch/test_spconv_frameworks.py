"""What OpenPCDet and mmdetection3d ask of spconv beside its layers."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import detops.mmcv as mmcv  # noqa: E402
from detops import spconv  # noqa: E402

from test_install import run  # noqa: E402


def load_as_mmdetection3d(
    self: Any, state: Any, prefix: str, metadata: Any, strict: bool, missing: Any, *rest: Any
) -> None:
    """Its way of loading, which it puts into spconv's SparseModule: weights of a module that was
    stored without version 2 are those of mmcv, (kernel..., in, out)."""
    for name, values in itertools.chain(self._parameters.items(), self._buffers.items()):
        if values is None:
            continue
        if prefix + name not in state:
            missing.append(prefix + name)
            continue
        stored = state[prefix + name]
        if metadata.get("version") != 2:
            stored = stored.permute(stored.ndim - 1, *range(stored.ndim - 1))
        if stored.shape != values.shape:
            rest[1].append(f"size mismatch for {prefix + name}")
        else:
            values.data.copy_(stored)


@pytest.mark.parametrize("channels", [(4, 8), (4, 4)])
def test_loading_of_mmdetection3d(
    channels: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights are brought into order once, by whoever claims it."""
    before = mmcv.SparseSequential(mmcv.SubMConv3d(*channels, 3), torch.nn.BatchNorm1d(channels[1]))
    stored = before.state_dict()
    monkeypatch.setattr(spconv.SparseModule, "_version", 2, raising=False)
    monkeypatch.setattr(spconv.SparseModule, "_load_from_state_dict", load_as_mmdetection3d)

    def network() -> Any:
        layer = spconv.SubMConv3d(*channels, 3)
        return spconv.SparseSequential(layer, torch.nn.BatchNorm1d(channels[1]))

    after = network()
    after.load_state_dict(stored)
    assert torch.equal(after[0].weight, before[0].weight.permute(4, 0, 1, 2, 3))
    assert torch.equal(after[0].bias, before[0].bias)
    again = network()
    again.load_state_dict(after.state_dict())  # of version 2
    assert torch.equal(again[0].weight, after[0].weight)
    # In mmcv SparseModule is another class, which stays as it is.
    other = mmcv.SparseSequential(mmcv.SubMConv3d(*channels, 3), torch.nn.BatchNorm1d(channels[1]))
    other.load_state_dict(OrderedDict(stored))
    assert torch.equal(other[0].weight, before[0].weight)
    wrong = OrderedDict(stored, **{"0.weight": torch.zeros(3, 3, 3, 4, 5)})
    with pytest.raises(RuntimeError, match=r"size mismatch for 0\.weight"):
        network().load_state_dict(wrong)


def test_voxels_of_openpcdet(tmp_path: Path) -> None:
    """Its data processor takes the first of these names that it can import."""
    run(
        tmp_path,
        """
        assert detops.install("spconv") == ("spconv",)
        import numpy as np
        from spconv.utils import VoxelGeneratorV2 as VoxelGenerator
        make = VoxelGenerator(
            voxel_size=[0.16, 0.16, 4],
            point_cloud_range=np.array([0, -39.68, -3, 69.12, 39.68, 1], dtype=np.float32),
            max_num_points=32,
            max_voxels=16000,
        )
        points = np.array([[1, 2, 0, 0.5], [1, 2, 0.5, 0.7], [80, 0, 0, 1]], dtype=np.float32)
        made = make.generate(points)
        assert made["voxels"].shape == (1, 32, 4) and made["coordinates"].tolist() == [[0, 260, 6]]
        assert made["num_points_per_voxel"].tolist() == [2]
        from spconv.utils import VoxelGenerator, Point2VoxelCPU3d
        import spconv.pytorch.utils
        assert spconv.pytorch.utils.PointToVoxel and Point2VoxelCPU3d
        """,
    )
