// Backward with channels that are not forward's: a piece of a row of pixels at a time, with all its channels. Correct
// for any mapping, in the order (roi, bin, channel); slower, since every piece looks at all rois of its image.
#include <cstring>

#include "core/arena.h"
#include "core/data_type.h"
#include "core/element_type.h"
#include "ops/psroipool/geometry/rois.h"
#include "ops/psroipool/mapping.h"
#include "ops/psroipool/planes/planes.h"
#include "ops/psroipool/problem.h"

namespace detops::psroipool {
namespace {

constexpr int64_t kPieceBytes = int64_t{1} << 20;

template <typename T>
class MappedPass {
 public:
  using Real = Accumulator<T>;

  MappedPass(const PsRoiPoolProblem& problem, const int32_t* mapping, const Parallel& parallel)
      : problem_(problem), mapping_(mapping), parallel_(parallel), crowd_tasks_(CrowdTasks(problem, parallel)) {
    const int64_t pixel_bytes = SaturatingMultiply(problem.channels(), sizeof(double));
    piece_width_ = std::clamp<int64_t>(kPieceBytes / pixel_bytes, 1, problem.width);
    row_pieces_ = DivideRoundUp(problem.width, piece_width_);
    pieces_ = SaturatingMultiply(problem.images, SaturatingMultiply(problem.height, row_pieces_));
    tasks_ = static_cast<int>(std::min<int64_t>({parallel.ThreadCount(), pieces_, Parallel::kMaxTasks}));
  }

  RunResult Run(Scratch& scratch) {
    RoiTableMemory table_memory;
    const bool taken = TakeFromScratch(scratch, [&](Arena& arena) {
      table_memory = RoiTableMemory(problem_, arena, crowd_tasks_);
      Take(arena);
    });
    if (!taken) return RunResult::kNoMemory;
    const bool done = MakeRoiTable(problem_, parallel_, table_memory, &table_) &&
                      FindCrowdedImages(problem_, parallel_, table_, table_memory) &&
                      ChooseTypes(table_memory.crowded) && AddAll();
    return ResultOf(done);
  }

 private:
  void Take(Arena& arena) {
    pattern_ = arena.Take<int32_t>(PatternSize(problem_));
    in_double_ = arena.Take<bool>(problem_.images);
    sums_ = arena.Take<double>(SaturatingMultiply(tasks_, SaturatingMultiply(piece_width_, problem_.channels())));
  }

  // An image whose channels are forward's gets the bits it would get without the others. Elsewhere the terms of a pixel
  // cannot be counted by the rois, so sums are double, except torchvision's.
  bool ChooseTypes(const bool* crowded) {
    MakePattern(problem_, pattern_);
    const bool torchvision = problem_.rules.convention == DETOPS_PSROIPOOL_TORCHVISION;
    const auto bytes = static_cast<size_t>(problem_.channels()) * sizeof(int32_t);
    const int tasks = static_cast<int>(std::min<int64_t>(tasks_, table_.active_images));
    return parallel_.RunPieces(tasks, table_.active_images, [&](Range range) {
      for (int64_t a = range.begin; a < range.end; ++a) {
        bool usual = true;
        for (int64_t place = table_.begins[a]; place < table_.begins[a + 1] && usual; ++place) {
          usual = std::memcmp(mapping_ + table_.rois[place] * problem_.channels(), pattern_, bytes) == 0;
        }
        in_double_[a] = !torchvision && (!usual || crowded[a]);
      }
    });
  }

  bool AddAll() {
    return parallel_.Run(tasks_, [&](int task) {
      double* sums = sums_ + task * piece_width_ * problem_.channels();
      const Range range = PieceOf(pieces_, tasks_, task);
      for (int64_t piece = range.begin; piece < range.end; ++piece) {
        const int64_t row = piece / row_pieces_;
        const int64_t x = piece % row_pieces_ * piece_width_;
        const int64_t image = row / problem_.height;
        const auto y = static_cast<uint32_t>(row % problem_.height);
        const int64_t x_end = std::min(x + piece_width_, problem_.width);
        const int64_t* const end = table_.images + table_.active_images;
        const int64_t* active = std::lower_bound(table_.images, end, image);
        const int64_t index = active != end && *active == image ? active - table_.images : -1;
        if (index >= 0 && in_double_[index]) {
          DoPiece(image, index, y, x, x_end, sums);
        } else {
          DoPiece(image, index, y, x, x_end, reinterpret_cast<Real*>(sums));
        }
      }
    });
  }

  // `index` is that of the active image; -1 if it has no rois.
  template <typename Sum>
  void DoPiece(int64_t image, int64_t index, uint32_t y, int64_t x_begin, int64_t x_end, Sum* sums) {
    const int64_t numbers = (x_end - x_begin) * problem_.channels();
    std::fill_n(sums, numbers, Sum{0});
    if (index >= 0) {
      for (int64_t place = table_.begins[index]; place < table_.begins[index + 1]; ++place) {
        AddRoi(place, y, x_begin, x_end, sums);
      }
    }
    const auto element_bytes = static_cast<int64_t>(SizeOfType(problem_.type));
    auto* target = static_cast<char*>(problem_.target);
    if (!problem_.channels_first) {
      const int64_t pixel = (image * problem_.height + y) * problem_.width + x_begin;
      Store(sums, 1, numbers, target + pixel * problem_.channels() * element_bytes);
      return;
    }
    for (int64_t c = 0; c < problem_.channels(); ++c) {
      const int64_t line = (image * problem_.channels() + c) * problem_.height + y;
      Store(sums + c, problem_.channels(), x_end - x_begin, target + (line * problem_.width + x_begin) * element_bytes);
    }
  }

  template <typename Sum>
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

  template <typename Sum>
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
        const Accumulator<T> share = LoadReal<T>(problem_.source, element) / static_cast<Accumulator<T>>(area);
        Sum* sum = sums + LoadElement<int32_t>(mapping_, element);
        for (int64_t x = begin - x_begin; x < end - x_begin; ++x) sum[x * channels] += share;
      }
    }
  }

  const PsRoiPoolProblem& problem_;
  const int32_t* mapping_;
  const Parallel& parallel_;
  const int crowd_tasks_;
  int64_t piece_width_, row_pieces_, pieces_;
  int tasks_;
  RoiTable table_ = {};
  int32_t* pattern_ = nullptr;
  bool* in_double_ = nullptr;  // per active image
  double* sums_ = nullptr;
};

}  // namespace

RunResult PsRoiPoolBackwardMapped(const PsRoiPoolProblem& problem, const int32_t* mapping_channel,
                                  const Parallel& parallel, Scratch& scratch) {
  return WithElementType(problem.type,
                         [&]<typename T>() { return MappedPass<T>(problem, mapping_channel, parallel).Run(scratch); });
}

}  // namespace detops::psroipool
