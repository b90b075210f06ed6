"""Makes a room from the template: a small operator that builds, is tested by all properties and has a page.

./dev new-room NAME    makes src/ops/NAME, include/detops/NAME.h and the function detopsName
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = Path(__file__).with_name("template")


def insert_sorted(path, line, pattern):
    """Adds a line among those that match, in the order of the alphabet."""
    lines = path.read_text().splitlines()
    block = [i for i, text in enumerate(lines) if re.match(pattern, text)]
    place = next((i for i in block if lines[i] > line), block[-1] + 1)
    lines.insert(place, line)
    path.write_text("\n".join(lines) + "\n")


def main():
    if len(sys.argv) != 2 or not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", sys.argv[1]):
        raise SystemExit("usage: ./dev new-room NAME, as in my_operator")
    room = sys.argv[1]
    camel = "".join(part.capitalize() for part in room.split("_"))
    names = {"@room@": room, "@ROOM@": room.upper(), "@Room@": camel, "@function@": "detops" + camel}
    folder, header = ROOT / "src/ops" / room, ROOT / "include/detops" / (room + ".h")
    if folder.exists() or header.exists():
        raise SystemExit("there is a room or a header of this name already: %s" % room)
    for source in sorted(TEMPLATE.rglob("*.*")):
        target = header if source.name == "header.h" else folder / source.relative_to(TEMPLATE)
        text = source.read_text()
        for mark, name in names.items():
            text = text.replace(mark, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        print("made   ", target.relative_to(ROOT))
    insert_sorted(ROOT / "include/detops.h", '#include "detops/%s.h"' % room, '#include "detops/')
    insert_sorted(ROOT / "tests/interface/exported_symbols.txt", names["@function@"], "[A-Za-z]")
    print("changed include/detops.h, tests/interface/exported_symbols.txt")
    sources = [str(path) for path in [*folder.rglob("*.h"), *folder.rglob("*.cc"), header]]
    try:
        subprocess.run(["clang-format-19", "-i", *sources], check=True)
    except FileNotFoundError:
        print("not formatted: ./dev format does it")
    print("now: ./dev room %s" % room)


main()
