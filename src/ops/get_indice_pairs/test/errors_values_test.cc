// What is wrong with the data of get_indice_pairs and not with their description: coordinates outside of the space and
// too few rows for the output sites; and tensors without elements, whose data nobody may ask for.
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/get_indice_pairs/test/bad_call.h"
#include "support/runner.h"

namespace detops_test {
namespace {

class GetIndicePairsBadValues : public GetIndicePairsRefusals {};
INSTANTIATE_TEST_SUITE_P(Modes, GetIndicePairsBadValues, testing::ValuesIn(kModes), ModeName);

int32_t* IndicesOf(BadCall& call) { return static_cast<int32_t*>(call.indices_tensor.data()); }

std::string BadCoordinate(int64_t row, int64_t column, int64_t value, int64_t extent) {
  return "indices[" + std::to_string(row) + ", " + std::to_string(column) + "] is " + std::to_string(value) +
         (column == 0 ? ", expected a batch id in [0, " : ", expected a coordinate in [0, ") + std::to_string(extent) +
         ").";
}

// ---- coordinates ----

TEST_P(GetIndicePairsBadValues, EveryPosition) {
  const int64_t extents[] = {2, 4, 5, 7};
  for (int64_t row = 0; row < 11; ++row) {
    for (int64_t column = 0; column < 4; ++column) {
      const int64_t extent = extents[column];
      for (const int64_t value : {int64_t{-1}, extent, extent + 1, int64_t{INT_MIN}, int64_t{INT_MAX}}) {
        ExpectBadParam(BadCoordinate(row, column, value, extent), kNotInSize,
                       [&](BadCall& call) { IndicesOf(call)[row * 4 + column] = static_cast<int32_t>(value); });
      }
    }
  }
}

// Numbers that come inside again if somebody adds them up, multiplies them in 32 bits or looks at the flat position
// alone: row by row outside on one axis, yet inside the space as a whole.
TEST_P(GetIndicePairsBadValues, FlatPositionInside) {
  const struct {
    int32_t site[4];
    int column;
  } rows[] = {{{0, 0, 5, 0}, 2},       {{0, 1, -1, 0}, 2},      {{1, 0, 0, -1}, 3},      {{0, 0, 0, 7}, 3},
              {{0, 4, 0, 0}, 1},       {{1, -4, 0, 0}, 1},      {{1 << 30, 0, 0, 0}, 0}, {{0, 1 << 29, 0, 0}, 1},
              {{0, 0, 1 << 28, 0}, 2}, {{-1, 4, 0, 0}, 0},      {{2, -1, 0, 0}, 0},      {{0, 0, 0, 1 << 30}, 3},
              {{0, 0, INT_MAX, 1}, 2}, {{INT_MIN, 0, 0, 0}, 0}, {{0, INT_MIN, 0, 0}, 1}};
  const int64_t extents[] = {2, 4, 5, 7};
  for (const auto& row : rows) {
    ExpectBadParam(BadCoordinate(6, row.column, row.site[row.column], extents[row.column]), kNotInSize,
                   [&](BadCall& call) { std::copy_n(row.site, 4, IndicesOf(call) + 6 * 4); });
  }
}

TEST_P(GetIndicePairsBadValues, FirstOfManyIsReported) {
  ExpectBadParam(BadCoordinate(3, 2, 77, 5), kNotInSize, [](BadCall& call) {
    IndicesOf(call)[10 * 4 + 3] = -5;
    IndicesOf(call)[4 * 4 + 0] = 2;
    IndicesOf(call)[3 * 4 + 3] = -1;
    IndicesOf(call)[3 * 4 + 2] = 77;
  });
}

// A problem large enough to be searched in pieces by several threads.
PairProblem LargeProblem(Mode mode, size_t axes) {
  SparseConvolution convolution;
  convolution.batch = 3;
  convolution.input_space.assign(axes, axes == 1 ? 100000 : 60);
  convolution.filter_space.assign(axes, 1);
  convolution.filter_space.back() = 3;
  convolution.pad.assign(axes, 0);
  convolution.pad.back() = 1;
  convolution.submanifold = mode == Mode::kSubmanifold;
  PairProblem problem = {Completed(convolution), {}};
  Random random(axes);
  for (int i = 0; i < 100000; ++i) problem.sites.push_back(RandomSite(random, problem.convolution));
  return problem;
}

// The piece that ends first must not win.
TEST_P(GetIndicePairsBadValues, FirstOfManyIsReportedByAnyThread) {
  for (size_t axes = 1; axes <= 4; ++axes) {
    SCOPED_TRACE(testing::Message() << axes << " axes");
    PairProblem problem = LargeProblem(GetParam(), axes);
    problem.sites[99999][0] = 3;
    problem.sites[61007][axes] = INT_MIN;
    problem.sites[51007][axes] = -1;
    problem.sites[51007][1] = static_cast<int32_t>(problem.convolution.input_space[0]);
    const ConvolutionDescriptor desc(problem);
    PairCall call(problem, 1000);
    std::vector<unsigned char> workspace;
    const std::string sentence = BadCoordinate(51007, 1, problem.sites[51007][1], problem.sites[51007][1]);
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      for (const detopsRunner_t runner : {static_cast<detopsRunner_t>(nullptr), &RunBackwards}) {
        handle.SetRunner(runner, nullptr);
        size_t size = 0;
        ASSERT_EQ(call.WorkspaceSize(handle, desc, &size), MLUOP_STATUS_SUCCESS) << handle.LastError();
        workspace.resize(size);
        EXPECT_EQ(call.Run(handle, desc, workspace.data(), size), MLUOP_STATUS_BAD_PARAM);
        EXPECT_TRUE(Matches("mluOpGetIndicePairs: " + sentence, handle.LastError())) << handle.LastError();
        EXPECT_EQ(desc.NumActOut(), 0);
        int64_t count = kCountMark;
        EXPECT_EQ(call.Count(handle, desc, &count), MLUOP_STATUS_BAD_PARAM);
        EXPECT_TRUE(Matches("detopsCountIndicePairOutputs: " + sentence, handle.LastError())) << handle.LastError();
        EXPECT_EQ(count, kCountMark);
        ASSERT_TRUE(call.pairs.CanaryIntact() && call.out_indices.CanaryIntact() && call.num.CanaryIntact());
      }
      handle.SetRunner(nullptr, nullptr);
    });
  }
}

