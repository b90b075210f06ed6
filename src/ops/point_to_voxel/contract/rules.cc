// What detopsPointToVoxel promises.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <utility>
#include <vector>

#include "ops/point_to_voxel/contract/contract.h"
#include "voxels/contract/numbers.h"

namespace detops_harness::point_to_voxel {
namespace {

// In the order in which they are checked.
const Names kTensors = {"points", "cloud_begins", "voxels", "means", "coordinates", "num_points", "point_voxel"};

constexpr int64_t kMostNumbered = INT32_MAX;  // points, and clouds

bool Batched(const Call& call) { return call["cloud_begins"].described; }

std::function<void(Call&)> Without(const Names& tensors, const std::function<void(Call&)>& change = {}) {
  return [=](Call& call) {
    for (const std::string& name : tensors) call[name].described = false;
    if (change) change(call);
  };
}

// ---- shapes ----

// The cloud has a column of its own if there are several.
Rules Coordinates() {
  const Rule rows = Axis("coordinates", 0, "M")[0], columns = Axis("coordinates", 1, "1 + ndim")[0],
             columns_alone = Axis("coordinates", 1, "ndim")[0];
  return {{"shape of coordinates", MLUOP_STATUS_BAD_PARAM,
           [=](Judgement& j) {
             rows.judge(j);  // gives M its value
             return (Batched(j.call) ? columns : columns_alone).judge(j);
           },
           [=](const Contract& contract, const Call& good) {
             Faults faults = columns.faults(contract, good);
             faults.push_back({BadClass::kShapes, "no cloud_begins, but a column for it", Without({"cloud_begins"})});
             faults.push_back({BadClass::kShapes, "no cloud_begins, and no column for it",
                               Without({"cloud_begins"}, WithDim("1 + ndim", 3)), false});
             return faults;
           }}};
}

// ---- numbers ----

Rules MaxPoints() {
  const auto only = [](int64_t value) { return Without({"voxels"}, WithInteger("max_points_per_voxel", value)); };
  return Own({"max_points_per_voxel",
              MLUOP_STATUS_BAD_PARAM,
              [](Judgement& j) -> std::optional<std::string> {
                const bool listed = j.call["voxels"].described;
                const int64_t value = j.call.integer("max_points_per_voxel");
                if (value >= (listed ? 1 : 0)) return {};
                return "max_points_per_voxel is " + std::to_string(value) + ", expected " +
                       (listed ? "a number above 0, as voxels is wanted." : "0 (no limit) or more.");
              },
              {{BadClass::kSizes, "max_points_per_voxel 0, voxels has none", WithDim("max_points_per_voxel", 0)},
               {BadClass::kSizes, "max_points_per_voxel -1 without voxels", only(-1)},
               {BadClass::kSizes, "max_points_per_voxel INT64_MIN without voxels", only(INT64_MIN), false},
               {BadClass::kSizes, "max_points_per_voxel 0 without voxels", only(0), false},
               {BadClass::kSizes, "max_points_per_voxel 1 without voxels", only(1), false},
               {BadClass::kSizes, "max_points_per_voxel INT64_MAX without voxels", only(INT64_MAX), false}}});
}

Rules MaxVoxels() {
  const auto allowed = [](int64_t value, const Call&) { return value >= 0; };
  return WithFaults(Integer("max_voxels_per_cloud", {allowed, "0 (no limit) or more", {-1}}),
                    {{BadClass::kSizes, "enormous", WithInteger("max_voxels_per_cloud", INT64_MAX), false},
                     {BadClass::kSizes, "INT64_MIN", WithInteger("max_voxels_per_cloud", INT64_MIN), false}});
}

// ---- limits ----

// Bytes: other tensors that grow with the same extent are left out, or have fewer bytes.
Rules ByteCounts() {
  const auto rows = [](const Names& without) { return Without(without, WithDim("M", int64_t{1} << 60)); };
  // One axis, one feature of half: points has fewer bytes than point_voxel.
  const auto points = [](Call& call) {
    for (const char* name : {"cloud_begins", "voxels", "means"}) call[name].described = false;
    call.integers.at("ndim") = 1;
    call["points"].type = MLUOP_DTYPE_HALF;
    WithDim("F", 1)(call);
    WithDim("1 + ndim", 1)(call);
    WithDim("P", int64_t{1} << 61)(call);
  };
  const BadClass kOverflow = BadClass::kOverflow;
  Rules rules = Counts({"points", "cloud_begins", "voxels"});
  for (const Rules& more :
       {WithFaults(Counts({"means"}), {{kOverflow, "2^60 rows, no voxels", rows({"voxels"})}}),
        WithFaults(Counts({"coordinates"}), {{kOverflow, "2^60 rows, no voxels, no means", rows({"voxels", "means"})}}),
        Implied(Counts({"num_points"})),
        WithFaults(Counts({"point_voxel"}), {{kOverflow, "2^61 points of half", points}})}) {
    rules.push_back(more[0]);
  }
  return rules;
}

int64_t CloudsOf(const Call& call) {
  return Batched(call) ? std::max<int64_t>(1, call["cloud_begins"].extents[0] - 1) : 1;
}

Rules PointLimit() {
  return Own({"number of points",
              MLUOP_STATUS_NOT_SUPPORTED,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t points = j.call["points"].extents[0];
                if (points <= kMostNumbered) return {};
                return Format("points has %lld rows, expected fewer than 2147483648.", static_cast<long long>(points));
              },
              {{BadClass::kOverflow, "2^31 points", WithDim("P", int64_t{1} << 31)},
               {BadClass::kOverflow, "2^31 - 1 points", WithDim("P", INT32_MAX), false}}});
}

Rules CloudLimit() {
  return Own({"number of clouds",
              MLUOP_STATUS_NOT_SUPPORTED,
              [](Judgement& j) -> std::optional<std::string> {
                const int64_t clouds = CloudsOf(j.call);
                if (clouds <= kMostNumbered) return {};
                return Format("cloud_begins describes %lld clouds, expected fewer than 2147483648.",
                              static_cast<long long>(clouds));
              },
              {{BadClass::kOverflow, "2^31 clouds", WithDim("B + 1", (int64_t{1} << 31) + 1)},
               {BadClass::kOverflow, "2^31 - 1 clouds", WithDim("B + 1", int64_t{1} << 31), false}}});
}

Rules VoxelLimit() {
  const auto with = [](std::vector<int64_t> grid, int64_t clouds = 2) {
    return [=](Call& call) {
      std::copy(grid.begin(), grid.end(), call.integer_lists.at("grid").begin());
      if (clouds != 2) WithDim("B + 1", clouds + 1)(call);
    };
  };
  const BadClass kOverflow = BadClass::kOverflow;
  const int64_t k21 = 1 << 21;
  return Own({"voxels of all clouds",
              MLUOP_STATUS_NOT_SUPPORTED,
              [](Judgement& j) -> std::optional<std::string> {
                int64_t voxels = CloudsOf(j.call);
                bool fits = true;
                for (int64_t axis = 0; axis < j.call.integer("ndim"); ++axis) {
                  const int64_t extent = j.call.integer_lists.at("grid").at(static_cast<size_t>(axis));
                  fits = fits && voxels <= INT64_MAX / extent;
                  if (fits) voxels *= extent;
                }
                if (fits) return {};
                return "grid has too many voxels in all clouds, expected fewer than 2^63.";
              },
              {{kOverflow, "2^93 voxels and a few less", with({INT32_MAX, INT32_MAX, INT32_MAX})},
               {kOverflow, "2^63 - 2^33 + 2 voxels", with({INT32_MAX, INT32_MAX, 1}), false},
               {kOverflow, "2^64 - 2^34 + 4 voxels", with({INT32_MAX, INT32_MAX, 2})},
               {kOverflow, "2^63 voxels of 2 clouds", with({k21, k21, k21 / 2})},
               {kOverflow, "2^63 - 2^42 voxels of 2 clouds", with({k21, k21 - 1, k21 / 2}), false},
               {kOverflow, "2^63 voxels with no cloud", with({k21, k21, k21}, 0)},
               {kOverflow, "2^63 - 2^42 voxels with no cloud", with({k21, k21, k21 - 1}, 0), false}}});
}

// ---- elements ----

Rules CloudBegins() {
  const auto allowed = [](double begin, int64_t index, const Call& call) {
    const Tensor& begins = call["cloud_begins"];
    const auto points = static_cast<double>(call["points"].extents[0]);
    if (index == 0 && begin != 0) return false;
    if (index == begins.extents[0] - 1 && begin != points) return false;
    return begin <= points && begin >= (index == 0 ? 0 : begins.Get(index - 1));
  };
  const auto trials = [](const Call&) {
    std::vector<ElementRule::Trial> made;
    for (const auto& [index, value] : std::vector<std::pair<int64_t, double>>{
             {0, 1}, {0, -1}, {1, 12}, {1, -3}, {1, -1}, {1, 0}, {1, 11}, {2, 10}, {2, 5}, {2, 12}, {2, INT32_MAX}}) {
      made.push_back({index, value, "cloud_begins"});
    }
    return made;
  };
  const auto several = [](std::vector<double> values, bool value_checks) {
    return Fault{BadClass::kIndices, "cloud_begins",
                 [=](Call& call) {
                   call.value_checks = value_checks;
                   for (size_t i = 0; i < values.size(); ++i) {
                     WithElement("cloud_begins", static_cast<int64_t>(i), values[i])(call);
                   }
                 },
                 false};
  };
  Faults faults;
  for (const std::vector<double>& values : {std::vector<double>{1, 6, 11},
                                            {-1, 6, 11},
                                            {0, 12, 11},
                                            {0, -1, 11},
                                            {0, 6, 5},
                                            {0, 6, 10},
                                            {0, 6, 12},
                                            {5, 3, 1},
                                            {INT32_MIN, INT32_MAX, INT32_MIN},
                                            {INT32_MAX, INT32_MIN, INT32_MAX}}) {
    for (const bool value_checks : {true, false}) faults.push_back(several(values, value_checks));
  }
  // The only number is the first and the last.
  faults.push_back({BadClass::kIndices, "one number, 0, but points", WithDim("B + 1", 1), false});
  const auto expectation = [](int64_t, const Call&) { return "numbers that ascend from 0 to the number of points"; };
  return WithFaults(
      Elements("cloud_begins", {allowed, expectation, trials, BadClass::kIndices, Checked::kHarmlessIfOff}), faults);
}

}  // namespace

