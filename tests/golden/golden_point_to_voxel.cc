// One to four dimensions, both orders, with and without limits, one cloud and several, for all types.
#include "golden/golden.h"

namespace detops_golden {
namespace {

struct Problem {
  mluOpDataType_t type;
  int ndim;
  detopsVoxelOrder_t order;
  bool limited, clouds;
  int64_t points;
};

void Voxelise(Run& run, const Problem& problem) {
  const double low[] = {-1.5, -0.25, 0, 2}, size[] = {0.3, 0.45, 0.7, 1.1};
  const int grid[] = {27, 16, 11, 5};
  const int64_t columns = problem.ndim + 2, rows = problem.limited ? problem.points / 3 : problem.points;
  Tensor points(MLUOP_LAYOUT_ARRAY, problem.type, {problem.points, columns});
  for (int64_t i = 0; i < points.elements(); ++i) {
    // Coordinates in whole 32nds, some of them outside the grid; the other columns with all their bits.
    points.Set(i, i % columns < problem.ndim ? static_cast<double>(run.Between(-64, 256)) / 32
                                             : static_cast<double>(run.Between(-(1 << 23), 1 << 23)) / (1 << 23));
  }
  Tensor begins(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {4});
  const int64_t ends[] = {0, problem.points / 3, problem.points / 2, problem.points};
  for (int64_t i = 0; i < 4; ++i) begins.Set(i, static_cast<double>(ends[i]));
  const int64_t max_points = problem.limited ? 4 : 0, max_voxels = problem.limited ? problem.points / 10 : 0;
  Tensor voxels(MLUOP_LAYOUT_ARRAY, problem.type, {rows, max_points, columns});
  Tensor means(MLUOP_LAYOUT_ARRAY, problem.type, {rows, columns});
  Tensor coordinates(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {rows, problem.ndim + (problem.clouds ? 1 : 0)});
  Tensor num_points(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {rows});
  Tensor point_voxel(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {problem.points});
  for (Tensor* rest_stays : {&voxels, &means, &coordinates, &num_points}) rest_stays->Fill(0);
  int64_t voxel_num = 0;
  run.Must(detopsPointToVoxel(run.handle(), problem.ndim, low, size, grid, max_points, max_voxels, problem.order,
                              points.desc(), points.data(), problem.clouds ? begins.desc() : nullptr, begins.data(),
                              problem.limited ? voxels.desc() : nullptr, voxels.data(), means.desc(), means.data(),
                              coordinates.desc(), coordinates.data(), num_points.desc(), num_points.data(),
                              point_voxel.desc(), point_voxel.data(), &voxel_num));
  run.Result(voxel_num);
  for (const Tensor* result : {&voxels, &means, &coordinates, &num_points, &point_voxel}) run.Result(*result);
}

}  // namespace

void AddPointToVoxel(Cases& cases) {
  const auto add = [&](const Problem& problem, const char* end) {
    cases.push_back({Name({"point_to_voxel", detops_test::ElementName(problem.type), Label("", problem.ndim, "d"),
                           problem.order == DETOPS_VOXEL_ORDER_ASCENDING ? "ascending" : "first_point",
                           problem.limited ? "limited" : "", problem.clouds ? "clouds" : "", end}),
                     [=](Run& run) { Voxelise(run, problem); }});
  };
  for (const mluOpDataType_t type : kTypes) {
    for (const detopsVoxelOrder_t order : {DETOPS_VOXEL_ORDER_FIRST_POINT, DETOPS_VOXEL_ORDER_ASCENDING}) {
      for (const bool limited : {false, true}) {
        for (const bool clouds : {false, true}) {
          for (const int ndim : {1, 2, 3, 4}) add({type, ndim, order, limited, clouds, 300}, "");
        }
      }
      add({type, 3, order, true, true, 20000}, "large");
    }
  }
}

}  // namespace detops_golden
