// The log of every function that convolves: its own name in front, at most one line, and the same bits as without.
// (What a sink is promised, whatever the operator, is tested with the handle's functions.)
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/problem.h"

namespace detops_test {
namespace {

void Keep(void* opaque, detopsLogLevel_t, const char* line) {
  static_cast<std::vector<std::string>*>(opaque)->emplace_back(line);
}

// A way that has no choice need not tell it. Forward, the header's example, has one.
TEST(IndiceConvolutionLog, OneLineAboutACall) {
  const Problem problem(MLUOP_DTYPE_FLOAT, {.in_rows = 600, .out_rows = 600, .ci = 16, .co = 16, .kernel = {3, 3, 1}},
                        ListKind::kSubmanifold, 71);
  const Handle maker(DETOPS_PROFILE_FULL, 2);
  const Rulebook rulebook(maker, problem);
  const auto plain = [&](Way way) {
    return [&problem, way](const Handle& handle, Tensor& result) { return problem.Run(handle, way, result); };
  };
  const auto by_rulebook = [&](Way way) {
    return [&problem, &rulebook, way](const Handle& handle, Tensor& result) {
      return rulebook.Run(handle, problem, way, result);
    };
  };
  const struct {
    std::string name;
    Way way;
    std::function<mluOpStatus_t(const Handle&, Tensor&)> run;
    size_t least;
  } functions[] = {
      {"mluOpIndiceConvolutionForward: ", Way::kForward, plain(Way::kForward), 1},
      {"mluOpIndiceConvolutionBackwardData: ", Way::kBackwardData, plain(Way::kBackwardData), 0},
      {"mluOpIndiceConvolutionBackwardFilter: ", Way::kBackwardFilter, plain(Way::kBackwardFilter), 0},
      {"detopsIndiceConvolutionForwardFused: ", Way::kForward,
       [&](const Handle& handle, Tensor& result) { return problem.RunFused(handle, {}, result); }, 0},
      {"detopsRulebookConvolutionForward: ", Way::kForward, by_rulebook(Way::kForward), 0},
      {"detopsRulebookConvolutionBackwardData: ", Way::kBackwardData, by_rulebook(Way::kBackwardData), 0},
      {"detopsRulebookConvolutionBackwardFilter: ", Way::kBackwardFilter, by_rulebook(Way::kBackwardFilter), 0}};
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    for (const auto& function : functions) {
      SCOPED_TRACE(function.name);
      Tensor quiet = problem.NewResult(function.way), logged = problem.NewResult(function.way);
      ASSERT_EQ(function.run(handle, quiet), MLUOP_STATUS_SUCCESS) << handle.LastError();
      std::vector<std::string> lines;
      ASSERT_EQ(detopsSetLog(handle.get(), DETOPS_LOG_DISPATCH, Keep, &lines), MLUOP_STATUS_SUCCESS);
      ASSERT_EQ(function.run(handle, logged), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(detopsSetLog(handle.get(), DETOPS_LOG_OFF, nullptr, nullptr), MLUOP_STATUS_SUCCESS);
      ASSERT_TRUE(logged.SameBytes(quiet));
      ASSERT_LE(lines.size(), 1u);
      ASSERT_GE(lines.size(), function.least);
      for (const std::string& line : lines) {
        ASSERT_EQ(line.substr(0, function.name.size()), function.name);
        ASSERT_GT(line.size(), function.name.size());
        ASSERT_EQ(line.find('\n'), std::string::npos) << line;
      }
    }
  });
}

// Rows of half that several pairs use are converted before, if there are few channels; else where they are gathered.
TEST(IndiceConvolutionLog, TellsWhereRowsAreConverted) {
  const struct {
    mluOpDataType_t type;
    int channels;
    ListKind kind;
    bool before;
  } cases[] = {{MLUOP_DTYPE_HALF, 16, ListKind::kSubmanifold, true},
               {MLUOP_DTYPE_BFLOAT16, 32, ListKind::kSubmanifold, true},
               {MLUOP_DTYPE_HALF, 33, ListKind::kSubmanifold, false},
               {MLUOP_DTYPE_FLOAT, 16, ListKind::kSubmanifold, false}};
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  std::vector<std::string> lines;
  ASSERT_EQ(detopsSetLog(handle.get(), DETOPS_LOG_DISPATCH, Keep, &lines), MLUOP_STATUS_SUCCESS);
  for (const auto& each : cases) {
    const Problem problem(
        each.type, {.in_rows = 600, .out_rows = 600, .ci = each.channels, .co = each.channels, .kernel = {3, 3, 1}},
        each.kind, 72);
    for (const Way way : {Way::kForward, Way::kBackwardData, Way::kBackwardFilter}) {
      lines.clear();
      Tensor result = problem.NewResult(way);
      ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(lines.size(), 1u);
      EXPECT_EQ(lines[0].find("converted once") != std::string::npos, each.before) << lines[0];
      ExpectAgreement(problem, way);
    }
  }
}

// What a handle says of one call.
std::string LineOf(mluOpDataType_t type, int64_t ci, int64_t co, Way way) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  std::vector<std::string> lines;
  EXPECT_EQ(detopsSetLog(handle.get(), DETOPS_LOG_DISPATCH, Keep, &lines), MLUOP_STATUS_SUCCESS);
  const Problem problem(type, {.in_rows = 300, .out_rows = 300, .ci = ci, .co = co, .kernel = {3, 1, 1}},
                        ListKind::kSubmanifold, 73);
  Tensor result = problem.NewResult(way);
  EXPECT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
  EXPECT_EQ(lines.size(), 1u);
  return lines.empty() ? "" : lines[0];
}

