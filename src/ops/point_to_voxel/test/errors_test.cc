// Every refusal of detopsPointToVoxel by a single fault: its status, its sentence, and nothing written.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/point_to_voxel/test/bad_call.h"

namespace detops_test {
namespace {

constexpr const char* kTensors[] = {"points",      "cloud_begins", "voxels",     "means",
                                    "coordinates", "num_points",   "point_voxel"};
constexpr int kRanks[] = {2, 1, 3, 2, 2, 1, 1};

class PointToVoxelErrors : public PointToVoxelRefusals {};

TEST_F(PointToVoxelErrors, NullArguments) {
  ExpectBadParam("voxel_num is NULL, expected a place for the result.", [](BadCall& c) { c.with_voxel_num = false; });
  ExpectBadParam("handle is NULL, expected a handle of mluOpCreate.", [](BadCall& c) { c.with_handle = false; });
  for (const std::string name : {"points", "coordinates"}) {
    ExpectBadParam("the descriptor of " + name + " is NULL, expected a tensor descriptor.",
                   [&](BadCall& c) { c[name].described = false; });
  }
  ExpectBadParam("range_min is NULL, expected an array of ndim numbers.", [](BadCall& c) { c.with_range_min = false; });
  ExpectBadParam("voxel_size is NULL, expected an array of ndim numbers.",
                 [](BadCall& c) { c.with_voxel_size = false; });
  ExpectBadParam("grid is NULL, expected an array of ndim numbers.", [](BadCall& c) { c.with_grid = false; });
}

TEST_F(PointToVoxelErrors, Profile) {
  ExpectNotSupported("handle has the contract profile, expected the full one; the full profile lifts this limit.",
                     [](BadCall& c) { c.profile = DETOPS_PROFILE_CONTRACT; });
}

TEST_F(PointToVoxelErrors, Dimensions) {
  for (const int ndim : {-1, 0, 5, std::numeric_limits<int>::max()}) {
    ExpectBadParam("ndim is " + std::to_string(ndim) + ", expected 1 to 4.", [&](BadCall& c) { c.ndim = ndim; });
  }
}

TEST_F(PointToVoxelErrors, Ranks) {
  for (size_t i = 0; i < 7; ++i) {
    const std::string name = kTensors[i];
    for (const int rank : {kRanks[i] - 1, kRanks[i] + 1}) {
      if (rank == 0) continue;  // needs a host pointer
      ExpectBadParam(name + " has rank " + std::to_string(rank) + ", expected " + std::to_string(kRanks[i]) + ".",
                     [&](BadCall& c) { c[name].rank = rank; });
    }
  }
}

TEST_F(PointToVoxelErrors, Shapes) {
  const auto grow = [](const std::string& name, int axis) { return [=](BadCall& c) { c[name].surplus[axis] = 1; }; };
  ExpectBadParam("points has 2 columns, expected at least ndim = 3.", [](BadCall& c) { c["points"].surplus[1] = -3; });
  ExpectBadParam("cloud_begins has 0 elements, expected at least 1; its shape is [0].",
                 [](BadCall& c) { c["cloud_begins"].surplus[0] = -3; });
  ExpectBadParam("coordinates has extent 5 on axis 1, expected 1 + ndim = 4; its shape is [7, 5].",
                 grow("coordinates", 1));
  ExpectBadParam("coordinates has extent 4 on axis 1, expected ndim = 3; its shape is [7, 4].",
                 [](BadCall& c) { c["cloud_begins"].described = false; });
  ExpectBadParam("voxels has extent 8 on axis 0, expected M = 7 as in coordinates; its shape is [8, 3, 5].",
                 grow("voxels", 0));
  ExpectBadParam("voxels has extent 4 on axis 1, expected max_points_per_voxel = 3; its shape is [7, 4, 5].",
                 grow("voxels", 1));
  ExpectBadParam("voxels has extent 6 on axis 2, expected F = 5 as in points; its shape is [7, 3, 6].",
                 grow("voxels", 2));
  ExpectBadParam("means has extent 8 on axis 0, expected M = 7 as in coordinates; its shape is [8, 5].",
                 grow("means", 0));
  ExpectBadParam("means has extent 6 on axis 1, expected F = 5 as in points; its shape is [7, 6].", grow("means", 1));
  ExpectBadParam("num_points has extent 8 on axis 0, expected M = 7 as in coordinates; its shape is [8].",
                 grow("num_points", 0));
  ExpectBadParam("point_voxel has extent 12 on axis 0, expected P = 11 as in points; its shape is [12].",
                 grow("point_voxel", 0));
}

TEST_F(PointToVoxelErrors, Types) {
  for (const mluOpDataType_t type : {MLUOP_DTYPE_INT32, MLUOP_DTYPE_UINT8, MLUOP_DTYPE_INT64}) {
    ExpectBadParam("points has type *, expected float, half, double or bfloat16.",
                   [&](BadCall& c) { c["points"].type = type; });
  }
  for (const std::string name : {"voxels", "means"}) {
    ExpectBadParam(name + " has type half, expected float as points has.",
                   [&](BadCall& c) { c[name].type = MLUOP_DTYPE_HALF; });
  }
  for (const std::string name : {"cloud_begins", "coordinates", "num_points", "point_voxel"}) {
    ExpectBadParam(name + " has type int64, expected int32.", [&](BadCall& c) { c[name].type = MLUOP_DTYPE_INT64; });
  }
}

TEST_F(PointToVoxelErrors, NumbersOfAxes) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const std::string at = "[" + std::to_string(axis) + "] is ";
    const auto i = static_cast<size_t>(axis);
    for (const auto& [value, text] :
         std::vector<std::pair<double, std::string>>{{kNan, "nan"}, {kInf, "inf"}, {-kInf, "-inf"}, {1e39, "1e+39"}}) {
      ExpectBadParam("range_min" + at + text + ", expected a finite number in float.",
                     [&, bad = value](BadCall& c) { c.range_min[i] = bad; });
      ExpectBadParam("voxel_size" + at + text + ", expected a finite number above 0 in float.",
                     [&, bad = value](BadCall& c) { c.voxel_size[i] = bad; });
    }
    for (const auto& [value, text] :
         std::vector<std::pair<double, std::string>>{{0.0, "0"}, {-1.0, "-1"}, {1e-50, "1e-50"}}) {
      ExpectBadParam("voxel_size" + at + text + ", expected a finite number above 0 in float.",
                     [&, bad = value](BadCall& c) { c.voxel_size[i] = bad; });
    }
    ExpectBadParam(
        "range_min" + at + "inf, expected a finite number in double.", [&](BadCall& c) { c.range_min[i] = kInf; },
        MLUOP_DTYPE_DOUBLE);
    for (const int voxels : {0, -1}) {
      ExpectBadParam("grid" + at + std::to_string(voxels) + ", expected a number above 0.",
                     [&](BadCall& c) { c.grid[i] = voxels; });
    }
  }
  // Numbers behind the last axis are not looked at; double can hold more.
  ExpectAccepted([&](BadCall& c) {
    c.range_min[3] = c.voxel_size[3] = kNan;
    c.grid[3] = -1;
  });
  ExpectAccepted(
      [](BadCall& c) {
        c.range_min[0] = 1e39;
        c.voxel_size[1] = 1e-50;
      },
      MLUOP_DTYPE_DOUBLE);
}

