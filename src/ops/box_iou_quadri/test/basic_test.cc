// box_iou_quadri on numbers worked out by hand: the reference can share a misreading with the library, these cannot.
#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;

constexpr char kName[] = "detopsBoxIouQuadri";
using Numbers = std::vector<double>;

// One pair in all forms: as a matrix of one, aligned, exchanged, and among others.
void ExpectPair(const Numbers& a, const Numbers& b, double iou, double iof) {
  for (const auto& [mode, value] : {std::pair{0, iou}, {1, iof}}) {
    for (const char* aligned : {"0", "1"}) {
      Call call =
          CallOf(kName, "first=1,second=1,mode=" + std::to_string(mode) + ",aligned=" + aligned, MLUOP_DTYPE_DOUBLE);
      Assign(call, "quads1", a);
      Assign(call, "quads2", b);
      const double expected = value;
      ExpectAgreementEverywhere(
          call, {}, [&](const Call& done) { EXPECT_NEAR(done["ious"].Get(0), expected, 1e-15) << "mode " << mode; });
    }
  }
}

TEST(BoxIouQuadri, Facts) {
  const Numbers slanted = {0, 0, 4, 0, 6, 2, 2, 2}, band = {0, 0, 4, 0, 4, 2, 0, 2};
  // Area 8 both, shared 6: a test for corners that is right for rectangles only finds all of it.
  ExpectPair(slanted, band, 3.0 / 5, 3.0 / 4);
  ExpectPair({0, 0, 3, -1, 8, 0, 3, 1}, {2, -2, 4, -2, 4, 2, 2, 2}, 13.0 / 47, 52.0 / 15 / 8);
  const Numbers diamond = {2, 0, 4, 2, 2, 4, 0, 2}, square = {0, 0, 4, 0, 4, 4, 0, 4};
  ExpectPair(diamond, {3, 0, 5, 2, 3, 4, 1, 2}, 9.0 / 23, 9.0 / 16);
  ExpectPair(diamond, {1, 1, 3, 1, 3, 3, 1, 3}, 1.0 / 2, 1.0 / 2);
  ExpectPair(square, {0, 0, 4, 0, 3, 2, 1, 2}, 3.0 / 8, 3.0 / 8);
  ExpectPair({0, 0, 4, 0, 1, 1, 0, 4}, {0, 0, 2, 0, 2, 2, 0, 2}, 1.0 / 2, 2.0 / 3);  // the first is not convex
}

TEST(BoxIouQuadri, TouchingIsNotOverlapping) {
  const Numbers square = {0, 0, 2, 0, 2, 2, 0, 2};
  ExpectPair(square, {2, 0, 4, 0, 4, 2, 2, 2}, 0, 0);  // a side
  ExpectPair(square, {2, 2, 4, 2, 4, 4, 2, 4}, 0, 0);  // a corner
  ExpectPair(square, {2, 1, 3, 0, 4, 1, 3, 2}, 0, 0);  // a corner on a side
  ExpectPair(square, {1, 3, 3, 1, 4, 2, 2, 4}, 0, 0);  // a side through a corner
  ExpectPair(square, {5, 5, 6, 5, 6, 6, 5, 6}, 0, 0);
}

TEST(BoxIouQuadri, WithoutArea) {
  const Numbers square = {0, 0, 2, 0, 2, 2, 0, 2};
  for (const Numbers& flat :
       {Numbers{1, 1, 1, 1, 1, 1, 1, 1}, Numbers{0, 0, 1, 1, 2, 2, 0.5, 0.5}, Numbers{0, 0, 2, 2, 2, 0, 0, 2}}) {
    ExpectPair(flat, flat, 0, 0);
    ExpectPair(flat, square, 0, 0);
    ExpectPair(square, flat, 0, 0);
  }
}

