// get_indice_pairs at the extremes of size: spaces whose sites need up to 63 bits to count, coordinates and steps near
// the largest int32, spaces without a gap, and more than other implementations take.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "ops/get_indice_pairs/test/problem.h"

namespace detops_test {
namespace {

constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();

// ---- large spaces ----

// Sites around every corner of the space, in the first and the last image, and a few anywhere: neighbours exist, and
// wherever a product wraps two of them collide.
std::vector<Site> CornerSites(Random& random, const SparseConvolution& convolution) {
  const std::vector<int64_t>& space = convolution.input_space;
  std::vector<Site> sites;
  for (size_t corner = 0; corner < size_t{2} << space.size(); ++corner) {
    for (int i = 0; i < 8; ++i) {
      Site site = {static_cast<int32_t>((corner >> space.size()) % 2 == 0 ? 0 : convolution.batch - 1)};
      for (size_t a = 0; a < space.size(); ++a) {
        const int64_t inward = std::min(random.Between(0, 2), space[a] - 1);
        site[a + 1] = static_cast<int32_t>((corner >> a) % 2 == 0 ? inward : space[a] - 1 - inward);
      }
      sites.push_back(site);
    }
  }
  for (int i = 0; i < 50; ++i) sites.push_back(RandomSite(random, convolution));
  return sites;
}

// Sorted, reversed, shuffled and with duplicates.
void ExpectInAllOrders(detopsProfile_t profile, const SparseConvolution& convolution) {
  Random random(21);
  PairProblem problem = {.convolution = convolution, .sites = CornerSites(random, convolution)};
  const std::vector<Site> repeated = problem.sites;
  SortUnique(problem.sites);
  const std::vector<Site> sorted = problem.sites, reversed(sorted.rbegin(), sorted.rend());
  std::vector<Site> shuffled = sorted;
  random.Shuffle(shuffled);
  for (const std::vector<Site>& sites : {sorted, reversed, shuffled, repeated}) {
    problem.sites = sites;
    const IndicePairs expected = problem.Expected();
    ConvolutionDescriptor desc;
    ForEachConfiguration(profile, [&](const Handle& handle) { ExpectPairs(handle, desc, problem, expected); });
    if (testing::Test::HasFailure()) return;
  }
}

struct LargeSpace {
  int64_t batch;
  std::vector<int64_t> space;
};

// More than 2^31, 2^32, 2^40 sites, 2^62 and nearly 2^63, with the large factor on every axis and in the batch.
std::vector<LargeSpace> LargeSpaces() {
  return {{1, {2049, 1024, 1024}},        {5, {2049, 1024, 1024}},          {3, {16384, 8192, 8192}},
          {2, {41, 46340, 46341}},        {1, {1 << 21, 1 << 21, 1 << 20}}, {4, {1 << 20, 1 << 20, 1 << 20}},
          {1, {kInt32Max, kInt32Max, 1}}, {1, {2, kInt32Max, kInt32Max}},   {1, {kInt32Max, 2, kInt32Max}},
          {2, {1, kInt32Max, kInt32Max}}, {kInt32Max, {1, 2, kInt32Max}},   {kInt32Max, {3, 4, 100'000'000}}};
}

class GetIndicePairsLargeSpaces : public testing::TestWithParam<LargeSpace> {
 protected:
  // Both profiles where the contract knows the geometry.
  void Expect(const SparseConvolution& convolution) {
    ExpectInAllOrders(DETOPS_PROFILE_CONTRACT, convolution);
    ExpectInAllOrders(DETOPS_PROFILE_FULL, convolution);
  }
  SparseConvolution WithSpace(const SparseConvolution& convolution) const {
    SparseConvolution result = convolution;
    result.batch = GetParam().batch;
    result.input_space = GetParam().space;
    return Completed(result);
  }
};

INSTANTIATE_TEST_SUITE_P(Spaces, GetIndicePairsLargeSpaces, testing::ValuesIn(LargeSpaces()));

TEST_P(GetIndicePairsLargeSpaces, Submanifold) {
  Expect(WithSpace({.filter_space = {3, 3, 3}, .pad = {1, 1, 1}, .submanifold = true}));
}

TEST_P(GetIndicePairsLargeSpaces, SameSpace) { Expect(WithSpace({.filter_space = {3, 3, 3}, .pad = {1, 1, 1}})); }

TEST_P(GetIndicePairsLargeSpaces, HalvedSpace) {
  Expect(WithSpace({.filter_space = {3, 2, 3}, .pad = {1, 0, 1}, .stride = {2, 2, 2}}));
}

// The input space is large and the output space small, and the other way round: o = i * stride.
TEST(GetIndicePairsLargeSpace, LargeStrides) {
  const int64_t stride = (int64_t{1} << 30) - 1;
  ExpectInAllOrders(DETOPS_PROFILE_FULL, Completed({.batch = 2,
                                                    .input_space = {kInt32Max, kInt32Max},
                                                    .filter_space = {3, 3},
                                                    .pad = {1, 1},
                                                    .stride = {stride, kInt32Max}}));
  ExpectInAllOrders(DETOPS_PROFILE_FULL, Completed({.batch = 2,
                                                    .input_space = {3, 2},
                                                    .filter_space = {2, 2},
                                                    .output_space = {kInt32Max, kInt32Max},
                                                    .stride = {stride, kInt32Max - 2},
                                                    .transposed = true}));
  ExpectInAllOrders(DETOPS_PROFILE_FULL, Completed({.input_space = {kInt32Max},
                                                    .filter_space = {2},
                                                    .output_space = {kInt32Max},
                                                    .stride = {kInt32Max},
                                                    .transposed = true}));
}

// Padding and dilation near the largest int32: i + pad - k * dilation passes 2^31 and -2^31, and 2^32 from k = 3 on.
TEST(GetIndicePairsLargeSpace, LargePaddingAndDilation) {
  const auto convolution = [](int64_t pad, int64_t dilation) {
    return SparseConvolution{.input_space = {3, 2, kInt32Max},
                             .filter_space = {1, 1, 4},
                             .output_space = {3, 2, kInt32Max},
                             .pad = {0, 0, pad},
                             .stride = {1, 1, 1},
                             .dilation = {1, 1, dilation}};
  };
  for (const int64_t pad : {int64_t{0}, kInt32Max / 2, kInt32Max - 1, kInt32Max}) {
    for (const int64_t dilation : {int64_t{1}, kInt32Max / 3, kInt32Max / 2 + 1, kInt32Max - 1, kInt32Max}) {
      SparseConvolution regular = convolution(pad, dilation);
      ExpectInAllOrders(DETOPS_PROFILE_CONTRACT, regular);
      regular.submanifold = true;
      ExpectInAllOrders(DETOPS_PROFILE_FULL, regular);
      regular.submanifold = false;
      regular.transposed = true;
      ExpectInAllOrders(DETOPS_PROFILE_FULL, regular);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(GetIndicePairsLargeSpace, OneTwoAndFourAxes) {
  for (const bool submanifold : {false, true}) {
    ExpectInAllOrders(DETOPS_PROFILE_FULL, Completed({.batch = kInt32Max,
                                                      .input_space = {kInt32Max},
                                                      .filter_space = {5},
                                                      .pad = {2},
                                                      .submanifold = submanifold}));
    ExpectInAllOrders(DETOPS_PROFILE_FULL, Completed({.batch = 2,
                                                      .input_space = {kInt32Max, kInt32Max},
                                                      .filter_space = {3, 4},
                                                      .pad = {1, 1},
                                                      .submanifold = submanifold}));
    ExpectInAllOrders(DETOPS_PROFILE_FULL, Completed({.batch = 3,
                                                      .input_space = {40'000, 40'000, 40'000, 40'000},
                                                      .filter_space = {3, 1, 3, 2},
                                                      .pad = {1, 0, 1, 1},
                                                      .submanifold = submanifold}));
  }
}

// ---- many sites ----

void ExpectReference(detopsProfile_t profile, const PairProblem& problem, IndicePairs* result = nullptr) {
  const IndicePairs expected = problem.Expected();
  for (const int threads : {1, 3}) {
    const Handle handle(profile, threads);
    ConvolutionDescriptor desc;
    ExpectPairs(handle, desc, problem, expected);
  }
  if (result != nullptr) *result = expected;
}

// Every site is active: the offset with distance d from the centre has the product of (extent - |d|) pairs per image.
TEST(GetIndicePairsLargeSpace, NoGaps) {
  for (const int64_t kernel : {3, 5}) {
    for (const bool submanifold : {false, true}) {
      for (const bool shuffled : {false, true}) {
        PairProblem problem;
        problem.convolution = Completed({.batch = 2,
                                         .input_space = {10, 11, 13},
                                         .filter_space = {kernel, kernel, kernel},
                                         .pad = {kernel / 2, kernel / 2, kernel / 2},
                                         .submanifold = submanifold});
        for (int32_t i = 0; i < 2 * 10 * 11 * 13; ++i) {
          problem.sites.push_back({i / (10 * 11 * 13), i / (11 * 13) % 10, i / 13 % 11, i % 13});
        }
        if (shuffled) Random(31).Shuffle(problem.sites);
        IndicePairs result;
        ExpectReference(DETOPS_PROFILE_CONTRACT, problem, &result);
        ASSERT_EQ(result.num_act_out, problem.count());
        for (int64_t k = 0; k < kernel * kernel * kernel; ++k) {
          const int64_t d = k / (kernel * kernel) - kernel / 2, h = k / kernel % kernel - kernel / 2;
          const int64_t w = k % kernel - kernel / 2;
          ASSERT_EQ(result.indice_num[static_cast<size_t>(k)],
                    2 * (10 - std::abs(d)) * (11 - std::abs(h)) * (13 - std::abs(w)));
        }
      }
    }
  }
}

// Kernels of more than 4096 offsets and more than a million inputs, which other implementations refuse.
TEST(GetIndicePairsLargeSpace, NoLimitsOfTheirOwn) {
  Random random(34);
  PairProblem kernel = {.convolution = Completed({.input_space = {20, 20, 20}, .filter_space = {17, 17, 17}}),
                        .sites = {}};
  for (int i = 0; i < 40; ++i) kernel.sites.push_back(RandomSite(random, kernel.convolution));
  ExpectReference(DETOPS_PROFILE_CONTRACT, kernel);
  kernel.convolution.submanifold = true;
  kernel.convolution.pad = {8, 8, 8};
  kernel.convolution = Completed(kernel.convolution);
  ExpectReference(DETOPS_PROFILE_CONTRACT, kernel);

  PairProblem inputs = {
      .convolution = Completed({.input_space = {101, 100, 100}, .filter_space = {1, 1, 2}, .stride = {1, 1, 2}}),
      .sites = {}};
  for (int32_t i = 0; i < 1'010'000; ++i) inputs.sites.push_back({0, i / 10'000, i / 100 % 100, i % 100});
  ExpectReference(DETOPS_PROFILE_CONTRACT, inputs);
}

}  // namespace
}  // namespace detops_test
