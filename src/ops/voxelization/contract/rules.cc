// What voxelization promises.
#include <cmath>
#include <utility>

#include "ops/voxelization/contract/contract.h"
#include "ops/voxelization/reference/reference.h"
#include "voxels/contract/numbers.h"

namespace detops_harness::voxelization {
namespace {

using Apply = std::function<void(Call&)>;
using Sentence = std::optional<std::string>;

constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM, kLimit = MLUOP_STATUS_NOT_SUPPORTED;
const Names kInputs = {"points", "voxel_size", "coors_range"};
const Names kOutputs = {"voxels", "coors", "num_points_per_voxel", "voxel_num"};
const Names kAll = {"points", "voxel_size", "coors_range", "voxels", "coors", "num_points_per_voxel", "voxel_num"};

bool HasNoRoom(const Call& call) { return call.integer("max_points") == 0 || call.integer("max_voxels") == 0; }

// ---- form: of both functions ----

Rules Deterministic() {
  return Integer("deterministic", {[](int64_t value, const Call&) { return value != 0; },
                                   "1: the other way gives other points in every run",
                                   {0},
                                   BadClass::kEnumerator});
}

Rules Dimensions() {
  return Integer("NDim", {[](int64_t value, const Call&) { return value == 3; }, "3", {2, 4, 0}});
}

Rules Columns() {
  return Own({"columns of points",
              kBad,
              [](Judgement& j) -> Sentence {
                const int64_t columns = j.call["points"].extents[1];
                if (columns >= 3) return {};
                return Format("points has %lld columns, expected at least 3: x, y, z.",
                              static_cast<long long>(columns));
              },
              {{BadClass::kShapes, "two columns", WithDim("F", 2)},
               {BadClass::kShapes, "no columns", WithDim("F", 0), false},
               {BadClass::kShapes, "three columns", WithDim("F", 3), false}}});
}

// Float, or as points.
Rules NumberType(const std::string& tensor) {
  return When([=](const Call& call) { return call[tensor].type != MLUOP_DTYPE_FLOAT; }, SameType({tensor}, "points"));
}

Rules RanksAndExtents() {
  Rules rules;
  const auto add = [&](const Rules& more) { rules.insert(rules.end(), more.begin(), more.end()); };
  add(Ranks({"points"}));
  add(Implied(Axis("points", 1, "F")));
  for (size_t tensor = 1; tensor < kAll.size(); ++tensor) {
    add(Ranks({kAll[tensor]}));
    add(Shapes({kAll[tensor]}));
  }
  return rules;
}

void AddForm(Contract& contract) {
  contract.Shape("points", {"P", "F"})
      .Shape("voxel_size", {3})
      .Shape("coors_range", {6})
      .Shape("voxels", {"max_voxels", "max_points", "F"})
      .Shape("coors", {"max_voxels", 3})
      .Shape("num_points_per_voxel", {"max_voxels"})
      .Shape("voxel_num", {1});
  contract.Check("deterministic is false", {Deterministic()})
      .Check(contract.function() == "mluOpVoxelization"
                 ? "a rank is not that of the shapes above, or an extent another one"
                 : "a rank is not that of the shapes of mluOpVoxelization, or an extent another one",
             {RanksAndExtents()})
      .Check("NDim is not 3", {Dimensions()})
      .Check("F is below 3", {Columns()})
      .Check("a tensor is not dense",
             {Dense({"points", "voxel_size", "coors_range", "voxels", "coors", "num_points_per_voxel"}),
              Implied(Dense({"voxel_num"}))})
      .Check(
          "points is not float (full profile: nor half, double or bfloat16), voxel_size or coors_range neither float "
          "nor of the type of points, voxels not of the type of points, another tensor not int32",
          {FloatUnlessFull({"points"}), NumberType("voxel_size"), NumberType("coors_range"),
           SameType({"voxels"}, "points"), Int32({"coors", "num_points_per_voxel", "voxel_num"})})
      .Check("a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)",
             {Counts({"points"}), Implied(Counts({"voxel_size", "coors_range"})), Counts({"voxels"}),
              WithFaults(Counts({"coors"}), {{BadClass::kOverflow, "2^31 - 1 voxels without points",
                                              [](Call& call) {
                                                WithDim("max_points", 0)(call);
                                                WithDim("max_voxels", INT32_MAX)(call);
                                              }}}),
              Implied(Counts({"num_points_per_voxel", "voxel_num"}))})
      .Check("points has no elements", {NotEmpty({"points"})});
}

// ---- memory and values ----

Rules WithoutRoom() {
  const auto with = [](const std::string& limit, const Names& without_data, double size = 1) {
    return [=](Call& call) {
      WithDim(limit, 0)(call);
      for (const std::string& tensor : without_data) call[tensor].has_data = false;
      if (size <= 0) call["voxel_size"].Set(0, size);
    };
  };
  Faults faults;
  for (const std::string limit : {"max_points", "max_voxels"}) {
    faults.push_back({BadClass::kEmpty, limit + " is 0", with(limit, {})});
    faults.push_back({BadClass::kEmpty, limit + " is 0, no data", with(limit, kAll), false});
    faults.push_back({BadClass::kEmpty, limit + " is 0, no coors", with(limit, {"coors"}), false});
    faults.push_back({BadClass::kEmpty, limit + " is 0, a size below 0", with(limit, {}, -1), false});
  }
  return Done("no room", HasNoRoom, faults);
}

Rules Sizes() {
  const auto trials = [](const Call&) {
    std::vector<ElementRule::Trial> made;
    for (const double value : {0.0, -0.0, -1.0, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      made.push_back({std::ssize(made) % 3, value, "voxel_size"});
    }
    return made;
  };
  return Elements("voxel_size", {[](double value, int64_t, const Call&) { return std::isfinite(value) && value > 0; },
                                 [](int64_t, const Call&) { return "a finite number above 0"; }, trials,
                                 BadClass::kNotFinite, Checked::kAlways});
}

Rules Borders() {
  const auto allowed = [](double value, int64_t place, const Call& call) {
    return std::isfinite(value) && (place < 3 || value > call["coors_range"].Get(place - 3));
  };
  const auto expectation = [](int64_t place, const Call&) -> std::string {
    return place < 3 ? "a finite number" : "a finite number above the axis' first border";
  };
  const auto trials = [](const Call& good) {
    std::vector<ElementRule::Trial> made;
    for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      for (int64_t place = 0; place < 6; ++place) made.push_back({place, value, "coors_range"});
    }
    for (int64_t axis = 0; axis < 3; ++axis) {
      const double low = good["coors_range"].Get(axis);
      made.push_back({axis + 3, low, "a range without length"});
      made.push_back({axis + 3, low - 1, "a range that ends before it begins"});
    }
    return made;
  };
  return Elements("coors_range", {allowed, expectation, trials, BadClass::kNotFinite, Checked::kAlways});
}

std::array<float, 3> GridOf(const Call& call) {
  return detops_reference::VoxelsOfRange(call["voxel_size"].Values(), call["coors_range"].Values());
}

// A range from 0 or `low` on, with voxels of `size`.
Apply WithRange(std::vector<double> high, double size = 1, double low = 0) {
  return [=](Call& call) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto at = static_cast<int64_t>(axis);
      call["voxel_size"].Set(at, size);
      call["coors_range"].Set(at, low);
      call["coors_range"].Set(at + 3, high[axis]);
    }
  };
}

