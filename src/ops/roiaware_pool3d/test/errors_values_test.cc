// What is wrong with the data and not with their description. Boxes that are not numbers and indices out of range are
// refused with their position, and harmless when the caller has switched the checks off.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/roiaware_pool3d/test/bad_call.h"

namespace detops_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class RoiAwarePool3dBadValues : public RoiAwarePool3dRefusals {
 protected:
  bool TakesBoxes() const { return function() != Function::kBackward && function() != Function::kCompactBackward; }

  // The same with the checks off: a success, and no byte beside the tensors is touched. What the result is then stands
  // nowhere.
  void ExpectHarmlessUnchecked(const Spoil& spoil, mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
    ExpectAccepted(
        "value checks off",
        [&](BadCall& call) {
          call.value_checks = false;
          spoil(call);
        },
        type);
  }

  void ExpectBadInteger(const std::string& name, int64_t index, int64_t value, const std::string& position) {
    ExpectBadParam(name + position + " is " + std::to_string(value) + ", expected *",
                   [&](BadCall& call) { call[name].memory->Set(index, static_cast<double>(value)); });
  }
};
INSTANTIATE_TEST_SUITE_P(Functions, RoiAwarePool3dBadValues, testing::ValuesIn(kCallKinds), KindName);

// ---- boxes ----

TEST_P(RoiAwarePool3dBadValues, EveryNumberOfABox) {
  if (!TakesBoxes()) GTEST_SKIP();
  const struct {
    double value;
    const char* text;
  } bad_numbers[] = {{kNan, "nan"}, {kInfinity, "inf"}, {-kInfinity, "-inf"}};
  for (const mluOpDataType_t type : kTypes) {
    for (int64_t box = 0; box < 2; ++box) {
      for (int64_t column = 0; column < 7; ++column) {
        for (const auto& bad : bad_numbers) {
          const Spoil spoil = [&](BadCall& call) { call["rois"].memory->Set(box * 7 + column, bad.value); };
          ExpectBadParam("rois[" + std::to_string(box) + ", " + std::to_string(column) + "] is " + bad.text +
                             ", expected a finite number.",
                         spoil, type);
          if (column % 3 == 0) ExpectHarmlessUnchecked(spoil, type);
        }
      }
    }
  }
}

TEST_P(RoiAwarePool3dBadValues, FirstOfManyIsReported) {
  if (!TakesBoxes()) GTEST_SKIP();
  ExpectBadParam("rois[0, 5] is inf, expected a finite number.", [](BadCall& call) {
    call["rois"].memory->Set(13, kNan);
    call["rois"].memory->Set(5, kInfinity);
    call["rois"].memory->Set(6, kNan);
  });
}

// Points and features are data.
TEST_P(RoiAwarePool3dBadValues, PointsAndFeaturesMayBeAnything) {
  if (!TakesBoxes()) GTEST_SKIP();
  for (const char* name : {"pts", "pts_feature"}) {
    if (function() == Function::kCount && std::string(name) == "pts_feature") continue;
    for (const double value : {kNan, kInfinity, -kInfinity}) {
      ExpectAccepted(name, [&](BadCall& call) {
        for (int64_t i = 0; i < call[name].memory->elements(); i += 2) call[name].memory->Set(i, value);
      });
    }
  }
}

// Finite boxes never fail for their size.
TEST_P(RoiAwarePool3dBadValues, FiniteBoxesAreAccepted) {
  if (!TakesBoxes()) GTEST_SKIP();
  for (const mluOpDataType_t type : kTypes) {
    double largest = type == MLUOP_DTYPE_FLOAT ? static_cast<double>(std::numeric_limits<float>::max()) : 65504;
    if (type == MLUOP_DTYPE_BFLOAT16) largest = 0x1.fep127;
    if (type == MLUOP_DTYPE_DOUBLE) largest = std::numeric_limits<double>::max();
    for (const double value : {largest, -largest, 0.0, type == MLUOP_DTYPE_DOUBLE ? 5e-324 : 0x1p-149}) {
      for (int64_t column = 0; column < 7; ++column) {
        ExpectAccepted("an extreme box", [&](BadCall& call) { call["rois"].memory->Set(column, value); }, type);
        ExpectAccepted(
            "extreme boxes and points",
            [&](BadCall& call) {
              call["rois"].memory->Fill(value);
              call["pts"].memory->Set(column, -value);
              call["pts"].memory->Set(column + 9, value);
            },
            type);
      }
    }
  }
}

