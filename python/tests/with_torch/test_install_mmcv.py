"""detops.install("mmcv"): modules of the sparse layers, and the registry that mmcv 2 builds from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

from test_install import run, write
from test_install_replace import BROKEN, MMCV


def test_modules_of_mmcvs_sparse_layers(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        detops.install("mmcv")
        import detops.mmcv.sparse_conv
        from mmcv.ops import SparseConvTensor, SparseSequential, SubMConv3d
        from mmcv.ops.sparse_conv import SparseConv4d, SparseConvolution
        from mmcv.ops.sparse_functional import SparseConvFunction, indice_subm_conv
        from mmcv.ops.sparse_modules import RemoveGrid, SparseModule, ToDense
        from mmcv.ops.sparse_ops import get_indice_pairs
        from mmcv.ops.sparse_pool import SparseMaxPool, SparseMaxPool3d
        from mmcv.ops.sparse_structure import scatter_nd
        import mmcv.ops
        assert SparseConvolution is detops.mmcv.sparse_conv.SparseConvolution
        assert issubclass(SparseMaxPool, SparseModule) and issubclass(SubMConv3d, SparseConvolution)
        # mmcv has these in its modules only.
        assert not hasattr(mmcv.ops, "SparseConv4d") and not hasattr(mmcv.ops, "ToDense")
        import torch
        x = SparseConvTensor(torch.ones(1, 2), torch.zeros(1, 4).int(), [4, 4, 4], 1)
        assert SparseSequential(SubMConv3d(2, 3, 3), ToDense())(x).shape == (1, 3, 4, 4, 4)
        """,
    )


# A registry with the three things of mmengine's that are used.
MMENGINE = {
    "mmengine/__init__.py": "",
    "mmengine/registry.py": """
        class Registry:
            def __init__(self):
                self.module_dict = {}

            def register_module(self, name=None, force=False, module=None):
                if not force and name in self.module_dict:
                    raise KeyError(f"{name} is already registered")
                self.module_dict[name] = module

        MODELS = Registry()
        """,
}
SPARSE_CONV = """
    from mmengine.registry import MODELS
    SubMConv3d = "original"
    MODELS.register_module("SubMConv3d", module=SubMConv3d)
    """


def test_replacing_in_the_registry_of_mmcv(run_in_either_order: Any) -> None:
    begin = "from .sparse_conv import SubMConv3d\n"
    files = {"mmcv/ops/__init__.py": begin, "mmcv/ops/sparse_conv.py": SPARSE_CONV}
    run_in_either_order(
        {**MMCV, **MMENGINE, **files},
        'detops.install("mmcv", replace=True)',
        "import mmcv.ops",
        """
        import detops.mmcv
        from mmengine.registry import MODELS
        assert MODELS.module_dict["SubMConv3d"] is mmcv.ops.SubMConv3d is detops.mmcv.SubMConv3d
        MODELS.module_dict["SparseConv2d"] = "somebody else's"
        detops.uninstall()
        assert MODELS.module_dict == {
            "SubMConv3d": "original", "SparseConv2d": "somebody else's"}, MODELS.module_dict
        assert mmcv.ops.SubMConv3d == "original"
        """,
    )


def test_registry_of_an_mmcv_whose_extension_is_broken(tmp_path: Path) -> None:
    """With detops its own layers are registered, and those of detops in their place; none are left."""
    layers = """
        from mmengine.registry import MODELS
        class SubMConv3d:
            pass
        class Another:
            pass
        MODELS.register_module("SubMConv3d", module=SubMConv3d)
        MODELS.register_module("Another", module=Another)
        """
    begin = "from . import roi_align, sparse_conv\n"
    write(tmp_path, {**BROKEN, **MMENGINE, "mmcv/ops/__init__.py": begin, "mmcv/ops/sparse_conv.py": layers})
    run(
        tmp_path,
        """
        detops.install("mmcv", replace=True)
        from mmengine.registry import MODELS
        import detops.mmcv, mmcv.ops.sparse_conv
        from mmcv.ops.sparse_conv import Another, SubMConv3d
        assert MODELS.module_dict["SubMConv3d"] is SubMConv3d is detops.mmcv.SubMConv3d
        assert MODELS.module_dict["Another"] is Another and Another.__module__ == "mmcv.ops.sparse_conv"
        detops.uninstall()
        assert MODELS.module_dict == {}
        """,
    )


@pytest.mark.parametrize("before", ["", "from mmengine.registry import MODELS"])
def test_registry_where_there_is_no_mmcv(tmp_path: Path, before: str) -> None:
    """As mmcv does, detops registers its layers once ``mmcv.ops`` is imported."""
    write(tmp_path, MMENGINE)
    run(
        tmp_path,
        f"""
        detops.install("mmcv")
        import mmcv
        {before}
        assert "torch" not in sys.modules
        from mmcv.ops import SparseConv3d, SubMConv3d
        from mmengine.registry import MODELS
        assert MODELS.module_dict["SubMConv3d"] is SubMConv3d
        layer = MODELS.module_dict["SparseConv3d"](3, 4, 3, indice_key="a")
        assert type(layer) is SparseConv3d and layer.weight.shape == (3, 3, 3, 3, 4)
        detops.uninstall()
        assert MODELS.module_dict == {{}}
        """,
    )


def test_no_registry_without_mmengine(tmp_path: Path) -> None:
    write(tmp_path, {"mmengine/__init__.py": "import nothing_of_this_name"})
    run(
        tmp_path,
        """
        detops.install("mmcv")
        from mmcv.ops import SubMConv3d
        detops.uninstall()
        """,
    )


MMDET3D = {
    "mmdet3d/__init__.py": "",
    "mmdet3d/evaluation/__init__.py": "",
    "mmdet3d/evaluation/functional/__init__.py": "",
    "mmdet3d/evaluation/functional/kitti_utils/__init__.py": "from .eval import kitti_eval\n",
    "mmdet3d/evaluation/functional/kitti_utils/eval.py": """
        def kitti_eval(boxes, queries, criterion):
            from .rotate_iou import rotate_iou_gpu_eval
            return rotate_iou_gpu_eval(boxes, queries, criterion)
        """,
    "mmdet3d/evaluation/functional/kitti_utils/rotate_iou.py": "raise RuntimeError('no driver')\n",
}


@pytest.mark.parametrize("compiled", [True, False])
def test_the_evaluation_of_mmdetection3d_needs_no_gpu(tmp_path: Path, compiled: bool) -> None:
    """With an mmcv that detops stands in for in any way."""
    write(tmp_path, {**MMDET3D, **(MMCV if compiled else {"mmcv/__init__.py": ""})})
    run(
        tmp_path,
        """
        from mmdet3d.evaluation.functional.kitti_utils import kitti_eval
        import numpy as np
        boxes = np.array([[0, 0, 4, 2, 0.0], [1, 0, 4, 2, 0]])
        call = "from mmdet3d.evaluation.functional.kitti_utils import kitti_eval; kitti_eval(1, 2, 3)"
        assert failure(call) == "RuntimeError: no driver"
        detops.install("mmcv", replace=True)
        assert np.allclose(kitti_eval(boxes, boxes[1:], -1), [[0.6], [1]])
        detops.uninstall()
        assert failure(call) == "RuntimeError: no driver"
        """,
    )
