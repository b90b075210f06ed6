// rotated_feature_align and memory: no byte outside the tensors is touched, any alignment works, inputs stay as they
// were, failed calls write nothing, and sizes beyond 2^31 elements are judged without data.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "ops/rotated_feature_align/test/problem.h"

namespace detops_test {
namespace {

class RotatedFeatureAlignMemory : public testing::TestWithParam<mluOpDataType_t> {};

INSTANTIATE_TEST_SUITE_P(Types, RotatedFeatureAlignMemory, testing::ValuesIn(kTypes), TypeName);

// The tensors of a problem lie flush against a page that may not be touched, first at their end, then at their front;
// or 1 or 2 bytes beside it, which misaligns them and leaves the distance to be checked byte for byte. Boxes on the
// borders sample the first and the last pixel; channel counts leave every remainder.
TEST_P(RotatedFeatureAlignMemory, StaysInsideAtAnyAlignment) {
  for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
    for (const size_t offset : {0u, 1u, 2u}) {
      for (const int64_t channels : {1, 2, 3, 5, 8, 13, 16, 31, 32, 33}) {
        SCOPED_TRACE(testing::Message() << (placement == Placement::kAgainstEnd ? "end" : "front") << ", offset "
                                        << offset << ", " << channels << " channels");
        Problem problem(GetParam(), {2, 4, 3, channels}, 1.0f, 5, placement, offset);
        FillBoxes(problem, BoxKind::kOnBorders, static_cast<uint64_t>(channels));
        for (const Direction direction : kDirections) ExpectAgreement(direction, problem);
        EXPECT_TRUE(problem.source.SurroundingsIntact());
        EXPECT_TRUE(problem.boxes.SurroundingsIntact());
      }
    }
  }
}

// One tensor aligned, another not: a kernel that peels to align its output must not align its input too.
TEST_P(RotatedFeatureAlignMemory, AlignmentsMayDiffer) {
  const Problem even(GetParam(), {1, 5, 6, 33}, 1.0f, 5);
  Problem odd(GetParam(), {1, 5, 6, 33}, 1.0f, 5, Placement::kAgainstFront, 1);
  FillBoxes(odd, BoxKind::kOverMap, 14);
  for (const Direction direction : kDirections) {
    const std::vector<double> expected = odd.Expected(direction);
    ForEachConfiguration(ProfileFor(GetParam()), [&](const Handle& handle) {
      Tensor target = even.NewTarget();
      ASSERT_EQ(odd.Run(handle, direction, target), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(Disagreement(target.Values(), expected, ToleranceFor(GetParam())), "");
    });
  }
}

TEST_P(RotatedFeatureAlignMemory, InputsStayAsTheyWere) {
  Problem problem(GetParam(), {2, 9, 8, 17}, 0.5f, 5), same(GetParam(), {2, 9, 8, 17}, 0.5f, 5);
  FillBoxes(problem, BoxKind::kNearPixel, 15);
  FillBoxes(same, BoxKind::kNearPixel, 15);
  for (const Direction direction : kDirections) {
    ForEachConfiguration(ProfileFor(GetParam()), [&](const Handle& handle) {
      Tensor target = problem.NewTarget();
      ASSERT_EQ(problem.Run(handle, direction, target), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(problem.source.SameBytes(same.source));
      ASSERT_TRUE(problem.boxes.SameBytes(same.boxes));
    });
  }
}

// A NaN or Inf in the very last box, also where one point does not use it: every other pixel could have been written
// before it is found.
TEST_P(RotatedFeatureAlignMemory, FailedCallsWriteNothing) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const int points : {1, 5}) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity}) {
      for (int64_t number = 0; number < 5; ++number) {
        Problem problem(GetParam(), {2, 17, 16, 9}, 1.0f, points);
        FillBoxes(problem, BoxKind::kNearPixel, 16);
        problem.boxes.Set((problem.pixels() - 1) * 5 + number, bad);
        for (const Direction direction : kDirections) {
          ForEachConfiguration(ProfileFor(GetParam()), [&](const Handle& handle) {
            Tensor target = problem.NewTarget();
            ASSERT_EQ(problem.Run(handle, direction, target), MLUOP_STATUS_BAD_PARAM);
            ASSERT_NE(std::string(handle.LastError()).find("bboxes"), std::string::npos) << handle.LastError();
            ASSERT_TRUE(target.CanaryIntact());
          });
        }
      }
    }
  }
}

// ---- sizes that no test machine holds: descriptors only ----

// Runs without data. In the order of checks the size comes before the data pointers.
struct SizeAnswer {
  mluOpStatus_t status;
  std::string text;
};
SizeAnswer AnswerFor(Direction direction, detopsProfile_t profile, const Shape& shape) {
  const Handle handle(profile, 1);
  const Descriptor features(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT,
                            {shape.batch, shape.height, shape.width, shape.channels});
  const Descriptor boxes(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {shape.batch, shape.height, shape.width, 5});
  const auto align =
      direction == Direction::kForward ? mluOpRotatedFeatureAlignForward : mluOpRotatedFeatureAlignBackward;
  const mluOpStatus_t status =
      align(handle.get(), features.get(), nullptr, boxes.get(), nullptr, 1.0f, 1, features.get(), nullptr);
  return {status, handle.LastError()};
}

