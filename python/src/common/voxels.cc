// Voxels of points, and reductions of the rows of each.
#include <algorithm>
#include <string>
#include <vector>

#include "common/operators.h"

namespace detops_binding {
namespace {

constexpr Schema kVoxelization(
    "voxelization(Tensor points, float[] voxel_size, float[] coors_range, int max_points, int max_voxels) -> "
    "(Tensor voxels, Tensor coors, Tensor num_points_per_voxel)");
constexpr Schema kCoordinates(
    "voxel_coordinates(Tensor points, float[] voxel_size, float[] range_min, int[] grid) -> Tensor");
constexpr Schema kForward(
    "dynamic_point_to_voxel_forward(Tensor feats, Tensor coors, str reduce='max') -> (Tensor voxel_feats, "
    "Tensor voxel_coors, Tensor point2voxel_map, Tensor voxel_points_count)");
constexpr Schema kBackward(
    "dynamic_point_to_voxel_backward(Tensor grad_voxel_feats, Tensor feats, Tensor voxel_feats, "
    "Tensor point2voxel_map, Tensor voxel_points_count, str reduce='max') -> Tensor");
constexpr Schema kScatterForward(
    "scatter_reduce_forward(Tensor src, Tensor index, SymInt num_groups, str reduce='sum', bool count=True, "
    "bool argmax=True) -> (Tensor out, Tensor counts, Tensor argmax)");
constexpr Schema kScatterBackward(
    "scatter_reduce_backward(Tensor grad_out, Tensor index, Tensor? count=None, Tensor? argmax=None, "
    "str reduce='sum') -> Tensor");

mluOpReduceMode_t ReadReduce(Call& call, const Parameter& parameter) {
  return call.Choice<mluOpReduceMode_t>(
      parameter, {{"sum", MLUOP_REDUCE_DSUM}, {"mean", MLUOP_REDUCE_DMEAN}, {"max", MLUOP_REDUCE_DMAX}});
}

// Numbers of a list as a tensor of float, which frameworks make of them too.
struct FloatList {
  explicit FloatList(const std::vector<double>& list) : numbers(list.begin(), list.end()) {
    view = {.given = true, .rank = 1, .type = MLUOP_DTYPE_FLOAT, .extents = {}, .data = numbers.data()};
    view.extents[0] = static_cast<int64_t>(numbers.size());
  }
  FloatList(const FloatList&) = delete;
  FloatList& operator=(const FloatList&) = delete;

