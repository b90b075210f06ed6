"""The packages that detops stands in for."""

from __future__ import annotations

from .import_hooks import Package

__all__ = ["PACKAGES"]

# OpenPCDet's modules around its compiled ones, which ask for tensors of a GPU.
_OF_OPENPCDET = """
    roiaware_pool3d.roiaware_pool3d_utils
    iou3d_nms.iou3d_nms_utils
    iou3d_nms.iou3d_nms_cuda
    bev_pool.bev_pool
    ingroup_inds.ingroup_inds_op
    pointnet2.pointnet2_batch.pointnet2_utils
    pointnet2.pointnet2_stack.pointnet2_utils
    pointnet2.pointnet2_stack.voxel_query_utils
    roipoint_pool3d.roipoint_pool3d_utils
    """.split()

PACKAGES = {
    "mmcv": Package(
        {"mmcv.ops": "detops.mmcv"},
        is_complete=False,
        version="2.1.0",
        registry="detops.mmcv._registry",
        absent={"mmcv.ops": "detops.mmcv._names"},
        extensions={"mmcv._ext": "detops.mmcv._ext"},
        versions=("2.0", "2.2"),
        # mmcv 2.1 and earlier ask for a GPU in the last two, whatever the tensors are on; the first goes
        # through vertices, detops past them.
        amended={
            "mmcv.ops.diff_iou_rotated": "detops.mmcv.diff_iou_rotated",
            "mmcv.ops.furthest_point_sample": "detops.mmcv.furthest_point_sample",
            "mmcv.ops.points_in_boxes": "detops.mmcv.points_in_boxes",
        },
        beside={"mmdet3d.evaluation.functional.kitti_utils.rotate_iou": "detops.openpcdet.rotate_iou"},
        users="mmcv.ops",
        clients={"mmdet": ("3.0", "3.3"), "mmdet3d": ("1.1", "1.4"), "mmrotate": ("1.0", "1.0")},
    ),
    "openpcdet": Package(
        {
            **{f"pcdet.ops.{name}": f"detops.openpcdet.{name.partition('.')[2]}" for name in _OF_OPENPCDET},
            "pcdet.datasets.kitti.kitti_object_eval_python.rotate_iou": "detops.openpcdet.rotate_iou",
            "pcdet.datasets.once.once_eval.iou_utils": "detops.openpcdet.rotate_iou",
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
        versions=("0.6", "0.6"),
        written={"pcdet.version": {"__version__": "0.6.0"}},
        users="pcdet",
        names_gpu=True,
        needs=("spconv", "torch_scatter", "torchvision"),
    ),
    "centerpoint": Package(
        {"det3d.ops.iou3d_nms.iou3d_nms_cuda": "detops.openpcdet.iou3d_nms_cuda"},
        is_complete=True,
        extensions={
            "det3d.ops.iou3d_nms.iou3d_nms_cuda": "detops.openpcdet.iou3d_nms_cuda",
            "det3d.ops.dcn.deform_conv_cuda": None,
            "det3d.ops.dcn.deform_pool_cuda": None,
        },
        # numba 0.59 and later do not compile this one.
        amended={"det3d.core.bbox.geometry": "detops.centerpoint"},
        aliases={"collections.Iterable": "collections.abc.Iterable"},  # Went with Python 3.10.
        users="det3d",
        names_gpu=True,
        needs=("spconv", "torchvision"),
    ),
    "spconv": Package(
        {
            "spconv": "detops.spconv",
            "spconv.core": "detops.spconv.conv",
            "spconv.pytorch": "detops.spconv",
        },
        is_complete=True,
    ),
    "torch_scatter": Package(
        {"torch_scatter": "detops.torch_scatter"},
        is_complete=False,
        version="2.1.2",
    ),
    "torchvision": Package(
        {
            "torchvision.ops": "detops.torchvision",
            "torchvision.models": "detops.torchvision.models",
            "torchvision.ops.boxes": "detops.torchvision.boxes",
            "torchvision.ops.ps_roi_pool": "detops.torchvision.ps_roi_pool",
            "torchvision.transforms": "detops.torchvision.transforms",
            "torchvision.transforms.functional": "detops.torchvision.functional",
        },
        is_complete=False,
        version="0.28.0",
        registry="detops.torchvision._registry",
        is_fragment=True,
    ),
}
