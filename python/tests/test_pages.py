"""What the pages tell to type works as printed: shell blocks, the C program, Python blocks.

Lines of shell blocks are run, unless NOT_RUN names them with a reason; of those too the verbs, options
and paths have to exist.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import detops
import pages
import pytest

ROOT = pages.ROOT
BIN = ROOT / "build" / "release" / "bin"
PROGRAM = BIN / "detops"
PACKAGE = Path(detops.__file__).resolve().parent
LIBRARY = PACKAGE / "libdetops.so.0"

# Lines that are not run here, by how they begin.
NOT_RUN = {
    "./dev ": "a verb of ./dev builds and tests for minutes, or writes into the source tree",
    "pip install": "downloads, or compiles for minutes; python/run_tests.sh installs in such a way",
    "build/release/bin/bad_input_test": "writes into the source tree",
    "build/release/bin/run_encoder": "needs a trained network; with_torch/test_second_cpp.py",
    "python python/examples/same_weights.py": "needs torch; with_torch/test_coming_from.py",
    "python examples/second_cpp/": "needs a trained network; with_torch/test_second_cpp.py",
    "python examples/torch_cpp/": "with_torch/test_cpp_example.py runs it",
    "cmake -": "with_torch/test_cpp_example.py builds it",
    "build/torch_cpp/": "with_torch/test_cpp_example.py runs it",
    "python -m detops.networks": "trains networks for minutes",
    "cd examples/": "what follows trains",
    "python train.py": "trains for minutes; with_torch/test_second_program.py and test_mmdet3d.py",
    "torchrun": "trains for an hour; with_torch/test_second_program.py",
    "detops accept #": "judges for a minute or two",
    "detops accept --suite": "judges for minutes",
    "detops accept --library": "judges for a minute or two",
    "detops bench --suite": "measures for a minute",
}

# Folders whose pages have drawings and formulas, in blocks that need no language.
DRAWINGS = ("src/ops/", "docs/algorithms/", "docs/experiments/")

needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason="needs ./dev build")
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")

SHELL = [b for page in pages.pages() for b in pages.blocks(page) if b.language == "sh"]
NAMES = [f"{block.page}:{block.line}" for block in SHELL]


def lines(block: pages.Block) -> list[str]:
    return block.text.replace("\\\n", " ").splitlines()


def reason_not_to_run(line: str) -> str | None:
    line = re.sub(r" +", " ", line)
    return next((reason for start, reason in NOT_RUN.items() if line.startswith(start)), None)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder as the pages suppose it: sources, a program that calls the library, a library."""
    for name in ("docs", "include"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "examples").mkdir()
    for name in ("examples", "cli/case_file/examples"):
        for path in (ROOT / name).iterdir():
            (tmp_path / "examples" / path.name).symlink_to(path)
    (tmp_path / "libother.so").symlink_to(LIBRARY)
    case = ROOT / "cli" / "case_file" / "examples" / "psroipool_forward.prototxt"
    (tmp_path / "a.prototxt").symlink_to(case)
    (tmp_path / "list.txt").write_text("a.prototxt\n", encoding="ascii")
    for name in ("cases", "gen_case", "zoo"):
        folder = tmp_path / name / "psroipool_forward"
        folder.mkdir(parents=True)
        (folder / "first.prototxt").symlink_to(case)
    return tmp_path


def compile_example(place: Path) -> Path:
    program = place / "program"
    subprocess.run(
        ["cc", str(ROOT / "examples" / "example.c"), f"-I{ROOT / 'include'}", str(LIBRARY)]
        + [f"-Wl,-rpath,{PACKAGE}", "-o", str(program)],
        check=True,
    )
    return program


# ---- shell ---------------------------------------------------------------------------------------


def test_blocks_say_what_they_are() -> None:
    """A command in a block without a language would never be looked at."""
    assert len(SHELL) > 20
    commands = r"(\./dev|pip|python|cmake|cc|cd|sudo|ctest|detops [a-z]+) "
    for page in pages.pages():
        for block in pages.blocks(page):
            if block.language == "":
                assert page.startswith(DRAWINGS), f"{page}:{block.line} has no language"
                assert not re.match(commands, block.text), f"{page}:{block.line} is a command"


