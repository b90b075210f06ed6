"""Threads of the library and of Python, fork, value checks, configuration."""

from __future__ import annotations

import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import detops
import numpy as np
import numpy.typing as npt
import pytest


def problem(rows: int = 64) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    random = np.random.default_rng(rows)
    features = random.normal(size=(1, rows, rows, 16)).astype(np.float32)
    boxes = random.uniform(0, rows, size=(1, rows, rows, 5)).astype(np.float32)
    return features, boxes


def checksum(rows: int = 64) -> bytes:
    return detops.rotated_feature_align_backward(*problem(rows), 1.0, 5).tobytes()


def test_number_of_threads() -> None:
    before = detops.get_num_threads()
    with detops.threads(3):
        assert detops.get_num_threads() == 3
        with detops.threads(1):
            assert detops.get_num_threads() == 1
        assert detops.get_num_threads() == 3
        detops.set_num_threads(5)
        assert detops.get_num_threads() == 3
        with ThreadPoolExecutor(1) as pool:
            # A block belongs to its thread, the setting to the process.
            assert pool.submit(detops.get_num_threads).result() == 5
    assert detops.get_num_threads() == 5
    detops.set_num_threads(0)
    assert detops.get_num_threads() == before
    block = detops.threads(2)
    with block, block:
        assert detops.get_num_threads() == 2
    assert detops.get_num_threads() == before
    with pytest.raises(ValueError, match="num_threads is -1, expected 0 or more"):
        detops.set_num_threads(-1)
    with pytest.raises(ValueError, match="num_threads is -2"):
        detops.threads(-2)


def test_a_block_ends_with_an_exception() -> None:
    before = detops.get_num_threads()
    with pytest.raises(KeyError), detops.threads(7), detops.value_checks(False):
        raise KeyError
    assert detops.get_num_threads() == before
    with pytest.raises(ValueError, match="batch"):
        detops.get_indice_pairs(np.array([[4, 0]]), 1, (1,), 1)


def test_same_bits_for_any_number_of_threads() -> None:
    results = set()
    for count in (1, 2, 3, 8):
        with detops.threads(count):
            results.add(checksum())
    assert len(results) == 1


def test_value_checks() -> None:
    features, boxes = problem(4)
    boxes[0, 0, 0, 4] = np.inf  # With one point the angle is not used.
    with pytest.raises(ValueError, match="is inf"):
        detops.rotated_feature_align_forward(features, boxes)
    with detops.value_checks(False):
        assert np.isfinite(detops.rotated_feature_align_forward(features, boxes)).all()
        with detops.value_checks(True), pytest.raises(ValueError, match="is inf"):
            detops.rotated_feature_align_forward(features, boxes)


def test_many_threads() -> None:
    expected = {rows: checksum(rows) for rows in (8, 16, 32)}

    def work(rows: int) -> bool:
        with detops.threads(1 + rows % 3):
            return checksum(rows) == expected[rows]

    for _ in range(3):
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, [8, 16, 32] * 20))


def test_errors_stay_with_their_thread() -> None:
    features, boxes = problem(4)

    def fail(points: int) -> str:
        for _ in range(50):
            try:
                detops.rotated_feature_align_forward(features, boxes, 1.0, points)
            except ValueError as error:
                text = str(error)
                assert f"points is {points}," in text
        return text

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(fail, range(10, 16)))) == 6


def test_other_threads_run_during_a_call() -> None:
    """The lock is free during a call: a counting thread gets on meanwhile."""
    features, boxes = problem(256)
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0)

    interval = sys.getswitchinterval()
    # Without the release nobody would take the lock away from the caller within this time.
    sys.setswitchinterval(100)
    counter = threading.Thread(target=count)
    try:
        counter.start()
        for _ in range(5):
            before = ticks
            with detops.threads(1):
                detops.rotated_feature_align_backward(features, boxes, 1.0, 5)
            assert ticks > before
    finally:
        sys.setswitchinterval(interval)
        done.set()
        counter.join()


def test_a_thread_frees_its_handle() -> None:
    """Scratch memory of ended threads comes back: without that this would take over 1 GiB."""
    features, boxes = problem(256)

    def work() -> None:
        with detops.threads(1):
            detops.rotated_feature_align_backward(features, boxes, 1.0, 5)

    def resident() -> int:
        gc.collect()
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def run(count: int) -> None:
        for _ in range(count):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()

    run(5)
    before = resident()
    run(60)
    # A handle keeps some 20 MiB here.
    assert resident() - before < 200 << 20


def send_checksum(pipe: Any) -> None:
    pipe.send(checksum())
    pipe.close()


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(method: str) -> None:
    expected = checksum()  # Threads of the library run before the fork.
    context: Any = multiprocessing.get_context(method)
    children = []
    for _ in range(3):
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=send_checksum, args=(sender,))
        child.start()
        sender.close()
        children.append((child, receiver))
    for child, receiver in children:
        assert receiver.poll(60)
        assert receiver.recv() == expected
        child.join(60)
        assert child.exitcode == 0
    assert checksum() == expected


def test_python_ends_while_daemon_threads_work() -> None:
    """A thread that comes back from a call then is stopped by Python, in the middle of C++."""
    program = (
        "import threading, time, numpy as np, detops\n"
        "maps = np.ones((2, 128, 128, 32), np.float32)\n"
        "boxes = np.zeros((2, 128, 128, 5), np.float32)\n"
        "def work():\n"
        "    while True:\n"
        "        detops.rotated_feature_align_forward(maps, boxes, points=5)\n"
        "for _ in range(4):\n"
        "    threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.3)\n"
        "print('done')\n"
    )
    for _ in range(3):
        run = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
        assert (run.returncode, run.stdout, run.stderr) == (0, "done\n", "")


def test_fork_and_a_normal_end() -> None:
    program = (
        "import os, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from test_settings import checksum\n"
        "first = checksum()\n"
        "child = os.fork()\n"
        "assert checksum() == first\n"
        "if child == 0:\n"
        "    sys.exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
    )
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([sys.executable, "-c", program, here], check=True, timeout=60)


def test_environment() -> None:
    program = (
        "import detops; c = detops.config(); print(c['num_threads'], c['target'], c['profile'])"
    )
    environment = {**os.environ, "DETOPS_NUM_THREADS": "3", "DETOPS_TARGET": "scalar"}
    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["3", "scalar", "full"]


def test_config(capsys: pytest.CaptureFixture[str]) -> None:
    found = detops.config()
    assert found["version"] == detops.__version__
    assert found["target"] in found["supported_targets"]
    assert found["num_threads"] >= 1
    # The library of the package, not one that is installed somewhere else.
    package = os.path.dirname(os.path.abspath(detops.__file__))
    assert os.path.dirname(os.path.abspath(found["library"])) == package
    detops.show_config()
    printed = capsys.readouterr().out
    for value in (found["version"], found["target"], found["library"], "full"):
        assert value in printed
