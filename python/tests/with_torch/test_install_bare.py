"""detops.install of packages without their compiled modules: mmcv-lite, a source tree of pcdet."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

from test_install import run, write
from test_install_mmcv import MMENGINE
from test_install_replace import MMCV, PCDET, SPCONV

# A folder with mmcv-lite and what it imports; python/run_tests.sh makes one.
LITE = os.environ.get("DETOPS_TEST_MMCV_LITE", "")


def without(files: dict[str, str], *names: str) -> dict[str, str]:
    return {name: text for name, text in files.items() if name not in names}


BARE_MMCV = {
    **without(MMCV, "mmcv/_ext.py"),
    **MMENGINE,
    "mmcv/ops/roi_align.py": """
        from mmengine.registry import MODELS
        import mmcv._ext as ext
        assert hasattr(ext, "roi_align") and hasattr(ext, "indice_conv_forward")

        class Suppression:
            pass

        MODELS.register_module("Suppression", module=Suppression)
        roi_align = ext.roi_align

        class RoIAlign:
            def forward(self, x):
                return ext.roi_align(x)
        """,
    "mmcv/ops/__init__.py": f"{MMCV['mmcv/ops/__init__.py'].rstrip()}\n        from .roi_align import RoIAlign\n",
}
BARE_PCDET = {
    **without(PCDET, "pcdet/ops/roiaware_pool3d/roiaware_pool3d_cuda.py"),
    "pcdet/__init__.py": "from .version import __version__\n",
    "pcdet/ops/bev_pool/__init__.py": "",
    "pcdet/ops/iou3d_nms/__init__.py": "",
    "pcdet/ops/iou3d_nms/iou3d_nms_utils.py": "from . import iou3d_nms_cuda\n",
    "pcdet/ops/roipoint_pool3d/__init__.py": "",
    "pcdet/ops/roipoint_pool3d/roipoint_pool3d_cuda.py": "forward = 'original'\n",
}


def test_an_mmcv_without_its_extension(tmp_path: Path) -> None:
    """Its own Python stays, its compiled module is that of detops, and all goes away again."""
    write(tmp_path, BARE_MMCV)
    run(
        tmp_path,
        """
        from mmengine.registry import MODELS
        import contextlib, importlib, io, mmcv
        NAME = "RoIAlign.forward" if sys.version_info >= (3, 11) else "forward"
        missing = "ModuleNotFoundError: No module named 'mmcv._ext'"
        said = io.StringIO()
        for _ in range(2):
            assert failure("import mmcv.ops") == missing
            with contextlib.redirect_stderr(said):
                assert detops.install("mmcv") == ("mmcv",)
            importlib.import_module("mmcv.ops")
            assert mmcv.ops.RoIAwarePool3d == "original" and mmcv.__version__ == "2.2.0"
            assert MODELS.module_dict.keys() == {"Suppression"}
            missing_function = (
                ": this mmcv was installed without its compiled modules, and detops, which stands in for "
                "them, has no mmcv._ext.roi_align, for which it takes a build of mmcv.")
            assert failure("import mmcv.ops; mmcv.ops.roi_align(1, iou=2)") == (
                f"NotImplementedError: mmcv._ext.roi_align{missing_function}")
            # A function of mmcv that calls it is what the user knows.
            assert failure("import mmcv.ops; mmcv.ops.RoIAlign().forward(1)") == (
                f"NotImplementedError: mmcv.ops.roi_align.{NAME}{missing_function}")
            assert not hasattr(mmcv._ext, "__file__")
            assert importlib.util.find_spec("mmcv._ext").loader is not None
            assert detops.uninstall() == ("mmcv",)
            assert not MODELS.module_dict and not hasattr(mmcv, "ops") and not hasattr(mmcv, "_ext")
            assert not [name for name in sys.modules if name.startswith(("mmcv.ops", "mmcv._"))]
        assert said.getvalue() == 2 * (
            f"detops.install: mmcv in {FOLDER}/mmcv: without its compiled modules, mmcv._ext is "
            "detops.mmcv._ext, functions that detops does not have say so when they are called\\n")
        """,
    )


@pytest.mark.parametrize("file", ["version.py", "__init__.py"])
@pytest.mark.parametrize("version", ["1.7.2", "2.10.0", "3.0"])
def test_an_mmcv_of_another_version(tmp_path: Path, version: str, file: str) -> None:
    written = {f"mmcv/{file}": f"# By somebody.\n__version__ = '{version}'\n"}
    write(tmp_path, {**BARE_MMCV, "mmcv/__init__.py": "", **written})
    run(
        tmp_path,
        f"""
        assert failure("import detops; detops.install('mmcv')") == (
            f"ImportError: install: mmcv in {{FOLDER}}/mmcv is version {version}, detops knows 2.0 to 2.2.")
        assert detops.uninstall() == () and failure("import mmcv.ops").endswith("'mmcv._ext'")
        """,
    )


@pytest.mark.parametrize("compiled", [False, True])
def test_nothing_changes_where_one_version_is_not_known(tmp_path: Path, compiled: bool) -> None:
    files = {**(MMCV if compiled else BARE_MMCV), "mmcv/__init__.py": "__version__ = '1.7.2'\n"}
    write(tmp_path, {**files, **SPCONV})
    run(
        tmp_path,
        """
        import spconv.pytorch, mmcv
        before = dict(sys.modules), list(sys.meta_path)
        told = failure("import detops; detops.install('spconv', 'mmcv', replace=True)")
        assert told == (
            f"ImportError: install: mmcv in {FOLDER}/mmcv is version 1.7.2, detops knows 2.0 to 2.2.")
        assert sys.modules["spconv.pytorch"] is before[0]["spconv.pytorch"] and sys.meta_path == before[1]
        assert detops.uninstall() == ()
        """,
    )


@pytest.mark.parametrize(("name", "version", "known"), [
    ("mmdet", "2.28.2", "3.0 to 3.3"), ("mmdet3d", "0.17.3", "1.1 to 1.4"), ("mmrotate", "0.3.4", "1.0"),
    ("mmdet", "3.3.0", ""), ("mmdet3d", "1.4.0", ""), ("mmrotate", "1.0.0rc1", ""),
])
def test_versions_of_what_builds_on_mmcv(tmp_path: Path, name: str, version: str, known: str) -> None:
    files = {f"{name}/__init__.py": "", f"{name}/version.py": f"__version__ = '{version}'\n"}
    write(tmp_path, {**BARE_MMCV, **files})
    run(
        tmp_path,
        f"""
        detops.install("mmcv", quiet=True)
        if {known!r}:
            told = f"ImportError: install: {name} in {{FOLDER}}/{name} is version {version}, "
            assert failure("import {name}") == told + "detops knows {known}."
            detops.uninstall()
        import {name}
        """,
    )


def test_versions_of_a_source_tree_are_in_its_setup(tmp_path: Path) -> None:
    write(tmp_path, {**BARE_PCDET, "setup.py": "if True:\n    version = '0.5.2+%s' % 'abc'\n"})
    run(
        tmp_path,
        """
        assert failure("import detops; detops.install('openpcdet')") == (
            f"ImportError: install: pcdet in {FOLDER}/pcdet is version 0.5.2, detops knows 0.6.")
        """,
    )


def test_what_a_source_tree_needs_comes_and_goes_with_it(tmp_path: Path) -> None:
    write(tmp_path, {**BARE_PCDET, **SPCONV})
    run(
        tmp_path,
        """
        import contextlib, io
        detops.install("torchvision", quiet=True)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            assert detops.install("openpcdet", device=None) == ("openpcdet",)
        # spconv is there, torchvision somebody asked for.
        assert [line.split()[1] for line in said.getvalue().splitlines()] == ["pcdet", "torch_scatter:"]
        import spconv.pytorch, torch_scatter
        assert spconv.pytorch.SubMConv3d == "original"
        detops.install("centerpoint", quiet=True, device=None)  # It has not to bring any of them.
        assert detops.uninstall("openpcdet") == ("openpcdet",)
        assert "torch_scatter" not in sys.modules
        import torchvision.ops
        assert detops.uninstall() == ("torchvision", "centerpoint")
        detops.install("centerpoint", quiet=True, device=None)
        from torchvision.models import resnet
        assert failure("from torchvision.models import resnet as r; r.resnet18").startswith("AttributeError")
        detops.install("openpcdet", quiet=True, device=None)
        detops.uninstall("centerpoint")
        import torchvision.models  # OpenPCDet needs it still.
        detops.uninstall("openpcdet")
        assert "torchvision" not in sys.modules
        """,
    )


def test_a_second_call_with_replace_counts(tmp_path: Path) -> None:
    write(tmp_path, BARE_MMCV)
    run(
        tmp_path,
        """
        detops.install("mmcv", quiet=True)
        import mmcv.ops, detops.mmcv
        assert mmcv.ops.RoIAwarePool3d == "original"
        for _ in range(2):
            assert detops.install("mmcv", replace=True, quiet=True) == ("mmcv",)
            import mmcv.ops
            assert mmcv.ops.RoIAwarePool3d is detops.mmcv.RoIAwarePool3d
        assert detops.install("mmcv", quiet=True) == detops.uninstall() == ("mmcv",)
        assert failure("import mmcv.ops") == "ModuleNotFoundError: No module named 'mmcv._ext'"
        """,
    )


def test_replacing_in_an_mmcv_without_its_extension(tmp_path: Path) -> None:
    write(tmp_path, BARE_MMCV)
    run(
        tmp_path,
        """
        detops.install("mmcv", replace=True)
        import detops.mmcv, mmcv.ops
        from mmengine.registry import MODELS
        assert mmcv.ops.RoIAwarePool3d is detops.mmcv.RoIAwarePool3d
        assert MODELS.module_dict["SubMConv3d"] is detops.mmcv.SubMConv3d
        assert "has no mmcv._ext.roi_align" in failure("import mmcv.ops; mmcv.ops.roi_align()")
        detops.uninstall()
        assert not MODELS.module_dict
        assert failure("import mmcv.ops") == "ModuleNotFoundError: No module named 'mmcv._ext'"
        """,
    )


@pytest.mark.parametrize("replace", ["False", "True"])
def test_a_source_tree_of_openpcdet(tmp_path: Path, replace: str) -> None:
    write(tmp_path, BARE_PCDET)
    run(
        tmp_path,
        f"""
        assert failure("import pcdet") == "ModuleNotFoundError: No module named 'pcdet.version'"
        import contextlib, io
        with contextlib.redirect_stderr(io.StringIO()) as said:
            assert detops.install("openpcdet", replace={replace}, device=None) == ("openpcdet",)
        assert said.getvalue().splitlines()[0] == (
            f"detops.install: pcdet in {{FOLDER}}/pcdet: without its compiled modules, "
            "pcdet.ops.roiaware_pool3d.roiaware_pool3d_utils is "
            "detops.openpcdet.roiaware_pool3d_utils, functions that "
            "detops does not have say so when they are called"), said.getvalue()
        assert "torch" not in sys.modules
        import pcdet.models, detops.openpcdet
        found = pcdet.models.roiaware_pool3d_utils
        assert found.RoIAwarePool3d is detops.openpcdet.RoIAwarePool3d
        from pcdet.ops.iou3d_nms.iou3d_nms_utils import iou3d_nms_cuda
        assert failure(
            "from pcdet.ops.bev_pool import bev_pool_ext; bev_pool_ext.bev_pool_forward(1, 2, 3)"
        ).startswith("NotImplementedError: pcdet.ops.bev_pool.bev_pool_ext.bev_pool_forward: this")
        assert iou3d_nms_cuda.nms_gpu is detops.openpcdet.iou3d_nms_cuda.nms_gpu
        # What is there is not touched.
        from pcdet.ops.roipoint_pool3d import roipoint_pool3d_cuda
        assert roipoint_pool3d_cuda.forward == "original"
        assert pcdet.__version__ == "0.6.0" and FOLDER in pcdet.__file__
        detops.uninstall()
        assert not [name for name in sys.modules if name.partition(".")[0] == "pcdet"]
        assert failure("import pcdet") == "ModuleNotFoundError: No module named 'pcdet.version'"
        """,
    )


# ---- the real mmcv-lite --------------------------------------------------------------------------

needs_lite = pytest.mark.skipif(not LITE, reason="DETOPS_TEST_MMCV_LITE names no mmcv-lite")


def run_lite(program: str) -> None:
    quiet = "import warnings\nwarnings.simplefilter('ignore')  # mmcv's own.\n"
    run(Path(LITE), quiet + textwrap.dedent(program))


@needs_lite
def test_mmcv_lite_is_whole() -> None:
    """All of mmcv.ops is imported, and mmcv's own layers compute what those of detops do."""
    run_lite(
        """
        assert detops.install("mmcv") == ("mmcv",)
        import mmcv.ops, torch, detops.mmcv
        from mmengine.registry import MODELS
        assert mmcv.ops.SubMConv3d.__module__ == "mmcv.ops.sparse_conv"
        assert MODELS.get("SubMConv3d") is mmcv.ops.SubMConv3d
        from mmcv.utils import collect_env
        assert collect_env()["MMCV Compiler"] == f"detops {detops.__version__}"
        torch.manual_seed(1)
        sites = torch.unique(torch.randint(0, 6, (60, 3)), dim=0).int()
        sites = torch.cat((torch.zeros(len(sites), 1).int(), sites), 1)
        features = torch.randn(len(sites), 4)
        results = []
        for ops in (mmcv.ops, detops.mmcv):
            torch.manual_seed(2)
            net = ops.SparseSequential(
                ops.SubMConv3d(4, 8, 3, indice_key="a"), torch.nn.ReLU(),
                ops.SparseConv3d(8, 6, 3, stride=2, padding=1, indice_key="b"),
                ops.SparseInverseConv3d(6, 5, 3, indice_key="b"), ops.SparseMaxPool3d(3, 2))
            leaf = features.clone().requires_grad_()
            made = net(ops.SparseConvTensor(leaf, sites, [6, 6, 6], 1))
            made.features.square().sum().backward()
            gradients = [p.grad for p in net.parameters()]
            results.append([made.features, made.indices, made.dense(), leaf.grad, *gradients])
        for theirs, ours in zip(*results, strict=True):
            assert torch.equal(theirs, ours)
        """
    )


