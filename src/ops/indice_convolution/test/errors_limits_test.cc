// The limits of the convolutions: those of the contract profile, which the full profile lifts, and those of int64,
// which nothing lifts; and limits that the accelerator has but no document, which nobody may enforce. Tensors too large
// to exist have no data: the limits come before the data pointers.
#include <cstdint>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/errors_rules.h"

namespace detops_test {
namespace {

constexpr int64_t kOne = 1;

class IndiceConvolutionLimits : public ConvolutionRefusals {
 protected:
  static std::string Name(Role role) { return NameOf(GetParam(), role); }

  static std::vector<Function> FunctionsOnPairs() {
    std::vector<Function> functions = FunctionsOf(GetParam());
    std::erase_if(functions, [](const Function& f) { return f.entry == Entry::kRulebook; });
    return functions;
  }

  // No data: what gets past the limits is refused there, or answered by the size function.
  void ExpectToGetAsFarAsTheData(const Function& function, const Spoil& spoil) {
    BadCall call(GetParam());
    call.profile = function.profile;
    spoil(call);
    for (TensorArgument& tensor : call.tensors) tensor.data = nullptr;
    if (function.entry == Entry::kSize) {
      Accept(call, function.entry);
    } else {
      Refuse(call, function.entry, kBad, "the data pointer of");
    }
  }

