"""Position-sensitive RoI pooling (R-FCN), forward and backward."""

from __future__ import annotations

from .. import _native
from .._types import ArrayLike, Convention, FloatArray, Layout, Shape, Size2

__all__ = ["psroipool_backward", "psroipool_forward"]


def psroipool_forward(
    input: ArrayLike,
    rois: ArrayLike,
    pooled_size: Size2,
    spatial_scale: float = 1.0,
    *,
    convention: Convention = "rfcn",
    layout: Layout = "NHWC",
    mapping_channel: ArrayLike | None = None,
    out: ArrayLike | None = None,
) -> FloatArray:
    """Average the pixels of each bin of each region, every bin in channels of its own.

    Output channel d at bin (ph, pw) reads input channel (d * PH + ph) * PW + pw.

    Parameters
    ----------
    input : array (N, H, W, D * PH * PW), with layout="NCHW" (N, D * PH * PW, H, W)
        The map.
    rois : array (R, 5)
        (batch id, x1, y1, x2, y2) in image pixels. The type is that of ``input``.
    pooled_size : int or (PH, PW)
        The bins of a region.
    spatial_scale : float
        Pixels of the map per pixel of the image; above 0.
    convention : "rfcn", "torchvision" or "consistent"
        How a region becomes bins. "rfcn": both ends inside, rounded and then scaled.
        "torchvision": as ``torchvision.ops.ps_roi_pool``, bit by bit, whose forward never reads the
        last row and column. "consistent": the same with the whole map, so that backward is the
        adjoint of forward.
    layout : "NHWC" or "NCHW"
        The order of the axes of ``input`` and of the result.
    mapping_channel : int32 array with the shape of the result, optional
        Gets the input channel that each element has read.
    out : array, optional
        Where to write.

    Returns
    -------
    array (R, PH, PW, D), with layout="NCHW" (R, D, PH, PW)
        0 for bins without pixels. No regions give a result with no rows.

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> image = np.arange(4 * 4 * 4, dtype=np.float32).reshape(1, 4, 4, 4)
    >>> roi = np.array([[0, 0, 0, 3, 3]], np.float32)
    >>> detops.psroipool_forward(image, roi, 2).reshape(2, 2)
    array([[10., 19.],
           [44., 53.]], dtype=float32)
    """
    return _native.psroipool_forward(
        input, rois, pooled_size, spatial_scale, convention, layout, out, mapping_channel
    )


def psroipool_backward(
    top_grad: ArrayLike,
    rois: ArrayLike,
    input_shape: Shape,
    spatial_scale: float = 1.0,
    *,
    convention: Convention = "rfcn",
    layout: Layout = "NHWC",
    mapping_channel: ArrayLike | None = None,
    out: ArrayLike | None = None,
) -> FloatArray:
    """Gradient of :func:`psroipool_forward` with respect to ``input``.

    Parameters
    ----------
    top_grad : array (R, PH, PW, D), with layout="NCHW" (R, D, PH, PW)
        Gradient of the forward result.
    rois, spatial_scale, convention, layout
        As forward.
    input_shape : tuple of 4 int
        The shape of forward's ``input``.
    mapping_channel : int array with the shape of ``top_grad``, optional
        The input channel of each element. Left out: those of forward.
    out : array of ``input_shape``, optional
        Where to write; it is overwritten, not added to.

    Returns
    -------
    array of ``input_shape``

    Examples
    --------
    >>> import numpy as np
    >>> import detops
    >>> roi = np.array([[0, 0, 0, 1, 1]], np.float64)
    >>> detops.psroipool_backward(np.ones((1, 1, 1, 1)), roi, (1, 2, 3, 1)).reshape(2, 3)
    array([[0.25, 0.25, 0.  ],
           [0.25, 0.25, 0.  ]])
    """
    return _native.psroipool_backward(
        top_grad, rois, input_shape, spatial_scale, convention, layout, mapping_channel, out
    )
