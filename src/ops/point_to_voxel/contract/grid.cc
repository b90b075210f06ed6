// What detopsGetVoxelGrid promises, how to call it.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "ops/point_to_voxel/contract/contract.h"
#include "voxels/contract/clouds.h"
#include "voxels/contract/numbers.h"

namespace detops_harness::point_to_voxel {
namespace {

using voxels::kInf;
using voxels::kMostAxes;
using voxels::kNan;
using voxels::ListFault;
using voxels::Number;

// round((max - min) / size) in float, as the header says.
float VoxelsOnAxis(const Call& call, size_t axis) {
  const auto number = [&](const char* list) { return static_cast<float>(call.number_lists.at(list).at(axis)); };
  return std::round((number("range_max") - number("range_min")) / number("voxel_size"));
}

// The fourth axis of the good call, which has three, becomes a good one.
void WithAxis(Call& call, size_t axis) {
  if (axis < 3) return;
  call.integers.at("ndim") = 4;
  call.number_lists.at("range_min").at(axis) = 0;
  call.number_lists.at("range_max").at(axis) = 7;
  call.number_lists.at("voxel_size").at(axis) = 1;
}

bool InFloat(const Call&) { return false; }

Faults NotFinite(const std::string& list, size_t axis) {
  Faults faults;
  for (const double number : {kNan, kInf, -kInf, 1e300, -1e300, 3.5e38}) {
    faults.push_back(ListFault(BadClass::kNotFinite, list, list, axis, number, WithAxis));
  }
  for (const double number : {3.4e38, -3.4e38, 0x1p-149}) {
    faults.push_back(ListFault(BadClass::kNotFinite, list, list, axis, number, WithAxis, false));
  }
  return faults;
}

Rules RangeMin(size_t axis) {
  const auto any = [](double, size_t, const Call&) { return true; };
  return Number(axis, {"range_min", "", any, InFloat, NotFinite("range_min", axis)});
}

Rules RangeMax(size_t axis) {
  Faults faults = NotFinite("range_max", axis);
  const auto above = [=](double surplus) {
    return [=](Call& call) {
      WithAxis(call, axis);
      call.number_lists.at("range_max").at(axis) = call.number_lists.at("range_min").at(axis) + surplus;
    };
  };
  faults.push_back({BadClass::kEmpty, "an empty range", above(0)});
  faults.push_back({BadClass::kEmpty, "a range backwards", above(-1)});
  faults.push_back({BadClass::kEmpty, "a range that is empty in float", above(1e-30)});
  return Number(axis, {"range_max", " above range_min",
                       [](double rounded, size_t i, const Call& call) {
                         return rounded > static_cast<double>(static_cast<float>(call.number_lists.at("range_min")[i]));
                       },
                       InFloat, faults});
}

Rules VoxelSize(size_t axis) {
  Faults faults = NotFinite("voxel_size", axis);
  for (const double size : {0.0, -1.0, 1e-300}) {
    faults.push_back(
        ListFault(BadClass::kNotFinite, "voxel_size " + NumberText(size), "voxel_size", axis, size, WithAxis));
  }
  const auto above_zero = [](double rounded, size_t, const Call&) { return rounded > 0; };
  return Number(axis, {"voxel_size", " above 0", above_zero, InFloat, faults});
}

Rules VoxelCount(size_t axis) {
  const auto with = [=](double low, double high, double size) {
    return [=](Call& call) {
      WithAxis(call, axis);
      call.number_lists.at("range_min").at(axis) = low;
      call.number_lists.at("range_max").at(axis) = high;
      call.number_lists.at("voxel_size").at(axis) = size;
    };
  };
  return Own({"voxels on axis " + std::to_string(axis),
              MLUOP_STATUS_BAD_PARAM,
              [=](Judgement& j) -> std::optional<std::string> {
                if (static_cast<int64_t>(axis) >= j.call.integer("ndim")) return {};
                return voxels::VoxelCount(axis, j.call.number_lists.at("voxel_size").at(axis),
                                          VoxelsOnAxis(j.call, axis));
              },
              {ListFault(BadClass::kEmpty, "a range of less than half a voxel", "voxel_size", axis, 1000, WithAxis),
               ListFault(BadClass::kOverflow, "more than 2^31 voxels on an axis", "voxel_size", axis, 1e-9, WithAxis),
               {BadClass::kNotFinite, "a range that overflows", with(-3e38, 3e38, 1)},
               {BadClass::kOverflow, "2^31 voxels", with(0, 0x1p31, 1)},
               {BadClass::kOverflow, "2^31 - 128 voxels", with(0, 0x1p31 - 128, 1), false},
               {BadClass::kEmpty, "less than half a voxel", with(0, 0.49, 1), false},
               {BadClass::kEmpty, "half a voxel", with(-0.25, 0.25, 1), false}}});
}

Contract VoxelGridContract() {
  Contract contract("detopsGetVoxelGrid");
  contract.Check("ndim is not 1 to 4", {voxels::Dimensions()})
      .Check("range_min, range_max, voxel_size or grid is NULL",
             {NotNull({"range_min", "range_max", "voxel_size"}, "an array of ndim numbers"), PlaceForResult({"grid"})});
  Rules axes;
  for (size_t axis = 0; axis < kMostAxes; ++axis) {
    for (const Rules& one : {RangeMin(axis), RangeMax(axis), VoxelSize(axis), VoxelCount(axis)}) {
      axes.push_back(one[0]);
    }
  }
  contract.Check(
      "axis by axis: range_min is not finite in float, range_max is not or not above it, voxel_size is not or not "
      "above 0, the number of voxels is not in [1, 2^31)",
      {axes});
  for (const int ndim : {0, -1, 5}) contract.Try(BadClass::kSizes, "ndim", WithInteger("ndim", ndim));
  contract.Try(BadClass::kEmpty, "a range of less than half a voxel",
               [](Call& call) { call.number_lists.at("voxel_size")[2] = 100; });
  contract.CannotOccur({BadClass::kDestroyed})
      .CannotOccur({BadClass::kOverlap},
                   "its arrays have different types, and it writes only when it has read everything");
  return contract;
}

class GetVoxelGrid : public Function {
 public:
  GetVoxelGrid() : Function(VoxelGridContract()) {}

