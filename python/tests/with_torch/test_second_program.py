"""examples/second/train.py itself: by two processes, interrupted, and resumed by one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("detops.torch", exc_type=ImportError)

from test_second import state_after, train  # noqa: E402

PROGRAM = Path(__file__).resolve().parents[3] / "examples" / "second" / "train.py"
EPOCHS, STEPS = 4, 2
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2")


def start(folder: Path, *words: str, launcher: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    sizes = ["--scenes", "4", "--batch", "2", "--held-out", "2", "--epochs", str(EPOCHS)]
    sizes += ["--no-picture", "--threads", "1", "--workers", "0", "--checkpoint", str(folder)]
    return subprocess.Popen(
        [sys.executable, *launcher, str(PROGRAM), *sizes, *words],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def end(run: subprocess.Popen[str]) -> list[str]:
    try:
        return run.communicate(timeout=240)[0].splitlines()
    finally:
        if run.poll() is None:
            run.terminate()  # torchrun ends its processes then.
            run.wait(60)


def losses(lines: list[str]) -> dict[int, float]:
    """By the number of epochs that are over; of an epoch that was interrupted there is none."""
    found = [re.match(r" *\d+\.\d %  epoch +(\d+)  loss (\d+\.\d+) = ", line) for line in lines]
    return {int(match[1]): float(match[2]) for match in reversed(found) if match}


def stored(folder: Path) -> dict[str, Any]:
    made: dict[str, Any] = torch.load(folder / "last.pt", weights_only=True)
    return made


def assert_is_judged(lines: list[str]) -> None:
    held_out, precision, found = lines[-3:]
    assert re.fullmatch(r"2 scenes held out with \d+ cars, \d+ s", held_out)
    assert re.fullmatch(r"average precision at IoU 0\.5: [01]\.\d{3}", precision)
    assert re.fullmatch(r"cars found \(score 0\.3 or more\): \d+\.\d %, .*: \d+\.\d\d", found)


def test_a_late_wish_waits_for_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal between two epochs: other processes may not have had it, and would wait for ever."""
    save = train.Run.save

    def interrupted(run: train.Run) -> None:
        if run.progress.epoch == 1 and run.progress.step == 0:
            os.kill(os.getpid(), signal.SIGTERM)
        save(run)

    monkeypatch.setattr(train.Run, "save", interrupted)
    assert state_after(tmp_path, "--epochs", "2")["progress"] == {"epoch": 1, "step": 1}


def test_interrupted_and_resumed_by_fewer(tmp_path: Path) -> None:
    together = start(tmp_path / "parts", launcher=TORCHRUN)
    assert together.stdout is not None
    lines = []
    while not losses(lines):  # Until the first epoch is over.
        line = together.stdout.readline()
        assert line, lines
        lines.append(line.rstrip("\n"))
    together.send_signal(signal.SIGTERM)
    lines += end(together)
    told = f"interrupted; {tmp_path}/parts/last.pt is where --resume goes on"
    assert sum(told in line for line in lines) == 1, lines
    before = stored(tmp_path / "parts")
    epoch, step = before["progress"]["epoch"], before["progress"]["step"]
    assert STEPS < epoch * STEPS + step < EPOCHS * STEPS

    alone = start(tmp_path / "parts", "--resume")
    after = end(alone)
    assert alone.returncode == 0, after
    # It goes on where the two have stopped.
    assert sorted(losses(after)) == list(range(epoch + 1, EPOCHS + 1)), after
    assert_is_judged(after)
    finished = stored(tmp_path / "parts")
    assert finished["progress"]["epoch"] == EPOCHS and finished["progress"]["step"] == 0
    for name, number in before["model"].items():
        changed = finished["model"][name]
        assert bool(changed.isfinite().all()) and changed.shape == number.shape
    assert not torch.equal(before["model"]["head.weight"], finished["model"]["head.weight"])
    steps = [int(state["step"]) for state in finished["optimizer"]["state"].values()]
    assert set(steps) == {EPOCHS * STEPS}

    # And by one process from the beginning: the first epoch's loss is that of the two.
    whole = start(tmp_path / "whole")
    alike = end(whole)
    assert whole.returncode == 0 and sorted(losses(alike)) == list(range(1, EPOCHS + 1)), alike
    assert_is_judged(alike)
    assert losses(alike)[1] == pytest.approx(losses(lines)[1], rel=1e-3)
