"""Results as docs/networks.md: python -m detops.networks --page FILE."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._measure import STAGES
from ._report import Results, cells, heads, reasons, ticks

_START = """# Networks that run

Whole networks of other people, from their own configurations and sources, on a CPU: which of them import, build, train
(forward, backward, all gradients finite) and predict (with suppression of boxes), and how long it takes. Scenes are
generated, weights are random: this says that a network runs and how fast, not what it finds.

`./dev networks CHECKOUT...` runs what is on the index and the frameworks whose checkouts it is given, and writes this
page and `docs/networks.json`; rows that it does not run stay as they are, with their date. One row is made by

```sh
python -m detops.networks mmdet3d:second --batch 1 --threads 2 --json docs/networks.json --page docs/networks.md
```

where the numbers are those of the row: without `--batch`, two scenes in a step. `python -m detops.networks --list` says
what each framework needs. `./dev test` runs a part: spconv:second_encoder, torchvision:rfcn, mmdet3d:second and
mmdet3d:centerpoint_pillar, 300 seconds at most for each; a step of a small Part-A2 of mmdetection3d in three ways, and
one epoch of `examples/mmdet3d`, 600 seconds at most for each.

What is changed, and what is not there:

- Of a configuration: least scores become 0, no weights are downloaded, and no things are pasted in from other scenes.
- Of sources nothing on the disk. `detops.install` puts into their modules, until `uninstall`, what they lack: functions
  of the compiled modules and the modules around them, torch's words for a GPU
  ([which](coming_from/openpcdet.md#programs-that-say-cuda)); of CenterPoint `points_in_convex_polygon_jit` of
  `det3d.core.bbox.geometry`, by which training drops boxes beside the grid and which numba 0.59 and later do not
  compile, with the same arithmetic in NumPy, and `collections.Iterable`, which Python 3.10 dropped.
- Part-A2 of OpenPCDet learns where in its box a point lies, from 0 to 1. A point counts as inside up to 1e-5 m beside
  the box, so that in two of the first 52 generated scenes a number is a little above 1, and torch refuses it. While
  torch's words for a GPU mean the CPU, numbers up to 1e-4 beside 0 or 1 count as 0 or 1 in `binary_cross_entropy`.
- Memory is the most that the process had; a machine that has less ends it (`ended by SIGKILL`). PointRCNN takes 6.3 GiB
  and CenterPoint with dynamic pillars 7.1 GiB for one scene.
- Where networks sample and group points (PV-RCNN, PV-RCNN++, Voxel R-CNN, PointRCNN) they are in plain torch, and slow.
"""

_TIMES = """## Times

A step is forward, backward, clipping and AdamW; its time is the median of several, in one run: where other programs use
the machine, times vary by tens of percent and more. Prediction has random weights and no least score, so more boxes
meet in the suppression than after training. Memory is that of the process, with Python and all libraries.
Shares are those of a step under torch's profiler: torch's convolutions and products of matrices (dense), its norms and
activations (norms), operators of detops, other operators of torch, and the rest: Python, NumPy, autograd, and the
profiler itself.
"""


def markdown(head: list[str], body: Iterable[list[str]]) -> list[str]:
    rule = ["---", *("---:" for _ in head[1:])]
    return [f"| {' | '.join(line)} |" for line in (head, rule, *body)]


def common(results: Results, what: Callable[[Any], Any]) -> str:
    """A property of all results; where they differ, all that occur."""
    values = {str(what(found)): None for found in results.values() if "versions" in found}
    return ", ".join(values)


def circumstances(found: Mapping[str, Any]) -> list[str]:
    return [str(found.get(key, "-")) for key in ("batch", "date")]


def versions(results: Results) -> list[str]:
    """One line for each framework."""
    known = {
        name.partition(":")[0]: found["versions"] for name, found in results.items() if "versions" in found
    }
    return [
        f"- {framework}: {', '.join(f'{name} {version}' for name, version in used.items())}"
        for framework, used in known.items()
    ]


def page(results: Results) -> str:
    how = (
        f"{common(results, lambda found: found['machine'])}; "
        f"{common(results, lambda found: found['threads'])} threads."
    )
    timed = ([name, *cells(found), *circumstances(found)] for name, found in results.items())
    states = {"yes": "\N{CHECK MARK}"}
    ticked = [[name, *(states.get(tick, tick) for tick in ticks(found))] for name, found in results.items()]
    said = reasons(results)
    lines = [_START, how, "", *markdown(["network", *STAGES], ticked), ""]
    lines += [*(f"- {sentence}" for sentence in said), ""] if said else []
    lines += [_TIMES, *markdown([*heads(), "batch", "date"], timed), ""]
    lines += ["Versions:", "", *versions(results), ""]
    return "\n".join(lines)