Rules Grid() {
  return Own({"voxels of an axis",
              kBad,
              [](Judgement& j) -> Sentence {
                const std::array<float, 3> count = GridOf(j.call);
                for (size_t axis = 0; axis < 3; ++axis) {
                  const Sentence sentence =
                      voxels::VoxelCount(axis, j.call["voxel_size"].Get(static_cast<int64_t>(axis)), count[axis]);
                  if (sentence) return sentence;
                }
                return {};
              },
              {{BadClass::kSizes, "less than half a voxel", WithRange({2, 0.25, 2})},
               {BadClass::kOverflow, "2^31 voxels on an axis", WithRange({2, 2, 0x1p31})},
               {BadClass::kOverflow, "a range whose length overflows", WithRange({3e38, 3e38, 3e38}, 1, -3e38)},
               {BadClass::kOverflow, "a quotient that overflows", WithRange({1e30, 1, 1}, 1e-30), false},
               {BadClass::kSizes, "half a voxel", WithRange({0.5, 2, 2}), false}}});
}

Rules VoxelLimit() {
  return Own({"voxels of the grid",
              kLimit,
              [](Judgement& j) -> Sentence {
                unsigned __int128 voxels = 1;  // up to 2^93
                for (const float count : GridOf(j.call)) voxels *= static_cast<uint64_t>(count);
                if (voxels < uint64_t{1} << 63) return {};
                return "voxel_size makes too many voxels of coors_range, expected fewer than 2^63.";
              },
              {{BadClass::kOverflow, "8e27 voxels", WithRange({2e9, 2e9, 2e9})},
               {BadClass::kOverflow, "2^63 voxels", WithRange({0x1p21, 0x1p21, 0x1p21})},
               {BadClass::kOverflow, "2^63 - 2^42 voxels", WithRange({0x1p21, 0x1p21, 0x1p21 - 1}), false},
               {BadClass::kOverflow, "1100000 voxels on each axis", WithRange({1.1e6, 1.1e6, 1.1e6}), false}}});
}

