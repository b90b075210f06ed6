"""The package as a whole: names, types, documentation, examples."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import detops
import numpy as np
import numpy.typing as npt
import pytest
from detops import _native

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent.parent
PACKAGE = Path(detops.__file__).resolve().parent
# What is installed, not what can be imported: the folder of torch's tests has that name too.
TORCH = any(metadata.distributions(name="torch"))
NEED_TORCH = {"_gpu_names", "_measuring", "_sparse_encoders"}
LEFT_OUT = {"_native"} if TORCH else {"_native", *NEED_TORCH}
MODULES = sorted(
    f"detops.{module.name}"
    for module in pkgutil.iter_modules([str(PACKAGE)])
    if module.name.startswith("_") and module.name not in LEFT_OUT
)


def run_program(
    arguments: list[str], folder: Path, *, stand_ins: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs Python in an empty folder.

    ``stand_ins`` gives the source of modules that are found before those installed.
    """
    modules = folder / "stand_ins"
    modules.mkdir(exist_ok=True)
    for name, source in (stand_ins or {}).items():
        (modules / f"{name}.py").write_text(source, encoding="ascii")
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(modules)},
        capture_output=True,
        text=True,
        check=False,
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


@pytest.mark.parametrize("page", ["docs/python.md", "python/README.md"])
def test_examples_of_the_page(page: str) -> None:
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    text = (ROOT / page).read_text(encoding="ascii")
    # A fence ends an example; numbers of this machine are not those of others.
    text = text.replace("```", "").replace(detops.__version__, "...")
    varying = r"^(target|supported targets|threads|torch operators)  .*$"
    text = re.sub(varying, r"\1 ...", text, flags=re.MULTILINE)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=options)
    runner.run(parser.get_doctest(text, {}, page, None, 0))
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


def test_licenses_of_all_parts_are_installed() -> None:
    files = metadata.files("detops")
    assert files is not None
    installed = {path.name: path for path in files if "licenses" in path.parts}
    kept = {path.name: path for path in [ROOT / "LICENSE", *(ROOT / "licenses").glob("*")]}
    assert sorted(installed) == sorted(kept)
    for part in ("Highway", "PyTorch", "nanobind", "robin-map"):
        assert any(name.startswith(part) for name in kept), part
    for name, path in kept.items():
        assert installed[name].read_text() == path.read_text(encoding="ascii"), name


def test_bill_of_materials_names_every_part() -> None:
    files = metadata.files("detops")
    assert files is not None
    (document,) = (path for path in files if path.parts[-2:] == ("sboms", "detops.cdx.json"))
    bill = json.loads(document.read_text())
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    subject = bill["metadata"]["component"]
    assert (subject["type"], subject["name"]) == ("library", "detops")
    assert subject["purl"] == f"pkg:pypi/detops@{metadata.version('detops')}"
    parts = bill["components"]
    assert bill["dependencies"][0]["dependsOn"] == [part["bom-ref"] for part in parts]
    # What is compiled in has a version and brings its licence; of the rest the machine has some version.
    held = {part["name"]: part for part in parts if "version" in part}
    licenses = {f"{name}-{part['licenses'][0]['expression']}.txt" for name, part in held.items()}
    kept = {path.name for path in (ROOT / "licenses").glob("*")}
    if not (PACKAGE / "libdetops_torch.so").exists():
        kept = {name for name in kept if not name.startswith("PyTorch")}
    assert licenses == kept
    for part in held.values():
        assert part["purl"].endswith(part["version"]) and part["version"][0].isdigit(), part
    assert {"libstdc++", "glibc"} <= {part["name"] for part in parts}


BINARIES = sorted(
    path for path in PACKAGE.glob("*.so*") if not path.name.startswith("libhwy")  # the system's
)


@pytest.mark.parametrize("path", BINARIES, ids=lambda path: path.name)
def test_binaries_hold_no_path_of_the_machine_that_built_them(path: Path) -> None:
    content = path.read_bytes()
    assert os.fsencode(ROOT) not in content
    assert b"site-packages" not in content
    assert b"../" not in content


