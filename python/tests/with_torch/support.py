"""Calls of every operator that many tests share, and how results are compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import detops
import detops.torch
import numpy as np
import torch

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@dataclasses.dataclass(frozen=True)
class Call:
    """A function of detops.torch with arguments; floating tensors among them are double."""

    id: str
    name: str
    arguments: dict[str, Any]
    differentiable: tuple[str, ...] = ()
    """The arguments that gradients reach."""
    twice: bool = True
    """Whether there are second derivatives."""

    @property
    def function(self) -> Callable[..., Any]:
        made: Callable[..., Any] = getattr(detops.torch, self.name)
        return made

    @property
    def operator(self) -> Any:
        return getattr(torch.ops.detops, self.name).default

    def cast(self, dtype: torch.dtype) -> Call:
        changed = {
            key: value.to(dtype) if is_floating(value) else value
            for key, value in self.arguments.items()
        }
        return dataclasses.replace(self, arguments=changed)

    def replace(self, **changes: Any) -> Call:
        return dataclasses.replace(self, arguments={**self.arguments, **changes})

    def with_gradients(self) -> Call:
        """The same with leaves that ask for gradients."""
        leaves = {key: self.arguments[key].detach().clone() for key in self.differentiable}
        return self.replace(**{key: leaf.requires_grad_() for key, leaf in leaves.items()})

    @property
    def leaves(self) -> list[torch.Tensor]:
        return [self.arguments[key] for key in self.differentiable]

    def run(self) -> Any:
        return self.function(**self.arguments)

    def run_operator(self) -> Any:
        return self.operator(**self.arguments)

    def run_numpy(self) -> Any:
        """The twin on NumPy arrays."""
        arguments = {
            key: to_numpy(value) if isinstance(value, torch.Tensor) else value
            for key, value in self.arguments.items()
        }
        return getattr(detops, self.name)(**arguments)


def is_floating(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def to_numpy(tensor: torch.Tensor) -> Any:
    tensor = tensor.detach()
    if tensor.dtype != torch.bfloat16:
        return tensor.numpy()
    import ml_dtypes  # Here, because only this type needs it.

    return tensor.contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)


def parts(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


def number_parts(result: Any) -> list[torch.Tensor]:
    """The results that gradients come from."""
    return [part for part in parts(result) if is_floating(part)]


def assert_same_bits(found: Any, expected: Any) -> None:
    """Equal in type, shape and every bit; the expected may be what NumPy's twin has returned."""
    assert len(parts(found)) == len(parts(expected))
    for left, right in zip(parts(found), parts(expected), strict=True):
        if not isinstance(left, torch.Tensor):
            assert left == right
            continue
        here = to_numpy(left)
        there = to_numpy(right) if isinstance(right, torch.Tensor) else right
        assert here.dtype == there.dtype and here.shape == there.shape
        # Bytes, because NaN is not equal to itself and -0 is equal to 0.
        np.testing.assert_array_equal(
            np.ascontiguousarray(here).reshape(-1).view(np.uint8),
            np.ascontiguousarray(there).reshape(-1).view(np.uint8),
        )


def assert_compiled_like_eager(program: Callable[..., torch.Tensor], call: Call) -> torch.Tensor:
    """Bit by bit, with the gradients; returns the result of the compiled program."""
    torch.compiler.reset()
    compiled = torch.compile(program, fullgraph=True, dynamic=True, backend="aot_eager")
    results = []
    for function in (compiled, program):
        one = call.with_gradients()
        out = function(**one.arguments)
        gradients = torch.autograd.grad(out.float().square().sum(), one.leaves)
        results.append((out, *gradients))
    assert_same_bits(*results)
    return results[0][0]


def numbers(random: np.random.Generator, *shape: int) -> torch.Tensor:
    return torch.from_numpy(random.normal(size=shape))


# ---- calls ---------------------------------------------------------------------------------------
# Coordinates stay away from where results jump (borders of cells, bins, voxels and the map), in all
# types, so that slopes exist and that a rounding of an input does not change what is met.


def boxes_of_cells(random: np.random.Generator, images: int, height: int, width: int) -> Any:
    boxes = np.empty((images, height, width, 5))
    boxes[..., 0] = random.integers(0, height - 1, size=boxes.shape[:3]) + 0.375
    boxes[..., 1] = random.integers(0, width - 1, size=boxes.shape[:3]) + 0.625
    boxes[..., 2:4] = random.uniform(0.3, 2.0, size=(*boxes.shape[:3], 2))
    boxes[..., 4] = random.uniform(-1.5, 1.5, size=boxes.shape[:3])
    return torch.from_numpy(boxes)


def align_calls(seed: int = 1, shape: tuple[int, int, int, int] = (2, 4, 5, 3)) -> list[Call]:
    random = np.random.default_rng(seed)
    made = []
    for points in (1, 5):
        boxes = boxes_of_cells(random, *shape[:3])
        for name, key in (("forward", "input"), ("backward", "top_output")):
            arguments = {key: numbers(random, *shape), "bboxes": boxes}
            arguments |= {"spatial_scale": 1.0, "points": points}
            full = f"rotated_feature_align_{name}"
            made.append(Call(f"align-{name}-{points}", full, arguments, (key,)))
    return made


