"""The package as a whole: names, types, documentation, examples."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import detops
import numpy as np
import pytest
from detops import _native

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent.parent
PACKAGE = Path(detops.__file__).resolve().parent
MODULES = sorted(
    f"detops.{module.name}"
    for module in pkgutil.iter_modules([str(PACKAGE)])
    if module.name.startswith("_") and module.name != "_native"
)


def test_version_is_that_of_the_project() -> None:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="ascii")
    match = re.search(r"project\(detops VERSION ([0-9.]+)", text)
    assert match is not None and detops.__version__ == match.group(1)


def test_all_names_exist_and_are_documented() -> None:
    assert sorted(detops.__all__) == detops.__all__
    for name in detops.__all__:
        assert hasattr(detops, name)
        if name != "__version__":
            assert inspect.getdoc(getattr(detops, name)), name
    functions = [name for name in detops.__all__ if inspect.isroutine(getattr(detops, name))]
    for name in functions:
        assert ">>>" in (inspect.getdoc(getattr(detops, name)) or ""), name


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_documentation(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_examples_of_the_page() -> None:
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    text = (ROOT / "docs" / "python.md").read_text(encoding="ascii")
    # A fence ends an example; numbers of this machine are not those of others.
    text = text.replace("```", "").replace(detops.__version__, "...")
    text = re.sub(r"^(target|supported targets|threads|torch operators)  .*$", r"\1 ...", text, flags=re.MULTILINE)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=options)
    runner.run(parser.get_doctest(text, {}, "python.md", None, 0))
    result = runner.summarize()
    assert result.attempted > 5 and result.failed == 0


def test_documented_functions_are_in_the_table() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="ascii")
    for name in detops.__all__:
        if inspect.isroutine(getattr(detops, name)):
            assert f"`{name}" in page, name


def test_import_needs_numpy_only() -> None:
    program = (
        "import sys, detops\n"
        "known = sys.stdlib_module_names | {'numpy', 'detops'}\n"
        "names = {name.split('.')[0] for name in sys.modules} - known\n"
        # Files that installers leave in site-packages are loaded before any program.
        "print(sorted(n for n in names if not n.startswith('_') and 'distutils' not in n))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_wheel_holds_no_headers() -> None:
    names = {path.name for path in PACKAGE.rglob("*") if path.is_file()}
    assert "py.typed" in names and "_native.pyi" in names and "libdetops.so.0" in names
    assert not [n for n in names if n.endswith((".h", ".cc", ".cmake", ".txt", ".pc", ".a"))]


@pytest.mark.skipif(sys.platform != "linux", reason="reads the process's maps")
def test_libraries_come_from_the_package() -> None:
    with open("/proc/self/maps", encoding="utf-8") as file:
        loaded = {line.split()[-1] for line in file if "/" in line}
    for name in ("libdetops.so", "libhwy.so"):
        beside = [path for path in PACKAGE.glob("*") if path.name.startswith(name)]
        paths = [path for path in loaded if name in os.path.basename(path)]
        if beside:
            assert {os.path.dirname(path) for path in paths} == {str(PACKAGE)}


def run_tool(*arguments: str) -> None:
    pytest.importorskip("mypy")
    run = subprocess.run(
        [sys.executable, "-m", *arguments, f"--cache-dir={os.devnull}"],
        capture_output=True,
        text=True,
        cwd=TESTS,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_types_of_the_package() -> None:
    run_tool("mypy", "--strict", "-p", "detops")


def test_types_of_tests_and_examples() -> None:
    examples = [str(path) for path in sorted((ROOT / "python" / "examples").glob("*.py"))]
    run_tool("mypy", "--strict", *sorted(path.name for path in TESTS.glob("*.py")), *examples)


def test_stub_agrees_with_the_extension() -> None:
    """The same functions and arguments. (stubtest takes no functions but Python's own.)"""
    tree = ast.parse((PACKAGE / "_native.pyi").read_text(encoding="ascii"))
    stubs = {
        node.name: [argument.arg for argument in node.args.args]
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }
    functions = {
        name: [
            parameter.split(":")[0]
            for parameter in re.findall(r"\w+: \w+", str(function.__doc__).split(" -> ")[0])
        ]
        for name, function in vars(_native).items()
        if not name.startswith("_") and callable(function)
    }
    assert stubs == functions


@pytest.mark.parametrize("name", ["pool_points_in_boxes.py", "sparse_layer.py"])
def test_examples_run(name: str, tmp_path: Path) -> None:
    script = ROOT / "python" / "examples" / name
    run = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout


def test_named_tuples_are_plain_tuples() -> None:
    result = detops.get_indice_pairs(np.array([[0, 0]], np.int32), 1, (1,), 1)
    out_indices, _, _, num_act_out, output_shape = result
    assert num_act_out == 1 and output_shape == (1,) and out_indices.tolist() == [[0, 0]]