Contract PointToVoxelContract() {
  Contract contract("detopsPointToVoxel");
  contract.Shape("points", {"P", "F"})
      .Shape("cloud_begins", {"B + 1"})
      .Shape("voxels", {"M", "max_points_per_voxel", "F"})
      .Shape("means", {"M", "F"})
      .Shape("coordinates", {"M", "1 + ndim"})
      .Shape("num_points", {"M"})
      .Shape("point_voxel", {"P"})
      .Computed("1 + ndim", [](const Call& call) { return 1 + call.integer("ndim"); });
  Rules overlaps;
  for (size_t result = 2; result < kTensors.size(); ++result) {
    const Names before(kTensors.begin(), kTensors.begin() + static_cast<int64_t>(result));
    for (Rule& rule : Separate(kTensors[result], before)) overlaps.push_back(std::move(rule));
  }
  contract
      .Check("voxel_num, handle, the descriptor of points or coordinates, range_min, voxel_size or grid is NULL",
             {PlaceForResult({"voxel_num"}), Handle(), Descriptors({"points", "coordinates"}),
              NotNull({"range_min", "voxel_size", "grid"}, "an array of ndim numbers")})
      .Check("the profile is not the full one", {FullProfile()})
      .Check("ndim is not 1 to 4", {voxels::Dimensions()})
      .Check("a rank is not that of the shapes above", {Ranks(kTensors)})
      .Check("F is below ndim", {Implied(Shapes({"points"})), voxels::ColumnPerAxis(true)})
      .Check("cloud_begins has no elements", {NotEmpty({"cloud_begins"})})
      .Check("coordinates, voxels, means, num_points or point_voxel has another shape than above",
             {Coordinates(), Shapes({"voxels", "means", "num_points", "point_voxel"})})
      .Check("points is not floating, voxels or means not of its type, another tensor not int32",
             {Floating({"points"}), Int32({"cloud_begins"}), SameType({"voxels", "means"}, "points"),
              Int32({"coordinates", "num_points", "point_voxel"})})
      .Check(
          "axis by axis: range_min is not finite, voxel_size is not or not above 0, both in the type of the "
          "arithmetic, grid is not above 0",
          {voxels::AxisRules("1 + ndim", 5)})
      .Check("max_points_per_voxel is negative, or 0 if voxels is wanted", {MaxPoints()})
      .Check("max_voxels_per_cloud is negative", {MaxVoxels()})
      .Check("order is none of its values", {Enumerator("order", 0, 1, "a value of detopsVoxelOrder_t")})
      .Check("a tensor is not dense", {Dense(kTensors)})
      .Check("a tensor has more bytes than int64 can count", {ByteCounts()})
      .Check("P or B is 2^31 or more", {PointLimit(), CloudLimit()})
      .Check("the grid has 2^63 voxels or more in all clouds", {VoxelLimit()})
      .Check("the data pointer of a tensor with elements is NULL", {DataOfElements(kTensors)})
      .Check("a result overlaps another tensor", {overlaps})
      .Check("the numbers in cloud_begins do not ascend from 0 to P (if value checks are on)", {CloudBegins()})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  AddTrials(contract);
  return contract;
}

}  // namespace detops_harness::point_to_voxel
