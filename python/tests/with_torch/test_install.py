"""detops.install and uninstall, each in a process of its own: they change what imports find."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops

ROOT = Path(__file__).resolve().parents[3]

# Whatever is installed here: the program finds no package of these names but those of the test.
HIDE = """
import sys

def where(spec):
    return str(spec.origin or spec.submodule_search_locations)

class Hide:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        spec = self.finder.find_spec(name, path, target)
        hidden = name.partition(".")[0] in ("det3d", "mmcv", "pcdet", "spconv", "torchvision")
        return None if hidden and spec and FOLDER not in where(spec) else spec

sys.path.insert(0, FOLDER)
sys.meta_path[:] = [Hide(finder) for finder in sys.meta_path]
import detops

def failure(statement):
    try:
        exec(statement, {})
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError(f"{statement} works")
"""


def run(folder: Path, program: str) -> None:
    start = f"FOLDER = {str(folder)!r}\n{HIDE}\n"
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", start + textwrap.dedent(program)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="ascii")


def test_nothing_is_imported_before_it_is_used(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        names = ("mmcv", "openpcdet", "torchvision", "spconv")
        assert detops.install(*names, device=None) == names
        import mmcv, pcdet.ops.roiaware_pool3d, torchvision
        assert "torch" not in sys.modules
        from mmcv.ops import RoIAwarePool3d
        assert "torch" in sys.modules and RoIAwarePool3d.__module__ == "detops.mmcv.roiaware_pool3d"
        """,
    )


def test_names_of_mmcv(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        detops.install("mmcv")
        import detops.mmcv, detops.mmcv.sparse_ops
        from mmcv.ops import *
        assert RoIAwarePool3d is detops.mmcv.RoIAwarePool3d
        from mmcv.ops import points_in_boxes_all, rotated_feature_align, sparse_ops
        assert rotated_feature_align is detops.mmcv.rotated_feature_align
        assert sparse_ops.indice_conv is detops.mmcv.sparse_ops.indice_conv
        from mmcv.ops.points_in_boxes import points_in_boxes_part
        from mmcv.ops.roiaware_pool3d import RoIAwarePool3dFunction
        # The function is not lost to the module of its name.
        import mmcv.ops.rotated_feature_align
        from mmcv.ops.rotated_feature_align import RotatedFeatureAlignFunction
        assert mmcv.ops.rotated_feature_align is rotated_feature_align
        assert detops.mmcv.rotated_feature_align is rotated_feature_align
        from mmcv import ops
        assert getattr(ops, "RoIAwarePool3d") is RoIAwarePool3d
        assert "RoIAwarePool3d" in dir(ops)
        """,
    )


def test_names_of_openpcdet_and_torchvision(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        detops.install("openpcdet", "torchvision")
        from pcdet.ops.roiaware_pool3d import roiaware_pool3d_utils
        import detops.openpcdet, detops.torchvision, torchvision
        assert roiaware_pool3d_utils.RoIAwarePool3d is detops.openpcdet.RoIAwarePool3d
        assert torchvision.ops.ps_roi_pool is detops.torchvision.ps_roi_pool
        from torchvision.ops import PSRoIPool
        from torchvision.ops.ps_roi_pool import PSRoIPool as same, ps_roi_pool
        assert same is PSRoIPool and ps_roi_pool is detops.torchvision.ps_roi_pool
        # The function is not lost to the module of its name.
        import torchvision.ops.ps_roi_pool
        assert torchvision.ops.ps_roi_pool is ps_roi_pool
        import torch
        boxes = torch.tensor([[0.0, 0, 0, 2, 2, 2, 0]])
        assert roiaware_pool3d_utils.points_in_boxes_cpu(torch.zeros(1, 3), boxes).item() == 1
        assert PSRoIPool(2, 1.0)(torch.ones(1, 4, 5, 5), torch.zeros(1, 5)).shape == (1, 1, 2, 2)
        """,
    )


