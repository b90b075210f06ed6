// Backward: the forward taps turned around. A counting sort lists for every target pixel the samples that touch it,
// in the order of their boxes; then each target row is summed in registers and written once, by one thread. There is
// no scatter, no atomic addition and, for half, no float copy of the output.
//
// The sort keeps the order of the boxes whatever the number of chunks, so the bits do not depend on the threads.
#include <algorithm>

#include "core/checked_math.h"
#include "ops/rotated_feature_align/kernel.h"
#include "ops/rotated_feature_align/problem.h"
#include "ops/rotated_feature_align/taps.h"

namespace detops::rotated_feature_align {
namespace {

// Images are worked on together while their lists fit; more would only push the data out of the caches.
constexpr int64_t kGroupBytes = int64_t{64} << 20;

// Source chunks of the sort; each needs a counter per target pixel.
constexpr int kMaxChunks = 16;

constexpr uint32_t kStepX = 1;
constexpr uint32_t kStepY = 2;
constexpr uint32_t kOffTheMap = 4;

// A sample that is kept from counting to sorting.
template <typename Real>
struct Sample {
  uint32_t row;  // target pixel (low, low)
  uint32_t steps;
  Real fraction_y, fraction_x;
};

// The images [first, first + count) and what is known of them between the phases.
template <typename T>
class Group {
 public:
  using Real = Accumulator<T>;

  Group(const RotatedFeatureAlignProblem& problem, const Parallel& parallel, int64_t images, void* memory)
      : problem_(problem), parallel_(parallel), chunks_(Chunks(problem, parallel, images)) {
    const int64_t pixels = images * problem.image_pixels();
    auto* next = static_cast<char*>(memory);
    taps_ = reinterpret_cast<Tap<Real>*>(next);
    next += pixels * problem.points * kNeighbours * static_cast<int64_t>(sizeof(Tap<Real>));
    samples_ = reinterpret_cast<Sample<Real>*>(next);
    next += pixels * problem.points * static_cast<int64_t>(sizeof(Sample<Real>));
    cursors_ = reinterpret_cast<uint32_t*>(next);
  }

  static int64_t BytesPerPixel(int points) {
    return points * static_cast<int64_t>(kNeighbours * sizeof(Tap<Real>) + sizeof(Sample<Real>)) +
           kMaxChunks * static_cast<int64_t>(sizeof(uint32_t));
  }

  // False if the caller's runner failed.
  bool Process(int64_t first_image, int64_t images) {
    first_pixel_ = first_image * problem_.image_pixels();
    pixels_ = images * problem_.image_pixels();
    return Count() && PlaceLists() && FillLists() && SumLists();
  }

 private:
  static int Chunks(const RotatedFeatureAlignProblem& problem, const Parallel& parallel, int64_t images) {
    constexpr int64_t kMinSamples = 2000;  // some 20 us
    const int64_t pixels = images * problem.image_pixels();
    return std::min({parallel.TaskCount(pixels * problem.points, kMinSamples), parallel.ThreadCount(), kMaxChunks});
  }

  uint32_t* Cursors(int chunk) { return cursors_ + chunk * pixels_; }

  template <class Visit>
  void VisitTargets(const Sample<Real>& sample, const Visit& visit) const {
    const uint32_t right = (sample.steps & kStepX) != 0 ? 1 : 0;
    const uint32_t below = (sample.steps & kStepY) != 0 ? static_cast<uint32_t>(problem_.width) : 0;
    visit(0, sample.row);
    visit(1, sample.row + right);
    visit(2, sample.row + below);
    visit(3, sample.row + below + right);
  }

