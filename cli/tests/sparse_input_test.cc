// The choice of sites that reach an exact number of outputs.
#include "operators/sparse_input.h"

#include <set>

#include "gtest/gtest.h"

namespace detops_cli::old {
namespace {

Shape Complete(const std::string& text) {
  const Shape given(text);
  Shape shape;
  for (const ShapeKey& key : SparseKeys())
    shape.Set(key.name, given.Has(key.name) ? given.Word(key.name) : key.fallback);
  return shape;
}

// The outputs that a convolution reaches, found by trying every output and every offset.
int64_t CountOutputs(const SparseInput& input) {
  const GetIndicePairsParams& p = input.params;
  const std::set<detops_bench::Voxel> sites(input.sites.begin(), input.sites.end());
  int64_t count = 0;
  detops_bench::Voxel output;
  for (output[0] = 0; output[0] < p.batch; ++output[0]) {
    for (output[1] = 0; output[1] < p.output_space[0]; ++output[1]) {
      for (output[2] = 0; output[2] < p.output_space[1]; ++output[2]) {
        for (output[3] = 0; output[3] < p.output_space[2]; ++output[3]) {
          bool reached = false;
          const auto& f = p.filter_space;
          for (int offset = 0; offset < f[0] * f[1] * f[2] && !reached; ++offset) {
            const int at[3] = {offset / (f[1] * f[2]), offset / f[2] % f[1], offset % f[2]};
            detops_bench::Voxel from = {output[0]};
            for (size_t a = 0; a < 3; ++a) from[a + 1] = output[a + 1] * p.stride[a] + at[a] * p.dilation[a] - p.pad[a];
            reached = sites.count(from) != 0;
          }
          count += reached ? 1 : 0;
        }
      }
    }
  }
  return count;
}

class SparseInputTest : public testing::TestWithParam<const char*> {};

TEST_P(SparseInputTest, ReachesTheWantedNumbers) {
  const Shape shape = Complete(GetParam());
  const SparseInput& input = MakeSparseInput(shape, 1);
  ASSERT_EQ(static_cast<int64_t>(input.sites.size()), shape.Int("sites"));
  EXPECT_EQ(input.outputs, shape.Int("outputs"));
  EXPECT_EQ(CountOutputs(input), shape.Int("outputs"));
  const std::set<detops_bench::Voxel> different(input.sites.begin(), input.sites.end());
  EXPECT_EQ(different.size(), input.sites.size());
  for (const detops_bench::Voxel& site : input.sites) {
    ASSERT_TRUE(site[0] >= 0 && site[0] < input.params.batch);
    for (size_t axis = 0; axis < 3; ++axis) {
      ASSERT_TRUE(site[axis + 1] >= 0 && site[axis + 1] < input.params.input_space[axis]);
    }
  }
}

// Fewer outputs than a scan would reach, and more; every stride and padding of the documents' layers.
const char* const kShapes[] = {
    "sites=501,batch=2,space=9x31x33,stride=2x2x2,pad=1x1x1,subm=0,outputs=301",
    "sites=501,batch=2,space=9x31x33,stride=2x2x2,pad=1x1x1,subm=0,outputs=1200",
    "sites=701,batch=1,space=11x36x36,stride=2x2x2,pad=0x1x1,subm=0,outputs=277",
    "sites=588,batch=1,space=5x18x18,filter=3x1x1,stride=2x1x1,pad=0x0x0,subm=0,outputs=454",
    "sites=100,batch=1,space=9x31x33,filter=3x3x3,dilation=2,pad=2,subm=0,outputs=1500",
    "sites=1,batch=1,space=3x3x3,filter=1,pad=0,subm=0,outputs=1",
};
INSTANTIATE_TEST_SUITE_P(Several, SparseInputTest, testing::ValuesIn(kShapes));

TEST(SparseInputLimitsTest, ImpossibleNumbersAreRefused) {
  // One site reaches 27 outputs at most, and a filter of one element as many as there are sites.
  EXPECT_THROW(MakeSparseInput(Complete("sites=1,batch=1,space=9x9x9,subm=0,outputs=28"), 1), UsageError);
  EXPECT_THROW(MakeSparseInput(Complete("sites=9,batch=1,space=9x9x9,filter=1,pad=0,subm=0,outputs=8"), 1), UsageError);
  EXPECT_THROW(MakeSparseInput(Complete("sites=28,batch=1,space=3x3x3"), 1), UsageError);
  EXPECT_THROW(MakeSparseInput(Complete("sites=9,batch=1,space=2x2x2,filter=5,pad=0,subm=0"), 1), UsageError);
}

TEST(SparseInputLimitsTest, ARefusalDoesNotSpoilTheNextInput) {
  const std::string good = "sites=9,batch=1,space=9x9x9", bad = "sites=1,batch=1,space=9x9x9,subm=0,outputs=28";
  EXPECT_EQ(MakeSparseInput(Complete(good), 1).sites.size(), 9u);
  EXPECT_THROW(MakeSparseInput(Complete(bad), 1), UsageError);
  EXPECT_THROW(MakeSparseInput(Complete(bad), 1), UsageError);
  EXPECT_EQ(MakeSparseInput(Complete(good), 1).sites.size(), 9u);
}

TEST(SparseInputLimitsTest, TheSameSeedGivesTheSameSites) {
  const std::string text = "sites=200,batch=2,space=9x31x33,stride=2,subm=0,outputs=150";
  const std::vector<detops_bench::Voxel> first = MakeSparseInput(Complete(text), 1).sites;
  MakeSparseInput(Complete("sites=9,batch=1,space=9x9x9"), 1);
  EXPECT_EQ(MakeSparseInput(Complete(text), 1).sites, first);
  EXPECT_NE(MakeSparseInput(Complete(text), 2).sites, first);
}

}  // namespace
}  // namespace detops_cli::old