std::string NoVoxels(const Call& call) {
  for (const std::string& output : kOutputs) {
    for (const double number : call[output].Values()) {
      if (number != 0) return output + " is not 0";
    }
  }
  return "";
}

void AddTrials(Contract& contract) {
  contract.CannotOccur({BadClass::kBatchId, BadClass::kIndices});
  contract.Try(BadClass::kForm, "half in the contract profile", [](Call& call) {
    for (const char* half : {"points", "voxels"}) call[half].type = MLUOP_DTYPE_HALF;
  });
  contract.Defines(
      BadClass::kEmpty, "max_points is 0 and there is no data: a success, nothing to write to",
      [](Call& call) {
        WithDim("max_points", 0)(call);
        for (const std::string& tensor : kAll) call[tensor].has_data = false;
      },
      [](const Call&) { return std::string(); });
  contract.Try(BadClass::kSizes, "max_points -1", WithInteger("max_points", -1))
      .Try(BadClass::kSizes, "max_voxels -1", WithInteger("max_voxels", -1));
  for (const double coordinate : {std::nan(""), HUGE_VAL, 3.4e38, -1e4}) {
    contract.Defines(
        BadClass::kCoordinates, "points at " + NumberText(coordinate) + " are dropped",
        [coordinate](Call& call) {
          Tensor& points = call["points"];
          for (int64_t i = 1; i < points.elements(); i += points.extents[1]) points.Set(i, coordinate);
        },
        NoVoxels);
  }
  contract.Defines(
      BadClass::kDuplicates, "all points are equal: one voxel with the first of them",
      [](Call& call) {
        Tensor& points = call["points"];
        for (int64_t i = 0; i < points.elements(); ++i) points.Set(i, points.Get(i % points.extents[1]));
        for (int64_t axis = 0; axis < 3; ++axis) {
          for (int64_t row = 0; row < points.extents[0]; ++row) {
            points.Set(row * points.extents[1] + axis, call["coors_range"].Get(axis));
          }
        }
      },
      [](const Call& call) {
        const auto kept = static_cast<double>(call.integer("max_points"));
        const bool one = call["voxel_num"].Get(0) == 1 && call["num_points_per_voxel"].Get(0) == kept;
        return one ? "" : "not one voxel with the first points";
      });
}

}  // namespace

Contract MakeContract() {
  Contract contract("mluOpVoxelization");
  contract.Check("handle or a descriptor is NULL", {Handle(), Descriptors(kAll)});
  AddForm(contract);
  contract
      .Check("workspace is NULL but workspace_size is not 0", {WorkspacePointer()})
      // Where there is no room `voxels` has no bytes.
      .Check(
          "max_points or max_voxels is 0 and an output or the workspace overlaps another buffer",
          {When(HasNoRoom, SeparateOutputs({kOutputs.begin() + 1, kOutputs.end()}, kInputs), WithDim("max_points", 0))})
      .Check(
          "max_points or max_voxels is 0: coors, num_points_per_voxel and voxel_num become 0, but for those whose data "
          "pointer is NULL",
          {WithoutRoom()})
      .Check("a data pointer is NULL", {Data(kAll)})
      .Check("P is 2^31 or more", {voxels::NumberedRows("points", "P")})
      .Check("an output or the workspace overlaps another buffer", {SeparateOutputs(kOutputs, kInputs)})
      .Check("a number in voxel_size is not finite and above 0", {Sizes()})
      .Check("a number in coors_range is not finite, or a highest one not above the lowest", {Borders()})
      .Check("an axis has not at least one and fewer than 2^31 voxels", {Grid()})
      .Check("the grid has 2^63 voxels or more", {VoxelLimit()})
      .Fails(MLUOP_STATUS_ALLOC_FAILED, "no memory for the scratch")
      .Fails(MLUOP_STATUS_EXECUTION_FAILED, "the caller's parallel runner failed");
  AddTrials(contract);
  return contract;
}

Contract MakeSizeContract() {
  Contract contract("mluOpGetVoxelizationWorkspaceSize");
  contract.Check("size, handle or a descriptor is NULL", {PlaceForResult({"size"}), Handle(), Descriptors(kAll)});
  AddForm(contract);
  contract
      .CannotOccur(
          {BadClass::kWorkspace, BadClass::kOverlap, BadClass::kNotFinite, BadClass::kBatchId, BadClass::kIndices})
      .CannotOccur({BadClass::kCoordinates, BadClass::kDuplicates}, "it looks at descriptors only, at no values");
  return contract;
}

}  // namespace detops_harness::voxelization
