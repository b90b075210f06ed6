"""Whole networks on a CPU: which run, and where their time goes.

    python -m detops.networks [FRAMEWORK[:NAME] ...] [--checkout DIR] [--threads N] [--steps N] [--batch N]
    python -m detops.networks --list

Each network runs in a process of its own on generated scenes, with random weights: imports, builds,
a training step (forward, backward, finite gradients), evaluation with suppression of boxes; then some
steps are timed. The code is 1 if a network fails, or was named and could not be tried. A step is forward, backward, clipping and AdamW; shares are those of a step under
torch's profiler, "rest" being Python, NumPy and the profiler itself. Without names all networks whose
packages are installed. --checkout is the source tree of a framework that is not installed as a
package; which one, is seen from its files.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from ._apart import Options, run_all
from ._framework import Framework, all_frameworks
from ._measure import measure, missing
from ._page import page
from ._report import table


def chosen(asked: Sequence[str], frameworks: Mapping[str, Framework]) -> list[str]:
    """Names of networks, "framework:network"; those asked for, or all that may run here."""
    known = {f"{each.name}:{network}": each for each in frameworks.values() for network in each.networks}
    for word in asked:
        if word not in known and word not in frameworks:
            raise SystemExit(f"no network {word!r}; python -m detops.networks --list shows those there are")
    if asked:
        return [name for name in known if name in asked or name.partition(":")[0] in asked]
    return [name for name, each in known.items() if not missing(tuple(each.packages))]


def recognised(folders: Sequence[Path], frameworks: Mapping[str, Framework]) -> dict[str, Path]:
    """Checkouts by framework."""
    found: dict[str, Path] = {}
    for folder in folders:
        names = [each.name for each in frameworks.values() if each.marker and (folder / each.marker).exists()]
        if not names:
            wanted = ", ".join(f"{each.marker} ({each.name})" for each in frameworks.values() if each.marker)
            raise SystemExit(f"--checkout {folder}: no source tree that is known; expected one with {wanted}")
        found |= dict.fromkeys(names, folder.resolve())
    return found


def describe(frameworks: Mapping[str, Framework]) -> str:
    lines = []
    for each in frameworks.values():
        needs = [*each.packages, *([f"--checkout with {each.checkout}"] if each.checkout else [])]
        absent = missing(tuple(each.packages))
        state = f"not installed: {' '.join(absent)}" if absent else "installed"
        lines += [f"{each.name}: {', '.join(needs) or 'nothing but torch'} ({state})"]
        lines += [f"  {each.name}:{network}" for network in each.networks]
    return "\n".join(lines)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m detops.networks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="FRAMEWORK[:NAME]")
    parser.add_argument("--checkout", action="append", type=Path, default=[], metavar="DIR")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--batch", type=int, default=2, help="scenes in a step")
    parser.add_argument("--steps", type=int, default=3, help="steps to time; 0: only whether it runs")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one network")
    parser.add_argument("--json", type=Path, help="add the results to this file")
    parser.add_argument("--page", type=Path, help="write all results in the file of --json as Markdown")
    parser.add_argument("--list", action="store_true", help="networks, and what they need")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def keep(results: dict[str, dict[str, Any]], file: Path) -> dict[str, dict[str, Any]]:
    """Adds results to those in the file: all there are then. What was not tried now stays as it was."""
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    tried = {name: found for name, found in results.items() if "needs" not in found or name not in known}
    every = {**known, **tried}
    file.write_text(json.dumps(every, indent=1) + "\n", encoding="utf-8")
    return every


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    frameworks = all_frameworks()
    if options.list:
        print(describe(frameworks))
        return 0
    checkouts = recognised(options.checkout, frameworks)
    names = chosen(options.names, frameworks)
    if options.one:
        torch.set_num_threads(options.threads)
        framework, _, network = names[0].partition(":")
        checkout = checkouts.get(framework)
        measure(frameworks[framework], network, checkout, options.batch, options.steps, options.one)
        return 0
    how = Options(options.batch, options.steps, options.threads, options.limit)
    results = run_all(names, checkouts, how)
    print(table(results))
    every = keep(results, options.json) if options.json else results
    if options.page:
        options.page.write_text(page(every), encoding="utf-8")
    # Names that somebody gave are to be tried; without names those networks are chosen that can be.
    bad = ("failure", "needs") if options.names else ("failure",)
    return 1 if any(key in found for found in results.values() for key in bad) else 0


if __name__ == "__main__":
    sys.exit(main())
