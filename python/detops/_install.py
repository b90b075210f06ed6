"""detops under the names of other packages: ``from mmcv.ops import ...`` and the like."""

from __future__ import annotations

import sys

from ._import_hooks import Finder, Installed, Package, Part, Patched
from ._supplied import Supplied
from ._torch_check import what_is_missing

__all__ = ["install", "uninstall"]

def _of_openpcdet(*operators: str) -> dict[str, str]:
    """OpenPCDet's modules around its compiled ones, which ask for tensors of a GPU."""
    return {f"pcdet.ops.{op}.{op}_utils": f"detops.openpcdet.{op}_utils" for op in operators}


_PACKAGES = {
    "mmcv": Package(
        {"mmcv.ops": "detops.mmcv"},
        is_complete=False,
        version="2.1.0",
        registry="detops.mmcv._registry",
        extensions={"mmcv._ext": "detops.mmcv._ext"},
        # mmcv 2.1 and earlier ask for the current GPU in the second, whatever the tensors are on; the
        # first goes through vertices, detops past them.
        amended={
            "mmcv.ops.diff_iou_rotated": "detops.mmcv.diff_iou_rotated",
            "mmcv.ops.points_in_boxes": "detops.mmcv.points_in_boxes",
        },
        users="mmcv.ops",
    ),
    "openpcdet": Package(
        {
            **_of_openpcdet("roiaware_pool3d", "iou3d_nms"),
            "pcdet.ops.iou3d_nms.iou3d_nms_cuda": "detops.openpcdet.iou3d_nms_cuda",
        },
        is_complete=True,
        version="0.6.0",
        extensions=dict.fromkeys(
            (
                "pcdet.ops.roiaware_pool3d.roiaware_pool3d_cuda",
                "pcdet.ops.bev_pool.bev_pool_ext",
                "pcdet.ops.ingroup_inds.ingroup_inds_cuda",
                "pcdet.ops.iou3d_nms.iou3d_nms_cuda",
                "pcdet.ops.pointnet2.pointnet2_batch.pointnet2_batch_cuda",
                "pcdet.ops.pointnet2.pointnet2_stack.pointnet2_stack_cuda",
                "pcdet.ops.roipoint_pool3d.roipoint_pool3d_cuda",
            )
        ),
        written={"pcdet.version": {"__version__": "0.6.0"}},
        users="pcdet",
    ),
    "spconv": Package(
        {
            "spconv": "detops.spconv",
            "spconv.core": "detops.spconv.conv",
            "spconv.pytorch": "detops.spconv",
        },
        is_complete=True,
    ),
    "torchvision": Package(
        {
            "torchvision.ops": "detops.torchvision",
            "torchvision.ops.boxes": "detops.torchvision.boxes",
            "torchvision.ops.ps_roi_pool": "detops.torchvision.ps_roi_pool",
        },
        is_complete=False,
        version="0.28.0",
        is_fragment=True,
    ),
}
_FINDER = Finder()


def _choose(package: Package, replace: bool) -> tuple[list[Part], str]:
    """How detops stands in for a package, and a line that says so; no parts: it does not."""
    first, ours = next(iter(package.modules.items()))
    if not package.is_there:
        whole = Installed(package, (package.top,))
        return [whole], f"{package.top}: not installed, {first} is {ours}"
    parts: list[Part] = []
    said = []
    is_bare = package.is_without_extensions
    if is_bare:
        said.append("without its compiled modules")
        said += [f"{theirs} is {made}" for theirs, made in package.extensions.items() if made]
    if package.is_complete and (replace or is_bare):
        parts.append(Installed(package, tuple(package.modules)))
        said.append(f"{first} is {ours}")
    elif replace:
        parts.append(Patched(package))
        said.append(f"names of {ours} are in the place of its own in {first}")
    if is_bare:
        parts.append(Supplied(package))
        said.append("functions that detops does not have say so when they are called")
    if not parts:
        said.append("left alone, replace=True would put detops in its place")
    return parts, f"{package.top} in {package.folder}: {', '.join(said)}"


def _check(function: str, packages: tuple[str, ...]) -> None:
    for name in packages:
        if name not in _PACKAGES:
            known = ", ".join(map(repr, _PACKAGES))
            raise ValueError(f"{function}: packages has {name!r}, expected some of {known}.")


def install(*packages: str, replace: bool = False, quiet: bool = False) -> tuple[str, ...]:
    """Let imports of other packages find detops, for the rest of the process.

    Nothing is imported before it is used, torch neither. Names that are imported before stay what
    they are, so this belongs at the start of a program. A line for each package tells on stderr
    what was done, or that nothing was.

    Parameters
    ----------
    packages : "mmcv", "openpcdet", "spconv", "torchvision"
    replace : bool
        What happens where a package is installed. False: it is left alone, unless it lacks its
        compiled modules, for which detops then stands in. True: detops takes the place of what it
        offers; the rest of the package is there as before.
    quiet : bool
        Without the lines.

    Returns
    -------
    tuple of str
        Those of ``packages`` that detops now stands in for.

    Examples
    --------
    >>> import detops
    >>> detops.install("mmcv")  # doctest: +SKIP
    detops.install: mmcv: not installed, mmcv.ops is detops.mmcv
    ('mmcv',)
    >>> from mmcv.ops import RoIAwarePool3d  # doctest: +SKIP
    """
    _check("install", packages)
    if not packages:
        raise ValueError(f"install: no packages, expected some of {', '.join(_PACKAGES)}.")
    if (missing := what_is_missing()) is not None:
        raise ImportError(f"install({packages[0]!r}): {missing}")
    for name in packages:
        if name in _FINDER.parts:
            continue
        parts, said = _choose(_PACKAGES[name], replace)
        for part in reversed(parts):
            part.begin()
        if parts:
            _FINDER.parts[name] = tuple(parts)
        if not quiet and sys.stderr is not None:
            print(f"detops.install: {said}", file=sys.stderr)
    if _FINDER.parts and _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    return tuple(name for name in packages if name in _FINDER.parts)


def uninstall(*packages: str) -> tuple[str, ...]:
    """Undo :func:`install`, for all packages if none are named.

    What has been imported from detops keeps working; new imports find the originals, or nothing.

    Returns
    -------
    tuple of str
        Those that detops stood in for.

    Examples
    --------
    >>> import detops
    >>> detops.uninstall("mmcv")  # nothing was installed
    ()
    """
    _check("uninstall", packages)
    undone = tuple(name for name in packages or tuple(_FINDER.parts) if name in _FINDER.parts)
    for name in undone:
        for part in _FINDER.parts.pop(name):
            part.end()
    if not _FINDER.parts and _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
    return undone
