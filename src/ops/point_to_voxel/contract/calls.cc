// Calls of point_to_voxel's functions, and what must come out of them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "harness/catalogue.h"
#include "harness/fill.h"
#include "harness/pass.h"
#include "ops/point_to_voxel/contract/contract.h"
#include "ops/point_to_voxel/reference/reference.h"
#include "voxels/contract/clouds.h"
#include "voxels/contract/numbers.h"

namespace detops_harness::point_to_voxel {

namespace {

using detops_reference::VoxelRules;

// Ascending from 0 to the number of points; of many clouds some are empty.
std::vector<int64_t> Begins(int64_t clouds, int64_t points, Random& random) {
  std::vector<int64_t> begins = {0};
  for (int64_t i = 0; i < clouds; ++i)
    begins.push_back(begins.back() + (clouds > 2 ? random.Below(4) : random.Between(2, 3)));
  const int64_t all = std::max<int64_t>(1, begins.back());
  for (int64_t& begin : begins) begin = begin * points / all;
  if (clouds > 0) begins.back() = points;
  return begins;
}

// ---- detopsPointToVoxel ----

class PointToVoxel : public Function {
 public:
  PointToVoxel() : Function(PointToVoxelContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {}; }
  detopsProfile_t profile() const override { return DETOPS_PROFILE_FULL; }

  std::vector<ShapeKey> keys() const override {
    return {{"points", "20000", "rows of points", {"0", "1", "2", "11", "63", "64", "65", "130", "600"}},
            {"features", "4", "columns of points", {"1", "2", "3", "4", "5", "7", "8", "9", "17", "33"}},
            {"grid",
             "1408x1600x40",
             "voxels on each axis, x first",
             {"1", "9", "4x3", "4x2x8", "3x3x3", "2x3x1x4", "2147483647x2147483647", "1048576x1048576x1048576"}},
            {"min", "0", "range_min of each axis", {"0", "-4x1", "-4.5x0.5", "1e30", "-3e38"}},
            {"size", "1", "voxel_size of each axis", {"1", "2x0.5", "0.1x0.3", "1e-30", "1e30"}},
            {"clouds", "none", "clouds in one call; none: one, without cloud_begins", {"none", "0", "1", "2", "5"}},
            {"kept", "5", "max_points_per_voxel; 0: no limit, and no list of points", {"0", "1", "2", "3", "7"}},
            {"most", "0", "max_voxels_per_cloud; 0: no limit", {"0", "1", "3", "6"}},
            {"rows", "20000", "of coordinates and the other results", {"0", "1", "7", "28", "700"}},
            {"order", "first", "of the voxels: first, ascending", {"first", "ascending"}},
            {"results",
             "all",
             "all, or which: l lists of points, m means, n num_points, p point_voxel; - none",
             {"all", "-", "l", "m", "n", "p", "lp", "mn"}},
            voxels::CloudKey(),
            voxels::SitesKey()};
  }

  std::vector<BenchmarkCase> benchmarks() const override { return Benchmarks(); }
  // Points once, and the rows of the voxels that there are.
  Work WorkOf(const Call& call) const override {
    Call done = call;
    done.results["voxel_num"] = Reference(call).results.at("voxel_num");
    Work work{.in_double = call["points"].type == MLUOP_DTYPE_DOUBLE};
    for (const Tensor& tensor : call.tensors) {
      if (IsAbsent(tensor)) continue;
      const int64_t elements = tensor.access == Access::kRead ? tensor.elements() : Written(done, tensor);
      work.bytes += static_cast<double>(elements) * static_cast<double>(SizeOfType(tensor.type));
    }
    return work;
  }

