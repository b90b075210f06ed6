// diff_iou_rotated_sort_vertices by hand: the fact of the specification and what the original gets wrong.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/diff_iou_rotated_sort_vertices/contract/contract.h"
#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::diff_iou_rotated_sort_vertices::PairOfBoxes;

struct Vertex {
  int slot;
  double x, y;
};
using Row = std::vector<double>;

// One pair, with these valid vertices; the others are far away.
Call CallWith(mluOpDataType_t type, const std::vector<Vertex>& valid) {
  Call call = CallOf("mluOpDiffIouRotatedSortVerticesForward", "batch=1,pairs=1", type);
  Fill(call, "vertices", 99);
  Fill(call, "mask", 0);
  for (const Vertex& vertex : valid) {
    call["vertices"].Set(vertex.slot * 2, vertex.x);
    call["vertices"].Set(vertex.slot * 2 + 1, vertex.y);
    call["mask"].Set(vertex.slot, 1);
  }
  call["num_valid"].Set(0, static_cast<double>(valid.size()));
  return call;
}
void ExpectOrder(mluOpDataType_t type, const std::vector<Vertex>& valid, const Row& idx) {
  ExpectNumbersEverywhere(CallWith(type, valid), {{"idx", idx}});
}

// The vertices of two boxes (x, y, w, h, angle), as a loss computes them, with the given ones valid.
void ExpectOfBoxes(const Row& first, const Row& second, const std::vector<int>& valid, const Row& idx) {
  const double cosines[] = {std::cos(first[4]), std::cos(second[4])},
               sines[] = {std::sin(first[4]), std::sin(second[4])};
  const PairOfBoxes pair =
      detops_harness::diff_iou_rotated_sort_vertices::VerticesOf(first.data(), second.data(), cosines, sines);
  std::vector<Vertex> vertices;
  for (const int slot : valid) {
    // Which crossings are valid is the caller's decision; corners must be where it says.
    EXPECT_TRUE(slot >= 8 || pair.valid[slot]) << slot;
    vertices.push_back({slot, pair.x[slot], pair.y[slot]});
  }
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE}) ExpectOrder(type, vertices, idx);
}

class SortVerticesByHand : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, SortVerticesByHand, testing::ValuesIn(kTypes), TypeName);

// ---- fact 45 ----

TEST(SortVerticesFacts, Fact45) {
  constexpr double kEighth = 0.7853981633974483;
  ExpectOfBoxes({0, 0, 2, 2, 0}, {1, 1, 2, 2, 0}, {0, 6, 9, 22}, {0, 9, 6, 22, 0, 8, 8, 8, 8});
  ExpectOfBoxes({0, 0, 2, 2, 0}, {0, 0, 2, 2, 0}, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 0, 8, 8, 8, 8});
  ExpectOfBoxes({0, 0, 4, 4, 0}, {0, 0, 2, 2, 0}, {4, 5, 6, 7}, {4, 5, 6, 7, 4, 8, 8, 8, 8});
  ExpectOfBoxes({0, 0, 2, 2, 0}, {5, 5, 2, 2, 0}, {}, {8, 8, 8, 8, 8, 8, 8, 8, 8});
  ExpectOfBoxes({0, 0, 2, 2, 0}, {0, 0, 2, 2, kEighth}, {8, 11, 12, 13, 17, 18, 22, 23},
                {23, 11, 8, 12, 13, 17, 18, 22, 23});
  // A corner of both boxes: slot 6 repeats slot 2. The original's search fails there and writes slot 0, which is not
  // valid: area 56 instead of 48 (section 8, item 12).
  ExpectOfBoxes({4, 5, 8, 10, 0}, {3, 4, 6, 8, 0}, {2, 4, 5, 6, 7}, {4, 5, 2, 7, 4, 8, 8, 8, 8});
}

// ---- order ----

// The +x axis comes first, -x in the middle, and -0.0 is 0.
TEST_P(SortVerticesByHand, AxesFirst) {
  ExpectOrder(GetParam(), {{0, 0, -1}, {1, -1, 0}, {2, 0, 1}, {3, 1, 0}}, {3, 2, 1, 0, 3, 8, 8, 8, 8});
  ExpectOrder(GetParam(), {{0, 0, -1}, {1, -1, -0.0}, {2, 0, 1}, {3, 1, -0.0}}, {3, 2, 1, 0, 3, 8, 8, 8, 8});
  ExpectOrder(GetParam(), {{4, 1, -1}, {5, 1, 1}, {6, -1, 1}, {7, -1, -1}}, {5, 6, 7, 4, 5, 8, 8, 8, 8});
}

// A y of exactly 0 compares false with everything in the original.
TEST_P(SortVerticesByHand, VerticesOnTheXAxis) {
  ExpectOrder(GetParam(), {{1, -2, 0}, {9, 0, 1}, {12, 2, 0}, {20, 0, -1}}, {12, 9, 1, 20, 12, 8, 8, 8, 8});
}

TEST_P(SortVerticesByHand, EqualAnglesInOrderOfSlots) {
  ExpectOrder(GetParam(), {{2, 2, 2}, {5, 1, 1}, {7, -1, 0}, {8, 0, -2}, {9, 0, -1}}, {2, 5, 7, 8, 9, 2, 10, 10, 10});
}

// A vertex in the middle has the angle 0.
TEST_P(SortVerticesByHand, TheOriginHasAngleZero) {
  ExpectOrder(GetParam(), {{0, 1, 0.5}, {1, 0, 0}, {2, 1, 0}, {3, 1, -1}}, {1, 2, 0, 3, 1, 8, 8, 8, 8});
}

