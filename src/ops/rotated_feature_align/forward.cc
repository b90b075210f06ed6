// Forward: every pixel's taps are found and used at once, a few pixels at a time, so that they never leave the cache.
#include <algorithm>

#include "core/checked_math.h"
#include "ops/rotated_feature_align/kernel.h"
#include "ops/rotated_feature_align/problem.h"
#include "ops/rotated_feature_align/taps.h"

namespace detops::rotated_feature_align {
namespace {

constexpr int64_t kPixelsAtOnce = 32;

// The taps of pixels [begin, begin + count) of one image; rows count from the image's first pixel.
template <typename T>
struct TapBlock {
  using Real = Accumulator<T>;

  void Fill(const RotatedFeatureAlignProblem& problem, int64_t begin, int64_t count) {
    uint32_t used = 0;
    for (int64_t i = 0; i < count; ++i) {
      VisitSamples<T>(problem, begin + i, [&](int, bool counts, const Neighbourhood<Real>& place) {
        Real weights[kNeighbours];
        BilinearWeights(place.fraction_y, place.fraction_x, weights);
        const auto row = static_cast<uint32_t>(place.low_y * problem.width + place.low_x);
        const auto below = row + static_cast<uint32_t>(place.step_y * problem.width);
        const auto right = static_cast<uint32_t>(place.step_x);
        taps[used] = {row, weights[0]};
        taps[used + 1] = {row + right, weights[1]};
        taps[used + 2] = {below, weights[2]};
        taps[used + 3] = {below + right, weights[3]};
        used += counts ? kNeighbours : 0;  // otherwise the next sample takes the place
      });
      ends[i] = used;
    }
  }

  Tap<Real> taps[kPixelsAtOnce * kMaxSamplePoints * kNeighbours];
  uint32_t ends[kPixelsAtOnce];
};

// Pixels [begin, end) of one image.
template <typename T>
void AlignPixels(const RotatedFeatureAlignProblem& problem, int64_t image_begin, Range pixels, TapBlock<T>& block) {
  const auto* source = static_cast<const T*>(problem.source);
  auto* target = static_cast<T*>(problem.target);
  for (int64_t pixel = pixels.begin; pixel < pixels.end; pixel += kPixelsAtOnce) {
    const int64_t count = std::min(kPixelsAtOnce, pixels.end - pixel);
    block.Fill(problem, pixel, count);
    problem.sum_rows(
        {.type = problem.type,
         .channels = problem.channels,
         .channel_begin = 0,
         .channel_end = problem.channels,
         .source = source + image_begin * problem.channels,
         .self = source + pixel * problem.channels,
         .target = target + pixel * problem.channels,
         .row_count = count,
         .begin = 0,
         .ends = block.ends,
         .taps = block.taps,
         .stream = CanStream(target, problem.channels * static_cast<int64_t>(sizeof(T)), problem.pixels())});
  }
}

// The order of the pixels: images are cut into upright strips, and a strip is worked on row by row from top to bottom.
// Boxes lie near their pixels, so the rows that a strip samples, some four above and below and as many pixels to the
// sides, should stay in the second-level cache.
struct Strips {
  Strips(const RotatedFeatureAlignProblem& problem, int64_t element_size) : height(problem.height) {
    constexpr int64_t kCacheBytes = 300 << 10;
    constexpr int64_t kRowsInUse = 9;
    constexpr int64_t kMargin = 8;
    const int64_t pixel_bytes = SaturatingMultiply(problem.channels, element_size * kRowsInUse);
    const int64_t width = std::clamp<int64_t>(kCacheBytes / pixel_bytes - kMargin, kMargin, 1 << 20);
    per_image = static_cast<int>(DivideRoundUp(problem.width, width));
    count = problem.batch * per_image;
  }

  int64_t height;
  int per_image;
  int64_t count;
};

template <typename T>
void AlignStripRows(const RotatedFeatureAlignProblem& problem, const Strips& strips, Range strip_rows) {
  TapBlock<T> block;
  for (int64_t i = strip_rows.begin; i < strip_rows.end; ++i) {
    const int64_t strip = i / strips.height;
    const int64_t image_begin = strip / strips.per_image * problem.image_pixels();
    const int64_t row_begin = image_begin + i % strips.height * problem.width;
    const Range columns = PieceOf(problem.width, strips.per_image, static_cast<int>(strip % strips.per_image));
    AlignPixels<T>(problem, image_begin, {row_begin + columns.begin, row_begin + columns.end}, block);
  }
}

}  // namespace

bool RotatedFeatureAlignForwardFits(int64_t height, int64_t width) { return height * width <= UINT32_MAX; }

RunResult RotatedFeatureAlignForward(const RotatedFeatureAlignProblem& problem, const Parallel& parallel) {
  return WithElementType(problem.type, [&]<typename T>() {
    const Strips strips(problem, sizeof(T));
    const int64_t rows = strips.count * strips.height;
    const int64_t elements_per_row =
        DivideRoundUp(problem.width, strips.per_image) * problem.channels * (kNeighbours * problem.points + 2);
    const int tasks = parallel.TaskCount(rows, DivideRoundUp(kMinTaskElements, elements_per_row));
    const bool done =
        parallel.Run(tasks, [&](int task) { AlignStripRows<T>(problem, strips, PieceOf(rows, tasks, task)); });
    return ResultOf(done);
  });
}

}  // namespace detops::rotated_feature_align
