"""Calls of the operators that make voxels of points, for :mod:`support`."""

from __future__ import annotations

import numpy as np
import torch
from support import Call, numbers


def voxel_calls(seed: int = 8, count: int = 60) -> list[Call]:
    random = np.random.default_rng(seed)
    # Eighths, which every type holds: points do not jump to another voxel.
    points = torch.from_numpy(random.integers(-8, 40, size=(count, 4)) / 8 + 0.0625)
    grid = {"voxel_size": [1.0, 0.5, 2.0], "range_min": [0.0, 0.0, 0.0], "grid": [4, 8, 2]}
    whole = {"voxel_size": [1.0, 0.5, 2.0], "coors_range": [0.0, 0.0, 0.0, 4.0, 4.0, 4.0]}
    limits = {"max_points": 2, "max_voxels": 30}
    return [
        Call("voxelization", "voxelization", {"points": points, **whole, **limits}),
        Call("sort-sites", "sort_sites", {"indices": torch.from_numpy(random.integers(0, 3, (count, 4)))}),
        Call("voxel-coordinates", "voxel_coordinates", {"points": points, **grid}),
        *_dynamic_calls(random, count),
        *_scatter_calls(random, count),
    ]


def _dynamic_calls(random: np.random.Generator, count: int, channels: int = 3) -> list[Call]:
    made = []
    coors = torch.from_numpy(random.integers(-1, 3, size=(count, 3)))
    # No two are equal in any type: of a maximum only one gets the gradient.
    feats = random.permutation(count * channels).reshape(count, channels) / 16 - 1.03125
    for reduce in ("max", "mean", "sum"):
        forward = {"feats": torch.from_numpy(feats), "coors": coors, "reduce": reduce}
        call = Call(f"dynamic-forward-{reduce}", "dynamic_point_to_voxel_forward", forward, ("feats",))
        rows, _, voxel_map, counts = call.run()
        backward = {
            "grad_voxel_feats": numbers(random, *rows.shape),
            "feats": forward["feats"],
            "voxel_feats": rows,
            "point2voxel_map": voxel_map,
            "voxel_points_count": counts,
            "reduce": reduce,
        }
        name = "dynamic_point_to_voxel_backward"
        made += [call, Call(f"dynamic-backward-{reduce}", name, backward, ("grad_voxel_feats",))]
    return made


def _scatter_calls(random: np.random.Generator, count: int, channels: int = 3) -> list[Call]:
    made = []
    src = random.permutation(count * channels).reshape(count, channels) / 16 - 1.03125
    for reduce in ("sum", "mean", "max"):
        for kind in (torch.int32, torch.int64):
            index = torch.from_numpy(random.integers(-1, 9, size=count)).to(kind)
            forward = {"src": torch.from_numpy(src), "index": index, "num_groups": 12, "reduce": reduce}
            name = f"{reduce}-{str(kind).removeprefix('torch.')}"
            call = Call(f"scatter-forward-{name}", "scatter_reduce_forward", forward, ("src",))
            out, counts, argmax = call.run()
            backward = {
                "grad_out": numbers(random, *out.shape),
                "index": index,
                "count": counts,
                "argmax": argmax,
                "reduce": reduce,
            }
            grad = Call(f"scatter-backward-{name}", "scatter_reduce_backward", backward, ("grad_out",))
            made += [call, grad]
    return made
