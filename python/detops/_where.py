"""Why the package's compiled module cannot be imported: what is to be done, in one sentence."""

from __future__ import annotations

from pathlib import Path

__all__ = ["why_not_loaded"]


def why_not_loaded(error: ImportError) -> str:
    """For somebody who may have done no more than to start Python in the wrong folder."""
    folder = Path(__file__).resolve().parent
    if not folder.is_dir():
        archive = next((path for path in folder.parents if path.is_file()), folder)
        return (
            f"detops was found in the archive {archive}, out of which Python cannot load compiled "
            f"modules. Install it: pip install {archive}"
        )
    if any(folder.glob("_native.*so")):
        return str(error)
    if (folder.parent / "src" / "numpy").is_dir():
        return (
            f"you are in the source folder of detops: Python finds {folder} before an installed "
            "package, and nothing is compiled there. Go to another folder, or, if detops is not "
            f"installed yet: pip install {folder.parent.parent}"
        )
    return f"detops in {folder} has no compiled module (_native). Install detops again."