// ---- winners and lists on their way back ----

constexpr int64_t kFarIndices[] = {11, 12, -2, INT32_MAX, INT32_MIN, 1 << 30};

TEST_P(RoiAwarePool3dBadValues, WinnersOutOfRange) {
  if (method() != kMax || TakesBoxes()) GTEST_SKIP();
  const bool compact = function() == Function::kCompactBackward;
  for (const int64_t value : kFarIndices) {
    // Rows have 6 channels; a box 3 x 4 x 5 voxels: 707 = ((1 * 3 + 2) * 4 + 3) * 5 * 6 + 17.
    ExpectBadInteger("argmax", 0, value, compact ? "[0, 0]" : "[0, 0, 0, 0, 0]");
    ExpectBadInteger("argmax", 65, value, compact ? "[10, 5]" : "[0, 0, 2, 0, 5]");
    if (compact) {
      ExpectBadInteger("argmax", 119, value, "[19, 5]");  // of the last used row
    } else {
      ExpectBadInteger("argmax", 707, value, "[1, 2, 3, 2, 5]");
      ExpectBadInteger("argmax", 719, value, "[1, 2, 3, 4, 5]");
    }
  }
  ExpectAccepted("the outermost winners", [](BadCall& call) {
    call["argmax"].memory->Set(0, -1);
    call["argmax"].memory->Set(1, 10);
    call["argmax"].memory->Set(2, 0);
  });
  if (!compact) return;
  ExpectAccepted("a row behind those in use", [](BadCall& call) { call["argmax"].memory->Set(120, 99); });
}

