"""Where something is missing, scripts say it in one sentence and end with a code other than 0."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pages
import pytest

ROOT = pages.ROOT
TOOLS = "awk bash cat dirname find basename sort paste sed env grep id mktemp rm realpath uname".split()


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder for PATH with the shell's usual companions and nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in TOOLS:
        path = shutil.which(name)
        if path is None:
            pytest.skip(f"needs {name}")
        (folder / name).symlink_to(path)
    return folder


def add(folder: Path, name: str, script: str) -> None:
    (folder / name).unlink(missing_ok=True)  # Not through a link into the system's own tool.
    (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    (folder / name).chmod(0o755)


def run(folder: Path, *command: str) -> tuple[int, str]:
    """The code and the last line of what was said."""
    done = subprocess.run(
        [str(folder / "bash"), *command],
        cwd=ROOT,
        env={"PATH": str(folder), "HOME": str(folder)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode, (done.stderr.splitlines() or [""])[-1]


def test_no_compiler_and_no_package_manager(bare: Path) -> None:
    code, said = run(bare, "dev", "build")
    assert code == 1 and said.startswith("missing: g++ cmake ninja ")
    assert said.endswith("no known package manager was found, please install them")


def test_no_right_to_install(bare: Path) -> None:
    add(bare, "apt-get", "exit 1")
    add(bare, "id", "echo 1000")
    code, said = run(bare, "dev", "build")
    assert code == 1 and said.startswith("not allowed to install packages; please run as root: apt-get")


def test_no_network(bare: Path) -> None:
    add(bare, "apt-get", "exit 100")
    add(bare, "id", "echo 0")
    code, said = run(bare, "dev", "build")
    assert code == 1 and said.startswith("could not be installed (is there a network?): g++ cmake")


def test_pip_without_a_network(bare: Path) -> None:
    add(bare, "python", "echo 'no route to the index' >&2; exit 1")
    code, said = run(bare, "python/wheel/pinned.sh", "python", "test")
    assert code == 77 and said.startswith("pip could not install what python/requirements.txt has in")


def test_an_old_python(bare: Path) -> None:
    add(bare, "python3", 'case "$1" in --version) echo Python 3.9.2 ;; *) exit 1 ;; esac')
    code, said = run(bare, "python/wheel/build.sh")
    assert (code, said) == (1, "detops needs Python 3.10 or later, python3 is Python 3.9.2")


def test_a_library_that_was_not_built(bare: Path) -> None:
    add(bare, "python3", "exit 0")
    code, said = run(bare, "python/wheel/build.sh", "nowhere/libdetops.so", "folder")
    assert (code, said) == (1, "there is no library nowhere/libdetops.so; build it: ./dev build")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["room"], "./dev room: '' is none of: bbox_overlaps "),
        (["room", "nowhere"], "./dev room: 'nowhere' is none of: bbox_overlaps "),
        (["fuzz", "--minutes"], "./dev fuzz: --minutes is '', expected a whole number above 0"),
        (["fuzz", "--minutes", "x"], "./dev fuzz: --minutes is 'x', expected a whole number"),
        (["fuzz", "nowhere"], "./dev fuzz: there is no target 'nowhere', only: bbox_overlaps_fuzz "),
    ],
)
def test_wrong_words(bare: Path, words: list[str], said: str) -> None:
    code, text = run(bare, "dev", *words)
    assert code == 2 and text.startswith(said)


def test_unknown_verbs(bare: Path) -> None:
    done = subprocess.run(
        [str(bare / "bash"), "dev", "nowhere"],
        cwd=ROOT,
        env={**os.environ, "PATH": str(bare)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and done.stderr.startswith("unknown verb: nowhere\n")
