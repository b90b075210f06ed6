"""examples/second: training alone, together, interrupted; test_second_parts.py has the rest."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("detops.torch", exc_type=ImportError)

import second_worker  # noqa: E402  It also makes the example's modules importable.
import checkpoint  # noqa: E402  isort: skip
import norm  # noqa: E402  isort: skip
import schedule  # noqa: E402  isort: skip
import train  # noqa: E402  isort: skip
from data import Scenes  # noqa: E402  isort: skip
from detops import spconv  # noqa: E402  isort: skip
from model import Second  # noqa: E402  isort: skip
from second_worker import TINY  # noqa: E402  isort: skip

WORKER = Path(second_worker.__file__)
SIZES = ("--scenes", "8", "--batch", "2", "--held-out", "3", "--no-picture", "--threads", "1")

pytestmark = pytest.mark.usefixtures("one_thread")


# ---- several processes ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def alone() -> list[dict[str, Any]]:
    return second_worker.run()


def torchrun(folder: Path, *options: str) -> list[str]:
    launcher = [sys.executable, "-m", "torch.distributed.run", *options]
    return [*launcher, str(WORKER), str(folder)]


def finish(*runs: subprocess.Popen[str]) -> None:
    # They take seconds; the rest is for machines that have much else to do.
    deadline = time.monotonic() + 300
    try:
        results = [
            (run.communicate(timeout=max(1, deadline - time.monotonic())), run.returncode)
            for run in runs
        ]
    finally:
        for run in runs:
            run.terminate()  # torchrun ends its processes then; killed, it would leave them behind.
        for run in runs:
            try:
                run.wait(60)
            except subprocess.TimeoutExpired:
                run.kill()
    assert [code for _, code in results] == [0] * len(runs), results


def begin(command: list[str], **environment: str) -> subprocess.Popen[str]:
    # OMP_NUM_THREADS: torchrun warns where it has to choose.
    return subprocess.Popen(
        command,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def assert_close(found: Any, expected: Any) -> None:
    assert (found - expected).abs().max() <= 1e-10 * expected.abs().max()


def assert_as_one(folder: Path, alone: list[dict[str, Any]]) -> None:
    runs = [torch.load(folder / f"rank{rank}.pt") for rank in range(2)]
    *steps, last = alone
    shares = [[run[step]["voxels"] for run in runs] for step in range(len(steps))]
    assert [sum(share) for share in shares] == [step["voxels"] for step in steps]
    # Uneven shares, and a process without a voxel.
    assert shares[0][1] == 0 and min(shares[1]) > 0
    for run in runs:
        for mine, theirs in zip(run, steps, strict=False):
            assert_close(mine["loss"], theirs["loss"])
            assert mine["gradients"].keys() == theirs["gradients"].keys()
            for name, gradient in theirs["gradients"].items():
                assert_close(mine["gradients"][name], gradient)
        for name, number in last["state"].items():
            assert_close(run[-1]["state"][name].double(), number.double())


def test_gradients_reach_everything(alone: list[dict[str, Any]]) -> None:
    # Otherwise the comparisons below would compare zeros.
    for step in alone[:-1]:
        assert all(gradient.abs().max() > 0 for gradient in step["gradients"].values())


def test_two_processes_are_as_one(alone: list[dict[str, Any]], tmp_path: Path) -> None:
    finish(begin(torchrun(tmp_path, "--standalone", "--nproc-per-node=2")))
    assert_as_one(tmp_path, alone)


@pytest.fixture
def hosts() -> Iterator[list[str]]:
    """Two network namespaces with a cable between them: to programs, two machines."""
    if not shutil.which("ip"):
        pytest.skip("needs the program ip (iproute2)")
    names = [f"second{os.getpid()}{letter}" for letter in "ab"]

    def ip(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["ip", *words], capture_output=True, text=True, check=False)

    try:
        for name in names:
            if (made := ip("netns", "add", name)).returncode != 0:
                pytest.skip(f"may not make network namespaces: {made.stderr.strip()}")
        cable = ["link", "add", "cable", "netns", names[0], "type", "veth"]
        if (made := ip(*cable, "peer", "name", "cable", "netns", names[1])).returncode != 0:
            pytest.skip(f"may not connect network namespaces: {made.stderr.strip()}")
        for number, name in enumerate(names, 1):
            for words in (
                ("addr", "add", f"10.77.0.{number}/24", "dev", "cable"),
                ("link", "set", "cable", "up"),
                ("link", "set", "lo", "up"),
            ):
                assert ip("-n", name, *words).returncode == 0
            if (ran := ip("netns", "exec", name, "true")).returncode != 0:
                pytest.skip(f"may not run programs in network namespaces: {ran.stderr.strip()}")
        yield names
    finally:
        for name in names:
            ip("netns", "del", name)


def test_two_hosts_are_as_one(
    alone: list[dict[str, Any]], hosts: list[str], tmp_path: Path
) -> None:
    def on(host: int) -> subprocess.Popen[str]:
        options = ("--nnodes=2", "--nproc-per-node=1", f"--node-rank={host}")
        command = torchrun(tmp_path, *options, "--master-addr=10.77.0.1", "--master-port=29400")
        return begin(
            ["ip", "netns", "exec", hosts[host], *command], GLOO_SOCKET_IFNAME="cable"
        )

    finish(on(0), on(1))
    assert_as_one(tmp_path, alone)


def test_a_batch_must_suffice_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from data import Shares

    monkeypatch.setattr("distributed.processes", lambda: 3)
    with pytest.raises(ValueError, match="a batch of 2 cannot be split over 3 processes"):
        Shares(range(6), 2)


# ---- normalisation -------------------------------------------------------------------------------


def test_norm_is_batch_norm() -> None:
    torch.manual_seed(2)
    rows = (5 + torch.randn(30, 4, dtype=torch.float64)).requires_grad_()
    maps = (5 + torch.randn(2, 4, 3, 5, dtype=torch.float64)).requires_grad_()
    for ours, plain, x in (
        (norm.SynchronisedBatchNorm1d(4), torch.nn.BatchNorm1d(4), rows),
        (norm.SynchronisedBatchNorm2d(4), torch.nn.BatchNorm2d(4), maps),
    ):
        ours.double(), plain.double()
        torch.nn.init.uniform_(plain.weight), torch.nn.init.uniform_(plain.bias)
        ours.load_state_dict(plain.state_dict())
        assert ours.state_dict().keys() == plain.state_dict().keys()
        mine, theirs = norm.normalise(ours, x), plain(x)
        torch.testing.assert_close(mine, theirs, rtol=1e-12, atol=1e-12)
        for name, number in plain.state_dict().items():
            torch.testing.assert_close(ours.state_dict()[name], number, rtol=1e-12, atol=0)
        seed = torch.randn_like(mine)
        grads = [torch.autograd.grad(y, x, seed)[0] for y in (mine, theirs)]
        torch.testing.assert_close(*grads, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("count", [0, 1])
def test_norm_takes_hardly_any_rows(count: int) -> None:
    layer = norm.SynchronisedBatchNorm1d(3)
    sites = torch.zeros(count, 3, dtype=torch.int32)
    found = layer(spconv.SparseConvTensor(torch.ones(count, 3), sites, [2, 2], 1))
    # One row is its own mean, and there is no variance to divide by.
    assert found.features.tolist() == [[0.0] * 3] * count
    # Nor one to remember: many such batches would leave 0, and eval mode divides by it.
    for name, number in norm.SynchronisedBatchNorm1d(3).state_dict().items():
        assert torch.equal(layer.state_dict()[name], number), name


def test_encoder_folds() -> None:
    torch.manual_seed(3)
    model = Second(TINY.grid).double()
    batch = next(iter(train.load(Scenes(TINY, 6), range(2), 2, 0))).double()
    model(batch.features, batch.indices, 2)  # Statistics that are not those of the beginning.
    model.eval()
    fused = spconv.fuse(model)
    layers = [type(layer).__name__ for layer in fused.encoder.modules()]
    assert layers.count("SparseIdentity") == 24 and "SynchronisedBatchNorm1d" not in layers
    views = [network.encode(batch.features, batch.indices, 2) for network in (model, fused)]
    assert views[0].shape == (2, 128, 16, 16) and views[0].abs().max() > 0
    torch.testing.assert_close(*views, rtol=1e-10, atol=1e-12)


# ---- a run ---------------------------------------------------------------------------------------


def test_schedule_is_one_cycle() -> None:
    optimizer = torch.optim.AdamW([torch.zeros(1)])
    rates = [schedule.set_rate(optimizer, step / 100) for step in range(101)]
    top = rates.index(max(rates))
    assert rates[0] == pytest.approx(schedule.HIGHEST / 10) and rates[-1] < schedule.HIGHEST / 500
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True) and top == 30
    assert optimizer.param_groups[0]["lr"] == rates[-1]


def test_training_learns(tmp_path: Path) -> None:
    options = train.parse([*SIZES, "--epochs", "5", "--checkpoint", str(tmp_path)])
    run = train.Run(options, TINY)
    batch = next(iter(train.load(Scenes(TINY, 6), range(2), 2, 0)))
    losses = []
    for run.progress.step in range(20):
        losses.append(run.step(batch).parts)
    # Scores, boxes and directions, each of them.
    assert (losses[-1] < 0.6 * losses[0]).all() and losses[-1].sum() < 0.35 * losses[0].sum()


def test_run_ends_with_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    wanted = [word for word in SIZES if word != "--no-picture"]
    train.main([*wanted, "--epochs", "2", "--workers", "0", "--checkpoint", str(tmp_path)], TINY)
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[:4] for line in printed[:2]] == [
        ["50.0", "%", "epoch", "1"],
        ["100.0", "%", "epoch", "2"],
    ]
    assert printed[2].startswith("3 scenes held out with ")
    assert printed[3].startswith("average precision at IoU 0.5: 0.")
    assert printed[4].startswith("cars found (score 0.3 or more): ")
    assert printed[5] == f"picture: {tmp_path}/scenes.png"
    image = (tmp_path / "scenes.png").read_bytes()
    assert image.startswith(b"\x89PNG") and len(image) > 5000


def test_bar_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = train.Run(train.parse([*SIZES, "--checkpoint", str(tmp_path), "--epochs", "1"]), TINY)
    run.progress.step = 2
    run.show(torch.ones(3))
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    run.show(torch.ones(3))
    shown = capsys.readouterr().out
    assert shown.startswith("\r[" + 15 * "#" + 15 * "." + "]  50.0 %") and "\n" not in shown


def state_after(folder: Path, *arguments: str) -> dict[str, Any]:
    train.main([*SIZES, "--workers", "0", "--checkpoint", str(folder), *arguments], TINY)
    made: dict[str, Any] = torch.load(folder / "last.pt", weights_only=True)
    del made["progress"]["seconds"]
    return made


def assert_same(found: Any, expected: Any) -> None:
    """Every bit."""
    assert type(found) is type(expected)
    if isinstance(expected, torch.Tensor):
        assert torch.equal(found, expected)
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, part in expected.items():
            assert_same(found[key], part)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for left, right in zip(found, expected, strict=True):
            assert_same(left, right)
    else:
        assert found == expected


def test_resumed_is_uninterrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = state_after(tmp_path / "whole", "--epochs", "2")
    steps = 0
    original = train.Run.step

    def interrupted(run: train.Run, batch: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps in (2, 7):  # Within both epochs.
            os.kill(os.getpid(), signal.SIGINT if steps == 2 else signal.SIGTERM)
        return original(run, batch)

    monkeypatch.setattr(train.Run, "step", interrupted)
    capsys.readouterr()
    first = state_after(tmp_path / "parts", "--epochs", "2")
    assert first["progress"] == {"epoch": 0, "step": 2}
    assert f"interrupted; {tmp_path}/parts/last.pt" in capsys.readouterr().out
    second = state_after(tmp_path / "parts", "--epochs", "2", "--resume")
    assert second["progress"] == {"epoch": 1, "step": 3}
    third = state_after(tmp_path / "parts", "--epochs", "2", "--resume")
    assert third["progress"] == {"epoch": 2, "step": 0} and steps == 8
    assert_same(third, whole)
    assert not torch.equal(second["model"]["head.weight"], third["model"]["head.weight"])


def test_minutes_end_a_run(tmp_path: Path) -> None:
    state = state_after(tmp_path, "--minutes", "1e-9")
    assert state["progress"] == {"epoch": 0, "step": 1}


def test_workers_make_the_same(tmp_path: Path) -> None:
    states = [
        state_after(tmp_path / number, "--epochs", "1", "--workers", number) for number in "02"
    ]
    assert_same(*states)


def test_resume_needs_the_same_run(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="nothing to resume: there is no .*last.pt"):
        state_after(tmp_path, "--resume")
    state_after(tmp_path, "--minutes", "1e-9")
    with pytest.raises(SystemExit, match="was made with seed 0, not 3"):
        state_after(tmp_path, "--minutes", "1", "--resume", "--seed", "3")


def test_a_failed_save_leaves_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters())
    checkpoint.save(tmp_path, model, optimizer, checkpoint.Progress(epoch=4), {})

    def fail(_: Any, file: Any) -> None:
        file.write(b"half of it")
        raise OSError("no space left")

    monkeypatch.setattr(torch, "save", fail)
    with pytest.raises(OSError, match="no space left"):
        checkpoint.save(tmp_path, model, optimizer, checkpoint.Progress(epoch=5), {})
    assert checkpoint.restore(tmp_path, model, optimizer, {}).epoch == 4


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--batch", "9", "--scenes", "8"], "--batch must be at least 1, and at most --scenes"),
        (["--epochs", "0"], "--epochs must be at least 1"),
        (["--minutes", "0"], "--minutes must be more than 0"),
        (["--held-out", "0"], "--held-out must be at least 1"),
        (["--workers", "-1"], "--workers must be at least 0"),
        (["--epochs", "2", "--minutes", "1"], "not allowed with"),
    ],
)
def test_wrong_options(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        train.parse([*arguments, "--no-picture"])
    assert sentence in capsys.readouterr().err


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SystemExit, match="needs matplotlib: .* or say --no-picture"):
        train.parse([])
    assert train.parse(["--no-picture"]).no_picture
