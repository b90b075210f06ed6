"""detops.install(..., device=...): torch's words for a GPU mean the CPU, and go back."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

from test_install import run, write

import detops

# What a program sees of torch: all that may have been changed, and the order of it.
SEEN = """
import copy, torch
torch.jit._builtins._get_builtin_table()  # Made when it is asked for.

def seen():
    owners = (torch, torch.cuda, torch.Tensor, torch.nn.Module, torch.UntypedStorage, torch.TypedStorage,
              torch._C._nn)
    return ([list(vars(owner).items()) for owner in owners],
            list(torch.serialization._package_registry), dict(torch.jit._builtins._get_builtin_table()))

def same(one, other):
    return all(a is b or a == b for a, b in zip(one, other, strict=True))
"""

# As OpenPCDet has them: in anchors, losses, heads, the transfer of a batch, boxes and training.
PROGRAM = {
    "pcdet/__init__.py": "from .version import __version__\n",
    "pcdet/ops/__init__.py": "",
    "pcdet/ops/iou3d_nms/__init__.py": "",
    "pcdet/ops/iou3d_nms/iou3d_nms_utils.py": "from . import iou3d_nms_cuda\n",
    "pcdet/ops/roiaware_pool3d/__init__.py": "",
    "pcdet/ops/roiaware_pool3d/roiaware_pool3d_utils.py": "from . import roiaware_pool3d_cuda\n",
    "pcdet/models.py": """
        import numpy as np
        import torch
        from .ops.iou3d_nms import iou3d_nms_utils

        def load_data_to_gpu(batch):
            for key, value in batch.items():
                if isinstance(value, np.ndarray):
                    batch[key] = torch.from_numpy(value).float().cuda()

        class Head(torch.nn.Module):
            def __init__(self):
                super().__init__()
                shifts = torch.arange(0, 20, step=2, dtype=torch.float32).cuda()
                sizes = shifts.new_tensor([4.0, 2.0, 1.5]).repeat(10, 1)
                self.anchors = torch.zeros(10, 7, device="cuda")
                self.anchors[:, 0], self.anchors[:, 3:6] = shifts, sizes
                self.weights = torch.from_numpy(np.ones(7, np.float32)).cuda()
                self.layer = torch.nn.Linear(7, 8, device=torch.device("cuda"))

            def forward(self, batch):
                learnt = self.layer(batch["points"]).reshape(10, 8)
                scores, boxes = learnt[:, 7], self.anchors + 0.1 * learnt[:, :7].tanh()
                if self.training:
                    truth = batch["gt_boxes"]
                    overlap = torch.cuda.FloatTensor(torch.Size((10, len(truth)))).zero_()
                    iou3d_nms_utils.iou3d_nms_cuda.boxes_iou_bev_gpu(boxes.detach(), truth, overlap)
                    wanted = (overlap.max(1)[0] > 0.3).type(torch.cuda.FloatTensor)
                    loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, wanted)
                    return loss + ((boxes - self.anchors) * self.weights).square().mean()
                order = scores.sort(0, descending=True)[1]
                kept = torch.cuda.LongTensor(order.size(0))
                count = iou3d_nms_utils.iou3d_nms_cuda.nms_gpu(boxes[order].contiguous(), kept, 0.1)
                return boxes[order[kept[:count].cuda()]]
        """,
    "train.py": """
        import detops
        detops.install("openpcdet", quiet=True)
        import sys
        sys.path.insert(0, "../sources")
        import numpy as np
        import torch
        from pcdet import models

        torch.cuda.set_device(0)
        torch.manual_seed(1)
        module = models.Head()
        module.cuda()
        optimizer = torch.optim.SGD(module.parameters(), 0.1)
        scaler = torch.cuda.amp.GradScaler(enabled=False)
        data = {"points": np.ones((10, 7), np.float32), "gt_boxes": np.eye(2, 7, dtype=np.float32) + 1}
        for _ in range(2):
            batch = dict(data)
            models.load_data_to_gpu(batch)
            with torch.cuda.amp.autocast(enabled=False):
                loss = module(batch)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            batch["points"].zero_()  # As on a GPU: the program's own arrays stay.
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        assert data["points"].all() and torch.isfinite(loss)
        assert all(torch.isfinite(each.grad).all() for each in module.parameters())
        module.eval()
        assert 0 < len(module(batch)) < 10 and module(batch).device.type == "cpu"
        torch.save({"weights": module.state_dict(), "epoch": 3}, "saved.pth")
        assert torch.load("saved.pth", map_location="cuda:0")["epoch"] == 3
        """,
}


def test_a_program_that_says_cuda_everywhere(tmp_path: Path) -> None:
    """It finds its package on a path that it sets itself, behind the added line."""
    write(tmp_path, {f"sources/{name}": text for name, text in PROGRAM.items() if name != "train.py"})
    write(tmp_path, {"tools/train.py": PROGRAM["train.py"]})
    run(
        tmp_path,
        """
        import os, runpy, warnings
        warnings.simplefilter("ignore", FutureWarning)  # torch.cuda.amp has moved.
        os.chdir("tools")
        runpy.run_path("train.py")
        import pcdet
        assert pcdet.__version__ == "0.6.0" and os.path.realpath(pcdet.__file__).startswith(
            os.path.realpath(FOLDER + "/sources"))
        """,
    )


def test_a_network_beside_plain_operators(tmp_path: Path) -> None:
    """Losses, gradients and boxes are those with overlaps clipped side by side in Python."""
    write(tmp_path, {name: text for name, text in PROGRAM.items() if name != "train.py"})
    run(
        tmp_path,
        """
        import math
        detops.install("openpcdet", quiet=True)
        import numpy as np, torch
        from pcdet import models

        def corners(box):
            x, y, _, dx, dy, _, angle = map(float, box)
            cos, sin = math.cos(angle), math.sin(angle)
            around = ((-1, -1), (1, -1), (1, 1), (-1, 1))
            return [(x + (a * dx * cos - b * dy * sin) / 2, y + (a * dx * sin + b * dy * cos) / 2) for a, b in around]

        def area(points):
            pairs = zip(points, points[1:] + points[:1])
            return sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs) / 2

        def iou(one, other):
            shared = corners(one)
            for a, b in zip(corners(other), corners(other)[1:] + corners(other)[:1]):
                side = lambda p: (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
                kept = []
                for p, q in zip(shared, shared[1:] + shared[:1]):
                    if side(p) >= 0:
                        kept.append(p)
                    if (side(p) >= 0) != (side(q) >= 0):
                        t = side(p) / (side(p) - side(q))
                        kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
                shared = kept
            whole = area(shared) if shared else 0.0
            return whole / (float(one[3] * one[4] + other[3] * other[4]) - whole)

        class Plain:
            @staticmethod
            def boxes_iou_bev_gpu(boxes, truth, overlap):
                overlap.copy_(torch.tensor([[iou(one, other) for other in truth] for one in boxes]))

            @staticmethod
            def nms_gpu(boxes, kept, threshold):
                found = []
                for place, box in enumerate(boxes):
                    if all(iou(boxes[other], box) <= threshold for other in found):
                        found.append(place)
                kept[: len(found)] = torch.tensor(found)
                return len(found)

        data = {"points": np.random.default_rng(1).normal(size=(10, 7)).astype(np.float32),
                "gt_boxes": np.array([[1, 0.2, 0, 4, 2, 1.5, 0.3], [9, 0, 0, 4, 2, 1.5, -0.4]], np.float32)}
        found = []
        for operators in (models.iou3d_nms_utils.iou3d_nms_cuda, Plain):
            models.iou3d_nms_utils.iou3d_nms_cuda = operators
            torch.manual_seed(2)
            module = models.Head().cuda()
            batch = dict(data)
            models.load_data_to_gpu(batch)
            loss = module(batch)
            loss.backward()
            with torch.no_grad():
                found.append((loss, module.layer.weight.grad, module.eval()(batch)))
        for ours, plain in zip(*found, strict=True):
            assert torch.equal(ours, plain)
        assert 1 < len(found[0][2]) < 10 and found[0][1].any()
        """,
    )


def test_a_package_that_appears_later_is_told(tmp_path: Path) -> None:
    write(tmp_path, {f"sources/{name}": text for name, text in PROGRAM.items() if name != "train.py"})
    run(
        tmp_path,
        """
        import contextlib, io
        with contextlib.redirect_stderr(io.StringIO()) as said:
            detops.install("openpcdet", device=None)
            assert said.getvalue().startswith("detops.install: pcdet: not installed, pcdet.ops.roiaware")
            sys.path.insert(0, FOLDER + "/sources")
            import pcdet
        assert said.getvalue().splitlines()[-1].startswith(
            f"detops.install: pcdet in {FOLDER}/sources/pcdet: without its compiled modules, pcdet.ops.")
        assert detops.uninstall() == ("openpcdet",)
        assert failure("import pcdet") == "ModuleNotFoundError: No module named 'pcdet.version'"
        """,
    )


def test_uninstall_restores_torch(tmp_path: Path) -> None:
    """Every name is what it was, in the same order, of functions, classes, scripts and files."""
    run(
        tmp_path,
        SEEN
        + """
before = copy.copy(seen())
for arguments in ({}, {"device": "cpu"}):
    detops.install("openpcdet", quiet=True, **arguments)
    assert not same(seen()[0], before[0]) and seen()[2] != before[2]
    assert torch.zeros(2, device="cuda").device.type == "cpu"
    detops.install("spconv", quiet=True)  # Not one that asks for a GPU.
    assert detops.uninstall("spconv") == ("spconv",)
    assert torch.ones(1).cuda().item() == 1
    assert detops.uninstall() == ("openpcdet",)
    after = seen()
    for owner, was in zip(after[0], before[0], strict=True):
        assert [name for name, _ in owner] == [name for name, _ in was]
        assert all(one is other for (_, one), (_, other) in zip(owner, was, strict=True))
    assert after[1:] == before[1:]
        """,
    )


def test_which_packages_ask_for_a_gpu(tmp_path: Path) -> None:
    run(
        tmp_path,
        SEEN
        + """
before = torch.Tensor.cuda
for package, arguments, is_changed in (
    ("openpcdet", {}, True), ("centerpoint", {}, True), ("spconv", {}, False), ("mmcv", {}, False),
    ("spconv", {"device": "cpu"}, True), ("openpcdet", {"device": None}, False),
):
    detops.install(package, quiet=True, **arguments)
    assert (torch.Tensor.cuda is not before) == is_changed, (package, arguments)
    detops.uninstall()
    assert torch.Tensor.cuda is before
# Where there is a GPU, only who asks for it.
torch.cuda.device_count = lambda: 1
detops.install("openpcdet", quiet=True)
assert torch.Tensor.cuda is before
detops.install("openpcdet", quiet=True, device="cpu")
assert torch.Tensor.cuda is not before and torch.cuda.device_count() == 0
detops.uninstall()
assert torch.Tensor.cuda is before and torch.cuda.device_count() == 1
        """,
    )


def test_install_tells_of_torch(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        import contextlib, io
        with contextlib.redirect_stderr(io.StringIO()) as said:
            detops.install("openpcdet", "centerpoint")
            detops.install("openpcdet", device="cpu")
        assert said.getvalue().splitlines() == [
            "detops.install: pcdet: not installed, pcdet.ops.roiaware_pool3d.roiaware_pool3d_utils is "
            "detops.openpcdet.roiaware_pool3d_utils",
            "detops.install: det3d: not installed, det3d.ops.iou3d_nms.iou3d_nms_cuda is "
            "detops.openpcdet.iou3d_nms_cuda",
            "detops.install: spconv: not installed, spconv is detops.spconv",
            "detops.install: torch_scatter: not installed, torch_scatter is detops.torch_scatter",
            "detops.install: torchvision: not installed, torchvision.ops is detops.torchvision",
            "detops.install: torch: .cuda() and device='cuda' mean the CPU; device=None would leave them "
            "alone"]
        detops.uninstall("openpcdet")
        import torch
        assert torch.ones(1).cuda().item() == 1
        detops.uninstall("centerpoint")
        assert "CUDA" in failure("import torch; torch.ones(1).cuda()")
        """,
    )