// With eight lanes: what fits the registers, what has few columns, and the rest.
TEST(IndiceConvolutionLog, TellsHowRowsAreMultiplied) {
  const std::vector<std::string> targets = SupportedTargets();
  if (std::find(targets.begin(), targets.end(), "avx2") == targets.end()) GTEST_SKIP() << "no avx2";
  const ForcedTarget forced("avx2");
  const struct {
    mluOpDataType_t type;
    int ci, co;
    const char* way;
  } cases[] = {{MLUOP_DTYPE_FLOAT, 5, 16, "in registers"}, {MLUOP_DTYPE_FLOAT, 16, 5, "few columns"},
               {MLUOP_DTYPE_HALF, 16, 5, "few columns"},   {MLUOP_DTYPE_BFLOAT16, 32, 6, "few columns"},
               {MLUOP_DTYPE_FLOAT, 32, 7, "panels"},       {MLUOP_DTYPE_FLOAT, 18, 5, "panels"},
               {MLUOP_DTYPE_FLOAT, 36, 5, "panels"},       {MLUOP_DTYPE_DOUBLE, 16, 5, "panels"},
               {MLUOP_DTYPE_FLOAT, 16, 16, "panels"}};
  for (const auto& each : cases) {
    const std::string line = LineOf(each.type, each.ci, each.co, Way::kForward);
    EXPECT_NE(line.find(each.way), std::string::npos) << line;
  }
}

// With AVX-512 up to five columns gain by its vectors, if the source's rows are whole ones; others take those of AVX2.
TEST(IndiceConvolutionLog, TellsHowFewColumnsAreMultipliedByLongVectors) {
  const std::vector<std::string> targets = SupportedTargets();
  if (std::find(targets.begin(), targets.end(), "avx3") == targets.end()) GTEST_SKIP() << "no avx3";
  const ForcedTarget forced("avx3");
  const struct {
    mluOpDataType_t type;
    int ci, co;
    const char *way, *lanes;
  } cases[] = {
      {MLUOP_DTYPE_FLOAT, 16, 5, "few columns", "16 lanes"},  {MLUOP_DTYPE_FLOAT, 32, 1, "few columns", "16 lanes"},
      {MLUOP_DTYPE_HALF, 32, 5, "few columns", "16 lanes"},   {MLUOP_DTYPE_FLOAT, 16, 6, "few columns", "8 lanes"},
      {MLUOP_DTYPE_FLOAT, 24, 5, "few columns", "8 lanes"},   {MLUOP_DTYPE_DOUBLE, 16, 5, "panels", "4 lanes"},
      {MLUOP_DTYPE_FLOAT, 16, 16, "in registers", "16 lanes"}};
  for (const auto& each : cases) {
    const std::string line = LineOf(each.type, each.ci, each.co, Way::kForward);
    EXPECT_NE(line.find(each.way), std::string::npos) << line;
    EXPECT_NE(line.find(each.lanes), std::string::npos) << line;
  }
}

// Likewise for gradients of filters: short rows of whole vectors stay where they are.
TEST(IndiceConvolutionLog, TellsHowGradientsOfFiltersAreSummed) {
  const std::vector<std::string> targets = SupportedTargets();
  if (std::find(targets.begin(), targets.end(), "avx2") == targets.end()) GTEST_SKIP() << "no avx2";
  const ForcedTarget forced("avx2");
  const struct {
    int ci, co;
    const char* way;
  } cases[] = {{16, 16, "as they are short"}, {32, 32, "as they are short"}, {5, 16, "as they are short"},
               {16, 17, "copied in chunks"},  {33, 32, "copied in chunks"},  {64, 128, "copied in chunks"}};
  for (const auto& each : cases) {
    const std::string line = LineOf(MLUOP_DTYPE_FLOAT, each.ci, each.co, Way::kBackwardFilter);
    EXPECT_NE(line.find(each.way), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace detops_test
