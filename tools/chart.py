"""Draws figures of ``python -m detops.compare --json FILE`` as a picture: tools/chart.py FILE PICTURE.svg

Bars are times next to those of spconv, so a bar half as long is twice as fast.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

LEFT, WIDTH, RIGHT = 160, 400, 130
COLORS = {"detops": "#1f6feb", "spconv": "#b7bfc8"}
PARTS = {"forward": "inference", "both": "training step"}


def text(x: float, y: float, words: str, style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{words}</text>'


def bar(y: float, contestant: str, seconds: float, longest: float) -> list[str]:
    length = WIDTH * seconds / longest
    shape = f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="13" fill="{COLORS[contestant]}"/>'
    return [shape, text(LEFT + length + 6, y + 11, f"{contestant} {1e3 * seconds:.1f} ms")]


def picture(figures: dict[str, Any]) -> str:
    lines: list[str] = []
    y = 34
    for name, results in figures["cases"].items():
        mine, other = results["detops"], results["spconv"]
        lines.append(text(10, y + 11, name, 'font-weight="bold"'))
        y += 18
        for part, label in PARTS.items():
            longest = max(mine[part], other[part])
            faster = f"{label}: {other[part] / mine[part]:.1f}x"
            lines.append(text(LEFT - 10, y + 19, faster, 'text-anchor="end"'))
            lines += bar(y, "detops", mine[part], longest) + bar(y + 14, "spconv", other[part], longest)
            y += 36
        y += 8
    versions = figures["versions"]
    about = (
        f"spconv {versions['spconv']} (CPU), torch {versions['torch']}, {figures['threads']} threads, "
        f"{figures['machine']}, {figures['date']}"
    )
    width = LEFT + WIDTH + RIGHT
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y + 24}" '
    head += 'font-family="sans-serif" font-size="12" fill="#24292f">'
    ground = f'<rect width="{width}" height="{y + 24}" fill="white"/>'
    title = text(10, 20, "Sparse convolution on a CPU: detops next to spconv", 'font-size="14" font-weight="bold"')
    return "\n".join([head, ground, title, *lines, text(10, y + 12, about, 'fill="#57606a"'), "</svg>", ""])


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: tools/chart.py FILE.json PICTURE.svg")
    figures = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    missing = [name for name, results in figures["cases"].items() if not results.keys() >= COLORS.keys()]
    if missing:
        sys.exit(f"{sys.argv[1]}: no times of spconv for {', '.join(missing)}: was it installed?")
    Path(sys.argv[2]).write_text(picture(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