// One bad site anywhere among many, also in the last vector of a row of them.
TEST_P(GetIndicePairsBadValues, OneBadSiteIsFoundEverywhere) {
  PairProblem problem = LargeProblem(GetParam(), 3);
  problem.sites.resize(4099);
  const ConvolutionDescriptor desc(problem);
  PairCall call(problem, 1);
  auto* const indices = static_cast<int32_t*>(call.indices.data());
  ForEachTarget(DETOPS_PROFILE_CONTRACT, [&](const Handle& handle) {
    for (int64_t row = 0; row < 4099; row = row < 70 || row >= 4030 ? row + 1 : row + 61) {
      const int64_t column = row % 4;
      const int32_t good = indices[row * 4 + column];
      indices[row * 4 + column] = row % 2 == 0 ? 60 : -60;
      int64_t count = kCountMark;
      ASSERT_EQ(call.Count(handle, desc, &count), MLUOP_STATUS_BAD_PARAM) << row;
      ASSERT_TRUE(
          Matches("*indices[" + std::to_string(row) + ", " + std::to_string(column) + "] is *", handle.LastError()))
          << handle.LastError();
      indices[row * 4 + column] = good;
    }
  });
}

TEST_P(GetIndicePairsBadValues, GoodDataNeedNoChecks) {
  const PairProblem problem = GoodProblem(GetParam());
  const IndicePairs expected = problem.Expected();
  ForEachConfiguration([&](Handle& handle) {
    handle.SetValueChecks(false);
    ConvolutionDescriptor desc;
    ExpectPairs(handle, desc, problem, expected);
  });
}

