// What the document's formulas count, the least work of a call, and shapes worth timing.
#include "ops/roiaware_pool3d/contract/calls.h"

namespace detops_harness::roiaware_pool3d {
namespace {

// Of all boxes.
double VoxelCount(const Call& call) {
  const RoiAwareGrid grid = GridOf(call);
  return static_cast<double>(call.integer("boxes_num")) * static_cast<double>(grid.out_x) *
         static_cast<double>(grid.out_y) * static_cast<double>(grid.out_z);
}

}  // namespace

std::string SummaryOf(const Shape& shape) {
  return shape.Word("boxes") + " boxes, " + shape.Word("points") + " points, " + shape.Word("out") + ", c" +
         shape.Word("channels") + ", " + shape.Word("pool");
}

Theory ForwardTheory(const Call& call) {
  const auto boxes = static_cast<double>(call["rois"].extents[0]), points = static_cast<double>(call["pts"].extents[0]);
  const auto slots = static_cast<double>(GridOf(call).max_pts_each_voxel);
  const auto channels = static_cast<double>(call["pts_feature"].extents[1]);
  return {21 * boxes * points + VoxelCount(call) * slots * channels, AllBytes(call)};
}

Theory BackwardTheory(const Call& call) {
  const double points = IsAverage(call) ? 2 * static_cast<double>(call.integer("max_pts_each_voxel")) : 1;
  return {VoxelCount(call) * static_cast<double>(call.integer("channels")) * points, AllBytes(call)};
}

Work BackwardWork(const Call& call) {
  const auto bytes = [&](const char* tensor) { return static_cast<double>(call[tensor].byte_count()); };
  // Only the tensor of the mode is read; of a list of points mostly its first cache line.
  const double places = IsAverage(call) ? 64 * VoxelCount(call) : bytes("argmax");
  return {places + bytes("grad_out") + bytes("grad_in"), 0, call["grad_in"].type == MLUOP_DTYPE_DOUBLE};
}

std::vector<BenchmarkCase> BenchmarksOf(const std::string& pass) {
  std::vector<BenchmarkCase> cases;
  const auto add = [&](const std::string& name, const std::string& shape) {
    cases.push_back({pass + "_max/" + name, shape + ",pool=max"});
    cases.push_back({pass + "_average/" + name, shape + ",pool=avg", "", BenchmarkCase::kFew});
  };
  add("128x16000_12x12x12_m128_c16", "boxes=128,points=16000,channels=16,out=12,max_pts=128");  // of the document
  add("128x160000_12x12x12_m128_c16", "boxes=128,points=160000,channels=16,out=12,max_pts=128");
  add("1280x160000_4x4x4_m16_c16", "boxes=1280,points=160000,channels=16,out=4,max_pts=16");
  add("1x10_2x2x2_m4_c2", "boxes=1,points=10,channels=2,out=2,max_pts=4");
  // The most that somebody can ask of a call with so many boxes and points.
  for (const auto& [name, grid] : {std::pair<std::string, std::string>{"4x4x4_m16", "out=4,max_pts=16"},
                                   {"12x12x12_m128", "out=12,max_pts=128"}}) {
    cases.push_back({pass + "_max/160x32000_" + name + "_c16_crowded",
                     "boxes=160,points=32000,channels=16,scene=held," + grid, "", BenchmarkCase::kFew});
  }
  return cases;
}

}  // namespace detops_harness::roiaware_pool3d