  // Finds all samples and counts, per chunk of boxes, the taps of every target pixel.
  bool Count() {
    return parallel_.Run(chunks_, [&](int chunk) {
      uint32_t* taps_of = Cursors(chunk);
      std::fill_n(taps_of, pixels_, 0u);
      const Range range = PieceOf(pixels_, chunks_, chunk);
      const int64_t image_pixels = problem_.image_pixels();
      int64_t image_begin = range.begin / image_pixels * image_pixels;
      for (int64_t pixel = range.begin; pixel < range.end; ++pixel) {
        if (pixel - image_begin == image_pixels) image_begin += image_pixels;
        VisitSamples<T>(problem_, first_pixel_ + pixel, [&](int i, bool counts, const Neighbourhood<Real>& place) {
          Sample<Real>& sample = samples_[pixel * problem_.points + i];
          sample.row = static_cast<uint32_t>(image_begin + place.low_y * problem_.width + place.low_x);
          sample.steps = (place.step_x != 0 ? kStepX : 0) | (place.step_y != 0 ? kStepY : 0);
          sample.fraction_y = place.fraction_y;
          sample.fraction_x = place.fraction_x;
          if (counts) {
            VisitTargets(sample, [&](int, uint32_t row) { ++taps_of[row]; });
          } else {
            sample.steps = kOffTheMap;
          }
        });
      }
    });
  }

  // Turns the counts into the place of each chunk's first tap of each target pixel.
  bool PlaceLists() {
    uint32_t totals[kMaxChunks];
    const bool counted = parallel_.Run(chunks_, [&](int piece) {
      const Range range = PieceOf(pixels_, chunks_, piece);
      uint32_t total = 0;
      for (int chunk = 0; chunk < chunks_; ++chunk) {
        const uint32_t* counts = Cursors(chunk);
        for (int64_t pixel = range.begin; pixel < range.end; ++pixel) total += counts[pixel];
      }
      totals[piece] = total;
    });
    if (!counted) return false;
    uint32_t before = 0;
    for (int piece = 0; piece < chunks_; ++piece) {
      const uint32_t total = totals[piece];
      totals[piece] = before;
      before += total;
    }
    tap_count_ = before;
    uint32_t longest[kMaxChunks] = {};
    const bool placed = parallel_.Run(chunks_, [&](int piece) {
      const Range range = PieceOf(pixels_, chunks_, piece);
      uint32_t next = totals[piece];
      uint32_t longest_here = 0;  // not longest[piece]: its neighbours are other threads'
      for (int64_t pixel = range.begin; pixel < range.end; ++pixel) {
        const uint32_t first = next;
        for (int chunk = 0; chunk < chunks_; ++chunk) {
          uint32_t* cursor = Cursors(chunk) + pixel;
          const uint32_t count = *cursor;
          *cursor = next;
          next += count;
        }
        longest_here = std::max(longest_here, next - first);
      }
      longest[piece] = longest_here;
    });
    longest_list_ = *std::max_element(longest, longest + kMaxChunks);
    return placed;
  }

  // Afterwards the last chunk's cursors stand at the ends of the lists.
  bool FillLists() {
    return parallel_.Run(chunks_, [&](int chunk) {
      uint32_t* cursors = Cursors(chunk);
      const Range range = PieceOf(pixels_, chunks_, chunk);
      for (int64_t pixel = range.begin; pixel < range.end; ++pixel) {
        for (int i = 0; i < problem_.points; ++i) {
          const Sample<Real>& sample = samples_[pixel * problem_.points + i];
          if (sample.steps == kOffTheMap) continue;
          Real weights[kNeighbours];
          BilinearWeights(sample.fraction_y, sample.fraction_x, weights);
          VisitTargets(sample, [&](int corner, uint32_t row) {
            taps_[cursors[row]++] = {static_cast<uint32_t>(pixel), weights[corner]};
          });
        }
      }
    });
  }

  // Work up to and including a target pixel: its own row and its taps.
  int64_t WorkThrough(int64_t pixel) { return pixel + 1 + Cursors(chunks_ - 1)[pixel]; }

