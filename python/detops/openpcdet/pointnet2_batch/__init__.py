"""``pcdet.ops.pointnet2.pointnet2_batch``: clouds of the same number of points."""