def test_names_that_detops_does_not_have(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        detops.install("mmcv", "openpcdet", "torchvision")
        def text(kind, module, name):
            return f"{kind}: detops stands in for {module} and has no {name}"
        for statement, *words in (
            ("import mmcv.ops.roi_align", "ModuleNotFoundError", "mmcv.ops", "mmcv.ops.roi_align"),
            ("import mmcv.ops; mmcv.ops.roi_aline", "AttributeError", "mmcv.ops", "'roi_aline'"),
            ("from mmcv.ops.points_in_boxes import roi_align", "ModuleNotFoundError",
             "mmcv.ops.points_in_boxes", "mmcv.ops.points_in_boxes.roi_align"),
            ("import mmcv; mmcv.imread", "AttributeError", "mmcv", "'imread'"),
            ("import mmcv.cnn", "ModuleNotFoundError", "mmcv", "mmcv.cnn"),
            ("from pcdet.ops import roi_align", "ModuleNotFoundError", "pcdet.ops", "pcdet.ops.roi_align"),
            ("import torchvision; torchvision.io", "AttributeError", "torchvision", "'io'"),
        ):
            assert failure(statement) == text(*words), failure(statement)
        import mmcv.ops
        assert not hasattr(mmcv.ops, "roi_aline") and not hasattr(mmcv.ops, "__file__")
        """,
    )


def test_other_names_of_mmcv_can_be_imported(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        detops.install("mmcv")
        import mmcv.ops, detops.mmcv
        from mmcv.ops import RoIAlign, dynamic_voxelize, hard_voxelize, roi_align, sigmoid_focal_loss
        assert hard_voxelize is detops.mmcv.hard_voxelize and not hasattr(detops.mmcv, "roi_align")
        class Mine(RoIAlign):
            pass
        for name in ("RoIAlign", "roi_align", "sigmoid_focal_loss"):
            told = (f"NotImplementedError: mmcv.ops.{name}: detops, which stands in for mmcv, has no {name}, "
                    "which mmcv-lite 2.1.0 has in Python.")
            assert failure(f"import mmcv.ops; mmcv.ops.{name}(1, a=2)") == told
            assert failure(f"import mmcv.ops; mmcv.ops.{name}.apply(1)") == told
        assert mmcv.ops.RoIAlign is RoIAlign and issubclass(Mine, RoIAlign)
        """,
    )


def test_versions_of_stand_ins(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        detops.install("mmcv", "openpcdet", "torchvision")
        import mmcv, pcdet, torchvision
        assert (mmcv.__version__, pcdet.__version__) == ("2.1.0", "0.6.0")
        assert torchvision.__version__ == "0.28.0"
        """,
    )


def test_who_asks_for_torchvision_is_told_that_it_is_not_there(tmp_path: Path) -> None:
    """detops has one operator of it; a program that asks goes on to models and transforms."""
    run(
        tmp_path,
        """
        import importlib.util, pkgutil
        detops.install("mmcv", "spconv", "torchvision")
        assert importlib.util.find_spec("torchvision") is None
        assert importlib.util.find_spec("spconv") and importlib.util.find_spec("mmcv")
        assert "has no torchvision.io" in failure("from torchvision import io")
        assert "has no 'Resize'" in failure("import torchvision; torchvision.transforms.Resize")
        from torchvision.ops import ps_roi_pool
        """,
    )


def test_transforms_of_torchvision(tmp_path: Path) -> None:
    """What mmrotate imports: reflections of tensors. The rest says that it is not there."""
    run(
        tmp_path,
        """
        detops.install("torchvision")
        from torchvision import transforms
        import torch, torchvision.transforms.functional as functional
        picture = torch.arange(12).view(2, 2, 3)
        assert transforms.functional.vflip(picture).tolist() == picture.numpy()[:, ::-1].tolist()
        assert functional.hflip(picture).tolist() == picture.numpy()[:, :, ::-1].tolist()
        assert failure("from torchvision.transforms import Compose") == (
            "ModuleNotFoundError: detops stands in for torchvision.transforms and has no "
            "torchvision.transforms.Compose")
        assert "has no 'resize'" in failure("import torchvision.transforms.functional as f; f.resize")
        assert failure("from torchvision.transforms.functional import hflip; hflip([1])") == (
            "ValueError: hflip: img (argument 1) has type list, expected a tensor (..., H, W).")
        import torch
        assert "vflip: img (argument 1) has 1 axes" in failure(
            "import torch; from torchvision.transforms.functional import vflip; vflip(torch.ones(2))")
        """,
    )


def test_spconv_with_a_stub(tmp_path: Path) -> None:
    """What is set reaches the module that reads it."""
    run(
        tmp_path,
        """
        from types import ModuleType
        for name in ("detops.spconv", "detops.spconv.constants", "detops.spconv.conv"):
            module = sys.modules[name] = ModuleType(name)
            module.__path__ = []
            module.__spec__ = type(detops.__spec__)(name, None, is_package=True)
        stub = sys.modules["detops.spconv"]
        stub.SubMConv3d, stub.__version__, stub.__all__ = object(), "2.3.8", ["SubMConv3d"]
        sys.modules["detops.spconv.constants"].SPCONV_USE_DIRECT_TABLE = True
        sys.modules["detops.spconv.conv"].SparseConvolution = object()

        assert detops.install("spconv") == ("spconv",)
        import spconv
        assert float(spconv.__version__[2:]) >= 2.2
        import spconv.constants
        spconv.constants.SPCONV_USE_DIRECT_TABLE = False
        assert sys.modules["detops.spconv.constants"].SPCONV_USE_DIRECT_TABLE is False
        import spconv.pytorch as spconv
        assert spconv.SubMConv3d is stub.SubMConv3d
        from spconv.pytorch.conv import SparseConvolution
        assert failure("import spconv.pytorch.hash").startswith("ModuleNotFoundError: detops")
        """,
    )


def test_setting_and_deleting_a_name(tmp_path: Path) -> None:
    """unittest.mock does both."""
    run(
        tmp_path,
        """
        from unittest import mock
        detops.install("mmcv")
        import detops.mmcv, mmcv.ops
        before = detops.mmcv.RoIAwarePool3d
        with mock.patch("mmcv.ops.RoIAwarePool3d", 7):
            assert mmcv.ops.RoIAwarePool3d == detops.mmcv.RoIAwarePool3d == 7
        assert mmcv.ops.RoIAwarePool3d is detops.mmcv.RoIAwarePool3d is before
        """,
    )


def test_models_are_compiled_and_pickled(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        detops.install("mmcv", "torchvision")
        import pickle
        import mmcv.ops, torch, torchvision
        def step(maps, boxes, rois):
            aligned = mmcv.ops.rotated_feature_align(maps, boxes)
            return torchvision.ops.ps_roi_pool(aligned, rois, 2)
        inputs = torch.randn(1, 8, 4, 4), torch.rand(16, 5) * 30, torch.tensor([[0.0, 0, 0, 3, 3]])
        compiled = torch.compile(step, backend="aot_eager", fullgraph=True)
        assert torch.equal(compiled(*inputs), step(*inputs))
        layer = pickle.loads(pickle.dumps(mmcv.ops.RoIAwarePool3d(3)))
        assert layer.out_size == 3
        # As a model that was saved with mmcv itself has it.
        by_name = pickle.loads(b"cmmcv.ops.roiaware_pool3d\\nRoIAwarePool3d\\n.")
        assert by_name is mmcv.ops.RoIAwarePool3d
        """,
    )


