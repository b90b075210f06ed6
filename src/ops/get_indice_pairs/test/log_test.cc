// The log tells which of the three algorithms a call takes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ops/get_indice_pairs/test/problem.h"

namespace detops_test {
namespace {

void Keep(void* opaque, detopsLogLevel_t, const char* line) {
  static_cast<std::vector<std::string>*>(opaque)->emplace_back(line);
}

// Every line of the calls about a space of extent^3, which must have the same answer with and without the log.
std::vector<std::string> LinesOf(int64_t extent, bool submanifold) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  ConvolutionDescriptor desc;
  PairProblem problem = {{1, {extent, extent, extent}, {3, 3, 3}, {extent, extent, extent}},
                         {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 5, 5, 5}}};
  problem.convolution.pad = {1, 1, 1};
  problem.convolution.submanifold = submanifold;
  problem.convolution = Completed(problem.convolution);
  std::vector<std::string> lines;
  Must(detopsSetLog(handle.get(), DETOPS_LOG_DISPATCH, Keep, &lines), "detopsSetLog");
  ExpectPairs(handle, desc, problem, problem.Expected());
  return lines;
}

void ExpectAll(const std::vector<std::string>& lines, const std::string& text) {
  EXPECT_FALSE(lines.empty());
  for (const std::string& line : lines) {
    EXPECT_EQ(0u, line.find("mluOpGetIndicePairs: ")) << line;
    EXPECT_NE(std::string::npos, line.find(text)) << line;
  }
}

TEST(GetIndicePairsLog, TellsTheAlgorithm) {
  ExpectAll(LinesOf(16, true), "submanifold: ");
  ExpectAll(LinesOf(16, false), "bit map of the space");
  ExpectAll(LinesOf(2000, false), "too large for a bit map");
}

}  // namespace
}  // namespace detops_test