def test_wrong_device() -> None:
    with pytest.raises(ValueError, match=r"^install: device is 'gpu', expected 'auto', 'cpu' or None\.$"):
        detops.install("openpcdet", device="gpu")  # type: ignore[arg-type]


def test_words_for_a_gpu(tmp_path: Path) -> None:
    """Each of them, with the result that the same call without it has."""
    run(
        tmp_path,
        """
        import time, torch, warnings
        import detops
        detops.install("spconv", quiet=True, device="cpu")
        a = torch.arange(6.0).reshape(2, 3)
        gpu = torch.device("cuda:0")
        # What goes there is a copy, as with a GPU; gradients come back.
        for there in (a.cuda(), a.cuda(0, non_blocking=True), a.to("cuda"), a.to(gpu), a.to(0),
                      a.to(device="cuda:1"), a.to("cuda", torch.float32, True, False), a.pin_memory()):
            assert torch.equal(there, a) and there.device.type == "cpu"
            assert there.data_ptr() != a.data_ptr() and there.stride() == a.stride()
        assert a.t().cuda().stride() == a.t().stride()
        assert a.to("cuda", torch.float64).dtype == torch.float64
        assert a.to("cpu") is a and a.to(torch.float32) is a and a.to(a) is a
        leaf = a.clone().requires_grad_()
        (leaf.cuda() * 2).sum().backward()
        assert torch.equal(leaf.grad, torch.full((2, 3), 2.0))
        # Modules keep their parameters.
        layer = torch.nn.Linear(3, 2, device="cuda")
        weight = layer.weight
        assert layer.cuda() is layer.to("cuda") is layer.to(device=gpu) is layer
        assert layer.weight is weight and weight.is_leaf and layer.to(torch.float64).weight.dtype == torch.float64
        # Functions that make tensors.
        for made, wanted in (
            (torch.zeros(2, device="cuda"), [0, 0]), (torch.ones(2, device=gpu), [1, 1]),
            (torch.full((2,), 3.0, device=0), [3, 3]), (torch.tensor([1, 2], device="cuda"), [1, 2]),
            (torch.arange(2, device="cuda"), [0, 1]), (torch.zeros_like(a[0], device="cuda"), [0, 0, 0]),
            (a.new_ones(2, device="cuda"), [1, 1]), (a.new_tensor([5], device=gpu), [5]),
            (torch.as_tensor([4], device="cuda"), [4]), (torch.empty(0, device="cuda"), []),
            (torch.linspace(0, 1, 2, device="cuda"), [0, 1]), (torch.zeros(2, device=None), [0, 0]),
        ):
            assert made.device.type == "cpu" and made.tolist() == wanted
        torch.manual_seed(1)
        drawn = torch.rand(2, device="cuda")
        torch.manual_seed(1)
        assert torch.equal(drawn, torch.rand(2))
        # Types stay classes.
        assert isinstance(a, torch.cuda.FloatTensor) and not isinstance(a, torch.cuda.LongTensor)
        assert torch.cuda.IntTensor(2, 3).zero_().dtype == torch.int32
        assert a.type(torch.cuda.DoubleTensor).dtype == a.type("torch.cuda.DoubleTensor").dtype == torch.float64
        assert a.type() == "torch.FloatTensor" and a.type(torch.int64).dtype == torch.int64
        torch.set_default_device("cuda")
        assert torch.zeros(1).device.type == "cpu"
        torch.set_default_device(None)
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", UserWarning)
        torch.set_default_tensor_type("torch.cuda.DoubleTensor")
        assert torch.zeros(1).dtype == torch.float64
        torch.set_default_tensor_type(torch.cuda.FloatTensor)
        # torch.cuda.
        assert not torch.cuda.is_available() and torch.cuda.device_count() == 0
        assert torch.cuda.current_device() == 0 and torch.zeros(1).to(torch.cuda.current_device()) == 0
        for nothing in (torch.cuda.synchronize, torch.cuda.empty_cache, torch.cuda.reset_peak_memory_stats):
            assert nothing() is None
        stream = torch.cuda.Stream()
        with torch.cuda.device(0), torch.cuda.stream(stream):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            time.sleep(0.02)
            end.record(stream)
        torch.cuda.current_stream().wait_stream(stream)
        a.record_stream(stream)
        stream.record_event().synchronize()
        assert 15 < begin.elapsed_time(end) < 10_000 and end.query()
        with torch.cuda.amp.autocast(), torch.autocast("cuda"):
            assert (a @ a.t()).dtype == torch.float32
        scaler = torch.cuda.amp.GradScaler()
        assert scaler.scale(a) is a
        """,
    )


