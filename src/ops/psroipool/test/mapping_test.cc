// psroipool backward takes the channels from mapping_channel, whatever put them there: repeated, permuted, all the
// same. Forward's own channels are only the case that occurs most.
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ops/psroipool/test/problem.h"

namespace detops_test {
namespace {

class PsRoiPoolMapping : public testing::TestWithParam<Variant> {
 protected:
  // `channel` gives the channel of an element; the rest of the problem is random.
  void ExpectAgreement(const Shape& shape, const std::function<int64_t(const Problem&, int64_t)>& channel) {
    for (const mluOpDataType_t type : kTypes) {
      SCOPED_TRACE(ElementName(type));
      Problem problem(GetParam(), type, shape, 0.5);
      FillMixedRois(problem, 1);
      for (int64_t i = 0; i < problem.mapping.elements(); ++i) {
        problem.mapping.Set(i, static_cast<double>(channel(problem, i)));
      }
      ExpectBackwardAgreement(problem);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Variants, PsRoiPoolMapping, testing::ValuesIn(AllVariants()), VariantName);

constexpr Shape kShapes[] = {{2, 9, 8, 12, 2, 2, 5}, {1, 5, 7, 9, 3, 3, 1}, {3, 4, 6, 11, 1, 1, 17}};

TEST_P(PsRoiPoolMapping, AnyChannels) {
  for (const Shape& shape : kShapes) {
    std::mt19937 random(3);
    ExpectAgreement(shape, [&](const Problem& problem, int64_t) {
      return static_cast<int64_t>(random() % static_cast<unsigned>(problem.shape().channels()));
    });
  }
}

// Every channel once in each roi, but in the order of the output.
TEST_P(PsRoiPoolMapping, PermutedChannels) {
  for (const Shape& shape : kShapes) {
    ExpectAgreement(shape, [](const Problem& problem, int64_t i) { return i % problem.shape().channels(); });
    ExpectAgreement(shape, [](const Problem& problem, int64_t i) {
      return problem.shape().channels() - 1 - i % problem.shape().channels();
    });
  }
}

TEST_P(PsRoiPoolMapping, AllTheSameChannel) {
  for (const Shape& shape : kShapes) {
    ExpectAgreement(shape, [](const Problem&, int64_t) { return int64_t{0}; });
    ExpectAgreement(shape, [](const Problem& problem, int64_t) { return problem.shape().channels() - 1; });
  }
}

// One element differs from what forward gives: the first, the last, and one in the middle.
TEST_P(PsRoiPoolMapping, OneOtherChannel) {
  for (const Shape& shape : kShapes) {
    const int64_t elements = shape.rois * shape.channels();
    for (const int64_t other : {int64_t{0}, elements / 2, elements - 1}) {
      ExpectAgreement(shape, [&](const Problem& problem, int64_t i) {
        const int64_t channel = problem.ForwardChannel(i);
        return i == other ? (channel + 1) % problem.shape().channels() : channel;
      });
    }
  }
}

// Roi 0 covers the one row, 1 2 3 4 in its bins (0, 0) to (1, 1), all of which name channel 3: 1 + 2 + 3 + 4 over two
// pixels each. (One row: both rows of bins hold it; the columns of bins are pixels 0 1 and 2 3.)
TEST(PsRoiPoolMappingByHand, BinsThatShareAChannel) {
  for (const mluOpDataType_t type : kTypes) {
    SCOPED_TRACE(ElementName(type));
    Problem problem(kContract, type, {1, 1, 4, 1, 2, 2, 1}, 1);
    problem.SetRoi(0, {0, 0, 0, 3, 0});
    problem.top_grad.Assign({1, 2, 3, 4});
    problem.mapping.Fill(3);
    ForEachConfiguration(problem.profile(), [&](const Handle& handle) {
      Tensor bottom = problem.NewBottomGrad();
      ASSERT_EQ(problem.Backward(handle, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
      // Pixels 0 1: 1/2 + 3/2; pixels 2 3: 2/2 + 4/2.
      const std::vector<double> expected = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 3};
      ASSERT_EQ(bottom.Values(), expected);
    });
  }
}

}  // namespace
}  // namespace detops_test
