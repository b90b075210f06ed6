"""Results as a table for the terminal and as a page in Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._measure import STAGES
from ._shares import KINDS

Results = Mapping[str, Mapping[str, Any]]

_SHARES = {"dense": "dense", "norms": "norms", "ours": "detops", "other": "torch", "python": "rest"}
_TIMES = ("build s", "step ms", "predict ms", "peak MiB")


def ticks(found: Mapping[str, Any]) -> list[str]:
    """For each stage: yes, no where it failed, - where it was not reached."""
    done = found.get("done", [])
    failed = STAGES[len(done)] if "failure" in found and len(done) < len(STAGES) else ""
    return ["yes" if stage in done else "no" if stage == failed else "-" for stage in STAGES]


def cells(found: Mapping[str, Any]) -> list[str]:
    """Times, memory and shares."""
    known = (("build", 1.0, 1), ("step", 1e3, 0), ("predict", 1e3, 0), ("peak", 1.0, 0))
    made = [f"{found[key] * scale:.{digits}f}" if key in found else "-" for key, scale, digits in known]
    shares = found.get("step_shares")
    return made + [f"{100 * shares[kind]:.0f} %" if shares else "-" for kind in KINDS]


def heads() -> list[str]:
    return ["network", *_TIMES, *(_SHARES[kind] for kind in KINDS)]


def where(found: Mapping[str, Any]) -> str:
    """What a network was doing when it failed."""
    done = found.get("done", [])
    return str(found.get("doing") or (f"after {done[-1]}" if done else "starts"))


def reasons(results: Results) -> list[str]:
    """A sentence for each network that does not run to its end."""
    said = []
    for name, found in results.items():
        if "needs" in found:
            said.append(f"{name} was not tried here; it needs: {found['needs']}")
        elif "failure" in found:
            said.append(f"{name} {where(found)}: {found['failure']}")
    return said


def table(results: Results) -> str:
    first, *rest = heads()
    lines = [[first, *STAGES, *rest]]
    lines += [[name, *ticks(found), *cells(found)] for name, found in results.items()]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    made = []
    for name, *numbers in lines:
        right = (cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True))
        made.append("  ".join([name.ljust(widths[0]), *right]))
    return "\n".join([*made, *(f"  {reason}" for reason in reasons(results))])