def regions(random: np.random.Generator, count: int, images: int, extent: int) -> torch.Tensor:
    rois = np.empty((count, 5))
    rois[:, 0] = random.integers(0, images, size=count)
    corners = np.sort(random.integers(-1, 2 * extent, size=(count, 2, 2)), axis=1)
    rois[:, 1:] = corners.reshape(count, 4) + 0.25
    return torch.from_numpy(rois)


def psroipool_calls(seed: int = 2, pooled: tuple[int, int] = (2, 3), rois: int = 6) -> list[Call]:
    random = np.random.default_rng(seed)
    made = []
    images, height, width, dim = 2, 5, 6, 2
    boxes = regions(random, rois, images, height)
    for convention in ("rfcn", "torchvision", "consistent"):
        for layout in ("NHWC", "NCHW"):
            channels = dim * pooled[0] * pooled[1]
            nhwc = layout == "NHWC"
            shape = (images, height, width, channels) if nhwc else (images, channels, height, width)
            top = (rois, *pooled, dim) if nhwc else (rois, dim, *pooled)
            words = {"spatial_scale": 0.5, "convention": convention, "layout": layout}
            forward = {"input": numbers(random, *shape), "rois": boxes, "pooled_size": pooled}
            backward = {"top_grad": numbers(random, *top), "rois": boxes, "input_shape": shape}
            name = f"{convention}-{layout}"
            made.append(
                Call(f"ps-forward-{name}", "psroipool_forward", forward | words, ("input",))
            )
            made.append(
                Call(f"ps-backward-{name}", "psroipool_backward", backward | words, ("top_grad",))
            )
    return made


def scene(
    random: np.random.Generator, boxes: int, points: int, channels: int
) -> dict[str, torch.Tensor]:
    rois = np.zeros((boxes, 7))
    rois[:, :2] = random.integers(-2, 3, size=(boxes, 2))
    rois[:, 2] = -2
    rois[:, 3:6] = random.choice([2.0, 4.0], size=(boxes, 3))
    # Odd multiples of 1/8 stay off the walls of voxels, which are 0.5, 1 or 2 wide.
    pts = (2 * random.integers(-14, 14, size=(points, 3)) + 1) / 8
    # Features that differ from each other by more than a rounding, so that a maximum is one point.
    features = random.permutation(points * channels).reshape(points, channels) / 16 - 2
    return {
        "rois": torch.from_numpy(rois),
        "pts": torch.from_numpy(pts),
        "pts_feature": torch.from_numpy(features),
    }


def roiaware_calls(seed: int = 3, boxes: int = 3, points: int = 40) -> list[Call]:
    random = np.random.default_rng(seed)
    made = []
    for pool in ("max", "avg"):
        arguments: dict[str, Any] = dict(scene(random, boxes, points, 3))
        arguments |= {"out_size": (2, 2, 4), "max_pts_each_voxel": 5, "pool": pool}
        for form in ("", "_compact"):
            forward = Call(
                f"roiaware{form}-forward-{pool}",
                f"roiaware_pool3d{form}_forward",
                arguments,
                ("pts_feature",),
            )
            made.append(forward)
            result = forward.run()
            back = {
                "grad_out": numbers(random, *result.pooled_features.shape),
                "argmax": result.argmax,
                "pts_num": points,
                "pool": pool,
            }
            if form == "":
                back["pts_idx_of_voxels"] = result.pts_idx_of_voxels
            else:
                back |= {"voxel_begins": result.voxel_begins, "pts_idx": result.pts_idx}
            name = f"roiaware_pool3d{form}_backward"
            made.append(Call(f"roiaware{form}-backward-{pool}", name, back, ("grad_out",)))
    return made


def sites(random: np.random.Generator, count: int, batch: int, shape: tuple[int, ...]) -> Any:
    found = np.stack([random.integers(0, n, size=count) for n in (batch, *shape)], axis=1)
    return torch.from_numpy(np.unique(found, axis=0).astype(np.int32))


def pair_calls(seed: int = 4) -> list[Call]:
    random = np.random.default_rng(seed)
    made = []
    for ndim in (1, 2, 3, 4):
        shape = (6, 5, 4, 3)[:ndim]
        for mode in ("regular", "submanifold", "transposed"):
            arguments: dict[str, Any] = {
                "indices": sites(random, 12, 2, shape),
                "batch_size": 2,
                "spatial_shape": shape,
                "kernel_size": (3, 2, 3, 1)[:ndim],
                "stride": (1,) * ndim if mode == "submanifold" else (2, 1, 2, 1)[:ndim],
                "padding": (1, 0, 1, 0)[:ndim],
                "dilation": (1,) * ndim,
            }
            arguments["submanifold"] = mode == "submanifold"
            arguments["transposed"] = mode == "transposed"
            # The operator itself counts on the function, which knows torch's usual output space.
            space = detops.torch.get_indice_pairs(**arguments).output_shape
            arguments["output_padding"] = (0,) * ndim
            arguments["output_shape"] = space
            made.append(Call(f"pairs-{mode}-{ndim}", "get_indice_pairs", arguments))
    return made


