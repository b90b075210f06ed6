// poly_nms on numbers worked out by hand: the reference can share a misreading with the library, these cannot.
#include "properties/by_hand.h"
#include "support/tensor.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::NumberIn;
using Row = std::vector<double>;

constexpr char kName[] = "mluOpPolyNms";

Row Square(double x, double y, double side, double score) {
  return {x, y, x + side, y, x + side, y + side, x, y + side, score};
}

void ExpectKept(const std::vector<Row>& rows, const std::string& threshold, const Row& kept) {
  Call call = CallOf(kName, "count=" + std::to_string(rows.size()) + ",threshold=" + threshold);
  for (size_t i = 0; i < rows.size(); ++i) SetRow(call, "boxes", static_cast<int64_t>(i), rows[i]);
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
    ASSERT_EQ(NumberIn(done["output_size"]), static_cast<int64_t>(kept.size())) << threshold;
    for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(done["output"].Get(static_cast<int64_t>(i)), kept[i]);
  });
}

TEST(PolyNms, Facts) {
  // IoU of the first two: 9 / 23 = 0.391.
  std::vector<Row> rows = {Square(0, 0, 4, 0.9), Square(1, 1, 4, 0.8), Square(10, 10, 2, 0.7), Square(0, 0, 4, 0.9)};
  ExpectKept(rows, "0.3", {0, 2});
  ExpectKept(rows, "0.4", {0, 1, 2});
  // The scores the other way round: indices ascend all the same, and of the equal ones the lower index stays.
  for (size_t i = 0; i < rows.size(); ++i) rows[i][8] = 1 - rows[i][8];
  ExpectKept(rows, "0.3", {1, 2});
  ExpectKept(rows, "0.4", {0, 1, 2});
}

TEST(PolyNms, EqualScoresSuppress) {
  const std::vector<Row> rows = {Square(0, 0, 4, 0.5), Square(0, 0, 4, 0.5), Square(0, 0, 4, 0.5)};
  ExpectKept(rows, "0.5", {0});
  ExpectKept(rows, "1", {0, 1, 2});
}

// What makes triangles from the origin lose all digits: 4-pixel squares, IoU 9 / 23 and 1, far away.
TEST(PolyNms, FarFromTheOrigin) {
  for (const double shift : {0.0, 20000.0, 100000.0, 1e6}) {
    const std::vector<Row> rows = {Square(shift, shift, 4, 0.9), Square(shift + 1, shift + 1, 4, 0.8),
                                   Square(shift, shift, 4, 0.7)};
    ExpectKept(rows, "0.39", {0});
    ExpectKept(rows, "0.392", {0, 1});
  }
}

TEST(PolyNms, Thresholds) {
  const std::vector<Row> rows = {Square(0, 0, 4, 0.9), Square(4, 0, 4, 0.8), Square(50, 0, 4, 0.7),
                                 Square(9, 9, 0, 0.6), Square(3, 3, 4, 0.5)};
  ExpectKept(rows, "-1", {0, 3});       // all IoU are above it; what has no area stays
  ExpectKept(rows, "0", {0, 1, 2, 3});  // what only touches has IoU 0
  // 1/7 is not a float; the IoU of (0,0) and (2,2) by 4 is 4/28: strict, and compared in double.
  const std::vector<Row> pair = {Square(0, 0, 4, 0.9), Square(2, 2, 4, 0.8)};
  const float above = 1.0f / 7.0f;  // 0.14285715, above 1/7
  ASSERT_GT(static_cast<double>(above), 1.0 / 7);
  ExpectKept(pair, "0.14285715", {0, 1});
  ExpectKept(pair, "0.14285713", {0});
  const std::vector<Row> half = {Square(0, 0, 4, 0.9), {0, 0, 4, 0, 4, 2, 0, 2, 0.8}};
  ExpectKept(half, "0.5", {0, 1});  // 8 / 16: not above 0.5
}

