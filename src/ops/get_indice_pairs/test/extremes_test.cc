// Numbers at the ends of what can be counted, where sums and sizes are easily cut off.
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/get_indice_pairs/test/sites.h"
#include "support/runner.h"

namespace detops_test {
namespace {

// Row numbers near 2^63: adding a difference to one must not overflow.
TEST(GetIndicePairsExtremes, RowsNearTheEndOfInt64) {
  const std::string space = "2097152x2097152x2097151x1";
  const Sites sites = {{0, (1 << 21) - 1, (1 << 21) - 1, (1 << 21) - 2, 0}, {0, 0, 0, 0, 0}, {0, 1, 0, 0, 0}};
  for (const char* pad : {"0", "1", "2097151"}) {
    for (const char* subm : {"0", "1"}) {
      const std::string shape =
          "batch=1,axes=4,filter=2x1x1x1,output=" + space + ",space=" + space + ",pad=" + pad + "x0x0x0,subm=" + subm;
      ExpectAgreementEverywhere(CallOn(shape, sites));
    }
  }
}

// The number of outputs that a call of the count gives. The reference would walk through the kernel.
int64_t CountOf(const std::string& shape, const Sites& sites,
                const detops_harness::Named<std::vector<int64_t>>& lists) {
  Call call = detops_test::CallOf(kCountFunction, "sites=0," + shape, MLUOP_DTYPE_INT32);
  SetSites(call, sites);
  for (const auto& [name, numbers] : lists) call.integer_lists.at(name) = numbers;
  PlacedCall placed(call);
  CarryOut(placed, Handle(DETOPS_PROFILE_FULL, 1));
  return placed.call().results.at("count");
}

// A stride and a kernel of two thousand millions: only two offsets hit, and they must not be looked for one by one.
// i + pad - r = o * stride. For o = 0: r = i + INT_MAX - 1 < INT_MAX, so i = 0. For o = 1: r = i - 1, so i = 1, 2, 3.
TEST(GetIndicePairsExtremes, CountDoesNotWalkThroughTheKernel) {
  EXPECT_EQ(CountOf("batch=1,axes=1,space=4,filter=1,subm=0,output=2", {{0, 0}, {0, 1}, {0, 2}, {0, 3}},
                    {{"pad", {INT_MAX - 1}}, {"stride", {INT_MAX}}, {"filter_space", {INT_MAX}}}),
            2);
}

// The largest kernel that can be counted: only its front takes a site to an output, as offsets from input_space + pad
// on lead below 0.
TEST(GetIndicePairsExtremes, CountWithALargeKernel) {
  const Sites sites = {{1, 3, 4, 6}, {0, 0, 0, 0}, {1, 2, 2, 1}, {0, 1, 1, 3}, {1, 0, 4, 0}};
  for (const std::string subm : {"0", "1"}) {
    const std::string shape = "batch=2,space=4x5x7,output=4x5x7,filter=4x6x2,pad=0x1x1,subm=" + subm;
    EXPECT_EQ(CountOf(shape, sites, {{"filter_space", {INT_MAX, INT_MAX, 2}}}),
              PairsOf(CallOn(shape, sites)).num_act_out);
  }
}

// Numbers at the end of int32 are no fault: positions are added up beyond it. Sites at both ends of the space meet
// outputs, or do not, as in the reference.
TEST(GetIndicePairsExtremes, NumbersAtTheEndOfInt32) {
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  for (const int pad : {0, 1, 2, INT_MAX - 1, INT_MAX}) {
    for (const int dilation : {1, INT_MAX / 2, INT_MAX - 1, INT_MAX}) {
      for (const int stride : {1, 2, INT_MAX - 1, INT_MAX}) {
        for (const int32_t extent : {5, INT_MAX - 1, INT_MAX}) {
          for (const char* mode : {"subm=0", "subm=0,transpose=1", "subm=1"}) {
            if (mode[5] == '1' && stride != 1) continue;
            const std::string shape = detops_harness::Format(
                "batch=1,axes=2,filter=3,space=%dx2,output=%dx2,pad=%dx1,stride=%dx1,dilation=%dx1,%s", extent, extent,
                pad, stride, dilation, mode);
            SCOPED_TRACE(shape);
            PlacedCall placed(CallOn(shape, {{0, 1, 0}, {0, extent - 1, 1}, {0, 0, 1}, {0, 3, 1}, {0, extent / 2, 0}}));
            CarryOut(placed, handle);
            ASSERT_EQ(Disagreement(placed.call(), placed.call().function->Reference(placed.call())), "");
          }
        }
      }
    }
  }
}

// More threads than any call has tasks, all of them the caller's own.
TEST(GetIndicePairsExtremes, MillionsOfThreads) {
  for (const std::string mode : {"subm=0", "subm=1", "subm=1,order=shuffled"}) {
    PlacedCall placed(CallOf("sites=30000,batch=2,space=4x40x300,filter=3,voxels=random," + mode));
    PlacedCall alone(CallOf("sites=1,batch=2,space=4x40x300,filter=3," + mode));
    const detops_harness::Expected expected = placed.call().function->Reference(placed.call());
    for (const int threads : {256, 5000, 1 << 30, INT_MAX}) {
      Handle handle(DETOPS_PROFILE_FULL, threads);
      handle.SetRunner(RunBackwards, nullptr);
      CarryOut(alone, handle);
      CarryOut(placed, handle);
      ASSERT_EQ(Disagreement(placed.call(), expected), "");
    }
  }
}

// Rows of about the length that one task looks at; two equal sites are as far from each other as they can be in theirs.
TEST(GetIndicePairsExtremes, EqualSitesOfALongRow) {
  const int32_t rows = 5, width = 8000;
  Sites sites;
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t column = width - 1; column >= 0; --column) sites.push_back({0, row, column});
  }
  for (int32_t row = 0; row < rows; ++row) {
    Sites with_equal = sites;
    with_equal.push_back({0, row, width - 1});
    ExpectAgreementEverywhere(CallOn("batch=1,axes=2,space=5x8000,filter=3,subm=1", with_equal));
  }
}

void Keep(void* opaque, detopsLogLevel_t, const char* line) {
  static_cast<std::vector<std::string>*>(opaque)->emplace_back(line);
}

// Which of the three algorithms a call takes.
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
