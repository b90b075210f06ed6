"""The real mmdetection3d on detops, beside references of the functions on boxes."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

# A folder with mmdetection3d, mmcv-lite and what they import; python/run_tests.sh makes one.
MMDET3D = os.environ.get("DETOPS_TEST_MMDET3D", "")
HERE = Path(__file__).resolve().parent

pytestmark = pytest.mark.skipif(not MMDET3D, reason="DETOPS_TEST_MMDET3D names no mmdetection3d")


def run(*arguments: str) -> str:
    made = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments],
        env={**os.environ, "PYTHONPATH": MMDET3D},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return made.stdout


@pytest.fixture(scope="module")
def steps() -> dict[str, Any]:
    worker = str(HERE / "mmdet3d_worker.py")
    return {how: json.loads(run(worker, how).splitlines()[-1]) for how in ("lite", "replace", "reference")}


def test_all_of_mmdetection_is_imported() -> None:
    """And of mmdetection3d all that needs no tools of data sets."""
    modules = "mmdet.apis mmdet.datasets mmdet.engine mmdet.evaluation mmdet.models mmdet.structures"
    modules += " mmdet3d.models mmdet3d.structures"
    run(
        "-c",
        f"""
import detops, importlib, sys
detops.install("mmcv")
for name in {modules.split()!r}:
    importlib.import_module(name)
assert "detops.mmcv._ext" in sys.modules
detops.uninstall()
assert not [name for name in sys.modules if name.startswith("mmcv.ops")]
""",
    )


def test_a_step_of_part_a2(steps: dict[str, Any]) -> None:
    found = steps["lite"]
    assert found["without"] == []  # Every layer is reached.
    values = [*found["losses"].values(), *found["gradients"].values()]
    assert all(map(math.isfinite, values)) and all(value > 0 for value in found["losses"].values())
    assert len(found["losses"]) == 9 and len(found["boxes"]) > 5


@pytest.mark.parametrize("other", ["replace", "reference"])
def test_all_ways_lead_to_the_same_numbers(steps: dict[str, Any], other: str) -> None:
    """mmcv-lite's Python on detops, detops in its place, and another geometry in the place of detops."""
    first, second = steps["lite"], steps[other]
    for name in ("losses", "gradients"):
        assert first[name].keys() == second[name].keys()
        for key, value in first[name].items():
            assert value == pytest.approx(second[name][key], rel=1e-4, abs=1e-7), key
    assert first["labels"] == second["labels"]
    for box, same in zip(first["boxes"], second["boxes"], strict=True):
        assert box == pytest.approx(same, rel=1e-4, abs=1e-4)