  std::vector<Sample> samples() const override {
    // The extents of the first are all different, so that a confused axis is noticed.
    std::vector<Sample> samples = {
        {"points=11,features=5,grid=4x2x8,size=1x2x0.5,clouds=2,kept=3,most=6,rows=7,cloud=scattered"}};
    const auto add = [&](const std::string& shape) { samples.push_back({shape}); };
    // Widths around the vector lengths and the copies of 2, 8 and 16 bytes.
    for (const char* features : {"1", "2", "3", "4", "5", "7", "8", "9", "15", "16", "17", "31", "33", "64", "65"}) {
      add(std::string("points=70,grid=9,min=-4.5,size=0.3,kept=4,rows=9,features=") + features);
    }
    // Axes, limits and orders; in all of them some points lie outside on either side.
    for (const char* order : {",order=first", ",order=ascending"}) {
      for (const char* shape :
           {"points=300,features=3,grid=6,kept=0,rows=700", "points=301,features=2,grid=5x6,kept=2,rows=20",
            "points=650,features=7,grid=6x5x4,min=-4.5x0.5,size=0.1x1.3,kept=5,rows=700,clouds=5",
            "points=400,features=6,grid=3x4x2x5,size=0.7,kept=1,rows=40,clouds=3",
            "points=500,features=4,grid=4x4x4,kept=0,most=30,rows=70,clouds=4",
            "points=200,features=4,grid=3x3,kept=2,most=4,rows=28,cloud=borders",
            "points=300,features=5,grid=4x3,kept=3,rows=30,clouds=2,cloud=special",
            // Keys, and with the numbers of points more than 64 bits.
            "points=900,features=4,grid=1073741824x1073741824x4x1,size=0.001,kept=3,rows=500,cloud=crowded",
            "points=900,features=3,grid=2147483647x2147483647,size=0.001,kept=3,rows=500,cloud=crowded",
            // More bits than 63, and numbers without gaps.
            "points=900,features=4,grid=1050000x1050000x2788000,kept=3,rows=500,clouds=3,cloud=crowded",
            "points=900,features=4,grid=33x2000000001x3x40000000,kept=3,rows=500,cloud=crowded"}) {
        add(std::string(shape) + order);
      }
    }
    for (const char* shape : {"points=2000,features=3,grid=1,kept=7,rows=2000,cloud=one",
                              "points=2000,features=3,grid=1,kept=0,rows=3,cloud=one",
                              "points=2000,features=1,grid=2000,kept=7,rows=2000,cloud=each",
                              "points=65,features=4,grid=4x4,min=1e30,size=1e30,rows=9",
                              "points=65,features=4,grid=4x4,min=-3e38,size=1e-30,rows=9,results=lnp"}) {
      add(shape);
    }
    // Sums are cut at 512 points.
    for (const char* points : {"511", "512", "513", "1024", "1025"}) {
      add(std::string("features=6,grid=1,kept=0,rows=1,cloud=equal,points=") + points);
    }
    // Nothing at all, clouds without points, no clouds; points, but no room for a voxel.
    for (const char* clouds : {"none", "0", "1", "2"}) {
      for (const char* rows : {"0", "2"}) {
        add(std::string("points=0,features=5,grid=4x4x4,kept=3,rows=") + rows + ",clouds=" + clouds);
      }
    }
    add("points=20,features=3,grid=4x4x4,kept=3,rows=0");
    for (const char* results :
         {"-", "l", "m", "n", "p", "lm", "ln", "lp", "mn", "mp", "np", "lmn", "lmp", "lnp", "mnp"}) {
      add(std::string("points=70,features=3,grid=4x3,kept=2,rows=15,results=") + results);
    }
    for (const char* shape :
         {"kept=4,most=7000,rows=13000,features=5", "kept=3,rows=3000,features=4,order=ascending"}) {
      samples.push_back({std::string("points=40001,grid=30x40x12,clouds=3,") + shape, true});
    }
    samples.push_back({"points=20000,features=3,grid=1048576x1048576x1048576,kept=0,rows=20000,order=ascending", true});
    return samples;
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const voxels::Grid grid = voxels::ReadGrid(shape);
    const int64_t ndim = grid.ndim();
    const bool batched = shape.Word("clouds") != "none";
    const int64_t points = shape.Int("points"), features = shape.Int("features", 1), rows = shape.Int("rows"),
                  kept = shape.Int("kept"), clouds = batched ? shape.Int("clouds") : 1;
    if (features < ndim) throw ShapeError("--shape: features must be as many as axes at least");
    if (clouds == 0 && points > 0) throw ShapeError("--shape: without clouds there are no points");
    Call call;
    call.integers = {{"max_points_per_voxel", kept},
                     {"max_voxels_per_cloud", shape.Int("most")},
                     {"order", static_cast<int64_t>(shape.Choice("order", {"first", "ascending"}))}};
    voxels::PutGrid(grid, call);
    call.results["voxel_num"] = -7;

    Random random(seed);
    const auto ints = [](const char* name, std::vector<int64_t> extents) {
      return Output(name, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, std::move(extents));
    };
    const auto unless = [](bool left_out, Tensor tensor) {
      return left_out ? Absent(tensor.name, tensor.access) : tensor;
    };
    const std::string& results = shape.Word("results");
    const auto unwanted = [&](char letter) { return results != "all" && results.find(letter) == std::string::npos; };
    Tensor rows_of_points = Input("points", MLUOP_LAYOUT_ARRAY, type, {points, features});
    voxels::FillCloud(shape, grid.cells, rows_of_points, random);
    Tensor begins = Input("cloud_begins", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {clouds + 1});
    const std::vector<int64_t> numbers = Begins(clouds, points, random);
    for (size_t i = 0; i < numbers.size(); ++i) begins.Set(static_cast<int64_t>(i), static_cast<double>(numbers[i]));
    const int64_t columns = ndim + (batched ? 1 : 0);
    call.tensors = {
        rows_of_points,
        unless(!batched, begins),
        unless(unwanted('l') || kept == 0, Output("voxels", MLUOP_LAYOUT_ARRAY, type, {rows, kept, features})),
        unless(unwanted('m'), Output("means", MLUOP_LAYOUT_ARRAY, type, {rows, features})),
        ints("coordinates", {rows, columns}),
        unless(unwanted('n'), ints("num_points", {rows})),
        unless(unwanted('p'), ints("point_voxel", {points}))};
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    ResultPlace<int64_t> voxel_num(a, "voxel_num");
    const std::array<int, voxels::kMostAxes> grid = voxels::GridOf(a.call());
    return Pass(library.detopsPointToVoxel, handle, a, a.integer("ndim"), a.numbers("range_min"),
                a.numbers("voxel_size"), a.IsNull("grid") ? nullptr : grid.data(),
                a.integer<int64_t>("max_points_per_voxel"), a.integer<int64_t>("max_voxels_per_cloud"),
                static_cast<detopsVoxelOrder_t>(a.integer("order")), T{"points"}, T{"cloud_begins"}, T{"voxels"},
                T{"means"}, T{"coordinates"}, T{"num_points"}, T{"point_voxel"}, voxel_num.get());
  }