TEST_F(PointToVoxelErrors, Limits) {
  const auto without_voxels = [](int64_t max_points) {
    return [=](BadCall& c) {
      c["voxels"].described = false;
      c.max_points = max_points;
    };
  };
  ExpectBadParam("max_points_per_voxel is -1, expected 0 (no limit) or more.", without_voxels(-1));
  ExpectBadParam("max_points_per_voxel is 0, expected a number above 0, as voxels is wanted.", [](BadCall& c) {
    c.max_points = 0;
    c["voxels"].surplus[1] = -3;
  });
  ExpectAccepted(without_voxels(0));
  ExpectAccepted(without_voxels(std::numeric_limits<int64_t>::max()));
  ExpectBadParam("max_voxels_per_cloud is -1, expected 0 (no limit) or more.", [](BadCall& c) { c.max_voxels = -1; });
  ExpectAccepted([](BadCall& c) { c.max_voxels = 0; });
  ExpectAccepted([](BadCall& c) { c.max_voxels = std::numeric_limits<int64_t>::max(); });
  for (const int order : {-1, 2}) {
    ExpectBadParam("order is " + std::to_string(order) + ", expected a value of detopsVoxelOrder_t.",
                   [&](BadCall& c) { c.order = static_cast<detopsVoxelOrder_t>(order); });
  }
}

TEST_F(PointToVoxelErrors, Strides) {
  for (size_t i = 0; i < 7; ++i) {
    const std::string name = kTensors[i];
    const int last = kRanks[i] - 1;
    ExpectNotSupported(
        name + " has stride 2 on axis " + std::to_string(last) + ", expected 1: only dense tensors are supported.",
        [&](BadCall& c) { c[name].odd_strides[last] = 1; });
  }
}

TEST_F(PointToVoxelErrors, Data) {
  for (const std::string name : kTensors) {
    ExpectBadParam("the data pointer of " + name + " is NULL, expected * elements.",
                   [&](BadCall& c) { c[name].data = nullptr; });
  }
  // Without its descriptor a result needs no data.
  ExpectAccepted([](BadCall& c) {
    for (const char* name : {"voxels", "means", "num_points", "point_voxel"}) {
      c[name].described = false;
      c[name].data = nullptr;
    }
  });
}

TEST_F(PointToVoxelErrors, CloudBegins) {
  const std::string expected = ", expected numbers that ascend from 0 to the number of points.";
  const struct {
    std::vector<double> begins;
    const char* found;
  } rows[] = {{{1, 6, 11}, "cloud_begins[0] is 1"},   {{-1, 6, 11}, "cloud_begins[0] is -1"},
              {{0, 12, 11}, "cloud_begins[1] is 12"}, {{0, -1, 11}, "cloud_begins[1] is -1"},
              {{0, 6, 5}, "cloud_begins[2] is 5"},    {{0, 6, 10}, "cloud_begins[2] is 10"},
              {{0, 6, 12}, "cloud_begins[2] is 12"}};
  for (const auto& row : rows) {
    ExpectBadParam(row.found + expected, [&](BadCall& c) { c["cloud_begins"].memory->Assign(row.begins); });
    // Unchecked: the result is not specified, but no memory beside the tensors is touched.
    ExpectAccepted([&](BadCall& c) {
      c["cloud_begins"].memory->Assign(row.begins);
      c.value_checks = false;
    });
  }
  ExpectAccepted([](BadCall& c) { c["cloud_begins"].memory->Assign({0, 0, 11}); });
  ExpectAccepted([](BadCall& c) { c["cloud_begins"].memory->Assign({0, 11, 11}); });
}

}  // namespace
}  // namespace detops_test
