// What voxel_coordinates promises, and how to call it.
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "harness/catalogue.h"
#include "harness/pass.h"
#include "harness/rules.h"
#include "ops/voxel_coordinates/reference/reference.h"
#include "voxels/contract/clouds.h"
#include "voxels/contract/numbers.h"

namespace detops_harness::voxel_coordinates {
namespace {

using voxels::kMostAxes;

std::string NotOutside(const Call& call) {
  for (const double number : call["coordinates"].Values()) {
    if (number != -1) return "a point has a voxel";
  }
  return "";
}

Contract MakeContract() {
  const Names all = {"points", "coordinates"};
  Contract contract("detopsVoxelCoordinates");
  contract.Shape("points", {"P", "F"}).Shape("coordinates", {"P", "ndim"});
  contract
      .Check("handle, a descriptor, range_min, voxel_size or grid is NULL",
             {Handle(), Descriptors(all), NotNull({"range_min", "voxel_size", "grid"}, "an array of ndim numbers")})
      .Check("the profile is not the full one", {FullProfile()})
      .Check("ndim is not 1 to 4", {voxels::Dimensions()})
      .Check(
          "axis by axis: range_min is not finite, voxel_size is not or not above 0, both in the type of the "
          "arithmetic, grid is not above 0",
          {voxels::AxisRules("ndim", 4)})
      .Check("a rank is not 2", {Ranks(all)})
      .Check("F is below ndim", {Implied(Shapes({"points"})), voxels::ColumnPerAxis(false)})
      .Check("coordinates has another shape than above", {Shapes({"coordinates"})})
      .Check("points is not floating, coordinates not int32", {Floating({"points"}), Int32({"coordinates"})})
      .Check("a tensor is not dense", {Dense(all)})
      .Check("a tensor has more bytes than int64 can count",
             {Counts({"points"}), WithFaults(Counts({"coordinates"}), {{BadClass::kOverflow, "2^60 points of half",
                                                                        [](Call& call) {
                                                                          call["points"].type = MLUOP_DTYPE_HALF;
                                                                          WithDim("F", 3)(call);
                                                                          WithDim("P", int64_t{1} << 60)(call);
                                                                        }}})})
      .Check("the data pointer of a tensor with elements is NULL", {DataOfElements(all)})
      .Check("coordinates overlaps points", {Separate("coordinates", {"points"})})
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  contract.CannotOccur({BadClass::kWorkspace, BadClass::kBatchId, BadClass::kIndices})
      .CannotOccur({BadClass::kDuplicates}, "points may be equal: they have one voxel");
  contract.Try(BadClass::kOverflow, "the contract profile", [](Call& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
  contract.Defines(BadClass::kEmpty, "no points", WithDim("P", 0), NotOutside);
  for (const double coordinate : {std::nan(""), HUGE_VAL, 3.4e38, -1e4}) {
    contract.Defines(
        BadClass::kCoordinates, "points at " + NumberText(coordinate) + " have no voxel",
        [coordinate](Call& call) {
          Tensor& points = call["points"];
          for (int64_t i = 1; i < points.elements(); i += points.extents[1]) points.Set(i, coordinate);
        },
        NotOutside);
  }
  return contract;
}

class VoxelCoordinates : public Function {
 public:
  VoxelCoordinates() : Function(MakeContract()) {}

  std::vector<mluOpDataType_t> contract_types() const override { return {}; }
  detopsProfile_t profile() const override { return DETOPS_PROFILE_FULL; }

  std::vector<ShapeKey> keys() const override {
    return {{"points", "20000", "rows of points", {"0", "1", "2", "11", "63", "64", "65", "130", "600"}},
            {"features", "4", "columns of points", {"1", "2", "3", "4", "5", "9", "17"}},
            {"grid",
             "1408x1600x40",
             "voxels on each axis, x first",
             {"1", "9", "4x3", "4x2x8", "2x3x1x4", "2147483647x2147483647x2147483647"}},
            {"min", "0", "range_min of each axis", {"0", "-4x1", "-4.5x0.5", "1e30", "-3e38"}},
            {"size", "1", "voxel_size of each axis", {"1", "2x0.5", "0.1x0.3", "1e-30", "1e30"}},
            voxels::CloudKey(),
            voxels::SitesKey()};
  }

  std::vector<Sample> samples() const override {
    std::vector<Sample> samples = {{"points=11,features=5,grid=4x2x8,size=1x2x0.5"}};
    for (const char* points : {"0", "1", "63", "64", "65", "130"}) {
      samples.push_back({std::string("features=3,grid=3x4,min=-1.5,size=0.3,points=") + points});
    }
    for (const char* cloud : {"scattered", "one", "each", "borders", "special", "crowded", "equal"}) {
      for (const char* grid : {"9", "5x6", "6x5x4", "3x4x2x5", "2147483647x2147483647x2147483647"}) {
        samples.push_back(
            {std::string("points=200,min=-4.5x0.5,size=0.1x1.3,features=4,cloud=") + cloud + ",grid=" + grid});
      }
    }
    samples.push_back({"points=65,features=4,grid=4x4,min=1e30,size=1e30"});
    samples.push_back({"points=65,features=4,grid=4x4,min=-3e38,size=1e-30"});
    samples.push_back({"points=70001,features=4,grid=30x40x12", true});
    return samples;
  }

  std::vector<BenchmarkCase> benchmarks() const override {
    return {{"300000x5_41x1440x1440", "points=300000,features=5,grid=1440x1440x41,sites=150000,cloud=scan"},
            {"20000x4_40x1600x1408", "cloud=scan", "", BenchmarkCase::kFew}};
  }

  Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const override {
    const voxels::Grid grid = voxels::ReadGrid(shape);
    const int64_t points = shape.Int("points"), features = shape.Int("features", 1);
    if (features < grid.ndim()) throw ShapeError("--shape: features must be as many as axes at least");
    Call call;
    voxels::PutGrid(grid, call);
    call.tensors = {Input("points", MLUOP_LAYOUT_ARRAY, type, {points, features}),
                    Output("coordinates", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {points, grid.ndim()})};
    Random random(seed);
    voxels::FillCloud(shape, grid.cells, call.tensors[0], random);
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& a) const override {
    const std::array<int, kMostAxes> grid = voxels::GridOf(a.call());
    return Pass(library.detopsVoxelCoordinates, handle, a, a.integer("ndim"), a.numbers("range_min"),
                a.numbers("voxel_size"), a.IsNull("grid") ? nullptr : grid.data(), T{"points"}, T{"coordinates"});
  }

  Expected Reference(const Call& call) const override {
    const Tensor& points = call["points"];
    const int64_t ndim = call.integer("ndim"), features = points.extents[1];
    Expected expected;
    std::vector<double>& result = expected.tensors["coordinates"];
    for (int64_t point = 0; point < points.extents[0]; ++point) {
      std::vector<double> coordinates;
      for (int64_t axis = 0; axis < ndim; ++axis) coordinates.push_back(points.Get(point * features + axis));
      const std::vector<double> voxel =
          detops_reference::VoxelOfPoint(points.type, coordinates, call.number_lists.at("range_min"),
                                         call.number_lists.at("voxel_size"), call.integer_lists.at("grid"));
      result.insert(result.end(), voxel.begin(), voxel.end());
    }
    return expected;
  }
};

}  // namespace

void AddTo(Catalogue& catalogue) { catalogue.Add(std::make_unique<VoxelCoordinates>()); }

}  // namespace detops_harness::voxel_coordinates
