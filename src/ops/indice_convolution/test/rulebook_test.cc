// The rulebook: bit for bit what the functions that take indice_pairs give, in all ways; independent of the pairs it
// was made from; shared between threads; and no larger than the header says.
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ops/indice_convolution/test/problem.h"
#include "support/runner.h"

namespace detops_test {
namespace {

void ExpectPlainBits(const Handle& handle, const Rulebook& rulebook, const Problem& problem, Way way) {
  Tensor expected = problem.NewResult(way), result = problem.NewResult(way);
  ASSERT_EQ(problem.Run(handle, way, expected), MLUOP_STATUS_SUCCESS) << handle.LastError();
  ASSERT_EQ(rulebook.Run(handle, problem, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
  ASSERT_TRUE(result.SameBytes(expected));
  ASSERT_TRUE(result.SurroundingsIntact());
}

// In all configurations; the rulebook was made by the automatic choice of target and threads.
void ExpectPlainBits(const Rulebook& rulebook, const Problem& problem) {
  SCOPED_TRACE(Describe(problem));
  for (const Way way : kWays) {
    SCOPED_TRACE(NameOf(way));
    ForEachConfiguration(DETOPS_PROFILE_FULL,
                         [&](const Handle& handle) { ExpectPlainBits(handle, rulebook, problem, way); });
    if (testing::Test::HasFatalFailure()) return;
  }
}

class IndiceConvolutionRulebook : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  Handle handle_{DETOPS_PROFILE_FULL, 2};
};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionRulebook, testing::ValuesIn(kTypes), TypeName);

TEST_P(IndiceConvolutionRulebook, SameBitsForEveryKindOfList) {
  for (const ListKind kind : kListKinds) {
    for (const bool inverse : {false, true}) {
      SCOPED_TRACE(testing::Message() << "lists of kind " << static_cast<int>(kind));
      const Shape shape = {
          .in_rows = 260, .out_rows = 240, .ci = 18, .co = 33, .kernel = {3, 1, 3}, .inverse = inverse};
      const Problem problem(GetParam(), shape, kind, 31);
      const Rulebook rulebook(handle_, problem);
      ExpectPlainBits(rulebook, problem);
      // The plain functions are right, or they would agree in error.
      Tensor result = problem.NewResult(Way::kForward);
      ASSERT_EQ(rulebook.Run(handle_, problem, Way::kForward, result), MLUOP_STATUS_SUCCESS) << handle_.LastError();
      ASSERT_EQ(Complaint(result, problem.Expected(Way::kForward)), "");
    }
  }
}

TEST_P(IndiceConvolutionRulebook, SameBitsForEverySize) {
  const struct {
    int64_t in_rows, out_rows, ci, co;
    std::vector<int64_t> kernel;
  } sizes[] = {{1, 1, 1, 1, {1, 1, 1}},    {2, 1, 5, 3, {1, 2, 1}},        {129, 3, 8, 8, {5, 5, 5}},
               {3, 257, 16, 7, {2, 2, 2}}, {1999, 2001, 5, 16, {3, 3, 3}}, {130, 131, 129, 64, {1, 1, 1}}};
  uint64_t seed = 40;
  for (const auto& size : sizes) {
    for (const ListKind kind : {ListKind::kAscending, ListKind::kShuffled, ListKind::kRandom}) {
      const Shape shape = {.in_rows = size.in_rows,
                           .out_rows = size.out_rows,
                           .ci = size.ci,
                           .co = size.co,
                           .kernel = size.kernel,
                           .inverse = ++seed % 2 == 0};
      const Problem problem(GetParam(), shape, kind, seed);
      ExpectPlainBits(Rulebook(handle_, problem), problem);
    }
  }
}

TEST_P(IndiceConvolutionRulebook, SameBitsForEveryEpilogueAndLayout) {
  for (const FilterForm& form : kFilterForms) {
    for (const bool inverse : {false, true}) {
      const Shape shape = {
          .in_rows = 75, .out_rows = 60, .ci = 9, .co = 20, .kernel = {2, 2, 2}, .form = form, .inverse = inverse};
      const Problem problem(GetParam(), shape, ListKind::kCrossed, 32);
      const Rulebook rulebook(handle_, problem);
      ExpectPlainBits(rulebook, problem);
      for (const Epilogue& epilogue :
           {Epilogue{true, false, DETOPS_ACTIVATION_RELU}, Epilogue{false, true, DETOPS_ACTIVATION_NONE},
            Epilogue{true, true, DETOPS_ACTIVATION_LEAKY_RELU, 0.1f}}) {
        ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
          Tensor expected = problem.NewResult(Way::kForward), result = problem.NewResult(Way::kForward);
          ASSERT_EQ(problem.RunFused(handle, epilogue, expected), MLUOP_STATUS_SUCCESS) << handle.LastError();
          ASSERT_EQ(rulebook.RunFused(handle, problem, epilogue, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
          ASSERT_TRUE(result.SameBytes(expected));
        });
      }
    }
  }
}

// One rulebook, layers of different channels and types, one after the other.
TEST_P(IndiceConvolutionRulebook, ServesLayersOfAnyChannels) {
  std::optional<Rulebook> rulebook;
  for (const int64_t channels : {5, 16, 33, 4, 64}) {
    for (const mluOpDataType_t type : {GetParam(), MLUOP_DTYPE_FLOAT}) {
      const Shape shape = {.in_rows = 210, .out_rows = 190, .ci = channels, .co = 2 * channels, .kernel = {1, 3, 1}};
      const Problem problem(type, shape, MakePairs(ListKind::kCrossed, 3, 210, 190, 33), 33);
      if (!rulebook) rulebook.emplace(handle_, problem);
      ExpectPlainBits(*rulebook, problem);
    }
  }
}

// ---- independence ----

// Whatever happens to the pairs, their numbers and the handle afterwards.
TEST_P(IndiceConvolutionRulebook, PairsMayBeFreed) {
  const Shape shape = {.in_rows = 160, .out_rows = 140, .ci = 8, .co = 9, .kernel = {3, 1, 1}};
  for (const ListKind kind : {ListKind::kAscending, ListKind::kShuffled}) {
    const Problem problem(GetParam(), shape, kind, 34);
    std::optional<Rulebook> rulebook;
    {
      const Handle maker(DETOPS_PROFILE_FULL, 3);
      auto pairs = std::make_unique<Tensor>(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, problem.indice_pairs.extents());
      std::memcpy(pairs->data(), problem.indice_pairs.data(), pairs->bytes());
      std::vector<int64_t> counts = problem.pairs().counts;
      rulebook.emplace(maker, *pairs, counts.data(), shape.in_rows, shape.out_rows);
      pairs->FillCanary();
      pairs.reset();
      counts.assign(counts.size(), -1);
    }
    ExpectPlainBits(*rulebook, problem);
  }
}

// Its pairs may have more columns than there are rows in, or fewer; the columns that do not count hold garbage.
TEST_P(IndiceConvolutionRulebook, AnyNumberOfColumns) {
  const Shape shape = {.in_rows = 100, .out_rows = 90, .ci = 8, .co = 9, .kernel = {3, 1, 1}};
  ConvolutionPairs pairs = NoPairs(3, shape.in_rows);
  for (int64_t k = 0; k < 3; ++k) {
    Random random(static_cast<uint64_t>(k));
    SetList(pairs, k, random.Subset(shape.in_rows, 20 + k), random.Subset(shape.out_rows, 20 + k));
  }
  const Problem problem(GetParam(), shape, pairs, 35);
  for (const int64_t columns : {22, 23, 99, 101, 1000}) {
    SCOPED_TRACE(testing::Message() << columns << " columns");
    Tensor other(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {3, 2, columns});
    for (int64_t row = 0; row < 6; ++row) {
      for (int64_t column = 0; column < pairs.counts[static_cast<size_t>(row / 2)]; ++column) {
        other.Set(row * columns + column, problem.indice_pairs.Get(row * shape.in_rows + column));
      }
    }
    ExpectPlainBits(Rulebook(handle_, other, problem.counts(), shape.in_rows, shape.out_rows), problem);
  }
}

// Rows without elements, no offsets, no pairs: zeros, wherever there is room for them.
TEST_P(IndiceConvolutionRulebook, OfNothing) {
  for (const Shape& shape : {Shape{.in_rows = 0, .out_rows = 5, .ci = 3, .co = 4, .kernel = {3, 1, 1}},
                             Shape{.in_rows = 5, .out_rows = 0, .ci = 3, .co = 4, .kernel = {3, 1, 1}},
                             Shape{.in_rows = 5, .out_rows = 6, .ci = 3, .co = 4, .kernel = {0, 1, 1}},
                             Shape{.in_rows = 5, .out_rows = 6, .ci = 3, .co = 4, .kernel = {2, 1, 1}}}) {
    const Problem problem(GetParam(), shape, NoPairs(shape.offsets(), shape.in_rows), 36);
    const Rulebook rulebook(handle_, problem);
    for (const Way way : kWays) {
      SCOPED_TRACE(Describe(problem) + ", " + NameOf(way));
      Tensor result = problem.NewResult(way);
      ASSERT_EQ(rulebook.Run(handle_, problem, way, result), MLUOP_STATUS_SUCCESS) << handle_.LastError();
      ASSERT_EQ(result.Values(), std::vector<double>(static_cast<size_t>(result.elements())));
    }
  }
}

// ---- a runner that fails ----

// While it is made: no rulebook, and the next one is right. While it is used: the status, and the next call is right.
TEST_P(IndiceConvolutionRulebook, RunnerThatFails) {
  const Shape shape = {.in_rows = 1500, .out_rows = 1500, .ci = 8, .co = 9, .kernel = {3, 3, 3}};
  const Problem problem(GetParam(), shape, ListKind::kCrossed, 39);
  const auto make = [&](detopsRulebook_t* made) {
    return detopsCreateRulebook(handle_.get(), problem.indice_pairs.desc(), problem.indice_pairs.data(),
                                problem.counts(), shape.in_rows, shape.out_rows, made);
  };
  // How often a call asks its runner, and the same call with each of these times failing.
  const auto fail_every_time = [&](const auto& call, const auto& expect_failed) {
    Runner counting;
    handle_.SetRunner(&Runner::Run, &counting);
    call();
    ASSERT_GT(counting.calls, 0);
    for (int failing = 0; failing < counting.calls; ++failing) {
      SCOPED_TRACE(testing::Message() << "call " << failing << " of the runner");
      Runner runner;
      (failing % 2 == 0 ? runner.failing_call : runner.skipping_call) = failing;
      handle_.SetRunner(&Runner::Run, &runner);
      expect_failed();
      EXPECT_EQ(runner.calls, failing + 1);
    }
    handle_.SetRunner(nullptr, nullptr);
  };
  fail_every_time([&] { const Rulebook sound(handle_, problem); },
                  [&] {
                    auto* const mark = reinterpret_cast<detopsRulebook_t>(&handle_);
                    detopsRulebook_t made = mark;
                    EXPECT_EQ(make(&made), MLUOP_STATUS_EXECUTION_FAILED);
                    EXPECT_STREQ(handle_.LastError(),
                                 "detopsCreateRulebook: the parallel runner failed; the output is incomplete.");
                    EXPECT_EQ(made, mark);
                  });
  const Rulebook rulebook(handle_, problem);
  for (const Way way : kWays) {
    SCOPED_TRACE(NameOf(way));
    Tensor result = problem.NewResult(way);
    fail_every_time([&] { ASSERT_EQ(rulebook.Run(handle_, problem, way, result), MLUOP_STATUS_SUCCESS); },
                    [&] {
                      EXPECT_EQ(rulebook.Run(handle_, problem, way, result), MLUOP_STATUS_EXECUTION_FAILED);
                      EXPECT_TRUE(result.SurroundingsIntact());
                    });
    ExpectPlainBits(handle_, rulebook, problem, way);
  }
}

// ---- a wrong index ----

// Threads share a list; a wrong index beside any cut is found, named as it is, and only once.
TEST(IndiceConvolutionRulebookPairs, WrongIndexBesideACut) {
  constexpr int64_t kPairs = 140000;
  Tensor pairs(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1, 2, kPairs});
  auto* const index = static_cast<int32_t*>(pairs.data());
  std::iota(index, index + kPairs, 0);
  std::iota(index + kPairs, index + 2 * kPairs, 0);
  const int64_t count = kPairs;
  Handle handle(DETOPS_PROFILE_FULL, 1);
  for (const int threads : {1, 2, 3}) {
    handle.SetThreads(threads);
    for (int64_t pieces = 2; pieces <= 5; ++pieces) {
      for (int64_t at = kPairs / pieces - 2; at <= kPairs / pieces + 1; ++at) {
        for (const int column : {0, 1}) {
          for (const int32_t wrong : {-1, static_cast<int32_t>(kPairs)}) {
            const int32_t right = std::exchange(index[column * kPairs + at], wrong);
            detopsRulebook_t none = nullptr;
            EXPECT_EQ(detopsCreateRulebook(handle.get(), pairs.desc(), pairs.data(), &count, kPairs, kPairs, &none),
                      MLUOP_STATUS_BAD_PARAM);
            EXPECT_EQ(std::string(handle.LastError()),
                      "detopsCreateRulebook: indice_pairs[0, " + std::to_string(column) + ", " + std::to_string(at) +
                          "] is " + std::to_string(wrong) + ", expected an index in [0, 140000).");
            EXPECT_EQ(none, nullptr);
            index[column * kPairs + at] = right;
          }
        }
      }
    }
  }
}

// ---- sharing ----

TEST_P(IndiceConvolutionRulebook, SharedByThreads) {
  const Shape shape = {.in_rows = 800, .out_rows = 700, .ci = 16, .co = 24, .kernel = {3, 3, 1}};
  const Problem problem(GetParam(), shape, ListKind::kCrossed, 37);
  const Rulebook rulebook(handle_, problem);
  for (const Way way : kWays) {
    Tensor expected = problem.NewResult(way);
    ASSERT_EQ(problem.Run(handle_, way, expected), MLUOP_STATUS_SUCCESS) << handle_.LastError();
    std::vector<std::thread> callers;
    callers.reserve(4);
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&, caller] {
        const Handle handle(DETOPS_PROFILE_FULL, 1 + caller % 3);
        for (int run = 0; run < 5; ++run) {
          Tensor result = problem.NewResult(way);
          ASSERT_EQ(rulebook.Run(handle, problem, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
          ASSERT_TRUE(result.SameBytes(expected));
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
}

// ---- size ----

int64_t Total(const ConvolutionPairs& pairs) {
  return std::accumulate(pairs.counts.begin(), pairs.counts.end(), int64_t{0});
}

// The header's bound, with its two prices of a pair. The 4 KiB are beside the block that is rounded up.
int64_t LargestSize(int64_t k, int64_t in_rows, int64_t out_rows, int64_t pairs, bool ascending) {
  const int64_t large_page = int64_t{2} << 20;
  const int64_t tables = 512 * (k + 2) + (8 * k + 1) * (in_rows / 256 + out_rows / 256 + 4);
  const int64_t block = (ascending ? 8 : 16) * pairs + tables;
  return (block < large_page / 2 ? block : (block + large_page - 1) / large_page * large_page) + 4096;
}

TEST(IndiceConvolutionRulebookSize, IsAsTheHeaderSays) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const ListKind kind : kListKinds) {
    const bool ascending = kind == ListKind::kAscending || kind == ListKind::kHoles || kind == ListKind::kSubmanifold;
    for (const int64_t rows : {1, 50, 3000, 40000}) {
      for (const std::vector<int64_t>& kernel : {std::vector<int64_t>{1, 1, 1}, {3, 3, 3}}) {
        const Shape shape = {.in_rows = rows, .out_rows = rows + rows / 3, .ci = 1, .co = 1, .kernel = kernel};
        const Problem problem(MLUOP_DTYPE_FLOAT, shape, kind, 38);
        SCOPED_TRACE(Describe(problem));
        const auto size = static_cast<int64_t>(Rulebook(handle, problem).Size());
        EXPECT_LE(size, LargestSize(shape.offsets(), shape.in_rows, shape.out_rows, Total(problem.pairs()), ascending));
        EXPECT_GT(size, 0);
      }
    }
  }
}

// Rows cost something without offsets too; the first number of rows is just below a large page.
TEST(IndiceConvolutionRulebookSize, IsAsTheHeaderSaysWithoutOffsets) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  const Tensor none(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {0, 2, 5});
  const int64_t most = (int64_t{1} << 31) - 1;
  for (const auto& [in_rows, out_rows] :
       {std::pair<int64_t, int64_t>(256 * ((int64_t{1} << 20) - 100), 0), {0, 0}, {1000, 2000}, {most, most}}) {
    const int64_t unused = 0;
    const auto size = static_cast<int64_t>(Rulebook(handle, none, &unused, in_rows, out_rows).Size());
    EXPECT_LE(size, LargestSize(0, in_rows, out_rows, 0, true)) << in_rows << ", " << out_rows;
  }
}

// Columns that do not count cost nothing.
TEST(IndiceConvolutionRulebookSize, DoesNotDependOnTheColumns) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  Tensor wide(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1, 2, 1000000});
  const std::vector<int64_t> counts = {2};
  for (const int64_t i : {0, 1}) {
    wide.Set(i, static_cast<double>(i));
    wide.Set(1000000 + i, static_cast<double>(i));
  }
  const auto size = static_cast<int64_t>(Rulebook(handle, wide, counts.data(), 100, 100).Size());
  EXPECT_LE(size, LargestSize(1, 100, 100, 2, true));
}

}  // namespace
}  // namespace detops_test
