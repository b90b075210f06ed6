"""python -m detops.networks: networks that need nothing else, those of mmdetection3d, and what goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("detops.torch", exc_type=ImportError)

import numpy as np  # noqa: E402
from detops.networks import (  # noqa: E402
    Framework,
    Model,
    __main__,
    _apart,
    _measure,
    _openmm,
    _page,
    _report,
    _shares,
    all_frameworks,
    scenes,
)

MMDET3D = os.environ.get("DETOPS_TEST_MMDET3D", "")
LIMIT = 600
"""Seconds for one process: docs/networks.md says so."""


def run(folder: Path, *arguments: str, packages: str = "") -> tuple[Any, str]:
    """The results, and what was printed."""
    file = folder / "results.json"
    made = subprocess.run(
        [sys.executable, "-m", "detops.networks", *arguments, "--batch", "1", "--json", str(file)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": packages},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return json.loads(file.read_text(encoding="utf-8")), made.stdout


def check_whole(found: Mapping[str, Any]) -> None:
    assert found["done"] == list(_measure.STAGES)
    assert "failure" not in found and found["parameters"] > 10_000
    assert found["boxes"][0] > 0 and found["peak"] > 100 and found["build"] > 0


def test_networks_that_need_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    results, printed = run(tmp_path, "spconv", "torchvision:rfcn", "--steps", "1", "--page", str(page))
    assert list(results) == ["spconv:second_encoder", "torchvision:rfcn"]
    for name, found in results.items():
        check_whole(found)
        assert found["step"] > 0 and found["predict"] > 0
        assert sum(found["step_shares"].values()) == pytest.approx(1.0)
        # Whatever the machine, these networks are made of torch's layers and of ours.
        assert found["step_shares"]["dense"] > 0.05 and found["step_shares"]["ours"] > 0.005
        assert f"\n{name} " in printed
        ticks = "| \N{CHECK MARK} " * len(_measure.STAGES)
        assert f"| {name} {ticks}|" in page.read_text(encoding="utf-8")


@pytest.mark.skipif(not MMDET3D, reason="mmdetection3d is not installed")
@pytest.mark.parametrize("network", ["second", "centerpoint_pillar"])
def test_networks_of_mmdetection3d(tmp_path: Path, network: str) -> None:
    name = f"mmdet3d:{network}"
    results, _ = run(tmp_path, name, "--steps", "0", "--limit", "300", packages=MMDET3D)
    check_whole(results[name])


EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "mmdet3d"
PRECISION = """
import detops
detops.install("mmcv", quiet=True)
import numpy as np, torch
from precision import average_precision, verdicts
# The second box is on the thing that the first has; the third is on nothing.
overlaps = torch.tensor([[0.9, 0.0], [0.8, 0.0], [0.0, 0.0], [0.0, 0.6]])
right = verdicts(overlaps)
assert right.tolist() == [True, False, False, True]
scores = np.array([0.9, 0.8, 0.7, 0.6])
assert average_precision(scores, right, 2) == (1 + 2 / 4) / 2
assert average_precision(scores, right, 4) == (1 + 2 / 4) / 4
assert average_precision(scores[:0], right[:0], 3) == 0.0
"""


@pytest.mark.skipif(not MMDET3D, reason="mmdetection3d is not installed")
def test_example_that_trains_mmdetection3d(tmp_path: Path) -> None:
    sizes = ("--epochs", "1", "--scenes", "4", "--batch", "2", "--held-out", "3", "--folder", str(tmp_path))
    environment = {**os.environ, "PYTHONPATH": f"{MMDET3D}:{EXAMPLE}", "OMP_NUM_THREADS": "1"}
    for words in (("-c", PRECISION), (str(EXAMPLE / "train.py"), *sizes)):
        run = [sys.executable, "-W", "ignore", *words]
        made = subprocess.run(run, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path,
                              timeout=LIMIT)
        assert made.returncode == 0, made.stderr
    log = made.stdout + made.stderr
    for name in scenes.CLASSES:
        assert f"AP/{name}: 0." in log
    assert (tmp_path / "scenes.png").stat().st_size > 10_000


def test_list_and_what_is_missing(tmp_path: Path) -> None:
    assert {"spconv", "torchvision"} <= set(all_frameworks())
    words = [sys.executable, "-m", "detops.networks"]
    made = subprocess.run([*words, "--list"], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "torchvision: nothing but torch (installed)\n  torchvision:rfcn" in made.stdout
    absent = Framework("absent", lambda _: None, {"a": lambda _: broken()}, packages=("no-such-package==1.0", "none"))
    assert "not installed: no-such-package==1.0 none" in __main__.describe({"absent": absent})
    assert __main__.chosen([], {"absent": absent}) == []
    assert __main__.chosen(["absent"], {"absent": absent}) == ["absent:a"]
    diary = measured(tmp_path, absent)
    assert diary["needs"] == "pip install --no-deps no-such-package==1.0 && pip install none"
    assert diary["done"] == []
    # Who names it is told by the code; a row that is there stays.
    keep = tmp_path / "kept.json"
    assert __main__.keep({"absent:a": {"done": ["imports"], "date": "a day"}}, keep)
    needs = {"absent:a": diary, "absent:b": diary}
    every = __main__.keep(needs, keep)
    assert every["absent:a"]["date"] == "a day" and every["absent:b"] == diary
    assert __main__.keep({"absent:a": {"failure": "no"}}, keep)["absent:a"] == {"failure": "no"}
    words = [sys.executable, "-m", "detops.networks", "openpcdet:second", "--steps", "0"]
    made = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=LIMIT)
    assert made.returncode == 1 and "openpcdet:second was not tried here; it needs: " in made.stdout
    bare = Framework("bare", lambda _: None, {"a": lambda _: broken()}, checkout="https://example.org/bare")
    assert "git clone https://example.org/bare" in measured(tmp_path, bare)["needs"]


def test_least_scores_become_zero() -> None:
    """PointRCNN of mmdetection3d has none for its proposals, and stops if it is given one."""
    settings = {"score_thr": 0.3, "rpn": {"nms": {"score_thr": None, "iou_thr": 0.8}}, "rcnn": {"score_threshold": 0.1}}
    _openmm._lower_scores(settings)
    assert settings == {
        "score_thr": 0.0, "rpn": {"nms": {"score_thr": None, "iou_thr": 0.8}}, "rcnn": {"score_threshold": 0.0}
    }  # fmt: skip


def test_the_page_is_that_of_the_kept_rows() -> None:
    docs = Path(__file__).resolve().parents[3] / "docs"
    rows = json.loads((docs / "networks.json").read_text(encoding="utf-8"))
    assert len(rows) >= 30 and all("date" in found for found in rows.values())
    assert (docs / "networks.md").read_text(encoding="utf-8") == _page.page(rows)


def test_words_that_are_not_known(tmp_path: Path) -> None:
    tree = Framework("tree", lambda _: None, {}, marker="tree/models")
    with pytest.raises(SystemExit, match=r"no network 'tree:oak'; python -m detops.networks --list shows"):
        __main__.chosen(["tree:oak"], {"tree": tree})
    with pytest.raises(SystemExit, match=r"no source tree that is known; expected one with tree/models \(tree\)"):
        __main__.recognised([tmp_path], {"tree": tree})
    (tmp_path / "tree" / "models").mkdir(parents=True)
    assert __main__.recognised([tmp_path], {"tree": tree}) == {"tree": tmp_path.resolve()}


def broken(
    *,
    loss: Any = lambda layer: layer(torch.ones(1, 2)).sum(),
    boxes: Any = lambda: [torch.zeros(1, 7)],
    layer: Any = None,
) -> Model:
    layer = layer or torch.nn.Linear(2, 2)
    return Model(layer, lambda: {"loss": loss(layer)}, boxes)


def measured(folder: Path, framework: Framework) -> dict[str, Any]:
    file = folder / "diary.json"
    _measure.measure(framework, "a", None, 1, 0, file)
    diary: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return diary


class Steep(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] / 0.0


FAULTS = {
    "the loss is nan, expected a finite number": ("forward", {"loss": lambda f: f(torch.ones(1, 2)).sum() * np.nan}),
    "no loss depends on the parameters": ("forward", {"loss": lambda _: torch.ones(())}),
    "the gradient of weight is not finite": (
        "backward", {"loss": lambda f: Steep.apply(f(torch.ones(1, 2)).sum())}  # type: ignore[no-untyped-call]
    ),
    "boxes of 2 scenes, expected 1": ("predicts", {"boxes": lambda: [torch.zeros(1, 7)] * 2}),
    "a box is not finite": ("predicts", {"boxes": lambda: [torch.full((1, 7), np.inf)]}),
}


@pytest.mark.parametrize("sentence", FAULTS)
def test_networks_that_fail(tmp_path: Path, sentence: str) -> None:
    stage, words = FAULTS[sentence]
    with pytest.raises(ValueError, match=sentence):
        measured(tmp_path, Framework("f", lambda _: None, {"a": lambda _: broken(**words)}))
    diary = json.loads((tmp_path / "diary.json").read_text(encoding="utf-8"))
    assert diary["doing"] == stage
    assert diary["done"] == list(_measure.STAGES[: _measure.STAGES.index(stage)])
    results = {"f:a": {**diary, "failure": f"ValueError: {sentence}"}}
    assert _report.ticks(results["f:a"]).count("no") == 1
    assert f"f:a {stage}: ValueError: {sentence}" in _report.table(results)
    assert f"- f:a {stage}: ValueError: {sentence}\n" in _page.page(results)


def test_processes_that_end_early() -> None:
    assert _apart.reason("", -11) == "ended by SIGSEGV"
    log = "Traceback\n  File\nValueError: no\n  [advice]\n"
    assert _apart.reason(log, 1) == "ValueError: no"
    assert len(_apart.reason(f"ValueError: {'long ' * 200}", 1)) == 300
    options = _apart.Options(batch=1, steps=0, threads=1, limit=0.1)
    found = _apart.run_one("spconv:second_encoder", 1, None, options, _apart.Progress(1))
    assert found["failure"] == "stopped after 0 s"


def test_kinds_of_operators() -> None:
    expected = {
        "aten::mkldnn_convolution": "dense", "aten::convolution_backward": "dense", "aten::addmm": "dense",
        "aten::native_batch_norm": "norms", "aten::threshold_backward": "norms", "aten::linalg_vector_norm": "other",
        "detops::indice_convolution": "ours", "aten::index_put_": "other", "AddmmBackward0": "python",
    }
    assert {name: _shares.kind_of(name) for name in expected} == expected
    a = torch.ones(700, 700)
    found = _shares.shares(lambda: [a @ a for _ in range(5)])
    assert found["dense"] > 0.8 and sum(found.values()) == pytest.approx(1.0)


def inside(points: Any, box: Any) -> Any:
    """Which points are in a box, a hand's breadth around it."""
    away = points[:, :3] - box[:3]
    cos, sin = np.cos(box[6]), np.sin(box[6])
    local = np.stack([away[:, 0] * cos + away[:, 1] * sin, away[:, 1] * cos - away[:, 0] * sin, away[:, 2]], 1)
    return (np.abs(local) < box[3:6] / 2 + 0.1).all(1)


