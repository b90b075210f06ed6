// boxes_iou_bev on numbers worked out apart from all code: the reference can share a misreading with the library, these
// cannot.
#include <array>
#include <string>
#include <vector>

#include "properties/by_hand.h"
#include "support/rotated_facts.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using Row = std::vector<double>;

// One pair.
Call CallOfPair(const std::string& function, const std::string& more, mluOpDataType_t type, const Row& a,
                const Row& b) {
  Call call = CallOf(function, "first=1,second=1" + more, type);
  SetRow(call, "boxes_a", 0, a);
  SetRow(call, "boxes_b", 0, b);
  return call;
}

void ExpectValue(const Call& call, double expected, double relative) {
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
    const double value = done.tensors[2].Get(0);
    if (relative == 0) {
      ASSERT_EQ(value, expected);
    } else {
      ASSERT_NEAR(value, expected, relative * expected);
    }
  });
}

struct SpatialFact {
  int number;
  Row a, b;
  double centre, bottom;  // IoU of volumes; -1: not worked out
  double overlap;
};

TEST(BoxesIou3d, Facts) {
  const double quarter = static_cast<double>(PiOver(4)), half = static_cast<double>(PiOver(2));
  const SpatialFact facts[] = {
      {42, {1, 1, 1, 2, 2, 2, 0}, {2, 2, 2, 2, 2, 2, 0}, 1.0 / 15, 1.0 / 15, 1},
      {42, {1, 1, 1, 2, 2, 2, 0}, {1, 1, 1, 2, 2, 2, quarter}, 0.707106781, 0.707106781, 3.31370850},
      {43, {0, 0, 0, 2, 2, 2, 0}, {0, 0, 1, 2, 2, 4, 0}, 0.5, 0.2, 4},
      {44, {0, 0, 0, 4, 2, 1.5, 0}, {0, 0, 0.5, 4, 2, 1.5, half}, 0.2, -1, 4},
      {44, {0, 0, 0, 4, 2, 2, 0.3}, {0.5, 0.25, 0.4, 4.2, 1.9, 1.8, 0.35}, 0.4852947, -1, 6.6139457}};
  for (const SpatialFact& fact : facts) {
    SCOPED_TRACE(fact.number);
    const double relative = 1e-7;
    for (const bool bottom : {false, true}) {
      const double expected = bottom ? fact.bottom : fact.centre;
      if (expected < 0) continue;
      ExpectValue(CallOfPair("detopsBoxesIou3d", bottom ? ",z=1" : ",z=0", MLUOP_DTYPE_FLOAT, fact.a, fact.b), expected,
                  relative);
    }
    ExpectValue(CallOfPair("detopsBoxesOverlapBev", "", MLUOP_DTYPE_FLOAT, fact.a, fact.b), fact.overlap, relative);
  }
}

// Heights touch, leave a gap, have no extent; and a million units up nothing is lost.
TEST(BoxesIou3d, Heights) {
  const Row box = {0, 0, 0, 4, 2, 2, 0.3};
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE}) {
    for (const bool bottom : {false, true}) {
      const auto expect = [&](double z, double dz, double expected, double up = 0) {
        SCOPED_TRACE(testing::Message() << "z " << z << ", dz " << dz << ", bottom " << bottom);
        Row a = box, b = box;
        a[2] = up;
        b[2] = up + z;
        b[5] = dz;
        const std::string which = bottom ? ",z=1" : ",z=0";
        ExpectValue(CallOfPair("detopsBoxesIou3d", which, type, a, b), expected,
                    expected == 0 || expected == 1 ? 0 : 1e-7);
        ExpectValue(CallOfPair("detopsBoxesIou3d", which, type, b, a), expected,
                    expected == 0 || expected == 1 ? 0 : 1e-7);
      };
      expect(0, 2, 1);
      expect(2, 2, 0);
      expect(-2, 2, 0);
      expect(3, 2, 0);
      expect(1, 2, 1.0 / 3);
      expect(-1, 2, 1.0 / 3);
      expect(0.5, 2, 1.5 / 2.5, 1e6);
      expect(0, 0, 0);
      expect(0, -2, 0);
    }
  }
}