@pytest.mark.skipif(shutil.which("readelf") is None, reason="needs readelf")
@pytest.mark.parametrize("path", BINARIES, ids=lambda path: path.name)
def test_binaries_are_linked_safely(path: Path) -> None:
    command = ["readelf", "--dynamic", "--program-headers", "--wide", str(path)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "GNU_RELRO" in text
    assert "BIND_NOW" in text or re.search(r"Flags:.* NOW", text)
    # Never the current folder of whoever imports the package.
    assert re.findall(r"R(?:UN)?PATH\).*\[(.*)\]", text) in ([], ["$ORIGIN"])


@pytest.mark.skipif(sys.platform != "linux", reason="reads the process's maps")
def test_libraries_come_from_the_package() -> None:
    with open("/proc/self/maps", encoding="utf-8") as file:
        loaded = {line.split()[-1] for line in file if "/" in line}
    for name in ("libdetops.so", "libhwy.so"):
        beside = [path for path in PACKAGE.glob("*") if path.name.startswith(name)]
        paths = [path for path in loaded if name in os.path.basename(path)]
        if beside:
            assert {os.path.dirname(path) for path in paths} == {str(PACKAGE)}


@pytest.mark.parametrize(
    ("stand_in", "message"),
    [
        ("raise ImportError('not here')", "detops.torch needs PyTorch 2.10 or later: pip install"),
        ("__version__ = '2.9.1'", "detops.torch needs PyTorch 2.10 or later, found 2.9.1"),
    ],
    ids=["missing", "old"],
)
def test_package_serves_without_torch(stand_in: str, message: str, tmp_path: Path) -> None:
    program = (
        "import detops\n"
        "print(detops.get_num_threads())\n"
        "try:\n    import detops.torch\n"
        "except ImportError as error:\n    print(error)\n"
    )
    run = run_program(["-c", program], tmp_path, stand_ins={"torch": stand_in})
    assert run.returncode == 0, run.stderr
    threads, said = run.stdout.splitlines()
    assert int(threads) > 0 and said.startswith(message)


@pytest.mark.skipif(not TORCH, reason="needs torch")
def test_package_built_without_torch_says_so(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(PACKAGE, copy / "detops", ignore=shutil.ignore_patterns("libdetops_torch.so"))
    program = f"import sys; sys.path.insert(0, {str(copy)!r}); import detops.torch"
    run = run_program(["-c", program], tmp_path)
    assert run.returncode == 1
    assert "ImportError: This detops was built without PyTorch. Build it again, in" in run.stderr
    run = run_program(["-c", program.replace(".torch", "; detops.install('spconv')")], tmp_path)
    assert "ImportError: install('spconv'): this detops was built without PyTorch" in run.stderr


def test_install_says_at_once_that_torch_is_missing(tmp_path: Path) -> None:
    program = (
        "import importlib.util as util, detops\n"
        "find = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'torch' else find(name, *rest)\n"
        "detops.install('spconv')\n"
    )
    run = run_program(["-c", program], tmp_path)
    assert run.returncode == 1
    said = "ImportError: install('spconv'): PyTorch 2.10 or later is not installed: pip install"
    assert said in run.stderr


def test_import_in_the_source_folder_says_so() -> None:
    run = subprocess.run(
        [sys.executable, "-c", "import detops"],
        cwd=ROOT / "python",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ImportError: you are in the source folder of detops: Python finds " in run.stderr
    assert f"pip install {ROOT}" in run.stderr


def test_import_from_an_archive_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    shutil.copytree(PACKAGE, folder / "detops", ignore=shutil.ignore_patterns("__pycache__"))
    archive = shutil.make_archive(str(tmp_path / "detops"), "zip", folder)
    program = f"import sys; sys.path.insert(0, {archive!r}); import detops"
    run = run_program(["-c", program], tmp_path)
    assert f"ImportError: detops was found in the archive {archive}, out of which" in run.stderr
    assert f"Install it: pip install {archive}" in run.stderr


def test_import_of_half_a_package_says_so(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(PACKAGE, copy / "detops", ignore=shutil.ignore_patterns("_native.*.so"))
    program = f"import sys; sys.path.insert(0, {str(copy)!r}); import detops"
    run = run_program(["-c", program], tmp_path)
    assert "has no compiled module (_native). Install detops again." in run.stderr


def test_torch_is_found_where_pip_hides_it() -> None:
    """As in the environment that pip builds in: not to be imported, but among the files."""
    path = ROOT / "python" / "wheel" / "find_torch.py"
    program = (
        "import runpy, sys\n"
        "sys.path[:] = [folder for folder in sys.path if 'packages' not in folder]\n"
        f"runpy.run_path({str(path)!r}, run_name='__main__')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if TORCH:
        assert run.returncode == 0 and Path(run.stdout.strip(), "include").is_dir(), run.stderr
    else:
        assert (run.returncode, run.stdout, run.stderr) == (1, "", "no torch found\n")


def test_an_old_torch_is_not_built_for(tmp_path: Path) -> None:
    folder = tmp_path / "stand_ins" / "torch"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "version.py").write_text("__version__ = '2.9.1+cpu'\n", encoding="ascii")
    run = run_program([str(ROOT / "python" / "wheel" / "find_torch.py")], tmp_path)
    assert run.returncode == 1 and run.stderr == "torch 2.9.1+cpu is too old, 2.10 is needed\n"


@pytest.fixture(scope="module")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for this module: what torch declares takes long to read."""
    pytest.importorskip("mypy")
    return tmp_path_factory.mktemp("mypy")


def run_mypy(cache: Path, *arguments: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={cache}", *arguments],
        capture_output=True,
        text=True,
        cwd=TESTS,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_types_of_the_package(mypy_cache: Path) -> None:
    # detops.torch can be judged only where there is torch.
    names = ["-p", "detops"] if TORCH else [f"-m{name}" for name in ("detops", *MODULES)]
    run_mypy(mypy_cache, *names)


def test_types_of_tests_and_examples(mypy_cache: Path) -> None:
    folders = [TESTS, ROOT / "python" / "examples", ROOT / "python" / "wheel", ROOT / "tools"]
    files = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    if not TORCH:
        files = [f for f in files if "\nimport torch\n" not in f.read_text(encoding="utf-8")]
    run_mypy(mypy_cache, *map(str, files))


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


def run_example(name: str, folder: Path, *, stand_ins: dict[str, str] | None = None) -> str:
    run = run_program([str(ROOT / "python" / "examples" / name)], folder, stand_ins=stand_ins)
    assert run.returncode == 0, run.stderr
    return run.stdout


def colours(image: npt.NDArray[Any]) -> int:
    return len(np.unique(image.reshape(-1, image.shape[-1]), axis=0))


def test_example_of_pooling_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="ascii")
    assert run_example("pool_points_in_boxes.py", tmp_path) in page


def test_example_of_a_layer_draws_with_matplotlib(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    printed = run_example("sparse_layer.py", tmp_path)
    assert printed.endswith("picture of 80x80: sparse_layer.png\n")
    assert (tmp_path / "sparse_layer.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    image = importlib.import_module("matplotlib.image").imread(tmp_path / "sparse_layer.png")
    assert image.shape[:2] == (80, 80) and colours(image) > 20


def test_example_of_a_layer_draws_without_matplotlib(tmp_path: Path) -> None:
    missing = {"matplotlib": "raise ImportError('not here')"}
    printed = run_example("sparse_layer.py", tmp_path, stand_ins=missing)
    page = (ROOT / "docs" / "python.md").read_text(encoding="ascii")
    assert printed.replace("sparse_layer.ppm", "sparse_layer.png") in page
    header, _, pixels = (tmp_path / "sparse_layer.ppm").read_bytes().partition(b"\n")
    assert header == b"P6 80 80 255" and len(pixels) == 80 * 80 * 3
    assert colours(np.frombuffer(pixels, np.uint8).reshape(80, 80, 3)) > 20


def test_named_tuples_are_plain_tuples() -> None:
    result = detops.get_indice_pairs(np.array([[0, 0]], np.int32), 1, (1,), 1)
    out_indices, _, _, num_act_out, output_shape = result
    assert num_act_out == 1 and output_shape == (1,) and out_indices.tolist() == [[0, 0]]
