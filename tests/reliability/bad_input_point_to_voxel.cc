// Rows of the voxelisation.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ops/point_to_voxel/test/bad_call.h"
#include "reliability/bad_input_call.h"
#include "reliability/bad_input_plain.h"

namespace detops_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

using VoxelRow = CallRow<BadCall>;

auto Of(const std::string& name) {
  return [name](BadCall& call) -> TensorArgument& { return call[name]; };
}

void AddTensors(VoxelRow& row) {
  row.BadParam(BadClass::kNull, "handle", "handle is NULL", [](BadCall& call) { call.with_handle = false; });
  row.BadParam(BadClass::kNull, "range_min", "range_min is NULL", [](BadCall& call) { call.with_range_min = false; });
  row.BadParam(BadClass::kNull, "voxel_size", "voxel_size is NULL",
               [](BadCall& call) { call.with_voxel_size = false; });
  row.BadParam(BadClass::kNull, "grid", "grid is NULL", [](BadCall& call) { call.with_grid = false; });
  row.BadParam(BadClass::kNull, "voxel_num", "voxel_num is NULL", [](BadCall& call) { call.with_voxel_num = false; });
  row.NullDescriptor("points", Of("points"));
  row.NullDescriptor("coordinates", Of("coordinates"));
  for (const TensorArgument& tensor : BadCall().tensors) {
    const std::string& name = tensor.name;
    const auto rank = static_cast<int>(tensor.memory->extents().size());
    row.NullData(name, Of(name));
    row.Rank(name, Of(name), rank);
    row.Type(name, Of(name));
    if (rank > 1) row.Stride(name, Of(name));
    // How many clouds there are, nothing else tells.
    for (int axis = name == "cloud_begins" ? 1 : 0; axis < rank; ++axis) row.Axis(name, Of(name), axis, "has extent");
  }
}