constexpr Shape kTooLarge[] = {
    {1, 1, 1, int64_t{1} << 31},  // just too many features in one pixel
    {1, 2, 2, int64_t{1} << 30},  // 2^32
    {4, 1 << 15, 1 << 14, 1},     // 2^31 pixels
    {1, 20000, 21475, 1},         // 4.3e8 pixels, but 5 * 429,500,000 > 2^31 numbers in the boxes
};

TEST(RotatedFeatureAlignSizes, ContractRefusesTwoToThe31) {
  for (const Shape& shape : kTooLarge) {
    for (const Direction direction : kDirections) {
      const SizeAnswer answer = AnswerFor(direction, DETOPS_PROFILE_CONTRACT, shape);
      EXPECT_EQ(answer.status, MLUOP_STATUS_NOT_SUPPORTED) << answer.text;
      EXPECT_NE(answer.text.find("full profile"), std::string::npos) << answer.text;
    }
  }
}

// One element fewer passes, and the answer is about the missing data.
TEST(RotatedFeatureAlignSizes, ContractAcceptsOneLess) {
  for (const Direction direction : kDirections) {
    const SizeAnswer answer =
        AnswerFor(direction, DETOPS_PROFILE_CONTRACT, {1, 1, 1, std::numeric_limits<int32_t>::max()});
    EXPECT_EQ(answer.status, MLUOP_STATUS_BAD_PARAM) << answer.text;
    EXPECT_NE(answer.text.find("NULL"), std::string::npos) << answer.text;
  }
}

TEST(RotatedFeatureAlignSizes, FullProfileGetsAsFarAsTheData) {
  for (const Shape& shape : kTooLarge) {
    for (const Direction direction : kDirections) {
      const SizeAnswer answer = AnswerFor(direction, DETOPS_PROFILE_FULL, shape);
      EXPECT_EQ(answer.status, MLUOP_STATUS_BAD_PARAM) << answer.text;
      EXPECT_NE(answer.text.find("NULL"), std::string::npos) << answer.text;
    }
  }
}

// Addresses without memory: whoever reads them faults. Gigabytes of them cost nothing.
class Reserved {
 public:
  explicit Reserved(int64_t bytes)
      : size_(static_cast<size_t>(bytes)),
        data_(mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~Reserved() { munmap(data_, size_); }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  void* get() const { return data_; }

 private:
  size_t size_;
  void* data_;
};

// The pixels of one image are limited whatever the profile: 2^32 forward, 2^32 / (4 * points) backward. The refusal
// comes after the checks of pointers, so there must be some; without value checks nothing may be read before it.
TEST(RotatedFeatureAlignSizes, PixelsOfAnImageAreLimited) {
  const struct {
    Direction direction;
    detopsProfile_t profile;
    int points;
    int64_t pixels;
  } limits[] = {{Direction::kForward, DETOPS_PROFILE_FULL, 1, int64_t{1} << 32},
                {Direction::kBackward, DETOPS_PROFILE_FULL, 1, int64_t{1} << 30},
                // 2^32 / 20 = 214,748,364.8; five times that is still below 2^31
                {Direction::kBackward, DETOPS_PROFILE_FULL, 5, 214748365},
                {Direction::kBackward, DETOPS_PROFILE_CONTRACT, 5, 214748365}};
  for (const auto& limit : limits) {
    SCOPED_TRACE(limit.pixels);
    Handle handle(limit.profile, 1);
    handle.SetValueChecks(false);
    const Descriptor features(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_HALF, {1, 1, limit.pixels, 1});
    const Descriptor boxes(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_HALF, {1, 1, limit.pixels, 5});
    const Reserved source(2 * limit.pixels), numbers(10 * limit.pixels), target(2 * limit.pixels);
    const auto align =
        limit.direction == Direction::kForward ? mluOpRotatedFeatureAlignForward : mluOpRotatedFeatureAlignBackward;
    EXPECT_EQ(align(handle.get(), features.get(), source.get(), boxes.get(), numbers.get(), 1.0f, limit.points,
                    features.get(), target.get()),
              MLUOP_STATUS_NOT_SUPPORTED)
        << handle.LastError();
    EXPECT_NE(std::string(handle.LastError()).find("pixels"), std::string::npos) << handle.LastError();
  }
}

// A product of extents beyond int64 is refused in both profiles.
TEST(RotatedFeatureAlignSizes, OverflowIsRefusedInBothProfiles) {
  constexpr int64_t kLarge = int64_t{1} << 31;
  for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
    for (const Direction direction : kDirections) {
      EXPECT_EQ(AnswerFor(direction, profile, {kLarge, kLarge, kLarge, 1}).status, MLUOP_STATUS_NOT_SUPPORTED);
    }
  }
}

}  // namespace
}  // namespace detops_test
