// Calls of mluOpVoxelization and its size function, and what must come out of them.
#include <memory>

#include "harness/catalogue.h"
#include "harness/pass.h"
#include "ops/voxelization/contract/contract.h"
#include "ops/voxelization/reference/reference.h"
#include "voxels/contract/clouds.h"

namespace detops_harness::voxelization {
namespace {

using detops_reference::HardVoxel;

std::vector<HardVoxel> VoxelsOf(const Call& call) {
  const Tensor& points = call["points"];
  return detops_reference::HardVoxels(points.type, points.contents.data(), points.extents[0], points.extents[1],
                                      call["voxel_size"].Values(), call["coors_range"].Values(),
                                      call.integer("max_points"), call.integer("max_voxels"));
}

class Voxelization : public Function {
 public:
  explicit Voxelization(bool of_size) : Function(of_size ? MakeSizeContract() : MakeContract()), of_size_(of_size) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {MLUOP_DTYPE_FLOAT}; }
  bool computes() const override { return !of_size_; }

  std::vector<ShapeKey> keys() const override {
    return {{"points", "20000", "rows of points", {"1", "2", "11", "63", "64", "65", "130", "600"}},
            {"features", "4", "columns of points", {"3", "4", "5", "7", "8", "9", "17", "33"}},
            {"grid",
             "1408x1600x40",
             "voxels on each axis, x first",
             {"1", "9", "4x2x8", "3", "2097152x2097152x1048576", "1050000x1050000x8365000"}},
            {"min", "0", "where each axis begins", {"0", "-4x1", "-4.5x0.5"}},
            {"size", "1", "voxel_size of each axis", {"1", "2x0.5", "0.125x0.25"}},
            {"kept", "5", "max_points", {"0", "1", "2", "3", "7"}},
            {"most", "20000", "max_voxels", {"0", "1", "3", "28", "700"}},
            {"numbers",
             "float",
             "type of voxel_size and coors_range: float, same (as points); full profile only",
             {"float", "same"},
             false},
            {"workspace", "0", "bytes", {"0", "1", "40"}, false},
            voxels::CloudKey(),
            voxels::SitesKey()};
  }

  std::vector<Sample> samples() const override {
    // The extents of the first are all different, so that a confused axis is noticed.
    const std::string good = "points=11,features=5,grid=4x2x8,min=-4x1,size=2x0.5x1,kept=4,most=7,workspace=40";
    if (of_size_) return {{good}, {"points=1,features=3,kept=0,most=2"}, {"points=1,features=3,kept=1,most=0"}};
    std::vector<Sample> samples = {{good}};
    const auto add = [&](const std::string& shape, bool large = false) { samples.push_back({shape, large}); };
    for (const char* features : {"3", "4", "5", "7", "8", "9", "16", "17", "33"}) {
      add(std::string("points=70,grid=9x1x1,min=-4.5,size=0.25,kept=4,most=9,features=") + features);
    }
    for (const char* cloud : {"scattered", "one", "each", "borders", "special", "crowded", "equal"}) {
      for (const char* limits : {"kept=3,most=700", "kept=3,most=5", "kept=1,most=1", "kept=7,most=40,numbers=same"}) {
        add(std::string("points=300,grid=4x3x5,min=-2x1,size=0.5x1,cloud=") + cloud + "," + limits);
      }
    }
    add("points=900,features=3,grid=2097152x2097152x1048576,kept=3,most=500,cloud=crowded");
    // On each axis one bit more than its voxels need: 65 together.
    add("points=900,features=3,grid=1050000x1050000x8365000,kept=3,most=500,cloud=crowded");
    for (const char* nothing : {"kept=0,most=3", "kept=3,most=0", "kept=0,most=0"}) {
      add(std::string("points=9,grid=4,") + nothing);
    }
    for (const char* most : {"9000", "30000"}) {
      add(std::string("points=40001,grid=30x40x12,kept=4,features=5,most=") + most, true);
    }
    return samples;
  }

  // Voxels of 1 x 1 x 1: only the grid matters for the time. Ten sweeps of a 32-ring sensor (CenterPoint); one car's
  // front view (SECOND); pillars.
  std::vector<BenchmarkCase> benchmarks() const override {
    if (of_size_) return {};
    return {{"300000x5_41x1440x1440_t10",
             "points=300000,features=5,grid=1440x1440x41,sites=150000,kept=10,most=160000,cloud=scan"},
            {"20000x4_40x1600x1408_t5", "sites=16000,most=16000,cloud=scan", "", BenchmarkCase::kFew},
            {"60000x4_1x496x432_t32", "points=60000,grid=432x496x1,sites=12000,kept=32,most=16000,cloud=scan", "",
             BenchmarkCase::kFew}};
  }

  std::string Summary(const Shape& shape) const override {
    return shape.Word("points") + " points, " + shape.Word("most") + " voxels of " + shape.Word("kept");
  }

