"""python -m detops.compare on a handful of voxels, with spconv as if it were not installed."""

from __future__ import annotations

import argparse
import json
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
from detops._measuring import run_apart  # noqa: E402

VOXELS = 400

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("key", compare.CASES)
def test_loop_of_torch_agrees(key: str) -> None:
    """Output and gradients of detops and of operators of torch, which share nothing but pairs."""
    mine, loop = (compare.values(key, name, VOXELS) for name in ("detops", "torch loop"))
    assert len(mine["features"]) > 50 and mine["features"].abs().max() > 0
    output, gradients = compare.difference(mine, loop)
    assert output < 1e-5 and gradients < 1e-12
    # Of the features, and of a weight and two of the normalisation for each layer; products of
    # VoxelNeXt's heads have a bias each, and the second of two has no normalisation.
    count = {"encoder": 12 * 3, "centerpoint": 21 * 3, "voxelnext": 32 * 3 + 36 * (4 + 2)}.get(key, 1)
    largest = [float(grad.abs().max()) for grad in mine["gradients"]]
    assert len(largest) == 1 + count
    # A bias in front of a normalisation has no gradient but rounding.
    assert sum(number < 1e-9 for number in largest) == (36 if key == "voxelnext" else 0)


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
    weights[1, 0, 2, 1, 3] += 0.5 * weights.abs().max()
    assert changed(gradients=[mine["gradients"][0], weights]) == (0, pytest.approx(0.5))
    assert changed(sites=mine["sites"].flip(0)) == (float("inf"), float("inf"))
    # Rounding is not compared with rounding, but with what should be rounding.
    tiny = torch.full((3,), 1e-14)

    def with_bias(gradient: torch.Tensor) -> dict[str, Any]:
        return {**mine, "gradients": [*mine["gradients"], gradient]}

    assert compare.difference(with_bias(tiny), with_bias(-tiny)) == (0, 0)
    assert compare.difference(with_bias(tiny), with_bias(tiny + 1))[1] > 1e6


def test_measurement() -> None:
    options = argparse.Namespace(voxels=VOXELS, quick=True, repeat=7, gflops=50.0)
    found = compare.measure("subm 16-16", "detops", options)
    for part in ("forward", "both"):
        times = found[part]
        assert len(times) == 7 and 0 < times[0] and times == sorted(times) and times[-1] < 60
    assert 0 <= found["peak"] < 2000 and 100 < found["voxels"] < 1000
    assert found["speed"] == 50e9 and found["flops"] % (2 * 16 * 16) == 0
    # Each voxel is its own neighbour, and has at most 26 others.
    assert 1 <= found["flops"] / (2 * 16 * 16) / found["voxels"] < 27


def test_report_without_spconv(tmp_path: Path) -> None:
    (tmp_path / "spconv.py").write_text("raise ImportError('not here')", encoding="ascii")
    command = [sys.executable, "-m", "detops.compare", "--repeat", "100", "--threads", "1"]
    command += ["--gflops", "100", "--voxels", str(VOXELS), "--case", "subm 16-16"]
    run = subprocess.run(
        [*command, "--json", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert run.returncode == 0 and run.stderr == "", run.stderr
    head, columns, empty, case, *mine = run.stdout.splitlines()
    assert head == f"torch {torch.__version__}, no spconv, 1 threads"
    assert columns.split() == "ms best p50 p99 p99.9".split()
    about = r"SubMConv3d 16-16, 3x3x3, \d+ voxels: [\d.]+ GFLOP, bound [\d.]+ ms at 100 GFLOP/s"
    assert empty == "" and re.fullmatch(about, case)
    *mine, loops_forward, loops_both, loops_memory, differs = mine
    for name, lines in (("detops", mine), ("torch loop", [loops_forward, loops_both, loops_memory])):
        for line, part in zip(lines, ("forward", "both", "memory"), strict=True):
            numbers = r" +\d+ MiB"
            if part != "memory":  # A hundred calls are too few for p99.9.
                numbers = r" +\d+\.\d +\d+\.\d +\d+\.\d +-   best / bound +\d+\.\d\d"
                numbers += "" if name == "detops" else r"   detops is \d+\.\dx as fast"
            assert re.fullmatch(f"  {name:11}{part:10}{numbers}", line), line
    assert re.fullmatch(r" +differs   output \de[-+]\d\d, gradients \de[-+]\d\d", differs)
    figures = json.loads((tmp_path / "out").read_text(encoding="utf-8"))
    assert figures["threads"] == 1 and figures["versions"]["spconv"] is None
    (results,) = figures["cases"].values()
    assert set(results) == {"detops", "torch loop"} and len(results["torch loop"]["differs"]) == 2
    ours = results["detops"]
    assert f"{1e3 * ours['forward']:.1f} " in mine[0] and f"{1e3 * ours['both']:.1f} " in mine[1]
    assert f"best / bound {ours['forward'] / ours['bound']:5.2f}" in mine[0]
    assert f"best / bound {ours['both'] / ours['bound'] / 3:5.2f}" in mine[1]
    for part in ("forward", "both"):
        percentiles = ours["percentiles"][part]
        assert list(percentiles) == ["calls", "p50", "p99"] and percentiles["calls"] == 100
        assert ours[part] <= percentiles["p50"] <= percentiles["p99"]


def test_failed_contestants_are_named(capfd: pytest.CaptureFixture[str]) -> None:
    made = run_apart("detops.compare", ["--one", "measure", "subm 16-16", "nobody", "more"], "x", {})
    assert made is None
    out, err = capfd.readouterr()
    assert out == "" and re.fullmatch("x failed: .*unrecognized arguments: .*\n", err)


def test_chart(tmp_path: Path) -> None:
    """tools/chart.py: as many bars as times, as long as these say, and a sentence where some are missing."""
    times = {"detops": {"forward": 0.001, "both": 0.004}, "spconv": {"forward": 0.002, "both": 0.016}}
    about = {"date": "2026-11-19", "machine": "one", "threads": 2, "versions": {"torch": "2", "spconv": "3"}}
    chart = Path(__file__).resolve().parents[3] / "tools" / "chart.py"

    def draw(cases: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        (tmp_path / "in.json").write_text(json.dumps({**about, "cases": cases}), encoding="utf-8")
        command = [sys.executable, str(chart), str(tmp_path / "in.json"), str(tmp_path / "out.svg")]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert draw({"a layer": times}).returncode == 0
    picture = (tmp_path / "out.svg").read_text(encoding="utf-8")
    widths = [float(width) for width in re.findall(r'height="13"|width="([\d.]+)" height="13"', picture) if width]
    assert widths == [200.0, 400.0, 100.0, 400.0]
    assert "inference: 2.0x" in picture and "training step: 4.0x" in picture and "detops 4.0 ms" in picture
    failed = draw({"a layer": {"detops": times["detops"]}})
    assert failed.returncode != 0 and "no times of spconv for a layer: was it installed?" in failed.stderr


def test_figures_are_added_to_those_there_are(tmp_path: Path) -> None:
    file = str(tmp_path / "figures.json")
    for name in ("one", "two"):
        compare.write_figures(file, {}, argparse.Namespace(threads=3), {name: {"forward": 1.0}})
    found = json.loads(Path(file).read_text(encoding="utf-8"))
    assert list(found["cases"]) == ["one", "two"] and found["threads"] == 3
