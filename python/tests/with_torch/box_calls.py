"""Calls of every operator on boxes, for :mod:`support`, and boxes for other tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from support import Call, numbers


def rotated_boxes(random: np.random.Generator, count: int) -> torch.Tensor:
    """(x, y, w, h, angle), many of which overlap; no sides lie on each other."""
    boxes = random.uniform(-2, 2, size=(count, 5))
    boxes[:, 2:4] = random.uniform(1, 5, size=(count, 2))
    return torch.from_numpy(boxes)


def upright_boxes(random: np.random.Generator, count: int) -> torch.Tensor:
    corners = random.uniform(0, 10, size=(count, 2))
    return torch.from_numpy(np.hstack([corners, corners + random.uniform(2, 8, size=(count, 2))]))


def boxes_in_space(random: np.random.Generator, count: int) -> torch.Tensor:
    flat = rotated_boxes(random, count)
    height = torch.from_numpy(random.uniform(1, 3, size=(count, 1)))
    centre = torch.from_numpy(random.uniform(-1, 1, size=(count, 1)))
    return torch.cat((flat[:, :2], centre, flat[:, 2:4], height, flat[:, 4:]), 1)


def quads_of(boxes: torch.Tensor) -> torch.Tensor:
    """Corners of rotated boxes in order, (N, 8)."""
    cosine, sine = torch.cos(boxes[:, 4]), torch.sin(boxes[:, 4])
    along = torch.stack((cosine, sine), 1) * boxes[:, 2:3] / 2
    across = torch.stack((-sine, cosine), 1) * boxes[:, 3:4] / 2
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return torch.cat([boxes[:, :2] + i * along + j * across for i, j in signs], 1)


def overlap_calls(seed: int = 7) -> list[Call]:
    random = np.random.default_rng(seed)
    made = []
    for aligned in (False, True):
        counts = (5, 5) if aligned else (4, 6)
        kind = "aligned" if aligned else "pairs"
        for mode in ("iou", "iof"):
            first, second = (rotated_boxes(random, count) for count in counts)
            words: dict[str, Any] = {"mode": mode, "aligned": aligned}
            boxes = {"bboxes1": first, "bboxes2": second}
            grad = numbers(random, *((5,) if aligned else counts))
            name = f"{mode}-{kind}"
            leaves = ("bboxes1", "bboxes2")
            made += [
                Call(f"rotated-forward-{name}", "box_iou_rotated", boxes | words, leaves, False),
                Call(
                    f"rotated-backward-{name}",
                    "box_iou_rotated_backward",
                    {"grad": grad, **boxes, **words},
                ),
                Call(
                    f"quadri-{name}",
                    "box_iou_quadri",
                    {"quads1": quads_of(first), "quads2": quads_of(second), **words},
                ),
            ]
            first, second = (upright_boxes(random, count) for count in counts)
            for offset in (0, 1):
                upright = {"bboxes1": first, "bboxes2": second, **words, "offset": offset}
                made.append(Call(f"upright-{name}-{offset}", "bbox_overlaps", upright))
        first, second = (boxes_in_space(random, count) for count in counts)
        pair = {"boxes_a": first, "boxes_b": second, "aligned": aligned}
        made += [
            Call(f"bev-overlap-{kind}", "boxes_overlap_bev", pair),
            Call(f"bev-iou-{kind}", "boxes_iou_bev", pair),
        ]
        for z_origin in ("center", "bottom"):
            more = {**pair, "z_origin": z_origin}
            made.append(Call(f"iou3d-{kind}-{z_origin}", "boxes_iou3d", more, tuple(pair)[:2], False))
            slope = {"grad": numbers(random, *((5,) if aligned else counts)), **more}
            made.append(Call(f"iou3d-backward-{kind}-{z_origin}", "boxes_iou3d_backward", slope))
    return made


def suppression_calls(seed: int = 8, count: int = 30) -> list[Call]:
    random = np.random.default_rng(seed)
    upright, flat = upright_boxes(random, count), rotated_boxes(random, count)
    centred = torch.cat(((upright[:, :2] + upright[:, 2:]) / 2, upright[:, 2:] - upright[:, :2]), 1)
    formats = {
        "xyxy": upright,
        "cxcywh": centred,
        "cxcywha": flat,
        "quad": quads_of(flat),
        "bev": boxes_in_space(random, count),
        "bev_upright": boxes_in_space(random, count),
    }
    # Some are equal in all types.
    scores = torch.from_numpy(random.integers(1, 20, size=count) / 32)
    labels = torch.from_numpy(random.integers(0, 3, size=count))
    made = []
    for name, boxes in formats.items():
        words: dict[str, Any] = {"iou_threshold": 0.25, "box_format": name, "offset": 0.0}
        words |= {"labels": None, "pre_max": 0, "post_max": 0}
        plain = {"boxes": boxes, "scores": scores, **words}
        made.append(Call(f"nms-{name}", "nms", plain))
        limits = {"labels": labels, "pre_max": 20, "post_max": 12}
        made.append(Call(f"nms-{name}-labels", "nms", {**plain, **limits}))
    for method in ("naive", "linear", "gaussian"):
        soft = {"boxes": upright, "scores": scores, "iou_threshold": 0.3, "sigma": 0.5}
        soft |= {"min_score": 0.001, "method": method, "offset": 1.0}
        made.append(Call(f"soft-{method}", "soft_nms", soft))
    match = {"boxes": upright, "scores": scores, "iou_threshold": 0.25}
    return [*made, Call("match", "nms_match", match)]


def polygon_calls(seed: int = 9) -> list[Call]:
    random = np.random.default_rng(seed)
    points = numbers(random, 4, 18) * 2
    quads = quads_of(rotated_boxes(random, 4))
    sets = {"pointsets": points, "polygons": quads}
    inside = {"points": numbers(random, 20, 2), "polygons": quads}
    return [
        Call("convex-iou", "convex_iou", {**sets, "polygons": quads[:3]}),
        Call("convex-giou", "convex_giou", sets),
        Call("min-area", "min_area_polygons", {"pointsets": points}),
        Call("points-in", "points_in_polygons", inside),
        Call(
            "points-in-boxes",
            "points_in_boxes",
            {"points": numbers(random, 2, 20, 3), "boxes": boxes_in_space(random, 6).reshape(2, 3, 7)},
        ),
    ]
