"""detops.install(..., replace=True): packages that are there, whole or without their extensions."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

from test_install import run, write

MMCV = {
    "mmcv/__init__.py": "__version__ = '2.2.0'\n",
    "mmcv/_ext.py": "",
    "mmcv/cnn.py": "brick = 'original'\n",
    "mmcv/ops/__init__.py": """
        from .roi_align import roi_align
        from .roiaware_pool3d import RoIAwarePool3d
        from .rotated_feature_align import rotated_feature_align
        """,
    "mmcv/ops/roi_align.py": "roi_align = 'original roi_align'\n",
    "mmcv/ops/roiaware_pool3d.py": "RoIAwarePool3d = 'original'\nhelper = 'original helper'\n",
    "mmcv/ops/rotated_feature_align.py": "rotated_feature_align = 'original'\n",
}
# As an mmcv that was built for another torch.
BROKEN = {
    **MMCV,
    "mmcv/_ext.py": "raise ImportError('_ext.so: undefined symbol')\n",
    "mmcv/ops/roi_align.py": "import mmcv._ext\nroi_align = 'original roi_align'\n",
}
PCDET = {
    "pcdet/__init__.py": "",
    "pcdet/ops/__init__.py": "",
    "pcdet/ops/roiaware_pool3d/__init__.py": "",
    "pcdet/ops/roiaware_pool3d/roiaware_pool3d_cuda.py": "",
    "pcdet/ops/roiaware_pool3d/roiaware_pool3d_utils.py": """
        from . import roiaware_pool3d_cuda
        RoIAwarePool3d = 'original'
        """,
    "pcdet/models.py": "from .ops.roiaware_pool3d import roiaware_pool3d_utils\n",
}
TORCHVISION = {
    "torchvision/__init__.py": "from . import ops, transforms\n",
    "torchvision/transforms.py": "resize = 'original'\n",
    "torchvision/ops/__init__.py": """
        from .ps_roi_pool import PSRoIPool, ps_roi_pool
        from .roi_align import roi_align
        """,
    "torchvision/ops/ps_roi_pool.py": "ps_roi_pool = PSRoIPool = 'original'\n",
    "torchvision/ops/roi_align.py": "roi_align = 'original'\n",
}
SPCONV = {
    "spconv/__init__.py": "__version__ = '2.3.6'\n",
    "spconv/utils.py": "",
    "spconv/pytorch.py": "SubMConv3d = 'original'\n",
}


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path, {**MMCV, **PCDET, **TORCHVISION, **SPCONV})
    run(
        tmp_path,
        """
        assert detops.install("mmcv", "openpcdet", "torchvision", "spconv") == ()
        from mmcv.ops import RoIAwarePool3d
        assert RoIAwarePool3d == "original"
        from pcdet.models import roiaware_pool3d_utils
        assert roiaware_pool3d_utils.RoIAwarePool3d == "original"
        assert "torch" not in sys.modules
        """,
    )


def test_install_tells_what_it_does(tmp_path: Path) -> None:
    """One line for each package, on stderr, unless it is told to be quiet."""
    write(tmp_path, {**MMCV, **SPCONV})
    run(
        tmp_path,
        """
        import contextlib, io
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            detops.install("mmcv", "spconv", replace=True)
            detops.install("spconv", "torchvision")
            detops.uninstall("spconv")
            detops.install("spconv")
            detops.install("openpcdet", quiet=True)
        assert said.getvalue() == (
            f"detops.install: mmcv in {FOLDER}/mmcv: names of detops.mmcv are in the place of its "
            "own in mmcv.ops, functions of detops.mmcv._ext in mmcv._ext\\n"
            f"detops.install: spconv in {FOLDER}/spconv: spconv is detops.spconv\\n"
            "detops.install: torchvision: not installed, torchvision.ops is detops.torchvision\\n"
            f"detops.install: spconv in {FOLDER}/spconv: left alone, replace=True would put detops "
            "in its place\\n"), said.getvalue()
        sys.stderr = None  # As in a program without a console.
        detops.uninstall()
        detops.install("mmcv")
        """,
    )


def test_replacing_in_mmcv(run_in_either_order: Any) -> None:
    """Names of detops in the original, whose other names stay, before or after its import."""
    run_in_either_order(
        MMCV,
        'assert detops.install("mmcv", replace=True) == ("mmcv",)',
        "import mmcv.ops",
        """
        import detops.mmcv, mmcv.cnn
        assert mmcv.__version__ == "2.2.0" and mmcv.cnn.brick == "original"
        assert mmcv.ops.roi_align == "original roi_align"
        assert mmcv.ops.RoIAwarePool3d is detops.mmcv.RoIAwarePool3d
        assert mmcv.ops.rotated_feature_align is detops.mmcv.rotated_feature_align
        assert mmcv.ops.points_in_boxes_all is detops.mmcv.points_in_boxes_all
        from mmcv.ops.roiaware_pool3d import RoIAwarePool3d, helper
        assert RoIAwarePool3d is detops.mmcv.RoIAwarePool3d and helper == "original helper"
        import mmcv.ops.rotated_feature_align
        assert mmcv.ops.rotated_feature_align is detops.mmcv.rotated_feature_align
        from mmcv.ops.sparse_ops import indice_conv
        import inspect
        assert "original helper" in inspect.getsource(mmcv.ops.roiaware_pool3d)

        assert detops.uninstall() == ("mmcv",)
        from mmcv.ops import RoIAwarePool3d, roi_align, rotated_feature_align
        assert RoIAwarePool3d == rotated_feature_align == "original"
        from mmcv.ops.roiaware_pool3d import RoIAwarePool3d
        assert RoIAwarePool3d == "original"
        assert not hasattr(mmcv.ops, "points_in_boxes_all")
        assert "mmcv.ops.sparse_ops" not in sys.modules and not hasattr(mmcv.ops, "sparse_ops")
        import importlib
        assert importlib.reload(mmcv.cnn).brick == "original"
        assert importlib.reload(mmcv.ops).RoIAwarePool3d == "original"
        """,
    )


@pytest.mark.parametrize("how", ["python", "library"])
def test_replacing_in_an_mmcv_whose_extension_is_broken(tmp_path: Path, how: str) -> None:
    """All of its Python is there, on functions of detops; what detops lacks says so."""
    write(tmp_path, {name: text for name, text in BROKEN.items() if how == "python" or "_ext" not in name})
    if how == "library":
        (tmp_path / "mmcv" / f"_ext{EXTENSION_SUFFIXES[0]}").write_bytes(b"nothing that a system can load")
    run(
        tmp_path,
        """
        why = failure("import mmcv.ops")
        assert why.startswith("ImportError: ")
        cause = why.removeprefix("ImportError: ")
        assert detops.install("mmcv") == ()
        detops.install("mmcv", replace=True)
        assert "torch" not in sys.modules
        import detops.mmcv, detops.mmcv._ext, mmcv._ext, mmcv.cnn
        from mmcv.ops import RoIAwarePool3d, rotated_feature_align, sparse_ops
        from mmcv.ops.roiaware_pool3d import RoIAwarePool3dFunction
        assert mmcv.cnn.brick == "original" and mmcv.__version__ == "2.2.0"
        assert RoIAwarePool3d(3).out_size == 3 and callable(rotated_feature_align)
        assert mmcv.ops.roi_align == "original roi_align"
        assert mmcv._ext.nms_rotated is detops.mmcv._ext.nms_rotated
        assert failure("import mmcv._ext; mmcv._ext.carafe_forward()") == (
            f"NotImplementedError: mmcv._ext.carafe_forward: the compiled modules of this mmcv could not "
            f"be imported ({cause}), and detops, which stands in for them, has no "
            "mmcv._ext.carafe_forward, for which it takes a build of mmcv.")
        detops.uninstall()
        assert not [name for name in sys.modules if name.startswith(("mmcv.ops", "mmcv._"))]
        assert not hasattr(mmcv, "ops") and not hasattr(mmcv, "_ext")
        assert failure("import mmcv.ops") == why
        """,
    )


def test_replacing_in_an_mmcv_that_is_broken_elsewhere(tmp_path: Path) -> None:
    write(tmp_path, {**MMCV, "mmcv/ops/roi_align.py": "import nothing_of_this_name\n"})
    run(
        tmp_path,
        """
        why = "ModuleNotFoundError: No module named 'nothing_of_this_name'"
        detops.install("mmcv", replace=True)
        from mmcv.ops import RoIAwarePool3d, sparse_ops
        assert RoIAwarePool3d(3).out_size == 3
        assert failure("import mmcv.ops; mmcv.ops.carafe") == (
            "AttributeError: detops stands in for mmcv.ops and has no 'carafe'; mmcv.ops itself could not "
            "be imported: No module named 'nothing_of_this_name'")
        assert failure("from mmcv.ops import roi_align") == why
        detops.uninstall()
        assert failure("import mmcv.ops") == why
        """,
    )


def test_replacing_in_the_extension_of_mmcv(run_in_either_order: Any) -> None:
    """Its functions are those of detops, its others stay, also for modules that have it already."""
    run_in_either_order(
        {
            **MMCV,
            "mmcv/_ext.py": "nms = nms_rotated = carafe_forward = 'compiled'\n",
            "mmcv/ops/carafe.py": "from mmcv import _ext as extension\n",
        },
        'detops.install("mmcv", replace=True)',
        "import mmcv.ops.carafe",
        """
        from detops.mmcv import _ext
        extension = mmcv.ops.carafe.extension
        assert extension.nms is _ext.nms and extension.nms_rotated is _ext.nms_rotated
        assert extension.hard_voxelize_forward is _ext.hard_voxelize_forward
        assert extension.carafe_forward == "compiled"
        detops.uninstall()
        assert extension.nms == extension.nms_rotated == "compiled"
        assert not hasattr(extension, "hard_voxelize_forward")
        import mmcv._ext
        assert mmcv._ext is extension and mmcv._ext.nms == "compiled"
        """,
    )


def test_replacing_in_openpcdet(tmp_path: Path) -> None:
    write(tmp_path, PCDET)
    run(
        tmp_path,
        """
        assert detops.install("openpcdet", replace=True, device=None) == ("openpcdet",)
        assert "torch" not in sys.modules
        import pcdet.models, detops.openpcdet
        found = pcdet.models.roiaware_pool3d_utils
        assert found.RoIAwarePool3d is detops.openpcdet.RoIAwarePool3d
        assert FOLDER in pcdet.__file__
        detops.uninstall()
        from pcdet.ops.roiaware_pool3d import roiaware_pool3d_utils
        assert roiaware_pool3d_utils.RoIAwarePool3d == "original"
        """,
    )


def test_replacing_in_torchvision(run_in_either_order: Any) -> None:
    run_in_either_order(
        TORCHVISION,
        'detops.install("torchvision", replace=True)',
        "import torchvision",
        """
        from detops.torchvision import PSRoIPool, ps_roi_pool
        assert torchvision.ops.ps_roi_pool is ps_roi_pool
        assert torchvision.ops.PSRoIPool is PSRoIPool
        from torchvision.ops.ps_roi_pool import PSRoIPool as same_layer, ps_roi_pool as same
        assert same is ps_roi_pool and same_layer is PSRoIPool
        assert torchvision.ops.roi_align == torchvision.transforms.resize == "original"
        assert torchvision.ops.__spec__.origin.endswith("__init__.py")
        torchvision.ops.PSRoIPool = "somebody else's"
        detops.uninstall()
        assert torchvision.ops.ps_roi_pool == "original"
        assert torchvision.ops.PSRoIPool == "somebody else's"
        from torchvision.ops.ps_roi_pool import PSRoIPool, ps_roi_pool
        assert PSRoIPool == ps_roi_pool == "original"
        """,
    )


@pytest.mark.parametrize("order", ["before", "after"])
def test_replacing_spconv_as_a_whole(tmp_path: Path, order: str) -> None:
    write(tmp_path, SPCONV)
    loaded = "import spconv.pytorch, spconv.utils" if order == "after" else ""
    run(
        tmp_path,
        f"""
        from types import ModuleType
        stub = sys.modules["detops.spconv"] = ModuleType("detops.spconv")
        stub.__path__, stub.__all__, stub.SubMConv3d = [], [], "ours"
        {loaded}
        detops.install("spconv", replace=True)
        import spconv.pytorch
        assert spconv.pytorch.SubMConv3d == spconv.SubMConv3d == "ours"
        assert failure("import spconv.utils").startswith("ModuleNotFoundError: detops stands in")
        detops.uninstall()
        import spconv.pytorch, spconv.utils
        assert spconv.__version__ == "2.3.6" and spconv.pytorch.SubMConv3d == "original"
        """,
    )
