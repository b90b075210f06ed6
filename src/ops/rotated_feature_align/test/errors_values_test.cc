// What is wrong with the data and not with their description. Boxes that are not numbers: refused with their position,
// and harmless when the caller has switched the checks off. Outputs that overlap: refused always.
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ops/rotated_feature_align/test/bad_call.h"
#include "support/runner.h"

namespace detops_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class RotatedFeatureAlignBadValues : public RotatedFeatureAlignRefusals {};
INSTANTIATE_TEST_SUITE_P(Directions, RotatedFeatureAlignBadValues, testing::ValuesIn(kDirections), DirectionName);

// ---- values ----

struct BadNumber {
  double value;
  const char* text;
};
constexpr BadNumber kBadNumbers[] = {{kNan, "nan"}, {kInfinity, "inf"}, {-kInfinity, "-inf"}};

struct Pixel {
  int64_t n, y, x;
};

// w, h and angle too with points = 1, where nothing reads them.
TEST_P(RotatedFeatureAlignBadValues, EveryColumn) {
  for (const mluOpDataType_t type : kTypes) {
    SCOPED_TRACE(ElementName(type));
    for (const int points : {1, 5}) {
      for (const Pixel& pixel : {Pixel{0, 0, 0}, Pixel{0, 2, 1}, Pixel{1, 1, 2}, Pixel{1, 2, 3}}) {
        for (int64_t column = 0; column < 5; ++column) {
          for (const BadNumber& bad : kBadNumbers) {
            const std::string position = std::to_string(pixel.n) + ", " + std::to_string(pixel.y) + ", " +
                                         std::to_string(pixel.x) + ", " + std::to_string(column);
            ExpectBadParam(
                "bboxes[" + position + "] is " + bad.text + ", expected a finite number.",
                [&](BadCall& call) {
                  call.points = points;
                  const int64_t flat = ((pixel.n * 3 + pixel.y) * 4 + pixel.x) * 5 + column;
                  call.problem.boxes.Set(flat, bad.value);
                },
                type);
          }
        }
      }
    }
  }
}

// A signalling NaN and the smallest and largest payloads are NaN too; the largest finite number is not.
TEST_P(RotatedFeatureAlignBadValues, BitPatternsAtTheEdge) {
  struct Row {
    mluOpDataType_t type;
    uint64_t smallest_nan, largest_nan, largest_finite;
  };
  const Row rows[] = {{MLUOP_DTYPE_HALF, 0x7c01, 0x7fff, 0x7bff},
                      {MLUOP_DTYPE_BFLOAT16, 0x7f81, 0x7fff, 0x7f7f},
                      {MLUOP_DTYPE_FLOAT, 0x7f800001, 0x7fffffff, 0x7f7fffff},
                      {MLUOP_DTYPE_DOUBLE, 0x7ff0000000000001, 0x7fffffffffffffff, 0x7fefffffffffffff}};
  for (const Row& row : rows) {
    SCOPED_TRACE(ElementName(row.type));
    const auto put = [&](uint64_t bits) {
      return [&row, bits](BadCall& call) {
        const size_t size = ElementSize(row.type);
        std::memcpy(static_cast<char*>(call.problem.boxes.data()) + 62 * size, &bits, size);  // little-endian
      };
    };
    ExpectBadParam("bboxes[1, 0, 0, 2] is nan, expected a finite number.", put(row.smallest_nan), row.type);
    ExpectBadParam("bboxes[1, 0, 0, 2] is nan, expected a finite number.", put(row.largest_nan), row.type);
    ExpectAccepted("the largest finite number", put(row.largest_finite), row.type);
  }
}

TEST_P(RotatedFeatureAlignBadValues, FirstOfManyIsReported) {
  ExpectBadParam("bboxes[0, 1, 0, 3] is inf, expected a finite number.", [](BadCall& call) {
    call.problem.boxes.Set(119, kNan);
    call.problem.boxes.Set(24, kNan);
    call.problem.boxes.Set(23, kInfinity);
  });
}

// Large enough to be searched in pieces: the piece that ends first must not win.
TEST_P(RotatedFeatureAlignBadValues, FirstOfManyIsReportedByAnyThread) {
  Problem problem(MLUOP_DTYPE_FLOAT, {2, 200, 400, 1}, 1, 1);
  problem.boxes.Fill(1);
  for (const int64_t flat : {int64_t{799999}, int64_t{500003}, int64_t{390004}}) problem.boxes.Set(flat, kNan);
  Tensor target = problem.NewTarget();
  for (const int threads : {1, 2, 3, 7}) {
    for (const detopsRunner_t runner : {static_cast<detopsRunner_t>(nullptr), &RunBackwards}) {
      handle_.SetThreads(threads);
      handle_.SetRunner(runner, nullptr);
      EXPECT_EQ(problem.Run(handle_, GetParam(), target), MLUOP_STATUS_BAD_PARAM);
      // 390004 = (195 * 400 + 0) * 5 + 4
      EXPECT_EQ(handle_.LastError(), InWordsOf(GetParam(), "bboxes[0, 195, 0, 4] is nan, expected a finite number."));
      EXPECT_TRUE(target.CanaryIntact());
    }
  }
}