@needs_lite
def test_boxes_and_maps_of_mmcv_lite() -> None:
    run_lite(
        """
        detops.install("mmcv")
        import mmcv.ops, torch, detops.mmcv
        torch.manual_seed(1)
        rois = torch.rand(5, 7) * 4 + torch.tensor([0.0, 0, -2, 2, 2, 2, 0])
        points, features = torch.rand(300, 3) * 8, torch.randn(300, 3)
        for mode in ("max", "avg"):
            results = []
            for ops in (mmcv.ops, detops.mmcv):
                leaf = features.clone().requires_grad_()
                made = ops.RoIAwarePool3d((3, 2, 4), 20, mode)(rois, points, leaf)
                made.square().sum().backward()
                results.append((made, leaf.grad))
            assert results[0][0].abs().sum() > 1
            for theirs, ours in zip(*results, strict=True):
                assert torch.allclose(theirs, ours, 1e-6, 1e-6)
        for name in ("points_in_boxes_part", "points_in_boxes_all", "points_in_boxes_cpu"):
            theirs, ours = (
                getattr(ops, name)(points[None], rois[None]) for ops in (mmcv.ops, detops.mmcv))
            assert torch.equal(theirs, ours) and theirs.max() > 0
        maps, boxes = torch.randn(2, 3, 4, 5), torch.rand(2, 4, 5, 5) * 30
        for samples in (1, 5):
            results = []
            for ops in (mmcv.ops, detops.mmcv):
                leaf = maps.clone().requires_grad_()
                made = ops.rotated_feature_align(leaf, boxes, 1 / 8, samples)
                made.square().sum().backward()
                results.append((made, leaf.grad))
            for theirs, ours in zip(*results, strict=True):
                assert torch.equal(theirs, ours)
        """
    )


