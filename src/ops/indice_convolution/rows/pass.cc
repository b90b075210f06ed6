#include "ops/indice_convolution/rows/pass.h"

#include <algorithm>
#include <cstdio>

#include "core/one_by_one.h"

namespace detops::indice_convolution {
namespace {

// The sums of a tile stay in the L2 cache. With one panel of columns they are touched more often than anything else.
constexpr int64_t kTileBytes = 256 << 10;
// Each has memory of its own, and the library has no more threads.
constexpr int64_t kMaxWorkers = 256;
// Below this much arithmetic a second thread costs more than it brings.
constexpr int64_t kMinFlops = 256 << 10;

const char* Name(RowProductsWay way) {
  switch (way) {
    case RowProductsWay::kThin:
      return "each matrix in registers as it is small enough";
    case RowProductsWay::kNarrow:
      return "lanes along the source's channels as there are few columns";
    default:
      return "each matrix as panels, as it is too large for registers";
  }
}

}  // namespace

RowProducts::RowProducts(const RowProductsProblem& problem, const RowProductsKernels& kernels, int64_t target_blocks,
                         int64_t lists, int64_t pairs, const Parallel& parallel, Arena& arena)
    : problem_(problem), kernels_(kernels) {
  const int64_t padded = PaddedColumns(problem.filter.columns, kernels_.lanes);
  way_ = WayOf(problem.filter, kernels_.lanes, kernels_.sum_size);
  const int64_t block_bytes = kBlockRows * std::min(padded, kColumnBlock) * kernels_.sum_size;
  const int64_t flops =
      SaturatingMultiply(SaturatingMultiply(pairs, SaturatingMultiply(2, problem.filter.rows)), padded);
  const int64_t work = SaturatingAdd(flops, SaturatingMultiply(problem.target_rows, padded));
  workers_ = static_cast<int>(std::min<int64_t>(
      {parallel.TaskCount(work, kMinFlops), parallel.ThreadCount(), kMaxWorkers, std::max<int64_t>(target_blocks, 1)}));
  const int64_t fit = std::max<int64_t>((padded <= 2 * kernels_.lanes ? kTileBytes / 2 : kTileBytes) / block_bytes, 1);
  tile_blocks_ = std::clamp<int64_t>(target_blocks / (4 * workers_), 1, fit);
  matrix_bytes_ = SaturatingMultiply(SaturatingMultiply(problem.filter.rows, padded), kernels_.sum_size);
  panels_ = arena.Take<std::byte>(SaturatingMultiply(lists, matrix_bytes_));
  sums_bytes_ = (tile_blocks_ * block_bytes + 127) / 64 * 64;
  sums_ = arena.Take<std::byte>(SaturatingMultiply(workers_, sums_bytes_));
  exact_size_ = kBlockRows * std::min(padded, kColumnBlock);
  exact_ = arena.Take<double>(SaturatingMultiply(workers_, exact_size_));
  whole_ = kernels_.converts && ConvertsWholeTensors(problem.filter, problem.source_rows, pairs);
  numbers_ = arena.Take<std::byte>(whole_ ? problem.source_rows * problem.filter.rows * kernels_.sum_size : 0);
  converted_bytes_ = kernels_.converts && !whole_ ? kMaxRowChunk * kDepthBlock * kernels_.sum_size : 0;
  converted_ = arena.Take<std::byte>(SaturatingMultiply(workers_, converted_bytes_));
}

bool RowProducts::Run(const PairLists& lists, const Parallel& parallel) const {
  const int pack_tasks = static_cast<int>(
      std::min<int64_t>({lists.lists, parallel.TaskCount(lists.lists * matrix_bytes_, 64 << 10), Parallel::kMaxTasks}));
  if (pack_tasks > 0) {
    const bool packed = parallel.Run(pack_tasks, [&](int task) {
      const Range range = PieceOf(lists.lists, pack_tasks, task);
      for (int64_t k = range.begin; k < range.end; ++k) {
        kernels_.pack(problem_.filter, problem_.filters, lists.list[k].offset, panels_ + k * matrix_bytes_);
      }
    });
    if (!packed) return false;
  }
  const int64_t elements = problem_.source_rows * problem_.filter.rows;
  if (whole_ && !ConvertWhole(parallel, kernels_.convert, problem_.source, elements, numbers_)) return false;
  const void* const own = kernels_.converts ? nullptr : problem_.source;
  // In a block that is not crowded a row occurs once in a list. Thin products add every channel straight to its sum.
  const int64_t terms = SaturatingMultiply(lists.lists, way_ == RowProductsWay::kThin ? problem_.filter.rows : 1);
  const bool long_rows = terms > kMaxFloatTerms && kernels_.sum_size < static_cast<int64_t>(sizeof(double));
  // Tiles are handed out one by one, as they differ in work; who works on a tile does not change its result.
  const int64_t tiles = DivideRoundUp(lists.blocks, tile_blocks_);
  return RunOneByOne(parallel, workers_, tiles, [&](int worker, int64_t index) {
    RowProductsTile tile = {&problem_,
                            way_,
                            &lists,
                            panels_,
                            0,
                            0,
                            sums_ + worker * sums_bytes_,
                            nullptr,
                            whole_ ? numbers_ : own,
                            converted_ + worker * converted_bytes_};
    double* const exact = exact_ + worker * exact_size_;
    const int64_t first = index * tile_blocks_;
    const int64_t last = std::min(first + tile_blocks_, lists.blocks);
    // Crowded blocks are tiles of their own, so that what they become does not depend on the size of tiles.
    for (tile.first = first; tile.first < last; tile.first = tile.last) {
      tile.exact = long_rows || lists.crowded[tile.first] != 0 ? exact : nullptr;
      tile.last = tile.first + 1;
      while (tile.exact == nullptr && tile.last < last && lists.crowded[tile.last] == 0) ++tile.last;
      kernels_.multiply_tile(tile);
    }
  });
}

PassText RowProducts::Describe() const {
  PassText text;
  const int64_t rows = tile_blocks_ * kBlockRows;
  std::snprintf(text.text, sizeof(text.text), "row products in tiles of %lld rows, %s%s", static_cast<long long>(rows),
                Name(way_), whole_ ? ", rows converted once as they are short" : "");
  return text;
}

}  // namespace detops::indice_convolution
