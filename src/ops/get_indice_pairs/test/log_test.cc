// The log tells which of the three algorithms a call takes.
#include <string>
#include <vector>

#include "ops/get_indice_pairs/test/sites.h"

namespace detops_test {
namespace {

void Keep(void* opaque, detopsLogLevel_t, const char* line) {
  static_cast<std::vector<std::string>*>(opaque)->emplace_back(line);
}

TEST(GetIndicePairsLog, TellsTheAlgorithm) {
  for (const auto& [shape, text] : {std::pair("space=16,subm=1", "submanifold: "),
                                    {"space=16,subm=0", "bit map of the space"},
                                    {"space=2000,subm=0", "too large for a bit map"}}) {
    const Handle handle(DETOPS_PROFILE_FULL, 2);
    std::vector<std::string> lines;
    Must(detopsSetLog(handle.get(), DETOPS_LOG_DISPATCH, Keep, &lines), "detopsSetLog");
    PlacedCall placed(CallOn(std::string("batch=1,filter=3,") + shape, {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 5, 5, 5}}));
    CarryOut(placed, handle);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].find("mluOpGetIndicePairs: "), 0u) << lines[0];
    EXPECT_NE(lines[0].find(text), std::string::npos) << lines[0];
  }
}

}  // namespace
}  // namespace detops_test
