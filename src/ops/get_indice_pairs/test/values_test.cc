// Sites outside the space among many, which several threads look through, and too few rows for many outputs.
#include <climits>
#include <string>
#include <vector>

#include "properties/expect.h"
#include "support/runner.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::PlacedCall;

const char* const kFunctions[] = {"mluOpGetIndicePairs", "detopsCountIndicePairOutputs"};
const char* const kModes[] = {",subm=0", ",subm=1"};

// Enough sites that they are searched in pieces.
Call ManySites(const char* function, const std::string& mode, size_t axes) {
  const std::string space = axes == 1 ? "100000" : axes == 2 ? "500" : "60";
  const std::string filter = axes == 1 ? "3" : "1";
  return CallOf(function,
                "sites=60000,batch=3,voxels=random,order=scan,pad=0,space=" + space + ",filter=" + filter +
                    ",axes=" + std::to_string(axes) + mode,
                MLUOP_DTYPE_INT32);
}

void SetSite(Call& call, int64_t row, size_t column, int64_t value) {
  const int64_t columns = call["indices"].extents[1];
  call["indices"].Set(row * columns + static_cast<int64_t>(column), static_cast<double>(value));
}

// The piece that ends first must not win.
TEST(GetIndicePairsValues, FirstOfManyIsReportedByAnyThread) {
  for (const char* function : kFunctions) {
    for (const char* mode : kModes) {
      for (size_t axes = 1; axes <= 4; ++axes) {
        Call call = ManySites(function, mode, axes);
        SetSite(call, 59999, 0, 3);
        SetSite(call, 51007, axes, INT_MIN);
        SetSite(call, 41007, axes, -1);
        SetSite(call, 41007, 1, call.integer_lists.at("input_space")[0]);
        PlacedCall placed(call);
        const std::string expected = placed.call().function->contract().Judge(placed.call()).text;
        ASSERT_NE(expected.find("indices[41007, 1] is "), std::string::npos) << expected;
        const std::string before = placed.State();
        ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) {
          for (const detopsRunner_t runner : {static_cast<detopsRunner_t>(nullptr), &RunBackwards}) {
            handle.SetRunner(runner, nullptr);
            EXPECT_EQ(placed.Run(handle.get()), MLUOP_STATUS_BAD_PARAM);
            EXPECT_EQ(placed.text(), expected);
          }
          handle.SetRunner(nullptr, nullptr);
        });
        EXPECT_TRUE(placed.State() == before) << "a refused call has written";
      }
    }
  }
}

// One bad site anywhere among many, also in the last vector of a row of them.
TEST(GetIndicePairsValues, OneBadSiteIsFoundEverywhere) {
  Call good = CallOf("detopsCountIndicePairOutputs",
                     "sites=4099,batch=3,voxels=random,order=scan,space=60,filter=1,pad=0,subm=0", MLUOP_DTYPE_INT32);
  ForEachTarget(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    for (int64_t row = 0; row < 4099; row = row < 70 || row >= 4030 ? row + 1 : row + 61) {
      Call call = good;
      SetSite(call, row, static_cast<size_t>(row % 4), row % 2 == 0 ? 60 : -60);
      PlacedCall placed(call);
      ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_BAD_PARAM) << row;
      ASSERT_EQ(placed.text(), placed.call().function->contract().Judge(placed.call()).text);
    }
  });
}

TEST(GetIndicePairsValues, TooFewRowsForManySites) {
  for (const char* mode : kModes) {
    Call call = ManySites("mluOpGetIndicePairs", mode, 3);
    const int64_t needed = call["out_indices"].extents[0]--;
    ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM,
                            "out_indices has extent " + std::to_string(needed - 1) + " on axis 0, expected at least " +
                                std::to_string(needed) + ", one row per");
  }
}

}  // namespace
}  // namespace detops_test