  // Rows of voxels that there are, and all of point_voxel.
  int64_t Written(const Call& call, const Tensor& output) const override {
    const int64_t voxels = call.results.at("voxel_num");
    if (voxels < 0 || output.name == "point_voxel") return output.elements();
    return std::min(output.elements(), voxels * output.DenseStride(0));
  }

  Expected Reference(const Call& call) const override;
};

VoxelRules RulesOf(const Call& call) {
  const auto ndim = call.integer("ndim");
  const auto front = [&](const auto& list) { return std::vector(list.begin(), list.begin() + ndim); };
  VoxelRules rules;
  rules.range_min = front(call.number_lists.at("range_min"));
  rules.voxel_size = front(call.number_lists.at("voxel_size"));
  for (const int64_t extent : front(call.integer_lists.at("grid"))) rules.grid.push_back(static_cast<int>(extent));
  rules.max_points = call.integer("max_points_per_voxel");
  rules.max_voxels = call.integer("max_voxels_per_cloud");
  rules.room = call["coordinates"].extents[0];
  rules.ascending = call.integer("order") == DETOPS_VOXEL_ORDER_ASCENDING;
  return rules;
}

Expected PointToVoxel::Reference(const Call& call) const {
  const Tensor& points = call["points"];
  const VoxelRules rules = RulesOf(call);
  const int64_t count = points.extents[0], features = points.extents[1];
  const bool batched = call["cloud_begins"].described;
  std::vector<int64_t> begins = {0, count};
  if (batched) {
    begins.clear();
    for (const double begin : call["cloud_begins"].Values()) begins.push_back(static_cast<int64_t>(begin));
  }
  const detops_reference::PointVoxels made =
      detops_reference::PointsToVoxels(points.type, rules, count, features, points.contents.data(), begins);
  Expected expected;
  expected.results["voxel_num"] = static_cast<int64_t>(made.voxels.size());
  const auto wanted = [&](const char* name) -> std::vector<double>* {
    return call[name].described ? &expected.tensors[name] : nullptr;
  };
  auto *const coordinates = wanted("coordinates"), *const voxels = wanted("voxels"),
              *const numbers = wanted("num_points");
  for (const detops_reference::PointVoxel& voxel : made.voxels) {
    coordinates->insert(coordinates->end(), voxel.site.begin() + (batched ? 0 : 1), voxel.site.end());
    if (numbers != nullptr) numbers->push_back(static_cast<double>(voxel.kept.size()));
    if (voxels == nullptr) continue;
    const size_t end = voxels->size() + static_cast<size_t>(rules.max_points * features);
    for (const int64_t point : voxel.kept) {
      for (int64_t f = 0; f < features; ++f) voxels->push_back(points.Get(point * features + f));
    }
    voxels->resize(end, 0);
  }
  expected.exact.insert("voxels");
  if (auto* const of_points = wanted("point_voxel")) {
    of_points->assign(made.voxel_of_point.begin(), made.voxel_of_point.end());
  }
  if (auto* const means = wanted("means")) {
    *means = detops_reference::VoxelMeans(points.type, made, features, points.contents.data());
    Tensor magnitudes = points;
    for (int64_t i = 0; i < magnitudes.elements(); ++i) magnitudes.Set(i, std::abs(magnitudes.Get(i)));
    std::vector<double>& of_means = expected.magnitudes["means"];
    of_means = detops_reference::VoxelMeans(points.type, made, features, magnitudes.contents.data());
    // A sum that overflows leaves nothing to compare, though the mean might be a number.
    const double most = points.type == MLUOP_DTYPE_DOUBLE ? 1e307 : 1e38;
    for (size_t i = 0; i < of_means.size(); ++i) {
      const double sum = of_means[i] * static_cast<double>(made.voxels[i / static_cast<size_t>(features)].kept.size());
      if (!(sum < most)) of_means[i] = sum;
    }
  }
  return expected;
}

}  // namespace

void AddTo(Catalogue& catalogue) {
  catalogue.Add(std::make_unique<PointToVoxel>());
  catalogue.Add(MakeGetVoxelGrid());
}

}  // namespace detops_harness::point_to_voxel
