"""``pcdet.ops.pointnet2.pointnet2_stack``: clouds one after another."""
