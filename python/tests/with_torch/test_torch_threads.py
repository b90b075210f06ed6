"""Threads and processes: torch's number of threads holds, results do not depend on it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops
import detops.torch
import numpy as np
import torch
from support import all_calls, assert_same_bits, number_parts, differentiable_calls, to_numpy

HERE = Path(__file__).resolve().parent


@pytest.fixture(autouse=True)
def _same_threads_afterwards() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def problem(rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Enough work to be shared by threads; made without the threads of torch."""
    random = np.random.default_rng(rows)
    features = random.normal(size=(1, rows, 64, 16)).astype(np.float32)
    boxes = random.uniform(0, 60, size=(1, rows, 64, 5)).astype(np.float32)
    return torch.from_numpy(features), torch.from_numpy(boxes)


def checksum(rows: int = 64) -> bytes:
    features, boxes = problem(rows)
    features.requires_grad_()
    out = detops.torch.rotated_feature_align_forward(features, boxes, 1.0, 5)
    (gradient,) = torch.autograd.grad(out, features, out.detach())
    sites = torch.from_numpy(np.stack(np.unravel_index(np.arange(0, 4000, 3), (1, 20, 20, 10)), 1))
    book = detops.torch.get_indice_pairs(sites, 1, (20, 20, 10), 3, stride=2, padding=1)
    rows_of_map = gradient.reshape(-1, 16)[: len(sites)]
    filters = features.detach().reshape(-1)[: 27 * 16 * 8].reshape(3, 3, 3, 16, 8)
    convolved = detops.torch.indice_convolution_forward(
        rows_of_map, filters, book.indice_pairs, book.indice_num, book.num_act_out
    )
    return b"".join(bytes(to_numpy(t).tobytes()) for t in (out, gradient, convolved))


def test_same_bits_for_any_number_of_threads() -> None:
    results = set()
    for count in (1, 2, 3, 4):
        torch.set_num_threads(count)
        results.add(checksum())
        with detops.threads(5 - count):
            results.add(checksum())
    assert len(results) == 1


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_all_operators_with_threads(count: int) -> None:
    expected = [call.run_numpy() for call in all_calls()]
    torch.set_num_threads(count)
    for call, numbers in zip(all_calls(), expected, strict=True):
        assert_same_bits(call.run(), numbers)


def test_deterministic_algorithms() -> None:
    def gradients() -> list[tuple[Any, ...]]:
        made: list[tuple[Any, ...]] = []
        for call in differentiable_calls():
            call = call.with_gradients()
            (out,) = number_parts(call.run())
            made.append((out, *torch.autograd.grad(out.square().sum(), call.leaves)))
        return made

    expected = gradients()
    torch.use_deterministic_algorithms(True)
    try:
        found = gradients()
    finally:
        torch.use_deterministic_algorithms(False)
    for left, right in zip(found, expected, strict=True):
        assert_same_bits(left, right)


# ---- how many threads work -----------------------------------------------------------------------

OBSERVE = """
import os, sys
sys.path.insert(0, sys.argv[1])
import detops, detops.torch, torch
from test_torch_threads import problem

def times():  # Nanoseconds on a processor of each thread of this process.
    made = {}
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/schedstat", encoding="ascii") as file:
            made[task] = int(file.read().split()[0])
    return made

features, boxes = problem(1024)

def workers(call, wanted):
    news, most, tries = 0, 0, 0
    # On a busy machine a call may be over before the last thread has begun.
    while tries < 5 or (most < wanted and tries < 100):
        tries += 1
        before = times()
        call()
        after = times()
        news += len(after) - len(before)
        # A thread that is only woken takes some microseconds.
        spent = [after[t] - before.get(t, 0) for t in after if int(t) != os.getpid()]
        most = max(most, sum(time > 1_000_000 for time in spent))
    print(news, most)

def align():
    detops.torch.rotated_feature_align_forward(features, boxes, 1.0, 5)

def gradient():
    leaf = features.detach().requires_grad_()
    detops.torch.rotated_feature_align_forward(leaf, boxes, 1.0, 5).sum().backward()
"""