def test_reasons_are_needed() -> None:
    told = [re.sub(r" +", " ", line) for block in SHELL for line in lines(block)]
    for start in NOT_RUN:
        assert any(line.startswith(start) for line in told), f"no page has {start!r}"


@pytest.mark.parametrize("block", SHELL, ids=NAMES)
def test_words_of_commands_exist(block: pages.Block) -> None:
    door = (ROOT / "dev").read_text(encoding="ascii")
    for line in lines(block):
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"[A-Z_0-9]+=\S*", words[0]):
            del words[0]
        for position, word in enumerate(words):
            if word == "./dev":
                assert f"\nverb_{words[position + 1]}() {{" in door, line
        options = [word.split("=")[0] for word in words if word.startswith("--")]
        if words and words[0] == "detops" and PROGRAM.exists():
            told = subprocess.run(
                [PROGRAM, words[1], "--help"], capture_output=True, text=True, check=True
            ).stdout
            # Those of GoogleTest are taken as MLU-OPS's tests take them, and not listed.
            for option in options:
                assert option in told or option.startswith("--gtest_"), f"{option} in {line}"
        if words[:2] == ["python", "-m"]:
            module = ROOT / "python" / words[2].replace(".", "/")
            sources = [*module.glob("*.py"), *module.parent.glob(f"{module.name}.py")]
            told = "".join(path.read_text(encoding="ascii") for path in sources)
            for option in options:
                assert f'"{option}"' in told, f"{option} in {line}"
        for word in words:
            top = word.split("/")[0]
            if "/" in word and top in ("docs", "examples", "include", "python", "src", "tests"):
                if "examples/second/second_run" not in word:  # train.py makes it
                    assert (ROOT / word).exists(), f"{word} in {line}"


@needs_program
@needs_compiler
@pytest.mark.parametrize("block", SHELL, ids=NAMES)
def test_shell_blocks_run(block: pages.Block, place: Path) -> None:
    commands = [line for line in lines(block) if reason_not_to_run(line) is None]
    if not commands:
        pytest.skip("; ".join(sorted({str(reason_not_to_run(line)) for line in lines(block)})))
    text = "\n".join(commands).replace("/tmp/cases", str(place / "cases"))
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    if "pkg-config" in text:
        # In the place of `sudo cmake --install ... --prefix /usr/local`.
        prefix = place / "prefix"
        subprocess.run(
            ["cmake", "--install", str(ROOT / "build" / "release"), "--prefix", str(prefix)],
            check=True,
            capture_output=True,
        )
        found = next(prefix.glob("**/detops.pc")).parent
        environment |= {"PKG_CONFIG_PATH": str(found), "LD_LIBRARY_PATH": str(found.parent)}
        text += "\n./a.out"
    if "./program" in text:
        compile_example(place)
    if "b.pb" in text:
        text = f"detops convert a.prototxt b.pb\n{text}"
    run = subprocess.run(
        ["bash", "-euc", text],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    if "pkg-config" in text:
        assert run.stdout == "3 4 4 6\n"


# ---- C -------------------------------------------------------------------------------------------


def test_program_of_the_readme_is_the_example() -> None:
    (block,) = [block for block in pages.blocks("README.md") if block.language == "c"]
    example = (ROOT / "examples" / "example.c").read_text(encoding="ascii")
    opening, _, program = example.partition(" */\n")
    assert opening.startswith("/* ") and program == block.text


@needs_compiler
def test_program_of_the_readme_prints_what_it_says(place: Path) -> None:
    run = subprocess.run(
        [compile_example(place)], capture_output=True, text=True, check=True, env={}
    )
    (block,) = [block for block in pages.blocks("README.md") if block.language == "c"]
    said = re.search(r"printf.*/\* (.*) \*/", block.text)
    assert said is not None and run.stdout == f"{said[1]}\n"