void AddSizes(VoxelRow& row) {
  row.Defines(
      BadClass::kEmpty, "no points",
      [](BadCall& call) {
        call.sizes.points = 0;
        call["cloud_begins"].memory->Fill(0);
      },
      [](BadCall& call) { return call.voxel_num == 0 ? "" : "there are voxels"; });
  row.Defines(
      BadClass::kEmpty, "no rows for voxels: every point is dropped", [](BadCall& call) { call.sizes.rows = 0; },
      [](BadCall& call) -> std::string {
        for (const double voxel : call["point_voxel"].memory->Values()) {
          if (voxel != -1) return "a point has a voxel";
        }
        return call.voxel_num == 0 ? "" : "there are voxels";
      });
  for (const int ndim : {0, -1, 5}) {
    row.BadParam(BadClass::kSizes, "ndim", "ndim is " + std::to_string(ndim),
                 [ndim](BadCall& call) { call.ndim = ndim; });
  }
  for (const int extent : {0, -1}) {
    row.BadParam(BadClass::kSizes, "grid", "grid[1] is " + std::to_string(extent),
                 [extent](BadCall& call) { call.grid[1] = extent; });
  }
  row.BadParam(BadClass::kSizes, "max_points_per_voxel -1", "max_points_per_voxel",
               [](BadCall& call) { call.max_points = -1; });
  row.BadParam(BadClass::kSizes, "max_points_per_voxel 0 with voxels", "max_points_per_voxel",
               [](BadCall& call) { call.max_points = 0; });
  row.BadParam(BadClass::kSizes, "max_voxels_per_cloud -1", "max_voxels_per_cloud is -1",
               [](BadCall& call) { call.max_voxels = -1; });
  row.NotSupported(BadClass::kOverflow, "a voxel needs 93 bits", "grid",
                   [](BadCall& call) { call.grid = {INT32_MAX, INT32_MAX, INT32_MAX, 1}; });
  row.NotSupported(BadClass::kOverflow, "2^31 points", "points has ",
                   [](BadCall& call) { call.sizes.points = int64_t{1} << 31; });
  row.NotSupported(BadClass::kOverflow, "bytes that int64 cannot count", "expected fewer than 2^63 bytes",
                   [](BadCall& call) { call.sizes.features = int64_t{1} << 58; });
  row.NotSupported(BadClass::kOverflow, "the contract profile", "expected the full one",
                   [](BadCall& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
}

void AddValues(VoxelRow& row) {
  const char* const outputs[] = {"voxels", "means", "coordinates", "num_points", "point_voxel"};
  for (const char* output : outputs) {
    for (const char* other : {"points", "cloud_begins", "coordinates"}) {
      if (output == std::string(other)) continue;
      row.BadParam(BadClass::kOverlap, std::string(output) + " in " + other, "overlaps",
                   [output, other](BadCall& call) { call[output].data = call[other].data; });
    }
  }
  for (const double number : {kNan, kInf, -kInf, 1e300}) {
    row.BadParam(BadClass::kNotFinite, "range_min", "range_min[1] is",
                 [number](BadCall& call) { call.range_min[1] = number; });
    row.BadParam(BadClass::kNotFinite, "voxel_size", "voxel_size[2] is",
                 [number](BadCall& call) { call.voxel_size[2] = number; });
  }
  for (const double size : {0.0, -1.0, 1e-300}) {
    row.BadParam(BadClass::kNotFinite, "voxel_size not above 0", "voxel_size[0] is",
                 [size](BadCall& call) { call.voxel_size[0] = size; });
  }
  for (const double coordinate : {kNan, kInf, 3.4e38, -1.0}) {
    row.Defines(
        BadClass::kCoordinates, "points at " + std::to_string(coordinate) + " are dropped",
        [coordinate](BadCall& call) {
          for (int64_t point = 0; point < 11; ++point) call["points"].memory->Set(point * 5 + 2, coordinate);
        },
        [](BadCall& call) { return call.voxel_num == 0 ? "" : "a point outside the grid has a voxel"; });
  }
  row.Defines(
      BadClass::kDuplicates, "all points are equal: one voxel per cloud, with the first points",
      [](BadCall& call) { call["points"].memory->Fill(0.25); },
      [](BadCall& call) -> std::string {
        if (call.voxel_num != 2) return "not one voxel per cloud";
        return call["num_points"].memory->Get(0) == 3 ? "" : "not the first 3 points";
      });
  const struct {
    int64_t place;
    double value;
  } begins[] = {{0, 1}, {0, -1}, {1, 12}, {1, -3}, {2, 10}, {2, 2147483647}};
  for (const auto& begin : begins) {
    row.BadParam(BadClass::kIndices, "cloud_begins", "cloud_begins[",
                 [begin](BadCall& call) { call["cloud_begins"].memory->Set(begin.place, begin.value); });
  }
  for (const int order : {-1, 2}) {
    row.BadParam(BadClass::kEnumerator, "order", "order is " + std::to_string(order),
                 [order](BadCall& call) { call.order = static_cast<detopsVoxelOrder_t>(order); });
  }
}

// ---- detopsGetVoxelGrid ----

struct Grid {
  int ndim = 3;
  double range_min[4] = {0, -40, -3, 0}, range_max[4] = {70.4, 40, 1, 0}, voxel_size[4] = {0.05, 0.05, 0.1, 1};
  int grid[4] = {-7, -7, -7, -7};

  int Get() { return detopsGetVoxelGrid(ndim, range_min, range_max, voxel_size, grid); }
  std::string State(mluOpHandle_t /*handle*/) const {
    std::string text;
    for (const int extent : grid) text += std::to_string(extent) + " ";
    return text;
  }
  std::string Message(int /*status*/) const { return ThreadMessage(); }
};

void AddGrid(Table& table) {
  PlainRow<Grid> row(table, "detopsGetVoxelGrid", [](Grid& g, mluOpHandle_t) { return g.Get(); });
  const auto add = [&](BadClass bad_class, const std::string& fault, const std::string& text,
                       std::function<void(Grid&)> spoil) {
    row.BadParam(bad_class, fault, text, [spoil](Grid& g, mluOpHandle_t) {
      spoil(g);
      return g.Get();
    });
  };
  row.BadParam(BadClass::kNull, "range_min", "range_min is NULL",
               [](Grid& g, mluOpHandle_t) -> int {
                 return detopsGetVoxelGrid(3, nullptr, g.range_max, g.voxel_size, g.grid);
               })
      .BadParam(BadClass::kNull, "range_max", "range_max is NULL",
                [](Grid& g, mluOpHandle_t) -> int {
                  return detopsGetVoxelGrid(3, g.range_min, nullptr, g.voxel_size, g.grid);
                })
      .BadParam(BadClass::kNull, "voxel_size", "voxel_size is NULL",
                [](Grid& g, mluOpHandle_t) -> int {
                  return detopsGetVoxelGrid(3, g.range_min, g.range_max, nullptr, g.grid);
                })
      .BadParam(BadClass::kNull, "grid", "grid is NULL", [](Grid& g, mluOpHandle_t) -> int {
        return detopsGetVoxelGrid(3, g.range_min, g.range_max, g.voxel_size, nullptr);
      });
  for (const int ndim : {0, -1, 5}) {
    add(BadClass::kSizes, "ndim", "ndim is " + std::to_string(ndim), [ndim](Grid& g) { g.ndim = ndim; });
  }
  add(BadClass::kEmpty, "an empty range", "range_max[1]", [](Grid& g) { g.range_max[1] = g.range_min[1]; });
  add(BadClass::kEmpty, "a range of less than half a voxel", "axis 2 has 0 voxels",
      [](Grid& g) { g.voxel_size[2] = 100; });
  add(BadClass::kOverflow, "more than 2^31 voxels on an axis", "axis 0 has 7.04e+10 voxels",
      [](Grid& g) { g.voxel_size[0] = 1e-9; });
  for (const double number : {kNan, kInf, -kInf, 1e300}) {
    add(BadClass::kNotFinite, "range_min", "range_min[0] is", [number](Grid& g) { g.range_min[0] = number; });
    add(BadClass::kNotFinite, "range_max", "range_max[1] is", [number](Grid& g) { g.range_max[1] = number; });
    add(BadClass::kNotFinite, "voxel_size", "voxel_size[2] is", [number](Grid& g) { g.voxel_size[2] = number; });
  }
  add(BadClass::kNotFinite, "a range that overflows", "axis 0 has inf voxels", [](Grid& g) {
    g.range_min[0] = -3e38;
    g.range_max[0] = 3e38;
  });
  add(BadClass::kNotFinite, "voxel_size 0", "voxel_size[0] is 0", [](Grid& g) { g.voxel_size[0] = 0; });
  row.row().HasNone({BadClass::kForm, BadClass::kShapes, BadClass::kWorkspace, BadClass::kCoordinates,
                     BadClass::kDuplicates, BadClass::kBatchId, BadClass::kIndices, BadClass::kEnumerator,
                     BadClass::kDestroyed});
  row.row().CannotOccur({BadClass::kOverlap},
                        "its arrays have different types, and it writes only when it has read everything");
}

}  // namespace

void AddPointToVoxel(Table& table) {
  VoxelRow row(table, "detopsPointToVoxel",
               {[] { return std::make_unique<BadCall>(); },
                [](BadCall& call, Handle& handle) {
                  const mluOpStatus_t status = call.Run(handle);
                  return CallAnswer{status, call.thread_text};
                }});
  AddTensors(row);
  AddSizes(row);
  AddValues(row);
  row.row().HasNone({BadClass::kWorkspace, BadClass::kBatchId}).CannotOccur({BadClass::kDestroyed}, kCallerGuarantees);
  AddGrid(table);
}

}  // namespace detops_test
