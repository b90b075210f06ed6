"""Prints the folder of the torch that the operators are built for.

Ends with 1 and a reason if there is none. pip builds in an environment of its own, where torch
cannot be imported: it is looked for among the files of the interpreter that pip runs in. Only its
headers and one library are needed.
"""

import importlib.util
import os
import re
import site
import sys
import sysconfig

OLDEST = (2, 10)


def folders() -> list[str]:
    """Where torch may be, the most likely first."""
    spec = importlib.util.find_spec("torch")
    if spec is not None and spec.origin is not None:
        return [os.path.dirname(spec.origin)]
    places = [*site.getsitepackages(), sysconfig.get_path("platlib"), site.getusersitepackages()]
    return [os.path.join(place, "torch") for place in places]


def version_of(folder: str) -> str:
    with open(os.path.join(folder, "version.py"), encoding="utf-8") as file:
        found = re.search(r"^__version__ = ['\"]([^'\"]+)", file.read(), re.MULTILINE)
    return found.group(1) if found is not None else "0.0"


def main() -> int:
    found = [folder for folder in folders() if os.path.exists(os.path.join(folder, "version.py"))]
    if not found:
        print("no torch found", file=sys.stderr)
        return 1
    version = version_of(found[0])
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        print(f"torch {version} is too old, 2.10 is needed", file=sys.stderr)
        return 1
    print(found[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
