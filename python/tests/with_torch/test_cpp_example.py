"""The example without Python, examples/torch_cpp: exported, built, run, and made to fail.

It takes about 45 s of one processor: AOTInductor and the headers of torch keep a compiler busy.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("detops.torch", exc_type=ImportError)

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "torch_cpp"
BUILDER = shutil.which("ninja") or shutil.which("make")

pytestmark = pytest.mark.skipif(
    not (shutil.which("cmake") and shutil.which(os.environ.get("CXX", "g++")) and BUILDER),
    reason="needs cmake, a compiler, and ninja or make",
)


def run_nicely(*command: str | Path) -> str:
    run = subprocess.run(
        ["nice", "-n", "10", *command], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def run_program(
    program: Path, *arguments: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    # Without anything in the environment that could lead to a Python.
    return subprocess.run(
        [program, *arguments],
        env=environment or {},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("exported")
    run_nicely(sys.executable, EXAMPLE / "export_model.py", made)
    return made


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    build: Path = tmp_path_factory.mktemp("build")
    generator = "Ninja" if "ninja" in str(BUILDER) else "Unix Makefiles"
    run_nicely(
        *("cmake", "-G", generator, "-S", EXAMPLE, "-B", build),
        f"-DPython_EXECUTABLE={sys.executable}",
    )
    run_nicely("cmake", "--build", build, "--parallel", "1")
    return build / "run_model"


def spoil(folder: Path, spoilt: Path, part: int, step: float) -> None:
    """The same model, but another number in the last sample: a site (part 2) or a score (3)."""
    (spoilt / "model.pt2").symlink_to(folder / "model.pt2")
    samples = torch.load(folder / "samples.pt")
    samples[-1][part].view(-1)[-1] += step
    torch.save(samples, spoilt / "samples.pt")


def test_program_finds_what_python_found(folder: Path, program: Path) -> None:
    run = run_program(program, folder)
    assert run.returncode == 0, run.stdout + run.stderr
    lines = run.stdout.splitlines()
    assert lines[0] == "rotated_feature_align_forward: 3 4 4 6"
    samples = torch.load(folder / "samples.pt")
    sizes = [(len(sites), len(out_sites)) for sites, _, out_sites, _ in samples]
    assert len(set(sizes)) >= 2
    found = [re.match(r"(\d+) sites -> (\d+), .* ok$", line) for line in lines[1:-1]]
    assert [tuple(int(n) for n in match.groups()) for match in found if match] == sizes
    assert lines[-1] == f"{len(samples)} of {len(samples)} samples as in Python"


def test_program_holds_no_python(folder: Path, program: Path) -> None:
    run = run_program(program, folder, environment={"LD_DEBUG": "files"})
    loaded = {Path(name).name for name in re.findall(r"calling init: (\S+)", run.stderr)}
    assert "libdetops_torch.so" in loaded and "libtorch_cpu.so" in loaded
    assert not [name for name in loaded if "python" in name]


@pytest.mark.parametrize(("part", "step"), [(2, 1), (3, 1e-3), (3, float("nan"))])
def test_program_sees_a_difference(
    folder: Path, program: Path, tmp_path: Path, part: int, step: float
) -> None:
    spoil(folder, tmp_path, part, step)
    run = run_program(program, tmp_path)
    assert run.returncode == 1
    *_, before, last, summary = run.stdout.splitlines()
    assert before.endswith("ok") and last.endswith("WRONG")
    total = len(torch.load(folder / "samples.pt"))
    assert summary == f"{total - 1} of {total} samples as in Python"


def test_program_says_what_is_missing(folder: Path, program: Path, tmp_path: Path) -> None:
    run = run_program(program, folder, tmp_path / "libmissing.so")
    assert run.returncode == 1 and "libmissing.so: cannot open" in run.stderr
    run = run_program(program, tmp_path)
    assert run.returncode == 1 and run.stderr == f"cannot read {tmp_path}/samples.pt\n"
    assert run_program(program).returncode == 2
