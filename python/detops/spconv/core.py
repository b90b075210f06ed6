"""Sparse tensors."""

from __future__ import annotations

import copy
import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from ..torch._rulebooks import visible
from ..torch._sentences import check_tensors
from ._graphs import are_same_sites, assert_in_graph, refuse_jit_trace
from ._scatter import check_inside, scatter_nd
from .tools import CUDAKernelTimer

__all__ = [
    "ImplicitGemmIndiceData",
    "IndiceData",
    "SparseConvTensor",
    "check_same_sites",
    "check_same_space",
    "expand_nd",
    "expand_sizes",
    "scatter_nd",
]


@dataclass
class IndiceData:
    """The pairs of a layer, under its ``indice_key``.

    As a sequence it is what mmcv stores there: (out_indices, indices, indice_pairs,
    indice_pair_num, spatial_shape).
    """

    out_indices: torch.Tensor
    indices: torch.Tensor
    indice_pairs: torch.Tensor
    """(K, 2, L) int32"""
    indice_pair_num: torch.Tensor
    """(K,) int32, all offsets"""
    spatial_shape: list[int]
    out_spatial_shape: list[int]
    is_subm: bool
    ksize: list[int]
    stride: list[int]
    dilation: list[int]
    padding: list[int]
    algo: Any = None
    transposed: bool = False
    stamps: Any = field(default=None, init=False, repr=False, compare=False)
    """When indices and out_indices were what the pairs are of; None if that is not known."""

    @classmethod
    def of_rulebook(cls, out_indices: Any, indices: Any, stand_in: Any, *others: Any) -> IndiceData:
        """Pairs that are in a rulebook; ``indice_pairs`` is found when somebody asks for it."""
        made = cls(out_indices, indices, stand_in, *others)
        made.__dict__["_stand_in"] = made.__dict__.pop("indice_pairs")
        return made

    def __getattr__(self, name: str) -> Any:
        stand_in = self.__dict__.get("_stand_in") if name == "indice_pairs" else None
        if stand_in is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.indice_pairs = visible(stand_in, always=True)
        return self.indice_pairs

    def for_operators(self) -> torch.Tensor:
        """``indice_pairs``, or what stands in for it."""
        stand_in = self.__dict__.get("_stand_in")
        # Pairs that somebody has looked at may have been changed.
        return self.indice_pairs if stand_in is None or "indice_pairs" in self.__dict__ else visible(stand_in)

    def __post_init__(self) -> None:
        # A graph of torch.compile has no versions in it.
        if not torch.compiler.is_compiling():
            first = _stamp(self.indices)
            same = self.out_indices is self.indices
            self.stamps = (first, first if same else _stamp(self.out_indices))

    def __getstate__(self) -> dict[str, Any]:
        # Tensors count their changes anew when they are copied or loaded. A rulebook stays here.
        state = {**self.__dict__, "indice_pairs": self.indice_pairs, "stamps": None}
        state.pop("_stand_in", None)
        return state

    def _tuple(self) -> tuple[Any, ...]:
        pairs = (self.indice_pairs, self.indice_pair_num)
        return (self.out_indices, self.indices, *pairs, self.spatial_shape)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._tuple())

    def __len__(self) -> int:
        return len(self._tuple())

    def __getitem__(self, place: Any) -> Any:
        return self._tuple()[place]

    def is_of(self, sites: torch.Tensor, side: int) -> bool:
        """Whether the pairs are of these sites as they are now; ``side`` 0: inputs, 1: outputs."""
        then = self.out_indices if side else self.indices
        is_known = self.stamps is not None and not torch.compiler.is_compiling()
        if is_known and not _is_current(then, self.stamps[side]):
            return False
        return are_same_sites(sites, then)


