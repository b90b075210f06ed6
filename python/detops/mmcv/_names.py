"""The other names of ``mmcv.ops``, of mmcv 2.1: programs can import them where there is no mmcv."""

from __future__ import annotations

import functools

from .._installing.absent import absent

_NAMES = """
    BezierAlign BorderAlign CARAFE CARAFENaive CARAFEPack Conv2d ConvTranspose2d CornerPool
    Correlation CrissCrossAttention DeformConv2d DeformConv2dPack DeformRoIPool
    DeformRoIPoolPack FusedBiasLeakyReLU GroupAll Linear MaskedConv2d MaxPool2d
    ModulatedDeformConv2d ModulatedDeformConv2dPack ModulatedDeformRoIPoolPack
    MultiScaleDeformableAttention PSAMask PointsSampler PrRoIPool QueryAndGroup
    RiRoIAlignRotated RoIAlign RoIAlignRotated RoIPointPool3d RoIPool SAConv2d SigmoidFocalLoss
    SimpleRoIAlign SoftmaxFocalLoss SyncBatchNorm TINShift active_rotated_filter
    assign_score_withk ball_query bezier_align bias_act border_align carafe carafe_naive
    chamfer_distance contour_expand conv2d conv_transpose2d deform_conv2d deform_roi_pool
    filter2d filtered_lrelu
    fused_bias_leakyrelu gather_points grouping_operation knn masked_conv2d
    modulated_deform_conv2d pixel_group point_sample prroi_pool rel_roi_point_to_rel_img_point
    riroi_align_rotated roi_align roi_align_rotated roi_pool sigmoid_focal_loss
    softmax_focal_loss three_interpolate three_nn tin_shift upfirdn2d upsample2d
    """.split()


@functools.cache
def __getattr__(name: str) -> object:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    told = f"detops, which stands in for mmcv, has no {name}, which mmcv-lite 2.1.0 has in Python."
    return absent(__name__, name, f"mmcv.ops.{name}: {told}")
