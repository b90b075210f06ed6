// Backward with channels that are not forward's: a piece of a row of pixels at a time, with all its channels. Correct
// for any mapping, in the order (roi, bin, channel); slower, since every piece looks at all rois of its image.
#include "core/arena.h"
#include "core/data_type.h"
#include "core/element_type.h"
#include "ops/psroipool/psroipool.h"
#include "ops/psroipool/psroipool_planes.h"
#include "ops/psroipool/psroipool_rois.h"

namespace detops {
namespace {

constexpr int64_t kPieceBytes = int64_t{1} << 20;

// Sum is double, except for torchvision's running sums.
template <typename T, typename Sum>
class MappedPass {
 public:
  MappedPass(const PsRoiPoolProblem& problem, const int32_t* mapping, const Parallel& parallel)
      : problem_(problem), mapping_(mapping), parallel_(parallel) {
    const int64_t pixel_bytes = SaturatingMultiply(problem.channels(), sizeof(Sum));
    piece_width_ = std::clamp<int64_t>(kPieceBytes / pixel_bytes, 1, problem.width);
    row_pieces_ = DivideRoundUp(problem.width, piece_width_);
    pieces_ = SaturatingMultiply(problem.images, SaturatingMultiply(problem.height, row_pieces_));
    tasks_ = static_cast<int>(std::min<int64_t>({parallel.ThreadCount(), pieces_, Parallel::kMaxTasks}));
  }

  RunResult Run(Scratch& scratch) {
    Arena sizes;
    RoiTableMemory(problem_, sizes);
    TakeSums(sizes);
    if (sizes.NeededBytes() == kMaxInt64) return RunResult::kNoMemory;
    void* memory = scratch.Reserve(static_cast<size_t>(sizes.NeededBytes()));
    if (memory == nullptr) return RunResult::kNoMemory;
    Arena arena(memory);
    const RoiTableMemory table_memory(problem_, arena);
    TakeSums(arena);
    const bool done = MakeRoiTable(problem_, parallel_, table_memory, &table_) && parallel_.Run(tasks_, [&](int task) {
      Sum* sums = sums_ + task * piece_width_ * problem_.channels();
      const Range range = PieceOf(pieces_, tasks_, task);
      for (int64_t piece = range.begin; piece < range.end; ++piece) {
        const int64_t row = piece / row_pieces_;
        const int64_t x = piece % row_pieces_ * piece_width_;
        DoPiece(row / problem_.height, static_cast<uint32_t>(row % problem_.height), x,
                std::min(x + piece_width_, problem_.width), sums);
      }
    });
    return done ? RunResult::kDone : RunResult::kRunnerFailed;
  }

 private:
  void TakeSums(Arena& arena) {
    sums_ = arena.Take<Sum>(SaturatingMultiply(tasks_, SaturatingMultiply(piece_width_, problem_.channels())));
  }

  void DoPiece(int64_t image, uint32_t y, int64_t x_begin, int64_t x_end, Sum* sums) {
    const int64_t numbers = (x_end - x_begin) * problem_.channels();
    std::fill_n(sums, numbers, Sum{0});
    const int64_t* const end = table_.images + table_.active_images;
    const int64_t* active = std::lower_bound(table_.images, end, image);
    if (active != end && *active == image) {
      const int64_t index = active - table_.images;
      for (int64_t place = table_.begins[index]; place < table_.begins[index + 1]; ++place) {
        AddRoi(place, y, x_begin, x_end, sums);
      }
    }
    char* target = static_cast<char*>(problem_.target) + ((image * problem_.height + y) * problem_.width + x_begin) *
                                                             problem_.channels() *
                                                             static_cast<int64_t>(SizeOfType(problem_.type));
    if (!problem_.channels_first) {
      Store(sums, 1, numbers, target);
      return;
    }
    for (int64_t c = 0; c < problem_.channels(); ++c) {
      const int64_t line = (image * problem_.channels() + c) * problem_.height + y;
      Store(sums + c, problem_.channels(), x_end - x_begin,
            static_cast<char*>(problem_.target) +
                (line * problem_.width + x_begin) * static_cast<int64_t>(SizeOfType(problem_.type)));
    }
  }

  void Store(const Sum* sums, int64_t stride, int64_t count, void* target) {
    problem_.kernels.transpose_out(problem_.type,
                                   {.source = sums,
                                    .target = target,
                                    .rows = count,
                                    .columns = 1,
                                    .source_stride = stride,
                                    .target_stride = count,
                                    .padded_rows = count},
                                   std::is_same_v<Sum, double>);
  }

  void AddRoi(int64_t place, uint32_t y, int64_t x_begin, int64_t x_end, Sum* sums) {
    const int64_t channels = problem_.channels();
    const int64_t first = table_.rois[place] * channels;
    for (int64_t bin = 0; bin < problem_.bins(); ++bin) {
      const BinSpan rows = table_.BinRows(bin / problem_.pooled_width)[place];
      const BinSpan columns = table_.BinColumns(bin % problem_.pooled_width)[place];
      if (y < rows.begin || y >= rows.end) continue;
      const int64_t begin = std::max<int64_t>(columns.begin, x_begin);
      const int64_t end = std::min<int64_t>(columns.end, x_end);
      if (begin >= end) continue;
      const int64_t area = int64_t{rows.end - rows.begin} * int64_t{columns.end - columns.begin};
      for (int64_t d = 0; d < problem_.output_dim; ++d) {
        const int64_t element =
            first + (problem_.channels_first ? d * problem_.bins() + bin : bin * problem_.output_dim + d);
        const RealOf<T> share = LoadReal<T>(problem_.source, element) / static_cast<RealOf<T>>(area);
        Sum* sum = sums + LoadElement<int32_t>(mapping_, element);
        for (int64_t x = begin - x_begin; x < end - x_begin; ++x) sum[x * channels] += share;
      }
    }
  }

  const PsRoiPoolProblem& problem_;
  const int32_t* mapping_;
  const Parallel& parallel_;
  int64_t piece_width_, row_pieces_, pieces_;
  int tasks_;
  RoiTable table_ = {};
  Sum* sums_ = nullptr;
};

}  // namespace

RunResult PsRoiPoolBackwardMapped(const PsRoiPoolProblem& problem, const int32_t* mapping_channel,
                                  const Parallel& parallel, Scratch& scratch) {
  return WithElementType(problem.type, [&]<typename T>() {
    if (problem.rules.convention == DETOPS_PSROIPOOL_TORCHVISION) {
      return MappedPass<T, RealOf<T>>(problem, mapping_channel, parallel).Run(scratch);
    }
    return MappedPass<T, double>(problem, mapping_channel, parallel).Run(scratch);
  });
}

}  // namespace detops
