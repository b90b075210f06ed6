// The quick reference against the slow one, which tells how far a sum may be off.
#include "ops/indice_convolution/reference/large_reference.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace {

using namespace detops_reference;

struct Problem {
  ConvolutionPairs pairs;
  int64_t ci = 5, co = 7, sources = 23, targets = 31;
  std::vector<double> features, filters, grad;
};

std::vector<double> Uniform(int64_t count, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = uniform(random);
  return values;
}

Problem MakeProblem(bool inverse) {
  std::mt19937 random(3);
  Problem p;
  p.pairs.offsets = 3;
  p.pairs.columns = 40;
  p.pairs.counts = {40, 0, 17};
  p.pairs.inverse = inverse;
  const int64_t rows[2] = {inverse ? p.targets : p.sources, inverse ? p.sources : p.targets};
  for (int list = 0; list < 6; ++list) {
    for (int i = 0; i < 40; ++i)
      p.pairs.indices.push_back(static_cast<int32_t>(random() % static_cast<unsigned>(rows[list % 2])));
  }
  p.features = Uniform(p.sources * p.ci, random);
  p.filters = Uniform(3 * p.ci * p.co, random);
  p.grad = Uniform(p.targets * p.co, random);
  return p;
}

void ExpectSame(const std::vector<double>& quick, const Sums& slow) {
  ASSERT_EQ(slow.values.size(), quick.size());
  for (size_t i = 0; i < quick.size(); ++i) {
    EXPECT_NEAR(slow.values[i], quick[i], 2e-16 * static_cast<double>(slow.terms[i] + 1) * slow.magnitudes[i]) << i;
  }
}

TEST(LargeReference, AgreesWithTheSlowOne) {
  for (const bool inverse : {false, true}) {
    const Problem p = MakeProblem(inverse);
    for (const mluOpTensorLayout_t name : {MLUOP_LAYOUT_ARRAY, MLUOP_LAYOUT_NDHWC, MLUOP_LAYOUT_NCDHW}) {
      SCOPED_TRACE(testing::Message() << "inverse " << inverse << ", layout " << name);
      const FilterLayout layout = LayoutOfFilters(name, 3, p.ci, p.co);
      ExpectSame(LargeConvolutionForward(p.pairs, layout, p.features, p.filters, p.targets),
                 IndiceConvolutionForward(p.pairs, layout, p.features, p.filters, p.targets));
      ExpectSame(LargeConvolutionBackwardData(p.pairs, layout, p.grad, p.filters, p.sources),
                 IndiceConvolutionBackwardData(p.pairs, layout, p.grad, p.filters, p.sources));
      ExpectSame(LargeConvolutionBackwardFilter(p.pairs, layout, p.features, p.grad),
                 IndiceConvolutionBackwardFilter(p.pairs, layout, p.features, p.grad));
    }
  }
}

// Lists are filled up to whole fours. What fills them must not meet an infinity.
TEST(LargeReference, AnInfinityReachesTheSumsItIsPartOf) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (int64_t count = 1; count <= 5; ++count) {
    SCOPED_TRACE(testing::Message() << count << " pairs");
    ConvolutionPairs pairs;
    pairs.offsets = 1;
    pairs.columns = count;
    pairs.counts = {count};
    for (int list = 0; list < 2; ++list) {
      for (int32_t i = 0; i < count; ++i) pairs.indices.push_back(i);
    }
    std::vector<double> features(static_cast<size_t>(count), 1.0), grad(static_cast<size_t>(2 * count), 0.5);
    grad.back() = -kInfinity;  // column 1 of the last row
    const FilterLayout layout = LayoutOfFilters(MLUOP_LAYOUT_ARRAY, 1, 1, 2);
    const std::vector<double> sums = LargeConvolutionBackwardFilter(pairs, layout, features, grad);
    EXPECT_EQ(0.5 * static_cast<double>(count), sums[0]);
    EXPECT_EQ(-kInfinity, sums[1]);
  }
}

}  // namespace
