"""detops.torch as a whole: names, documentation, types, and the operators' schemas."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch.library", reason="PyTorch is not installed")

import detops
import detops.torch
import torch

HERE = Path(__file__).resolve().parent
MODULES = ["detops.torch"] + sorted(
    f"detops.torch.{module.name}" for module in pkgutil.iter_modules(detops.torch.__path__)
)
FUNCTIONS = [
    name for name in detops.torch.__all__ if inspect.isroutine(getattr(detops.torch, name))
]
# Those that are others with words of their own, or torch's operations around them.
COMPOSED = ("batched_nms", "diff_iou_rotated_2d", "diff_iou_rotated_3d", "nms_rotated", "poly_nms")
OPERATORS = [name for name in FUNCTIONS if name not in COMPOSED]
# Results are always new tensors, and the mapping of channels is a result too.
NUMPY_ONLY = ("out", "mapping_channel")


def test_examples_of_the_page() -> None:
    text = (HERE.parents[2] / "docs" / "torch.md").read_text(encoding="ascii").replace("```", "")
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(optionflags=options)
    runner.run(doctest.DocTestParser().get_doctest(text, {}, "torch.md", None, 0))
    result = runner.summarize()
    assert result.attempted > 8 and result.failed == 0


def test_all_names_exist_and_are_documented() -> None:
    assert sorted(detops.torch.__all__) == detops.torch.__all__
    for name in detops.torch.__all__:
        assert inspect.getdoc(getattr(detops.torch, name)), name
    for name in FUNCTIONS:
        assert ">>>" in (inspect.getdoc(getattr(detops.torch, name)) or ""), name
    assert len(FUNCTIONS) >= 13


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_documentation(name: str) -> None:
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0
    functions = [f for f in FUNCTIONS if getattr(detops.torch, f).__module__ == name]
    assert result.attempted >= 3 * len(functions)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if hasattr(detops, name)])
def test_arguments_are_those_of_the_twin(name: str) -> None:
    def described(module: object) -> list[tuple[str, object, object]]:
        parameters = inspect.signature(getattr(module, name)).parameters.values()
        return [(p.name, p.kind, p.default) for p in parameters if p.name not in NUMPY_ONLY]

    assert described(detops.torch) == described(detops)


@pytest.mark.parametrize("name", ["CompactPool", "IndicePairs", "RoiAwarePool", "SoftNms"])
def test_results_are_those_of_the_twin(name: str) -> None:
    assert getattr(detops.torch, name)._fields == getattr(detops, name)._fields


def operators() -> dict[str, torch._C.FunctionSchema]:
    schemas = torch._C._jit_get_all_schemas()
    return {
        schema.name.removeprefix("detops::"): schema
        for schema in schemas
        if schema.name.startswith("detops::") and "::_" not in schema.name
    }


def test_every_function_is_an_operator() -> None:
    assert sorted(operators()) == OPERATORS


@pytest.mark.parametrize("name", OPERATORS)
def test_schemas(name: str) -> None:
    schema = operators()[name]
    parameters = inspect.signature(getattr(detops.torch, name)).parameters
    assert [argument.name for argument in schema.arguments] == list(parameters)
    assert not schema.is_mutable
    for argument in schema.arguments:
        # Lists have their defaults in the function; the operator has one for whatever it left out.
        default = parameters[argument.name].default
        assert argument.has_default_value() == (default is not inspect.Parameter.empty)
        if isinstance(default, str | bool | float):
            assert argument.default_value == default
    results = inspect.signature(getattr(detops.torch, name)).return_annotation
    fields = getattr(getattr(detops.torch, results, None), "_fields", None)
    if fields is not None:
        made = [result.name for result in schema.returns]
        assert made == list(fields)[: len(made)]


def run_mypy(*arguments: str) -> None:
    pytest.importorskip("mypy")
    environment = {**os.environ, "MYPYPATH": str(HERE.parent)}
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *arguments, f"--cache-dir={os.devnull}"],
        capture_output=True,
        text=True,
        cwd=HERE,
        env=environment,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_types_of_these_tests() -> None:
    tests = sorted(path.name for path in HERE.glob("test_torch_*.py"))
    run_mypy("support.py", "network.py", *tests)
