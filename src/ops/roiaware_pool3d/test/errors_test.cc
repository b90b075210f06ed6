// Every tensor and number of every roiaware_pool3d function wrong in every way: status and sentence, nothing written,
// and the handle works on. Each sentence is checked because it is all that a user of a C library gets to see.
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/roiaware_pool3d/test/bad_call.h"

namespace detops_test {
namespace {

class RoiAwarePool3dErrors : public RoiAwarePool3dRefusals {
 protected:
  // Whether the call looks at the tensor.
  bool Needs(const std::string& name) const {
    if (name == "argmax") return function() == Function::kBackward || method() == kMax;
    if (function() == Function::kCompactBackward && (name == "voxel_begins" || name == "pts_idx")) {
      return method() == kAverage;
    }
    return true;
  }
  std::vector<std::string> NeededTensors() {
    std::vector<std::string> names;
    for (const TensorArgument& tensor : good_.tensors) {
      if (Needs(tensor.name)) names.push_back(tensor.name);
    }
    return names;
  }
  std::vector<int64_t> Extents(const std::string& name) { return good_[name].extents(good_.sizes); }
  // The tensor whose type the others have.
  std::string First() const {
    return function() == Function::kBackward || function() == Function::kCompactBackward ? "grad_out" : "rois";
  }
};
INSTANTIATE_TEST_SUITE_P(Functions, RoiAwarePool3dErrors, testing::ValuesIn(kCallKinds), KindName);

mluOpDataType_t TypeOf(int number) { return static_cast<mluOpDataType_t>(number); }

std::string ShapeText(const std::vector<int64_t>& extents) {
  std::string text;
  for (int64_t extent : extents) text += (text.empty() ? "[" : ", ") + std::to_string(extent);
  return text + "]";
}

// ---- pointers, rank, type, layout ----

TEST_P(RoiAwarePool3dErrors, NullHandle) {
  ExpectBadParam("handle is NULL, expected a handle of mluOpCreate.", [](BadCall& call) { call.with_handle = false; });
}

TEST_P(RoiAwarePool3dErrors, NullDescriptor) {
  for (const std::string& name : NeededTensors()) {
    ExpectBadParam("the descriptor of " + name + " is NULL, expected a tensor descriptor.",
                   [&](BadCall& call) { call[name].described = false; });
  }
}

TEST_P(RoiAwarePool3dErrors, NullData) {
  for (const std::string& name : NeededTensors()) {
    int64_t count = 1;
    for (const int64_t extent : Extents(name)) count *= extent;
    ExpectBadParam("the data pointer of " + name + " is NULL, expected " + std::to_string(count) + " elements.",
                   [&](BadCall& call) { call[name].data = nullptr; });
  }
}

// What is not needed may be missing, in part or as a whole.
TEST_P(RoiAwarePool3dErrors, TensorsThatAreNotNeeded) {
  for (const TensorArgument& tensor : good_.tensors) {
    if (Needs(tensor.name)) continue;
    const std::string name = tensor.name;
    ExpectAccepted(name + " has no data", [&](BadCall& call) { call[name].data = nullptr; });
    ExpectAccepted(name + " is missing", [&](BadCall& call) {
      call[name].described = false;
      call[name].data = nullptr;
    });
  }
}

TEST_P(RoiAwarePool3dErrors, Rank) {
  for (const std::string& name : NeededTensors()) {
    const int good = static_cast<int>(Extents(name).size());
    for (const int rank : {0, 1, 2, 3, 4, 5, 6, 8, 9, 100}) {
      if (rank == good) continue;
      ExpectBadParam(name + " has rank " + std::to_string(rank) + ", expected " + std::to_string(good) + ".",
                     [&](BadCall& call) { call[name].rank = rank; });
    }
  }
}

struct TypeRow {
  int number;
  const char* name;
};
constexpr TypeRow kWrongTypes[] = {{0, "invalid"}, {3, "int8"},     {6, "int32"},         {9, "int64"},
                                   {8, "bool"},    {10, "unknown"}, {15, "complex_half"}, {INT_MAX, "unknown"}};

TEST_P(RoiAwarePool3dErrors, TypeThatNoProfileKnows) {
  for (const TypeRow& wrong : kWrongTypes) {
    for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
      if (IsExtension(function()) && profile == DETOPS_PROFILE_CONTRACT) continue;
      const std::string expected =
          profile == DETOPS_PROFILE_CONTRACT ? "float or half" : "float, half, double or bfloat16";
      ExpectBadParam(First() + " has type " + wrong.name + ", expected " + expected + ".", [&](BadCall& call) {
        call.profile = profile;
        call[First()].type = TypeOf(wrong.number);
      });
    }
  }
}

TEST_P(RoiAwarePool3dErrors, TypeOfTheFullProfile) {
  for (const mluOpDataType_t type : {MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16}) {
    ExpectAccepted(ElementName(type), [](BadCall& call) { call.profile = DETOPS_PROFILE_FULL; }, type);
    if (IsExtension(function())) continue;
    ExpectBadParam(
        First() + " has type " + ElementName(type) + ", expected float or half; the full profile lifts this limit.",
        [](BadCall& call) { call.profile = DETOPS_PROFILE_CONTRACT; }, type);
  }
}

TEST_P(RoiAwarePool3dErrors, MixedTypes) {
  std::vector<TypeRow> others(std::begin(kWrongTypes), std::end(kWrongTypes));
  for (const mluOpDataType_t type : kTypes) others.push_back({type, ElementName(type)});
  for (const mluOpDataType_t type : kTypes) {
    for (const std::string& name : NeededTensors()) {
      if (name == First()) continue;
      const bool integers = good_[name].type == MLUOP_DTYPE_INT32;
      for (const TypeRow& other : others) {
        if (other.number == (integers ? MLUOP_DTYPE_INT32 : type)) continue;
        ExpectBadParam(
            name + " has type " + other.name + ", expected " +
                (integers ? "int32." : std::string(ElementName(type)) + " as " + First() + " has."),
            [&](BadCall& call) { call[name].type = TypeOf(other.number); }, type);
      }
    }
  }
}

TEST_P(RoiAwarePool3dErrors, LayoutsAreFree) {
  for (const std::string& name : NeededTensors()) {
    for (const int layout : {0, 1, 3, 8, 11, INT_MAX}) {
      ExpectAccepted(name, [&](BadCall& call) { call[name].layout = static_cast<mluOpTensorLayout_t>(layout); });
    }
  }
}

// ---- shapes and strides ----

// Extents that disagree with an argument or with another tensor. The extent of pts_idx is free, and so are those that
// the function takes from the tensor.
TEST_P(RoiAwarePool3dErrors, Extents) {
  const auto free = [&](const std::string& name, size_t axis) {
    if (name == "pts_idx" || name == "voxel_begins") return true;  // see the tests of the compact form
    if (function() == Function::kBackward) return name == "grad_in" && axis == 0;
    if (function() == Function::kForward) return false;
    if (name == "rois" || name == "pts" || name == "voxels") return axis == 0;
    if (name == "pts_feature") return axis == 1;
    if (name == "pts_idx_of_voxels") return axis > 0;
    return name == "grad_out" || (name == "grad_in" && axis == 0);
  };
  for (const std::string& name : NeededTensors()) {
    const std::vector<int64_t> good = Extents(name);
    for (size_t axis = 0; axis < good.size(); ++axis) {
      if (free(name, axis)) continue;
      for (const int64_t surplus : {-1, 1, 1000}) {
        std::vector<int64_t> extents = good;
        extents[axis] += surplus;
        ExpectBadParam(name + " has extent " + std::to_string(extents[axis]) + " on axis " + std::to_string(axis) +
                           ", expected *" + std::to_string(good[axis]) + "*; its shape is " + ShapeText(extents) + ".",
                       [&](BadCall& call) { call[name].surplus[axis] = surplus; });
      }
    }
  }
}

TEST_P(RoiAwarePool3dErrors, Strides) {
  for (const std::string& name : NeededTensors()) {
    const std::vector<int64_t> extents = Extents(name);
    int64_t dense = 1;
    for (size_t axis = extents.size(); axis-- > 0; dense *= extents[axis]) {
      for (const int64_t stride : {dense + 1, int64_t{0}, -dense, INT64_MAX - 100000}) {
        ExpectNotSupported(name + " has stride " + std::to_string(stride) + " on axis " + std::to_string(axis) +
                               ", expected " + std::to_string(dense) + ": only dense tensors are supported.",
                           [&](BadCall& call) { call[name].odd_strides[axis] = stride - dense; });
      }
    }
  }
}

// ---- numbers ----

TEST_P(RoiAwarePool3dErrors, PoolMethod) {
  if (function() == Function::kCount) GTEST_SKIP();
  for (const int value : {-1, 2, 3, INT_MAX, INT_MIN}) {
    ExpectBadParam("pool_method is " + std::to_string(value) + ", expected *",
                   [&](BadCall& call) { call.method = value; });
  }
}

TEST_P(RoiAwarePool3dErrors, Switches) {
  if (function() == Function::kForward || function() == Function::kBackward ||
      function() == Function::kCompactBackward) {
    GTEST_SKIP();
  }
  for (const int value : {-1, 2, INT_MAX, INT_MIN}) {
    ExpectBadParam("z_origin is " + std::to_string(value) + ", expected *",
                   [&](BadCall& call) { call.z_origin = static_cast<detopsZOrigin_t>(value); });
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const struct {
    double value;
    const char* text;
  } margins[] = {{-1, "-1"}, {-1e-5, "-1e-05"}, {std::nan(""), "nan"}, {infinity, "inf"}, {-infinity, "-inf"}};
  for (const auto& margin : margins) {
    ExpectBadParam(std::string("xy_margin is ") + margin.text + ", expected *",
                   [&](BadCall& call) { call.xy_margin = margin.value; });
  }
  for (const double margin : {0.0, -0.0, 5e-324, 1e-5, 1e300}) {
    ExpectAccepted("a margin that is finite and not below 0", [&](BadCall& call) { call.xy_margin = margin; });
  }
  ExpectAccepted("the other origin", [](BadCall& call) { call.z_origin = DETOPS_Z_CENTER; });
}

TEST_P(RoiAwarePool3dErrors, NumbersNotAboveZero) {
  const bool arguments = function() == Function::kForward || function() == Function::kBackward;
  const struct {
    const char* name;
    int64_t Sizes::* size;
  } numbers[] = {{"boxes_num", &Sizes::boxes},   {"pts_num", &Sizes::points},
                 {"channels", &Sizes::channels}, {"max_pts_each_voxel", &Sizes::max_pts},
                 {"out_x", &Sizes::out_x},       {"out_y", &Sizes::out_y},
                 {"out_z", &Sizes::out_z}};
  for (const auto& number : numbers) {
    const std::string name = number.name;
    if (function() == Function::kCompactBackward && name != "pts_num" && name != "channels") continue;
    if (function() == Function::kCount && name == "channels") continue;
    const bool argument = arguments && !(function() == Function::kBackward && name == "pts_num");
    for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
      if (IsExtension(function()) && profile == DETOPS_PROFILE_CONTRACT) continue;
      // Where sizes are those of tensors, a tensor is named.
      const char* const otherwise = function() == Function::kSwitches ? "* has 0 elements, *" : "*0*";
      ExpectBadParam(argument ? name + " is 0, expected *" : otherwise, [&](BadCall& call) {
        call.profile = profile;
        call.sizes.*number.size = 0;
      });
    }
  }
  if (function() != Function::kCount && function() != Function::kCompactForward) return;
  for (const auto& number : numbers) {  // here they are arguments alone, which may be negative
    const std::string name = number.name;
    if (name == "boxes_num" || name == "pts_num" || name == "channels") continue;
    for (const int64_t value : {int64_t{-1}, int64_t{INT_MIN}}) {
      ExpectBadParam(name + " is " + std::to_string(value) + ", expected *",
                     [&](BadCall& call) { call.sizes.*number.size = value; });
    }
  }
}

TEST_P(RoiAwarePool3dErrors, ExtensionsNeedTheFullProfile) {
  if (!IsExtension(function())) GTEST_SKIP();
  ExpectNotSupported("*full profile*", [](BadCall& call) { call.profile = DETOPS_PROFILE_CONTRACT; });
}

}  // namespace
}  // namespace detops_test
