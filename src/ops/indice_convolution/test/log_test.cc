// What the log tells of a call: where rows are converted, how they are multiplied, how gradients are summed.
// (What a sink is promised, whatever the operator, is tested with the handle's functions.)
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/calls.h"

namespace detops_test {
namespace {

void Keep(void* opaque, detopsLogLevel_t, const char* line) {
  static_cast<std::vector<std::string>*>(opaque)->emplace_back(line);
}

// The only line about a call.
std::string LineOf(const Call& call) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  std::vector<std::string> lines;
  EXPECT_EQ(detopsSetLog(handle.get(), DETOPS_LOG_DISPATCH, Keep, &lines), MLUOP_STATUS_SUCCESS);
  PlacedCall placed(call);
  EXPECT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
  EXPECT_EQ(lines.size(), 1u);
  if (lines.empty()) return "";
  EXPECT_EQ(lines[0].find(call.function->name() + ": "), 0u) << lines[0];
  return lines[0];
}

struct Told {
  mluOpDataType_t type;
  int ci, co;
  const char* text;
};

// What is told on a target, if this machine has it.
void ExpectTold(const char* target, Way way, std::initializer_list<Told> cases) {
  const std::vector<std::string> targets = SupportedTargets();
  if (std::find(targets.begin(), targets.end(), target) == targets.end()) GTEST_SKIP() << "no " << target;
  const ForcedTarget forced(target);
  for (const auto& [type, ci, co, text] : cases) {
    const std::string channels = ",ci=" + std::to_string(ci) + ",co=" + std::to_string(co);
    const std::string line =
        LineOf(CallOf(NameOf(way), "sites=300,outputs=300,filter=3x1x1,pairs=submanifold" + channels, type));
    EXPECT_NE(line.find(text), std::string::npos) << line;
  }
}

// Rows of half that several pairs use are converted before, if there are few channels; else where they are gathered.
TEST(IndiceConvolutionLog, TellsWhereRowsAreConverted) {
  const struct {
    mluOpDataType_t type;
    std::string channels;
    bool before;
  } cases[] = {{MLUOP_DTYPE_HALF, "16", true},
               {MLUOP_DTYPE_BFLOAT16, "32", true},
               {MLUOP_DTYPE_HALF, "33", false},
               {MLUOP_DTYPE_FLOAT, "16", false}};
  for (const auto& [type, channels, before] : cases) {
    const std::string shape = ",sites=600,outputs=600,filter=3x3x1,pairs=submanifold";
    for (const Way way : kWays) {
      const std::string line = LineOf(CallOf(NameOf(way), "ci=" + channels + ",co=" + channels + shape, type));
      EXPECT_EQ(line.find("converted once") != std::string::npos, before) << line;
    }
  }
}

// 600 sites in a row, 3 x 3 of a filter of 3 x 3 x 1: the counts that the call was given.
TEST(IndiceConvolutionLog, TellsTheSizes) {
  for (const Way way : kWays) {
    const Call call = CallOf(NameOf(way), "sites=600,outputs=600,ci=16,co=12,filter=3x3x1,pairs=submanifold");
    const std::vector<int64_t>& counts = call.integer_lists.at("indice_num");
    const std::string pairs = std::to_string(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
    const std::string channels = way == Way::kBackwardData ? "12 x 16" : "16 x 12";
    const std::string line = LineOf(call), sizes = channels + " channels, " + pairs + " pairs of 9 offsets";
    EXPECT_NE(line.find(sizes), std::string::npos) << sizes << " in: " << line;
  }
}

// With eight lanes: what fits the registers, what has few columns, and the rest.
TEST(IndiceConvolutionLog, TellsHowRowsAreMultiplied) {
  ExpectTold("avx2", Way::kForward,
             {{MLUOP_DTYPE_FLOAT, 5, 16, "in registers"},
              {MLUOP_DTYPE_FLOAT, 16, 5, "few columns"},
              {MLUOP_DTYPE_HALF, 16, 5, "few columns"},
              {MLUOP_DTYPE_BFLOAT16, 32, 6, "few columns"},
              {MLUOP_DTYPE_FLOAT, 32, 7, "panels"},
              {MLUOP_DTYPE_FLOAT, 18, 5, "panels"},
              {MLUOP_DTYPE_FLOAT, 36, 5, "panels"},
              {MLUOP_DTYPE_DOUBLE, 16, 5, "panels"},
              {MLUOP_DTYPE_FLOAT, 16, 16, "panels"}});
}

// With AVX-512 up to five columns gain by its vectors, if the source's rows are whole ones; others take those of AVX2.
TEST(IndiceConvolutionLog, TellsHowFewColumnsAreMultipliedByLongVectors) {
  constexpr mluOpDataType_t kFloat = MLUOP_DTYPE_FLOAT, kHalf = MLUOP_DTYPE_HALF, kDouble = MLUOP_DTYPE_DOUBLE;
  ExpectTold("avx3", Way::kForward,
             {{kFloat, 16, 5, "few columns"},
              {kFloat, 32, 1, "few columns"},
              {kHalf, 32, 5, "few columns"},
              {kFloat, 16, 6, "few columns"},
              {kFloat, 24, 5, "few columns"},
              {kDouble, 16, 5, "panels"},
              {kFloat, 16, 16, "in registers"}});
  ExpectTold("avx3", Way::kForward,
             {{kFloat, 16, 5, "16 lanes"},
              {kFloat, 32, 1, "16 lanes"},
              {kHalf, 32, 5, "16 lanes"},
              {kFloat, 16, 6, "8 lanes"},
              {kFloat, 24, 5, "8 lanes"},
              {kDouble, 16, 5, "4 lanes"},
              {kFloat, 16, 16, "16 lanes"}});
}

// Likewise for gradients of filters: short rows of whole vectors stay where they are.
TEST(IndiceConvolutionLog, TellsHowGradientsOfFiltersAreSummed) {
  constexpr mluOpDataType_t kFloat = MLUOP_DTYPE_FLOAT;
  ExpectTold("avx2", Way::kBackwardFilter,
             {{kFloat, 16, 16, "as they are short"},
              {kFloat, 32, 32, "as they are short"},
              {kFloat, 5, 16, "as they are short"},
              {kFloat, 16, 17, "copied in chunks"},
              {kFloat, 33, 32, "copied in chunks"},
              {kFloat, 64, 128, "copied in chunks"}});
}

}  // namespace
}  // namespace detops_test