def test_files_that_were_saved_on_a_gpu(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        import io, torch
        from torch import serialization
        # The file says "cuda:0" of its storages, as if there had been one.
        serialization.register_package(
            1, lambda storage: "cuda:0" if isinstance(storage, torch.UntypedStorage) else None,
            lambda storage, location: None)
        file = io.BytesIO()
        torch.save({"weight": torch.arange(3.0)}, file)
        del serialization._package_registry[0]
        def load(**how):
            file.seek(0)
            return torch.load(file, **how)["weight"].tolist()
        try:
            load()
        except RuntimeError as error:
            assert "Attempting to deserialize object on a CUDA device" in str(error)
        else:
            raise AssertionError
        detops.install("openpcdet", quiet=True)
        to_gpu = lambda storage, location: storage.cuda(0)
        for place in (None, "cuda", "cuda:0", torch.device("cuda"), "cpu", {"cuda:0": "cuda:1"}, to_gpu):
            assert load(map_location=place) == [0, 1, 2], place
        """,
    )


def test_scripts_and_graphs(tmp_path: Path) -> None:
    """torch.jit.script and torch.compile know the functions that make tensors."""
    run(
        tmp_path,
        """
        import torch, warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        detops.install("openpcdet", quiet=True)
        namespace = {"torch": torch}
        with open("scripted.py", "w") as file:
            file.write("import torch\\ndef add(x: torch.Tensor) -> torch.Tensor:\\n"
                       "    return x + torch.zeros_like(x) + torch.ones([2])\\n")
        import scripted
        assert torch.jit.script(scripted.add)(torch.ones(2)).tolist() == [2, 2]
        def step(x):
            return x.to("cuda") + torch.ones(2, device="cuda") + torch.zeros_like(x)
        compiled = torch.compile(step, backend="aot_eager", fullgraph=True)
        assert compiled(torch.ones(2)).tolist() == [2, 2]
        detops.uninstall()
        assert torch.jit.script(scripted.add)(torch.ones(2)).tolist() == [2, 2]
        """,
    )


def test_all_modules_of_openpcdet_have_their_names(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        import importlib
        detops.install("openpcdet", quiet=True)
        names = {
            "ops.bev_pool.bev_pool": "bev_pool QuickCumsum QuickCumsumCuda",
            "ops.ingroup_inds.ingroup_inds_op": "ingroup_inds IngroupIndicesFunction",
            "ops.iou3d_nms.iou3d_nms_utils":
                "boxes_bev_iou_cpu boxes_iou_bev boxes_iou3d_gpu boxes_aligned_iou3d_gpu nms_gpu "
                "paired_boxes_iou3d_gpu nms_normal_gpu",
            "ops.roiaware_pool3d.roiaware_pool3d_utils":
                "points_in_boxes_cpu points_in_boxes_gpu RoIAwarePool3d RoIAwarePool3dFunction",
            "ops.roipoint_pool3d.roipoint_pool3d_utils": "RoIPointPool3d RoIPointPool3dFunction",
            "ops.pointnet2.pointnet2_batch.pointnet2_utils":
                "farthest_point_sample furthest_point_sample gather_operation three_nn ball_query "
                "three_interpolate grouping_operation FarthestPointSampling GatherOperation ThreeNN "
                "ThreeInterpolate GroupingOperation BallQuery QueryAndGroup GroupAll",
            "ops.pointnet2.pointnet2_stack.pointnet2_utils":
                "ball_query grouping_operation farthest_point_sample furthest_point_sample three_nn "
                "stack_farthest_point_sample three_interpolate three_nn_for_vector_pool_by_two_step "
                "vector_pool_with_voxel_query_op BallQuery GroupingOperation QueryAndGroup ThreeNN "
                "FarthestPointSampling StackFarthestPointSampling ThreeInterpolate "
                "ThreeNNForVectorPoolByTwoStep VectorPoolWithVoxelQuery",
            "ops.pointnet2.pointnet2_stack.voxel_query_utils":
                "voxel_query VoxelQuery VoxelQueryAndGrouping",
            "datasets.kitti.kitti_object_eval_python.rotate_iou": "rotate_iou_gpu_eval",
            "datasets.once.once_eval.iou_utils": "rotate_iou_gpu_eval",
        }
        for module, of_module in names.items():
            found = importlib.import_module(f"pcdet.{module}")
            for name in of_module.split():
                made = getattr(found, name)
                assert callable(made if not name.endswith("Function") else made.apply), name
                assert made.__module__.startswith("detops.openpcdet"), name
        """,
    )