@needs_lite
def test_voxels_of_mmcv_lite() -> None:
    """Beside a loop over the points."""
    run_lite(
        """
        detops.install("mmcv")
        import numpy as np, torch
        from mmcv.ops import Voxelization
        cloud = torch.rand(400, 4, generator=torch.Generator().manual_seed(1)) * 5 - 0.5
        size, span = [0.5, 1.0, 2.0], [0, 0, 0, 4, 4, 4]
        kept, places = {}, []
        for point in cloud.numpy():
            steps = np.array(size, np.float32)
            place = tuple(np.floor(point[:3] / steps).astype(int)[::-1])
            inside = all(0 <= at < end for at, end in zip(place, (2, 4, 8)))
            places.append(place if inside else (-1, -1, -1))
            if inside and (place in kept or len(kept) < 30):
                kept.setdefault(place, []).append(point)
        voxels, coordinates, counts = Voxelization(size, span, 3, 30)(cloud)
        assert coordinates.tolist() == [list(place) for place in kept]
        assert counts.tolist() == [min(3, len(points)) for points in kept.values()]
        for voxel, points in zip(voxels.numpy(), kept.values(), strict=True):
            rows = np.array(points[:3])
            assert (voxel[: len(rows)] == rows).all() and not voxel[len(rows) :].any()
        dynamic = Voxelization(size, span, -1)(cloud)
        assert dynamic.tolist() == [list(place) for place in places]
        """
    )