TEST_P(GetIndicePairsBadValues, ChecksCanBeSwitchedOnAgain) {
  BadCall call(GetParam());
  call.value_checks = false;
  Accept(call, Function::kPairs);
  call.value_checks = true;
  IndicesOf(call)[5 * 4 + 1] = 4;
  for (Tensor* tensor : {&call.pairs_tensor, &call.out_tensor, &call.num_tensor}) tensor->FillCanary();
  Refuse(call, Function::kPairs, MLUOP_STATUS_BAD_PARAM, BadCoordinate(5, 1, 4, 4));
}

// ---- rows for the output sites ----

// Only the data say how many there are, so this is the last check; with value checks off it remains, as the rows would
// be written behind the tensor.
TEST_P(GetIndicePairsBadValues, TooFewRows) {
  const int64_t needed = good_.needed_rows;
  ASSERT_GT(needed, 3);
  for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
    for (const bool value_checks : {true, false}) {
      for (const int64_t rows : {needed - 1, int64_t{2}, int64_t{1}}) {
        ExpectBadParam("out_indices has extent " + std::to_string(rows) + " on axis 0, expected at least " +
                           std::to_string(needed) + ", one row per output site.",
                       kInPairsAlone, [&](BadCall& call) {
                         call.profile = profile;
                         call.value_checks = value_checks;
                         call.rows = rows;
                       });
      }
    }
  }
}

TEST_P(GetIndicePairsBadValues, TooFewRowsForManySites) {
  const PairProblem problem = LargeProblem(GetParam(), 3);
  const int64_t needed = problem.Expected().num_act_out;
  const ConvolutionDescriptor desc(problem);
  PairCall call(problem, needed - 1);
  std::vector<unsigned char> workspace;
  ForEachConfiguration([&](const Handle& handle) {
    size_t size = 0;
    ASSERT_EQ(call.WorkspaceSize(handle, desc, &size), MLUOP_STATUS_SUCCESS) << handle.LastError();
    workspace.resize(size);
    EXPECT_EQ(call.Run(handle, desc, workspace.data(), size), MLUOP_STATUS_BAD_PARAM);
    EXPECT_TRUE(Matches("mluOpGetIndicePairs: out_indices has extent " + std::to_string(needed - 1) +
                            " on axis 0, expected at least " + std::to_string(needed) + ", one row per output site.",
                        handle.LastError()))
        << handle.LastError();
    ASSERT_TRUE(call.pairs.CanaryIntact() && call.out_indices.CanaryIntact() && call.num.CanaryIntact());
    EXPECT_EQ(desc.NumActOut(), 0);
  });
}

// ---- tensors without elements ----

class GetIndicePairsEmpty : public GetIndicePairsRefusals {
 protected:
  // With or without pointers: a success with size 0, no outputs, and what has elements and a pointer says so.
  void ExpectEmptySuccess(const Spoil& spoil) {
    for (const bool pointers : {true, false}) {
      for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
        SCOPED_TRACE(pointers ? "with pointers" : "with NULL");
        BadCall call(GetParam());
        call.profile = profile;
        spoil(call);
        call.workspace = nullptr;
        call.workspace_size = 0;
        if (!pointers) {
          call.indices.data = call.indice_pairs.data = call.out_indices.data = call.indice_num.data = nullptr;
        }
        EXPECT_EQ(call.Run(handle_, Function::kSize).status, MLUOP_STATUS_SUCCESS);
        EXPECT_EQ(call.size, 0u);
        const Answer answer = call.Run(handle_, Function::kPairs);
        EXPECT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << answer.text;
        EXPECT_EQ(call.descriptor.NumActOut(), 0);
        EXPECT_TRUE(call.SurroundingsIntact());
        if (!pointers) {
          EXPECT_TRUE(call.pairs_tensor.CanaryIntact() && call.out_tensor.CanaryIntact() &&
                      call.num_tensor.CanaryIntact());
        } else {
          ExpectFront(call.pairs_tensor, 6 * 2 * call.sites, -1);
          ExpectFront(call.out_tensor, call.rows * 4, -1);
          ExpectFront(call.num_tensor, 6, 0);
        }
      }
    }
  }

  // The described elements have the value, those behind them are as before.
  static void ExpectFront(const Tensor& tensor, int64_t elements, double value) {
    Tensor canary(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1});
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      ASSERT_EQ(tensor.Get(i), i < elements ? value : canary.Get(0)) << i;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, GetIndicePairsEmpty, testing::ValuesIn(kModes), ModeName);