  std::vector<float> numbers;
  View view;
};

void Voxelization(Call& call) {
  const View points = call.Numbers(kVoxelization["points"]);
  const FloatList sizes(call.Reals(kVoxelization["voxel_size"])), range(call.Reals(kVoxelization["coors_range"]));
  const int max_points = call.Int32(kVoxelization["max_points"]);
  const int max_voxels = call.Int32(kVoxelization["max_voxels"]);
  if (max_points < 1)
    call.At(kVoxelization["max_points"]).Refuse("is " + std::to_string(max_points) + ", expected 1 or more.");
  if (max_voxels < 0)
    call.At(kVoxelization["max_voxels"]).Refuse("is " + std::to_string(max_voxels) + ", expected 0 or more.");
  // There are no more voxels than points.
  const int64_t rows = std::min<int64_t>(max_voxels, points.extent(0));
  const View voxels = call.Output(0, points.type, {rows, max_points, points.extent(1)});
  const View coors = call.Output(1, MLUOP_DTYPE_INT32, {rows, 3});
  const View counts = call.Output(2, MLUOP_DTYPE_INT32, {rows});
  if (rows == 0 && points.rank == 2) return;
  int32_t found = 0;
  View number = {.given = true, .rank = 1, .type = MLUOP_DTYPE_INT32, .extents = {1}, .data = &found};
  call.Run([&](mluOpHandle_t handle) {
    return mluOpVoxelization(handle, Descriptor(points), points.data, Descriptor(sizes.view), sizes.view.data,
                             Descriptor(range.view), range.view.data, max_points, static_cast<int32_t>(rows), 3, true,
                             nullptr, 0, Descriptor(voxels), voxels.data, Descriptor(coors), coors.data,
                             Descriptor(counts), counts.data, Descriptor(number), number.data);
  });
  for (const int result : {0, 1, 2}) call.KeepRows(result, found);
}

void Coordinates(Call& call) {
  const View points = call.Numbers(kCoordinates["points"]);
  const std::vector<double> voxel_size = call.Reals(kCoordinates["voxel_size"]);
  const std::vector<double> range_min = call.Reals(kCoordinates["range_min"]);
  const std::vector<int> grid = call.Ints(kCoordinates["grid"]);
  if (voxel_size.size() != range_min.size() || grid.size() != range_min.size()) {
    call.At(kCoordinates["range_min"])
        .Refuse("has " + std::to_string(range_min.size()) + " numbers, voxel_size " +
                std::to_string(voxel_size.size()) + " and grid " + std::to_string(grid.size()) +
                ", expected as many of each.");
  }
  const auto ndim = static_cast<int64_t>(grid.size());
  const View found = call.Output(0, MLUOP_DTYPE_INT32, {points.extent(0), ndim});
  call.Run([&](mluOpHandle_t handle) {
    return detopsVoxelCoordinates(handle, static_cast<int>(ndim), range_min.data(), voxel_size.data(), grid.data(),
                                  Descriptor(points), points.data, Descriptor(found), found.data);
  });
}

void DynamicForward(Call& call) {
  const mluOpReduceMode_t mode = ReadReduce(call, kForward["reduce"]);
  const View feats = call.Numbers(kForward["feats"]);
  const View coors = call.Indices(kForward["coors"]);
  const int64_t rows = feats.extent(0);
  const View voxel_feats = call.Output(0, feats.type, {rows, feats.extent(1)});
  const View voxel_coors = call.Output(1, MLUOP_DTYPE_INT32, {rows, 3});
  const View map = call.Output(2, MLUOP_DTYPE_INT32, {rows});
  const View counts = call.Output(3, MLUOP_DTYPE_INT32, {rows});
  int32_t found = 0;
  const View number = {.given = true, .rank = 1, .type = MLUOP_DTYPE_INT32, .extents = {1}, .data = &found};
  call.Run([&](mluOpHandle_t handle) {
    return mluOpDynamicPointToVoxelForward(handle, mode, Descriptor(feats), feats.data, Descriptor(coors), coors.data,
                                           nullptr, 0, Descriptor(voxel_feats), voxel_feats.data,
                                           Descriptor(voxel_coors), voxel_coors.data, Descriptor(map), map.data,
                                           Descriptor(counts), counts.data, Descriptor(number), number.data);
  });
  for (const int result : {0, 1, 3}) call.KeepRows(result, found);
}

void DynamicBackward(Call& call) {
  const mluOpReduceMode_t mode = ReadReduce(call, kBackward["reduce"]);
  const View gradient = call.Numbers(kBackward["grad_voxel_feats"]);
  const View feats = call.Numbers(kBackward["feats"], &gradient);
  const View voxel_feats = call.Numbers(kBackward["voxel_feats"], &gradient);
  const View map = call.Indices(kBackward["point2voxel_map"]);
  const View counts = call.Indices(kBackward["voxel_points_count"]);
  const View result = call.Output(0, gradient.type, {feats.extent(0), feats.extent(1)});
  auto rows = static_cast<int32_t>(gradient.extent(0));
  const View number = {.given = true, .rank = 1, .type = MLUOP_DTYPE_INT32, .extents = {1}, .data = &rows};
  call.Run([&](mluOpHandle_t handle) {
    return mluOpDynamicPointToVoxelBackward(handle, mode, Descriptor(gradient), gradient.data, Descriptor(feats),
                                            feats.data, Descriptor(voxel_feats), voxel_feats.data, Descriptor(map),
                                            map.data, Descriptor(counts), counts.data, Descriptor(number), number.data,
                                            nullptr, 0, Descriptor(result), result.data);
  });
}

void ScatterForward(Call& call) {
  const mluOpReduceMode_t mode = ReadReduce(call, kScatterForward["reduce"]);
  const View src = call.Numbers(kScatterForward["src"]);
  const View index = call.Integers(kScatterForward["index"]);
  const int64_t groups = call.Int64(kScatterForward["num_groups"]);
  if (groups < 0)
    call.At(kScatterForward["num_groups"]).Refuse("is " + std::to_string(groups) + ", expected 0 or more.");
  const View out = call.Output(0, src.type, {groups, src.extent(1)});
  const View counts = call.Flag(kScatterForward["count"]) ? call.Output(1, MLUOP_DTYPE_INT64, {groups}) : View();
  const View winners =
      call.Flag(kScatterForward["argmax"]) ? call.Output(2, MLUOP_DTYPE_INT64, {groups, src.extent(1)}) : View();
  call.Run([&](mluOpHandle_t handle) {
    return detopsScatterReduceForward(handle, mode, Descriptor(src), src.data, Descriptor(index), index.data,
                                      Descriptor(out), out.data, Descriptor(counts), counts.data, Descriptor(winners),
                                      winners.data);
  });
}

void ScatterBackward(Call& call) {
  const mluOpReduceMode_t mode = ReadReduce(call, kScatterBackward["reduce"]);
  const View gradient = call.Numbers(kScatterBackward["grad_out"]);
  const View index = call.Integers(kScatterBackward["index"]);
  const auto read = [&](bool needed, const Parameter& parameter, const char* reduce) {
    if (needed && call.IsNone(parameter)) {
      call.At(parameter).RefuseType(std::string("is None, but reduce='") + reduce + "' needs it.");
    }
    return call.IntegersIf(needed, parameter);
  };
  const View counts = read(mode == MLUOP_REDUCE_DMEAN, kScatterBackward["count"], "mean");
  const View winners = read(mode == MLUOP_REDUCE_DMAX, kScatterBackward["argmax"], "max");
  const View result = call.Output(0, gradient.type, {index.extent(0), gradient.extent(1)});
  call.Run([&](mluOpHandle_t handle) {
    return detopsScatterReduceBackward(handle, mode, Descriptor(gradient), gradient.data, Descriptor(index), index.data,
                                       Descriptor(counts), counts.data, Descriptor(winners), winners.data,
                                       index.extent(0), Descriptor(result), result.data);
  });
}

}  // namespace

constinit const std::array<Operator, 6> kVoxels = {{{kVoxelization, &Voxelization},
                                                    {kCoordinates, &Coordinates},
                                                    {kForward, &DynamicForward},
                                                    {kBackward, &DynamicBackward},
                                                    {kScatterForward, &ScatterForward},
                                                    {kScatterBackward, &ScatterBackward}}};

}  // namespace detops_binding
