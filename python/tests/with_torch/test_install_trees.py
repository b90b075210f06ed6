"""detops.install of what OpenPCDet and CenterPoint cannot do by themselves any more."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

from test_install import run, write


def test_places_a_little_beside_a_box(tmp_path: Path) -> None:
    """As Part-A2 learns them: torch refuses targets beside [0, 1], by however little."""
    run(
        tmp_path,
        """
        import torch, warnings
        import torch.nn.functional as F
        warnings.simplefilter("ignore", DeprecationWarning)
        guess = torch.tensor([0.2, 0.7, 0.9, 0.4], requires_grad=True)
        beside, ends = torch.tensor([-1e-5, 1 + 1e-5, 1 + 9e-5, 0.3]), torch.tensor([0, 1, 1, 0.3])
        expected = F.binary_cross_entropy(guess, ends, reduction="none")
        refused = "RuntimeError: all elements of target should be between 0 and 1"
        def told(target):
            try:
                return F.binary_cross_entropy(guess, target)
            except RuntimeError as error:
                return f"RuntimeError: {error}"
        assert told(beside) == refused
        detops.install("openpcdet", quiet=True)
        assert torch.equal(F.binary_cross_entropy(guess, beside, reduction="none"), expected)
        assert torch.equal(torch.nn.BCELoss(weight=ends)(guess, beside), (expected * ends).mean())
        F.binary_cross_entropy(guess, beside).backward()
        assert guess.grad.isfinite().all()
        for wrong in (1.001, -0.001, float("nan")):
            assert told(torch.full((4,), wrong)) == refused
        step = torch.compile(F.binary_cross_entropy, backend="aot_eager", fullgraph=True)
        assert torch.equal(step(guess, beside), expected.mean())
        detops.uninstall()
        assert told(beside) == refused
        """,
    )


CENTERPOINT = {
    "det3d/core/__init__.py": "",
    "det3d/core/bbox/__init__.py": "",
    # As in the sources, but for numba, which refuses the list.
    "det3d/core/bbox/geometry.py": """
        import numpy as np

        def points_in_convex_polygon_jit(points, polygon, clockwise=True):
            count = polygon.shape[1]
            before = [count - 1] + list(range(count - 1))
            vec1 = polygon - polygon[:, before, :] if clockwise else polygon[:, before, :] - polygon
            ret = np.zeros((points.shape[0], polygon.shape[0]), dtype=np.bool_)
            for i in range(points.shape[0]):
                for j in range(polygon.shape[0]):
                    success = True
                    for k in range(count):
                        cross = vec1[j, k, 1] * (polygon[j, k, 0] - points[i, 0])
                        cross -= vec1[j, k, 0] * (polygon[j, k, 1] - points[i, 1])
                        if cross >= 0:
                            success = False
                            break
                    ret[i, j] = success
            return ret
        """,
    "det3d/__init__.py": "",
    # As in the sources: no __init__.py in the folder of operators.
    "det3d/ops/iou3d_nms/__init__.py": "from det3d.ops.iou3d_nms import iou3d_nms_cuda, iou3d_nms_utils\n",
    "det3d/ops/iou3d_nms/iou3d_nms_utils.py": """
        import torch
        from . import iou3d_nms_cuda

        def nms_gpu(boxes, scores, thresh):
            order = scores.sort(0, descending=True)[1]
            keep = torch.LongTensor(boxes.size(0))
            num_out = iou3d_nms_cuda.nms_gpu(boxes[order].contiguous(), keep, thresh)
            return order[keep[:num_out].cuda()].contiguous()
        """,
    "det3d/ops/dcn/__init__.py": "from . import deform_conv_cuda\n",
    "det3d/solver.py": "from collections import Iterable\n",
}


def test_a_source_tree_of_centerpoint(tmp_path: Path) -> None:
    write(tmp_path, CENTERPOINT)
    run(
        tmp_path,
        """
        assert "iou3d_nms_cuda" in failure("import det3d.ops.iou3d_nms")
        import collections, contextlib, io
        assert not hasattr(collections, "Iterable")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            assert detops.install("centerpoint") == ("centerpoint",)
        assert said.getvalue().splitlines()[0] == (
            f"detops.install: det3d in {FOLDER}/det3d: without its compiled modules, "
            "det3d.ops.iou3d_nms.iou3d_nms_cuda is detops.openpcdet.iou3d_nms_cuda, functions that "
            "detops does not have say so when they are called")
        import torch, det3d.solver
        from det3d.ops.iou3d_nms import iou3d_nms_utils
        boxes = torch.tensor([[0.0, 0, 0, 4, 2, 1, 0], [1, 0, 9, 4, 2, 1, 0], [9, 9, 9, 1, 1, 1, 1]])
        kept = iou3d_nms_utils.nms_gpu(boxes, torch.tensor([0.8, 0.9, 0.1]), 0.5)
        assert kept.tolist() == [1, 2]
        assert failure("from det3d.ops.dcn import deform_conv_cuda as c; c.deform_conv_forward_cuda(1)"
            ).startswith("NotImplementedError: det3d.ops.dcn.deform_conv_cuda.deform_conv_forward_cuda: this")
        import numpy as np
        from det3d.core.bbox import geometry
        detops_in = geometry.points_in_convex_polygon_jit
        assert detops_in.__module__ == "detops.centerpoint"
        detops.uninstall()
        assert not hasattr(collections, "Iterable")
        # The same arithmetic as the original's, which is back; also on borders.
        from det3d.core.bbox.geometry import points_in_convex_polygon_jit as original
        assert original.__module__ == "det3d.core.bbox.geometry"
        random = np.random.default_rng(1)
        points = np.concatenate([random.integers(-3, 4, (300, 2)) * 0.5, random.normal(size=(300, 2))])
        shapes = np.array([[[-1, -1], [-1, 1], [1, 1], [1, -1]], [[0, -1.5], [-1, 0], [0, 1.5], [1, 0]]])
        for kind in (np.float32, np.float64):
            for clockwise, polygons in ((True, shapes), (False, shapes[:, ::-1]), (True, shapes[:, ::-1])):
                arguments = points.astype(kind), np.ascontiguousarray(polygons).astype(kind), clockwise
                made = detops_in(*arguments)
                assert made.dtype == np.bool_ and np.array_equal(made, original(*arguments))
            assert 0 < detops_in(points.astype(kind), shapes.astype(kind)).mean() < 0.5
        for name in [name for name in sys.modules if name.startswith("det3d.core")]:
            del sys.modules[name]
        left = {name for name in sys.modules if name.partition(".")[0] == "det3d"}
        assert left == {"det3d", "det3d.ops"}, left  # They were imported before.
        """,
    )