class ImplicitGemmIndiceData:
    """What spconv stores on GPUs instead of :class:`IndiceData`. Nothing here is one."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError(
            "ImplicitGemmIndiceData is of spconv's algorithms for GPUs; layers store IndiceData."
        )


def _stamp(sites: torch.Tensor) -> int | torch.Tensor:
    """What changes when somebody writes into a tensor: its version. Those of inference mode have
    none, so that their numbers are kept."""
    return sites.clone() if sites.is_inference() else sites._version


def _is_current(sites: torch.Tensor, stamp: int | torch.Tensor) -> bool:
    if isinstance(stamp, int):
        return sites._version == stamp
    return torch.equal(sites, stamp)


def _in_int32(sites: torch.Tensor) -> torch.Tensor:
    made = sites.int()
    if torch.compiler.is_compiling():
        assert_in_graph((made == sites).all(), "indices have numbers of more than 31 bits.")
    elif not torch.equal(made, sites):
        row, column = (int(number) for number in (made != sites).nonzero()[0])
        raise ValueError(
            f"indices[{row}, {column}] is {int(sites[row, column])}, expected a number of 31 bits."
        )
    return made


def expand_nd(ndim: int, value: Any) -> list[int]:
    """``value`` for each axis: an int for all, or as many as there are axes."""
    try:
        return [operator.index(value)] * ndim
    except TypeError:  # Not one number.
        numbers = [int(number) for number in value]
    if len(numbers) != ndim:
        raise ValueError(f"{value!r} has {len(numbers)} numbers, expected one or {ndim}.")
    return numbers


def expand_sizes(ndim: int, least: int, **argument: Any) -> list[int]:
    """The same of an argument, given by its name, whose numbers are ``least`` or more."""
    ((name, value),) = argument.items()
    try:
        numbers = expand_nd(ndim, value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}, expected an int or {ndim} of them.") from None
    if min(numbers) < least:
        raise ValueError(f"{name} is {value!r}, expected {least} or more along each axis.")
    return numbers


class SparseConvTensor:
    """Features at some sites of a grid, of a batch of samples.

    Parameters
    ----------
    features : tensor (N, C)
    indices : int32 or int64 tensor (N, D + 1)
        (batch, coordinates) of each row, slowest axis first: (batch, z, y, x).
    spatial_shape : D int, a list or a NumPy array
        In the order of the coordinates.
    batch_size : int
    indice_dict : dict, optional
        Pairs of earlier layers by ``indice_key``.
    grid, voxel_num, benchmark, permanent_thrust_allocator, enable_timer, force_algo
        Accepted and kept; they have no meaning on a CPU.

    Examples
    --------
    >>> import torch
    >>> from detops import spconv
    >>> sites = torch.tensor([[0, 0, 1], [0, 2, 2]], dtype=torch.int32)
    >>> x = spconv.SparseConvTensor(torch.tensor([[1.0], [2.0]]), sites, [3, 3], 1)
    >>> x.dense().shape, x.dense().sum().item()
    (torch.Size([1, 1, 3, 3]), 3.0)
    """

    _shares_indice_dict = False
    """Whether layers write into the dictionary of their input, as those of mmcv do."""
    _timer = CUDAKernelTimer(False)
    """What layers hand to functions of ``ops``."""

    def __init__(
        self,
        features: torch.Tensor,
        indices: torch.Tensor,
        spatial_shape: Any,
        batch_size: int,
        grid: torch.Tensor | None = None,
        voxel_num: torch.Tensor | None = None,
        indice_dict: dict[str, IndiceData] | None = None,
        benchmark: bool = False,
        permanent_thrust_allocator: bool = False,
        enable_timer: bool = False,
        force_algo: Any = None,
    ) -> None:
        refuse_jit_trace()
        check_tensors("SparseConvTensor", features=features, indices=indices)
        if features.ndim != 2:
            raise ValueError(f"features has rank {features.ndim}, expected 2: (N, C).")
        if indices.ndim != 2:
            raise ValueError(f"indices has rank {indices.ndim}, expected 2: (N, D + 1).")
        if indices.dtype not in (torch.int32, torch.int64):
            raise ValueError(f"indices has type {indices.dtype}, expected torch.int32.")
        if len(spatial_shape) != indices.shape[1] - 1:
            columns, axes = indices.shape[1], len(spatial_shape)
            hint = ". Is the column of the batch missing?" if columns == axes else "."
            raise ValueError(
                f"indices has {columns} columns, expected {axes + 1} for spatial_shape "
                f"{list(spatial_shape)}: the batch and a coordinate for each axis{hint}"
            )
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}, expected 1 or more.")
        self._features = features
        self.indices = indices if indices.dtype == torch.int32 else _in_int32(indices)
        self._check_rows()
        self.spatial_shape = [int(extent) for extent in spatial_shape]
        self.batch_size = int(batch_size)
        self.indice_dict: dict[str, IndiceData] = {} if indice_dict is None else indice_dict
        self.grid = grid
        self.voxel_num = voxel_num
        self.benchmark = benchmark
        self.benchmark_record: dict[str, Any] = {}
        self.thrust_allocator: Any = None
        self.enable_timer = enable_timer
        self.force_algo = force_algo
        self.int8_scale: Any = None
        # Pairs of submanifold layers by kernel and dilation, for as long as the sites are the same.
        self._pairs_of_sites: dict[Any, IndiceData] = {}

    def _check_sites(self) -> None:
        """Before coordinates are used, or taken over without being used."""
        check_inside(self.indices, [self.batch_size, *self.spatial_shape])

    def _check_rows(self) -> None:
        """Before everything that is computed of both: a program may set either of them."""
        refuse_jit_trace()
        if self._features.shape[0] != self.indices.shape[0]:
            raise ValueError(
                f"features has {self._features.shape[0]} rows and indices {self.indices.shape[0]}, "
                "expected as many."
            )

    def __repr__(self) -> str:
        return f"SparseConvTensor[shape={self._features.shape}]"

    @property
    def is_quantized(self) -> bool:
        return False

    @property
    def features(self) -> torch.Tensor:
        """(N, C). Read only: ``replace_feature`` makes a tensor with other ones."""
        return self._features

    @features.setter
    def features(self, _: torch.Tensor) -> None:
        raise ValueError("features cannot be set, use x = x.replace_feature(new) instead.")

    @property
    def spatial_size(self) -> int:
        return math.prod(self.spatial_shape)

    def shadow_copy(self) -> SparseConvTensor:
        """Another tensor with the same features, sites and pairs."""
        made = copy.copy(self)
        made.spatial_shape = list(self.spatial_shape)
        return made

    def replace_feature(self, feature: torch.Tensor) -> SparseConvTensor:
        """The same sites with other features.

        Networks that add sites replace the features first and set ``indices`` then, so that the
        number of rows is looked at only when something is computed from them.
        """
        if feature.ndim != 2:
            raise ValueError(f"feature has rank {feature.ndim}, expected 2: (N, C).")
        made = self.shadow_copy()
        made._features = feature
        return made

    def select_by_index(self, valid_indices: torch.Tensor) -> SparseConvTensor:
        """Only some rows. Pairs of the whole are forgotten."""
        self._check_rows()
        made = self.shadow_copy()
        made._features = self._features[valid_indices]
        made.indices = self.indices[valid_indices]
        made.indice_dict = {}
        made._pairs_of_sites = {}
        return made

    def minus(self) -> SparseConvTensor:
        return self.replace_feature(-self._features)

    @classmethod
    def from_dense(cls, x: torch.Tensor) -> SparseConvTensor:
        """Of a tensor (batch, space..., C): the sites where a channel is not 0."""
        sparse = x.to_sparse(x.ndim - 1)
        sites = sparse.indices().permute(1, 0).contiguous().int()
        return cls(sparse.values(), sites, list(x.shape[1:-1]), x.shape[0])

    def _with_pairs(self, key: str, pairs: IndiceData) -> dict[str, IndiceData]:
        if self._shares_indice_dict:
            self.indice_dict[key] = pairs
            return self.indice_dict
        # A dictionary of its own: the input may go on to other layers, which know nothing of this.
        return {**self.indice_dict, key: pairs}

    def find_indice_pair(self, key: str | None) -> IndiceData | None:
        return None if key is None else self.indice_dict.get(key)

    def dense(self, channels_first: bool = True) -> torch.Tensor:
        """(batch, C, space...) or (batch, space..., C); 0 where there is no site.

        Of rows with the same site the last one counts, whatever the number of threads.
        """
        self._check_rows()
        shape = [self.batch_size, *self.spatial_shape, self._features.shape[1]]
        made = scatter_nd(self.indices, self._features, shape)
        if not channels_first:
            return made
        return made.permute(0, made.ndim - 1, *range(1, made.ndim - 1)).contiguous()

    def _plus(self, other: SparseConvTensor | torch.Tensor) -> SparseConvTensor:
        if isinstance(other, SparseConvTensor):
            check_same_sites("+", self, other, channels=False)
            other = other.features
        return self.replace_feature(self._features + other)

    __add__ = __radd__ = __iadd__ = _plus


def check_same_space(
    who: str, first: SparseConvTensor, other: SparseConvTensor, channels: bool
) -> None:
    """Refuse tensors of different spaces or, if ``channels``, with different numbers of them."""
    for name in ("spatial_shape", "batch_size"):
        mine, theirs = getattr(first, name), getattr(other, name)
        if mine != theirs:
            raise ValueError(f"{who}: a tensor has {name} {theirs}, expected {mine}.")
    if channels and other.features.shape[1] != first.features.shape[1]:
        raise ValueError(
            f"{who}: a tensor has {other.features.shape[1]} channels, expected "
            f"{first.features.shape[1]}."
        )


def check_same_sites(
    who: str, first: SparseConvTensor, other: SparseConvTensor, channels: bool
) -> None:
    """The same, and refuse other sites than those of the first, or in another order."""
    check_same_space(who, first, other, channels)
    other._check_rows()
    if other.indices.shape[0] != first.indices.shape[0]:
        found = f"{other.indices.shape[0]} sites, expected {first.indices.shape[0]}"
    elif not are_same_sites(other.indices, first.indices):
        found = "other sites than the first"
    else:
        return
    raise ValueError(
        f"{who}: a tensor has {found}; AddTableMisaligned, or functional.sparse_add, adds such tensors."
    )
