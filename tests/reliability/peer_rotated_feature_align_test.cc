// Bugs of other libraries in bilinear sampling, put to rotated_feature_align.
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "ops/rotated_feature_align/test/bad_call.h"
#include "reliability/peer_case.h"

namespace detops_test {
namespace {

void ExpectBoxRefused(Direction direction, double number, const std::string& text) {
  for (const int64_t element : {int64_t{0}, int64_t{8}, int64_t{119}}) {
    BadCall call(direction);
    call.problem.boxes.Set(element, number);
    ExpectRefusedEverywhere(
        call,
        [](BadCall& c, Handle& handle) {
          const mluOpStatus_t answer = c.Run(handle);
          return std::pair(answer, c.thread_text);
        },
        MLUOP_STATUS_BAD_PARAM, text);
  }
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

TEST(PeerRotatedFeatureAlign, MmcvForwardOneNanBox) { ExpectBoxRefused(Direction::kForward, kNan, "] is nan"); }
TEST(PeerRotatedFeatureAlign, MmcvBackwardOneNanBox) { ExpectBoxRefused(Direction::kBackward, kNan, "] is nan"); }
TEST(PeerRotatedFeatureAlign, MmcvInfiniteBoxes) {
  for (const Direction direction : kDirections) {
    ExpectBoxRefused(direction, kInf, "] is inf");
    ExpectBoxRefused(direction, -kInf, "] is -inf");
  }
}

TEST(PeerRotatedFeatureAlign, MmcvHugeFiniteBoxes) {
  for (const Direction direction : kDirections) {
    Problem problem(MLUOP_DTYPE_FLOAT, {1, 4, 5, 9}, 1.0f, 5);
    FillBoxes(problem, BoxKind::kNearPixel, 3);
    problem.SetBox(0, {1e30, 1e30, 4, 4, 0.5});
    problem.SetBox(7, {2, 2, 1e30, 1e30, 0.5});
    problem.SetBox(19, {-1e30, 2, 1e30, 1, -3});
    ExpectAgreement(direction, problem);
  }
}

// Inf - Inf inside of the kernel: a sample whose place is not a number adds nothing.
TEST(PeerRotatedFeatureAlign, Cve2020Nr15266NanMadeInTheKernel) {
  const double most = static_cast<double>(std::numeric_limits<float>::max());
  for (const Direction direction : kDirections) {
    Problem problem(MLUOP_DTYPE_FLOAT, {1, 3, 3, 6}, 16.0f, 5);
    FillBoxes(problem, BoxKind::kNearPixel, 4);
    problem.SetBox(0, {most, most, most, most, 0.7853981633974483});
    problem.SetBox(4, {-most, most, most, -most, 1});
    problem.SetBox(8, {0, 0, most, most, 0});
    ExpectAgreement(direction, problem);
  }
}

// "isfinite" of the input is not enough.
TEST(PeerRotatedFeatureAlign, TorchvisionPull9629FiniteBoxesOverflowInside) {
  for (const Direction direction : kDirections) {
    for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
      Problem problem(MLUOP_DTYPE_FLOAT, {2, 5, 4, 7}, 1.0f, 5, placement);
      FillBoxes(problem, BoxKind::kHuge, 5);
      ExpectAgreement(direction, problem);
    }
  }
}

// Samples on the last row and column and one step of the type beyond, beside a page that may not be read.
TEST(PeerRotatedFeatureAlign, Cve2021Nr29529RoundingOffByOne) {
  for (const Direction direction : kDirections) {
    for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
      Problem problem(MLUOP_DTYPE_FLOAT, {2, 6, 9, 5}, 1.0f, 5, placement);
      FillBoxes(problem, BoxKind::kOnBorders, 6);
      ExpectAgreement(direction, problem);
    }
  }
}

TEST(PeerRotatedFeatureAlign, Cve2021Nr29571LastDimensionOfBoxes) {
  for (const Direction direction : kDirections) {
    for (const int64_t surplus : {-1, -5, 1}) {
      BadCall call(direction);
      call.boxes.surplus[3] = surplus;
      ExpectRefusedEverywhere(
          call,
          [](BadCall& c, Handle& handle) {
            const mluOpStatus_t answer = c.Run(handle);
            return std::pair(answer, c.thread_text);
          },
          MLUOP_STATUS_BAD_PARAM, "bboxes has ");
    }
  }
}

}  // namespace
}  // namespace detops_test
