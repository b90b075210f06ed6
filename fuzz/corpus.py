"""Kept inputs of a fuzz target: one file in the repository, a folder for libFuzzer.

    python3 corpus.py unpack FILE FOLDER
    python3 corpus.py pack FOLDER FILE

The file has a line per input, its bytes in hexadecimal; lines are sorted by length and then by content.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path


def unpack(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if not source.exists():
        return
    for line in source.read_text().splitlines():
        data = bytes.fromhex(line)
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def pack(folder: Path, target: Path) -> None:
    inputs = {path.read_bytes().hex() for path in folder.iterdir()}
    target.write_text("".join(line + "\n" for line in sorted(inputs, key=lambda line: (len(line), line))))


if __name__ == "__main__":
    verbs = {"pack": pack, "unpack": unpack}
    if len(sys.argv) != 4 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    verbs[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
