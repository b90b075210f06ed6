"""Functions of mmcv's compiled module in operators of torch alone.

Networks need them, and spend next to no time in them: they are exact, in forward and in gradients,
and as fast as torch makes them. As in mmcv most write their results into tensors of the caller.
"""

from __future__ import annotations

from .active_rotated_filter import active_rotated_filter_backward, active_rotated_filter_forward
from .deform_conv import (
    deform_conv_backward_input,
    deform_conv_backward_parameters,
    deform_conv_forward,
    modulated_deform_conv_backward,
    modulated_deform_conv_forward,
)
from .focal_loss import (
    sigmoid_focal_loss_backward,
    sigmoid_focal_loss_forward,
    softmax_focal_loss_backward,
    softmax_focal_loss_forward,
)
from .points import (
    ball_query_forward,
    furthest_point_sampling_forward,
    furthest_point_sampling_with_dist_forward,
    gather_points_backward,
    gather_points_forward,
    group_points_backward,
    group_points_forward,
    roipoint_pool3d_forward,
    stack_ball_query_forward,
    stack_group_points_backward,
    stack_group_points_forward,
    three_interpolate_backward,
    three_interpolate_forward,
    three_nn_forward,
)
from .roi_align import (
    roi_align_backward,
    roi_align_forward,
    roi_align_rotated_backward,
    roi_align_rotated_forward,
)

__all__ = [
    "active_rotated_filter_backward",
    "active_rotated_filter_forward",
    "ball_query_forward",
    "deform_conv_backward_input",
    "deform_conv_backward_parameters",
    "deform_conv_forward",
    "furthest_point_sampling_forward",
    "furthest_point_sampling_with_dist_forward",
    "gather_points_backward",
    "gather_points_forward",
    "group_points_backward",
    "group_points_forward",
    "modulated_deform_conv_backward",
    "modulated_deform_conv_forward",
    "roi_align_backward",
    "roi_align_forward",
    "roi_align_rotated_backward",
    "roi_align_rotated_forward",
    "roipoint_pool3d_forward",
    "sigmoid_focal_loss_backward",
    "sigmoid_focal_loss_forward",
    "softmax_focal_loss_backward",
    "softmax_focal_loss_forward",
    "stack_ball_query_forward",
    "stack_group_points_backward",
    "stack_group_points_forward",
    "three_interpolate_backward",
    "three_interpolate_forward",
    "three_nn_forward",
]