// Max_pts is 8: a count from 0 to 7.
TEST_P(RoiAwarePool3dBadValues, CountsOutOfRange) {
  if (function() != Function::kBackward || method() != kAverage) GTEST_SKIP();
  for (const int64_t value : {int64_t{-1}, int64_t{8}, int64_t{9}, int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
    ExpectBadInteger("pts_idx_of_voxels", 0, value, "[0, 0, 0, 0, 0]");
    ExpectBadInteger("pts_idx_of_voxels", 119 * 8, value, "[1, 2, 3, 4, 0]");
  }
  ExpectAccepted("the outermost counts", [](BadCall& call) {
    call["pts_idx_of_voxels"].memory->Set(0, 7);
    call["pts_idx_of_voxels"].memory->Set(8, 0);
  });
}

// Two points are listed: slots 1 and 2 are read, slot 3 is not. -1 is no point.
TEST_P(RoiAwarePool3dBadValues, ListedPointsOutOfRange) {
  if (function() != Function::kBackward || method() != kAverage) GTEST_SKIP();
  for (const int64_t value : {int64_t{11}, int64_t{-1}, int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
    ExpectBadInteger("pts_idx_of_voxels", 1, value, "[0, 0, 0, 0, 1]");
    ExpectBadInteger("pts_idx_of_voxels", 119 * 8 + 2, value, "[1, 2, 3, 4, 2]");
    ExpectAccepted("behind the count",
                   [&](BadCall& call) { call["pts_idx_of_voxels"].memory->Set(3, static_cast<double>(value)); });
  }
  // The first bad number of the tensor is reported, whatever it is.
  ExpectBadParam("pts_idx_of_voxels[0, 0, 0, 1, 2] is 99, expected *", [](BadCall& call) {
    call["pts_idx_of_voxels"].memory->Set(10, 99);
    call["pts_idx_of_voxels"].memory->Set(16, 99);
    call["pts_idx_of_voxels"].memory->Set(951, 99);
  });
}

// What the method does not use must be there, but may hold anything.
TEST_P(RoiAwarePool3dBadValues, TheOtherTensorIsNotRead) {
  if (TakesBoxes()) GTEST_SKIP();
  for (const TensorArgument& tensor : good_.tensors) {
    const bool lists = tensor.name != "argmax" && tensor.type == MLUOP_DTYPE_INT32;
    if (tensor.type != MLUOP_DTYPE_INT32 || lists == (method() == kAverage)) continue;
    const std::string name = tensor.name;
    ExpectAccepted(name, [&](BadCall& call) { call[name].memory->Fill(1 << 30); });
  }
}

// voxel_begins is 0, 1, 2, ..., 20 of the rows in use; pts_idx has room for 29.
TEST_P(RoiAwarePool3dBadValues, CompactLists) {
  if (function() != Function::kCompactBackward || method() != kAverage) GTEST_SKIP();
  ExpectBadInteger("voxel_begins", 0, 1, "[0]");
  ExpectBadInteger("voxel_begins", 0, -1, "[0]");
  for (const int64_t value : {int64_t{30}, int64_t{INT32_MAX}}) ExpectBadInteger("voxel_begins", 20, value, "[20]");
  for (const int64_t value : {int64_t{11}, int64_t{-1}, int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
    ExpectBadInteger("pts_idx", 0, value, "[0]");
    ExpectBadInteger("pts_idx", 19, value, "[19]");
    ExpectAccepted("behind the lists in use",
                   [&](BadCall& call) { call["pts_idx"].memory->Set(20, static_cast<double>(value)); });
    ExpectAccepted("behind the rows in use",
                   [&](BadCall& call) { call["voxel_begins"].memory->Set(21, static_cast<double>(value)); });
  }
  // One that descends: either of the two may be named.
  for (const int64_t value : {int64_t{7}, int64_t{-1}, int64_t{INT32_MIN}}) {
    ExpectBadParam("voxel_begins*",
                   [&](BadCall& call) { call["voxel_begins"].memory->Set(9, static_cast<double>(value)); });
  }
  for (const int64_t value : {int64_t{11}, int64_t{25}, int64_t{INT32_MAX}}) {
    ExpectBadParam("voxel_begins*",
                   [&](BadCall& call) { call["voxel_begins"].memory->Set(9, static_cast<double>(value)); });
  }
  ExpectBadParam("voxel_begins* is 3, expected *", [](BadCall& call) {
    call.used_rows = 0;  // they begin with 0 even so
    call["voxel_begins"].memory->Set(0, 3);
  });
  ExpectAccepted("empty and longer lists", [](BadCall& call) {
    call["voxel_begins"].memory->Set(9, 10);  // row 9 is empty
    call["voxel_begins"].memory->Set(20, 29);
  });
}

// ---- the number of rows in use ----

TEST_P(RoiAwarePool3dBadValues, RowsInUse) {
  if (function() != Function::kCompactBackward) GTEST_SKIP();
  for (const int64_t value : {int64_t{-1}, int64_t{24}, INT64_MAX, INT64_MIN, int64_t{1} << 32}) {
    ExpectBadParam("voxel_num is " + std::to_string(value) + ", expected *",
                   [&](BadCall& call) { call.used_rows = value; });
  }
  for (const int64_t value : {int64_t{0}, int64_t{1}, int64_t{23}}) {
    ExpectAccepted("any number of the rows", [&](BadCall& call) { call.used_rows = value; });
  }
  if (method() != kAverage) return;
  // 23 rows need 24 begins; 20 rows need 21.
  ExpectBadParam("voxel_begins has *", [](BadCall& call) {
    call.used_rows = 23;
    call["voxel_begins"].surplus[0] = -1;
  });
  ExpectAccepted("just enough", [](BadCall& call) { call["voxel_begins"].surplus[0] = -3; });
  ExpectBadParam("voxel_begins has *", [](BadCall& call) { call["voxel_begins"].surplus[0] = -4; });
}

// Switched off, a list that was never checked would be the caller's own fault; switched on again, it is refused.
TEST_P(RoiAwarePool3dBadValues, ChecksCanBeSwitchedOnAgain) {
  if (!TakesBoxes()) GTEST_SKIP();
  BadCall call = NewCall();
  call["rois"].memory->Set(0, kNan);
  call.value_checks = false;
  EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS);
  call.value_checks = true;
  Refuse(call, MLUOP_STATUS_BAD_PARAM);
}

}  // namespace
}  // namespace detops_test