def test_uninstall(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        finders = list(sys.meta_path)
        detops.install("mmcv", "openpcdet", "torchvision")
        from mmcv.ops import RoIAwarePool3d
        from pcdet.ops.roiaware_pool3d import roiaware_pool3d_utils
        assert detops.uninstall("mmcv") == ("mmcv",)
        assert failure("import mmcv") == "ModuleNotFoundError: No module named 'mmcv'"
        import pcdet.ops
        assert detops.uninstall() == ("openpcdet", "torchvision")
        assert detops.uninstall() == ()
        assert failure("import pcdet") == "ModuleNotFoundError: No module named 'pcdet'"
        left = [n for n in sys.modules if n.partition(".")[0] in ("mmcv", "pcdet", "torchvision")]
        assert not left, left
        assert sys.meta_path == finders
        assert RoIAwarePool3d(2).out_size == 2
        assert detops.install("mmcv") == ("mmcv",)
        from mmcv.ops import RoIAwarePool3d as again
        assert again is RoIAwarePool3d
        """,
    )


def test_twice_is_once(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        count = len(sys.meta_path)
        assert detops.install("mmcv") == detops.install("mmcv", replace=True) == ("mmcv",)
        assert len(sys.meta_path) == count + 1
        assert detops.uninstall() == ("mmcv",) and len(sys.meta_path) == count
        """,
    )


def test_a_folder_is_not_a_package(tmp_path: Path) -> None:
    (tmp_path / "mmcv" / "data").mkdir(parents=True)
    run(
        tmp_path,
        """
        assert detops.install("mmcv") == ("mmcv",)
        from mmcv.ops import RoIAwarePool3d
        """,
    )


def test_wrong_names_of_packages() -> None:
    with pytest.raises(ValueError, match=r"install: packages has 'mmdet', expected some of 'mmcv'"):
        detops.install("mmcv", "mmdet")
    with pytest.raises(ValueError, match="install: no packages"):
        detops.install()
    with pytest.raises(ValueError, match="uninstall: packages has 'pcdet'"):
        detops.uninstall("pcdet")
    assert detops.uninstall() == ()


# ---- documentation -------------------------------------------------------------------------------


def test_examples_of_the_page(tmp_path: Path) -> None:
    page = ROOT / "docs" / "dropins.md"
    run(
        tmp_path,
        f"""
        import doctest, pathlib
        text = pathlib.Path({str(page)!r}).read_text(encoding="ascii").replace("```", "")
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        example = doctest.DocTestParser().get_doctest(text, {{}}, "dropins.md", None, 0)
        runner.run(example, out=sys.stderr.write)
        result = runner.summarize()
        assert result.attempted > 5 and result.failed == 0
        """,
    )
