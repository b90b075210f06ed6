"""The extension. Its functions take all arguments by position; the package gives them names."""

from ._types import (
    Activation,
    ArrayLike,
    Convention,
    Counts,
    FiltersLayout,
    FloatArray,
    IndexArray,
    Layout,
    Measures,
    Pool,
    Shape,
    Size2,
    Size3,
    Sizes,
    Start,
    VoxelOrder,
    ZOrigin,
)

def version() -> str: ...
def target() -> str: ...
def supported_targets() -> str: ...
def library_path() -> str: ...
def get_num_threads() -> int: ...
def set_process_threads(num_threads: int) -> None: ...
def swap_threads_of_this_thread(num_threads: int) -> int: ...
def swap_value_checks(on: bool) -> bool: ...
def rotated_feature_align_forward(
    input: ArrayLike,
    bboxes: ArrayLike,
    spatial_scale: float,
    points: int,
    out: ArrayLike | None,
) -> FloatArray: ...
def rotated_feature_align_backward(
    top_output: ArrayLike,
    bboxes: ArrayLike,
    spatial_scale: float,
    points: int,
    out: ArrayLike | None,
) -> FloatArray: ...
def psroipool_forward(
    input: ArrayLike,
    rois: ArrayLike,
    pooled_size: Size2,
    spatial_scale: float,
    convention: Convention,
    layout: Layout,
    mapping_channel: ArrayLike | None,
    out: ArrayLike | None,
) -> FloatArray: ...
def psroipool_backward(
    top_grad: ArrayLike,
    rois: ArrayLike,
    input_shape: Shape,
    spatial_scale: float,
    convention: Convention,
    layout: Layout,
    mapping_channel: ArrayLike | None,
    out: ArrayLike | None,
) -> FloatArray: ...
def roiaware_pool3d_forward(
    rois: ArrayLike,
    pts: ArrayLike,
    pts_feature: ArrayLike,
    out_size: Size3,
    max_pts_each_voxel: int,
    pool: Pool,
    z_origin: ZOrigin,
    xy_margin: float,
    out: tuple[ArrayLike | None, ArrayLike | None, ArrayLike | None] | None,
) -> tuple[FloatArray, IndexArray | None, IndexArray]: ...
def roiaware_pool3d_backward(
    grad_out: ArrayLike,
    argmax: ArrayLike | None,
    pts_idx_of_voxels: ArrayLike | None,
    pts_num: int,
    pool: Pool,
    out: ArrayLike | None,
) -> FloatArray: ...
def roiaware_pool3d_compact_forward(
    rois: ArrayLike,
    pts: ArrayLike,
    pts_feature: ArrayLike,
    out_size: Size3,
    max_pts_each_voxel: int,
    pool: Pool,
    z_origin: ZOrigin,
    xy_margin: float,
    out: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike, ArrayLike | None] | None,
) -> tuple[IndexArray, IndexArray, IndexArray, FloatArray, IndexArray | None]: ...
def roiaware_pool3d_compact_backward(
    grad_out: ArrayLike,
    voxel_begins: ArrayLike | None,
    pts_idx: ArrayLike | None,
    argmax: ArrayLike | None,
    pts_num: int,
    pool: Pool,
    out: ArrayLike | None,
) -> FloatArray: ...
def get_indice_pairs(
    indices: ArrayLike,
    batch_size: int,
    spatial_shape: Shape,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes | None,
    dilation: Sizes,
    output_padding: Sizes,
    output_shape: Sizes | None,
    submanifold: bool,
    transposed: bool,
    out: tuple[ArrayLike | None, ArrayLike | None, ArrayLike | None] | None,
) -> tuple[IndexArray, IndexArray, IndexArray, int, tuple[int, ...]]: ...
def indice_convolution_forward(
    features: ArrayLike,
    filters: ArrayLike,
    indice_pairs: ArrayLike,
    indice_num: Counts,
    num_act_out: int | None,
    filters_layout: FiltersLayout,
    inverse: bool,
    out: ArrayLike | None,
) -> FloatArray: ...
def indice_convolution_forward_fused(
    features: ArrayLike,
    filters: ArrayLike,
    indice_pairs: ArrayLike,
    indice_num: Counts,
    num_act_out: int | None,
    bias: ArrayLike | None,
    residual: ArrayLike | None,
    activation: Activation,
    negative_slope: float,
    filters_layout: FiltersLayout,
    inverse: bool,
    out: ArrayLike | None,
) -> FloatArray: ...
def indice_convolution_backward_data(
    output_grad: ArrayLike,
    filters: ArrayLike,
    indice_pairs: ArrayLike,
    indice_num: Counts,
    num_act_in: int | None,
    filters_layout: FiltersLayout,
    inverse: bool,
    out: ArrayLike | None,
) -> FloatArray: ...
def indice_convolution_backward_filter(
    features: ArrayLike,
    output_grad: ArrayLike,
    indice_pairs: ArrayLike,
    indice_num: Counts,
    filters_shape: Shape,
    filters_layout: FiltersLayout,
    inverse: bool,
    out: ArrayLike | None,
) -> FloatArray: ...
def indice_pool_forward(
    features: ArrayLike,
    indice_pairs: ArrayLike,
    indice_num: Counts,
    num_act_out: int | None,
    pool: Pool,
    start: Start,
    out: ArrayLike | None,
) -> FloatArray: ...
def indice_pool_backward(
    output_grad: ArrayLike,
    features: ArrayLike | None,
    features_out: ArrayLike | None,
    indice_pairs: ArrayLike,
    indice_num: Counts,
    num_act_in: int | None,
    pool: Pool,
    out: ArrayLike | None,
) -> FloatArray: ...
def point_to_voxel(
    points: ArrayLike,
    voxel_size: Measures,
    range_min: Measures,
    grid: Shape,
    max_points_per_voxel: int,
    max_voxels_per_cloud: int,
    cloud_begins: ArrayLike | None,
    order: VoxelOrder,
    voxels: bool,
    means: bool,
) -> tuple[FloatArray | None, FloatArray | None, IndexArray, IndexArray, IndexArray]: ...
