// Every tensor and number of every convolution wrong in every way, one at a time: types, ranks, layouts, strides,
// extents, flags, workspace. What is right about it must be accepted.
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/errors_rules.h"

namespace detops_test {
namespace {

constexpr int64_t kTwoTo32 = int64_t{1} << 32;

class IndiceConvolutionArguments : public ConvolutionRefusals {
 protected:
  static std::string Name(Role role) { return NameOf(GetParam(), role); }
  static Role Target() { return TargetOf(GetParam()); }

  // A rulebook has no pairs, and without a fused call there is nothing else.
  static std::vector<Role> RolesOf(const Function& function) {
    if (function.entry == Entry::kRulebook) return {kIn, kOut, kFilters};
    return {kIn, kOut, kFilters, kPairs};
  }

  template <class Body>
  void ForEachTensor(const Body& body) {
    for (const Function& function : FunctionsOf(GetParam())) {
      for (const Role role : RolesOf(function)) {
        SCOPED_TRACE(NameOf(GetParam(), function) + ", " + Name(role));
        body(function, role);
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, IndiceConvolutionArguments, testing::ValuesIn(kWays), WayName);

// ---- types ----

struct TypeRow {
  int number;
  const char* name;
};
constexpr TypeRow kAllTypes[] = {{0, "invalid"},        {1, "half"},      {2, "float"},    {3, "int8"},
                                 {4, "int16"},          {5, "int31"},     {6, "int32"},    {7, "uint8"},
                                 {8, "bool"},           {9, "int64"},     {10, "unknown"}, {11, "uint32"},
                                 {12, "uint64"},        {13, "uint16"},   {14, "double"},  {15, "complex_half"},
                                 {16, "complex_float"}, {17, "bfloat16"}, {18, "unknown"}, {99, "unknown"},
                                 {INT_MAX, "unknown"}};

TEST_P(IndiceConvolutionArguments, TypeOfOneTensor) {
  ForEachTensor([&](const Function& function, Role role) {
    for (const TypeRow& wrong : kAllTypes) {
      const auto type = static_cast<mluOpDataType_t>(wrong.number);
      if (type == (role == kPairs ? MLUOP_DTYPE_INT32 : MLUOP_DTYPE_FLOAT)) continue;
      BadCall call(GetParam());
      call.profile = function.profile;
      call.tensors[role].type = type;
      const std::string said = Name(role) + " has type " + wrong.name;
      const bool wide = type == MLUOP_DTYPE_DOUBLE || type == MLUOP_DTYPE_BFLOAT16;
      const bool floating = role != kPairs && (wide || type == MLUOP_DTYPE_HALF);
      // As a number type of the profile it only differs from the others, which may be said of any of them.
      const bool differs = floating && (!wide || !function.contract());
      judges_lifts_ = !wide || role == kPairs;  // the full profile takes it, if all have it
      Refuse(call, function.entry, kBad, differs ? "has type float|" + said : said);
    }
  });
}

TEST_P(IndiceConvolutionArguments, TypeOfAllTensors) {
  for (const Function& function : FunctionsOf(GetParam())) {
    for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16}) {
      SCOPED_TRACE(NameOf(GetParam(), function) + ", " + ElementName(type));
      BadCall call(GetParam(), {.type = type});
      call.profile = function.profile;
      const bool wide = type == MLUOP_DTYPE_DOUBLE || type == MLUOP_DTYPE_BFLOAT16;
      if (function.contract() && wide) {
        Refuse(call, function.entry, kBad, std::string("has type ") + ElementName(type) + "*" + kLifts);
      } else {
        Accept(call, function.entry);
      }
    }
  }
}

// ---- ranks and layouts ----

TEST_P(IndiceConvolutionArguments, Rank) {
  ForEachTensor([&](const Function& function, Role role) {
    BadCall good(GetParam());
    const auto right = static_cast<int>(good.Extents(role).size());
    for (const int rank : {0, 1, 2, 3, 5, 6, 8, 9, 100}) {
      if (rank == right) continue;
      BadCall call(GetParam());
      call.profile = function.profile;
      call.tensors[role].surplus_rank = rank - right;
      const bool limit = GetParam() == Way::kForward && role == kFilters;
      Refuse(call, function.entry, limit ? kLimit : kBad, Name(role) + " has rank " + std::to_string(rank));
    }
  });
}

bool LayoutIsKnown(int layout) { return layout >= MLUOP_LAYOUT_NCHW && layout <= MLUOP_LAYOUT_NCDHW; }
bool LayoutIsOfRankFive(int layout) {
  return layout == MLUOP_LAYOUT_NDHWC || layout == MLUOP_LAYOUT_NCDHW || layout == MLUOP_LAYOUT_ARRAY;
}
bool LayoutFits(int layout, int rank) {
  return LayoutIsKnown(layout) && (layout == MLUOP_LAYOUT_ARRAY || LayoutIsOfRankFive(layout) == (rank == 5));
}

TEST_P(IndiceConvolutionArguments, LayoutOfFilters) {
  for (const Function& function : FunctionsOf(GetParam())) {
    for (const int rank : {4, 5}) {
      for (const int layout : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99, INT_MAX}) {
        SCOPED_TRACE(testing::Message() << NameOf(GetParam(), function) << ", rank " << rank << ", layout " << layout);
        BadCall call(GetParam());
        call.profile = function.profile;
        call.filter_rank = rank;
        call.tensors[kFilters].layout = static_cast<mluOpTensorLayout_t>(layout);
        const bool fits = LayoutFits(layout, rank), forward = GetParam() == Way::kForward;
        const bool ignored = GetParam() == Way::kBackwardFilter && function.contract();
        if (ignored || (fits && (!forward || !function.contract() || rank == 5))) {
          Accept(call, function.entry);
        } else if (forward && function.contract()) {
          // First the layout, then the rank.
          const std::string said = LayoutIsOfRankFive(layout) ? "filters has rank 4" : "filters*layout";
          Refuse(call, function.entry, kLimit, fits ? said + "*" + kLifts : said);
        } else {
          Refuse(call, function.entry, forward && !LayoutIsKnown(layout) ? kLimit : kBad, Name(kFilters) + "*layout");
        }
      }
    }
  }
}

TEST_P(IndiceConvolutionArguments, AnyOtherLayoutIsAccepted) {
  for (const int layout : {0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 99, INT_MAX}) {
    AcceptEverywhere(GetParam(), [&](BadCall& call) {
      for (const Role role : {kIn, kOut, kPairs, kBias, kResidual}) {
        call.tensors[role].layout = static_cast<mluOpTensorLayout_t>(layout);
      }
    });
  }
}

// ---- strides and extents ----

TEST_P(IndiceConvolutionArguments, Strides) {
  ForEachTensor([&](const Function& function, Role role) {
    const std::vector<int64_t> extents = BadCall(GetParam()).Extents(role);
    int64_t dense = 1;
    for (size_t axis = extents.size(); axis-- > 0; dense *= extents[axis]) {
      for (const int64_t stride : {dense + 1, dense - 1, int64_t{0}, -dense, INT64_MAX - 1000, INT64_MIN + 1000}) {
        BadCall call(GetParam());
        call.profile = function.profile;
        call.tensors[role].odd_strides[axis] = stride - dense;
        Refuse(call, function.entry, kLimit, Name(role) + " has stride " + std::to_string(stride));
      }
    }
  });
}

TEST_P(IndiceConvolutionArguments, StrideOfAnAxisOfExtentOneIsFree) {
  for (const int64_t surplus : {-1, 1, 1000}) {
    AcceptEverywhere(GetParam(), [&](BadCall& call) {
      call.space = {1, 15, 3};
      call.tensors[kFilters].odd_strides[0] = surplus;
    });
  }
}

// Also where the extent becomes 0: that is a difference like any other and not a tensor without elements.
TEST_P(IndiceConvolutionArguments, Extents) {
  ForEachTensor([&](const Function& function, Role role) {
    const std::vector<int64_t> extents = BadCall(GetParam()).Extents(role);
    for (size_t axis = 0; axis < extents.size(); ++axis) {
      // Backward, output_grad may have any number of rows, and only a rulebook knows better.
      const bool free = role == kOut && axis == 0 && GetParam() != Way::kForward;
      if (free && function.entry != Entry::kRulebook) continue;
      for (const int64_t extent : {int64_t{0}, int64_t{1}, extents[axis] - 1, extents[axis] + 1, int64_t{1000}}) {
        if (extent == extents[axis]) continue;
        BadCall call(GetParam());
        call.profile = function.profile;
        call.tensors[role].surplus[axis] = extent - extents[axis];
        SCOPED_TRACE(testing::Message() << "axis " << axis << ", extent " << extent);
        Refuse(call, function.entry, kBad, Name(kIn) + "|" + Name(kOut) + "|indice_pairs|" + Name(kFilters));
      }
    }
  });
}

// How many numbers indice_num has is known only once the kernel agrees with the pairs. Here it has none at all.
TEST_P(IndiceConvolutionArguments, NumbersAreNotReadBeforeTheKernelIsKnown) {
  const GuardedBuffer nothing(0);
  const auto spoil = [&](Role role, size_t axis, int64_t surplus) {
    return [&nothing, role, axis, surplus](BadCall& call) {
      call.other_num = static_cast<const int64_t*>(nothing.data());
      call.tensors[role].surplus[axis] = surplus;
    };
  };
  for (const Function& function : FunctionsOf(GetParam())) {
    if (function.entry == Entry::kRulebook) continue;
    for (const Spoil wrong : {spoil(kPairs, 0, -44), spoil(kPairs, 0, -1), spoil(kPairs, 0, 1), spoil(kPairs, 0, 1000),
                              spoil(kFilters, 0, 1), spoil(kFilters, 1, -1), spoil(kFilters, 2, 1000)}) {
      SCOPED_TRACE(NameOf(GetParam(), function));
      BadCall call(GetParam());
      call.profile = function.profile;
      wrong(call);
      Refuse(call, function.entry, kBad, "indice_pairs|" + Name(kFilters));
      // Nor may the flags lead there.
      if (GetParam() != Way::kBackwardFilter && function.contract()) {
        call.inverse = 1;
        Refuse(call, function.entry, kLimit, std::string("inverse is 1*") + kLifts);
      }
    }
  }
}

// ---- flags and numbers ----

TEST_P(IndiceConvolutionArguments, FlagsAreZeroOrOne) {
  for (const int64_t wrong : {int64_t{2}, int64_t{-1}, kTwoTo32, kTwoTo32 + 1, -kTwoTo32, INT64_MAX, INT64_MIN}) {
    RefuseEverywhere(GetParam(), kBad, "inverse is " + std::to_string(wrong),
                     [&](BadCall& call) { call.inverse = wrong; });
    for (const Function& function : FunctionsOf(GetParam())) {
      const bool none = GetParam() == Way::kBackwardData && function.entry == Entry::kSize;
      if (none || function.entry == Entry::kRulebook) continue;
      BadCall call(GetParam());
      call.profile = function.profile;
      call.sub_m = wrong;
      Refuse(call, function.entry, kBad, "sub_m is " + std::to_string(wrong));
    }
  }
}

TEST_P(IndiceConvolutionArguments, InverseInTheFullProfile) {
  for (const Function& function : FunctionsOf(GetParam())) {
    BadCall call(GetParam(), {.inverse = 1});
    call.profile = function.profile;
    if (function.contract()) {
      Refuse(call, function.entry, GetParam() == Way::kBackwardFilter ? kBad : kLimit,
             std::string("inverse is 1*") + kLifts);
    } else {
      Accept(call, function.entry);
      call.tensors[kOut].surplus[0] = 2;  // no longer as many rows as the pairs have columns
      call.num_act_out = kSites + 2;
      Refuse(call, function.entry, kBad, Name(kOut) + "|indice_pairs");
      call.tensors[kOut].surplus[0] = 0;
      call.num_act_out = kSites;
      call.tensors[kIn].surplus[0] = 100;  // these are free, unless a rulebook knows them
      if (function.entry == Entry::kSize) Accept(call, function.entry);
      if (function.entry == Entry::kRulebook) Refuse(call, function.entry, kBad, Name(kIn));
    }
  }
}

TEST_P(IndiceConvolutionArguments, NumActOut) {
  if (GetParam() != Way::kForward) GTEST_SKIP() << "not an argument of this way";
  for (const int64_t wrong : {int64_t{0}, int64_t{-1}, kRows - 1, kRows + 1, kRows + kTwoTo32, INT64_MAX, INT64_MIN}) {
    for (const Function& function : FunctionsOf(GetParam())) {
      if (function.entry == Entry::kRulebook) continue;
      BadCall call(GetParam());
      call.profile = function.profile;
      call.num_act_out = wrong;
      Refuse(call, function.entry, kBad, "num_act_out|features_out");
    }
  }
}

}  // namespace
}  // namespace detops_test