TEST(PolyNms, NanThresholdKeepsAll) {
  Call call = CallOf(kName, "count=3");
  for (int64_t i = 0; i < 3; ++i) SetRow(call, "boxes", i, Square(0, 0, 4, 0.5));
  call.numbers.at("iou_threshold") = kNan;
  detops_harness::PlacedCall placed(call);
  ForEachConfiguration(DETOPS_PROFILE_CONTRACT, [&](const Handle& handle) {
    CarryOut(placed, handle);
    EXPECT_EQ(NumberIn(placed.call()["output_size"]), 3);
  });
}

// A quadrilateral and one whose sides cross: signed areas, 4 - 1 for the second.
TEST(PolyNms, SidesThatCross) {
  // Triangles (0,0), (4,0), (2,2) of area 4 and (2,2), (1,3), (3,3) of area 1 that goes round the other way: 3
  // together.
  const Row tie = {0, 0, 4, 0, 1, 3, 3, 3, 0.9};
  // Shared with the lower triangle: 4, cut to 3; IoU 3 / (3 + 4 - 3) = 3 / 4.
  const Row lower = {0, 0, 4, 0, 3, 1, 2, 2, 0.8};
  ExpectKept({tie, lower}, "0.74", {0});
  ExpectKept({tie, lower}, "0.76", {0, 1});
}

// With value checks off: numbers that are none make a box without area, and scores that are none come last.
TEST(PolyNms, NumbersThatAreNoneWithoutChecks) {
  Call call = CallOf(kName, "count=4,threshold=0.3");
  const std::vector<Row> rows = {Square(0, 0, 4, kNan), Square(0, 0, kNan, 0.9), Square(0, 0, 4, 0.1),
                                 Square(kInf, 0, 4, 0.8)};
  for (int64_t i = 0; i < 4; ++i) SetRow(call, "boxes", i, rows[static_cast<size_t>(i)]);
  ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "boxes[0, 8] is nan, expected a finite number");
  call.value_checks = false;
  detops_harness::PlacedCall placed(call);
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  CarryOut(placed, handle);
  ASSERT_EQ(NumberIn(placed.call()["output_size"]), 3);
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(placed.call()["output"].Get(i), static_cast<double>(i + 1));
}

// What no descriptor tells of: the place for the count.
TEST(PolyNms, TheCountSharesNoMemory) {
  const Handle handle(DETOPS_PROFILE_CONTRACT, 1);
  const Descriptor boxes_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {1, 9});
  const Descriptor output_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1});
  float boxes[9] = {0, 0, 1, 0, 1, 1, 0, 1, 0.5f};
  int32_t output[1] = {-7}, count = -7;
  char workspace[12];
  const auto run = [&](void* place) {
    return mluOpPolyNms(handle.get(), boxes_desc.get(), boxes, 0.5f, workspace, sizeof(workspace), output_desc.get(),
                        output, place);
  };
  for (void* place : {static_cast<void*>(boxes + 8), static_cast<void*>(output), static_cast<void*>(workspace + 8)}) {
    EXPECT_EQ(run(place), MLUOP_STATUS_BAD_PARAM);
    EXPECT_NE(std::string(handle.LastError()).find("in memory, expected separate buffers"), std::string::npos);
  }
  EXPECT_EQ(output[0], -7);
  EXPECT_EQ(run(&count), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(output[0], 0);
}

// nms of what was kept keeps it all.
TEST(PolyNms, Idempotent) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const char* kind : {"turned", "star", "grid"}) {
    Call call = CallOf(kName, std::string("count=400,threshold=0.3,quads=") + kind);
    detops_harness::PlacedCall first(call);
    CarryOut(first, handle);
    const int64_t kept = NumberIn(first.call()["output_size"]);
    ASSERT_LT(kept, 400);
    Call again = CallOf(kName, "threshold=0.3,count=" + std::to_string(kept));
    for (int64_t i = 0; i < kept; ++i) {
      const auto row = static_cast<int64_t>(first.call()["output"].Get(i));
      for (int64_t k = 0; k < 9; ++k) again["boxes"].Set(i * 9 + k, call["boxes"].Get(row * 9 + k));
    }
    detops_harness::PlacedCall second(again);
    CarryOut(second, handle);
    EXPECT_EQ(NumberIn(second.call()["output_size"]), kept);
  }
}

}  // namespace
}  // namespace detops_test
