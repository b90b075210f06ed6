"""python -m detops.compare on a handful of voxels, with spconv as if it were not installed."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("detops.torch", exc_type=ImportError)

from detops import compare  # noqa: E402

VOXELS = 400

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("key", compare.CASES)
def test_loop_of_torch_agrees(key: str) -> None:
    """Output and gradients of detops and of operators of torch, which share nothing but pairs."""
    mine, loop = (compare.values(key, name, VOXELS) for name in ("detops", "torch loop"))
    assert len(mine["features"]) > 100 and mine["features"].abs().max() > 0
    output, gradients = compare.difference(mine, loop)
    assert output < 1e-5 and gradients < 1e-12
    count = {"encoder": 1 + 12 * 3}.get(key, 2)
    assert len(mine["gradients"]) == count
    assert all(grad.abs().max() > 0 for grad in mine["gradients"])


def test_difference_is_seen() -> None:
    mine = compare.values("down 64-128", "detops", VOXELS)
    sites = mine["sites"].tolist()
    assert sites == sorted(sites)
    peak = float(mine["features"].abs().max())

    def changed(**parts: Any) -> tuple[float, float]:
        return compare.difference(mine, {**mine, **parts})

    other = mine["features"].clone()
    other[3, 5] += 0.25 * peak
    assert changed(features=other) == (pytest.approx(0.25), 0)
    assert changed(features=mine["features"].flip(0))[0] > 0.1
    weights = mine["gradients"][1].clone()
    weights[1, 2, 3] += 0.5 * weights.abs().max()
    assert changed(gradients=[mine["gradients"][0], weights]) == (0, pytest.approx(0.5))
    assert changed(sites=mine["sites"].flip(0)) == (float("inf"), float("inf"))


def test_measurement() -> None:
    options = argparse.Namespace(voxels=VOXELS, quick=True)
    found = compare.measure("subm 16-16", "detops", options)
    assert 0 < found["forward"] and 0 < found["both"] < 60
    assert 0 <= found["peak"] < 2000 and 100 < found["voxels"] < 1000


def test_report_without_spconv(tmp_path: Path) -> None:
    (tmp_path / "spconv.py").write_text("raise ImportError('not here')", encoding="ascii")
    command = [sys.executable, "-m", "detops.compare", "--quick", "--threads", "1"]
    run = subprocess.run(
        [*command, "--voxels", str(VOXELS), "--case", "subm 16-16"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert run.returncode == 0 and run.stderr == "", run.stderr
    head, columns, empty, case, mine, loop = run.stdout.splitlines()
    assert head == f"torch {torch.__version__}, no spconv, 1 threads"
    assert columns.split() == "forward and backward memory detops is faster".split()
    assert empty == "" and re.fullmatch(r"SubMConv3d 16-16, 3x3x3, \d+ voxels", case)
    times = r" +\d+\.\d ms +\d+\.\d ms +\d+ MiB"
    assert re.fullmatch(f"  detops {times}", mine)
    ratios = r" +\d+\.\dx +\d+\.\dx   differs by \de[-+]\d\d, \de[-+]\d\d"
    assert re.fullmatch(f"  torch loop{times}{ratios}", loop)
