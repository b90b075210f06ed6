// Forward: every pixel's taps are found and used at once, a few pixels at a time, so that they never leave the cache.
#include <algorithm>

#include "core/checked_math.h"

#include "ops/rotated_feature_align/rotated_feature_align.h"
#include "ops/rotated_feature_align/rotated_feature_align_kernel.h"
#include "ops/rotated_feature_align/rotated_feature_align_taps.h"

namespace detops {
namespace {

constexpr int64_t kPixelsAtOnce = 32;

// The taps of pixels [begin, begin + count) of one image; rows count from the image's first pixel.
template <typename T>
struct TapBlock {
  using Real = RealOf<T>;

  void Fill(const RotatedFeatureAlignProblem& problem, int64_t begin, int64_t count) {
    uint32_t used = 0;
    for (int64_t i = 0; i < count; ++i) {
      VisitSamples<T>(problem, begin + i, [&](const Neighbourhood<Real>& place) {
        Real weights[kNeighbours];
        BilinearWeights(place.fraction_y, place.fraction_x, weights);
        const auto row = static_cast<uint32_t>(place.low_y * problem.width + place.low_x);
        const auto below = row + static_cast<uint32_t>(place.step_y * problem.width);
        const auto right = static_cast<uint32_t>(place.step_x);
        taps[used++] = {row, weights[0]};
        taps[used++] = {row + right, weights[1]};
        taps[used++] = {below, weights[2]};
        taps[used++] = {below + right, weights[3]};
      });
      ends[i] = used;
    }
  }

  Tap<Real> taps[kPixelsAtOnce * kMaxSamplePoints * kNeighbours];
  uint32_t ends[kPixelsAtOnce];
};

template <typename T>
void AlignPixels(const RotatedFeatureAlignProblem& problem, Range pixels) {
  const auto* source = static_cast<const T*>(problem.source);
  auto* target = static_cast<T*>(problem.target);
  TapBlock<T> block;
  for (int64_t pixel = pixels.begin; pixel < pixels.end;) {
    const int64_t image_begin = pixel / problem.image_pixels() * problem.image_pixels();
    const int64_t stop = std::min({pixels.end, pixel + kPixelsAtOnce, image_begin + problem.image_pixels()});
    block.Fill(problem, pixel, stop - pixel);
    ComputeRowSums({problem.type, problem.channels, 0, problem.channels, source + image_begin * problem.channels,
                    source + pixel * problem.channels, target + pixel * problem.channels, stop - pixel, 0, block.ends,
                    block.taps});
    pixel = stop;
  }
}

}  // namespace

RunResult RotatedFeatureAlignForward(const RotatedFeatureAlignProblem& problem, const Parallel& parallel) {
  const int64_t elements_per_pixel = problem.channels * (kNeighbours * problem.points + 2);
  const int64_t pixels = problem.pixels();
  const int tasks = parallel.TaskCount(pixels, DivideRoundUp(kMinTaskElements, elements_per_pixel));
  const bool done = parallel.Run(tasks, [&](int task) {
    const Range range = PieceOf(pixels, tasks, task);
    WithElementType(problem.type, [&]<typename T>() { AlignPixels<T>(problem, range); });
  });
  return done ? RunResult::kDone : RunResult::kRunnerFailed;
}

}  // namespace detops