TEST_P(GetIndicePairsEmpty, NoSites) {
  ExpectEmptySuccess([](BadCall& call) { call.sites = 0; });
}

TEST_P(GetIndicePairsEmpty, NoRows) {
  ExpectEmptySuccess([](BadCall& call) { call.rows = 0; });
}

TEST_P(GetIndicePairsEmpty, Nothing) {
  ExpectEmptySuccess([](BadCall& call) { call.sites = call.rows = 0; });
}

// What comes later in the order is not looked at.
TEST_P(GetIndicePairsEmpty, LaterFaultsAreNotNoticed) {
  ExpectEmptySuccess([](BadCall& call) {
    call.rows = 0;
    IndicesOf(call)[0] = -1;
  });
  BadCall call(GetParam());
  call.rows = 0;
  for (const size_t size : {size_t{0}, size_t{1}, SIZE_MAX}) {
    call.workspace = nullptr;
    call.workspace_size = size;
    const Answer answer = call.Run(handle_, Function::kPairs);
    EXPECT_EQ(answer.status, MLUOP_STATUS_SUCCESS) << answer.text;
  }
}

// What comes earlier is refused all the same, except by the size function.
TEST_P(GetIndicePairsEmpty, EarlierFaultsAreRefused) {
  struct Row {
    mluOpStatus_t status;
    const char* sentence;
    Spoil spoil;
  };
  const Row rows[] = {
      {MLUOP_STATUS_NOT_SUPPORTED, "sparse_conv has ndim 3, transpose 0 and inverse 1, *",
       [](BadCall& c) { c.problem.inverse = true; }},
      {MLUOP_STATUS_BAD_PARAM, "indices has rank 3, *", [](BadCall& c) { c.indices.surplus_rank = 1; }},
      {MLUOP_STATUS_BAD_PARAM, "indices has extent 5 on axis 1, *", [](BadCall& c) { c.indices.surplus[1] = 1; }},
      {MLUOP_STATUS_BAD_PARAM, "indice_num has extent 7 on axis 0, *", [](BadCall& c) { c.indice_num.surplus[0] = 1; }},
      {MLUOP_STATUS_BAD_PARAM, "sparse_conv has stride 2 and dilation 2 on axis 0, *",
       [](BadCall& c) { c.conv().stride[0] = c.conv().dilation[0] = 2; }},
      {MLUOP_STATUS_NOT_SUPPORTED, "indice_num has stride *", [](BadCall& c) { c.indice_num.odd_strides[0] = 1; }},
      {MLUOP_STATUS_NOT_SUPPORTED, "sparse_conv has too many sites in batch x input_space, *",
       [](BadCall& c) { c.conv().input_space = c.conv().output_space = {INT_MAX, INT_MAX, INT_MAX}; }},
      {MLUOP_STATUS_BAD_PARAM, "indices has type *", [](BadCall& c) { c.indices.type = MLUOP_DTYPE_INT64; }}};
  for (const Row& row : rows) {
    for (int64_t BadCall::* number : {&BadCall::sites, &BadCall::rows}) {
      SCOPED_TRACE(row.sentence);
      BadCall call(GetParam());
      call.*number = 0;
      row.spoil(call);
      Refuse(call, Function::kPairs, row.status, row.sentence);
      EXPECT_EQ(call.Run(handle_, Function::kSize).status, MLUOP_STATUS_SUCCESS);
      EXPECT_EQ(call.size, 0u);
    }
  }
}

TEST_P(GetIndicePairsEmpty, CountOfNoSites) {
  for (const bool pointers : {true, false}) {
    BadCall call(GetParam());
    call.sites = 0;
    if (!pointers) call.indices.data = nullptr;
    EXPECT_EQ(call.Run(handle_, Function::kCount).status, MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(call.count, 0);
    EXPECT_EQ(call.descriptor.NumActOut(), call.mark) << "counting leaves the descriptor alone";
  }
}

}  // namespace
}  // namespace detops_test