  // The largest that the contract takes and the smallest that it does not.
  void ExpectLimit(Role role, const Spoil& largest, const Spoil& too_large) {
    for (const Function& function : FunctionsOnPairs()) {
      SCOPED_TRACE(NameOf(GetParam(), function));
      ExpectToGetAsFarAsTheData(function, largest);
      if (!function.contract()) {
        ExpectToGetAsFarAsTheData(function, too_large);
        continue;
      }
      BadCall call(GetParam());
      too_large(call);
      Refuse(call, function.entry, kLimit, Name(role) + " has *elements*" + kLifts);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, IndiceConvolutionLimits, testing::ValuesIn(kWays), WayName);

// ---- counts of elements ----

TEST_P(IndiceConvolutionLimits, CountOfTheInputSide) {
  const auto with = [](int64_t sites) {
    return [=](BadCall& call) {
      call.space = {1, 1, 1};  // fewer elements in indice_pairs than in features
      call.sites = sites;
    };
  };
  ExpectLimit(kIn, with((kOne << 29) - 1), with(kOne << 29));
}

TEST_P(IndiceConvolutionLimits, CountOfTheOutputSide) {
  const auto with = [](int64_t rows) { return [=](BadCall& call) { call.rows = rows; }; };
  ExpectLimit(kOut, with(306783378), with(306783379));  // 7 * 306783379 = 2^31 + 5
}

TEST_P(IndiceConvolutionLimits, CountOfFilters) {
  const auto with = [](int64_t ci) {
    return [=](BadCall& call) {
      call.space = {1, 1, 1};
      call.sites = 1;
      call.num()[0] = 1;
      call.ci = ci;
    };
  };
  ExpectLimit(kFilters, with(306783378), with(306783379));
}

TEST_P(IndiceConvolutionLimits, CountOfPairs) {
  const auto with = [](int64_t sites) { return [=](BadCall& call) { call.sites = sites; }; };
  ExpectLimit(kPairs, with(23860929), with(23860930));  // 90 * 23860930 = 2^31 + 52
}

// Rows beyond int32 exist in the full profile, though no index leads there.
TEST_P(IndiceConvolutionLimits, RowsBeyondInt32) {
  for (const Function& function : FunctionsOnPairs()) {
    if (function.contract()) continue;
    for (const int64_t rows : {(kOne << 31) - 1, kOne << 31, kOne << 33, kOne << 40}) {
      SCOPED_TRACE(NameOf(GetParam(), function) + ", " + std::to_string(rows));
      ExpectToGetAsFarAsTheData(function, [&](BadCall& call) { call.rows = rows; });
      ExpectToGetAsFarAsTheData(function, [&](BadCall& call) { call.sites = rows; });
    }
  }
}

// ---- bytes beyond int64 ----

TEST_P(IndiceConvolutionLimits, BytesBeyondInt64) {
  struct Row {
    Role role;
    Spoil spoil;
  };
  std::vector<Row> rows;
  for (const int64_t extent : {kOne << 59, kOne << 60, kOne << 62, INT64_MAX}) {
    rows.push_back({kIn, [=](BadCall& call) {
                      call.space = {1, 1, 1};
                      call.sites = extent;
                    }});
    rows.push_back({kOut, [=](BadCall& call) { call.rows = extent; }});
  }
  for (const int64_t ci : {kOne << 59, kOne << 60}) {
    rows.push_back({kFilters, [=](BadCall& call) {
                      call.space = {1, 1, 1};
                      call.sites = 1;
                      call.num()[0] = 1;
                      call.ci = ci;
                    }});
  }
  rows.push_back({kPairs, [](BadCall& call) { call.sites = kOne << 56; }});
  for (const Row& row : rows) {
    for (const Function& function : FunctionsOnPairs()) {
      SCOPED_TRACE(NameOf(GetParam(), function) + ", " + Name(row.role));
      BadCall call(GetParam());
      call.profile = function.profile;
      row.spoil(call);
      // In the contract profile an earlier tensor may be too large for that alone.
      judges_lifts_ = !function.contract();
      Refuse(call, function.entry, kLimit, function.contract() ? " has " : Name(row.role) + " has |indice_pairs has ");
    }
  }
}

// Some tensor has an extent of 0, so that nothing has elements; the products of the others overflow all the same.
TEST_P(IndiceConvolutionLimits, OverflowBesideZero) {
  const GuardedBuffer nothing(0);
  for (const Function& function : FunctionsOf(GetParam())) {
    for (const std::vector<int64_t>& space : std::vector<std::vector<int64_t>>{
             {kOne << 40, kOne << 40, 1}, {INT64_MAX, INT64_MAX, INT64_MAX}, {kOne << 32, kOne << 32, 1}}) {
      SCOPED_TRACE(NameOf(GetParam(), function));
      BadCall call(GetParam());
      call.profile = function.profile;
      call.other_num = static_cast<const int64_t*>(nothing.data());
      call.space = space;
      call.ci = call.sites = 0;
      const std::vector<unsigned char> before = call.Bytes();
      const Answer answer = call.Run(handle_, function.entry);
      EXPECT_TRUE(answer.status == kBad || answer.status == kLimit) << mluOpGetErrorString(answer.status);
      EXPECT_NE(answer.text, "");
      EXPECT_TRUE(call.Bytes() == before && call.PlacesIntact());
      // As many offsets as a 64-bit product of these extents would have.
      for (const int64_t wrapped : {int64_t{0}, int64_t{1}}) {
        call.tensors[kPairs].surplus[0] = wrapped - call.offsets();
        const Answer other = call.Run(handle_, function.entry);
        EXPECT_TRUE(other.status == kBad || other.status == kLimit) << mluOpGetErrorString(other.status);
      }
      ExpectGoodCall(GetParam());
    }
  }
}

// Backward filter looks at the numbers of pairs last, so here nobody reads 2^40 of them.
TEST_P(IndiceConvolutionLimits, ManyOffsetsWithoutElements) {
  if (GetParam() != Way::kBackwardFilter) GTEST_SKIP() << "the other ways read the numbers before";
  const GuardedBuffer nothing(0);
  for (const Function& function : FunctionsOnPairs()) {
    BadCall call(GetParam());
    call.profile = function.profile;
    call.other_num = static_cast<const int64_t*>(nothing.data());
    call.space = {kOne << 20, 1, kOne << 20};
    call.ci = call.sites = 0;
    Accept(call, function.entry);
  }
}

// ---- limits in no document ----

TEST_P(IndiceConvolutionLimits, MoreThanAMillionSites) {
  for (const Function& function : FunctionsOnPairs()) {
    for (const int64_t sites : {1000000, 1000001, 4000000}) {
      ExpectToGetAsFarAsTheData(function, [&](BadCall& call) { call.sites = sites; });
    }
  }
}

TEST_P(IndiceConvolutionLimits, LargeKernels) {
  const std::vector<int64_t> numbers(5000, 0);
  for (const Function& function : FunctionsOnPairs()) {
    for (const std::vector<int64_t>& space : std::vector<std::vector<int64_t>>{{1, 17, 241}, {5, 10, 100}}) {
      ExpectToGetAsFarAsTheData(function, [&](BadCall& call) {
        call.space = space;
        call.other_num = numbers.data();
      });
    }
  }
}

}  // namespace
}  // namespace detops_test
