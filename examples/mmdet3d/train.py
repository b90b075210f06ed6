"""Trains SECOND of mmdetection3d on generated streets with mmengine's training loop, without a GPU.

    python train.py [--epochs N] [--scenes N] [--batch N] [--folder DIR]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

# These two lines are all there is of detops: what follows is mmdetection3d on mmcv-lite.
import detops

detops.install("mmcv", "spconv", replace=True, quiet=True)

import mmdet3d  # noqa: E402
import mmdet3d.models  # noqa: E402
import torch  # noqa: E402
from mmdet3d.registry import MODELS  # noqa: E402
from mmengine.config import Config  # noqa: E402
from mmengine.hooks import Hook  # noqa: E402
from mmengine.registry import DefaultScope  # noqa: E402
from mmengine.runner import Runner  # noqa: E402
from picture import draw  # noqa: E402
from precision import AveragePrecision  # noqa: E402
from streets import RANGE, Streets  # noqa: E402

VOXEL = (0.1, 0.1, 0.1)


def detector() -> Any:
    """SECOND as mmdetection3d configures it for KITTI, on a smaller street with larger voxels, and
    half as wide behind the sparse layers."""
    folder = Path(mmdet3d.__file__).parent / ".mim" / "configs" / "_base_" / "models"
    config = Config.fromfile(folder / "second_hv_secfpn_kitti.py")
    grid = [round((RANGE[axis + 3] - RANGE[axis]) / VOXEL[axis]) for axis in range(3)]
    # Anchors of all three classes stand on the street.
    street = [*RANGE[:2], -1.73, *RANGE[3:5], -1.73]
    config.merge_from_dict({
        "model.data_preprocessor.voxel_layer.point_cloud_range": list(RANGE),
        "model.data_preprocessor.voxel_layer.voxel_size": list(VOXEL),
        "model.middle_encoder.sparse_shape": [grid[2] + 1, grid[1], grid[0]],
        "model.backbone.out_channels": [64, 128],
        "model.backbone.layer_nums": [3, 3],
        "model.neck.in_channels": [64, 128],
        "model.neck.out_channels": [128, 128],
        "model.bbox_head.in_channels": 256,
        "model.bbox_head.feat_channels": 256,
        "model.bbox_head.anchor_generator.ranges": [street] * 3,
    })
    # Names of configurations are looked up in mmdetection3d's registries, then in mmengine's.
    with DefaultScope.overwrite_default_scope("mmdet3d"):
        return MODELS.build(config.model)


class Keep(Hook):  # type: ignore[misc]
    """Keeps what was found in the last evaluation, by the scenes' numbers."""

    def __init__(self) -> None:
        self.found: dict[int, Any] = {}

    def after_val_iter(self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None) -> None:
        self.found |= {sample.number: sample.pred_instances_3d for sample in outputs}


def loader(streets: Streets, batch: int, shuffle: bool) -> dict[str, Any]:
    return {
        "dataset": streets,
        "batch_size": batch,
        "num_workers": 0,
        "sampler": {"type": "DefaultSampler", "shuffle": shuffle},
        "collate_fn": {"type": "pseudo_collate"},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--scenes", type=int, default=256, help="to learn from in an epoch")
    parser.add_argument("--held-out", type=int, default=60, help="scenes to judge by")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--folder", type=Path, default=Path("mmdet3d_run"))
    options = parser.parse_args()

    torch.manual_seed(0)
    streets, held_out = Streets(options.scenes, seed=1_000_000), Streets(options.held_out, seed=0)
    steps = options.epochs * -(-len(streets) // options.batch)
    rate, warm_up = 2e-3, max(1, steps // 10)
    warm = {"type": "LinearLR", "start_factor": 0.1, "end": warm_up, "by_epoch": False}
    cool = {"type": "CosineAnnealingLR", "begin": warm_up, "end": steps, "eta_min": rate / 1000, "by_epoch": False}
    keep = Keep()
    runner = Runner(
        model=detector(),
        work_dir=str(options.folder),
        train_dataloader=loader(streets, options.batch, shuffle=True),
        train_cfg={"by_epoch": True, "max_epochs": options.epochs, "val_interval": options.epochs},
        optim_wrapper={
            "optimizer": {"type": "AdamW", "lr": rate, "betas": (0.95, 0.99), "weight_decay": 0.01},
            "clip_grad": {"max_norm": 10},
        },
        param_scheduler=[warm, cool],
        val_dataloader=loader(held_out, options.batch, shuffle=False),
        val_cfg={},
        val_evaluator=[AveragePrecision()],
        default_hooks={"logger": {"type": "LoggerHook", "interval": 32}},
        custom_hooks=[keep],
        randomness={"seed": 0},
    )
    runner.train()
    picture = options.folder / "scenes.png"
    draw(held_out, [keep.found[number] for number in range(len(held_out))], [0, 1, 2], picture)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main()
