// The choice of sites that reach an exact number of outputs, which the shapes of the documents need.
#include <set>

#include "gtest/gtest.h"
#include "harness/catalogue.h"
#include "harness/placed_call.h"

namespace {

using detops_harness::Call;
using detops_harness::ShapeError;

Call CallOf(const std::string& shape, uint64_t seed = 1) {
  const auto* const function = detops_harness::WholeCatalogue().Find("mluOpGetIndicePairs");
  return function->MakeSample("voxels=lidar," + shape, MLUOP_DTYPE_INT32, DETOPS_PROFILE_FULL, seed);
}

// Fewer outputs than a scan would reach, and more; every stride and padding of the documents' layers. Make gives
// out_indices a row for each output that the reference finds.
TEST(ExactChoiceTest, ReachesTheWantedNumbers) {
  for (const auto& [sites, outputs, rest] :
       {std::tuple<int64_t, int64_t, const char*>{501, 301, "batch=2,space=9x31x33,stride=2"},
        {501, 1200, "batch=2,space=9x31x33,stride=2"},
        {701, 277, "batch=1,space=11x36x36,stride=2,pad=0x1x1"},
        {588, 454, "batch=1,space=5x18x18,filter=3x1x1,stride=2x1x1,pad=0"},
        {100, 1500, "batch=1,space=9x31x33,dilation=2,pad=2"},
        {1, 1, "batch=1,space=3,filter=1,pad=0"}}) {
    const Call call =
        CallOf("sites=" + std::to_string(sites) + ",subm=0,outputs=" + std::to_string(outputs) + "," + rest);
    EXPECT_EQ(call["out_indices"].extents[0], outputs) << rest;
    ASSERT_EQ(call["indices"].extents[0], sites) << rest;
    std::set<std::vector<double>> different;
    const std::vector<double> numbers = call["indices"].Values();
    for (size_t i = 0; i < numbers.size(); i += 4) {
      different.emplace(numbers.begin() + static_cast<int64_t>(i), numbers.begin() + static_cast<int64_t>(i) + 4);
    }
    EXPECT_EQ(static_cast<int64_t>(different.size()), sites) << rest;
    const detops_harness::PlacedCall placed(call);
    EXPECT_EQ(call.function->contract().Judge(placed.call()).text, "") << rest;  // all of them inside
  }
}

TEST(ExactChoiceTest, ImpossibleNumbersAreRefused) {
  // One site reaches 27 outputs at most, and a filter of one element as many as there are sites.
  EXPECT_THROW(CallOf("sites=1,batch=1,space=9,subm=0,outputs=28"), ShapeError);
  EXPECT_THROW(CallOf("sites=9,batch=1,space=9,filter=1,pad=0,subm=0,outputs=8"), ShapeError);
  EXPECT_THROW(CallOf("sites=28,batch=1,space=3"), ShapeError);
}

TEST(ExactChoiceTest, TheSameSeedGivesTheSameSites) {
  const std::string text = "sites=200,batch=2,space=9x31x33,stride=2,subm=0,outputs=150";
  const auto sites = [&](uint64_t seed) { return CallOf(text, seed)["indices"].Values(); };
  EXPECT_EQ(sites(1), sites(1));
  EXPECT_NE(sites(1), sites(2));
}

}  // namespace
