"""python -m detops.encoders on a handful of voxels."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("detops.torch", exc_type=ImportError)

from detops import _measuring, encoders, spconv  # noqa: E402
from detops._sparse_encoders import MAKERS, NAMES, Layers  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")
VOXELS = "400"


def test_orders_have_the_same_sites() -> None:
    made, ascending = (encoders.make_sites(2000, order) for order in ("scan", "sorted"))
    assert made.shape == ascending.shape and not torch.equal(made, ascending)
    assert torch.equal(torch.unique(made, dim=0), ascending)


@pytest.mark.parametrize(
    ("key", "count"), [("second", 12), ("centerpoint", 21), ("voxelnext", 104)]
)
def test_networks_are_those_of_their_names(key: str, count: int) -> None:
    network = MAKERS[key](Layers(spconv))
    layers = [m for m in network.modules() if isinstance(m, spconv.conv.SparseConvolution)]
    assert len(layers) == count


# One 3x3x3 layer on two neighbours has four pairs, each 2 * 5 * 16 operations.
def test_flops_by_hand() -> None:
    network = Layers(spconv).subm(5, 16, "a")
    sites = torch.tensor([[0, 1, 1, 1], [0, 1, 1, 2]], dtype=torch.int32)
    x = spconv.SparseConvTensor(torch.ones(2, 5), sites, [3, 3, 3], 1)
    assert _measuring.count_flops(network, lambda: network(x)) == 4 * 2 * 5 * 16


@pytest.mark.parametrize("key", NAMES)
def test_report(
    key: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(encoders, "version_of_spconv", lambda: None)
    encoders.main(
        [
            "--case",
            key,
            "--voxels",
            VOXELS,
            "--repeat",
            "2",
            "--threads",
            "1",
            "--gflops",
            "100",
            "--layers",
        ]
    )
    out, err = capfd.readouterr()
    assert err == "", err
    head, _, empty, case, inference, step, memory, *layers = out.splitlines()
    assert (
        head == f"torch {torch.__version__}, no spconv, 1 threads, sites in scan order"
        and not empty
    )
    assert re.fullmatch(
        rf"{re.escape(NAMES[key])}, \d+ voxels: [\d.]+ GFLOP, bound [\d.]+ ms at 100 GFLOP/s",
        case,
    )
    for line, part in ((inference, "inference"), (step, "step")):
        # Of two calls, or three: none could be beyond the others.
        times = r" +[\d.]+ +[\d.]+ +- +-   best / bound +[\d.]+"
        assert re.fullmatch(f"  detops     {part:10}{times}", line)
    assert re.fullmatch(r"  detops     memory +\d+ MiB", memory)
    assert len(layers) == 8 and any("detops::" in line for line in layers)


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        (1, {}),
        (2, {"p50": 1}),
        (99, {"p50": 50}),
        (100, {"p50": 50, "p99": 99}),
        (101, {"p50": 51, "p99": 100}),
        (999, {"p50": 500, "p99": 990}),
        (1000, {"p50": 500, "p99": 990, "p99.9": 999}),
    ],
)
def test_percentiles(calls: int, expected: dict[str, int]) -> None:
    assert _measuring.percentiles(range(1, calls + 1)) == expected


def test_so_many_calls_and_so_many_seconds() -> None:
    made: list[int] = []
    assert len(_measuring.seconds(lambda: made.append(1), 4)) == 4
    assert len(made) == 5  # The first is not timed.
    times = _measuring.seconds(lambda: time.sleep(0.01), 2, 0.1)
    assert len(times) >= 3 and times == sorted(times) and times[0] >= 0.01
