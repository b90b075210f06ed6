"""The operators once more: plain loops, slow and easy to check, in double precision."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

NAMED_LAYOUTS: Any = [
    ("DHWCN", (1, 2, 3, 4, 5), "KIO"),
    ("HWCN", (2, 3, 4, 5), "KIO"),
    ("NDHWC", (5, 1, 2, 3, 4), "OKI"),
    ("NHWC", (5, 2, 3, 4), "OKI"),
    ("NCDHW", (5, 4, 1, 2, 3), "OIK"),
    ("NCHW", (5, 4, 2, 3), "OIK"),
]
"""The library's names of layouts of filters, a shape, and what is the same."""


# ---- rotated_feature_align -----------------------------------------------------------------------


def _sample_points(box: Array, scale: float, points: int) -> list[tuple[float, float]]:
    y, x, w, h = (float(v) * scale for v in box[:4])
    if points == 1:
        return [(y, x)]
    cos, sin = math.cos(float(box[4])), math.sin(float(box[4]))
    along = (sin * w / 2, cos * w / 2)
    across = (cos * h / 2, -sin * h / 2)
    corners = [
        (y + i * along[0] + j * across[0], x + i * along[1] + j * across[1])
        for i, j in [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    ]
    return [(y, x), *corners]


def _axis(position: float, extent: int) -> list[tuple[int, float]]:
    """The two neighbours on one axis with their weights."""
    position = max(position, 0.0)
    low = int(position)
    if low >= extent - 1:
        return [(extent - 1, 1.0)]
    return [(low, 1 - (position - low)), (low + 1, position - low)]


def rotated_feature_align(features: Array, boxes: Array, scale: float, points: int) -> Array:
    """Forward."""
    source = features.astype(np.float64)
    result = source.copy()
    images, height, width, _ = source.shape
    for n, row, column in itertools.product(range(images), range(height), range(width)):
        for y, x in _sample_points(boxes[n, row, column], scale, points):
            if y < -1 or y > height or x < -1 or x > width:
                continue
            for (i, wy), (j, wx) in itertools.product(_axis(y, height), _axis(x, width)):
                result[n, row, column] += wy * wx * source[n, i, j]
    return result


# ---- psroipool -----------------------------------------------------------------------------------


def _round(value: float) -> float:
    """Half away from zero."""
    return math.copysign(math.floor(abs(value) + 0.5), value)


def _span(
    low: float, high: float, scale: float, bins: int, part: int, limit: int, convention: str
) -> range:
    if convention == "rfcn":
        start, end = _round(low) * scale, (_round(high) + 1) * scale
        size = max(end - start, 0.1) / bins
        first, last = math.floor(part * size + start), math.ceil((part + 1) * size + start)
    else:
        begin, stop = _round(low * scale), _round(high * scale)
        size = max(stop - begin, 1) / bins
        first = math.floor(part * size) + int(begin)
        last = math.ceil((part + 1) * size) + int(begin)
    return range(min(max(first, 0), limit), min(max(last, 0), limit))


def psroipool_bins(
    rois: Array, shape: tuple[int, int], pooled: tuple[int, int], scale: float, convention: str
) -> dict[tuple[int, int, int], tuple[int, range, range]]:
    """For each (roi, ph, pw): the image, its rows and its columns."""
    bins = {}
    for r, ph, pw in itertools.product(range(len(rois)), range(pooled[0]), range(pooled[1])):
        batch, x1, y1, x2, y2 = (float(v) for v in rois[r])
        rows = _span(y1, y2, scale, pooled[0], ph, shape[0], convention)
        columns = _span(x1, x2, scale, pooled[1], pw, shape[1], convention)
        bins[r, ph, pw] = (int(batch), rows, columns)
    return bins


def psroipool(
    image: Array, rois: Array, pooled: tuple[int, int], scale: float, convention: str
) -> Array:
    """Forward, NHWC."""
    _, height, width, channels = image.shape
    output_dim = channels // (pooled[0] * pooled[1])
    # torchvision's forward stops one pixel before the border.
    cut = 1 if convention == "torchvision" else 0
    bins = psroipool_bins(rois, (height - cut, width - cut), pooled, scale, convention)
    result = np.zeros((len(rois), *pooled, output_dim))
    for (r, ph, pw), (n, rows, columns) in bins.items():
        if len(rows) and len(columns):
            for d in range(output_dim):
                c = (d * pooled[0] + ph) * pooled[1] + pw
                part = image[n, rows.start : rows.stop, columns.start : columns.stop, c]
                result[r, ph, pw, d] = part.astype(np.float64).mean()
    return result


def psroipool_gradient(
    gradient: Array, rois: Array, shape: tuple[int, ...], scale: float, convention: str
) -> Array:
    """Backward, NHWC."""
    pooled = (gradient.shape[1], gradient.shape[2])
    bins = psroipool_bins(rois, (shape[1], shape[2]), pooled, scale, convention)
    result = np.zeros(shape)
    for (r, ph, pw), (n, rows, columns) in bins.items():
        if len(rows) and len(columns):
            for d in range(gradient.shape[3]):
                c = (d * pooled[0] + ph) * pooled[1] + pw
                share = float(gradient[r, ph, pw, d]) / (len(rows) * len(columns))
                result[n, rows.start : rows.stop, columns.start : columns.stop, c] += share
    return result


# ---- roiaware_pool3d -----------------------------------------------------------------------------


def _voxel(
    box: Array, point: Array, size: tuple[int, int, int], center: bool, margin: float
) -> tuple[int, int, int] | None:
    cx, cy, cz, dx, dy, dz, rz = (float(v) for v in box)
    x, y, z = (float(v) for v in point)
    middle = cz if center else cz + dz / 2
    cos, sin = math.cos(-rz), math.sin(-rz)
    lx = (x - cx) * cos - (y - cy) * sin
    ly = (x - cx) * sin + (y - cy) * cos
    if not (abs(z - middle) <= dz / 2 and abs(lx) < dx / 2 + margin and abs(ly) < dy / 2 + margin):
        return None
    places = [(lx + dx / 2, dx), (ly + dy / 2, dy), (z - (middle - dz / 2), dz)]
    i, j, k = (
        min(max(math.floor(at / (extent / n)), 0), n - 1) if extent > 0 else 0
        for (at, extent), n in zip(places, size, strict=True)
    )
    return i, j, k


def roiaware_lists(
    rois: Array,
    points: Array,
    size: tuple[int, int, int],
    max_points: int,
    center: bool = False,
    margin: float = 0.0,
) -> dict[tuple[int, int, int, int], list[int]]:
    """For each (box, x, y, z) that holds points: the points, at most max_points - 1."""
    lists: dict[tuple[int, int, int, int], list[int]] = {}
    for b, p in itertools.product(range(len(rois)), range(len(points))):
        voxel = _voxel(rois[b], points[p], size, center, margin)
        if voxel is not None:
            members = lists.setdefault((b, *voxel), [])
            if len(members) < max_points - 1:
                members.append(p)
    return {voxel: members for voxel, members in lists.items() if members}


def pool_voxel(members: list[int], features: Array, pool: str) -> tuple[Array, Array]:
    """Pooled features and argmax of one voxel."""
    rows = features[members].astype(np.float64)
    if pool == "avg":
        return rows.mean(axis=0), np.zeros(features.shape[1], np.int32)
    return rows.max(axis=0), np.array(members, np.int32)[rows.argmax(axis=0)]


# ---- sparse convolution --------------------------------------------------------------------------


def indice_pairs(
    sites: Array,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    output_shape: tuple[int, ...],
    submanifold: bool = False,
    transposed: bool = False,
) -> tuple[list[tuple[int, ...]], list[list[tuple[int, int]]]]:
    """Output sites, and for each offset its pairs (input, output)."""
    meetings: list[list[tuple[int, tuple[int, ...]]]] = []
    for offset in itertools.product(*(range(k) for k in kernel)):
        meetings.append([])
        for i, site in enumerate(sites.tolist()):
            target = [site[0]]
            for axis, k in enumerate(offset):
                reach = k * dilation[axis]
                if transposed:
                    target.append(site[axis + 1] * stride[axis] - padding[axis] + reach)
                else:
                    whole, rest = divmod(site[axis + 1] + padding[axis] - reach, stride[axis])
                    target.append(-1 if rest else whole)
            if all(0 <= o < n for o, n in zip(target[1:], output_shape, strict=True)):
                meetings[-1].append((i, tuple(target)))
    if submanifold:
        outputs = [tuple(site) for site in sites.tolist()]
        # Of equal sites the last one is met.
        place = {site: o for o, site in enumerate(outputs)}
    else:
        outputs = sorted({target for offset in meetings for _, target in offset})
        place = {site: o for o, site in enumerate(outputs)}
    pairs = [[(i, place[t]) for i, t in offset if t in place] for offset in meetings]
    return outputs, pairs


def convolution(features: Array, filters: Array, pairs: Array, counts: Array, rows: int) -> Array:
    """Forward; filters is (K, Ci, Co)."""
    result = np.zeros((rows, filters.shape[2]))
    for k, count in enumerate(counts):
        for i, o in pairs[k, :, :count].T:
            result[o] += features[i].astype(np.float64) @ filters[k].astype(np.float64)
    return result
