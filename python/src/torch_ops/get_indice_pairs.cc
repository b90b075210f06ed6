#include "common/get_indice_pairs.h"

#include <tuple>

#include "torch_ops/box.h"
#include "torch_ops/tensor.h"

namespace detops_torch {
namespace {

using detops_binding::Axes;

std::tuple<Tensor, Tensor, Tensor> GetIndicePairs(const Tensor& indices, int64_t batch_size, const Sizes& spatial_shape,
                                                  const Sizes& kernel_size, const std::optional<Sizes>& stride,
                                                  const std::optional<Sizes>& padding,
                                                  const std::optional<Sizes>& dilation, bool submanifold,
                                                  bool transposed, const std::optional<Sizes>& output_padding,
                                                  const std::optional<Sizes>& output_shape) {
  constexpr char kFunction[] = "get_indice_pairs";
  const size_t ndim = spatial_shape.size();
  detops_binding::RequireSpatialRank(ndim);
  const auto ints = [&](const Sizes& numbers, const char* name) {
    Axes axes(ndim);
    PutInts(numbers, axes.all(), {kFunction, name});
    return axes;
  };
  // Lists cost a microsecond each on their way here, so the usual values may be left out.
  const auto ints_or = [&](const std::optional<Sizes>& numbers, int usual, const char* name) {
    return numbers.has_value() ? ints(*numbers, name) : Axes(ndim, usual);
  };
  detops_binding::PairGeometry geometry = {.input = ints(spatial_shape, "spatial_shape"),
                                           .kernel = ints(kernel_size, "kernel_size"),
                                           .stride = ints_or(stride, 1, "stride"),
                                           .dilation = ints_or(dilation, 1, "dilation"),
                                           .output_padding = ints_or(output_padding, 0, "output_padding"),
                                           .submanifold = submanifold,
                                           .transposed = transposed,
                                           .batch_size = Int(batch_size, {kFunction, "batch_size"})};
  if (padding.has_value()) {
    geometry.padding = ints(*padding, "padding");
  } else {
    geometry.SetDefaultPadding();
  }
  if (output_shape.has_value()) {
    geometry.output = ints(*output_shape, "output_shape");
  } else {
    geometry.SetDefaultOutput();
  }
  const Input sites = Input::Indices(indices, {kFunction, "indices"});
  TorchCall call(kFunction);
  detops_binding::GetIndicePairs(call, geometry, sites.view());
  return {call.Result(0), call.Result(1), call.Result(2)};
}

// Reads lists from one list: each is its length and as many numbers. One that was left out is -1 alone, and so are
// those behind the end.
class Reader {
 public:
  explicit Reader(const Sizes& numbers) : numbers_(numbers) {}

  int64_t Number() {
    if (next_ == numbers_.size()) Argument{kPacked, "numbers"}.Refuse("ends too early.");
    return numbers_[next_++];
  }
  Sizes List() {
    const int64_t length = Number();
    if (length < 0 || length > static_cast<int64_t>(numbers_.size() - next_)) {
      Argument{kPacked, "numbers"}.Refuse("ends too early.");
    }
    const auto first = numbers_.begin() + static_cast<ptrdiff_t>(next_);
    next_ += static_cast<size_t>(length);
    return {first, first + length};
  }
  std::optional<Sizes> ListIf() {
    if (next_ == numbers_.size()) return std::nullopt;
    if (numbers_[next_] != kLeftOut) return List();
    ++next_;
    return std::nullopt;
  }

 private:
  static constexpr char kPacked[] = "_get_indice_pairs";
  static constexpr int64_t kLeftOut = -1;
  const Sizes& numbers_;
  size_t next_ = 0;
};

// The same in a third of the time before the work begins: torch needs a microsecond for each list, and some for each
// argument, but little for the numbers in a list.
std::tuple<Tensor, Tensor, Tensor> GetIndicePairsPacked(const Tensor& indices, const Sizes& numbers) {
  Reader reader(numbers);
  const int64_t batch_size = reader.Number();
  const int64_t flags = reader.Number();
  const Sizes spatial_shape = reader.List();
  const Sizes kernel_size = reader.List();
  const std::optional<Sizes> stride = reader.ListIf();
  const std::optional<Sizes> padding = reader.ListIf();
  const std::optional<Sizes> dilation = reader.ListIf();
  const std::optional<Sizes> output_padding = reader.ListIf();
  const std::optional<Sizes> output_shape = reader.ListIf();
  return GetIndicePairs(indices, batch_size, spatial_shape, kernel_size, stride, padding, dilation, (flags & 1) != 0,
                        (flags & 2) != 0, output_padding, output_shape);
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(detops, library) {
  library.def(
      "get_indice_pairs(Tensor indices, SymInt batch_size, SymInt[] spatial_shape, int[] kernel_size, "
      "int[]? stride=None, int[]? padding=None, int[]? dilation=None, bool submanifold=False, "
      "bool transposed=False, int[]? output_padding=None, SymInt[]? output_shape=None) -> "
      "(Tensor out_indices, Tensor indice_pairs, Tensor indice_num)");
  // For calls from Python without a tracer. Numbers: batch_size, submanifold + 2 * transposed, then the lists
  // spatial_shape, kernel_size, stride, padding, dilation, output_padding, output_shape.
  library.def(
      "_get_indice_pairs(Tensor indices, int[] numbers) -> "
      "(Tensor out_indices, Tensor indice_pairs, Tensor indice_num)");
}

STABLE_TORCH_LIBRARY_IMPL(detops, CPU, library) {
  library.impl("get_indice_pairs", &Box<&GetIndicePairs>::Call);
  library.impl("_get_indice_pairs", &Box<&GetIndicePairsPacked>::Call);
}

}  // namespace detops_torch
