"""What tests with PyTorch share."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Tiny tensors: more threads would only wait for each other."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(params=["before", "after"])
def run_in_either_order(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Callable[[dict[str, str], str, str, str], None]:
    """Runs a program beside some files, behind a call of install and an import; or these exchanged."""
    from test_install import run, write  # Here: whoever asks for this has imported it.

    def run_it(files: dict[str, str], install: str, use: str, program: str) -> None:
        write(tmp_path, files)
        first, second = (install, use) if request.param == "before" else (use, install)
        run(tmp_path, "\n".join([first, second, textwrap.dedent(program)]))

    return run_it
