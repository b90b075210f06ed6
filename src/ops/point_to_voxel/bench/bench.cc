// Lists of points and means on clouds of detectors: detops_bench --benchmark_filter=point_to_voxel
#include <string>

#include "bench/report.h"
#include "bench/tensors.h"
#include "detops.h"
#include "ops/point_to_voxel/bench/cases.h"
#include "ops/point_to_voxel/test/chosen.h"
#include "support/element.h"

namespace {

using detops_bench::Buffer;
using detops_bench::Descriptor;
using detops_bench::Require;
using detops_cases::PointToVoxelCase;

struct Options {
  bool lists = true;  // false: means over all points
  detopsVoxelOrder_t order = DETOPS_VOXEL_ORDER_FIRST_POINT;
  mluOpDataType_t type = MLUOP_DTYPE_FLOAT;
  int threads = 2;
  detops_cases::KeyOf* key_of = nullptr;  // chosen points of a grid of 2^20 on each axis instead of a scan
};

void Run(benchmark::State& state, const PointToVoxelCase& shape, const Options& options) {
  const mluOpHandle_t handle = detops_bench::MakeHandle(options.threads, true);
  const auto points = static_cast<int>(shape.points), rows = static_cast<int>(std::min(shape.points, shape.sites));
  const Descriptor points_desc(MLUOP_LAYOUT_ARRAY, options.type, {points, shape.features});
  const Descriptor voxels_desc(MLUOP_LAYOUT_ARRAY, options.type, {rows, shape.max_points, shape.features});
  const Descriptor means_desc(MLUOP_LAYOUT_ARRAY, options.type, {rows, shape.features});
  const Descriptor coordinates_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {rows, 3});
  const Descriptor num_points_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {rows});
  const Buffer cloud(options.type, options.key_of == nullptr ? detops_cases::MakeCloud(shape, 1)
                                                             : detops_cases::MakeChosenCloud(
                                                                   shape.points, shape.features, 20, options.key_of));
  const Buffer voxels(options.type, options.lists ? int64_t{rows} * shape.max_points * shape.features : 0);
  const Buffer means(options.type, int64_t{rows} * shape.features);
  const Buffer coordinates(MLUOP_DTYPE_FLOAT, int64_t{rows} * 3), num_points(MLUOP_DTYPE_FLOAT, rows);
  const double range_min[] = {0, 0, 0}, voxel_size[] = {1, 1, 1};
  int64_t voxel_num = 0;
  const auto call = [&] {
    Require(detopsPointToVoxel(handle, 3, range_min, voxel_size, shape.grid, options.lists ? shape.max_points : 0, 0,
                               options.order, points_desc.desc, cloud.data, nullptr, nullptr,
                               options.lists ? voxels_desc.desc : nullptr, voxels.data,
                               options.lists ? nullptr : means_desc.desc, means.data, coordinates_desc.desc,
                               coordinates.data, num_points_desc.desc, num_points.data, nullptr, nullptr, &voxel_num),
            handle);
  };
  call();
  const auto work =
      detops_cases::PointToVoxelWork(shape, detops_test::ElementSize(options.type), voxel_num, options.lists);
  detops_bench::Report(state, options.threads, work, call);
  mluOpDestroy(handle);
}

void Register(const PointToVoxelCase& shape, const Options& options) {
  const std::string name = std::string("point_to_voxel/") + (options.lists ? "lists" : "means") +
                           (options.order == DETOPS_VOXEL_ORDER_ASCENDING ? "_ascending/" : "/") + shape.name + "/" +
                           detops_test::ElementName(options.type) + "/threads:" + std::to_string(options.threads);
  detops_bench::Register(name, [=](benchmark::State& state) { Run(state, shape, options); });
}

const bool registered = [] {
  for (const PointToVoxelCase& shape : detops_cases::kPointToVoxelCases) {
    for (const bool lists : {true, false}) {
      Register(shape, {.lists = lists});
      Register(shape, {.lists = lists, .threads = 1});
      Register(shape, {.lists = lists, .order = DETOPS_VOXEL_ORDER_ASCENDING});
      Register(shape, {.lists = lists, .type = MLUOP_DTYPE_HALF});
      Register(shape, {.lists = lists, .type = MLUOP_DTYPE_BFLOAT16});
      Register(shape, {.lists = lists, .type = MLUOP_DTYPE_DOUBLE});
    }
  }
  // Whatever the points are, the call takes about as long as for random ones.
  constexpr int kEnd = 1 << 20;
  const PointToVoxelCase chosen = {"80000x4_2p20x2p20x2p20", 80'000, 4, {kEnd, kEnd, kEnd}, 5, 80'000};
  const auto add = [&](const std::string& family, detops_cases::KeyOf* key_of) {
    detops_bench::Register(
        "point_to_voxel/means/" + std::string(chosen.name) + "/" + family + "/threads:1",
        [=](benchmark::State& state) { Run(state, chosen, {.lists = false, .threads = 1, .key_of = key_of}); });
  };
  add("Random", detops_cases::RandomKey);
  for (const detops_cases::KeyFamily& family : detops_cases::kKeyFamilies) add(family.name, family.key_of);
  return true;
}();

}  // namespace