// Every value of a matrix has the bits that its pair alone has, with the two exchanged, and from any other corner on in
// either direction. 1 for a quadrilateral with itself.
TEST(BoxIouQuadri, TheSameBitsInEveryForm) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const mluOpDataType_t type : kTypes) {
    for (const char* kind : {"turned", "star", "crossed", "grid", "degenerate", "far"}) {
      Call call = CallOf(kName, std::string("first=40,second=70,quads=") + kind, type);
      detops_harness::PlacedCall matrix(call);
      CarryOut(matrix, handle);
      Call exchanged = CallOf(kName, "first=70,second=40", type);
      detops_harness::Random random(5);
      const auto copy = [&](const char* from, const char* to, int64_t rows) {
        for (int64_t row = 0; row < rows; ++row) {
          const int64_t start = random.Below(4), step = random.Below(2) == 0 ? 1 : 3;
          for (int64_t i = 0; i < 8; ++i) {
            exchanged[to].Set(row * 8 + i, call[from].Get(row * 8 + (start + i / 2 * step) % 4 * 2 + i % 2));
          }
        }
      };
      copy("quads2", "quads1", 70);
      copy("quads1", "quads2", 40);
      detops_harness::PlacedCall other(exchanged);
      CarryOut(other, handle);
      for (int64_t i = 0; i < 40; ++i) {
        for (int64_t j = 0; j < 70; ++j) {
          const double value = matrix.call()["ious"].Get(i * 70 + j);
          ASSERT_EQ(value, other.call()["ious"].Get(j * 40 + i)) << kind << " " << i << " " << j;
          ASSERT_GE(value, 0);
          ASSERT_LE(value, 1);
        }
      }
      Call self = CallOf(kName, "first=40,aligned=1", type);
      for (int64_t i = 0; i < 320; ++i) {
        self["quads1"].Set(i, call["quads1"].Get(i));
        self["quads2"].Set(i, call["quads1"].Get(i));
      }
      detops_harness::PlacedCall alone(self);
      CarryOut(alone, handle);
      for (int64_t i = 0; i < 40; ++i) {
        const double value = alone.call()["ious"].Get(i);
        ASSERT_TRUE(value == 1 || (value == 0 && std::string(kind) != "turned" && std::string(kind) != "star"))
            << kind << " " << i << " " << value;
      }
    }
  }
}

// Doubles whose squares leave the range of double, alone and among others.
TEST(BoxIouQuadri, HugeAndTinyNumbers) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  Call call = CallOf(kName, "first=20,second=20,quads=star", MLUOP_DTYPE_DOUBLE);
  detops_harness::PlacedCall plain(call);
  CarryOut(plain, handle);
  for (const int exponent : {-1000, -500, 500, 1000}) {
    const auto scaled_in = [](const Call& from, const char* tensor, int by) {
      Call scaled = from;
      for (int64_t i = 0; i < 160; ++i) scaled[tensor].Set(i, std::scalbn(scaled[tensor].Get(i), by));
      return scaled;
    };
    detops_harness::PlacedCall both(scaled_in(scaled_in(call, "quads1", exponent), "quads2", exponent));
    CarryOut(both, handle);
    ASSERT_TRUE(both.Outputs() == plain.Outputs()) << exponent;
    detops_harness::PlacedCall one(scaled_in(call, "quads1", exponent));
    CarryOut(one, handle);
    for (int64_t i = 0; i < 400; ++i) ASSERT_LT(one.call()["ious"].Get(i), 1e-100) << exponent;
  }
}

// The bars of the operators on boxes: 2^-23 in float, 1e-14 in double.
TEST(BoxIouQuadri, Accuracy) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const auto& [type, bar] : {std::pair{MLUOP_DTYPE_FLOAT, 0x1p-23}, {MLUOP_DTYPE_DOUBLE, 1e-14}}) {
    for (const char* kind : {"turned", "star", "grid", "far"}) {
      detops_harness::PlacedCall placed(CallOf(kName, std::string("first=150,second=150,quads=") + kind, type, 3));
      CarryOut(placed, handle);
      const std::vector<double> expected = placed.call().function->Reference(placed.call()).tensors.at("ious");
      int64_t some = 0;
      for (size_t i = 0; i < expected.size(); ++i) {
        const double value = placed.call()["ious"].Get(static_cast<int64_t>(i));
        ASSERT_NEAR(value, expected[i], bar) << kind << " " << i;
        if (expected[i] >= 1e-9 && expected[i] <= 1e-3) {
          ASSERT_NEAR(value, expected[i], 1e-5 * expected[i]) << kind << " " << i;
        }
        some += value > 0;
      }
      EXPECT_GT(some, 100) << kind;
    }
  }
}

}  // namespace
}  // namespace detops_test