def observe(program: str) -> list[list[int]]:
    """Runs a program in a new process. For each observation: new threads, and how many besides the
    calling one have worked on a call, the most of several calls."""
    run = subprocess.run(
        [sys.executable, "-c", OBSERVE + program, str(HERE)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return [[int(word) for word in line.split()] for line in run.stdout.splitlines()]


linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@linux
def test_one_thread_means_none_besides() -> None:
    program = "torch.set_num_threads(1)\nworkers(align, 0)\nworkers(gradient, 0)\n"
    assert observe(program) == [[0, 0]] * 2


@linux
@pytest.mark.parametrize("count", [2, 3])
def test_as_many_threads_as_torch_says(count: int) -> None:
    call = f"workers(align, {count - 1})\n"
    program = f"torch.set_num_threads({count})\n" + call + call
    assert observe(program) == [[count - 1, count - 1], [0, count - 1]]


@linux
def test_the_block_counts_more_than_the_setting_of_torch() -> None:
    program = (
        "torch.set_num_threads(1)\n"
        "with detops.threads(3):\n"
        "    workers(align, 2)\n"
        "    with detops.threads(2):\n"
        "        workers(align, 1)\n"
        "    workers(align, 2)\n"
        "workers(align, 0)\n"
        "torch.set_num_threads(2)\n"
        "workers(align, 1)\n"
    )
    # More threads than torch has are the library's own; the last call makes one of torch's.
    assert observe(program) == [[2, 2], [0, 1], [0, 2], [0, 0], [1, 1]]


@linux
def test_many_callers_do_not_make_threads_without_bound() -> None:
    program = (
        "import time\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "features, boxes = problem(128)\n"
        "torch.set_num_threads(3)\n"
        "def settled():\n"
        "    counts = []\n"
        "    for _ in range(50):\n"  # Threads of Python take a moment to end.
        "        counts.append(len(os.listdir('/proc/self/task')))\n"
        "        time.sleep(0.01)\n"
        "    return min(counts)\n"
        "idle = settled()\n"
        "for _ in range(4):\n"
        "    with ThreadPoolExecutor(8) as pool:\n"
        "        list(pool.map(lambda _: align(), range(24)))\n"
        "    print(settled() - idle)\n"
    )
    counts = [line[0] for line in observe(program)]
    # At most two for each of eight callers, and not more with each round.
    assert max(counts) <= 8 * 2
    assert counts[3] <= counts[1]


def test_many_callers_get_the_same_bits() -> None:
    expected = {rows: checksum(rows) for rows in (48, 64)}

    def work(turn: int) -> bool:
        rows = (48, 64)[turn % 2]
        if turn % 3 == 0:
            return checksum(rows) == expected[rows]
        with detops.threads(1 + turn % 4):
            return checksum(rows) == expected[rows]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(48)))


# ---- processes -----------------------------------------------------------------------------------


class Pooled(torch.utils.data.Dataset[torch.Tensor]):
    """Items that operators make, with gradients, as augmentations do."""

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.frombuffer(bytearray(checksum(48 + index)), dtype=torch.uint8)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_data_loader(method: str) -> None:
    expected = [Pooled()[index] for index in range(6)]  # The parent has used its threads.
    loader = torch.utils.data.DataLoader(
        Pooled(), batch_size=None, num_workers=2, multiprocessing_context=method, timeout=100
    )
    for item, right in zip(loader, expected, strict=True):
        assert_same_bits(item, right)
    assert_same_bits(Pooled()[0], expected[0])


def send_checksum(pipe: Any) -> None:
    pipe.send(checksum())
    pipe.close()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method: str) -> None:
    expected = checksum()
    context: Any = multiprocessing.get_context(method)
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=send_checksum, args=(sender,))
    child.start()
    sender.close()
    assert receiver.poll(100)
    assert receiver.recv() == expected
    child.join(60)
    assert child.exitcode == 0


@pytest.mark.parametrize("count", [1, 2])
def test_fork_and_a_normal_end(count: int) -> None:
    """Both processes end as programs do, with all destructors. (docs/torch.md: not with more.)"""
    program = (
        "import os, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import torch\n"
        "from test_torch_threads import checksum\n"
        "torch.set_num_threads(int(sys.argv[2]))\n"
        "first = checksum()\n"
        "child = os.fork()\n"
        "assert checksum() == first\n"
        "if child == 0:\n"
        "    sys.exit(0)\n"
        "status = os.waitpid(child, 0)[1]\n"
        "assert status == 0, f'status {status}'\n"
    )
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-c", program, str(HERE), str(count)]
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        try:
            _, errors = run.communicate(timeout=100)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)  # A child that hangs must not outlive the test.
            raise
    assert run.returncode == 0, errors
