// The limits of get_indice_pairs: those of the contract profile, which the full profile lifts, and those of int32 and
// int64, which nothing lifts. Tensors too large to exist have no data: the limits come before the data pointers.
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/get_indice_pairs/test/bad_call.h"

namespace detops_test {
namespace {

constexpr int64_t kTwoTo31 = int64_t{1} << 31;
constexpr const char* kLifted = "; the full profile lifts this limit.";
constexpr detopsProfile_t kProfiles[] = {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL};

class GetIndicePairsLimits : public GetIndicePairsRefusals {
 protected:
  // No data: what gets past the limits is refused there.
  void ExpectToGetAsFarAsTheData(int64_t elements, const Spoil& spoil) {
    ExpectBadParam("the data pointer of indices is NULL, expected " + std::to_string(elements) + " elements.",
                   kNotInSize, [&](BadCall& call) {
                     spoil(call);
                     call.indices.data = nullptr;
                   });
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, GetIndicePairsLimits, testing::ValuesIn(kModes), ModeName);

void SetSpaces(BadCall& call, const std::vector<int64_t>& space) {
  call.conv().input_space = call.conv().output_space = space;
}

// Room for 2^46 sites.
void SetLargeSpaces(BadCall& call) { SetSpaces(call, {1 << 15, 1 << 15, 1 << 15}); }

// ---- what only the contract refuses ----

TEST_P(GetIndicePairsLimits, Dimensions) {
  for (const size_t dimensions : {1u, 2u, 4u}) {
    ExpectNotSupported("sparse_conv has ndim " + std::to_string(dimensions) +
                           ", transpose 0 and inverse 0, expected 3, 0 and 0" + kLifted,
                       kEverywhere, [&](BadCall& call) {
                         SparseConvolution& conv = call.conv();
                         for (auto* numbers : {&conv.input_space, &conv.filter_space, &conv.output_space, &conv.stride,
                                               &conv.dilation}) {
                           numbers->resize(dimensions, 1);
                         }
                         conv.pad.resize(dimensions, 0);
                       });
  }
}

TEST_P(GetIndicePairsLimits, TransposedAndInverse) {
  if (GetParam() == Mode::kRegular) {
    ExpectNotSupported(std::string("sparse_conv has ndim 3, transpose 1 and inverse 0, expected 3, 0 and 0") + kLifted,
                       kEverywhere, [](BadCall& call) { call.conv().transposed = true; });
  }
  ExpectNotSupported(std::string("sparse_conv has ndim 3, transpose 0 and inverse 1, expected 3, 0 and 0") + kLifted,
                     kEverywhere, [](BadCall& call) { call.problem.inverse = true; });
  ExpectAccepted("inverse in the full profile", [](BadCall& call) {
    call.profile = DETOPS_PROFILE_FULL;
    call.problem.inverse = true;
  });
}

TEST_P(GetIndicePairsLimits, MoreSitesThanTheSpaceHas) {
  ExpectBadParam(
      std::string("indices has extent 11 on axis 0, expected at most the 10 sites of batch x input_space") + kLifted,
      kEverywhere, [](BadCall& call) { SetSpaces(call, {1, 1, 5}); });
  ExpectBadParam(
      std::string("indices has extent 11 on axis 0, expected at most the 2 sites of batch x input_space") + kLifted,
      kEverywhere, [](BadCall& call) { SetSpaces(call, {1, 1, 1}); });
}

TEST_P(GetIndicePairsLimits, StrideAndDilation) {
  for (size_t axis = 0; axis < 3; ++axis) {
    for (const int64_t number : {2, 3, INT_MAX}) {
      ExpectBadParam("sparse_conv has stride " + std::to_string(number) + " and dilation 2 on axis " +
                         std::to_string(axis) + ", expected one of them to be 1" + kLifted,
                     kEverywhere, [&](BadCall& call) {
                       call.conv().stride[axis] = number;
                       call.conv().dilation[axis] = 2;
                     });
    }
  }
}

// Every lifted limit: refused in the contract profile, right in the full one.
TEST(GetIndicePairsLifted, InTheFullProfile) {
  const std::vector<Site> line = {{0, 1}, {0, 3}, {0, 0}};
  const std::vector<Site> solid = {{0, 1, 2, 3}, {0, 0, 1, 2}, {0, 2, 2, 2}};
  SparseConvolution one_d = Completed({1, {5}, {3}}), two_d = Completed({1, {4, 5}, {3, 2}});
  SparseConvolution four_d = Completed({1, {3, 4, 5, 6}, {1, 2, 3, 2}});
  SparseConvolution both = Completed({1, {5, 5, 5}, {3, 3, 3}, {3, 3, 3}, {2, 2, 2}, {2, 1, 1}, {2, 1, 1}});
  SparseConvolution transposed = {1, {4, 4, 4}, {2, 2, 2}};
  transposed.stride = {2, 2, 2};
  transposed.transposed = true;
  SparseConvolution dilated = {1, {5, 5, 5}, {3, 3, 3}};
  dilated.pad = {2, 1, 1};
  dilated.dilation = {2, 1, 1};
  dilated.submanifold = true;
  SparseConvolution crowded = {1, {1, 1, 2}, {1, 1, 3}};
  crowded.pad = {0, 0, 1};
  crowded.submanifold = true;
  const std::vector<Site> duplicates = {{0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0}, {0, 0, 0, 1}};
  SparseConvolution crowded_regular = Completed({1, {1, 1, 2}, {1, 1, 2}});
  const std::vector<PairProblem> problems = {{one_d, line},
                                             {two_d, line},
                                             {four_d, solid},
                                             {both, solid},
                                             {Completed(transposed), solid},
                                             {Completed(dilated), solid},
                                             {Completed(crowded), duplicates},
                                             {crowded_regular, duplicates},
                                             {Completed({1, {5, 5, 5}, {2, 2, 2}}), solid, {}, true}};
  for (const PairProblem& problem : problems) {
    SCOPED_TRACE(Describe(problem));
    const IndicePairs expected = problem.Expected();
    PairCall call(problem, expected.num_act_out);
    const ConvolutionDescriptor desc(problem);
    Handle handle;
    size_t size = kSizeMark;
    EXPECT_NE(call.WorkspaceSize(handle, desc, &size), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(size, kSizeMark);
    EXPECT_TRUE(Matches(std::string("*") + kLifted, handle.LastError())) << handle.LastError();
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& full) {
      ConvolutionDescriptor fresh;
      ExpectPairs(full, fresh, problem, expected);
    });
  }
}

// As many sites as the space has are no fault, nor are stride and dilation on different axes.
TEST(GetIndicePairsLifted, WhatTheContractAccepts) {
  std::vector<Site> all;
  all.reserve(24);
  for (int32_t i = 0; i < 24; ++i) all.push_back({i / 12, i / 6 % 2, i / 2 % 3, i % 2});
  for (const bool submanifold : {false, true}) {
    SparseConvolution full_space = {2, {2, 3, 2}, {1, 3, 1}};
    full_space.pad = {0, 1, 0};
    full_space.submanifold = submanifold;
    const PairProblem problem = {Completed(full_space), all};
    ForEachConfiguration([&](const Handle& handle) {
      ConvolutionDescriptor fresh;
      ExpectPairs(handle, fresh, problem, problem.Expected());
    });
  }
}

// ---- rows of out_indices against the output space ----

TEST_P(GetIndicePairsLimits, MoreRowsThanTheOutputSpaceHas) {
  const int64_t sites = GetParam() == Mode::kRegular ? 2 * 4 * 3 * 7 : 2 * 4 * 5 * 7;
  Tensor memory(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {sites + 1, 4});
  for (const detopsProfile_t profile : kProfiles) {
    const auto with = [&](int64_t rows) {
      return [&memory, rows, profile](BadCall& call) {
        call.profile = profile;
        call.rows = rows;
        call.out_indices.data = memory.data();
      };
    };
    ExpectBadParam("out_indices has extent " + std::to_string(sites + 1) + " on axis 0, expected at most the " +
                       std::to_string(sites) + " sites of batch x output_space.",
                   kNotInCount, with(sites + 1));
    EXPECT_TRUE(memory.CanaryIntact());
    BadCall call(GetParam());
    with(sites)(call);
    std::vector<unsigned char> workspace;
    ASSERT_EQ(call.Run(handle_, Function::kSize).status, MLUOP_STATUS_SUCCESS);
    workspace.resize(call.size);
    call.workspace = workspace.data();
    call.workspace_size = workspace.size();
    Accept(call, Function::kPairs);
    memory.FillCanary();
  }
}

// Submanifold with more sites than the space: each keeps its row.
TEST(GetIndicePairsLifted, RowsOfDuplicates) {
  SparseConvolution convolution = {1, {1, 1, 2}, {1, 1, 3}};
  convolution.pad = {0, 0, 1};
  convolution.submanifold = true;
  const PairProblem problem = {Completed(convolution),
                               {{0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}}};
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  const ConvolutionDescriptor desc(problem);
  size_t size = kSizeMark;
  PairCall fits(problem, 5), too_many(problem, 6);
  EXPECT_EQ(fits.WorkspaceSize(handle, desc, &size), MLUOP_STATUS_SUCCESS) << handle.LastError();
  size = kSizeMark;
  EXPECT_EQ(too_many.WorkspaceSize(handle, desc, &size), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(size, kSizeMark);
  EXPECT_TRUE(
      Matches("*: out_indices has extent 6 on axis 0, expected at most the 5 sites of indices.", handle.LastError()))
      << handle.LastError();
}

// ---- counts of elements ----

// The smallest count that the contract refuses, and the largest that goes on to the next check.
TEST_P(GetIndicePairsLimits, CountOfIndices) {
  const auto with = [](int64_t sites, detopsProfile_t profile) {
    return [=](BadCall& call) {
      call.profile = profile;
      SetLargeSpaces(call);
      call.conv().filter_space = {1, 1, 1};  // fewer elements in indice_pairs than in indices
      call.sites = sites;
    };
  };
  ExpectNotSupported(std::string("indices has 2147483648 elements, expected fewer than 2147483648") + kLifted,
                     kEverywhere, with(kTwoTo31 / 4, DETOPS_PROFILE_CONTRACT));
  ExpectToGetAsFarAsTheData(kTwoTo31 - 4, with(kTwoTo31 / 4 - 1, DETOPS_PROFILE_CONTRACT));
  ExpectToGetAsFarAsTheData(kTwoTo31, with(kTwoTo31 / 4, DETOPS_PROFILE_FULL));
}

TEST_P(GetIndicePairsLimits, CountOfPairs) {
  constexpr int64_t kSites = 178956971;  // 12 * 178956971 = 2^31 + 4
  const auto with = [](int64_t sites, detopsProfile_t profile) {
    return [=](BadCall& call) {
      call.profile = profile;
      SetLargeSpaces(call);
      call.sites = sites;
    };
  };
  ExpectNotSupported(std::string("indice_pairs has 2147483652 elements, expected fewer than 2147483648") + kLifted,
                     {Effect::kRefuses, Effect::kNotAsked}, with(kSites, DETOPS_PROFILE_CONTRACT));
  ExpectToGetAsFarAsTheData(4 * (kSites - 1), with(kSites - 1, DETOPS_PROFILE_CONTRACT));
  ExpectToGetAsFarAsTheData(4 * kSites, with(kSites, DETOPS_PROFILE_FULL));
}

TEST_P(GetIndicePairsLimits, CountOfOutIndices) {
  const auto with = [](int64_t rows, detopsProfile_t profile) {
    return [=](BadCall& call) {
      call.profile = profile;
      SetLargeSpaces(call);
      call.rows = rows;
    };
  };
  ExpectNotSupported(std::string("out_indices has 2147483648 elements, expected fewer than 2147483648") + kLifted,
                     kNotInCount, with(kTwoTo31 / 4, DETOPS_PROFILE_CONTRACT));
  ExpectToGetAsFarAsTheData(44, with(kTwoTo31 / 4 - 1, DETOPS_PROFILE_CONTRACT));
  ExpectToGetAsFarAsTheData(44, with(kTwoTo31 / 4, DETOPS_PROFILE_FULL));
  ExpectToGetAsFarAsTheData(44, with(kTwoTo31, DETOPS_PROFILE_FULL));
}

TEST_P(GetIndicePairsLimits, BytesBeyondInt64) {
  for (const int64_t extent : {int64_t{1} << 59, int64_t{1} << 62, INT64_MAX}) {
    for (const detopsProfile_t profile : kProfiles) {
      const auto with = [&](int64_t BadCall::* number) {
        return [=](BadCall& call) {
          call.profile = profile;
          SetSpaces(call, {INT_MAX, INT_MAX, INT_MAX});  // beyond int64 too, or extents would be refused as too many
          call.*number = extent;
        };
      };
      const std::string shape = " has shape [" + std::to_string(extent) + ", 4], expected fewer than 2^63 bytes.";
      ExpectNotSupported("indices" + shape, kEverywhere, with(&BadCall::sites));
      // The spaces do not fit either, which is all that the count function sees.
      ExpectNotSupported("out_indices" + shape, {Effect::kRefuses, Effect::kNotAsked}, with(&BadCall::rows));
    }
  }
  ExpectNotSupported("indice_pairs has shape [6, 2, 288230376151711744], expected fewer than 2^63 bytes.",
                     {Effect::kRefuses, Effect::kNotAsked}, [](BadCall& call) {
                       call.profile = DETOPS_PROFILE_FULL;
                       SetSpaces(call, {INT_MAX, INT_MAX, INT_MAX});
                       call.sites = int64_t{1} << 58;
                     });
}

// Pairs hold input indices in int32.
TEST_P(GetIndicePairsLimits, SitesBeyondInt32) {
  const auto with = [](int64_t sites) {
    return [=](BadCall& call) {
      call.profile = DETOPS_PROFILE_FULL;
      SetLargeSpaces(call);
      call.sites = sites;
    };
  };
  for (const int64_t sites : {kTwoTo31, kTwoTo31 * 8}) {
    ExpectNotSupported("indices has extent " + std::to_string(sites) +
                           " on axis 0, expected fewer than 2^31: indices of sites are int32.",
                       kEverywhere, with(sites));
  }
  ExpectToGetAsFarAsTheData(4 * (kTwoTo31 - 1), with(kTwoTo31 - 1));
}

// ---- spaces ----

TEST_P(GetIndicePairsLimits, SpacesBeyondInt64) {
  // 3 * (2^31 - 1)^2 is above 2^63, 2 * (2^31 - 1)^2 = 2^63 - 2^33 + 2 below.
  const std::vector<int64_t> large = {INT_MAX, 1, INT_MAX};
  for (const detopsProfile_t profile : kProfiles) {
    ExpectNotSupported("sparse_conv has too many sites in batch x input_space, expected fewer than 2^63*.", kEverywhere,
                       [&](BadCall& call) {
                         call.profile = profile;
                         SetSpaces(call, large);
                         call.conv().batch = 3;
                       });
    ExpectNotSupported("sparse_conv has too many sites in batch x input_space, expected fewer than 2^63*.", kEverywhere,
                       [&](BadCall& call) {
                         call.profile = profile;
                         SetSpaces(call, {INT_MAX, INT_MAX, INT_MAX});
                         call.conv().batch = INT_MAX;
                       });
    if (GetParam() == Mode::kRegular) {
      ExpectNotSupported("sparse_conv has too many sites in batch x output_space, expected fewer than 2^63*.",
                         kEverywhere, [&](BadCall& call) {
                           call.profile = profile;
                           call.conv().output_space = large;
                           call.conv().batch = 3;
                         });
    }
    ExpectToGetAsFarAsTheData(44, [&](BadCall& call) {
      call.profile = profile;
      SetSpaces(call, large);
    });
  }
}

// A kernel that nobody can count has no tensor of pairs that fits; the count function has no such tensor to compare
// with and says so itself, before it overflows.
TEST_P(GetIndicePairsLimits, KernelBeyondInt64) {
  for (const detopsProfile_t profile : kProfiles) {
    for (const std::vector<int64_t>& filter :
         {std::vector<int64_t>{INT_MAX, INT_MAX, INT_MAX}, std::vector<int64_t>{INT_MAX, INT_MAX, 3}}) {
      PairProblem problem = GoodProblem(GetParam());
      PairCall call(problem, 4);  // tensors of the good problem
      problem.convolution.filter_space = filter;
      const ConvolutionDescriptor desc(problem);
      const Handle handle(profile, 1);
      size_t size = kSizeMark;
      EXPECT_EQ(call.WorkspaceSize(handle, desc, &size), MLUOP_STATUS_BAD_PARAM);
      EXPECT_TRUE(Matches("*: indice_pairs has extent 6 on axis 0, expected the * offsets of filter_space.",
                          handle.LastError()))
          << handle.LastError();
      EXPECT_EQ(size, kSizeMark);
      int64_t count = kCountMark;
      EXPECT_EQ(call.Count(handle, desc, &count), MLUOP_STATUS_NOT_SUPPORTED);
      EXPECT_TRUE(Matches("detopsCountIndicePairOutputs: *filter_space*.", handle.LastError())) << handle.LastError();
      EXPECT_EQ(count, kCountMark);
    }
  }
}

// The largest kernel that can be counted: nobody walks through it, as only its front takes a site to an output.
TEST_P(GetIndicePairsLimits, CountWithALargeKernel) {
  PairProblem problem = GoodProblem(GetParam());
  problem.convolution.filter_space = {INT_MAX, INT_MAX, 2};
  const ConvolutionDescriptor desc(problem);
  const PairCall call(GoodProblem(GetParam()), 4);
  const Handle handle;
  int64_t count = kCountMark;
  EXPECT_EQ(call.Count(handle, desc, &count), MLUOP_STATUS_SUCCESS) << handle.LastError();
  for (size_t axis = 0; axis < 2; ++axis) {  // offsets from input_space + pad on lead below 0
    problem.convolution.filter_space[axis] = problem.convolution.input_space[axis] + problem.convolution.pad[axis];
  }
  EXPECT_EQ(count, problem.Expected().num_act_out);
}

// Numbers at the end of int32 are no fault: positions are added up beyond it. Sites at both ends of the space meet
// outputs, or do not, as in the reference.
TEST_P(GetIndicePairsLimits, NumbersAtTheEndOfInt32) {
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  ConvolutionDescriptor desc;
  const bool submanifold = GetParam() == Mode::kSubmanifold;
  for (const int64_t pad : {0, 1, 2, INT_MAX - 1, INT_MAX}) {
    for (const int64_t dilation : {1, INT_MAX / 2, INT_MAX - 1, INT_MAX}) {
      for (const int64_t stride : {1, 2, INT_MAX - 1, INT_MAX}) {
        for (const bool transposed : {false, true}) {
          if (submanifold && (stride != 1 || transposed)) continue;
          for (const int32_t extent : {5, INT_MAX - 1, INT_MAX}) {
            PairProblem problem = {{1, {extent, 2}, {3, 3}, {extent, 2}, {pad, 1}, {stride, 1}, {dilation, 1}},
                                   {{0, 1, 0}, {0, extent - 1, 1}, {0, 0, 1}, {0, 3, 1}, {0, extent / 2, 0}}};
            problem.convolution.submanifold = submanifold;
            problem.convolution.transposed = transposed;
            ExpectPairs(handle, desc, problem, problem.Expected());
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