// The search runs on the caller's threads too; when these fail before anything was written, nothing is.
TEST_P(RotatedFeatureAlignBadValues, RunnerFailsDuringTheSearch) {
  Tensor& target = good_.target_tensor;
  handle_.SetRunner(&RunNothing, nullptr);
  EXPECT_EQ(good_.Run(handle_), MLUOP_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(handle_.LastError(), InWordsOf(GetParam(), "the parallel runner failed while bboxes was checked."));
  EXPECT_TRUE(target.CanaryIntact());
  handle_.SetRunner(nullptr, nullptr);
  ExpectGoodCall();
}

// What the result is then stands nowhere, but between guard pages every address outside the tensors would be noticed.
// The map is large enough for several threads.
TEST_P(RotatedFeatureAlignBadValues, HarmlessWithValueChecksOff) {
  for (const mluOpDataType_t type : kTypes) {
    SCOPED_TRACE(ElementName(type));
    for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
      for (const int points : {1, 5}) {
        for (const double scale : {0.5, static_cast<double>(std::numeric_limits<float>::max())}) {
          Problem problem(type, {1, 30, 20, 3}, static_cast<float>(scale), points, placement);
          FillBoxes(problem, BoxKind::kHuge, 1);
          for (int64_t i = 0; i < problem.boxes.elements(); i += 3) {
            problem.boxes.Set(i, kBadNumbers[static_cast<size_t>(i) % std::size(kBadNumbers)].value);
          }
          for (int64_t i = 0; i < 5; ++i) problem.boxes.Set(i, kNan);
          Tensor target = problem.NewTarget();
          ForEachConfiguration(ProfileFor(type), [&](Handle& handle) {
            handle.SetValueChecks(false);
            EXPECT_EQ(problem.Run(handle, GetParam(), target), MLUOP_STATUS_SUCCESS);
            EXPECT_STREQ(handle.LastError(), "");
            EXPECT_TRUE(target.SurroundingsIntact());
            EXPECT_TRUE(problem.source.SurroundingsIntact());
            EXPECT_TRUE(problem.boxes.SurroundingsIntact());
          });
        }
      }
    }
  }
}

// Refused again as soon as they are on.
TEST_P(RotatedFeatureAlignBadValues, ChecksCanBeSwitchedOnAgain) {
  BadCall call(GetParam());
  call.problem.boxes.Set(0, kNan);
  call.value_checks = false;
  EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_SUCCESS);
  call.value_checks = true;
  call.target_tensor.FillCanary();
  EXPECT_EQ(call.Run(handle_), MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(call.target_tensor.CanaryIntact());
}

// ---- overlap ----

TEST_P(RotatedFeatureAlignBadValues, Overlap) {
  const int64_t target_bytes = good_.target_tensor.elements() * 4;
  struct Other {
    const char* name;
    TensorArgument BadCall::* tensor;
  };
  for (const Other& which : {Other{"$S", &BadCall::source}, Other{"bboxes", &BadCall::boxes}}) {
    const int64_t other_bytes = (which.tensor == &BadCall::boxes ? 120 : 144) * 4;
    struct Place {
      const char* name;
      int64_t offset;  // of the target from the start of the other tensor, in bytes
      bool apart = false;
    };
    for (const Place& place : {Place{"same address", 0}, Place{"inside", 4}, Place{"last byte", other_bytes - 1},
                               Place{"first byte", 1 - target_bytes}, Place{"right behind", other_bytes, true},
                               Place{"right before", -target_bytes, true}}) {
      SCOPED_TRACE(place.name);
      // Room for the target on both sides of the other tensor.
      Tensor arena(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {3 * 144});
      auto* other = static_cast<unsigned char*>(arena.data()) + 144 * 4;
      std::memset(other, 0, static_cast<size_t>(other_bytes));
      const std::vector<double> before = arena.Values();
      for (const bool value_checks : {true, false}) {
        const Spoil spoil = [&](BadCall& call) {
          call.value_checks = value_checks;
          (call.*which.tensor).data = other;
          call.target.data = other + place.offset;
        };
        if (place.apart) {
          ExpectAccepted("adjacent buffers", spoil);
          EXPECT_TRUE(std::all_of(other, other + other_bytes, [](unsigned char byte) { return byte == 0; }));
        } else {
          ExpectBadParam(std::string("$T overlaps ") + which.name + " in memory, expected separate buffers.", spoil);
          const std::vector<double> after = arena.Values();
          EXPECT_EQ(std::memcmp(before.data(), after.data(), before.size() * sizeof(double)), 0);
        }
        EXPECT_TRUE(arena.SurroundingsIntact());
      }
    }
  }
}

TEST_P(RotatedFeatureAlignBadValues, InputsMayShareMemory) {
  ExpectAccepted("bboxes are the features", [](BadCall& call) {
    call.shape.channels = 5;
    call.source.data = call.boxes.data;
  });
}

}  // namespace
}  // namespace detops_test