@pytest.mark.parametrize("ahead", [True, False])
def test_scenes(ahead: bool) -> None:
    made, again = (scenes.make(2, seed=3, ahead=ahead) for _ in range(2))
    assert not np.array_equal(made[0].boxes, made[1].boxes)
    for scene, other in zip(made, again, strict=True):
        assert np.array_equal(scene.points, other.points) and np.array_equal(scene.boxes, other.boxes)
        assert scene.points.dtype == np.float32 and len(scene.points) > 30_000
        assert len(scene.boxes) == len(scene.labels) > 5 and set(scene.labels) <= {0, 1, 2}
        assert (scene.boxes[:, 0] > 0).all() == ahead
        for box in scene.boxes:
            assert inside(scene.points, box).sum() >= 5
        above = scene.points[:, 2] > scenes.GROUND + 0.3
        assert 0.02 < above.mean() < 0.6


def test_pictures() -> None:
    scene = scenes.make(1)[0]
    picture = scenes.pictures([scene], 256, metres=72.0)[0]
    assert picture.pixels.shape == (3, 256, 256) and picture.pixels.dtype == np.float32
    assert picture.boxes[:, 2:4] == pytest.approx(scene.boxes[:, 3:5] * 256 / 72)
    cars = picture.boxes[picture.labels == 0]
    for x, y, *_ in cars:
        assert picture.pixels[0, int(y), int(x)] > 0.5
        # The laser saw what is painted.
    lit = (picture.pixels == 1.0).all(0)
    for x, y, length, *_ in cars:
        half = int(length / 2) + 2
        near = lit[max(0, int(y) - half) : int(y) + half, max(0, int(x) - half) : int(x) + half]
        assert near.any()