TEST(BoxesIouBev, RotatedFactsInRowsOfFiveAndSeven) {
  for (const RotatedFact& fact : kRotatedFacts) {
    SCOPED_TRACE(fact.number);
    const bool exact = fact.iou == 0 || fact.iou == 1;
    const double relative = exact ? 0 : (fact.tolerance == 0 ? 5e-9 : fact.tolerance) + 0x1p-24;
    const Row a(fact.a.begin(), fact.a.end()), b(fact.b.begin(), fact.b.end());
    ExpectValue(CallOfPair("detopsBoxesIouBev", ",numbers=5", MLUOP_DTYPE_FLOAT, a, b), fact.iou, relative);
    const auto in_space = [](const Row& row, double z, double dz) -> Row {
      return {row[0], row[1], z, row[2], row[3], dz, row[4]};
    };
    // z and dz do not count, not even where they leave no volume.
    const Row a7 = in_space(a, 3, 1), b7 = in_space(b, -7, -2);
    ExpectValue(CallOfPair("detopsBoxesIouBev", ",numbers=7", MLUOP_DTYPE_FLOAT, a7, b7), fact.iou, relative);
    if (fact.iof < 0) continue;
    const bool some = a[2] > 0 && a[3] > 0;
    const double overlap = some ? fact.iof * a[2] * a[3] : 0;
    ExpectValue(CallOfPair("detopsBoxesOverlapBev", "", MLUOP_DTYPE_DOUBLE, a7, b7), overlap,
                overlap == 0          ? 0
                : fact.tolerance == 0 ? 5e-9
                                      : fact.tolerance);
  }
}

TEST(BoxesIouBev, WhatOthersGetWrong) {
  const auto iou = [](const Row& a, const Row& b, double expected, double relative) {
    ExpectValue(CallOfPair("detopsBoxesIouBev", ",numbers=7", MLUOP_DTYPE_FLOAT, a, b), expected, relative);
  };
  iou({0, 0, 0, 4, 2, 1, 0}, {4.005, 0, 0, 4, 2, 1, 0}, 0, 0);                       // 5 mm apart
  iou({0, 0, 0, 0.01, 0.01, 1, 0}, {0.005, 0, 0, 0.01, 0.01, 1, 0}, 1.0 / 3, 1e-7);  // elsewhere 3
  iou({0, 0, 0, 4, 2, 1, 0}, {0, 0, 0, 4, 2, 1, 1e-4}, 0.999875018, 1e-7);           // elsewhere 1.000125
  iou({0, 0, 0, -4, -2, 1, 0}, {0, 0, 0, -4, -2, 1, 0}, 0, 0);                       // elsewhere 4e8
  iou({1e6, 1e6, 0, 4, 2, 1, 0.3}, {1000000.5, 1e6, 0, 4, 2, 1, 0.3}, 0.688512392, 1e-7);
}

// Volumes that no double holds.
TEST(BoxesIou3d, BoxesOfAnySize) {
  for (const double size : {1e-300, 1e-150, 1e150, 1e300}) {
    SCOPED_TRACE(size);
    const auto scaled = [size](Row row) {
      for (size_t i = 0; i < 6; ++i) row[i] *= size;
      return row;
    };
    const Row a = scaled({0, 0, 0, 4, 2, 2, 0});
    for (const auto& [b, expected] : std::vector<std::pair<Row, double>>{{{0, 0, 0, 4, 2, 2, 0}, 1},
                                                                         {{2, 0, 0, 4, 2, 2, 0}, 1.0 / 3},
                                                                         {{2, 0, 1, 4, 2, 2, 0}, 1.0 / 7},
                                                                         {{0, 0, 2, 4, 2, 2, 0}, 0},
                                                                         {{5, 0, 0, 4, 2, 2, 0}, 0}}) {
      detops_harness::PlacedCall placed(CallOfPair("detopsBoxesIou3d", "", MLUOP_DTYPE_DOUBLE, a, scaled(b)));
      ForEachConfiguration(DETOPS_PROFILE_FULL, [&, want = expected](Handle& handle) {
        ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
        ASSERT_NEAR(placed.call()["ious"].Get(0), want, 1e-15);
      });
    }
  }
}

}  // namespace
}  // namespace detops_test