// Neighbours in the type by their last bit: the exact angles differ, those of the original by less than its 1e-8.
TEST_P(SortVerticesByHand, AnglesThatHardlyDiffer) {
  const double x = GetParam() == MLUOP_DTYPE_DOUBLE ? 0x3p40 : 3;  // doubles around 3 are closer than 1e-8
  const double more = NextAwayFromZero(GetParam(), x);
  ExpectOrder(GetParam(), {{0, x, more}, {1, x, x}, {2, more, x}, {3, -1, -1}}, {2, 1, 0, 3, 2, 8, 8, 8, 8});
}

// Slopes of 1 / (1 + 2^-52) and 1 - 2^-53, and numbers whose products leave the range of double.
TEST(SortVerticesDouble, ExactAngles) {
  constexpr double kLarge = 0x1p40;
  ExpectOrder(MLUOP_DTYPE_DOUBLE,
              {{0, kLarge, kLarge * (1 - 0x1p-53)}, {1, kLarge * (1 + 0x1p-52), kLarge}, {2, -1, 1}, {3, -1, -1}},
              {1, 0, 2, 3, 1, 8, 8, 8, 8});
  ExpectOrder(MLUOP_DTYPE_DOUBLE, {{0, 3e300, 2e300}, {1, 3e-200, 1e-200}, {2, -1e300, 1e150}, {3, -1, -1e-300}},
              {1, 0, 2, 3, 1, 8, 8, 8, 8});
}

TEST_P(SortVerticesByHand, InfiniteVerticesHaveAngles) {
  ExpectOrder(GetParam(), {{0, 1, -kInf}, {1, kInf, kInf}, {2, -kInf, 5}, {3, kInf, 1}, {4, 1, 0.5}},
              {3, 4, 1, 2, 0, 3, 8, 8, 8});
}

// ---- what is left out ----

// Closer than 1e-8 in both coordinates; also across the +x axis, where the two are first and last.
TEST(SortVerticesDistinct, CloserThan1e8) {
  const double near = 0.9e-8, far = 1.1e-8;
  ExpectOrder(MLUOP_DTYPE_DOUBLE, {{0, 1, 1}, {1, 1 + near, 1 + near}, {2, -1, 1}, {3, 0, -1}},
              {0, 2, 3, 0, 8, 8, 8, 8, 8});
  ExpectOrder(MLUOP_DTYPE_DOUBLE, {{0, 1, 1}, {1, 1 + near, 1 + far}, {2, -1, 1}, {3, 0, -1}},
              {0, 1, 2, 3, 0, 8, 8, 8, 8});
  ExpectOrder(MLUOP_DTYPE_DOUBLE, {{0, 1, -near / 2}, {1, 1, near / 4}, {2, -1, 1}, {3, -1, -1}},
              {1, 2, 3, 1, 8, 8, 8, 8, 8});
}

TEST_P(SortVerticesByHand, FewerThanThree) {
  ExpectOrder(GetParam(), {}, {8, 8, 8, 8, 8, 8, 8, 8, 8});
  ExpectOrder(GetParam(), {{8, 1, 1}, {9, 2, 1}}, {10, 10, 10, 10, 10, 10, 10, 10, 10});
  // Three that are one: it, and it again.
  ExpectOrder(GetParam(), {{8, 1, 1}, {9, 1, 1}, {11, 1, 1}}, {8, 8, 10, 10, 10, 10, 10, 10, 10});
}

// All crossings are valid: the pad is 0.
TEST_P(SortVerticesByHand, NoFreeSlot) {
  std::vector<Vertex> all;
  for (int slot = 8; slot < 24; ++slot)
    all.push_back({slot, slot % 4 < 2 ? 1.0 : -1.0, slot % 4 % 3 == 0 ? 1.0 : -1.0});
  // Slots 8 to 11 are (1, 1), (1, -1), (-1, -1), (-1, 1), and the others repeat them.
  ExpectOrder(GetParam(), all, {8, 11, 10, 9, 8, 0, 0, 0, 0});
}

// Two equal boxes that are turned by a little: 16 valid vertices, of which 8 are distinct. The original writes past the
// nine slots, into the next pair (section 8, item 12).
TEST_P(SortVerticesByHand, SixteenValidVertices) {
  const double x[] = {2, 1, -1, -2, -2, -1, 1, 2}, y[] = {1, 2, 2, 1, -1, -2, -2, -1};
  std::vector<Vertex> twice;
  for (int slot = 0; slot < 16; ++slot) twice.push_back({slot, x[slot % 8], y[slot % 8]});
  ExpectOrder(GetParam(), twice, {0, 1, 2, 3, 4, 5, 6, 7, 0});
}

// With value checks off, 24 distinct vertices are cut to eight: nothing is written past the nine slots.
TEST(SortVerticesUnchecked, MoreThanEight) {
  std::vector<Vertex> many;
  for (int slot = 0; slot < 24; ++slot) {
    many.push_back({slot, std::cos(0.1 + 0.2 * slot), std::sin(0.1 + 0.2 * slot)});
  }
  Call call = CallWith(MLUOP_DTYPE_FLOAT, many);
  call.value_checks = false;
  detops_harness::PlacedCall placed(call);
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    CarryOut(placed, handle);
    EXPECT_EQ(placed.call()["idx"].Values(), (Row{0, 1, 2, 3, 4, 5, 6, 7, 0}));
  });
}

}  // namespace
}  // namespace detops_test
