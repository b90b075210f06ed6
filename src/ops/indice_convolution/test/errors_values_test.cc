// What is wrong with the data of a convolution and not with their description: numbers of pairs and indices out of
// range, wherever they stand; and what must not be looked at.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/errors_rules.h"
#include "support/runner.h"

namespace detops_test {
namespace {

class IndiceConvolutionValues : public ConvolutionRefusals {
 protected:
  // The calls that read pairs.
  static std::vector<Function> CallsOnPairs() {
    std::vector<Function> calls = FunctionsOf(GetParam());
    std::erase_if(calls, [](const Function& f) { return f.entry != Entry::kCall && f.entry != Entry::kFused; });
    return calls;
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, IndiceConvolutionValues, testing::ValuesIn(kWays), WayName);

// ---- numbers of pairs ----

TEST_P(IndiceConvolutionValues, NumbersOfPairs) {
  for (const int64_t offset : {int64_t{0}, int64_t{1}, kOffsets / 2, kOffsets - 1}) {
    for (const int64_t wrong : {int64_t{-1}, kSites + 1, int64_t{INT_MIN}, int64_t{INT_MAX}, int64_t{1} << 32,
                                (int64_t{1} << 32) + 1, INT64_MIN, INT64_MAX}) {
      for (const Function& function : FunctionsOf(GetParam())) {
        if (function.entry == Entry::kRulebook) continue;
        BadCall call(GetParam());
        call.profile = function.profile;
        call.num()[offset] = wrong;
        SCOPED_TRACE(NameOf(GetParam(), function));
        // In this way a check of values, which the size function has not got.
        if (GetParam() == Way::kBackwardFilter && function.entry == Entry::kSize) {
          Accept(call, function.entry);
          continue;
        }
        // Where each number must be small, any may be called too large; but it must be told which one.
        Refuse(call, function.entry, kBad, "indice_num[" + std::to_string(offset) + "] is " + std::to_string(wrong));
      }
    }
  }
}

TEST_P(IndiceConvolutionValues, EveryNumberMayBeZeroOrAll) {
  for (const Function& function : FunctionsOf(GetParam())) {
    if (function.entry == Entry::kRulebook) continue;
    BadCall none(GetParam()), all(GetParam());
    none.profile = all.profile = function.profile;
    std::fill_n(none.num(), kOffsets, 0);
    for (int64_t k = 0; k < kOffsets; ++k) {
      for (int64_t column = 0; column < kSites; ++column) {
        all.Pair(k, 0, column) = kSites - 1;
        all.Pair(k, 1, column) = kRows - 1;
        none.Pair(k, 0, column) = none.Pair(k, 1, column) = -1;  // nobody reads them
      }
      all.num()[k] = kSites;
    }
    Accept(none, function.entry);
    Accept(all, function.entry);
  }
}

// ---- indices ----

struct Position {
  int64_t offset, column;
};

// The first, a middle and the last counted one of the first, a middle and the last offset.
constexpr Position kPositions[] = {{0, 0}, {0, 1}, {0, 2}, {22, 0}, {22, 5}, {22, 10}, {44, 0}, {44, 2}, {44, 4}};

TEST_P(IndiceConvolutionValues, IndexOutOfRange) {
  for (const Function& function : CallsOnPairs()) {
    for (const int64_t inverse : {0, 1}) {
      if (inverse == 1 && function.contract()) continue;
      for (const Position& at : kPositions) {
        for (const int64_t row : {0, 1}) {
          const int64_t end = row == 0 ? kSites : kRows;
          for (const int64_t wrong : {int64_t{-1}, end, end + 1, int64_t{INT_MIN}, int64_t{INT_MAX}}) {
            BadCall call(GetParam(), {.inverse = inverse});
            call.profile = function.profile;
            ASSERT_LT(at.column, call.num()[at.offset]);
            call.Pair(at.offset, row, at.column) = static_cast<int32_t>(wrong);
            Refuse(call, function.entry, kBad,
                   "indice_pairs[" + std::to_string(at.offset) + ", " + std::to_string(row) + ", " +
                       std::to_string(at.column) + "] is " + std::to_string(wrong));
          }
        }
      }
    }
  }
}

TEST_P(IndiceConvolutionValues, OneOfManyIsReported) {
  for (const Function& function : CallsOnPairs()) {
    BadCall call(GetParam());
    call.profile = function.profile;
    call.Pair(44, 1, 4) = -7;
    call.Pair(22, 0, 9) = 77;
    call.Pair(4, 0, 2) = INT_MIN;
    call.Pair(4, 1, 1) = INT_MAX;
    Refuse(call, function.entry, kBad,
           "indice_pairs[44, 1, 4] is -7|indice_pairs[22, 0, 9] is 77|indice_pairs[4, 0, 2] is -2147483648|"
           "indice_pairs[4, 1, 1] is 2147483647");
  }
}

// A wrong index is refused all the same: the look that finds it also finds the order of the work.
TEST_P(IndiceConvolutionValues, ChecksCanBeSwitchedOffAndOnAgain) {
  for (const Function& function : CallsOnPairs()) {
    BadCall call(GetParam()), same(GetParam());
    call.profile = same.profile = function.profile;
    call.value_checks = false;
    EXPECT_EQ(call.Run(handle_, function.entry).status, MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(same.Run(handle_, function.entry).status, MLUOP_STATUS_SUCCESS);
    EXPECT_TRUE(call.target().SameBytes(same.target()));
    call.Pair(22, 1, 10) = kRows;
    for (const bool value_checks : {false, true}) {
      call.target().FillCanary();
      call.value_checks = value_checks;
      Refuse(call, function.entry, kBad, "indice_pairs[22, 1, 10] is 13");
    }
  }
}

// ---- many pairs ----

// Enough pairs to be looked at in pieces by several threads: one bad index anywhere is found by all of them, on every
// target, also in the last vector of a list, and also one that stands where an ascending list would have its largest.
void ExpectOneBadIndexToBeFound(Way way, ListKind kind) {
  constexpr int64_t kManyRows = 20011, kVolume = 9;
  const Shape shape = {.in_rows = kManyRows, .out_rows = kManyRows, .ci = 1, .co = 1, .kernel = {1, 3, 3}};
  Problem problem(MLUOP_DTYPE_FLOAT, shape, kind);
  auto* const indices = static_cast<int32_t*>(problem.indice_pairs.data());
  Tensor result = problem.NewResult(way);
  ForEachConfiguration([&](Handle& handle) {
    Random random(7);
    for (int round = 0; round < 24; ++round) {
      const int64_t offset = round % kVolume, row = round / 9 % 2, count = problem.counts()[offset];
      const int64_t column = round % 3 == 0 ? count - 1 - round % 16 : random.Between(0, count - 1);
      int32_t& index = indices[(offset * 2 + row) * kManyRows + column];
      const int32_t good = index;
      index = round % 2 == 0 ? static_cast<int32_t>(kManyRows) : -1;
      handle.SetRunner(round % 4 == 0 ? &RunBackwards : nullptr, nullptr);
      result.FillCanary();
      ASSERT_EQ(problem.Run(handle, way, result), kBad);
      const std::string said = "indice_pairs[" + std::to_string(offset) + ", " + std::to_string(row) + ", " +
                               std::to_string(column) + "] is " + std::to_string(index);
      ASSERT_TRUE(Says(handle.LastError(), said)) << handle.LastError();
      ASSERT_TRUE(result.CanaryIntact());
      index = good;
    }
    handle.SetRunner(nullptr, nullptr);
    ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS);
  });
}

TEST_P(IndiceConvolutionValues, OneBadIndexAmongMany) {
  ExpectOneBadIndexToBeFound(GetParam(), ListKind::kShuffled);
  ExpectOneBadIndexToBeFound(GetParam(), ListKind::kAscending);
}

}  // namespace
}  // namespace detops_test
