// Writing what stays, in the four forms of the descriptor.
#include <cstring>

#include "core/data_type.h"
#include "core/element_type.h"
#include "ops/nms/problem.h"

namespace detops::nms {
namespace {

// Elements of output for one box.
int64_t ElementsOfBox(mluOpNmsOutputMode_t mode) {
  switch (mode) {
    case MLUOP_NMS_OUTPUT_TARGET_INDICES:
      return 1;
    case MLUOP_NMS_OUTPUT_TARGET_BATCH_AND_CLASS:
      return 3;
    default:
      return 5;
  }
}

// Score and numbers of the boxes of the only class.
template <typename T>
void WriteScoresAndNumbers(const Problem& problem, const Kept* kept, int64_t count) {
  const bool planar_input = problem.how.input_layout == 1;
  const bool rows = problem.how.output_mode == MLUOP_NMS_OUTPUT_TARGET_CONFIDENCE_AND_POS_1;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t to = rows ? 5 * i : i;
    const int64_t to_step = rows ? 1 : problem.how.max_output_size;
    const int64_t from = planar_input ? kept[i].box : 4 * kept[i].box;
    const int64_t from_step = planar_input ? problem.count : 1;
    StoreElement<T>(problem.output, to, FromDouble<T>(kept[i].score));
    for (int64_t k = 0; k < 4; ++k) {
      StoreElement<T>(problem.output, to + (k + 1) * to_step, LoadElement<T>(problem.boxes, from + k * from_step));
    }
  }
}

void SetZero(const Problem& problem, int64_t begin, int64_t end) {
  const auto size = static_cast<int64_t>(SizeOfType(problem.output_type));
  if (problem.output == nullptr || begin >= end) return;
  std::memset(static_cast<char*>(problem.output) + begin * size, 0, static_cast<size_t>((end - begin) * size));
}

}  // namespace

void Write(const Problem& problem, const Kept* kept, const int64_t* counts) {
  const auto store = [&](int64_t at, int64_t index) { StoreIndex(problem.output_type, problem.output, at, index); };
  switch (problem.how.output_mode) {
    case MLUOP_NMS_OUTPUT_TARGET_INDICES:
      for (int64_t i = 0; i < counts[0]; ++i) store(i, kept[i].box);
      break;
    case MLUOP_NMS_OUTPUT_TARGET_BATCH_AND_CLASS: {
      int64_t at = 0;
      for (int64_t pair = 0; pair < problem.pairs(); ++pair) {
        for (int64_t i = 0; i < counts[pair]; ++i) {
          store(at++, pair / problem.classes);
          store(at++, pair % problem.classes);
          store(at++, kept[pair * problem.most() + i].box);
        }
      }
      break;
    }
    default:
      WithElementType(problem.boxes_type, [&]<typename T>() { WriteScoresAndNumbers<T>(problem, kept, counts[0]); });
      break;
  }
}

void Pad(const Problem& problem, int64_t written) {
  if (!problem.how.pad_to_max_output_size) return;
  const int64_t most = problem.how.max_output_size;
  if (problem.how.output_mode == MLUOP_NMS_OUTPUT_TARGET_CONFIDENCE_AND_POS_2) {
    for (int64_t plane = 0; plane < 5; ++plane) SetZero(problem, plane * most + written, (plane + 1) * most);
    return;
  }
  const int64_t elements = ElementsOfBox(problem.how.output_mode);
  SetZero(problem, elements * written, elements * problem.pairs() * most);
}

}  // namespace detops::nms
