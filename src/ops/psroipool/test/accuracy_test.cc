// psroipool against the double-precision reference: forward and backward, 4 types, on every target with 1, 2, 3 and 7
// threads. Not the full product of all parameters: each test varies one of document shapes, channels, map sizes and
// rois, and takes turns through the kinds of rois meanwhile.
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>

#include "ops/psroipool/test/problem.h"

namespace detops_test {
namespace {

// ---- section 3.6 of the design document; the second shape there says 198 channels, but 3 x 3 x 21 are 189 ----

struct DocumentCase {
  const char* name;
  Shape shape;
  double spatial_scale;
};
constexpr DocumentCase kDocumentCases[] = {{"case1", {1, 14, 14, 320, 7, 7, 8}, 1},
                                           {"case2", {2, 14, 14, 493, 3, 3, 21}, 0.0625}};

void PrintTo(const DocumentCase& test, std::ostream* stream) { *stream << test.name; }

// "case1_float"
std::string DocumentCaseName(const testing::TestParamInfo<std::tuple<DocumentCase, mluOpDataType_t>>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + ElementName(std::get<1>(info.param));
}

class PsRoiPoolDocument : public testing::TestWithParam<std::tuple<DocumentCase, mluOpDataType_t>> {};

INSTANTIATE_TEST_SUITE_P(Shapes, PsRoiPoolDocument,
                         testing::Combine(testing::ValuesIn(kDocumentCases), testing::ValuesIn(kTypes)),
                         DocumentCaseName);

TEST_P(PsRoiPoolDocument, AgreesWithReference) {
  const auto& [test, type] = GetParam();
  Problem problem(kContract, type, test.shape, test.spatial_scale);
  FillRois(problem, RoiKind::kInside, 7);
  ExpectAgreementBothWays(problem);
}

// ---- one parameter at a time ----

class PsRoiPoolAccuracy : public testing::TestWithParam<mluOpDataType_t> {};

INSTANTIATE_TEST_SUITE_P(Types, PsRoiPoolAccuracy, testing::ValuesIn(kTypes), TypeName);

// Around the lane counts of all targets and types: as the channels of the output, and as those of the map, where a
// bin's channels lie P * P apart.
TEST_P(PsRoiPoolAccuracy, Channels) {
  uint64_t seed = 0;
  for (const int64_t output_dim : {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65}) {
    for (const int64_t pooled : {1, 2, 3}) {
      Problem problem(kContract, GetParam(), {2, 7, 9, 11, pooled, pooled, output_dim}, 0.25);
      ++seed;
      FillRois(problem, seed % 2 == 0 ? RoiKind::kInside : RoiKind::kOverBorder, seed);
      ExpectAgreementBothWays(problem);
    }
  }
}

// More bins than pixels, one bin, and numbers that divide nothing.
TEST_P(PsRoiPoolAccuracy, Bins) {
  uint64_t seed = 100;
  for (const int64_t pooled : {1, 2, 4, 5, 6, 7, 8, 9, 14, 17}) {
    Problem problem(kContract, GetParam(), {2, 9, 8, 13, pooled, pooled, 3}, 0.5);
    FillMixedRois(problem, ++seed);
    ExpectAgreementBothWays(problem);
  }
}

// Lines, single pixels, odd and even sizes: where the far border is also the near one, and where there are fewer pixels
// than threads.
TEST_P(PsRoiPoolAccuracy, MapSizes) {
  const struct {
    int64_t height, width;
  } sizes[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 9}, {9, 1}, {3, 5}, {5, 3}, {1, 130}, {130, 1}, {13, 17}, {16, 32}};
  uint64_t seed = 200;
  for (const auto& size : sizes) {
    for (const int64_t batch : {1, 3}) {
      Problem problem(kContract, GetParam(), {batch, size.height, size.width, 9, 3, 3, 5}, 0.5);
      FillMixedRois(problem, ++seed);
      ExpectAgreementBothWays(problem);
    }
  }
}

// 0.3 and 1/7 make the products inexact, so that bins end beside a pixel's border by the last bit.
TEST_P(PsRoiPoolAccuracy, RoisAndScales) {
  uint64_t seed = 300;
  for (const RoiKind kind : kRoiKinds) {
    for (const double scale : {0.0625, 1.0 / 7, 0.3, 1.0, 3.0}) {
      Problem problem(kContract, GetParam(), {2, 12, 10, 16, 3, 3, 6}, scale);
      FillRois(problem, kind, ++seed);
      ExpectAgreementBothWays(problem);
    }
  }
}

// One roi, and more rois than anything else is.
TEST_P(PsRoiPoolAccuracy, NumbersOfRois) {
  uint64_t seed = 400;
  for (const int64_t rois : {1, 2, 3, 5, 1000}) {
    Problem problem(kContract, GetParam(), {3, 11, 13, rois, 2, 2, 5}, 0.5);
    FillMixedRois(problem, ++seed);
    ExpectAgreementBothWays(problem);
  }
}

// More images than a byte counts, every second without a roi: bfloat16 has no odd numbers above 256.
TEST_P(PsRoiPoolAccuracy, ManyImages) {
  Problem problem(kContract, GetParam(), {300, 3, 4, 500, 2, 2, 3}, 0.5);
  FillMixedRois(problem, 500);
  for (int64_t r = 0; r < 500; ++r) problem.rois.Set(r * 5, static_cast<double>(r * 37 % 150 * 2));
  ExpectAgreementBothWays(problem);
}

// Starts and ends on whole pixels after scaling, where the last bit decides between two pixels.
TEST_P(PsRoiPoolAccuracy, WholePixels) {
  for (const double scale : {0.1, 0.2, 1.0 / 3, 0.7}) {
    Problem problem(kContract, GetParam(), {1, 20, 20, 100, 3, 3, 2}, scale);
    for (int64_t r = 0; r < 100; ++r) {
      const auto x = static_cast<double>(r % 10), y = static_cast<double>(r / 10);
      problem.SetRoi(r, {0, x / scale, y / scale, (x + y + 1) / scale - 1, (y + 7) / scale - 1});
    }
    ExpectAgreementBothWays(problem);
  }
}

}  // namespace
}  // namespace detops_test