  bool computes() const override { return false; }

  std::vector<ShapeKey> keys() const override {
    return {{"ndim", "3", "axes", {"1", "2", "3", "4"}},
            {"min", "0x-40x-3x0", "range_min of each axis", {"0", "-40", "-75.2x-75.2x-2", "0.1"}},
            {"max", "70.4x40x1x1", "range_max of each axis", {"70.4", "2.5", "75.2x75.2x4", "1e9"}},
            {"size", "0.05x0.05x0.1x1", "voxel_size of each axis", {"0.05", "1", "0.1x0.1x0.15", "0.16x0.16x4"}}};
  }

  std::vector<Sample> samples() const override {
    return {{"ndim=3"}, {"ndim=1"}, {"ndim=2"}, {"ndim=4"}, {"ndim=4,min=0,max=2.5,size=1"}};
  }

  Call Make(const Shape& shape, mluOpDataType_t, uint64_t) const override {
    Call call;
    call.with_handle = false;  // it takes none
    const int64_t ndim = shape.Int("ndim", 1);
    if (ndim > static_cast<int64_t>(kMostAxes)) throw ShapeError("--shape: ndim must be 1 to 4");
    call.integers["ndim"] = ndim;
    for (const auto& [list, key] :
         {std::pair<const char*, const char*>{"range_min", "min"}, {"range_max", "max"}, {"voxel_size", "size"}}) {
      std::vector<double>& numbers = call.number_lists[list] = voxels::Reals(shape, key, kMostAxes);
      std::fill(numbers.begin() + ndim, numbers.end(), kNan);  // not looked at
    }
    for (size_t axis = 0; axis < kMostAxes; ++axis) call.results[voxels::ElementName("grid", axis)] = -7;
    return call;
  }

  mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t, Arguments& a) const override {
    int grid[kMostAxes];
    auto result = a.call().results.begin();  // grid[0] to grid[3], and nothing else
    for (size_t axis = 0; axis < kMostAxes; ++axis) grid[axis] = static_cast<int>((result++)->second);
    const mluOpStatus_t status =
        library.detopsGetVoxelGrid(a.integer("ndim"), a.numbers("range_min"), a.numbers("range_max"),
                                   a.numbers("voxel_size"), a.IsNull("grid") ? nullptr : grid);
    result = a.call().results.begin();
    for (size_t axis = 0; axis < kMostAxes; ++axis) (result++)->second = grid[axis];
    return status;
  }

  Expected Reference(const Call& call) const override {
    Expected expected;
    for (size_t axis = 0; axis < kMostAxes; ++axis) {
      const bool used = static_cast<int64_t>(axis) < call.integer("ndim");
      expected.results[voxels::ElementName("grid", axis)] = used ? static_cast<int64_t>(VoxelsOnAxis(call, axis)) : -7;
    }
    return expected;
  }
};

}  // namespace

std::unique_ptr<Function> MakeGetVoxelGrid() { return std::make_unique<GetVoxelGrid>(); }

}  // namespace detops_harness::point_to_voxel