  // First pixel at which at least `share` of the work is done.
  int64_t FirstPixelBeyond(int64_t share) {
    int64_t low = 0, high = pixels_;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (WorkThrough(middle) < share) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  bool SumLists() {
    const int64_t work = pixels_ + tap_count_;
    const int tasks = parallel_.TaskCount(work, DivideRoundUp(kMinTaskElements, problem_.channels));
    // Many boxes on one pixel make a list that is longer than a fair share; then the channels are divided instead.
    if (longest_list_ > work / tasks) return SumByChannels(tasks);
    return parallel_.Run(tasks, [&](int task) {
      const Range share = PieceOf(work, tasks, task);
      // A pixel belongs to the task in whose share its last unit of work falls.
      const int64_t begin = task == 0 ? 0 : FirstPixelBeyond(share.begin + 1);
      const int64_t end = task == tasks - 1 ? pixels_ : FirstPixelBeyond(share.end + 1);
      if (begin < end) Sum({begin, end}, {0, problem_.channels});
    });
  }

  bool SumByChannels(int tasks) {
    constexpr int64_t kAtOnce = 16;  // channels: a cache line of floats
    const int64_t blocks = DivideRoundUp(problem_.channels, kAtOnce);
    const int slices = static_cast<int>(std::min<int64_t>(tasks, blocks));
    return parallel_.RunPieces(slices, blocks, [&](Range range) {
      Sum({0, pixels_}, {range.begin * kAtOnce, std::min(range.end * kAtOnce, problem_.channels)});
    });
  }

  void Sum(Range pixels, Range channels) {
    const uint32_t* ends = Cursors(chunks_ - 1);
    const auto* source = static_cast<const T*>(problem_.source) + first_pixel_ * problem_.channels;
    auto* target = static_cast<T*>(problem_.target) + first_pixel_ * problem_.channels;
    const int64_t offset = pixels.begin * problem_.channels;
    const bool whole_rows = channels.end - channels.begin == problem_.channels;
    problem_.sum_rows(
        {.type = problem_.type,
         .channels = problem_.channels,
         .channel_begin = channels.begin,
         .channel_end = channels.end,
         .source = source,
         .self = source + offset,
         .target = target + offset,
         .row_count = pixels.end - pixels.begin,
         .begin = pixels.begin == 0 ? 0 : ends[pixels.begin - 1],
         .ends = ends + pixels.begin,
         .taps = taps_,
         .stream = whole_rows &&
                   CanStream(problem_.target, problem_.channels * static_cast<int64_t>(sizeof(T)), problem_.pixels())});
  }

  const RotatedFeatureAlignProblem& problem_;
  const Parallel& parallel_;
  const int chunks_;
  int64_t first_pixel_ = 0;
  int64_t pixels_ = 0;
  uint32_t tap_count_ = 0;
  uint32_t longest_list_ = 0;
  Tap<Real>* taps_;
  Sample<Real>* samples_;
  uint32_t* cursors_;
};

template <typename T>
RunResult AlignBackward(const RotatedFeatureAlignProblem& problem, const Parallel& parallel, Scratch& scratch) {
  int64_t bytes_per_image;
  if (!CheckedMultiply(problem.image_pixels(), Group<T>::BytesPerPixel(problem.points), &bytes_per_image)) {
    return RunResult::kNoMemory;
  }
  const int64_t images = std::clamp<int64_t>(kGroupBytes / bytes_per_image, 1, problem.batch);
  void* memory = scratch.Reserve(static_cast<size_t>(images * bytes_per_image));
  if (memory == nullptr) return RunResult::kNoMemory;
  Group<T> group(problem, parallel, images, memory);
  for (int64_t first = 0; first < problem.batch; first += images) {
    if (!group.Process(first, std::min(images, problem.batch - first))) return RunResult::kRunnerFailed;
  }
  return RunResult::kDone;
}

}  // namespace

bool RotatedFeatureAlignBackwardFits(int64_t height, int64_t width, int points) {
  const int64_t taps = SaturatingMultiply(SaturatingMultiply(height, width), int64_t{kNeighbours} * points);
  return taps <= UINT32_MAX;
}

RunResult RotatedFeatureAlignBackward(const RotatedFeatureAlignProblem& problem, const Parallel& parallel,
                                      Scratch& scratch) {
  return WithElementType(problem.type, [&]<typename T>() { return AlignBackward<T>(problem, parallel, scratch); });
}

}  // namespace detops::rotated_feature_align
