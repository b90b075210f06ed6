#include "ops/indice_convolution/rows/pass.h"

#include <algorithm>
#include <cstdio>

#include "core/dynamic_tasks.h"

namespace detops::indice_convolution {
namespace {

// The sums of a tile stay in the L2 cache. With one panel of columns they are touched more often than anything else.
constexpr int64_t kTileBytes = 256 << 10;
// Each has memory of its own, and the library has no more threads.
constexpr int64_t kMaxWorkers = 256;
// Below this much arithmetic a second thread costs more than it brings.
constexpr int64_t kMinFlops = 256 << 10;

const char* Name(RowProductsAlgorithm algorithm) {
  switch (algorithm) {
    case RowProductsAlgorithm::kSmallMatrix:
      return "each matrix in registers as it is small enough";
    case RowProductsAlgorithm::kFewColumns:
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
  algorithm_ = ChooseAlgorithm(problem.filter, kernels_.lanes, kernels_.sum_size);
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
  double_sums_size_ = kBlockRows * std::min(padded, kColumnBlock);
  double_sums_ = arena.Take<double>(SaturatingMultiply(workers_, double_sums_size_));
  convert_once_ = kernels_.converts && ConvertsWholeTensors(problem.filter, problem.source_rows, pairs);
  source_as_sums_ =
      arena.Take<std::byte>(convert_once_ ? problem.source_rows * problem.filter.rows * kernels_.sum_size : 0);
  row_buffer_bytes_ = kernels_.converts && !convert_once_ ? kMaxRowChunk * kDepthBlock * kernels_.sum_size : 0;
  row_buffer_ = arena.Take<std::byte>(SaturatingMultiply(workers_, row_buffer_bytes_));
}

bool RowProducts::Run(const BlockedPairs& lists, const Parallel& parallel) const {
  const int pack_tasks = static_cast<int>(std::min<int64_t>(
      {lists.list_count, parallel.TaskCount(lists.list_count * matrix_bytes_, 64 << 10), Parallel::kMaxTasks}));
  if (pack_tasks > 0) {
    const bool packed = parallel.RunPieces(pack_tasks, lists.list_count, [&](Range range) {
      for (int64_t k = range.begin; k < range.end; ++k) {
        kernels_.pack(problem_.filter, problem_.filters, lists.list[k].offset, panels_ + k * matrix_bytes_);
      }
    });
    if (!packed) return false;
  }
  const int64_t elements = problem_.source_rows * problem_.filter.rows;
  if (convert_once_ && !ConvertWhole(parallel, kernels_.convert, problem_.source, elements, source_as_sums_))
    return false;
  const void* const own = kernels_.converts ? nullptr : problem_.source;
  // In a block without a repeated row a row occurs once in a list. Products of small matrices add every channel
  // straight to its sum.
  const int64_t terms =
      SaturatingMultiply(lists.list_count, algorithm_ == RowProductsAlgorithm::kSmallMatrix ? problem_.filter.rows : 1);
  const bool long_rows = terms > kMaxFloatTerms && kernels_.sum_size < static_cast<int64_t>(sizeof(double));
  // Tiles are handed out one by one, as they differ in work; who works on a tile does not change its result.
  const int64_t tiles = DivideRoundUp(lists.blocks, tile_blocks_);
  return RunDynamic(parallel, workers_, tiles, [&](int worker, int64_t index) {
    RowProductsTile tile = {&problem_,
                            algorithm_,
                            &lists,
                            panels_,
                            0,
                            0,
                            sums_ + worker * sums_bytes_,
                            nullptr,
                            convert_once_ ? source_as_sums_ : own,
                            row_buffer_ + worker * row_buffer_bytes_};
    double* const double_sums = double_sums_ + worker * double_sums_size_;
    const int64_t first = index * tile_blocks_;
    const int64_t last = std::min(first + tile_blocks_, lists.blocks);
    // Blocks with a repeated row are tiles of their own, so that what they become does not depend on the size of tiles.
    for (tile.first = first; tile.first < last; tile.first = tile.last) {
      tile.double_sums = long_rows || lists.has_repeated_row[tile.first] != 0 ? double_sums : nullptr;
      tile.last = tile.first + 1;
      while (tile.double_sums == nullptr && tile.last < last && lists.has_repeated_row[tile.last] == 0) ++tile.last;
      kernels_.multiply_tile(tile);
    }
  });
}

PassText RowProducts::Describe() const {
  PassText text;
  const int64_t rows = tile_blocks_ * kBlockRows;
  std::snprintf(text.text, sizeof(text.text), "row products in tiles of %lld rows, %s%s", static_cast<long long>(rows),
                Name(algorithm_), convert_once_ ? ", rows converted once as they are short" : "");
  return text;
}

}  // namespace detops::indice_convolution
