// Boxes that hold a good part of all points: their entries are sorted in another way, which drops points of full voxels
// early.
#include <cstdint>

#include "ops/roiaware_pool3d/test/expected.h"
#include "ops/roiaware_pool3d/test/problem.h"
#include "ops/roiaware_pool3d/test/scenes.h"

namespace detops_test {
namespace {

class RoiAwarePool3dCrowd : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dCrowd, testing::ValuesIn(kTypes), TypeName);

// Points in a cube of 4 around the origin, in no order; boxes that hold all of them, a third more or less, or few.
void FillCrowd(Problem& problem, uint64_t seed) {
  SceneRandom random(seed);
  const double sizes[] = {14, 14, 2.8, 2.6, 2.3, 1};
  for (int64_t b = 0; b < problem.sizes.boxes; ++b) {
    const double size = sizes[b % 6];
    problem.SetBox(b, {random.Uniform(-0.5, 0.5), random.Uniform(-0.5, 0.5), -3, size, size, 6, random.Uniform(-3, 3)});
  }
  for (int64_t p = 0; p < problem.sizes.points; ++p) {
    problem.SetPoint(p, {random.Uniform(-2, 2), random.Uniform(-2, 2), random.Uniform(-2, 2)});
  }
}

// Grids that take the way for crowds and those just too large for it, one voxel, lists that are full and that are not,
// and no place in a list at all; few boxes, whose points keep their order, and many, whose points are sorted first.
TEST_P(RoiAwarePool3dCrowd, MatchesTheReference) {
  for (const Sizes& sizes :
       {Sizes{12, 700, 3, 4, 4, 4, 5}, Sizes{12, 700, 3, 16, 16, 8, 3}, Sizes{12, 700, 3, 16, 43, 3, 3},
        Sizes{12, 3'001, 2, 3, 2, 2, 64}, Sizes{12, 3'001, 2, 1, 1, 1, 2'000}, Sizes{12, 1'600, 2, 2, 2, 2, 1},
        Sizes{5, 1'600, 2, 5, 2, 3, 17}}) {
    Problem problem(GetParam(), sizes);
    FillCrowd(problem, 5);
    for (const int method : kMethods) ExpectAgreement(problem, method);
  }
}

// From the least number of points that count as a crowd on; the memory of a box ends with its last entry.
TEST_P(RoiAwarePool3dCrowd, AroundTheLimits) {
  for (const int64_t points : {511, 512, 513, 514, 515, 516, 577, 640, 641}) {
    Problem problem(GetParam(), {9, points, 1, 3, 3, 3, 9});
    FillCrowd(problem, static_cast<uint64_t>(points));
    ExpectAgreement(problem, kMax);
  }
}

}  // namespace
}  // namespace detops_test
