"""The encoder of examples/second in C++, examples/second_cpp: exported, built, run, made to fail.

It takes about 20 s of one processor, half of it in the compiler.
"""

from __future__ import annotations

import fcntl
import os
import random
import re
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("detops.torch", exc_type=ImportError)

import detops  # noqa: E402
from detops import spconv  # noqa: E402
from test_cpp_example import run_nicely  # noqa: E402
from second_worker import TINY  # noqa: E402  It also makes the modules of examples/second importable.

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "second_cpp"
LIBRARY = Path(detops.__file__).parent / "libdetops.so.0"
BUILDER = shutil.which("ninja") or shutil.which("make")
pytestmark = pytest.mark.skipif(
    not (shutil.which("cmake") and shutil.which(os.environ.get("CXX", "g++")) and BUILDER)
    or not LIBRARY.exists(),
    reason="needs cmake, a compiler, ninja or make, and a detops with a library of its own",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    shared: Path = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # The first to come builds it for all.
        shared = shared.parent
    build = shared / "second_cpp"
    generator = "Ninja" if "ninja" in str(BUILDER) else "Unix Makefiles"
    definitions = (f"-DDETOPS_LIBRARY={LIBRARY}", "-DCMAKE_CXX_FLAGS=-Werror")
    with (shared / "second_cpp.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (build / "run_encoder").exists():
            run_nicely("cmake", "-G", generator, "-S", EXAMPLE, "-B", build, *definitions)
            run_nicely("cmake", "--build", build, "--parallel", "1")
    return build / "run_encoder"


@pytest.fixture(scope="module")
def exporter() -> Any:
    import importlib.util

    spec = importlib.util.spec_from_file_location("export_encoder", EXAMPLE / "export_encoder.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, exporter: Any) -> Path:
    made: Path = tmp_path_factory.mktemp("exported")
    exporter.main([str(made), "--scenes", "3", "--seed", "4"], TINY)
    return made


def run_program(program: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    # Without anything in the environment that could lead to a Python.
    return subprocess.run(
        [program, *arguments], env={}, capture_output=True, text=True, check=False, timeout=300
    )


def spoil(folder: Path, spoilt: Path, name: str, change: Callable[[bytearray], object]) -> Path:
    """The same folder, but with something else in one of its files."""
    spoilt.mkdir(exist_ok=True)
    for each in ("encoder.bin", "sample.bin"):
        content = bytearray((folder / each).read_bytes())
        if each == name:
            change(content)
        (spoilt / each).write_bytes(content)
    return spoilt


def set_number(position: int, number: int) -> Callable[[bytearray], object]:
    return lambda content: struct.pack_into("<i", content, position, number)


def test_program_makes_what_python_made(folder: Path, program: Path) -> None:
    run = run_program(program, folder)
    assert run.returncode == 0, run.stdout + run.stderr
    first, _, *layers, _, sites, view, verdict = run.stdout.splitlines()
    assert "; 3 scenes, " in first and first.endswith(" of 41x128x128")
    assert verdict == "as in Python"
    assert re.fullmatch(r"sites: \d+, the same as in Python", sites)
    found = re.fullmatch(r"bird's-eye view: 3 128 16 16, numbers up to (.*), worst .* (.*)", view)
    # The same operators on the same machine: the same bits, and not because all is 0.
    assert found and float(found[1]) > 0.1 and float(found[2]) == 0
    assert len(layers) == 12
    kinds = "".join(line.split()[1][0] for line in layers)
    assert kinds == "ssrssrssrssr"
    assert [number for number, line in enumerate(layers, 1) if "shared" in line] == [2, 5, 8, 11]


def test_program_needs_no_python_and_no_torch(folder: Path, program: Path) -> None:
    loaded = subprocess.run(
        [program, folder], env={"LD_DEBUG": "files"}, capture_output=True, text=True, check=True
    ).stderr
    names = {Path(name).name for name in re.findall(r"calling init: (\S+)", loaded)}
    assert "libdetops.so.0" in names
    assert not [name for name in names if "python" in name or "torch" in name]


def test_checkpoint_of_a_run(tmp_path: Path, exporter: Any, program: Path) -> None:
    network = exporter.Second(TINY.grid)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(1.5)
    torch.save({"model": network.state_dict()}, tmp_path / "last.pt")
    exporter.main([str(tmp_path), "--checkpoint", str(tmp_path)], TINY)
    assert run_program(program, tmp_path).returncode == 0
    weights = network.encoder[0][0].weight
    norm = network.encoder[0][1]
    folded = weights * (norm.weight / torch.sqrt(norm.running_var + norm.eps))[:, None, None, None, None]
    stored = torch.frombuffer(
        bytearray((tmp_path / "encoder.bin").read_bytes()), dtype=torch.float32, offset=28 + 18 * 4
    )
    torch.testing.assert_close(stored[: weights.numel()].view_as(weights), folded)


def test_other_layers(tmp_path: Path, exporter: Any, program: Path) -> None:
    """Dilation, even kernels, no bias, no activation, no keys; against torch's dense layers."""
    encoder = spconv.SparseSequential(
        spconv.SubMConv3d(2, 3, 3, dilation=2, bias=False),
        spconv.SparseConv3d(3, 5, (2, 3, 4), (1, 2, 3), (0, 1, 2), dilation=(2, 1, 2)),
        torch.nn.ReLU(),
        spconv.SubMConv3d(5, 4, 1),
    )
    space, generator = [5, 9, 11], torch.Generator().manual_seed(2)
    dense = torch.randn(2, 2, *space, generator=generator)
    dense = dense * (torch.rand(2, 1, *space, generator=generator) < 0.2)
    given = spconv.SparseConvTensor.from_dense(dense.permute(0, 2, 3, 4, 1))
    fused = spconv.fuse(encoder)
    made = fused(given)
    exporter.write_encoder(tmp_path / "encoder.bin", fused, space)
    exporter.write_sample(tmp_path / "sample.bin", given, made)
    run = run_program(program, tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr

    def at(mask: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return values * mask

    first, second, _, third = encoder
    order = (0, 4, 1, 2, 3)
    mask = (dense != 0).any(1, keepdim=True).float()
    x = at(mask, torch.conv3d(dense, first.weight.permute(order), None, padding=2, dilation=2))
    words = {"stride": (1, 2, 3), "padding": (0, 1, 2), "dilation": (2, 1, 2)}
    mask = (torch.conv3d(mask, torch.ones(1, 1, 2, 3, 4), **words) > 0.5).float()
    x = at(mask, torch.conv3d(x, second.weight.permute(order), second.bias, **words).relu())
    weight = third.weight.reshape(5, 4).T.reshape(4, 5, 1, 1, 1)  # kept as (in, out)
    x = at(mask, torch.conv3d(x, weight, third.bias))
    torch.testing.assert_close(made.dense(), x, rtol=1e-4, atol=1e-5)


def test_no_voxels(tmp_path: Path, folder: Path, exporter: Any, program: Path) -> None:
    shutil.copy(folder / "encoder.bin", tmp_path)
    nothing = torch.zeros(0, 4)
    given = spconv.SparseConvTensor(nothing, nothing.int(), TINY.grid.shape, 2)
    made = spconv.SparseConvTensor(torch.zeros(0, 64), nothing.int(), [2, 16, 16], 2)
    exporter.write_sample(tmp_path / "sample.bin", given, made)
    run = run_program(program, tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("layer", [
    spconv.SparseConvTranspose3d(2, 3, 3),
    spconv.SparseInverseConv3d(2, 3, 3, "a"),
    spconv.SubMConv2d(2, 3, 3),
    spconv.SubMConv3d(2, 3, 3, act_type=spconv.Activation.Sigmoid),
    spconv.SparseMaxPool3d(2),
    torch.nn.BatchNorm1d(2),
])  # fmt: skip
def test_exporter_refuses_what_the_program_cannot_run(
    tmp_path: Path, exporter: Any, layer: Any
) -> None:
    with pytest.raises(ValueError, match="^0: "):
        exporter.write_encoder(tmp_path / "e", spconv.SparseSequential(layer), [8, 8, 8])


# ---- files with something wrong in them ----------------------------------------------------------

LAYER = 28
"""Where the first layer begins; its key is number 15, its weights follow number 17."""


@pytest.mark.parametrize(("name", "position", "step"), [
    ("sample.bin", -4, 1.0),
    ("sample.bin", -4, float("nan")),
    # The weight at the middle of the first kernel: every voxel meets it, few have a neighbour.
    ("encoder.bin", LAYER + 72 + 4 * 4 * 13, 1.0),
    ("encoder.bin", -4, 1.0),
])  # fmt: skip
def test_program_sees_a_difference(
    folder: Path, program: Path, tmp_path: Path, name: str, position: int, step: float
) -> None:
    def add(content: bytearray) -> None:
        offset = position % len(content)
        (number,) = struct.unpack_from("<f", content, offset)
        struct.pack_into("<f", content, offset, number + step)

    run = run_program(program, spoil(folder, tmp_path, name, add))
    assert run.returncode == 1 and run.stdout.endswith("WRONG\n") and run.stderr == ""


def test_program_sees_other_sites(folder: Path, program: Path, tmp_path: Path) -> None:
    sites = struct.unpack_from("<i", (folder / "sample.bin").read_bytes(), 16)[0]
    place = 8 + 16 + sites * (16 + 16) + 4 + 4 * 3  # x of the first output site

    def change(content: bytearray) -> None:
        content[place] ^= 1

    run = run_program(program, spoil(folder, tmp_path, "sample.bin", change))
    assert run.returncode == 1 and "NOT those of Python" in run.stdout


@pytest.mark.parametrize(("name", "change", "message"), [
    ("encoder.bin", lambda b: b.clear(), "ends within the first bytes"),
    ("encoder.bin", lambda b: b.__setitem__(0, 0), "does not begin with DETOPS_E"),
    ("encoder.bin", set_number(8, 2), "is of version 2, expected 1"),
    ("encoder.bin", set_number(12, 0), "the space is 0, expected 1 to 65536"),
    ("encoder.bin", set_number(24, 13), "ends within layer 13: kind"),
    ("encoder.bin", set_number(24, 11), "bytes too many"),
    ("encoder.bin", set_number(LAYER + 4, -3), "layer 1: kernel is -3"),
    ("encoder.bin", set_number(LAYER + 52, 5), "ends within|layer 2: "),
    ("encoder.bin", lambda b: b.pop(), "ends within layer 12: biases"),
    ("encoder.bin", set_number(LAYER + 60, 1), "layer 3: the layer has the key of one"),
    ("encoder.bin", set_number(12, 1), r"layer 1: .*indices\[0, 1\] is \d+, expected"),
    ("sample.bin", set_number(16, 2**31 - 1), "ends within the sites"),
    ("sample.bin", set_number(20, 3), "sample.bin: "),
    ("sample.bin", set_number(12, 1), "layer 1: .*expected a batch id in"),
    ("sample.bin", set_number(24, -1), "layer 1: .*expected a batch id in"),
    ("sample.bin", lambda b: b.append(0), "has 1 bytes too many"),
])  # fmt: skip
def test_program_says_what_is_wrong(
    folder: Path, program: Path, tmp_path: Path, name: str, change: Any, message: str
) -> None:
    run = run_program(program, spoil(folder, tmp_path, name, change))
    assert run.returncode == 2 and run.stderr.count("\n") == 1, run.stdout + run.stderr
    assert re.search(message, run.stderr), run.stderr


def test_damage_anywhere_is_never_a_crash(folder: Path, program: Path, tmp_path: Path) -> None:
    rng = random.Random(3)
    for number in range(40):
        name = rng.choice(["encoder.bin", "sample.bin"])
        # Mostly in the numbers that say how long the rest is.
        place = rng.randrange(120) if number % 3 else rng.randrange(2000)

        def damage(content: bytearray) -> None:
            if number % 5 == 0:
                del content[rng.randrange(len(content)) :]
            else:
                content[place] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])

        run = run_program(program, spoil(folder, tmp_path, name, damage))
        assert run.returncode in (0, 1, 2), (number, name, place, run.returncode, run.stderr)
        assert run.returncode != 2 or run.stderr.strip()


def test_wrong_calls(program: Path, tmp_path: Path) -> None:
    run = run_program(program, tmp_path)
    assert run.returncode == 2 and run.stderr == f"{tmp_path}/encoder.bin: cannot be read\n"
    run = run_program(program)
    assert run.returncode == 2 and "usage: " in run.stderr
