"""The pages for those who come from other packages: examples, hashes, times; and Python blocks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("detops.torch", exc_type=ImportError)

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "docs" / "coming_from"
PAGES = sorted(path.name for path in FOLDER.glob("*.md"))
SCRIPT = ROOT / "python" / "examples" / "same_weights.py"


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def run(folder: Path, program: str) -> None:
    """In a process of its own: install stays until a process ends."""
    arguments = [sys.executable, "-W", "error::DeprecationWarning:__main__", "-c", program]
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_is_a_page_for_each_package() -> None:
    assert PAGES == ["mlu_ops.md", "mmcv.md", "openpcdet.md", "spconv.md"]
    assert all(len(read(FOLDER / name).splitlines()) < 120 for name in PAGES)


@pytest.mark.parametrize("page", ["mmcv.md", "spconv.md"])
def test_examples_of_the_page(page: str, tmp_path: Path) -> None:
    run(
        tmp_path,
        f"""
import doctest, importlib.machinery as machinery, pathlib
find = machinery.PathFinder.find_spec  # The page is for those who have no spconv.
machinery.PathFinder.find_spec = lambda name, *rest: None if name == "spconv" else find(name, *rest)
text = pathlib.Path({str(FOLDER / page)!r}).read_text(encoding="ascii").replace("```", "")
runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
runner.run(doctest.DocTestParser().get_doctest(text, {{}}, {page!r}, None, 0))
result = runner.summarize()
assert result.attempted > 5 and result.failed == 0
""",
    )


# All that is not in the form of a session: what a program begins with.
PYTHON = [
    (path, block)
    for path in ("README.md", "docs/coming_from/openpcdet.md", "examples/mmdet3d/README.md")
    for block in re.findall(r"^```python\n(.*?)^```$", read(ROOT / path), re.M | re.S)
]


def test_no_python_block_is_forgotten() -> None:
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
    assert sum(read(path).count("```python\n") for path in found) == len(PYTHON) == 3
    sessions = {path.relative_to(ROOT).as_posix() for path in found if "```pycon\n" in read(path)}
    tested = {f"docs/{name}.md" for name in ("dropins", "python", "torch")}
    assert sessions == tested | {"docs/coming_from/mmcv.md", "docs/coming_from/spconv.md"}


@pytest.mark.parametrize(("path", "block"), PYTHON, ids=[path for path, _ in PYTHON])
def test_python_blocks_run(path: str, block: str, tmp_path: Path) -> None:
    run(tmp_path, block)


@pytest.mark.parametrize(
    ("page", "package"), [("spconv.md", "detops.spconv"), ("mmcv.md", "detops.mmcv")]
)
def test_same_seed_same_weights(page: str, package: str) -> None:
    def printed() -> list[str]:
        command = [sys.executable, str(SCRIPT), "--package", package, "--threads", "1", "2"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    lines = printed()
    hashes = {line.rpartition(" ")[2] for line in lines}
    assert len(lines) == 2 and len(hashes) == 1 and re.fullmatch(r"[0-9a-f]{64}", hashes.pop())
    assert printed() == lines
    # Other instruction sets, and other versions of torch, may draw and round otherwise.
    if torch.__version__ == "2.13.0+cpu" and torch.backends.cpu.get_cpu_capability() == "AVX2":
        assert "\n".join(lines) in read(FOLDER / page)


def test_times_beside_spconv_are_those_measured() -> None:
    page = read(FOLDER / "spconv.md")
    (kept,) = ROOT.glob("bench/history/*/2026-11-19-spconv.json")
    measured = json.loads(read(kept))
    assert measured["date"] in page and measured["machine"].split(",")[0] in page
    for name, contestants in measured["cases"].items():
        ours, theirs = (
            [1e3 * contestants[package][part] for part in ("forward", "both")]
            for package in ("detops", "spconv")
        )
        cells = [", ".join(f"{time:.1f}" for time in times) for times in (ours, theirs)]
        faster = ", ".join(f"{b / a:.1f}x" for a, b in zip(ours, theirs, strict=True))
        assert f"| {name} | {cells[0]} | {cells[1]} | {faster} |\n" in page


@pytest.mark.parametrize("page", ["mmcv.md", "openpcdet.md"])
def test_times_of_networks_are_those_measured(page: str) -> None:
    table = read(ROOT / "docs" / "networks.md")
    rows = re.findall(r"^\| (\w+:\w+) \| (\d+) \| (\d+) \|$", read(FOLDER / page), re.M)
    assert len(rows) > 5
    for name, step, predict in rows:
        assert re.search(rf"^\| {name} \| [0-9.]+ \| {step} \| {predict} \| ", table, re.M), name


def test_hashes_of_calls_are_the_golden_ones() -> None:
    rows = re.findall(r"^\| `(mluOp\S+)` \| `(\w+)` \|$", read(FOLDER / "mlu_ops.md"), re.M)
    golden = read(ROOT / "tests" / "golden" / "hashes.txt").splitlines()
    assert len(rows) == 3
    for case, value in rows:
        assert any(line.startswith(f"{case} {value} ") for line in golden), case
