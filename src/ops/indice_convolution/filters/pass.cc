#include "ops/indice_convolution/filters/pass.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/dynamic_tasks.h"

namespace detops::indice_convolution {
namespace {

// Segments: few, as each has matrices that are cleared, added up and may not stay in the caches; more only where that
// keeps sums short.
constexpr int64_t kFewSegments = 16;
constexpr int64_t kMinSegmentBlocks = 16;
constexpr int64_t kMaxSegmentBlocks = 64;
constexpr int64_t kMaxSegments = 64;
// What the matrices of all segments may take, unless one segment needs more.
constexpr int64_t kSegmentsBytes = 32 << 20;
// Pieces of work per thread.
constexpr int64_t kPieces = 32;
constexpr int64_t kPiecesInPlace = 4;
// A segment's rows are read for one offset after the other, this much of them at a time. Where they lie they serve all
// offsets from the L2 cache. Rows that are copied come from the L3 cache: the more at a time, the more often the
// offset's matrix is in the L2 cache and the fewer chunks are short.
constexpr int64_t kBatchBlocksInPlace = 8;
constexpr int64_t kBatchBytes = 24 << 20;
// Each has memory of its own, and the library has no more threads.
constexpr int64_t kMaxWorkers = 256;
// Below this much arithmetic a second thread costs more than it brings.
constexpr int64_t kMinFlops = 256 << 10;

}  // namespace

FilterGradient::FilterGradient(const FilterGradientProblem& problem, const FilterGradientKernels& kernels,
                               int64_t blocks, int64_t lists, int64_t pairs, const Parallel& parallel, Arena& arena)
    : problem_(problem), kernels_(kernels) {
  convert_once_ =
      kernels_.converts && ConvertsWholeTensors(problem.filter, std::max(problem.left_rows, problem.right_rows), pairs);
  source_as_sums_[0] =
      arena.Take<std::byte>(convert_once_ ? problem.left_rows * problem.filter.rows * kernels_.sum_size : 0);
  source_as_sums_[1] =
      arena.Take<std::byte>(convert_once_ ? problem.right_rows * problem.filter.columns * kernels_.sum_size : 0);
  if (convert_once_) {
    problem_.left = source_as_sums_[0];
    problem_.right = source_as_sums_[1];
    kernels_.add_products = kernels_.add_products_of_numbers;
    kernels_.converts = false;
    tensors_[0] = problem.left;
    tensors_[1] = problem.right;
  }
  const int64_t padded = PaddedColumns(problem.filter.columns, kernels_.lanes);
  in_place_ = ReadsRowsInPlace(problem.filter, kernels_.lanes, kernels_.sum_size, kernels_.converts);
  if (in_place_) kernels_.add_products = kernels_.add_products_in_place;
  matrix_bytes_ = SaturatingMultiply(SaturatingMultiply(problem.filter.rows, padded), kernels_.sum_size);
  const int64_t segment_bytes = std::max<int64_t>(SaturatingMultiply(lists, matrix_bytes_), 1);
  const int64_t wanted =
      std::max(std::min(blocks / kMinSegmentBlocks, kFewSegments), std::min(blocks / kMaxSegmentBlocks, kMaxSegments));
  segments_ = std::max<int64_t>(std::min(wanted, kSegmentsBytes / segment_bytes), 1);
  const int64_t flops =
      SaturatingMultiply(SaturatingMultiply(pairs, SaturatingMultiply(2, problem.filter.rows)), padded);
  const int64_t threads =
      std::min<int64_t>({parallel.TaskCount(flops, kMinFlops), parallel.ThreadCount(), kMaxWorkers});
  // Segments are cut into groups of offsets until there are so many pieces that the last ones end together.
  // Rows that are read where they are would come into the cache once more for each group.
  const int64_t pieces = (in_place_ ? kPiecesInPlace : kPieces) * threads;
  list_groups_ = std::clamp<int64_t>(pieces / segments_, 1, std::max<int64_t>(lists, 1));
  const int64_t row_bytes =
      SaturatingMultiply(SaturatingAdd(problem.filter.rows, problem.filter.columns), kernels_.sum_size);
  const int64_t fit = kBatchBytes / kBlockRows / std::max<int64_t>(row_bytes, 1);
  batch_blocks_ = in_place_ ? kBatchBlocksInPlace : std::max<int64_t>(fit, 1);
  workers_ = static_cast<int>(std::min(threads, segments_ * list_groups_));
  sums_ = arena.Take<std::byte>(SaturatingMultiply(segments_, SaturatingMultiply(lists, matrix_bytes_)));
  chunk_ = in_place_ ? 0 : std::min(kCopiedChunk, pairs);
  const auto packed_bytes = [&](int64_t numbers) {
    return in_place_ ? 0 : SaturatingAdd(SaturatingMultiply(numbers, kernels_.sum_size), 63) / 64 * 64;
  };
  left_bytes_ = packed_bytes(PackedLeftNumbers(problem.filter.rows, chunk_, kernels_.lanes, kernels_.sum_size));
  left_ = arena.Take<std::byte>(SaturatingMultiply(workers_, left_bytes_));
  right_bytes_ = packed_bytes(PackedRightNumbers(problem.filter.columns, chunk_, kernels_.lanes, kernels_.sum_size));
  right_ = arena.Take<std::byte>(SaturatingMultiply(workers_, right_bytes_));
}

bool FilterGradient::AddUp(const BlockedPairs& lists, const Parallel& parallel) const {
  const int64_t units = segments_ * list_groups_;
  return RunDynamic(parallel, workers_, units, [&](int worker, int64_t unit) {
    const int64_t segment = unit / list_groups_;
    const Range blocks = PieceOf(lists.blocks, static_cast<int>(segments_), static_cast<int>(segment));
    const Range group =
        PieceOf(lists.list_count, static_cast<int>(list_groups_), static_cast<int>(unit % list_groups_));
    std::byte* const sums = sums_ + segment * lists.list_count * matrix_bytes_;
    std::memset(sums + group.begin * matrix_bytes_, 0, static_cast<size_t>((group.end - group.begin) * matrix_bytes_));
    for (int64_t first = blocks.begin; first < blocks.end; first += batch_blocks_) {
      const int64_t last = std::min(first + batch_blocks_, blocks.end);
      for (int64_t k = group.begin; k < group.end; ++k) {
        kernels_.add_products({&problem_, &lists.list[k], k + 1 < group.end ? &lists.list[k + 1] : nullptr, first, last,
                               sums + k * matrix_bytes_, chunk_, left_ + worker * left_bytes_,
                               right_ + worker * right_bytes_});
      }
    }
  });
}

bool FilterGradient::Store(const BlockedPairs& lists, const Parallel& parallel) const {
  const FilterMatrices& filter = problem_.filter;
  // A work item is a row of the matrix of an offset.
  const int64_t items = filter.offsets * filter.rows;
  return parallel.RunItems(items, 1 + (16 << 10) / (1 + segments_ * filter.columns), [&](Range range) {
    for (int64_t item = range.begin; item < range.end;) {
      const int64_t offset = item / filter.rows;
      const int64_t begin = item % filter.rows;
      const int64_t end = std::min(filter.rows, begin + range.end - item);
      const PairList* const list =
          std::lower_bound(lists.list, lists.list + lists.list_count, offset,
                           [](const PairList& entry, int64_t wanted) { return entry.offset < wanted; });
      const bool found = list != lists.list + lists.list_count && list->offset == offset;
      const std::byte* const sums = found ? sums_ + (list - lists.list) * matrix_bytes_ : nullptr;
      kernels_.store(filter, sums, lists.list_count * matrix_bytes_, found ? segments_ : 0, offset, begin, end,
                     problem_.filters);
      item += end - begin;
    }
  });
}

bool FilterGradient::Run(const BlockedPairs& lists, const Parallel& parallel) const {
  const int64_t elements[] = {problem_.left_rows * problem_.filter.rows, problem_.right_rows * problem_.filter.columns};
  for (int side = 0; convert_once_ && side < 2; ++side) {
    if (!ConvertWhole(parallel, kernels_.convert, tensors_[side], elements[side], source_as_sums_[side])) return false;
  }
  return AddUp(lists, parallel) && Store(lists, parallel);
}

PassText FilterGradient::Describe() const {
  const char* rows = "rows copied in chunks, as they are long, not whole vectors or to be converted";
  if (in_place_) rows = "rows read where they are, as they are short";
  if (in_place_ && !HasFewChannels(problem_.filter)) rows = "rows read where they are, as vectors are long";
  PassText text;
  std::snprintf(text.text, sizeof(text.text), "outer products in %lld segments, %s%s",
                static_cast<long long>(segments_), rows, convert_once_ ? ", converted once" : "");
  return text;
}

}  // namespace detops::indice_convolution