@needs_lite
def test_points_of_mmcv_lite() -> None:
    """What mmdetection3d's layers are made of; mmcv's own asks for a GPU in one of them."""
    run_lite(
        """
        detops.install("mmcv")
        import torch, mmcv.ops
        from detops.openpcdet.pointnet2_batch import pointnet2_utils as batch
        from mmcv.ops.furthest_point_sample import furthest_point_sample
        draw = torch.Generator().manual_seed(1)
        points = torch.randn(2, 50, 3, generator=draw)
        features = torch.randn(2, 4, 50, generator=draw).requires_grad_()
        idx = furthest_point_sample(points, 7)
        assert torch.equal(mmcv.ops.PointsSampler([7], ["D-FPS"], [-1])(points, features), idx)
        assert mmcv.ops.PointsSampler([7], ["F-FPS"], [-1])(points, features).shape == (2, 7)
        centres = mmcv.ops.gather_points(points.mT.contiguous(), idx).mT.contiguous()
        group = mmcv.ops.QueryAndGroup(1.0, 8)(points, centres, features)
        assert torch.equal(group, batch.QueryAndGroup(1.0, 8)(points, centres, features))
        distances, idx = mmcv.ops.three_nn(points, centres)
        between = mmcv.ops.three_interpolate(group[..., 0].contiguous(), idx, distances.exp())
        (slope,) = torch.autograd.grad(between.square().sum(), features)
        assert slope.isfinite().all() and slope.any()
        counts = torch.tensor([50, 50], dtype=torch.int32), torch.tensor([7, 7], dtype=torch.int32)
        rows, middle = points.flatten(0, 1), centres.flatten(0, 1)
        found = mmcv.ops.ball_query(0, 1.0, 8, rows, middle, *counts)
        assert torch.equal(found.view(2, 7, 8), mmcv.ops.ball_query(0, 1.0, 8, points, centres))
        grouped = mmcv.ops.grouping_operation(rows, found, *counts)
        same = mmcv.ops.grouping_operation(points.mT.contiguous(), found.view(2, 7, 8))
        assert torch.equal(grouped.view(2, 7, 3, 8), same.transpose(1, 2))
        boxes = torch.tensor([[[0.0, 0, -1, 2, 2, 2, 0.3], [9, 9, 9, 1, 1, 1, 0]]]).expand(2, 2, 7)
        pooled, empty = mmcv.ops.RoIPointPool3d(6)(points, features.mT.detach(), boxes)
        assert pooled.shape == (2, 2, 6, 7) and empty.tolist() == [[0, 1]] * 2
        """
    )


@needs_lite
def test_what_mmcv_lite_lacks_says_so() -> None:
    run_lite(
        """
        detops.install("mmcv")
        import mmcv.ops, torch
        try:
            mmcv.ops.roi_pool(torch.rand(1, 2, 5, 5), torch.rand(1, 5), (2, 2))
        except NotImplementedError as error:
            assert str(error).startswith("mmcv.ops.roi_pool.")
            assert "has no mmcv._ext.roi_pool_forward, for which it takes a build of mmcv." in str(error)
        else:
            raise AssertionError
        detops.uninstall()
        assert failure("import mmcv.ops") == "ModuleNotFoundError: No module named 'mmcv._ext'"
        """
    )
