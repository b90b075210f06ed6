"""Measured figures are data in bench/history; pages and pictures are made of them, never edited by hand.

tools/figures.py keep RESULTS.json [MORE.json...]
    `detops bench --json` (of a case in several files the fastest stays), with it what `detops_bench --benchmark_out`
    measured on the same machine and day; or a file of `python -m detops.compare --json` or of
    python/benchmarks/overhead.py. Short, and without paths, in bench/history/<machine>/<date>[-spconv|-overhead].json
tools/figures.py newest
    the newest results of the machine that `detops info` (standard input) describes
tools/figures.py write
    docs/performance.md and docs/compare.svg
tools/figures.py check
    do these two say what the data say?
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import chart

Figures = dict[str, Any]

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"
RESULTS = "detops-results-1"
CASE = ("id", "op", "shape", "type", "suite", "verdict", "timed")
TIMING = (
    "threads", "calls", "best_us", "median_us", "spread", "bound_us", "ratio", "gflops", "gbytes", "bottleneck", "target"
)  # fmt: skip


# ---- files ---------------------------------------------------------------------------------------


def read(path: Path) -> Figures:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"{path}: is not JSON: {error}")
    if not isinstance(found, dict) or not kind(found):
        sys.exit(f"{path}: was written by none of detops bench, detops_bench, detops.compare and overhead.py")
    return found


def kind(figures: Figures) -> str:
    if figures.get("format") == RESULTS:
        return "results"
    if "context" in figures and "benchmarks" in figures:
        return "benchmarks"
    if not {"cases", "versions", "machine", "date"} <= figures.keys():
        return ""
    return "overhead" if "unit" in figures else "spconv"


def history(root: Path) -> list[tuple[Path, Figures]]:
    """The newest first."""
    files = sorted(root.glob("bench/history/*/*.json"), key=lambda path: (path.name, path), reverse=True)
    return [(path, read(path)) for path in files]


def newest_of_each_machine(root: Path, wanted: str) -> dict[str, Figures]:
    found: dict[str, Figures] = {}
    for path, figures in history(root):
        if kind(figures) == wanted:
            found.setdefault(path.parent.name, figures)
    return found


# ---- keep ----------------------------------------------------------------------------------------


def short(value: Any) -> Any:
    """Four digits: more than that a measurement never has."""
    if isinstance(value, dict):
        return {key: short(item) for key, item in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def chosen(figures: Figures, keys: Iterable[str]) -> Figures:
    return {key: short(figures[key]) for key in keys if figures.get(key) not in (None, "")}


def case_of_benchmark(row: Figures, target: str) -> Figures:
    """A line of Google Benchmark, named room/shape/.../threads:N/iterations:1/manual_time."""
    name = re.sub(r"/(iterations:\d+|manual_time)", "", row["name"])
    timing = {"best_us": row["real_time"], "threads": int(name.rpartition(":")[2]), "target": target}
    timing.update({key: row[key] for key in ("bound_us", "ratio")})
    about = {"id": name, "op": name.partition("/")[0], "suite": "rooms", "verdict": "pass", "timed": True}
    return {**about, "timing": chosen(timing, TIMING)}


def slug(*words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")


def lines_of(figures: Figures) -> str:
    """JSON with a line for each case, so that a difference can be read."""
    cases = figures["cases"]
    head = json.dumps({**figures, "cases": None}, indent=1)
    if isinstance(cases, dict):
        rows = [f"{json.dumps(name)}: {json.dumps(case)}" for name, case in cases.items()]
        block = "{\n  " + ",\n  ".join(rows) + "\n }"
    else:
        block = "[\n  " + ",\n  ".join(json.dumps(case) for case in cases) + "\n ]"
    return head.replace('"cases": null', f'"cases": {block}') + "\n"


def commit() -> str:
    run = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT, check=False)
    return run.stdout.strip()


def keep(root: Path, files: list[Path]) -> Path:
    first, *more = [read(path) for path in files]
    if kind(first) in ("spconv", "overhead") and not more:
        folder, name = slug(first["machine"]), f"{first['date']}-{kind(first)}.json"
        found = short(first)
    elif kind(first) == "results" and all(kind(figures) in ("results", "benchmarks") for figures in more):
        machine, library = first["machine"], first["library"]
        others = {figures["machine"]["cpu"] for figures in more if kind(figures) == "results"} - {machine["cpu"]}
        if others:
            sys.exit(f"figures of two machines: {machine['cpu']} and {', '.join(sorted(others))}")
        folder, name = slug(machine["cpu"], f"{machine['cores']} cores"), f"{first['started'][:10]}.json"
        cases: dict[str, Figures] = {}
        for figures in [first, *more]:
            if kind(figures) == "results":
                rows = [{**chosen(c, CASE), "timing": chosen(c["timing"], TIMING)} for c in figures["cases"] if c["timed"]]
            else:
                rows = [case_of_benchmark(row, figures["context"].get("target", "")) for row in figures["benchmarks"]]
                if len({row["id"] for row in rows}) < len(rows):
                    sys.exit("two benchmarks of one file have the same name")
            for row in rows:  # of several runs the fastest: the others say what else the machine did
                if row["timing"]["best_us"] < cases.get(row["id"], row)["timing"]["best_us"] or row["id"] not in cases:
                    cases[row["id"]] = row
        found = {
            **{key: first[key] for key in ("format", "started", "threads")},
            "commit": commit(),
            "machine": chosen(machine, machine),
            "library": chosen(library, ("name", "version", "contract", "target", "targets")),
            "cases": list(cases.values()),
        }
    else:
        sys.exit("the first file is one of detops bench, and more are of it or of detops_bench; or one of Python's alone")
    path = root / "bench" / "history" / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(lines_of(found), encoding="utf-8")
    return path


# ---- newest --------------------------------------------------------------------------------------


def newest(root: Path, info: str) -> Path:
    def told(what: str) -> str:
        line = re.search(rf"^{what} +(.+)$", info, re.MULTILINE)
        if not line:
            sys.exit(f'standard input has no line "{what}": it is not what detops info prints')
        return line[1]

    cpu, cores, target = told("processor"), told("cores"), told("SIMD target in use")
    fitting = [
        path
        for path, figures in history(root)
        if kind(figures) == "results"
        and (figures["machine"]["cpu"], str(figures["machine"]["cores"])) == (cpu, cores)
        and figures["library"]["target"] == target
    ]
    if not fitting:
        sys.exit(f"no figures of this machine are kept ({cpu}, {cores} cores, {target}), and those of others say nothing "
                 "about it: ./dev baseline --write measures and keeps some")  # fmt: skip
    return fitting[0]


# ---- write ---------------------------------------------------------------------------------------


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], words: int) -> str:
    """The first columns are words, the others numbers."""
    heads = list(heads)
    rule = ["---"] * words + ["--:"] * (len(heads) - words)
    return "".join(f"| {' | '.join(row)} |\n" for row in [heads, rule, *rows])


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def ratio(timing: Figures) -> str:
    """Of calls so short that waking a thread takes longer than the work, a ratio says nothing."""
    value = timing["ratio"]
    return "-" if timing["bound_us"] < 1 else f"{value:.2f}" if value < 100 else number(value)


def rate(value: float) -> str:
    return number(value) if value >= 0.05 else "-"


def page_of_results(machine: str, figures: Figures) -> str:
    about, library = figures["machine"], figures["library"]
    text = (
        f"## {about['cpu']}, {about['cores']} cores, {library['target']}\n\n"
        f"{figures['started'][:10]}, commit {figures['commit']}, {figures['threads']} threads, {about['compiler']}; "
        f"bandwidth {about['bandwidth_gbytes']:.0f} GB/s, peak {about['peak_gflops']:.0f} GFLOP/s.\n"
        f"Data: `bench/history/{machine}/{figures['started'][:10]}.json`.\n"
    )
    documents = [case for case in figures["cases"] if case["suite"] == "documents"]
    rooms = sorted((case for case in figures["cases"] if case["suite"] == "rooms"), key=lambda case: case["op"])
    if documents:
        text += "\n### The documents' shapes\n\n" + table(
            ("operator", "shape", "us", "spread", "bound", "x bound", "GFLOP/s", "GB/s"),
            (
                (case["op"], case["shape"], number(timing["best_us"]), f"{100 * timing['spread']:.0f} %",
                 number(timing["bound_us"]), ratio(timing), rate(timing["gflops"]), rate(timing["gbytes"]))
                for case in documents
                for timing in [case["timing"]]
            ),
            2,
        )  # fmt: skip
    if rooms:
        text += "\n### The rooms' shapes\n\n" + table(
            ("room", "case", "us", "bound", "x bound"),
            (
                (case["op"], re.sub(r"^[^/]*/|/float|/threads:\d+", "", case["id"]), number(timing["best_us"]),
                 number(timing["bound_us"]), ratio(timing))
                for case in rooms
                for timing in [case["timing"]]
            ),
            2,
        )  # fmt: skip
    return text


def page_of_spconv(machine: str, figures: Figures) -> str:
    versions = figures["versions"]
    rows, heads = [], ("spconv", "detops is faster", "torch loop", "detops is faster")
    # Older files have no bounds.
    has_bounds = any("bound" in results.get("detops", {}) for results in figures["cases"].values())
    for name, results in figures["cases"].items():
        bound = results.get("detops", {}).get("bound")
        for (part, label), passes in zip(chart.PARTS.items(), (1, 3), strict=True):
            mine, *others = (results.get(who, {}).get(part) for who in ("detops", "spconv", "torch loop"))
            cells = [f"{1e3 * mine:.1f}"]
            for other in others:
                cells += [f"{1e3 * other:.1f}", f"{other / mine:.1f}x"] if other else ["-", "-"]
            if has_bounds:
                cells.insert(1, f"{mine / passes / bound:.2f}" if bound else "-")
            rows.append([name, label, *cells])
    return (
        f"## Next to spconv: {figures['machine']}\n\n"
        f"{figures['date']}, {figures['threads']} threads, torch {versions['torch']}, spconv {versions['spconv']}; "
        f"milliseconds.\nData: `bench/history/{machine}/{figures['date']}-spconv.json`.\n\n"
        + table(("layer", "", "detops", *(("x bound",) if has_bounds else ()), *heads), rows, 2)
    )


def page_of_overhead(machine: str, figures: Figures) -> str:
    rows = []
    for name, times in figures["cases"].items():
        rows.append([name, f"{times['C']:.2f}"])
        for who in ("NumPy", "torch"):
            rows[-1] += [f"{times[who]:.2f}", f"{times[who] - times['C']:.2f}"]
    return (
        f"## What a call from Python costs: {figures['machine']}\n\n"
        f"{figures['date']}, one thread, torch {figures['versions']['torch']}; microseconds, smallest problems.\n"
        f"Data: `bench/history/{machine}/{figures['date']}-overhead.json`.\n\n"
        + table(("function", "C", "NumPy", "more", "torch", "more"), rows, 1)
    )


def page(root: Path) -> str:
    """The page with new tables."""
    path = root / "docs" / "performance.md"
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{path}: has not the two lines that the figures stand between")
    parts: dict[str, Callable[[str, Figures], str]] = {
        "results": page_of_results,
        "spconv": page_of_spconv,
        "overhead": page_of_overhead,
    }
    tables = [make(*item) for wanted, make in parts.items() for item in newest_of_each_machine(root, wanted).items()]
    return before + begin + "\n" + "\n".join(tables) + "\n" + end + after


def made(root: Path) -> dict[Path, str]:
    files = {root / "docs" / "performance.md": page(root)}
    comparisons = [figures for _, figures in history(root) if kind(figures) == "spconv"]
    if comparisons:
        files[root / "docs" / "compare.svg"] = chart.picture(comparisons[0])
    return files


def check(root: Path) -> None:
    for path, text in made(root).items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.relative_to(root)} is not what bench/history says: ./dev figures writes it anew")


def main(arguments: list[str], root: Path = ROOT) -> None:
    match arguments:
        case ["keep", *files] if files:
            print("kept", keep(root, [Path(file) for file in files]).relative_to(root))
        case ["newest"]:
            print(newest(root, sys.stdin.read()))
        case ["write"]:
            for path, text in made(root).items():
                path.write_text(text, encoding="utf-8")
                print("wrote", path.relative_to(root))
        case ["check"]:
            check(root)
        case _:
            sys.exit(f"usage:\n{__doc__}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyError as error:
        sys.exit(f"a file of figures lacks {error}")
