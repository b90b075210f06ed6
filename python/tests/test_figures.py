"""tools/figures.py: measured figures become data, and pages of data."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
INFO = "processor             AMD EPYC\ncores                 2\nSIMD target in use    avx3\n"


def results(**more: Any) -> dict[str, Any]:
    """What `detops bench --json` writes, as far as it matters."""
    timing = {"best_us": 12.34567, "ratio": 1.5, "bound_us": 8.2304, "spread": 0.01, "threads": 2, "gflops": 3.0}
    case = {"id": "documents/a/case1/float", "op": "a", "shape": "rows 3", "suite": "documents", "verdict": "pass"}
    return {
        "format": "detops-results-1",
        "started": "2026-11-19T10:00:00Z",
        "threads": 2,
        "command": "/home/somebody/detops bench",
        "machine": {"cpu": "AMD EPYC", "cores": 2, "compiler": "gcc", "bandwidth_gbytes": 100.0, "peak_gflops": 500.0},
        "library": {"path": "/home/somebody/libdetops.so", "name": "libdetops.so", "target": "avx3"},
        "cases": [{**case, "timed": True, "timing": {**timing, "gbytes": 1.0}}, {**case, "id": "b", "timed": False}],
        **more,
    }


def benchmarks() -> dict[str, Any]:
    """What Google Benchmark writes."""
    row = {"name": "b/1000x1000/float/threads:2/iterations:1/manual_time", "real_time": 5.0}
    return {"context": {"target": "avx3"}, "benchmarks": [{**row, "bound_us": 4.0, "ratio": 1.25, "GB/s": 9.0}]}


def comparison(date: str = "2026-11-19") -> dict[str, Any]:
    times = {"detops": {"forward": 0.001, "both": 0.004}, "spconv": {"forward": 0.002, "both": 0.016}}
    about = {"date": date, "machine": "AMD EPYC, 2 cores", "threads": 2, "versions": {"torch": "2", "spconv": "3"}}
    return {**about, "cases": {"a layer": times}}


def overhead() -> dict[str, Any]:
    about = {"date": "2026-11-19", "machine": "one", "threads": 1, "unit": "us a call", "versions": {"torch": "2"}}
    return {**about, "cases": {"align": {"C": 0.414, "NumPy": 1.65, "torch": 4.28}}}


class Project:
    """A folder with the parts that the tool looks at."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "docs").mkdir()
        self.page = root / "docs" / "performance.md"
        self.page.write_text("above\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nbelow\n", encoding="ascii")

    def write(self, name: str, content: Any) -> str:
        path = self.root / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="ascii")
        return str(path)

    def run(self, *arguments: str, told: str = "") -> subprocess.CompletedProcess[str]:
        code = "import sys, pathlib, figures; figures.main(sys.argv[2:], pathlib.Path(sys.argv[1]))"
        command = [sys.executable, "-c", code, str(self.root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=TOOLS, check=False, input=told)

    def must(self, *arguments: str, told: str = "") -> str:
        run = self.run(*arguments, told=told)
        assert run.returncode == 0, run.stderr
        return run.stdout


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_results_are_kept_short_and_without_paths(project: Project) -> None:
    kept = project.must("keep", project.write("run.json", results()), project.write("rooms.json", benchmarks()))
    assert kept == "kept bench/history/amd-epyc-2-cores/2026-11-19.json\n"
    text = (project.root / kept.split()[1]).read_text(encoding="ascii")
    assert "somebody" not in text
    data = json.loads(text)
    assert [case["id"] for case in data["cases"]] == ["documents/a/case1/float", "b/1000x1000/float/threads:2"]
    assert data["cases"][0]["timing"]["best_us"] == 12.35
    timing = {"threads": 2, "best_us": 5.0, "bound_us": 4.0, "ratio": 1.25, "target": "avx3"}
    assert data["cases"][1] == {
        "id": "b/1000x1000/float/threads:2", "op": "b", "suite": "rooms", "verdict": "pass", "timed": True, "timing": timing
    }  # fmt: skip
    assert text.count("\n  {") == 2  # a line for each case


def test_the_fastest_of_several_runs_stays(project: Project) -> None:
    files = []
    for number, best in enumerate((7.0, 5.0, 6.0)):
        run = results()
        run["cases"][0]["timing"]["best_us"] = best
        files.append(project.write(f"{number}.json", run))
    kept = project.must("keep", *files).split()[1]
    (case,) = json.loads((project.root / kept).read_text(encoding="ascii"))["cases"]
    assert case["timing"]["best_us"] == 5.0


def test_newest_of_this_machine(project: Project) -> None:
    for day in ("2026-11-19", "2026-11-21", "2026-11-20"):
        project.must("keep", project.write("run.json", results(started=f"{day}T10:00:00Z")))
    assert project.must("newest", told=INFO).endswith("amd-epyc-2-cores/2026-11-21.json\n")
    for other in (INFO.replace("avx3", "avx2"), INFO.replace("2\n", "4\n"), INFO.replace("EPYC", "Ryzen")):
        run = project.run("newest", told=other)
        assert run.returncode != 0 and "./dev baseline --write" in run.stderr
    run = project.run("newest", told="nothing")
    assert run.returncode != 0 and 'no line "processor"' in run.stderr


def test_pages_are_made_and_compared(project: Project) -> None:
    project.must("keep", project.write("run.json", results()), project.write("rooms.json", benchmarks()))
    assert "./dev figures writes it anew" in project.run("check").stderr
    project.must("write")
    project.must("check")
    page = project.page.read_text(encoding="ascii")
    assert page.startswith("above\n") and page.endswith("below\n") and "old" not in page
    assert "| a | rows 3 | 12.3 | 1 % | 8.23 | 1.50 | 3 | 1 |\n" in page
    assert "| b | 1000x1000 | 5 | 4 | 1.25 |\n" in page
    project.page.write_text(page.replace("12.3", "2.3"), encoding="ascii")
    assert project.run("check").stderr.startswith("docs/performance.md is not what bench/history says")


def test_comparisons_with_spconv(project: Project) -> None:
    for date in ("2026-11-20", "2026-11-18"):
        kept = project.must("keep", project.write("compare.json", comparison(date)))
        assert kept == f"kept bench/history/amd-epyc-2-cores/{date}-spconv.json\n"
    project.must("write")
    page = project.page.read_text(encoding="ascii")
    assert "2026-11-20" in page and "2026-11-18" not in page  # the newest of a machine
    assert "| a layer | inference | 1.0 | 2.0 | 2.0x | - | - |\n" in page
    assert "| a layer | training step | 4.0 | 16.0 | 4.0x | - | - |\n" in page
    picture = project.root / "docs" / "compare.svg"
    assert "training step: 4.0x" in picture.read_text(encoding="ascii")
    picture.unlink()
    assert "docs/compare.svg is not what" in project.run("check").stderr


def test_bounds_of_comparisons(project: Project) -> None:
    compared = comparison()
    compared["cases"]["a layer"]["detops"]["bound"] = 0.0008
    compared["cases"]["of old"] = comparison()["cases"]["a layer"]
    project.must("keep", project.write("compare.json", compared))
    project.must("write")
    page = project.page.read_text(encoding="ascii")
    assert "| layer |  | detops | x bound | spconv |" in page
    assert "| a layer | inference | 1.0 | 1.25 | 2.0 | 2.0x | - | - |\n" in page
    assert "| a layer | training step | 4.0 | 1.67 | 16.0 | 4.0x | - | - |\n" in page  # three passes
    assert "| of old | inference | 1.0 | - | 2.0 | 2.0x | - | - |\n" in page


def test_what_a_call_costs(project: Project) -> None:
    kept = project.must("keep", project.write("overhead.json", overhead()))
    assert kept == "kept bench/history/one/2026-11-19-overhead.json\n"
    project.must("write")
    assert "| align | 0.41 | 1.65 | 1.24 | 4.28 | 3.87 |\n" in project.page.read_text(encoding="ascii")


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (["nothing.json"], "nothing.json: No such file or directory"),
        (["{"], "is not JSON"),
        ([{"cases": 1}], "was written by none of"),
        ([[]], "was written by none of"),
        ([benchmarks()], "the first file is one of detops bench"),
        ([results(), comparison()], "the first file is one of detops bench"),
        ([comparison(), results()], "the first file is one of detops bench"),
        ([results(), {**benchmarks(), "benchmarks": benchmarks()["benchmarks"] * 2}], "have the same name"),
        ([results(), overhead()], "the first file is one of detops bench"),
        ([results(), results(machine={"cpu": "Ryzen", "cores": 2})], "figures of two machines: AMD EPYC and Ryzen"),
    ],
)  # fmt: skip
def test_what_is_refused(project: Project, files: list[Any], sentence: str) -> None:
    names = [
        content if content == "nothing.json" else project.write(f"{number}.json", content)
        for number, content in enumerate(files)
    ]
    run = project.run("keep", *names)
    assert run.returncode != 0 and sentence in run.stderr and "Traceback" not in run.stderr
    assert not (project.root / "bench").exists()


def test_usage_and_a_page_without_marks(project: Project) -> None:
    for wrong in ([], ["keep"], ["draw"], ["check", "more"]):
        assert project.run(*wrong).stderr.startswith("usage:")
    project.page.write_text("no marks\n", encoding="ascii")
    assert "has not the two lines" in project.run("write").stderr
