// Rows of rotated_feature_align.
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "ops/rotated_feature_align/test/bad_call.h"
#include "reliability/bad_input_call.h"

namespace detops_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

void AddDirection(Table& table, Direction direction) {
  const bool forward = direction == Direction::kForward;
  const std::string source = forward ? "input" : "top_output", target = forward ? "output" : "bottom_input";
  CallRow<BadCall> row(table, forward ? "mluOpRotatedFeatureAlignForward" : "mluOpRotatedFeatureAlignBackward",
                       {[direction] { return std::make_unique<BadCall>(direction); },
                        [](BadCall& call, Handle& handle) {
                          const mluOpStatus_t status = call.Run(handle);
                          return CallAnswer{status, call.thread_text};
                        }});
  const auto source_of = [](BadCall& call) -> TensorArgument& { return call.source; };
  const auto boxes_of = [](BadCall& call) -> TensorArgument& { return call.boxes; };
  const auto target_of = [](BadCall& call) -> TensorArgument& { return call.target; };

  row.BadParam(BadClass::kNull, "handle", "handle is NULL", [](BadCall& call) { call.with_handle = false; });
  row.Tensor(source, source_of, 4);
  row.Tensor("bboxes", boxes_of, 4);
  row.Tensor(target, target_of, 4);
  row.Layout(source, source_of);
  row.Layout(target, target_of);
  row.BadParam(BadClass::kForm, "half among floats", "bboxes has type half",
               [](BadCall& call) { call.boxes.type = MLUOP_DTYPE_HALF; });
  for (int axis = 0; axis < 4; ++axis) {
    row.Axis(target, target_of, axis, "on axis " + std::to_string(axis));
    row.Axis("bboxes", boxes_of, axis, "bboxes has extent");
  }
  for (int64_t Shape::* extent : {&Shape::batch, &Shape::height, &Shape::width, &Shape::channels}) {
    row.BadParam(BadClass::kEmpty, "an extent is 0", "has 0 elements",
                 [extent](BadCall& call) { call.shape.*extent = 0; });
  }
  for (const int points : {0, -1, 4}) {
    row.BadParam(BadClass::kSizes, "points " + std::to_string(points), "points is " + std::to_string(points),
                 [points](BadCall& call) { call.points = points; });
  }
  row.NotSupported(BadClass::kOverflow, "2^31 elements", "expected fewer than 2147483648; the full profile lifts",
                   [](BadCall& call) { call.shape = {2, 1 << 15, 1 << 15, 1}; });
  row.NotSupported(BadClass::kOverflow, "2^66 elements", "expected fewer than 2^63 bytes", [](BadCall& call) {
    call.profile = DETOPS_PROFILE_FULL;
    call.shape = {int64_t{1} << 33, 1, int64_t{1} << 33, 1};
  });
  row.Overlap(target, target_of, source, [](BadCall& call) { return call.source.data; });
  row.Overlap(target, target_of, "bboxes", [](BadCall& call) { return call.boxes.data; });
  const std::pair<int64_t, const char*> places[] = {
      {0, "bboxes[0, 0, 0, 0] is "}, {7, "bboxes[0, 0, 1, 2] is "}, {119, "bboxes[1, 2, 3, 4] is "}};
  for (const double number : {kNan, kInf, -kInf}) {
    for (const auto& [element, place] : places) {
      row.BadParam(BadClass::kNotFinite, "a box has " + std::to_string(number), place + std::to_string(number),
                   [=, at = element](BadCall& call) { call.problem.boxes.Set(at, number); });
    }
  }
  for (const float scale :
       {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    row.BadParam(BadClass::kNotFinite, "spatial_scale " + std::to_string(scale), "spatial_scale is",
                 [scale](BadCall& call) { call.spatial_scale = scale; });
  }
  // Finite boxes never fail for their size: a sample that overflows adds nothing. The box of the first pixel.
  row.Defines(
      BadClass::kNotFinite, "the centre of a box overflows when it is scaled",
      [](BadCall& call) {
        call.problem.boxes.Fill(0);
        for (int64_t box = 0; box < call.problem.boxes.elements() / 5; ++box) call.problem.boxes.Set(box * 5, 3e38);
        call.spatial_scale = 16;
      },
      [](BadCall& call) {
        return call.target_tensor.SameBytes(call.problem.source) ? "" : "more than the pixel itself was added";
      });
  row.row()
      .HasNone({BadClass::kWorkspace, BadClass::kIndices, BadClass::kEnumerator})
      .CannotOccur({BadClass::kCoordinates}, "boxes may lie anywhere: what is beside the map adds nothing")
      .CannotOccur({BadClass::kDuplicates}, "boxes are independent of each other and may be equal")
      .CannotOccur({BadClass::kBatchId}, "its boxes have no batch id: there is one per pixel")
      .CannotOccur({BadClass::kDestroyed}, kCallerGuarantees);
}

}  // namespace

void AddRotatedFeatureAlign(Table& table) {
  AddDirection(table, Direction::kForward);
  AddDirection(table, Direction::kBackward);
}

}  // namespace detops_test
