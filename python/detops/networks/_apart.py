"""Networks in processes of their own, one after the other, with their progress on stderr."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._measure import STAGES
from ._report import where


@dataclass(frozen=True)
class Options:
    batch: int
    steps: int
    threads: int
    limit: float
    """Seconds for one network."""


def reason(stderr: str, code: int) -> str:
    """Why a process failed, in one sentence."""
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    lines = [line for line in stderr.splitlines() if line.strip()]
    # The last line that does not belong to a traceback's text or to an indented remark.
    said = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Exit|Interrupt)\b", line)]
    text = (said or lines or ["no reason given"])[-1]
    return text if len(text) <= 300 else text[:297] + "..."


class Progress:
    """A line that changes on a terminal; elsewhere one line for each network when it is done."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.moves = sys.stderr.isatty()

    def show(self, number: int, name: str, text: str, last: bool = False) -> None:
        line = f"[{number}/{self.count}] {name}: {text}"
        if self.moves:
            print(f"\r\x1b[K{line}", end="\n" if last else "", file=sys.stderr, flush=True)
        elif last:
            print(line, file=sys.stderr, flush=True)


def run_one(
    name: str, number: int, checkout: Path | None, options: Options, progress: Progress
) -> dict[str, Any]:
    """What is known of a network at the end: its diary, and ``failure`` if it did not get to it."""
    with tempfile.TemporaryDirectory() as folder:
        file, log = Path(folder) / "diary.json", Path(folder) / "stderr"
        command = [sys.executable, "-m", "detops.networks", name, "--one", str(file)]
        command += ["--batch", str(options.batch), "--steps", str(options.steps)]
        command += ["--threads", str(options.threads)]
        command += ["--checkout", str(checkout)] if checkout else []
        threads = {"OMP_NUM_THREADS": str(options.threads), "MKL_NUM_THREADS": str(options.threads)}
        begin = time.monotonic()
        with log.open("wb") as written:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
                env={**os.environ, **threads},
                # Some frameworks write into the folder they are in.
                cwd=folder,
            )
            try:
                while child.poll() is None and time.monotonic() - begin < options.limit:
                    doing = read(file).get("doing") or "starts"
                    progress.show(number, name, f"{doing}, {time.monotonic() - begin:.0f} s")
                    time.sleep(0.2)
                late = child.poll() is None
            finally:
                child.kill()
                child.wait()
        found = read(file)
        text = log.read_text(encoding="utf-8", errors="replace")
    if late:
        found["failure"] = f"stopped after {options.limit:.0f} s"
    elif child.returncode != 0:
        found["failure"] = reason(text, child.returncode) + str(found.get("remark", ""))
        found["log"] = text[-4000:]
    found["seconds"] = time.monotonic() - begin
    progress.show(number, name, summary(found), last=True)
    return found


def summary(found: dict[str, Any]) -> str:
    if "needs" in found:
        return f"not tried, needs: {found['needs']}"
    if "failure" in found:
        return f"{where(found)}: {found['failure']}"
    return f"{' '.join(STAGES)}: all well, {found['seconds']:.0f} s"


def read(file: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found


def run_all(
    names: Sequence[str], checkouts: dict[str, Path], options: Options
) -> dict[str, dict[str, Any]]:
    progress = Progress(len(names))
    return {
        name: run_one(name, number, checkouts.get(name.partition(":")[0]), options, progress)
        for number, name in enumerate(names, 1)
    }