def arrange(filters: torch.Tensor, layout: str) -> torch.Tensor:
    """From (kernel..., Ci, Co)."""
    kernel = tuple(range(filters.ndim - 2))
    into, out = filters.ndim - 2, filters.ndim - 1
    order = {"KIO": (*kernel, into, out), "OKI": (out, *kernel, into), "OIK": (out, into, *kernel)}
    return filters.permute(order[layout]).contiguous()


def convolution_calls(
    seed: int = 5, ndim: int = 3, into: int = 3, out: int = 4, count: int = 20
) -> list[Call]:
    random = np.random.default_rng(seed)
    shape = (4, 5, 4, 3)[:ndim]
    made = []
    for layout, inverse in (("KIO", False), ("OKI", False), ("OIK", False), ("KIO", True)):
        book = detops.torch.get_indice_pairs(
            sites(random, count, 1, shape), 1, shape, 3, stride=2, padding=1
        )
        rows = [book.indice_pairs.shape[2], book.num_act_out]
        rows_in, rows_out = rows[::-1] if inverse else rows
        features, gradient = numbers(random, rows_in, into), numbers(random, rows_out, out)
        filters = arrange(numbers(random, *(3,) * ndim, into, out), layout)
        pairs = {"indice_pairs": book.indice_pairs, "indice_num": book.indice_num}
        words = {"filters_layout": layout, "inverse": inverse}
        forward = {"features": features, "filters": filters, **pairs, "num_act_out": rows_out}
        epilogue = {
            "bias": numbers(random, out),
            "residual": numbers(random, rows_out, out),
            "activation": "leaky_relu",
            "negative_slope": 0.25,
        }
        data = {"output_grad": gradient, "filters": filters, **pairs, "num_act_in": rows_in}
        weights: dict[str, Any] = {"features": features, "output_grad": gradient, **pairs}
        weights["filters_shape"] = tuple(filters.shape)
        for name, arguments, differentiable in (
            ("forward", forward, ("features", "filters")),
            ("forward_fused", forward | epilogue, ("features", "filters", "bias", "residual")),
            ("backward_data", data, ("output_grad", "filters")),
            ("backward_filter", weights, ("features", "output_grad")),
        ):
            identity = f"conv-{name}-{layout}{'-inverse' if inverse else ''}"
            full = f"indice_convolution_{name}"
            made.append(Call(identity, full, arguments | words, differentiable))
    return made


def pool_calls(seed: int = 6, count: int = 20, channels: int = 3) -> list[Call]:
    random = np.random.default_rng(seed)
    shape = (4, 5, 4)
    made = []
    for pool, start in (("max", "zero"), ("max", "lowest"), ("avg", "zero")):
        places = sites(random, count, 1, shape)
        book = detops.torch.get_indice_pairs(places, 1, shape, 3, stride=2, padding=1)
        pairs = {"indice_pairs": book.indice_pairs, "indice_num": book.indice_num}
        # No two are equal in any type and none is 0, where a maximum from zero has a kink.
        rows = len(places)
        numbers_in = random.permutation(rows * channels).reshape(rows, channels) / 16 - 1.03125
        words = {"pool": pool, "start": start}
        forward = {"features": torch.from_numpy(numbers_in), **pairs, "num_act_out": book.num_act_out}
        name = f"{pool}-{start}"
        call = Call(f"pool-forward-{name}", "indice_pool_forward", forward | words, ("features",))
        result = call.run()
        is_max = pool == "max"
        backward = {
            "output_grad": numbers(random, *result.shape),
            "features": forward["features"] if is_max else None,
            "features_out": result if is_max else None,
            **pairs,
            "num_act_in": rows,
            "pool": pool,
        }
        made.append(call)
        made.append(
            Call(f"pool-backward-{name}", "indice_pool_backward", backward, ("output_grad",))
        )
    return made


def all_calls() -> list[Call]:
    """At least one call of every function, with every word it knows."""
    # They are made of this.
    from box_calls import overlap_calls, polygon_calls, suppression_calls
    from voxel_calls import voxel_calls

    return [
        *overlap_calls(),
        *suppression_calls(),
        *polygon_calls(),
        *align_calls(),
        *psroipool_calls(),
        *roiaware_calls(),
        *pair_calls(),
        *convolution_calls(),
        *pool_calls(),
        *voxel_calls(),
    ]


def differentiable_calls() -> list[Call]:
    return [call for call in all_calls() if call.differentiable]


def identity(call: Call) -> str:
    """For pytest's ids."""
    return call.id