  void Validate(const Shape& shape) const override {
    (void)CellsOf(shape);
    (void)shape.Int("points", 1);
    (void)shape.Int("features", 3);
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const voxels::Cells cells = CellsOf(shape);
    const int64_t points = shape.Int("points", 1), features = shape.Int("features", 3), kept = shape.Int("kept"),
                  most = shape.Int("most"), workspace = shape.Int("workspace");
    constexpr mluOpTensorLayout_t kArray = MLUOP_LAYOUT_ARRAY;
    const mluOpDataType_t number = shape.Choice("numbers", {"float", "same"}) == 0 ? MLUOP_DTYPE_FLOAT : type;
    Call call;
    call.integers = {{"max_points", kept}, {"max_voxels", most}, {"NDim", 3}, {"deterministic", 1}};
    call.tensors = {Input("points", kArray, type, {points, features}),
                    Input("voxel_size", kArray, number, {3}),
                    Input("coors_range", kArray, number, {6}),
                    Output("voxels", kArray, type, {most, kept, features}),
                    Output("coors", kArray, MLUOP_DTYPE_INT32, {most, 3}),
                    Output("num_points_per_voxel", kArray, MLUOP_DTYPE_INT32, {most}),
                    Output("voxel_num", kArray, MLUOP_DTYPE_INT32, {1})};
    for (int64_t axis = 0; axis < 3; ++axis) {
      const auto at = static_cast<size_t>(axis);
      const double low = cells.range_min[at], size = cells.voxel_size[at];
      call["voxel_size"].Set(axis, size);
      call["coors_range"].Set(axis, low);
      call["coors_range"].Set(axis + 3, low + size * cells.grid[at]);
    }
    Random random(seed);
    voxels::FillCloud(shape, cells, call.tensors[0], random);
    if (of_size_) {
      call.results["size"] = -77;
    } else {
      call.integers["workspace_size"] = workspace;
      call.workspace.bytes = static_cast<size_t>(workspace);
      call.workspace.has_data = workspace > 0;
    }
    return call;
  }

  Call MakeIn(detopsProfile_t profile, const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    Shape known = shape;
    if (profile == DETOPS_PROFILE_CONTRACT) known.Set("numbers", "float");
    return Function::MakeIn(profile, known, type, seed);
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    const auto max_points = a.integer<int32_t>("max_points"), max_voxels = a.integer<int32_t>("max_voxels"),
               ndim = a.integer<int32_t>("NDim");
    const bool deterministic = a.integer("deterministic") != 0;
    if (of_size_) {
      ResultPlace<size_t> size(a, "size");
      return library.mluOpGetVoxelizationWorkspaceSize(handle, a.desc("points"), a.desc("voxel_size"),
                                                       a.desc("coors_range"), max_points, max_voxels, ndim,
                                                       deterministic, a.desc("voxels"), a.desc("coors"),
                                                       a.desc("num_points_per_voxel"), a.desc("voxel_num"), size.get());
    }
    return Pass(library.mluOpVoxelization, handle, a, T{"points"}, T{"voxel_size"}, T{"coors_range"}, max_points,
                max_voxels, ndim, deterministic, a.workspace(), a.workspace_size(), T{"voxels"}, T{"coors"},
                T{"num_points_per_voxel"}, T{"voxel_num"});
  }

  Expected Reference(const Call& call) const override {
    Expected expected;
    if (of_size_) {
      expected.results["size"] = 0;
      return expected;
    }
    const int64_t kept = call.integer("max_points"), features = call["points"].extents[1];
    auto &voxels = expected.tensors["voxels"], &coors = expected.tensors["coors"],
         &counts = expected.tensors["num_points_per_voxel"];
    double number = 0;
    if (kept > 0 && call.integer("max_voxels") > 0) {
      for (const HardVoxel& voxel : VoxelsOf(call)) {
        coors.insert(coors.end(), voxel.zyx.begin(), voxel.zyx.end());
        counts.push_back(static_cast<double>(voxel.points.size()));
        for (const int64_t point : voxel.points) {
          for (int64_t f = 0; f < features; ++f) voxels.push_back(call["points"].Get(point * features + f));
        }
        number += 1;
        voxels.resize(static_cast<size_t>(number) * static_cast<size_t>(kept * features));
      }
    }
    for (const char* output : {"voxels", "coors", "num_points_per_voxel"}) {
      expected.tensors[output].resize(static_cast<size_t>(call[output].elements()));
    }
    expected.tensors["voxel_num"] = {number};
    expected.exact.insert("voxels");
    return expected;
  }

  mluOpStatus_t WorkspaceBytes(const Functions& library, mluOpHandle_t handle, const Arguments& a,
                               size_t* bytes) const override {
    return library.mluOpGetVoxelizationWorkspaceSize(
        handle, a.desc("points"), a.desc("voxel_size"), a.desc("coors_range"), a.integer<int32_t>("max_points"),
        a.integer<int32_t>("max_voxels"), a.integer<int32_t>("NDim"), a.integer("deterministic") != 0, a.desc("voxels"),
        a.desc("coors"), a.desc("num_points_per_voxel"), a.desc("voxel_num"), bytes);
  }

 private:
  static voxels::Cells CellsOf(const Shape& shape) {
    voxels::Cells cells = {voxels::Reals(shape, "min", 3), voxels::Reals(shape, "size", 3), {}};
    for (const double extent : voxels::Reals(shape, "grid", 3)) {
      if (extent < 1 || extent > INT32_MAX) throw ShapeError("--shape: grid must be numbers from 1 to 2^31 - 1");
      cells.grid.push_back(static_cast<int>(extent));
    }
    for (const double size : cells.voxel_size) {
      if (!(size > 0)) throw ShapeError("--shape: size must be numbers above 0");
    }
    return cells;
  }

  const bool of_size_;
};

}  // namespace

void AddTo(Catalogue& catalogue) {
  catalogue.Add(std::make_unique<Voxelization>(false));
  catalogue.Add(std::make_unique<Voxelization>(true));
}

}  // namespace detops_harness::voxelization
